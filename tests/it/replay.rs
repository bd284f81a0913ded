//! `arena replay`: the exact input of a seat, a game turn by turn, and how a bot failed in it.

use std::env;
use std::fs;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use arena_games::{Games, Listing};
use flate2::bufread::MultiGzDecoder;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::programs::{self, arena, sample_bot, text};

fn replay(folder: &Path, run: &str, game: u64, seat: usize) -> String {
    let (game, seat) = (game.to_string(), seat.to_string());
    let out = arena(folder, &["replay", run, &game, "--as-input", &seat]);
    assert_eq!(
        (out.status.code(), text(&out.stderr).as_str()),
        (Some(0), "")
    );
    text(&out.stdout)
}

/// The games of the original referee.
fn golden(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/games/tests/golden")
        .join(game)
        .with_extension("jsonl.gz")
}

fn records(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    let mut file = BufReader::new(fs::File::open(path).unwrap());
    if path.extension().unwrap() == "gz" {
        MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        file.read_to_string(&mut text).unwrap();
    }
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The input of a seat, from a record with all inputs.
fn sent(record: &Value, seat: usize) -> String {
    let steps = record["steps"].as_array().unwrap().iter();
    steps
        .filter(|step| step["player"] == seat)
        .map(|step| step["input"].as_str().unwrap())
        .collect()
}

/// Writes records that have lost their inputs.
fn without_inputs(records: &[Value], path: &Path) {
    let stripped = |record: &Value| {
        let mut record = record.clone();
        for step in record["steps"].as_array_mut().unwrap() {
            step.as_object_mut().unwrap().remove("input").unwrap();
        }
        record.to_string() + "\n"
    };
    fs::write(path, records.iter().map(stripped).collect::<String>()).unwrap();
}

#[test]
fn the_originals_input_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    for spec in Games::standard().iter() {
        let golden = golden(&spec.id);
        let originals = records(&golden);
        without_inputs(&originals, &folder.path().join("stripped.jsonl"));
        for (number, record) in (0..).zip(&originals).step_by(9) {
            for seat in 0..spec.default_seats() {
                let expected = sent(record, seat);
                assert!(
                    replay(folder.path(), golden.to_str().unwrap(), number, seat) == expected,
                    "{} {number}",
                    spec.id
                );
                // The original's order of these lines is arbitrary, so it cannot be had without the inputs.
                let again = replay(folder.path(), "stripped.jsonl", number, seat);
                assert!(
                    again == expected
                        || spec.listing == Listing::Unordered && again.len() == expected.len(),
                    "{} {number}",
                    spec.id
                );
            }
        }
    }
}

#[test]
fn the_last_move_is_marked() {
    for game in ["minishogi", "onitama"] {
        let golden = golden(game);
        let args = ["replay", golden.to_str().unwrap(), "0"];
        let plain = text(&arena(Path::new("."), &args).stdout);
        let turns: Vec<&str> = plain.split("\nturn ").skip(1).collect();
        assert!(turns.len() > 2, "{plain}");
        // The game may end with an answer that isn't played.
        for turn in &turns[..turns.len() - 1] {
            assert_eq!(turn.matches('[').count(), 1, "{turn}");
            assert!(turn.matches('*').count() <= 2, "{turn}");
        }
        assert!(plain.contains(" * ") || plain.contains("*["), "{plain}");
    }
}

#[test]
fn maps_of_a_folder_and_traces_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = |number: u32| {
        format!("[[bot]]\nname = \"waiter-{number}\"\ncommand = [\"yes\", \"WAIT\"]\n")
    };
    let config = format!(
        "[run]\nseed = 1\ngame = \"kutulu\"\ngames = 4\n{}[game.kutulu]\nmaps = \"maps\"\n",
        [1, 2, 3, 4].map(bot).concat()
    );
    fs::write(folder.join("k.toml"), config).unwrap();
    fs::create_dir(folder.join("maps")).unwrap();
    fs::write(
        folder.join("maps/map.txt"),
        "#######\n#S...S#\n#..w..#\n#S...S#\n#######\n",
    )
    .unwrap();
    assert!(
        arena(
            folder,
            &["run", "k.toml", "--trace", "--quiet", "--out", "traced"]
        )
        .status
        .success()
    );
    let traced = records(&folder.join("traced/records.jsonl"));
    without_inputs(&traced, &folder.join("stripped.jsonl"));
    for (record, seat) in traced.iter().zip([0, 1, 2, 3]) {
        let (number, expected) = (record["number"].as_u64().unwrap(), sent(record, seat));
        assert!(replay(folder, "traced", number, seat) == expected);
        assert!(replay(folder, "stripped.jsonl", number, seat) == expected);
    }
    fs::remove_file(folder.join("maps/map.txt")).unwrap();
    let out = arena(folder, &["replay", "traced", "0"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        text(&out.stderr).starts_with("error: can't replay game 0 of traced: can't "),
        "{out:?}"
    );
}

/// A run with three bots: one crashes in its third turn, one forgets the end of its line, one answers nonsense.
fn faulty(folder: &Path) -> (PathBuf, String) {
    let crash = "printf 'random\\nrandom\\n'; while read line; do n=$((n+1)); [ $n -lt 40 ] || \
                 { echo $ARENA_SEED has no ideas >&2; exit 3; }; done";
    fs::write(folder.join("crash bot.sh"), crash).unwrap();
    let config = format!(
        r#"
        [run]
        seed = 1
        name = "a run"
        game = "minishogi"
        games = 2
        opening_plies = 0
        [clock]
        first_turn_ms = 300
        turn_ms = 300
        startup_ms = 0
        [[bot]]
        name = "good"
        command = ["{}"]
        [[bot]]
        name = "crashes"
        command = ["sh", "crash bot.sh", "{{seed}}"]
        [[bot]]
        name = "part"
        command = "sh -c 'printf 25; sleep 100'"
        [[bot]]
        name = "nonsense"
        command = "sh -c 'echo thinking >&2; echo nonsense; sleep 100'"
        "#,
        sample_bot("minishogi-random")
    );
    fs::write(folder.join("a.toml"), config).unwrap();
    let out = arena(folder, &["run", "a.toml", "--jobs", "1"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    (folder.join("results/a run"), text(&out.stderr))
}

#[test]
fn the_command_that_is_told_shows_the_fault_again() {
    let folder = tempfile::tempdir().unwrap();
    let (run, said) = faulty(folder.path());
    let lines: Vec<&str> = said.lines().collect();
    let told = |bot: &str| {
        let at = lines
            .iter()
            .position(|line| line.contains(&format!(": {bot}, seat 1, ")))
            .unwrap();
        (
            lines[at],
            lines[at + 1].strip_prefix("  see it again: ").unwrap(),
        )
    };
    let (blame, command) = told("crashes");
    assert!(
        blame.contains("seat 1, turn 6: crashed, exit code 3; it said: "),
        "{blame}"
    );
    assert!(
        command.contains("arena replay 'results/a run' "),
        "{command}"
    );
    let again = programs::shell(folder.path(), command).output().unwrap();
    assert_eq!(again.status.code(), Some(3), "{command}");
    assert!(
        blame.contains(text(&again.stderr).trim()),
        "{blame}\n{again:?}"
    );

    let (blame, _) = told("part");
    assert!(
        blame.contains(
            "turn 2: timeout, no answer within 300 ms, only \"25\" without an end of line"
        ),
        "{blame}"
    );
    let (blame, _) = told("nonsense");
    assert!(
        blame.ends_with("turn 2: invalid_action \"nonsense\"; it said: \"thinking\""),
        "{blame}"
    );

    let out = arena(folder.path(), &["verify", "results/a run/records.jsonl"]);
    assert_eq!(text(&out.stdout), "6 games verified, 0 mismatches\n");
    let records = records(&run.join("records.jsonl"));
    let faults = |bot: &str| {
        &records
            .iter()
            .find(|record| record["bots"][1] == bot)
            .unwrap()["faults"]
    };
    let [crash] = &faults("crashes").as_array().unwrap()[..] else {
        panic!("one fault")
    };
    assert_eq!(
        (&crash["player"], &crash["exit"]),
        (&json!(1), &json!("exit code 3"))
    );
    assert!(
        crash["stderr"]
            .as_str()
            .unwrap()
            .ends_with("has no ideas\n"),
        "{crash}"
    );
    assert_eq!(faults("part")[0]["unfinished"], "25");
    assert_eq!(
        (
            &faults("nonsense")[0]["exit"],
            &faults("nonsense")[0]["stderr"]
        ),
        (&Value::Null, &json!("thinking\n"))
    );
}

#[test]
fn a_game_is_told_turn_by_turn() {
    let folder = tempfile::tempdir().unwrap();
    let record = r#"{"number":7,"unit":3,"game":"minishogi","seed":1,"bots":["mine","theirs"],"steps":[
        {"turn":1,"player":0,"output":"2543"},{"turn":2,"player":1,"output":"nonsense\u001b[2J"}],"scores":[1,-1],
        "reason":"invalid_action","faults":[{"player":1,"exit":"exit code 2","unfinished":"24","stderr":"a\n\u001bb\n"}],
        "ms":[0.25,3141.59],"host_late":[0]}"#;
    fs::write(
        folder.path().join("records.jsonl"),
        record.replace('\n', "") + "\n",
    )
    .unwrap();
    let out = arena(folder.path(), &["replay", "records.jsonl", "7"]);
    assert_eq!(text(&out.stderr), "");
    assert_snapshot!(text(&out.stdout), @r#"
    game 7: minishogi, seed 1, unit 3
    seat 0  mine
    seat 1  theirs

          5  4  3  2  1
      1   r  b  s  g  k   theirs: -
      2   .  .  .  .  p
      3   .  .  .  .  .
      4   P  .  .  .  .
      5   K  G  S  B  R   mine: -

    turn 1     mine    2543  (late because of the machine)  0.2 ms

          5  4  3  2  1
      1   r  b  s  g  k   theirs: -
      2   .  .  .  .  p
      3   . [B] .  .  .
      4   P  .  .  .  .
      5   K  G  S  *  R   mine: -

    turn 2     theirs  nonsense\u{1b}[2J  3141.6 ms

          5  4  3  2  1
      1   r  b  s  g  k   theirs: -
      2   .  .  .  .  p
      3   . [B] .  .  .
      4   P  .  .  .  .
      5   K  G  S  *  R   mine: -

    invalid_action in turn 2
    seat 0  mine    score 1  ok
    seat 1  theirs  score -1  invalid_action

    seat 1, theirs: exit code 2, after "24" without an end of line
    | a
    | \u{1b}b
    "#);
    let out = arena(folder.path(), &["replay", "records.jsonl", "7", "--moves"]);
    assert_eq!(text(&out.stderr), "");
    assert_snapshot!(text(&out.stdout), @r#"
    game 7: minishogi, seed 1, unit 3

     turn  seat  bot         ms  answer
        1     0  mine       0.2  2543  (late because of the machine)
        2     1  theirs  3141.6  nonsense\u{1b}[2J

    invalid_action in turn 2
    seat 0  mine    score 1  ok
    seat 1  theirs  score -1  invalid_action

    seat 1, theirs: exit code 2, after "24" without an end of line
    | a
    | \u{1b}b
    "#);
}

/// How every game begins and ends, in games of the original referees.
#[test]
fn boards_of_every_game() {
    for (spec, number) in Games::standard().iter().zip(["9", "4", "3", "11"]) {
        let records = golden(&spec.id);
        let out = arena(
            records.parent().unwrap(),
            &["replay", records.to_str().unwrap(), number],
        );
        assert_eq!(
            (out.status.code(), text(&out.stderr).as_str()),
            (Some(0), "")
        );
        let told = text(&out.stdout);
        let lines: Vec<&str> = told.lines().collect();
        let (first, last) = (
            &lines[..lines.len().min(70)],
            &lines[lines.len().saturating_sub(50)..],
        );
        assert_snapshot!(
            format!("boards_of_{}", spec.id),
            format!("{}\n[..]\n{}", first.join("\n"), last.join("\n"))
        );
    }
}

#[test]
fn what_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example");
    for file in ["records.jsonl", "games.csv"] {
        fs::copy(example.join(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("torn.jsonl"), "{\"number\":0,").unwrap();
    for (args, said) in [
        (
            &[".", "99"][..],
            "can't find game 99 in ./records.jsonl, which holds 20 games, of the numbers 0 to 19\n",
        ),
        (
            &[".", "1", "--as-input", "2"],
            "can't replay game 1 of .: can't show seat 2: expected 0 to 1\n",
        ),
        (
            &["nowhere", "1"],
            "can't read nowhere: No such file or directory (os error 2)\n",
        ),
        (
            &["torn.jsonl", "1"],
            "can't find game 1 in torn.jsonl, which holds no game: can't read torn.jsonl, line 1: expected a record: ",
        ),
        (
            &["games.csv", "1"],
            "can't find game 1 in games.csv, which holds no game: can't read games.csv, line 1: expected a record: ",
        ),
    ] {
        let out = arena(folder, &[&["replay"], args].concat());
        assert_eq!(
            (out.status.code(), text(&out.stdout).as_str()),
            (Some(3), "")
        );
        assert!(
            text(&out.stderr).starts_with(&format!("error: {said}")),
            "{}",
            text(&out.stderr)
        );
    }
}

/// A download that broke off: arena lists its games, and says once that the rest is missing.
#[test]
fn a_file_that_breaks_off_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(golden("onitama")).unwrap();
    fs::write(folder.path().join("cut.gz"), &whole[..whole.len() / 2]).unwrap();
    let listed = arena(folder.path(), &["replay", "cut.gz"]);
    assert_eq!(
        text(&listed.stderr).lines().count(),
        1,
        "{}",
        text(&listed.stderr)
    );
    let missing = arena(folder.path(), &["replay", "cut.gz", "999999"]);
    assert_eq!(missing.status.code(), Some(3), "{}", text(&missing.stderr));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/results/example");
    for args in [
        &["replay", run, "3", "--as-input", "1"][..],
        &["--help"],
        &["--version"],
        &["help", "run"],
        &["list", "bots"],
        &["bot", "onitama-search", "--params"],
        &["bot", "onitama-search", "--help"],
    ] {
        let mut command = programs::program();
        command.args(args).stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        let ended = (out.status.code(), text(&out.stderr));
        assert_eq!(ended, (Some(0), String::new()), "{args:?}");
    }
}

#[test]
fn games_are_listed_and_filtered() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = |args: &[&str]| {
        let out = arena(here, &[&["replay", "results/example"], args].concat());
        (out.status.code(), text(&out.stdout) + &text(&out.stderr))
    };
    let lines = |args: &[&str]| list(args).1.lines().count();
    assert_eq!(lines(&[]), 1 + 20);
    assert_eq!(lines(&["--bot", "greedy"]), 1 + 8);
    assert_eq!(
        lines(&["--seat", "0", "--result", "win"]) + lines(&["--seat", "0", "--result", "loss"]),
        2 + 20
    );
    assert_snapshot!(list(&["--bot", "greedy", "--seat", "0", "--result", "loss"]).1);
    for (filter, why) in [
        (&["--fault"][..], "none of 20 games"),
        (
            &["--result", "win"],
            "the following required arguments were not provided: <--bot <NAME>|--seat <SEAT>>\nhint: ",
        ),
        (
            &["--bot", "nobody"],
            "can't list games of the bot `nobody`: there are none\nhint: bots of these games are greedy, search-d1",
        ),
        (
            &["--map", "crypt"],
            "can't list games of the map `crypt`: there are none",
        ),
        (
            &["--seat", "2"],
            "can't list games of seat 2: seats are 0 to 1",
        ),
        (&["3", "--fault"], "together with"),
        (&["--moves"], "required arguments were not provided"),
    ] {
        let (code, said) = list(filter);
        assert!(
            said.contains(why) && (code == Some(0)) == (filter == ["--fault"]),
            "{filter:?} {said}"
        );
    }
}
