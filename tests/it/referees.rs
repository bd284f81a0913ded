//! Games with an external referee, through the whole program.
//!
//! `tests/golden/referees.jsonl.gz` holds transcripts of real referees, one JSON object a line: their `steps` are pairs of a
//! direction (`>` to the referee, `<` from it) and a text. A recorded referee and recorded bots play them again, each of which
//! ends with a message when it reads anything else than the transcript says.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::programs::{self, arena, said, stdout, text};

fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn transcripts() -> Vec<Value> {
    let file = File::open(in_project("tests/golden/referees.jsonl.gz")).unwrap();
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// One question of a game, as transcripts and records have it.
#[derive(Debug, PartialEq)]
struct Asked {
    seat: u64,
    /// If it is known.
    prompt: Option<String>,
    answer: Option<String>,
}

/// The frames of a text: names with their lines.
fn frames(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut lines = text.lines();
    let mut frames = Vec::new();
    while let Some(header) = lines.next() {
        let (name, count) = header.trim_matches(['[', ']']).split_once("] ").unwrap();
        frames.push((name, lines.by_ref().take(count.parse().unwrap()).collect()));
    }
    frames
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// The questions of a transcript in the protocol `codingame`.
fn questions(transcript: &Value) -> Vec<Asked> {
    let (mut asked, mut prompt, mut monitors) = (Vec::new(), String::new(), 0);
    for step in transcript["steps"].as_array().unwrap() {
        for (name, lines) in frames(step[1].as_str().unwrap()) {
            match name {
                "MONITORING" => monitors = 1,
                "NEXT_PLAYER_INPUT" => prompt = joined(&lines),
                "NEXT_PLAYER_INFO" => {
                    let prompt = Some(std::mem::take(&mut prompt));
                    asked.push(Asked {
                        seat: lines[0].parse().unwrap(),
                        prompt,
                        answer: None,
                    });
                }
                "SET_PLAYER_OUTPUT" => {
                    asked.last_mut().unwrap().answer = Some(lines[monitors..].join("\n"));
                }
                _ => {}
            }
        }
    }
    asked
}

/// The questions of a transcript in the protocol `brutaltester`, without prompts.
fn old_questions(transcript: &Value) -> Vec<Asked> {
    let mut asked: Vec<Asked> = Vec::new();
    for step in transcript["steps"].as_array().unwrap() {
        let text = step[1].as_str().unwrap();
        match text
            .lines()
            .last()
            .and_then(|line| line.strip_prefix("###Output "))
        {
            Some(output) => {
                let seat = output.split(' ').next().unwrap().parse().unwrap();
                asked.push(Asked {
                    seat,
                    prompt: None,
                    answer: None,
                });
            }
            None if step[0] == ">" && !text.starts_with("###") => {
                asked.last_mut().unwrap().answer = Some(text.trim_end_matches('\n').to_owned());
            }
            None => {}
        }
    }
    asked
}

/// The scores of a transcript; for places, how many seats are worse.
fn scores(transcript: &Value) -> Vec<i64> {
    if let Some(scores) = transcript["scores"].as_array() {
        return scores.iter().map(|score| score.as_i64().unwrap()).collect();
    }
    let places = transcript["places"].as_array().unwrap();
    let seats = 0..transcript["seats"].as_u64().unwrap();
    let place = |seat: u64| {
        places
            .iter()
            .position(|place| place.as_array().unwrap().contains(&seat.into()))
            .unwrap()
    };
    seats
        .map(|seat| i64::try_from(places.len() - 1 - place(seat)).unwrap())
        .collect()
}

/// The expected fate of each seat. Old referees don't say that an answer was missing.
fn fates(transcript: &Value, asked: &[Asked]) -> Vec<&'static str> {
    let fate = |(seat, score): (usize, i64)| {
        let silent = asked
            .iter()
            .any(|asked| asked.seat == seat as u64 && asked.answer.is_none());
        if silent {
            "timeout"
        } else {
            ["ok", "invalid_action"][usize::from(score < 0)]
        }
    };
    scores(transcript)
        .into_iter()
        .enumerate()
        .map(fate)
        .collect()
}

/// A config of games `t0`, `t1` .. after the transcripts of these numbers.
fn config(transcripts: &[Value], numbers: &[usize]) -> String {
    let [file, referee, bot] = [
        "tests/golden/referees.jsonl.gz",
        "tests/programs/recorded_referee.py",
        "tests/programs/recorded_bot.py",
    ]
    .map(|path| in_project(path).display().to_string());
    let games = |fewest: u64| {
        let fits = |number: &&usize| transcripts[**number]["seats"].as_u64().unwrap() >= fewest;
        numbers
            .iter()
            .filter(fits)
            .map(|number| format!("t{number}"))
            .collect::<Vec<_>>()
    };
    // Bots that shall be too slow sleep, and those that shall not must not be on a busy machine.
    let mut config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = {:?}\nformat = \"round-robin\"\ngames = 2\njobs = 6\npin = false\n\
         [clock]\nfirst_turn_ms = 10000\nturn_ms = 4000\n",
        games(0)
    );
    for number in numbers {
        let Value::String(protocol) = &transcripts[*number]["protocol"] else {
            panic!("a protocol is a string")
        };
        let seats = &transcripts[*number]["seats"];
        let _ = writeln!(
            config,
            "[game.t{number}]\nprotocol = {protocol:?}\nseats = {seats}"
        );
        let _ = writeln!(
            config,
            "referee = [\"python3\", {referee:?}, {file:?}, \"{number}\"]"
        );
    }
    for (name, games) in [("a", games(0)), ("b", games(0)), ("c", games(3))] {
        if !games.is_empty() {
            let _ = writeln!(
                config,
                "[[bot]]\nname = \"{name}\"\ncommand = [\"python3\", {bot:?}, {file:?}]\ngames = {games:?}"
            );
        }
    }
    config
}

/// Differences between a record of a game and its transcript.
fn compared(transcript: &Value, record: &Value, row: &csv::StringRecord) -> Vec<String> {
    let is_old = transcript["protocol"] == "brutaltester";
    let expected = if is_old {
        old_questions(transcript)
    } else {
        questions(transcript)
    };
    let own = |value: &Value| value.as_str().map(str::to_owned);
    let step = |step: &Value| Asked {
        seat: step["player"].as_u64().unwrap(),
        prompt: own(&step["input"]).filter(|_| !is_old),
        answer: own(&step["output"]),
    };
    let steps: Vec<Asked> = record["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(step)
        .collect();
    let mut wrong = Vec::new();
    let first = expected
        .iter()
        .zip(&steps)
        .find(|(expected, step)| expected != step);
    wrong.extend(first.map(|(expected, step)| format!("expected {expected:?}, got {step:?}")));
    if expected.len() != steps.len() {
        wrong.push(format!(
            "expected {} questions, got {}",
            expected.len(),
            steps.len()
        ));
    }
    let result = scores(transcript)
        .into_iter()
        .zip(fates(transcript, &expected));
    for (seat, (score, fate)) in result.enumerate() {
        // The columns of a seat follow the seven of the game: bot, score, place, fate.
        let [seen_score, seen_fate] = [1, 3].map(|column| &row[7 + 4 * seat + column]);
        if *seen_score != score.to_string() || seen_fate != fate {
            wrong.push(format!(
                "seat {seat}: expected {score} and {fate}, got {seen_score} and {seen_fate}"
            ));
        }
    }
    wrong
}

#[test]
fn real_referees_are_played_as_they_were() {
    let transcripts = transcripts();
    let (played, failed): (Vec<usize>, Vec<usize>) =
        (0..transcripts.len()).partition(|number| transcripts[*number]["exit"] == 0);
    assert_eq!((played.len(), failed.len()), (21, 1));
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("run.toml"),
        config(&transcripts, &played),
    )
    .unwrap();
    let run = arena(folder.path(), &["run", "run.toml", "--quiet", "--trace"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let records = fs::read_to_string(folder.path().join("results/run/records.jsonl")).unwrap();
    let mut rows = csv::Reader::from_path(folder.path().join("results/run/games.csv")).unwrap();
    let mut wrong = Vec::new();
    let mut games = 0;
    for (row, record) in rows.records().zip(records.lines()) {
        let (row, record): (_, Value) = (row.unwrap(), serde_json::from_str(record).unwrap());
        let game = record["game"].as_str().unwrap();
        let transcript = &transcripts[game[1..].parse::<usize>().unwrap()];
        let differences = compared(transcript, &record, &row).into_iter();
        wrong.extend(differences.map(|said| {
            format!(
                "{game} ({} {}): {said}",
                transcript["referee"], transcript["note"]
            )
        }));
        games += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Both seatings of each with two seats, and all rotations of the three with three.
    assert_eq!(games, 18 * 2 + 3 * 3);
    let verified = arena(folder.path(), &["verify", "results/run"]);
    assert_eq!(
        text(&verified.stdout),
        format!("{games} games verified, 0 mismatches\n")
    );
}

#[test]
fn a_real_referee_that_fails_is_nobodys_loss() {
    let transcripts = transcripts();
    let failed = transcripts
        .iter()
        .position(|transcript| transcript["exit"] != 0)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("run.toml"),
        config(&transcripts, &[failed]),
    )
    .unwrap();
    let run = arena(folder.path(), &["run", "run.toml", "--quiet"]);
    insta::assert_snapshot!(format!(
        "exit status {:?}\n{}",
        run.status.code(),
        text(&run.stderr)
    ));
}

/// A config of tic-tac-toe and of a game of five seats.
fn own_games(jobs: u32, reuse: &str, games: u32) -> String {
    let file = |path: &str| in_project(path).display().to_string();
    let bot = |name: &str, game: &str| {
        let bot = file(&format!("referees/bots/{game}_{name}.py"));
        format!(
            "[[bot]]\nname = \"{game}-{name}\"\ncommand = [\"python3\", {bot:?}]\ngames = [{game:?}]\n"
        )
    };
    let bots = ["tictactoe", "harvest"]
        .map(|game| bot("greedy", game) + &bot("random", game))
        .concat();
    format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = [\"tictactoe\", \"harvest\"]\ndesign = \"mirror\"\ngames = {games}\njobs = {jobs}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.tictactoe]\nreferee = [\"python3\", {:?}]\nreuse = {reuse}\n\
         [game.harvest]\nreferee = [\"python3\", {:?}]\nreuse = {reuse}\nseats = 5\n{bots}",
        file("referees/tictactoe.py"),
        file("referees/harvest.py")
    )
}

/// The rows of a run in `folder`, in their order, without the columns that depend on the clock.
fn rows(folder: &Path) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join("results/run/games.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let kept: Vec<usize> = (0..header.len())
        .filter(|&at| !header[at].contains("_ms_"))
        .collect();
    let row = |row: csv::StringRecord| {
        kept.iter()
            .map(|&at| row[at].to_owned())
            .collect::<Vec<_>>()
            .join(",")
    };
    reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect()
}

#[test]
fn rows_depend_on_neither_jobs_nor_reuse_nor_kills() {
    let run = |jobs: u32, reuse: &str| {
        let folder = tempfile::tempdir().unwrap();
        let config = own_games(jobs, reuse, 4).replace("reuse = \n", "");
        fs::write(folder.path().join("run.toml"), config).unwrap();
        folder
    };
    let first = run(1, "true");
    let output = arena(first.path(), &["run", "run.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let expected = rows(first.path());
    assert_eq!(expected.len(), 8);
    for (jobs, reuse) in [(4, "true"), (2, "false"), (3, "")] {
        let folder = run(jobs, reuse);
        let output = arena(folder.path(), &["run", "run.toml", "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(rows(folder.path()), expected, "{jobs} jobs, reuse {reuse}");
    }
    let killed = run(2, "true");
    let records = killed.path().join("results/run/records.jsonl");
    for resume in [None, Some("--resume")] {
        let before = fs::read_to_string(&records)
            .unwrap_or_default()
            .lines()
            .count();
        let mut command = programs::program();
        command
            .current_dir(killed.path())
            .args(["run", "run.toml", "--quiet"])
            .args(resume);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while fs::read_to_string(&records)
            .unwrap_or_default()
            .lines()
            .count()
            < before + 2
        {
            assert!(
                child.try_wait().unwrap().is_none(),
                "the run has ended before it was killed"
            );
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = arena(killed.path(), &["run", "run.toml", "--quiet", "--resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(rows(killed.path()), expected, "killed and resumed");
    let verified = arena(killed.path(), &["verify", "results/run"]);
    assert_eq!(text(&verified.stdout), "8 games verified, 0 mismatches\n");
}

/// The record with one thing changed, in each way that there is, with the name of what was changed.
fn changed(record: &Value) -> Vec<(String, Value)> {
    let mut changes = Vec::new();
    let mut change = |what: String, change: &dyn Fn(&mut Value)| {
        let mut other = record.clone();
        change(&mut other);
        changes.push((what, other));
    };
    let steps = record["steps"].as_array().unwrap().len();
    for step in 0..steps {
        change(format!("answer {step}"), &|record| {
            record["steps"][step]["output"] = "9 9".into();
        });
        change(format!("no answer {step}"), &|record| {
            record["steps"][step]["output"] = Value::Null;
        });
        change(format!("prompt {step}"), &|record| {
            let hash = record["steps"][step]["hash"].as_str().unwrap();
            let first = if hash.starts_with('0') { "1" } else { "0" };
            record["steps"][step]["hash"] = format!("{first}{}", &hash[1..]).into();
        });
        change(format!("no digest {step}"), &|record| {
            drop(
                record["steps"][step]
                    .as_object_mut()
                    .unwrap()
                    .remove("hash"),
            );
        });
        change(format!("a line more {step}"), &|record| {
            let answer = record["steps"][step]["output"].as_str().unwrap();
            record["steps"][step]["output"] = format!("{answer}\n[[GET_GAME_INFO] 0]").into();
        });
        change(format!("seat {step}"), &|record| {
            let seat = record["steps"][step]["player"].as_u64().unwrap();
            record["steps"][step]["player"] = (1 - seat.min(1)).into();
        });
        change(format!("turn {step}"), &|record| {
            let turn = record["steps"][step]["turn"].as_u64().unwrap();
            record["steps"][step]["turn"] = (turn + 1).into();
        });
    }
    change("one step less".into(), &|record| {
        drop(record["steps"].as_array_mut().unwrap().pop());
    });
    change("one step more".into(), &|record| {
        let last = record["steps"][steps - 1].clone();
        record["steps"].as_array_mut().unwrap().push(last);
    });
    for seat in 0..record["scores"].as_array().unwrap().len() {
        change(format!("score {seat}"), &|record| {
            let score = record["scores"][seat].as_i64().unwrap();
            record["scores"][seat] = (score + 1).into();
        });
        change(format!("fate {seat}"), &|record| {
            record["faults"] = serde_json::json!([{ "player": seat }]);
        });
    }
    change("reason".into(), &|record| {
        record["reason"] = "another".into();
    });
    change("seed".into(), &|record| {
        let seed: i64 = record["seed"].as_str().unwrap().parse().unwrap();
        record["seed"] = (seed ^ 1).to_string().into();
    });
    changes
}

#[test]
fn verify_finds_whatever_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.toml"), own_games(2, "true", 2)).unwrap();
    let output = arena(folder.path(), &["run", "run.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let records = fs::read_to_string(folder.path().join("results/run/records.jsonl")).unwrap();
    let records = records
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    // The many steps of the longer game are all alike.
    let changes: Vec<_> = records
        .filter(|record| record["game"] == "tictactoe")
        .flat_map(|record| changed(&record))
        .collect();
    assert!(changes.len() > 40);
    let lines: Vec<String> = changes
        .iter()
        .map(|(_, record)| record.to_string())
        .collect();
    fs::write(
        folder.path().join("results/run/changed.jsonl"),
        lines.join("\n") + "\n",
    )
    .unwrap();
    let output = arena(folder.path(), &["verify", "results/run/changed.jsonl"]);
    let said = text(&output.stdout);
    let missed = |number: usize| {
        !said.contains(&format!("changed.jsonl:{number},"))
            && !said.contains(&format!("changed.jsonl:{number}:"))
    };
    let missed: Vec<_> = (1..)
        .zip(&changes)
        .filter(|(number, _)| missed(*number))
        .map(|(_, (what, _))| what)
        .collect();
    assert!(missed.is_empty(), "not found: {missed:?}\n{said}");
    assert_eq!(output.status.code(), Some(1));
}

/// Records hold digests of prompts; the referee is asked for them again.
#[test]
fn what_a_bot_was_sent_is_asked_of_the_referee_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.toml"), own_games(1, "true", 2)).unwrap();
    let inputs = || {
        let shown = arena(
            folder.path(),
            &["replay", "results/run", "0", "--as-input", "1"],
        );
        assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
        text(&shown.stdout)
    };
    arena(folder.path(), &["run", "run.toml", "--quiet", "--trace"]);
    let traced = inputs();
    arena(folder.path(), &["run", "run.toml", "--quiet", "--force"]);
    assert_eq!(inputs(), traced);
    assert!(traced.starts_with("O\n"), "{traced}");
    // A referee that takes no seed might tell anything.
    let plan = folder.path().join("run.toml");
    let referee = "[game.tictactoe]\n";
    let seedless = fs::read_to_string(&plan)
        .unwrap()
        .replace(referee, &format!("{referee}seed = false\n"));
    fs::write(&plan, seedless).unwrap();
    arena(folder.path(), &["run", "run.toml", "--quiet", "--force"]);
    let refused = arena(
        folder.path(),
        &["replay", "results/run", "0", "--as-input", "1"],
    );
    let verified = arena(folder.path(), &["verify", "results/run"]);
    let codes = [&refused, &verified].map(|output| output.status.code());
    insta::assert_snapshot!(format!(
        "{codes:?}\n{}{}",
        text(&refused.stderr),
        text(&verified.stdout)
    ));
}

/// Bots' actions in a game of tic-tac-toe, and their fates.
const HOSTILE: &[(&str, &str)] = &[
    ("sleeps", "timeout"),
    ("exits", "crashed"),
    ("aborts", "crashed"),
    ("memory", "out_of_memory"),
    ("endless line", "too_long"),
    ("nonsense", "invalid_action"),
    ("scores", "invalid_action"),
    ("nothing", "invalid_action"),
    ("control characters", "invalid_action"),
    ("long", "invalid_action"),
    ("signals", "ok"),
    ("stops", "ok"),
    ("traces", "ok"),
    ("reads memory", "ok"),
    ("reads environment", "ok"),
    ("speaks for it", "ok"),
    ("writes its file", "ok"),
    ("deletes its file", "ok"),
    ("writes beside it", "ok"),
];

#[test]
fn bots_fail_alone_and_cannot_get_at_the_referee() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().canonicalize().unwrap();
    let [referee, player] =
        ["referee/tictactoe.py", "bot/hostile_player.py"].map(|file| folder.join(file));
    for (file, source) in [
        (&referee, "referees/tictactoe.py"),
        (&player, "tests/programs/hostile_player.py"),
    ] {
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::copy(in_project(source), file).unwrap();
    }
    let bot = |name: &str| {
        format!(
            "[[bot]]\nname = {name:?}\ncommand = [\"python3\", {player:?}, {name:?}, {referee:?}]\n"
        )
    };
    let bots: String = ["plays"]
        .into_iter()
        .chain(HOSTILE.iter().map(|(name, _)| *name))
        .map(bot)
        .collect();
    let config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = \"tictactoe\"\ngames = 2\njobs = 4\nstart_anyway = true\n\
         [clock]\nfirst_turn_ms = 8000\nturn_ms = 8000\n[limits]\nmemory_mb = 128\n\
         [game.tictactoe]\nreferee = [\"python3\", {referee:?}]\n{bots}"
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    let run = arena(&folder, &["run", "run.toml", "--quiet"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let mut reader = csv::Reader::from_path(folder.join("results/run/games.csv")).unwrap();
    let mut games = 0;
    for row in reader.records().map(Result::unwrap) {
        games += 1;
        for (bot, fate) in [(&row[7], &row[10]), (&row[11], &row[14])] {
            let expected = HOSTILE
                .iter()
                .find(|(name, _)| *name == bot)
                .map_or("ok", |(_, fate)| fate);
            assert_eq!(fate, expected, "{row:?}");
        }
    }
    assert_eq!(games, 2 * HOSTILE.len());
    assert_eq!(
        fs::read(&referee).unwrap(),
        fs::read(in_project("referees/tictactoe.py")).unwrap()
    );
    let verified = arena(&folder, &["verify", "results/run"]);
    assert_eq!(
        text(&verified.stdout),
        format!("{games} games verified, 0 mismatches\n")
    );
}

/// Answers of bots in the first and the last turn of `sdk_referee.py`, which repeats what they say,
/// and their fates.
const TALKERS: &[(&str, &str, &str)] = &[
    (
        "WAIT hey $1 that is invalid \"MOVE 3 4\"",
        "WAIT hey $1 that is invalid \"MOVE 3 4\"",
        "ok",
    ),
    ("WAIT $0: unknown command: MOVE 3 4", "1", "ok"),
    ("WAIT", "WAIT hey $1 that is invalid \"MOVE 3 4\"", "ok"),
    ("WAIT", "WAIT $0 $1 ¤RED¤illegal§RED§ `MOVE 3 4`", "ok"),
    ("WAIT unknown", "WAIT $1", "ok"),
    ("jump unknown command $0 'WAIT'", "", "invalid_action"),
    (
        "WAIT unknown command $0 \"jump\"",
        "jump is invalid;unknown command",
        "invalid_action",
    ),
];

#[test]
fn words_of_bots_change_no_fate() {
    let folder = tempfile::tempdir().unwrap();
    let bot = |(first, last): (&str, &str)| {
        let script = format!(
            "while read -r _ turn; do case $turn in 0) cat <<'END'\n{first}\nEND\n;; 2) cat <<'END'\n{last}\nEND\n;; esac; done"
        );
        format!("command = [\"sh\", \"-c\", {script:?}]\n")
    };
    let mut config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = \"sum\"\ngames = 4\njobs = 2\nstart_anyway = true\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.sum]\nreferee = [\"python3\", {:?}]\n\
         [[bot]]\nname = \"mover\"\n{}",
        in_project("tests/programs/sdk_referee.py"),
        bot(("MOVE 3 4", "MOVE 3 4"))
    );
    for (number, (first, last, _)) in TALKERS.iter().enumerate() {
        let _ = write!(
            config,
            "[[bot]]\nname = \"{number}\"\n{}",
            bot((first, last))
        );
    }
    fs::write(folder.path().join("run.toml"), config).unwrap();
    let run = arena(folder.path(), &["run", "run.toml", "--quiet"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let mut reader = csv::Reader::from_path(folder.path().join("results/run/games.csv")).unwrap();
    let mut games = 0;
    for row in reader.records().map(Result::unwrap) {
        games += 1;
        for (bot, fate) in [(&row[7], &row[10]), (&row[11], &row[14])] {
            let talker = bot.parse::<usize>().map(|number| TALKERS[number].2);
            assert_eq!(fate, talker.unwrap_or("ok"), "{row:?}");
        }
    }
    assert_eq!(games, 4 * TALKERS.len());
}

#[test]
fn games_of_three_and_five_seats_are_rated_tested_and_reported() {
    let file = |path: &str| in_project(path).display().to_string();
    let bot = |name: &str| {
        format!(
            "[[bot]]\nname = \"{name}\"\ncommand = [\"python3\", {:?}]\n",
            file("referees/bots/harvest_random.py")
        )
    };
    let mut told = String::new();
    for seats in [3, 5] {
        let folder = tempfile::tempdir().unwrap();
        let game = format!(
            "jobs = 2\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
             [game.harvest]\nreferee = [\"python3\", {:?}]\nseats = {seats}\n",
            file("referees/harvest.py")
        );
        let bots: String = ["a", "b", "c", "d", "e"][..seats]
            .iter()
            .map(|name| bot(name))
            .collect();
        let runs = [
            (
                "table",
                format!(
                    "[run]\nseed = 1\ngame = \"harvest\"\nformat = \"round-robin\"\ngames = {seats}\n{game}{bots}"
                ),
            ),
            ("test", {
                let test = "[sprt]\nelo0 = 0\nelo1 = 100\nmax_units = 2\n";
                format!(
                    "[run]\nseed = 1\ngame = \"harvest\"\nformat = \"sprt\"\ndesign = \"mirror\"\n{game}{test}{}{}",
                    bot("a"),
                    bot("b")
                )
            }),
        ];
        for (name, config) in runs {
            fs::write(folder.path().join(format!("{name}.toml")), config).unwrap();
            let config = format!("{name}.toml");
            let run = arena(folder.path(), &["run", &config, "--quiet", "--verbose"]);
            let results = format!("results/{name}");
            let rated = arena(folder.path(), &["rate", &format!("{results}/games.csv")]);
            let reported = arena(folder.path(), &["report", &results]);
            let verified = arena(folder.path(), &["verify", &results]);
            let codes =
                [&run, &rated, &reported, &verified].map(|output| output.status.code().unwrap());
            let _ = writeln!(
                told,
                "{seats} seats, {name}: {codes:?}\n{}",
                text(&verified.stdout).trim_end()
            );
            // Other tests check the results of the games.
            let shown = said(&run) + &text(&rated.stdout);
            for line in shown.lines() {
                if ["harvest: ", "mirror"]
                    .iter()
                    .any(|word| line.contains(word))
                {
                    told.extend(["  ", line.trim().split(": ").last().unwrap(), "\n"]);
                }
            }
            let page = fs::read_to_string(folder.path().join(results).join("report.html")).unwrap();
            assert!(page.contains("harvest"));
        }
    }
    insta::assert_snapshot!(told);
}

/// The title that a referee has for its game is shown, unless a config has another one.
#[test]
fn a_referee_names_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let scorer = fs::read_to_string(in_project("tests/programs/scorer.py")).unwrap();
    let named = scorer.replace("\"seats=1-4\"", "\"seats=1-4\", \"name=Guess the number\"");
    fs::write(path.join("guess it.py"), named).unwrap();
    for (title, expected) in [
        ("", "Guess the number"),
        ("title = \"guess_it\"\n", "Guess the number"),
        ("title = \"Numbers\"\n", "Numbers"),
    ] {
        let config = format!(
            "[run]\nname = \"run\"\ngame = \"guess_it\"\ngames = 4\n[clock]\nfirst_turn_ms = 60000\n\
             [game.guess_it]\nreferee = [\"./guess it.py\"]\n{title}\
             [[bot]]\nname = \"a\"\ncommand = [\"sh\", \"-c\", \"read n; echo 1\"]\n\
             [[bot]]\nname = \"b\"\ncommand = [\"sh\", \"-c\", \"read n; echo 2\"]\n"
        );
        fs::write(path.join("run.toml"), config).unwrap();
        let words = ["run", "run.toml", "--out", "run", "--quiet"];
        let run = arena(path, &[&words[..], &["--force"]].concat());
        assert!(run.status.success(), "{}", said(&run));
        let page = fs::read_to_string(path.join("run/report.html")).unwrap();
        assert!(page.contains(expected), "{expected}: {page}");
        let checked = stdout(&arena(path, &["check", "run.toml", "--answer", "3"]));
        assert!(checked.starts_with(&format!("{expected}: ")), "{checked}");
        // The title is no other plan.
        let longer = [&words[..], &["--resume", "--set", "run.games=6"]].concat();
        let resumed = arena(path, &longer);
        assert!(resumed.status.success(), "{}", said(&resumed));
    }
    let words = [
        "duel",
        "guess it.py",
        "a=sh -c 'read n; echo 1'",
        "b=sh -c 'read n; echo 2'",
    ];
    let flags = [
        "--games",
        "2",
        "--out",
        "duel",
        "--quiet",
        "--set",
        "clock.first_turn_ms=60000",
    ];
    let duel = arena(path, &[&words[..], &flags].concat());
    assert!(path.join("duel/report.html").exists(), "{}", said(&duel));
    let told = stdout(&arena(path, &["report", "duel", "--markdown", "-"]));
    let page = fs::read_to_string(path.join("duel/report.html")).unwrap();
    assert!(page.contains("Guess the number"), "{told}");
    let checked = stdout(&arena(path, &["check", "guess it.py", "--answer", "3"]));
    assert!(checked.starts_with("Guess the number: "), "{checked}");
}
