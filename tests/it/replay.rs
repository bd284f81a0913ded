//! `arena replay`: the exact input of a seat, a game turn by turn, and how a bot failed in it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::process::{Output, Stdio};

use arena_games::{Games, Listing};
use flate2::bufread::MultiGzDecoder;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::alone::{BROKEN, MOSTLY, STEADY, write_config};
use crate::programs::{
    Said as _, arena, check_rows, command, copy_files, has, in_project, line, new_folder, records,
    said, sample_bot, shell, stderr, stdout, table, text, write,
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
    failures_are_data(folder, &records);
    let nonsense = &faults("nonsense")[0];
    assert_eq!(nonsense["exit"], Value::Null);
    assert_eq!(nonsense["stderr"], json!("thinking\n"));
}

/// The last answers of the bots of [`faulty`], and how they failed.
fn failures_are_data(folder: &Path, records: &[Value]) {
    for (number, record) in records.iter().enumerate() {
        let bot = record["bots"][1].as_str().unwrap();
        let Some((fate, output, ended, unfinished)) = (match bot {
            "crashes" => Some(("crashed", json!(null), json!("exit code 3"), json!(null))),
            "part" => Some(("timeout", json!(null), json!(null), json!("25"))),
            "nonsense" => Some((
                "invalid_action",
                json!("nonsense"),
                json!(null),
                json!(null),
            )),
            _ => None,
        }) else {
            continue;
        };
        let game = told_as_data(folder, &format!("'results/a run' {number}"), "1..");
        let step = game["steps"].as_array().unwrap().last().unwrap();
        let fault = if output == Value::Null {
            json!(fate)
        } else {
            Value::Null
        };
        assert_eq!(game["fates"], json!(["ok", fate]));
        assert_eq!([&step["seat"], &step["bot"]], [&json!(1), &json!(bot)]);
        assert_eq!([&step["output"], &step["fault"]], [&output, &fault]);
        let [failed] = &game["faults"].as_array().unwrap()[..] else {
            panic!("one failed: {game}")
        };
        let expected = json!({"seat": 1, "fate": fate, "ended": ended, "objection": null,
            "unfinished": unfinished, "stderr": record["faults"][0]["stderr"]});
        assert_eq!(*failed, expected);
    }
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

/// The document of a replay that says nothing else.
fn data(folder: &Path, args: &str) -> Value {
    let printed = quiet(&line(folder, &format!("replay {args} --json --quiet")));
    let document: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["exit"], 0);
    document
}

fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("a list: {value}"))
}

fn words(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}"))
}

/// A board as `arena replay` shows it.
fn board(shown: &Value) -> String {
    let mut text = String::new();
    for note in list(&shown["notes"]) {
        let _ = writeln!(text, "{:11}{}", "", words(note));
    }
    text.push('\n');
    for row in list(&shown["lines"]) {
        let _ = writeln!(text, "{}", words(row));
    }
    text
}

/// A game as `arena replay` shows it, from its document alone.
fn story(game: &Value) -> String {
    let seed = words_or_number(&game["seed"]);
    let mut text = format!(
        "game {}: {}, seed {seed}",
        game["number"],
        words(&game["game"])
    );
    if let Some(unit) = game["unit"].as_u64() {
        let _ = write!(text, ", unit {unit}");
    }
    text.push('\n');
    let seats = 0..list(&game["scores"]).len();
    let name = |seat: usize| match &game["bots"][seat] {
        Value::Null => format!("seat {seat}"),
        name => words(name).to_owned(),
    };
    let width = seats.clone().map(|seat| name(seat).len()).max().unwrap();
    for seat in seats.clone() {
        let _ = writeln!(text, "seat {seat}  {}", name(seat));
    }
    let opening: Vec<&str> = list(&game["opening"]).iter().map(words).collect();
    if !opening.is_empty() {
        let _ = writeln!(text, "opening: {}", opening.join(", "));
    }
    text += &board(&game["board"]);
    let mut is_new = true;
    for step in list(&game["steps"]) {
        let seat = usize::try_from(step["seat"].as_u64().unwrap()).unwrap();
        assert_eq!(step["bot"], game["bots"][seat]);
        let answer = match &step["output"] {
            Value::Null => format!("- no answer: {}", words(&step["fault"])),
            output => words(output).replace('\n', "\\n"),
        };
        let lead = if is_new {
            format!("\nturn {:<4}", words_or_number(&step["turn"]))
        } else {
            " ".repeat(9)
        };
        let _ = write!(text, "{lead}  {:width$}  {answer}", name(seat));
        if let Some(ms) = step["ms"].as_f64() {
            let _ = write!(text, "  {ms:.1} ms");
        }
        text.push('\n');
        for line in step["stderr"].as_str().unwrap_or_default().lines() {
            let _ = writeln!(text, "{:9}  | {line}", "");
        }
        is_new = !step["board"].is_null();
        if is_new {
            text += &board(&step["board"]);
        }
    }
    let _ = writeln!(
        text,
        "\n{} in turn {}",
        words(&game["reason"]),
        game["turns"]
    );
    for seat in seats {
        let (score, fate) = (&game["scores"][seat], words(&game["fates"][seat]));
        let _ = writeln!(
            text,
            "seat {seat}  {:width$}  score {score}  {fate}",
            name(seat)
        );
    }
    text + &failures(game, name)
}

/// How bots failed, as `arena replay` shows it.
fn failures(game: &Value, name: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for fault in list(&game["faults"]) {
        let seat = usize::try_from(fault["seat"].as_u64().unwrap()).unwrap();
        assert_eq!(fault["fate"], game["fates"][seat]);
        let [ended, objection] = ["ended", "objection"].map(|key| fault[key].as_str());
        let why = ended.or(objection).unwrap_or("ended by the arena");
        let _ = write!(text, "\nseat {seat}, {}: {why}", name(seat));
        if let Some(part) = fault["unfinished"].as_str() {
            let _ = write!(text, ", after {part:?} without an end of line");
        }
        text.push('\n');
        for line in fault["stderr"].as_str().unwrap_or_default().lines() {
            let _ = writeln!(text, "| {line}");
        }
    }
    text
}

/// A seed is a text if it is large.
fn words_or_number(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        number => number.to_string(),
    }
}

/// The document of some turns of a game. It says what the text says.
fn told_as_data(folder: &Path, game: &str, turns: &str) -> Value {
    let args = format!("{game} --turns {turns}");
    let game = data(folder, &args);
    let told = quiet(&line(folder, &format!("replay {args}")));
    assert_eq!(story(&game), told, "{args}");
    game
}

/// The input of a seat in these steps, if it is known.
fn sent_in(game: &Value, seat: usize) -> String {
    let mut text = String::new();
    for step in list(&game["steps"]) {
        if step["seat"] == seat {
            text += step["input"].as_str().unwrap_or_default();
        }
    }
    text
}

#[test]
fn a_game_as_data_is_what_its_text_and_its_inputs_are() {
    let folder = Path::new(".");
    for spec in Games::standard().iter() {
        // The longest games are at the end of some files.
        for number in [0, 7, 15] {
            let run = format!("{} {number}", golden(&spec.id));
            let whole = told_as_data(folder, &run, "1..");
            for seat in 0..spec.default_seats() {
                let expected = quiet(&line(folder, &format!("replay {run} --as-input {seat}")));
                assert!(sent_in(&whole, seat) == expected, "{run}");
                let input = data(folder, &format!("{run} --as-input {seat}"));
                assert_eq!(input["input"], expected);
            }
            // The middle, and what is around it.
            let turns = whole["turns"].as_u64().unwrap();
            let (first, last) = (turns / 3, turns / 2);
            let ranges = [
                format!("..{}", first - 1),
                format!("{first}..{last}"),
                format!("{}..", last + 1),
            ];
            let parts = ranges.map(|turns| told_as_data(folder, &run, &turns));
            assert_eq!(parts[1]["turns_shown"], json!([first, last]));
            let steps: Vec<&[Value]> = parts.iter().map(|part| list(&part["steps"])).collect();
            assert_eq!(steps.concat(), list(&whole["steps"]));
            for (part, next) in parts.iter().zip(&parts[1..]) {
                let last = list(&part["steps"]).last().unwrap();
                assert_eq!(last["board"], next["board"]);
            }
            // By default, the last turns.
            let told = data(folder, &run);
            let first = told["turns_shown"][0].as_u64().unwrap();
            assert!(
                turns - first < 20 && told["turns_shown"][1] == turns,
                "{told}"
            );
            assert_eq!(told, told_as_data(folder, &run, &format!("{first}..")));
            assert_eq!(told, data(folder, &format!("{run} --moves")));
            let size = line(folder, &format!("replay {run} --json")).stdout.len();
            assert!(size < 200_000, "{run}: {size}");
        }
    }
}

/// Games of one seat, whose referee is an external program.
#[test]
fn a_game_of_another_referee_is_data() {
    let folder = &new_folder();
    let run = "games = 2\nstderr = \"turn\"";
    write_config(folder, run, "seats = 1", "", &[MOSTLY, STEADY, BROKEN]);
    line(folder, "run run.toml --quiet").status(0);
    line(folder, "run run.toml --quiet --trace --out traced").status(0);
    let rows = data(folder, "traced");
    for row in list(&rows["games"]) {
        let number = &row["number"];
        let [plain, traced] = ["results/run", "traced"]
            .map(|run| told_as_data(folder, &format!("{run} {number}"), "1.."));
        for (key, value) in row.as_object().unwrap() {
            assert_eq!(*value, traced[key], "{key}");
        }
        // Only the referee knows what it sent, unless the record has it.
        assert_eq!(plain["steps"][0]["input"], Value::Null);
        let input = data(folder, &format!("results/run {number} --as-input 0"));
        assert_eq!(input["input"], sent_in(&traced, 0));
        assert_eq!(plain["setting"], json!({}));
    }
}

/// The list has the games of the table, in its order.
#[test]
fn a_list_is_data() {
    let here = &in_project("");
    for filter in [
        "",
        "--bot greedy",
        "--fault",
        "--seat 1 --result win --best 3",
        "--worst",
    ] {
        let args = format!("results/example {filter}");
        let document = data(here, &args);
        let told = stdout(&line(here, &format!("replay {args}")));
        let games = list(&document["games"]);
        let mut numbers = String::new();
        for game in games {
            let _ = write!(numbers, "{} ", game["number"]);
        }
        let mut shown = String::new();
        for row in told.lines().skip(1) {
            let _ = write!(shown, "{} ", row.split_whitespace().next().unwrap());
        }
        assert_eq!(numbers, shown, "{filter}");
        assert_eq!(
            [&document["all_games"], &document["unread"]],
            [&json!(20), &json!([])]
        );
    }
    let folder = &new_folder();
    let mut torn = fs::read(here.join("results/example/records.jsonl")).unwrap();
    torn.truncate(torn.len() - 9);
    write(folder, "torn.jsonl", torn);
    let document = data(folder, "torn.jsonl");
    assert_eq!(document["all_games"], 19);
    assert_eq!(list(&document["unread"]).len(), 1);
    has(words(&document["unread"][0]), "line 20: expected a record");
}

/// What a bot answers now, and a game that it plays on.
#[test]
fn another_bot_is_data() {
    let folder = &in_project("");
    let bot = format!("--against '{}'", sample_bot("minishogi-greedy"));
    let args = format!("results/example 3 {bot} --seat 0");
    let document = data(folder, &args);
    let [game] = list(&document["games"]) else {
        panic!("one game: {document}")
    };
    let answers = list(&game["answers"]);
    let row = |answer: &Value| {
        let [recorded, output] = ["recorded", "output"].map(|key| words(&answer[key]));
        let other = if answer["is_other"] == true {
            "other"
        } else {
            "-"
        };
        format!("{} {recorded} {output} {other}", answer["turn"])
    };
    let told = stdout(&line(folder, &format!("replay {args}")));
    let mut rows = Vec::new();
    for line in told.lines().skip(3).take(answers.len()) {
        let mut cells: Vec<&str> = line.split_whitespace().collect();
        // The time.
        cells.remove(3);
        rows.push(cells.join(" "));
    }
    assert_eq!(answers.iter().map(row).collect::<Vec<_>>(), rows, "{told}");
    let other = answers.iter().find(|answer| answer["is_other"] == true);
    let other = other.expect("it plays another move");
    assert_eq!(game["first_other"]["turn"], other["turn"]);
    has(
        &told,
        &format!("answers differently at turn {}", other["turn"]),
    );

    let lost = data(folder, &format!("results/example --bot greedy {bot}"));
    let told = stdout(&line(
        folder,
        &format!("replay results/example --bot greedy {bot}"),
    ));
    let games = list(&lost["games"]);
    let differ = games.iter().filter(|game| !game["first_other"].is_null());
    has(
        &told,
        &format!("differently in {} of {} lost", differ.count(), games.len()),
    );
    assert!(
        games
            .iter()
            .all(|game| game["answers"].is_null() && game["answered"] != 0)
    );

    let from = format!("results/example 3 {bot} --from 9");
    let [on, recorded] =
        [&from, "results/example 3"].map(|args| data(folder, &format!("{args} --turns 1..")));
    assert_eq!(
        [&on["played_from"], &recorded["played_from"]],
        [&json!(9), &Value::Null]
    );
    assert_eq!(on["steps"][0]["input"], recorded["steps"][0]["input"]);
    let [board, before] = [&on, &recorded].map(|game| &game["steps"][3]["board"]["picture"]);
    assert_eq!(board, before);
    let told = stdout(&line(folder, &format!("replay {from} --turns ..10")));
    assert_eq!(told.matches("\nturn ").count(), 6, "{told}");
}

#[test]
fn turns_are_chosen() {
    let here = &in_project("");
    check_rows(
        here,
        "
        replay results/example 3 --turns 14.. | 3 | can't show these turns: the bots played turns 5 to 13
        replay results/example 3 --turns ..4 --moves | 3 | hint: --turns 5..13
        replay results/example 3 --turns 6..5 | 2 | expected turns, as in 10..20, 10, 10.. or ..20
        replay results/example 3 --turns .. | 2 | expected turns
        replay results/example --turns 5 | 2 | required arguments were not provided
        replay results/example 3 --turns 5 --as-input 0 | 2 | can't use --turns together with --as-input
        replay results/example 3 --turns 5 --seat 0 --against ./bot | 2 | can't use --turns
        ",
    );
    let moves = quiet(&line(here, "replay results/example 3 --turns 6..8 --moves"));
    let turns = moves.lines().skip(4).take_while(|row| !row.is_empty());
    let turns = turns.filter_map(|row| row.split_whitespace().next());
    assert_eq!(turns.collect::<Vec<_>>(), ["6", "7", "8"], "{moves}");
    let error = line(here, "replay results/example 3 --turns 99 --json --quiet");
    assert_eq!(stderr(error.status(3)), "");
    let error: Value = serde_json::from_str(&text(&error.stdout)).unwrap();
    assert_eq!(error["error"]["hint"], "--turns 5..13");
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
        . 99 | can't find game 99 in ./records.jsonl⏎hint: `arena replay ./records.jsonl` lists its games⏎
        . 1 --as-input 2 | can't find seat 2: expected 0 to 1⏎
        nowhere 1 | can't read nowhere: No such file or directory (os error 2)⏎
        torn.jsonl 1 | can't find game 1 in torn.jsonl⏎
        games.csv 1 | can't find game 1 in games.csv⏎
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
        replay results/example --seat 2 | 3 | can't find seat 2: expected 0 to 1
        replay results/example 3 --fault | 2 | together with
        replay results/example --moves | 2 | required arguments were not provided
        ",
    );
}
