//! `arena replay`: the exact input of a seat, a game turn by turn, and how a bot failed in it.

use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::process::{Output, Stdio};

use arena_games::{Games, Listing};
use flate2::bufread::MultiGzDecoder;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::programs::{
    Said as _, arena, check_rows, command, copy_files, has, in_project, line, new_folder, records,
    said, sample_bot, shell, stderr, stdout, table, write,
};

/// Standard output of a replay that says nothing else.
fn quiet(output: &Output) -> String {
    assert_eq!(stderr(output.status(0)), "");
    stdout(output)
}

/// What a seat was sent.
fn input(folder: &Path, run: &str, game: u64, seat: usize) -> String {
    quiet(&line(
        folder,
        &format!("replay {run} {game} --as-input {seat}"),
    ))
}

/// The games of the original referee.
fn golden(game: &str) -> String {
    let path = format!("crates/games/tests/golden/{game}.jsonl.gz");
    in_project(&path).display().to_string()
}

fn unpacked(path: &str) -> Vec<Value> {
    let mut text = String::new();
    let file = BufReader::new(File::open(path).unwrap());
    MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    let record = |line| serde_json::from_str(line).unwrap();
    text.lines().map(record).collect()
}

/// The input of a seat, from a record with all inputs.
fn sent(record: &Value, seat: usize) -> String {
    let mut text = String::new();
    for step in record["steps"].as_array().unwrap() {
        if step["player"] == seat {
            text += step["input"].as_str().unwrap();
        }
    }
    text
}

/// Writes `stripped.jsonl`: records that have lost their inputs.
fn without_inputs(records: &[Value], folder: &Path) {
    let mut text = String::new();
    for mut record in records.iter().cloned() {
        for step in record["steps"].as_array_mut().unwrap() {
            step.as_object_mut().unwrap().remove("input").unwrap();
        }
        text += &(record.to_string() + "\n");
    }
    write(folder, "stripped.jsonl", text);
}

#[test]
fn the_originals_input_is_written_again() {
    let folder = &new_folder();
    for spec in Games::standard().iter() {
        let golden = golden(&spec.id);
        let originals = unpacked(&golden);
        without_inputs(&originals, folder);
        for (number, record) in (0..).zip(&originals).step_by(9) {
            for seat in 0..spec.default_seats() {
                let what = format!("{} {number}", spec.id);
                let expected = sent(record, seat);
                assert!(input(folder, &golden, number, seat) == expected, "{what}");
                let again = input(folder, "stripped.jsonl", number, seat);
                // The original's order of these lines is arbitrary, so it cannot be had without the
                // inputs.
                let is_like = spec.listing == Listing::Unordered && again.len() == expected.len();
                assert!(again == expected || is_like, "{what}");
            }
        }
    }
}

#[test]
fn the_last_move_is_marked() {
    for game in ["minishogi", "onitama"] {
        let plain = stdout(&line(Path::new("."), &format!("replay {} 0", golden(game))));
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
    let folder = &new_folder();
    let bot = |number: u32| {
        format!("[[bot]]\nname = \"waiter-{number}\"\ncommand = [\"yes\", \"WAIT\"]\n")
    };
    let bots = [1, 2, 3, 4].map(bot).concat();
    let config = format!(
        "[run]\nseed = 1\ngame = \"kutulu\"\ngames = 4\n{bots}[game.kutulu]\nmaps = \"maps\"\n"
    );
    write(folder, "k.toml", config);
    let map = "#######\n#S...S#\n#..w..#\n#S...S#\n#######\n";
    write(folder, "maps/map.txt", map);
    line(folder, "run k.toml --trace --quiet --out traced").status(0);
    let traced = records(folder, "traced/records.jsonl");
    without_inputs(&traced, folder);
    for (record, seat) in traced.iter().zip([0, 1, 2, 3]) {
        let (number, expected) = (record["number"].as_u64().unwrap(), sent(record, seat));
        assert!(input(folder, "traced", number, seat) == expected);
        assert!(input(folder, "stripped.jsonl", number, seat) == expected);
    }
    fs::remove_file(folder.join("maps/map.txt")).unwrap();
    let out = line(folder, "replay traced 0");
    out.status(3)
        .begins("error: can't replay game 0 of traced: can't ");
}

/// A run with three bots: one crashes in its third turn, one forgets the end of its line, one
/// answers nonsense. Returns what it said.
fn faulty(folder: &Path) -> String {
    let crash = "printf 'random\\nrandom\\n'; while read line; do n=$((n+1)); [ $n -lt 40 ] || \
                 { echo $ARENA_SEED has no ideas >&2; exit 3; }; done";
    write(folder, "crash bot.sh", crash);
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
    write(folder, "a.toml", config);
    stderr(line(folder, "run a.toml --jobs 1").status(0))
}

#[test]
fn the_command_that_is_told_shows_the_fault_again() {
    let folder = &new_folder();
    let said = faulty(folder);
    // The line about a bot, and the one after it.
    let told = |bot: &str| {
        let blames = |line: &&str| line.contains(&format!(": {bot}, seat 1, "));
        let mut lines = said.lines();
        (lines.find(blames).unwrap(), lines.next().unwrap())
    };
    let (blame, again) = told("crashes");
    has(blame, "seat 1, turn 6: crashed, exit code 3; it said: ");
    let command = again.strip_prefix("  see it again: ").unwrap();
    has(command, "arena replay 'results/a run' ");
    let again = shell(folder, command).output().unwrap();
    has(blame, stderr(again.status(3)).trim());
    has(
        told("part").0,
        "turn 2: timeout, no answer within 300 ms, only \"25\" without an end of line",
    );
    let end = "turn 2: invalid_action \"nonsense\"; it said: \"thinking\"";
    assert!(told("nonsense").0.ends_with(end), "{said}");
    line(folder, "verify 'results/a run/records.jsonl'").prints("6 games verified, 0 mismatches\n");
    let records = records(folder, "results/a run/records.jsonl");
    let faults = |bot: &str| {
        let mut records = records.iter();
        &records.find(|record| record["bots"][1] == bot).unwrap()["faults"]
    };
    let [crash] = &faults("crashes").as_array().unwrap()[..] else {
        panic!("one fault")
    };
    assert_eq!(crash["player"], 1);
    assert_eq!(crash["exit"], "exit code 3");
    let stderr = crash["stderr"].as_str().unwrap();
    assert!(stderr.ends_with("has no ideas\n"), "{crash}");
    assert_eq!(faults("part")[0]["unfinished"], "25");
    let nonsense = &faults("nonsense")[0];
    assert_eq!(nonsense["exit"], Value::Null);
    assert_eq!(nonsense["stderr"], json!("thinking\n"));
}

#[test]
fn a_game_is_told_turn_by_turn() {
    let folder = &new_folder();
    let record = r#"{"number":7,"unit":3,"game":"minishogi","seed":1,"bots":["mine","theirs"],"steps":[
        {"turn":1,"player":0,"output":"2543"},{"turn":2,"player":1,"output":"nonsense\u001b[2J"}],"scores":[1,-1],
        "reason":"invalid_action","faults":[{"player":1,"exit":"exit code 2","unfinished":"24","stderr":"a\n\u001bb\n"}],
        "ms":[0.25,3141.59],"host_late":[0]}"#;
    write(folder, "records.jsonl", record.replace('\n', "") + "\n");
    let told = |args: &str| quiet(&line(folder, &format!("replay records.jsonl 7 {args}")));
    assert_snapshot!(told(""), @r#"
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
    assert_snapshot!(told("--moves"), @r#"
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
        let told = quiet(&arena(
            Path::new("."),
            &["replay", &golden(&spec.id), number],
        ));
        let lines: Vec<&str> = told.lines().collect();
        let first = lines[..lines.len().min(70)].join("\n");
        let last = lines[lines.len().saturating_sub(50)..].join("\n");
        let name = format!("boards_of_{}", spec.id);
        assert_snapshot!(name, format!("{first}\n[..]\n{last}"));
    }
}

#[test]
fn what_is_not_there_is_told() {
    let folder = &new_folder();
    copy_files(&in_project("results/example"), folder);
    write(folder, "torn.jsonl", "{\"number\":0,");
    for [args, said] in table::<2>(
        "
        . 99 | can't find game 99 in ./records.jsonl, which holds 20 games, of the numbers 0 to 19⏎
        . 1 --as-input 2 | can't replay game 1 of .: can't show seat 2: expected 0 to 1⏎
        nowhere 1 | can't read nowhere: No such file or directory (os error 2)⏎
        torn.jsonl 1 | can't find game 1 in torn.jsonl, which holds no game: can't read torn.jsonl, line 1: expected a record:
        games.csv 1 | can't find game 1 in games.csv, which holds no game: can't read games.csv, line 1: expected a record:
        ",
    ) {
        let out = line(folder, &format!("replay {args}"));
        out.status(3).prints("").begins(&format!("error: {}", said.replace('⏎', "\n")));
    }
}

/// A download that broke off: arena lists its games, and says once that the rest is missing.
#[test]
fn a_file_that_breaks_off_has_an_end() {
    let folder = &new_folder();
    let whole = fs::read(golden("onitama")).unwrap();
    write(folder, "cut.gz", &whole[..whole.len() / 2]);
    let said = stderr(&line(folder, "replay cut.gz"));
    assert_eq!(said.lines().count(), 1, "{said}");
    line(folder, "replay cut.gz 999999").status(3);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for args in [
        &["replay", "results/example", "3", "--as-input", "1"][..],
        &["--help"],
        &["--version"],
        &["help", "run"],
        &["list", "bots"],
        &["bot", "onitama-search", "--params"],
        &["bot", "onitama-search", "--help"],
    ] {
        let mut command = command(&in_project(""), args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert_eq!(stderr(out.status(0)), "", "{args:?}");
    }
}

#[test]
fn games_are_listed_and_filtered() {
    let here = &in_project("");
    let list = |filter: &str| line(here, &format!("replay results/example {filter}"));
    let count = |filter: &str| said(&list(filter)).lines().count();
    assert_eq!(count(""), 1 + 20);
    assert_eq!(count("--bot greedy"), 1 + 8);
    let [wins, losses] = ["win", "loss"].map(|end| count(&format!("--seat 0 --result {end}")));
    assert_eq!(wins + losses, 2 + 20);
    assert_snapshot!(said(&list("--bot greedy --seat 0 --result loss")));
    check_rows(
        here,
        "
        replay results/example --fault | 0 | none of 20 games
        replay results/example --result win | 2 | the following required arguments were not provided: <--bot <NAME>|--seat <SEAT>>
        replay results/example --result win | 2 | hint:
        replay results/example --bot nobody | 3 | can't list games of the bot `nobody`: there are none
        replay results/example --bot nobody | 3 | hint: bots of these games are greedy, search-d1
        replay results/example --map crypt | 3 | can't list games of the map `crypt`: there are none
        replay results/example --seat 2 | 3 | can't list games of seat 2: seats are 0 to 1
        replay results/example 3 --fault | 2 | together with
        replay results/example --moves | 2 | required arguments were not provided
        ",
    );
}
