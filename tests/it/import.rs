//! `arena import`: battles that the original referees played, changed ones, and what isn't one.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::programs::{arena, command, said, shell, stderr, stdout};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/battles")
}

/// The names of the battles, without their endings.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        names.push(name.strip_suffix(".json.gz").unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names.len(), 17);
    names
}

fn battle(name: &str) -> Value {
    let file = File::open(folder().join(format!("{name}.json.gz"))).unwrap();
    let mut text = String::new();
    MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The game in the name of a battle.
fn game_of(name: &str) -> &str {
    name.split_once('-').unwrap().0
}

/// The golden records of a game.
fn golden(game: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/games/tests/golden")
        .join(format!("{game}.jsonl.gz"));
    let lines = BufReader::new(MultiGzDecoder::new(File::open(path).unwrap())).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// The golden record of the same game.
fn record_of<'r>(battle: &Value, records: &'r [Value]) -> &'r Value {
    let seed = battle["refereeInput"].as_str().unwrap();
    let mut records = records.iter();
    records
        .find(|record| seed.trim() == format!("seed={}", record["seed"]))
        .unwrap()
}

const ONITAMA: [&str; 2] = ["--game", "onitama"];

/// Imports a value from a file `x.json` in a folder. Returns the exit status and the line about it.
fn import(within: &Path, battle: &Value, args: &[&str]) -> (i32, String) {
    fs::write(within.join("x.json"), battle.to_string()).unwrap();
    let args = [&["import", "x.json", "--out", "run", "--force"], args].concat();
    let out = arena(within, &args);
    let line = stdout(&out).lines().next().unwrap_or_default().to_owned();
    (out.status.code().unwrap(), line + &stderr(&out))
}

#[test]
fn battles_of_the_original_referees_are_exact() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    for game in ["minishogi", "dice_shogi", "onitama"] {
        let records = golden(game);
        let names: Vec<String> = names()
            .into_iter()
            .filter(|name| game_of(name) == game)
            .collect();
        let mut args = vec!["import".to_owned(), "--game".to_owned(), game.to_owned()];
        args.extend(["--out", game].map(str::to_owned));
        args.extend(names.iter().map(|name| {
            folder()
                .join(format!("{name}.json.gz"))
                .display()
                .to_string()
        }));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let out = arena(within, &args);
        assert_eq!(out.status.code(), Some(0), "{}", said(&out));
        let exact = stdout(&out).matches(&format!("): exact, {game}\n")).count();
        assert_eq!(exact, names.len(), "{}", said(&out));

        let out = arena(within, &["verify", game]);
        let count = names.len();
        assert_eq!(
            stdout(&out),
            format!("{count} games verified, 0 mismatches\n")
        );
        for (number, name) in names.iter().enumerate() {
            let record = record_of(&battle(name), &records);
            for seat in ["0", "1"] {
                let number = number.to_string();
                let out = arena(within, &["replay", game, &number, "--as-input", seat]);
                let steps = record["steps"].as_array().unwrap().iter();
                let own = steps.filter(|step| step["player"].as_u64() == seat.parse().ok());
                let inputs: String = own.map(|step| step["input"].as_str().unwrap()).collect();
                if game == "dice_shogi" {
                    // The original lists actions in any order.
                    assert_eq!(sorted(&stdout(&out)), sorted(&inputs), "{name} {seat}");
                } else {
                    assert_eq!(stdout(&out), inputs, "{name} {seat}");
                }
            }
        }
    }
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// What tools drop, in any combination.
#[test]
fn stripped_battles_are_exact() {
    const DROPPED: [&str; 6] = [
        "view",
        "keyframe",
        "gameInformation",
        "summary",
        "tooltips",
        "agents",
    ];
    let within = tempfile::tempdir().unwrap();
    for game in ["minishogi", "dice_shogi", "onitama"] {
        let mut battles = Vec::new();
        for name in names().iter().filter(|name| game_of(name) == game) {
            let mut whole = battle(name);
            // The longest parts, which nothing reads.
            for frame in whole["frames"].as_array_mut().unwrap() {
                frame["view"] = json!(" 1\n{}\n");
            }
            for dropped in 0..1 << DROPPED.len() {
                let mut battle = whole.clone();
                for (bit, key) in DROPPED.iter().enumerate() {
                    if dropped & 1 << bit != 0 {
                        battle.as_object_mut().unwrap().remove(*key);
                        for frame in battle["frames"].as_array_mut().unwrap() {
                            frame.as_object_mut().unwrap().remove(*key);
                        }
                    }
                }
                battles.push(battle);
            }
        }
        let count = battles.len();
        let file = within.path().join(format!("{game}.json"));
        fs::write(&file, Value::from(battles).to_string()).unwrap();
        let file = file.display().to_string();
        let out = arena(
            within.path(),
            &["import", &file, "--game", game, "--out", game],
        );
        assert_eq!(out.status.code(), Some(0), "{}", said(&out));
        assert_eq!(stdout(&out).matches(": exact, ").count(), count);
        let out = arena(within.path(), &["verify", game]);
        assert_eq!(
            stdout(&out),
            format!("{count} games verified, 0 mismatches\n")
        );
    }
}

/// Replaces a part of a battle.
fn changed(battle: &Value, place: &str, value: Value) -> Value {
    let mut battle = battle.clone();
    *battle.pointer_mut(place).unwrap() = value;
    battle
}

#[test]
fn one_change_is_found_and_named() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let mate = battle("minishogi-checkmate-1");
    let captured = battle("onitama-master_captured-1");
    let mut dropped = captured.clone();
    dropped["frames"].as_array_mut().unwrap().remove(5);
    let mut longer = mate.clone();
    let last = longer["frames"][54].clone();
    longer["frames"].as_array_mut().unwrap().push(last);
    let mut shorter = mate.clone();
    shorter["frames"].as_array_mut().unwrap().pop();
    shorter["tooltips"] = json!([]);
    let doubled = changed(
        &captured,
        "/refereeInput",
        json!("seed=-371861127037631940\n"),
    );
    let cases = [
        changed(&mate, "/frames/7/stdout", json!("1112\n")),
        changed(&mate, "/frames/7/stdout", json!("")),
        changed(&mate, "/frames/7/stdout", json!("5544\n5544\n")),
        changed(&mate, "/frames/9/agentId", json!(1)),
        changed(&mate, "/scores", json!([-1, 0])),
        changed(&mate, "/ranks", json!([0, 0])),
        dropped,
        longer,
        shorter,
        doubled,
    ];
    let mut lines = String::new();
    for (number, case) in cases.iter().enumerate() {
        let game = if number == 6 || number == 9 {
            "onitama"
        } else {
            "minishogi"
        };
        let (code, line) = import(within, case, &["--game", game]);
        assert_eq!(code, 1, "{line}");
        assert!(!within.join("run").exists(), "nothing to write");
        lines += &(line + "\n");
    }
    insta::assert_snapshot!(lines);
}

/// The original has a text for each of its checks, and people may read any other.
#[test]
fn texts_for_people_are_not_compared() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    for name in names() {
        let played = battle(&name);
        let last = played["frames"].as_array().unwrap().len() - 1;
        let loser = played["frames"][last]["agentId"].clone();
        let mut cases = vec![(None, "$0 sneezed")];
        if name.contains("invalid_action") {
            cases.extend(match game_of(&name) {
                "onitama" => vec![
                    (Some("12 E1C3"), "Player $1 does not own a card with ID 12"),
                    (Some("0 A1A2 hi"), "Player $1 does not own a card with ID 0"),
                    (Some("4 A5A4"), "Player $1 performed an invalid action"),
                    (Some("E1C3"), "E1C3"),
                ],
                _ => vec![
                    (Some("1111"), "1111 is not legal"),
                    (Some("K*33"), "K*33"),
                    (Some(""), ""),
                ],
            });
        }
        for (answer, text) in cases {
            let mut told = changed(&played, "/frames/1/summary", json!(text));
            if let Some(answer) = answer {
                told["frames"][last]["stdout"] = json!(format!("{answer}\n"));
            }
            let text = format!("$1: invalid command {text}");
            let tooltip = json!({"turn": last, "text": text, "event": loser});
            told["tooltips"] = json!([tooltip.to_string()]);
            let (code, line) = import(within, &told, &["--game", game_of(&name)]);
            assert_eq!(code, 0, "{name} {answer:?}: {line}");
        }
    }
}

/// A battle on arena's own maps, from a golden record.
#[test]
fn a_battle_of_kutulu_needs_its_maps() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let records = golden("kutulu");
    let is_own = |record: &&Value| record["options"]["map"].is_null();
    let record = records.iter().find(is_own).unwrap();
    let mut frames = vec![json!({"agentId": -1, "keyframe": true, "summary": ""})];
    for step in record["steps"].as_array().unwrap() {
        let stdout = step["output"].as_str().map(|output| format!("{output}\n"));
        frames.push(json!({"agentId": step["player"], "stdout": stdout.unwrap_or_default()}));
    }
    let battle = json!({
        "frames": frames,
        "gameId": 1,
        "seed": record["seed"].to_string(),
        "scores": record["scores"],
        "questionTitle": "Code of Kutulu - Level 4",
    });
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/games/src/kutulu/maps");
    let (code, line) = import(within, &battle, &["--maps", own.to_str().unwrap()]);
    assert_eq!(
        (code, line.as_str()),
        (0, "x.json (battle 1): exact, kutulu")
    );
    let out = arena(within, &["verify", "run"]);
    assert_eq!(stdout(&out), "1 game verified, 0 mismatches\n");

    let mut lines = String::new();
    let maps = within.join("maps");
    fs::create_dir(&maps).unwrap();
    let one = "05-cistern.txt";
    fs::copy(own.join(one), maps.join(one)).unwrap();
    let league = changed(&battle, "/questionTitle", json!("Code of Kutulu - Level 2"));
    for (battle, args, expected) in [
        (&battle, &[][..], 5),
        (&battle, &["--maps", "maps"], 1),
        (&league, &["--maps", "maps"], 5),
        (&battle, &["--maps", "maps", "--league", "1"], 5),
        (&battle, &ONITAMA, 5),
        (&battle, &["--maps", "none"], 3),
    ] {
        let (code, line) = import(within, battle, args);
        assert_eq!(code, expected, "{line}");
        lines += &(line.trim_end().to_owned() + "\n");
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn every_file_has_its_line_and_the_worst_decides() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let one = battle("onitama-timeout-1");
    let other = changed(&one, "/gameId", json!(5));
    let differs = changed(&other, "/scores", json!([0, 0]));
    let write = |name: &str, text: &str| fs::write(within.join(name), text).unwrap();
    let mut files = Vec::new();
    let mut code = |file: &'static str, expected: i32| {
        files.push(file);
        let args = ["import", "--game", "onitama", "--out", "run", "--force"];
        let out = arena(within, &[&args[..], &files].concat());
        assert_eq!(out.status.code(), Some(expected), "{}", said(&out));
        said(&out)
    };
    write("a.json", &one.to_string());
    code("a.json", 0);
    let mut three = changed(&one, "/scores", json!([0, 1, 2]));
    three["ranks"] = json!([2, 1, 0]);
    write("b.json", &three.to_string());
    code("b.json", 5);
    write("c.json", &json!([one, other, differs]).to_string());
    code("c.json", 1);
    write("d.json", "{\"frames\":[]}");
    code("d.json", 3);
    fs::write(within.join("e.json.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    code("e.json.gz", 3);
    let huge = File::create(within.join("f.json")).unwrap();
    huge.set_len((64 << 20) + 1).unwrap();
    insta::assert_snapshot!(code("f.json", 3));

    let out = arena(within, &["import", "none", "--out", "run"]);
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    // Before any battle is read.
    let out = arena(within, &["import", "a.json", "--out", "run"]);
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    assert_eq!(
        said(&out),
        "error: can't use run: it already holds a run\nhint: --force replaces it, --out DIR plays elsewhere\n"
    );
    let out = shell(
        within,
        "arena import - --game onitama --out run --force < a.json",
    )
    .output()
    .unwrap();
    assert!(
        stdout(&out).starts_with("- (battle 900000236): exact"),
        "{}",
        said(&out)
    );
}

/// The title of a battle or `--game` says which game it is.
#[test]
fn the_title_names_the_game() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let game = battle("onitama-timeout-1");
    let titled = |title: &str| json!({"gameResult": game, "questionTitle": title, "puzzleId": 1});
    for (battle, args, expected) in [
        (&game, &ONITAMA[..], "exact, onitama"),
        (&titled("Onitama"), &[], "exact, onitama"),
        (&titled("onitama - Level 3"), &[], "exact, onitama"),
        (&titled("Winter Challenge"), &ONITAMA, "exact, onitama"),
        (
            &game,
            &[],
            "can't be checked: it has no title; give --game NAME",
        ),
        (
            &titled("Winter Challenge"),
            &[],
            "can't be checked: arena has no game \"Winter Challenge\"; give --game NAME",
        ),
    ] {
        let (code, line) = import(within, battle, args);
        assert!(line.contains(expected), "{line}");
        assert_eq!(
            code,
            if expected.starts_with("exact") { 0 } else { 5 },
            "{line}"
        );
    }
    let (code, line) = import(within, &game, &["--game", "onitamo"]);
    assert_eq!(code, 2, "{line}");
    assert!(line.contains("did you mean `onitama`?"), "{line}");
}

/// The user has one name, whatever the order of the files.
#[test]
fn the_order_of_the_files_does_not_decide_who_is_me() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let named = battle("onitama-shrine_reached-1");
    let mut of_ide = battle("onitama-master_captured-1");
    of_ide["agents"] = json!([{"index": 0, "agentId": -1}, {"index": 1, "agentId": -2}]);
    for (battles, me) in [
        ([&named, &of_ide], "PLAYER_0"),
        ([&of_ide, &named], "PLAYER_0"),
        ([&of_ide, &named], "1000"),
    ] {
        let (code, line) = import(within, &json!(battles), &["--game", "onitama", "--me", me]);
        assert_eq!(code, 0, "{line}");
        let records = fs::read_to_string(within.join("run/records.jsonl")).unwrap();
        for record in records.lines() {
            let record: Value = serde_json::from_str(record).unwrap();
            assert_eq!(record["bots"][0], json!(me));
        }
    }
}

#[test]
fn bots_have_the_names_of_the_players() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let mut battle = battle("onitama-shrine_reached-1");
    battle["agents"][1] = json!({"index": 1, "arenaboss": {"nickname": "Boss 7"}, "agentId": 9});
    let mut twin = battle.clone();
    twin["agents"][1] = twin["agents"][0].clone();
    twin["agents"][1]["index"] = json!(1);
    let mut unnamed = battle.clone();
    unnamed["agents"] = json!([{"agentId": -2}]);
    for (battle, args, expected) in [
        (&battle, &ONITAMA[..], ["PLAYER_0", "Boss 7"]),
        (
            &battle,
            &["--game", "onitama", "--me", "1000"],
            ["1000", "Boss 7"],
        ),
        (
            &battle,
            &["--game", "onitama", "--me", "Boss 7"],
            ["PLAYER_0", "Boss 7"],
        ),
        (&twin, &ONITAMA, ["PLAYER_0", "PLAYER_0 (2)"]),
        (&unnamed, &ONITAMA, ["default AI", "seat 1"]),
    ] {
        let (code, line) = import(within, battle, args);
        assert_eq!(code, 0, "{line}");
        let record = fs::read_to_string(within.join("run/records.jsonl")).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(record["bots"], json!(expected));
        assert_eq!(record["battle"]["id"], json!("900000235"));
    }
    let (_, line) = import(within, &battle, &["--game", "onitama", "--me", "nobody"]);
    assert!(
        line.contains("warning: these battles have no player `nobody`: they have "),
        "{line}"
    );
}

/// Replaces times, which differ, and joins blanks.
fn plain(line: &str) -> String {
    let words = line.split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

/// The commands of the how-to page print what it says, up to the proof.
#[test]
fn the_how_to_leads_to_another_answer() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/how-to/import.md");
    let page = fs::read_to_string(page).unwrap();
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    fs::create_dir(within.join("battles")).unwrap();
    for (name, number) in [
        ("onitama-master_captured-1", 233),
        ("onitama-shrine_reached-1", 235),
    ] {
        let to = within.join(format!("battles/900000{number}.json.gz"));
        fs::copy(folder().join(format!("{name}.json.gz")), to).unwrap();
    }
    let (mut output, mut commands, mut lines) = (String::new(), 0, 0);
    for block in page.split("```").skip(1).step_by(2) {
        match block.split_once('\n').unwrap() {
            ("sh", script) => {
                let out = shell(within, script).output().unwrap();
                assert!(out.status.success(), "{script}: {}", said(&out));
                output = said(&out);
                commands += 1;
            }
            ("text", text) => {
                let printed: Vec<String> = output.lines().map(plain).collect();
                for line in text.lines() {
                    assert!(printed.contains(&plain(line)), "{line}: {output}");
                    lines += 1;
                }
            }
            (other, _) => panic!("a block of {other}"),
        }
    }
    assert_eq!((commands, lines), (6, 6));
}

/// What can't be done with an import says what to type.
#[test]
fn an_import_has_no_programs() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let (code, line) = import(within, &battle("onitama-shrine_reached-1"), &ONITAMA);
    assert_eq!(code, 0, "{line}");
    let out = arena(within, &["start", "--run", "run", "PLAYER_0"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        stderr(&out).contains("its program is on the site"),
        "{}",
        stderr(&out)
    );
    let duel = [
        "duel",
        "onitama",
        "arena bot onitama-random",
        "arena bot onitama-greedy",
    ];
    let out = arena(within, &[&duel[..], &["--resume", "--out", "run"]].concat());
    assert_eq!(out.status.code(), Some(3));
    assert!(
        stderr(&out).contains("it holds an import"),
        "{}",
        stderr(&out)
    );
    for args in [
        &["replay", "run", "0", "--seat", "1"][..],
        &[
            "replay",
            "run",
            "0",
            "--against",
            "arena bot onitama-random",
        ],
        &["replay", "run", "--against", "arena bot onitama-random"],
    ] {
        let out = arena(within, args);
        assert_eq!(out.status.code(), Some(2), "{}", said(&out));
        assert!(
            stderr(&out).contains("--seat") || stderr(&out).contains("--bot"),
            "{}",
            stderr(&out)
        );
    }
}

/// A fault in the report leads to the input of the game.
#[test]
fn the_report_shows_a_fault_again() {
    let within = tempfile::tempdir().unwrap();
    let (code, line) = import(within.path(), &battle("onitama-timeout-1"), &ONITAMA);
    assert_eq!(code, 0, "{line}");
    let out = arena(within.path(), &["report", "run", "--markdown", "-"]);
    let again = "arena replay run 0 --as-input 0 | arena start ./bot";
    assert!(stdout(&out).contains(again), "{}", stdout(&out));
}

/// The first sentence of a report is about the user, whoever sits where and however many there are.
#[test]
fn a_report_of_an_import_begins_with_the_user() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let mut battles: Vec<Value> = names()
        .iter()
        .filter(|name| game_of(name) == "onitama")
        .map(|name| battle(name))
        .collect();
    for opponents in [1, 3] {
        for (at, battle) in battles.iter_mut().enumerate() {
            let other = format!("rival {}", at % opponents);
            battle["agents"][0]["codingamer"]["pseudo"] = json!(other);
        }
        for me in ["PLAYER_1", "rival 0"] {
            let (code, line) = import(within, &json!(battles), &["--game", "onitama", "--me", me]);
            assert_eq!(code, 0, "{line}");
            for args in [
                &["report", "run"][..],
                &["report", "run", "--markdown", "-"],
            ] {
                let told = stdout(&arena(within, args));
                let plain = told.replace(['*', '\\'], "");
                let first = plain.lines().find(|line| line.contains(" is ")).unwrap();
                let first = first.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
                assert!(first.starts_with(me), "{opponents}, {me}: {told}");
            }
        }
    }
}

/// Each battle in which an answer was missing or no valid action has a fault.
#[test]
fn faults_of_battles_are_faults() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    for (name, fate) in [
        ("onitama-invalid_action-1", Some("invalid_action")),
        ("minishogi-invalid_action-1", Some("invalid_action")),
        ("dice_shogi-invalid_action-1", Some("invalid_action")),
        ("onitama-timeout-1", Some("timeout")),
        ("onitama-master_captured-1", None),
        ("minishogi-checkmate-1", None),
    ] {
        let (code, line) = import(within, &battle(name), &["--game", game_of(name)]);
        assert_eq!(code, 0, "{line}");
        let listed = stdout(&arena(within, &["replay", "run", "--fault"]));
        let shown = stdout(&arena(within, &["replay", "run", "0"]));
        let Some(fate) = fate else {
            assert_eq!(listed, "none of 1 games\n", "{name}");
            continue;
        };
        assert!(listed.contains(&format!(": {fate}")), "{name}: {listed}");
        assert!(shown.contains(&format!("  {fate}\n")), "{name}: {shown}");
        assert!(!shown.contains("ended by the arena"), "{name}: {shown}");
        let verified = stdout(&arena(within, &["verify", "run"]));
        assert_eq!(verified, "1 game verified, 0 mismatches\n", "{name}");
    }
}

/// A battle of the stand-in SDK, with a question of no lines and a timeout.
fn battle_of_the_sdk() -> Value {
    let frame = |seat: i32, stdout: &str, is_key: bool, summary: &str| {
        let mut frame =
            json!({"agentId": seat, "stdout": stdout, "keyframe": is_key, "gameInformation": ""});
        if is_key {
            frame["summary"] = json!(summary);
        }
        frame
    };
    json!({
        "frames": [
            {"agentId": -1, "keyframe": true, "summary": ""},
            frame(0, "5\n", false, ""),
            frame(1, "3\n", true, "$0 adds 5\n$1 adds 3\n"),
            frame(0, "", true, ""),
            frame(0, "7\n", false, ""),
            frame(1, "", true, "$0 adds 7\n$1 timeout!\n"),
        ],
        "gameId": 8,
        "refereeInput": "seed=-7391798008006716004\n",
        "scores": [18.0, -1.0],
        "ranks": [0, 1],
        "tooltips": [r#"{"turn":5,"text":"$1: timeout!","event":1}"#],
        "agents": [],
    })
}

#[test]
fn a_battle_of_another_referee_is_exact() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let referee = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/sdk_referee.py");
    fs::copy(referee, within.join("sum.py")).unwrap();
    let args = ["--referee", "./sum.py"];
    let whole = battle_of_the_sdk();
    let (code, line) = import(within, &whole, &args);
    assert_eq!((code, line.as_str()), (0, "x.json (battle 8): exact, sum"));
    let out = arena(within, &["verify", "run"]);
    assert_eq!(
        stdout(&out),
        "1 game verified, 0 mismatches\n",
        "{}",
        said(&out)
    );
    let out = arena(within, &["replay", "run", "0", "--as-input", "1"]);
    assert_eq!(stdout(&out), "turn 0\nturn 2\n", "{}", said(&out));
    let mut lines = String::new();
    for case in [
        changed(&whole, "/frames/1/stdout", json!("6\n")),
        changed(&whole, "/frames/3/stdout", json!("6\n")),
        changed(&whole, "/frames/3/keyframe", json!(false)),
        changed(&whole, "/frames/5/stdout", json!("1\n")),
        changed(&whole, "/frames/3/agentId", json!(1)),
        changed(&whole, "/tooltips", json!([])),
        changed(&whole, "/scores", json!([17, -1])),
        changed(
            &whole,
            "/refereeInput",
            json!("seed=-7391798008006716004\nmap=x\n"),
        ),
    ] {
        let (code, line) = import(within, &case, &args);
        assert_eq!(code, 1, "{line}");
        lines += &(line + "\n");
    }
    insta::assert_snapshot!(lines);
    let (code, line) = import(within, &whole, &["--referee", "none.py"]);
    assert_eq!(code, 2, "{line}");
    // A referee that fails says nothing of the battle.
    fs::write(within.join("fails.py"), "import sys\nsys.exit('no')\n").unwrap();
    let (code, line) = import(within, &whole, &["--referee", "./fails.py"]);
    assert_eq!(code, 5, "{line}");
    assert!(line.contains("can't be checked: the referee"), "{line}");
}

/// Battles with other numbers of seats are other games of the same run.
#[test]
fn battles_of_two_and_three_seats_share_a_run() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let referee = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/sdk_referee.py");
    fs::copy(referee, within.join("sum.py")).unwrap();
    let mut frames = vec![json!({"agentId": -1})];
    for (seat, stdout) in [
        (0, "5\n"),
        (1, "3\n"),
        (2, "1\n"),
        (0, ""),
        (0, "7\n"),
        (1, "2\n"),
        (2, ""),
    ] {
        frames.push(json!({"agentId": seat, "stdout": stdout}));
    }
    let three = json!({"frames": frames, "gameId": 9, "seed": "16", "scores": [18, 5, -1]});
    let battles = json!([three, battle_of_the_sdk()]);
    fs::write(within.join("x.json"), battles.to_string()).unwrap();
    let args = ["import", "x.json", "--referee", "./sum.py", "--out", "run"];
    let out = arena(within, &args);
    let expected = "x.json [0] (battle 9): exact, sum-3\nx.json [1] (battle 8): exact, sum\n";
    assert!(stdout(&out).starts_with(expected), "{}", said(&out));
    let out = arena(within, &["verify", "run"]);
    assert_eq!(
        stdout(&out),
        "2 games verified, 0 mismatches\n",
        "{}",
        said(&out)
    );
    let out = arena(within, &["report", "run"]);
    assert_eq!(out.status.code(), Some(0), "{}", said(&out));
}

/// Their protocol says nothing of a turn, so there is nothing to compare summaries with.
#[test]
fn a_referee_for_brutaltester_has_no_summaries() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let referee = "import sys\nsys.stdin.readline()\nfor seat in (0, 1):\n    print(f'###Input {seat}\\nx\\n###Output {seat} 1', flush=True)\n    sys.stdin.readline()\nprint('###End 1 0', flush=True)\n";
    fs::write(within.join("old.py"), referee).unwrap();
    let config = "[run]\ngame = \"old\"\n[game.old]\nreferee = \"python3 old.py\"\nprotocol = \"brutaltester\"\nseed = false\n";
    fs::write(within.join("old.toml"), config).unwrap();
    let battle = json!({
        "frames": [
            {"agentId": -1, "keyframe": true, "summary": "begins\n"},
            {"agentId": 0, "stdout": "a\n", "keyframe": false},
            {"agentId": 1, "stdout": "b\n", "keyframe": true, "summary": "$1 wins\n"},
        ],
        "seed": "1",
        "scores": [0, 1],
        "tooltips": [r#"{"turn":2,"text":"won","event":1}"#],
    });
    let (code, line) = import(within, &battle, &["--referee", "old.toml"]);
    assert_eq!((code, line.as_str()), (0, "x.json: exact, old"));
}

/// Ctrl-C leaves the run that the import would replace.
#[test]
fn an_interrupted_import_writes_nothing() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let (code, line) = import(within, &battle("onitama-shrine_reached-1"), &ONITAMA);
    assert_eq!(code, 0, "{line}");
    let records = fs::read(within.join("run/records.jsonl")).unwrap();
    let slow = "import time\ntime.sleep(600)\n";
    fs::write(within.join("slow_referee_of_import.py"), slow).unwrap();
    fs::write(within.join("x.json"), battle_of_the_sdk().to_string()).unwrap();
    let referee = "./slow_referee_of_import.py";
    let args = [
        "import",
        "x.json",
        "--referee",
        referee,
        "--out",
        "run",
        "--force",
    ];
    let mut child = command(within, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !runs("slow_referee_of_import") {
        sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read(within.join("run/records.jsonl")).unwrap(), records);
}

/// Whether Python runs this program anywhere.
fn runs(program: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut commands =
        processes.map(|own| fs::read(own.path().join("cmdline")).unwrap_or_default());
    commands.any(|command| {
        let command = String::from_utf8_lossy(&command);
        command.contains("python") && command.contains(program)
    })
}

/// `RANDOM` hides the move that the site's referee drew.
#[test]
fn a_drawn_move_of_dice_shogi_is_found() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let whole = battle("dice_shogi-stalemate-1");
    let random = |frame: usize, battle: &Value| {
        changed(
            battle,
            &format!("/frames/{frame}/stdout"),
            json!("random, please\n"),
        )
    };
    let one = changed(&whole, "/frames/3/stdout", json!("RANDOM\n"));
    for case in [
        &one,
        &changed(&one, "/frames/10/stdout", json!(" random x\n")),
    ] {
        let (code, line) = import(within, case, &["--game", "dice_shogi"]);
        assert_eq!(code, 0, "{line}");
        let record = fs::read_to_string(within.join("run/records.jsonl")).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        for (at, step) in record["steps"].as_array().unwrap().iter().enumerate() {
            let stdout = whole["frames"][at + 1]["stdout"].as_str().unwrap();
            // What arena draws may fit, too.
            if step["output"] != json!(" random x") {
                assert_eq!(step["output"], json!(stdout.trim_end()), "frame {}", at + 1);
            }
        }
        assert!(line.ends_with(": exact, dice_shogi"), "{line}");
    }
    let wrong = changed(&one, "/scores", json!([0, 0]));
    let (code, line) = import(within, &wrong, &["--game", "dice_shogi"]);
    assert_eq!(code, 5, "{line}");
    assert!(
        line.contains("can't be checked: the referee drew the move of frame 3"),
        "{line}"
    );
    // This isn't a drawn move.
    let (code, line) = import(within, &random(3, &whole), &["--game", "dice_shogi"]);
    assert_eq!(code, 1, "{line}");
}

/// Up to the turn, the game is the recorded one. Then other bots decide.
#[test]
fn a_lost_game_plays_on_from_a_turn() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let (code, line) = import(within, &battle("onitama-master_captured-1"), &ONITAMA);
    assert_eq!(code, 0, "{line}");
    let bot = ["--against", "arena bot onitama-random"];
    let recorded = arena(within, &["replay", "run", "0"]);
    let story = |from: &str, bots: &[&str]| {
        let args = [&["replay", "run", "0", "--from", from][..], bots].concat();
        arena(within, &args)
    };
    // The turns of a story, without times.
    let turns = |out: &Output| -> Vec<String> {
        let text = stdout(out);
        let lines = text.lines().filter(|line| line.starts_with("turn "));
        let words = lines.map(|line| {
            line.split("  ")
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
        });
        words
            .map(|words| format!("{} {}", words[0].trim(), words[2].trim()))
            .collect()
    };
    let out = story("9", &bot);
    assert_eq!(out.status.code(), Some(0), "{}", said(&out));
    assert!(stdout(&out).starts_with("recorded before turn 9, then played by these bots"));
    assert_eq!(turns(&out)[..8], turns(&recorded)[..8], "{}", said(&out));
    assert_ne!(turns(&out), turns(&recorded));
    for (from, bots, code) in [
        ("99", &bot[..], 3),
        ("9", &[&bot[..], &bot, &bot].concat(), 2),
        ("9", &[], 2),
    ] {
        let out = story(from, bots);
        assert_eq!(out.status.code(), Some(code), "{}", said(&out));
    }
    let out = arena(
        within,
        &[
            "replay", "run", "0", "--seat", "1", bot[0], bot[1], bot[0], bot[1],
        ],
    );
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
}

/// A jar is tried in every league, and the one that fits is named.
#[test]
fn the_league_of_a_jar_is_found() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/leagues");
    fs::copy(
        source.join("RefereeMain.java"),
        within.join("RefereeMain.java"),
    )
    .unwrap();
    let jar = "javac -d classes RefereeMain.java && jar cf game.jar -C classes .";
    if !shell(within, jar)
        .output()
        .is_ok_and(|out| out.status.success())
    {
        eprintln!("there is no JDK here: nothing was tried");
        return;
    }
    let battle = json!({
        "frames": [
            {"agentId": -1, "keyframe": true, "summary": ""},
            {"agentId": 0, "stdout": "2\n", "keyframe": false},
            {"agentId": 1, "stdout": "3\n", "keyframe": true, "summary": "times 5\n"},
        ],
        "gameId": 9,
        "refereeInput": "seed=1\n",
        "scores": [10, 15],
    });
    fs::write(within.join("x.json"), battle.to_string()).unwrap();
    // The first time, arena compiles a server for such referees.
    let cached = |args: &[&str]| {
        let mut arena = command(within, args);
        arena.env("XDG_CACHE_HOME", within.join("cache"));
        arena.output().unwrap()
    };
    let args = [
        "import",
        "x.json",
        "--out",
        "run",
        "--force",
        "--referee",
        "game.jar",
    ];
    let out = cached(&args);
    let line = "x.json (battle 9): exact, game-league-5\n";
    assert!(stdout(&out).starts_with(line), "{}", said(&out));
    let out = cached(&["verify", "run"]);
    assert_eq!(
        stdout(&out),
        "1 game verified, 0 mismatches\n",
        "{}",
        said(&out)
    );
    let out = cached(&[&args[..], &["--league", "4"]].concat());
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
    let differs = r#"differs at frame 2: summary: expected "times 5", got "times 4" (league 4)"#;
    assert!(stdout(&out).contains(differs), "{}", said(&out));
}
