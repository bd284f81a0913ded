//! Games with an external referee, through the whole program.
//!
//! `tests/golden/referees.jsonl.gz` holds transcripts of real referees, one JSON object a line:
//! their `steps` are pairs of a direction (`>` to the referee, `<` from it) and a text. A recorded
//! referee and recorded bots play them again, each of which ends with a message when it reads
//! anything else than the transcript says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::mem::take;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::programs::{
    PATIENT, Said as _, command, count_lines, csv_rows, has, in_project, killed, line, new_folder,
    promised, read, records, said, stderr, stdout, table, write,
};

fn transcripts() -> Vec<Value> {
    let file = File::open(in_project("tests/golden/referees.jsonl.gz")).unwrap();
    BufReader::new(GzDecoder::new(file))
        .lines()
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
                "NEXT_PLAYER_INFO" => asked.push(Asked {
                    seat: lines[0].parse().unwrap(),
                    prompt: Some(take(&mut prompt)),
                    answer: None,
                }),
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
        let last = text.lines().last().unwrap_or_default();
        if let Some(output) = last.strip_prefix("###Output ") {
            asked.push(Asked {
                seat: output.split(' ').next().unwrap().parse().unwrap(),
                prompt: None,
                answer: None,
            });
        } else if step[0] == ">" && !text.starts_with("###") {
            asked.last_mut().unwrap().answer = Some(text.trim_end_matches('\n').to_owned());
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
    let seats = transcript["seats"].as_u64().unwrap();
    let mut scores = vec![0; usize::try_from(seats).unwrap()];
    for (worse, place) in (0..).zip(places.iter().rev()) {
        for seat in place.as_array().unwrap() {
            scores[usize::try_from(seat.as_u64().unwrap()).unwrap()] = worse;
        }
    }
    scores
}

/// The expected fate of each seat. Old referees don't say that an answer was missing.
fn fates(transcript: &Value, asked: &[Asked]) -> Vec<&'static str> {
    let mut fates = Vec::new();
    for (seat, score) in (0..).zip(scores(transcript)) {
        let is_silent = |asked: &Asked| asked.seat == seat && asked.answer.is_none();
        fates.push(match score {
            _ if asked.iter().any(is_silent) => "timeout",
            ..0 => "invalid_action",
            0.. => "ok",
        });
    }
    fates
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
        let mut games = Vec::new();
        for number in numbers {
            if transcripts[*number]["seats"].as_u64().unwrap() >= fewest {
                games.push(format!("t{number}"));
            }
        }
        games
    };
    // Bots that shall be too slow sleep, and those that shall not must not be on a busy machine.
    let mut config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = {:?}\nformat = \"round-robin\"\ngames = 2\njobs = 6\npin = false\n\
         [clock]\nfirst_turn_ms = 10000\nturn_ms = 4000\n",
        games(0)
    );
    for number in numbers {
        let [protocol, seats] = ["protocol", "seats"].map(|key| &transcripts[*number][key]);
        let _ = writeln!(
            config,
            "[game.t{number}]\nprotocol = {protocol}\nseats = {seats}\n\
             referee = [\"python3\", {referee:?}, {file:?}, \"{number}\"]"
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
fn compared(transcript: &Value, record: &Value, row: &BTreeMap<String, String>) -> Vec<String> {
    let is_old = transcript["protocol"] == "brutaltester";
    let expected = if is_old {
        old_questions(transcript)
    } else {
        questions(transcript)
    };
    let own = |value: &Value| value.as_str().map(str::to_owned);
    let mut wrong = Vec::new();
    let steps = record["steps"].as_array().unwrap();
    for (step, expected) in steps.iter().zip(&expected) {
        let asked = Asked {
            seat: step["player"].as_u64().unwrap(),
            prompt: own(&step["input"]).filter(|_| !is_old),
            answer: own(&step["output"]),
        };
        if asked != *expected {
            wrong.push(format!("expected {expected:?}, got {asked:?}"));
        }
    }
    if expected.len() != steps.len() {
        let numbers = [expected.len(), steps.len()];
        wrong.push(format!("questions expected and asked: {numbers:?}"));
    }
    let scores = scores(transcript).into_iter();
    for (seat, result) in (1..).zip(scores.zip(fates(transcript, &expected))) {
        let seen = ["score", "fate"].map(|column| &*row[&format!("p{seat}_{column}")]);
        if seen != [&result.0.to_string(), result.1] {
            wrong.push(format!("seat {seat}: expected {result:?}, got {seen:?}"));
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
    let folder = &new_folder();
    write(folder, "run.toml", config(&transcripts, &played));
    line(folder, "run run.toml --quiet --trace").status(0);
    let run = &folder.join("results/run");
    let mut wrong = Vec::new();
    let (rows, records) = (csv_rows(run, "games.csv"), records(run, "records.jsonl"));
    for (row, record) in rows.iter().zip(&records) {
        let game = record["game"].as_str().unwrap();
        let transcript = &transcripts[game[1..].parse::<usize>().unwrap()];
        let [referee, note] = [&transcript["referee"], &transcript["note"]];
        for said in compared(transcript, record, row) {
            wrong.push(format!("{game} ({referee} {note}): {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Both seatings of each with two seats, and all rotations of the three with three.
    let games = 18 * 2 + 3 * 3;
    assert_eq!((rows.len(), records.len()), (games, games));
    let verified = format!("{games} games verified, 0 mismatches\n");
    line(folder, "verify results/run").prints(&verified);
}

#[test]
fn a_real_referee_that_fails_is_nobodys_loss() {
    let transcripts = transcripts();
    let is_failed = |transcript: &Value| transcript["exit"] != 0;
    let failed = transcripts.iter().position(is_failed).unwrap();
    let folder = &new_folder();
    write(folder, "run.toml", config(&transcripts, &[failed]));
    let run = line(folder, "run run.toml --quiet");
    let code = run.status.code();
    insta::assert_snapshot!(format!("exit status {code:?}\n{}", stderr(&run)));
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
    let both = |game| bot("greedy", game) + &bot("random", game);
    let all = both("tictactoe") + &both("harvest");
    format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = [\"tictactoe\", \"harvest\"]\ndesign = \"mirror\"\ngames = {games}\njobs = {jobs}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.tictactoe]\nreferee = [\"python3\", {:?}]\nreuse = {reuse}\n\
         [game.harvest]\nreferee = [\"python3\", {:?}]\nreuse = {reuse}\nseats = 5\n{all}",
        file("referees/tictactoe.py"),
        file("referees/harvest.py")
    )
}

/// The rows of a run in `folder`, in their order, without the columns that depend on the clock.
fn rows(folder: &Path) -> Vec<String> {
    let mut rows = Vec::new();
    for mut row in csv_rows(&folder.join("results/run"), "games.csv") {
        row.retain(|column, _| !column.contains("_ms_"));
        rows.push(format!("{row:?}"));
    }
    rows
}

#[test]
fn rows_depend_on_neither_jobs_nor_reuse_nor_kills() {
    let start = |jobs: u32, reuse: &str| {
        let folder = new_folder();
        let config = own_games(jobs, reuse, 4).replace("reuse = \n", "");
        write(&folder, "run.toml", config);
        folder
    };
    let played = |jobs: u32, reuse: &str| {
        let folder = start(jobs, reuse);
        line(&folder, "run run.toml --quiet").status(0);
        rows(&folder)
    };
    let expected = played(1, "true");
    assert_eq!(expected.len(), 8);
    for (jobs, reuse) in [(4, "true"), (2, "false"), (3, "")] {
        assert_eq!(played(jobs, reuse), expected, "{jobs} jobs, reuse {reuse}");
    }
    let folder = &start(2, "true");
    let run = &folder.join("results/run");
    for resume in [None, Some("--resume")] {
        let games = count_lines(&run.join("records.jsonl"));
        let mut arena = command(folder, &["run", "run.toml", "--quiet"]);
        let is_killed = killed(arena.args(resume), run, games + 2);
        assert!(is_killed, "the run has ended before it was killed");
    }
    line(folder, "run run.toml --quiet --resume").status(0);
    assert_eq!(rows(folder), expected, "killed and resumed");
    line(folder, "verify results/run").prints("8 games verified, 0 mismatches\n");
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
            let step = record["steps"][step].as_object_mut().unwrap();
            step.remove("hash");
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
    let folder = &new_folder();
    write(folder, "run.toml", own_games(2, "true", 2));
    line(folder, "run run.toml --quiet").status(0);
    let mut changes = Vec::new();
    for record in records(folder, "results/run/records.jsonl") {
        // The many steps of the longer game are all alike.
        if record["game"] == "tictactoe" {
            changes.extend(changed(&record));
        }
    }
    assert!(changes.len() > 40);
    let mut lines = String::new();
    for (_, record) in &changes {
        let _ = writeln!(lines, "{record}");
    }
    write(folder, "results/run/changed.jsonl", lines);
    let verified = line(folder, "verify results/run/changed.jsonl");
    let said = stdout(verified.status(1));
    for (number, (what, _)) in (1..).zip(&changes) {
        let is_found = |end| said.contains(&format!("changed.jsonl:{number}{end}"));
        assert!(is_found(',') || is_found(':'), "not found: {what}\n{said}");
    }
}

/// Records hold digests of prompts; the referee is asked for them again.
#[test]
fn what_a_bot_was_sent_is_asked_of_the_referee_again() {
    let folder = &new_folder();
    let config = own_games(1, "true", 2);
    write(folder, "run.toml", &config);
    let inputs = || line(folder, "replay results/run 0 --as-input 1");
    line(folder, "run run.toml --quiet --trace");
    let traced = stdout(inputs().status(0));
    line(folder, "run run.toml --quiet --force");
    inputs().status(0).prints(&traced);
    assert!(traced.starts_with("O\n"), "{traced}");
    // A referee that takes no seed might tell anything.
    let referee = "[game.tictactoe]\n";
    let seedless = config.replace(referee, &format!("{referee}seed = false\n"));
    write(folder, "run.toml", seedless);
    line(folder, "run run.toml --quiet --force");
    let (refused, verified) = (inputs(), line(folder, "verify results/run"));
    let codes = [&refused, &verified].map(|output| output.status.code());
    let told = stderr(&refused) + &stdout(&verified);
    insta::assert_snapshot!(format!("{codes:?}\n{told}"));
}

/// Bots' actions in a game of tic-tac-toe, and their fates.
const HOSTILE: &str = "
    sleeps | timeout
    exits | crashed
    aborts | crashed
    memory | out_of_memory
    endless line | too_long
    nonsense | invalid_action
    scores | invalid_action
    nothing | invalid_action
    control characters | invalid_action
    long | invalid_action
    signals | ok
    stops | ok
    traces | ok
    reads memory | ok
    reads environment | ok
    speaks for it | ok
    writes its file | ok
    deletes its file | ok
    writes beside it | ok
";

/// Checks the fates of both bots in each of so many games of a run, by the names of the bots.
fn check_fates(folder: &Path, games: usize, expected: &BTreeMap<&str, &str>) {
    let rows = csv_rows(&folder.join("results/run"), "games.csv");
    assert_eq!(rows.len(), games);
    for row in rows {
        for [bot, fate] in [["p1_bot", "p1_fate"], ["p2_bot", "p2_fate"]] {
            let expected = expected.get(&*row[bot]).unwrap_or(&"ok");
            assert_eq!(row[fate], *expected, "{row:?}");
        }
    }
}

#[test]
fn bots_fail_alone_and_cannot_get_at_the_referee() {
    let temporary = new_folder();
    let folder = &temporary.canonicalize().unwrap();
    let source = fs::read(in_project("referees/tictactoe.py")).unwrap();
    write(folder, "referee/tictactoe.py", &source);
    let player = include_str!("../programs/hostile_player.py");
    write(folder, "bot/hostile_player.py", player);
    let referee = folder.join("referee/tictactoe.py");
    let player = folder.join("bot/hostile_player.py");
    let mut config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = \"tictactoe\"\ngames = 2\njobs = 4\nstart_anyway = true\n\
         [clock]\nfirst_turn_ms = 8000\nturn_ms = 8000\n[limits]\nmemory_mb = 128\n\
         [game.tictactoe]\nreferee = [\"python3\", {referee:?}]\n"
    );
    let fates: BTreeMap<_, _> = table::<2>(HOSTILE)
        .into_iter()
        .map(|[bot, fate]| (bot, fate))
        .collect();
    for name in ["plays"].iter().chain(fates.keys()) {
        let _ = writeln!(
            config,
            "[[bot]]\nname = {name:?}\ncommand = [\"python3\", {player:?}, {name:?}, {referee:?}]"
        );
    }
    write(folder, "run.toml", config);
    line(folder, "run run.toml --quiet").status(0);
    let games = 2 * fates.len();
    check_fates(folder, games, &fates);
    assert_eq!(fs::read(&referee).unwrap(), source);
    let verified = format!("{games} games verified, 0 mismatches\n");
    line(folder, "verify results/run").prints(&verified);
}

/// Answers of bots in the first and the last turn of `sdk_referee.py`, which repeats what they say,
/// and their fates.
const TALKERS: &str = r#"
    WAIT hey $1 that is invalid "MOVE 3 4" | WAIT hey $1 that is invalid "MOVE 3 4" | ok
    WAIT $0: unknown command: MOVE 3 4 | 1 | ok
    WAIT | WAIT hey $1 that is invalid "MOVE 3 4" | ok
    WAIT | WAIT $0 $1 ¤RED¤illegal§RED§ `MOVE 3 4` | ok
    WAIT unknown | WAIT $1 | ok
    jump unknown command $0 'WAIT' |  | invalid_action
    WAIT unknown command $0 "jump" | jump is invalid;unknown command | invalid_action
"#;

#[test]
fn words_of_bots_change_no_fate() {
    let folder = &new_folder();
    let mut config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = \"sum\"\ngames = 4\njobs = 2\nstart_anyway = true\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.sum]\nreferee = [\"python3\", {:?}]\n",
        in_project("tests/programs/sdk_referee.py"),
    );
    let mut add = |name: &str, first: &str, last: &str| {
        let script = format!(
            "while read -r _ turn; do case $turn in 0) cat <<'END'\n{first}\nEND\n;; 2) cat <<'END'\n{last}\nEND\n;; esac; done"
        );
        let _ = writeln!(
            config,
            "[[bot]]\nname = {name:?}\ncommand = [\"sh\", \"-c\", {script:?}]"
        );
    };
    let talkers = table::<3>(TALKERS);
    let names = ["0", "1", "2", "3", "4", "5", "6"];
    let mut fates = BTreeMap::new();
    add("mover", "MOVE 3 4", "MOVE 3 4");
    for (name, [first, last, fate]) in names.into_iter().zip(talkers.clone()) {
        add(name, first, last);
        fates.insert(name, fate);
    }
    assert_eq!(fates.len(), talkers.len());
    write(folder, "run.toml", config);
    line(folder, "run run.toml --quiet").status(0);
    check_fates(folder, 4 * fates.len(), &fates);
}

#[test]
fn games_of_three_and_five_seats_are_rated_tested_and_reported() {
    let [player, referee] =
        ["referees/bots/harvest_random.py", "referees/harvest.py"].map(in_project);
    let bots = |names: &[&str]| {
        let bot = |name| format!("[[bot]]\nname = {name:?}\ncommand = [\"python3\", {player:?}]\n");
        names.iter().map(bot).collect::<String>()
    };
    let mut told = String::new();
    for seats in [3, 5] {
        let folder = &new_folder();
        let head = "[run]\nseed = 1\ngame = \"harvest\"\nformat =";
        let game = format!(
            "jobs = 2\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
             [game.harvest]\nreferee = [\"python3\", {referee:?}]\nseats = {seats}\n"
        );
        let all = bots(&["a", "b", "c", "d", "e"][..seats]);
        let table = format!("{head} \"round-robin\"\ngames = {seats}\n{game}{all}");
        write(folder, "table.toml", table);
        let sprt = "[sprt]\nelo0 = 0\nelo1 = 100\nmax_units = 2\n";
        let two = bots(&["a", "b"]);
        let test = format!("{head} \"sprt\"\ndesign = \"mirror\"\n{game}{sprt}{two}");
        write(folder, "test.toml", test);
        for name in ["table", "test"] {
            let run = line(folder, &format!("run {name}.toml --quiet --verbose"));
            let rated = line(folder, &format!("rate results/{name}/games.csv"));
            let reported = line(folder, &format!("report results/{name}"));
            let verified = line(folder, &format!("verify results/{name}"));
            let codes =
                [&run, &rated, &reported, &verified].map(|output| output.status.code().unwrap());
            let verified = stdout(&verified);
            let _ = writeln!(
                told,
                "{seats} seats, {name}: {codes:?}\n{}",
                verified.trim_end()
            );
            // Other tests check the results of the games.
            for line in (said(&run) + &stdout(&rated)).lines() {
                if line.contains("harvest: ") || line.contains("mirror") {
                    let _ = writeln!(told, "  {}", line.trim().split(": ").last().unwrap());
                }
            }
            has(
                &read(folder, &format!("results/{name}/report.html")),
                "harvest",
            );
        }
    }
    insta::assert_snapshot!(told);
}

/// The title that a referee has for its game is shown, unless a config has another one.
#[test]
fn a_referee_names_its_game() {
    let folder = &new_folder();
    let scorer = include_str!("../programs/scorer.py");
    let named = scorer.replace("\"seats=1-4\"", "\"seats=1-4\", \"name=Guess the number\"");
    write(folder, "guess it.py", named);
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
        write(folder, "run.toml", config);
        line(folder, "run run.toml --out run --quiet --force").status(0);
        has(&read(folder, "run/report.html"), expected);
        let checked = stdout(&line(folder, "check run.toml --answer 3"));
        assert!(checked.starts_with(&format!("{expected}: ")), "{checked}");
        // The title is no other plan.
        let longer = "run run.toml --out run --quiet --resume --set run.games=6";
        line(folder, longer).status(0);
    }
    let duel = "duel 'guess it.py' \"a=sh -c 'read n; echo 1'\" \"b=sh -c 'read n; echo 2'\"";
    line(
        folder,
        &format!("{duel} --games 2 --out duel --quiet {PATIENT}"),
    );
    has(&read(folder, "duel/report.html"), "Guess the number");
    let checked = stdout(&line(folder, "check 'guess it.py' --answer 3"));
    assert!(checked.starts_with("Guess the number: "), "{checked}");
}

/// What `limits.py` does, the words before its limit in the document, what a unit of it has, and
/// what arena says about one more.
const LIMITS: &str = r#"
    lines of an answer | an answer | 1 | and an answer has 1000 at most
    ms | within 1 to | 1 | and 1 to 86400000 can be given
    lines of a frame | a frame | 1 | expected a line like `[[SCORES] 2]`, got "[[VIEW] 100001]"
    bytes of a line | a line | 1048576 | a line of it has more than 4 MB
    bytes of FRAME | 4 MiB; `FRAME` | 1024 | expected at most 65536
    frames | the output before a question | 1 | it sends more than 1000 frames without a question
    bytes | 1,000 frames, | 1048576 | it says more than 32 MB without a question
    questions | 8 seats, | 1 | it asks more than 20000 questions
"#;

#[test]
fn a_referee_may_go_to_each_limit_of_the_document_and_not_beyond() {
    let folder = &new_folder();
    let document = read(&in_project("docs/how-to"), "referees.md");
    let (_, limits) = document.split_once("### Limits").unwrap();
    let referee = in_project("tests/programs/limits.py");
    let played = |what: &str, number: usize| {
        let config = format!(
            "[run]\nname = \"run\"\ngame = \"limits\"\ngames = 1\njobs = 1\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
             [game.limits]\nreferee = [\"python3\", {referee:?}, {what:?}, \"{number}\"]\nseats = 2\nreferee_ms = 60000\n\
             [[bot]]\nname = \"a\"\ncommand = \"yes x\"\n[[bot]]\nname = \"b\"\ncommand = \"yes y\"\n"
        );
        write(folder, "run.toml", config);
        eprintln!("{what}: {number}");
        line(folder, "run run.toml --quiet --force")
    };
    for [what, words, unit, said] in table::<4>(LIMITS) {
        let unit: usize = unit.parse().unwrap();
        let most = unit * promised(limits, words);
        played(what, most).status(0);
        let beyond = played(what, most + 1);
        assert_ne!(beyond.status.code(), Some(0), "{what}");
        beyond.contains(said);
    }
    // What is longer is cut.
    let most = promised(limits, "`REASON`");
    for length in [most, most + 1] {
        played("characters of REASON", length).status(0);
        let reason = &records(folder, "results/run/records.jsonl")[0]["reason"];
        assert_eq!(*reason, "x".repeat(most));
    }
}
