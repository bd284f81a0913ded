//! `arena import`: battles that the original referees played, changed ones, and what isn't one.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::programs::{
    Said as _, cached, check_rows, command, in_project, line, living, read, said, shell, stderr,
    stdout, table,
};

/// The file of a battle.
fn file(name: &str) -> PathBuf {
    in_project("tests/golden/battles").join(format!("{name}.json.gz"))
}

/// The names of the battles of a game, without their endings.
fn names(game: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(in_project("tests/golden/battles")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with(&format!("{game}-")) {
            names.push(name.strip_suffix(".json.gz").unwrap().to_owned());
        }
    }
    names.sort();
    names
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let mut file = MultiGzDecoder::new(File::open(path).unwrap());
    file.read_to_string(&mut text).unwrap();
    text
}

fn battle(name: &str) -> Value {
    serde_json::from_str(&unpacked(&file(name))).unwrap()
}

/// The golden records of a game.
fn golden(game: &str) -> Vec<Value> {
    let path = format!("crates/games/tests/golden/{game}.jsonl.gz");
    let text = unpacked(&in_project(&path));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Imports a value from a file `x.json` in a folder.
fn import(within: &Path, battle: &Value, args: &str) -> Output {
    fs::write(within.join("x.json"), battle.to_string()).unwrap();
    let args = format!("import x.json --out run --force {args}");
    line(within, &args)
}

/// The line about a battle, and what is wrong with it.
fn told(import: &Output) -> String {
    let line = stdout(import).lines().next().unwrap_or_default().to_owned();
    line + &stderr(import)
}

/// Checks that a run has so many games, and that each is the recorded one.
fn assert_verified(within: &Path, run: &str, games: usize) {
    let s = if games == 1 { "" } else { "s" };
    let verified = line(within, &format!("verify {run}"));
    verified.prints(&format!("{games} game{s} verified, 0 mismatches\n"));
}

/// The record of the first game of an import.
fn record(within: &Path) -> Value {
    let records = read(within, "run/records.jsonl");
    serde_json::from_str(records.lines().next().unwrap()).unwrap()
}

#[test]
fn battles_of_the_original_referees_are_exact() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let mut count = 0;
    for game in SHARED {
        let records = golden(game);
        let names = names(game);
        count += names.len();
        let mut args = format!("import --game {game} --out {game}");
        for name in &names {
            write!(args, " {}", file(name).display()).unwrap();
        }
        let out = line(within, &args);
        out.status(0);
        let exact = stdout(&out).matches(&format!("): exact, {game}\n")).count();
        assert_eq!(exact, names.len());
        assert_verified(within, game, names.len());
        for (number, name) in names.iter().enumerate() {
            let battle = battle(name);
            let seed = battle["refereeInput"].as_str().unwrap().trim();
            let is_same = |record: &&Value| seed == format!("seed={}", record["seed"]);
            let record = records.iter().find(is_same).unwrap();
            for seat in 0..2 {
                let replay = format!("replay {game} {number} --as-input {seat}");
                let shown = stdout(&line(within, &replay));
                let mut inputs = String::new();
                for step in record["steps"].as_array().unwrap() {
                    if step["player"] == seat {
                        inputs += step["input"].as_str().unwrap();
                    }
                }
                if game == "dice_shogi" {
                    // The original lists actions in any order.
                    assert_eq!(sorted(&shown), sorted(&inputs), "{name} {seat}");
                } else {
                    assert_eq!(shown, inputs, "{name} {seat}");
                }
            }
        }
    }
    assert_eq!(count, 17);
}

/// The games of the battles that are stored with this test.
const SHARED: [&str; 3] = ["minishogi", "dice_shogi", "onitama"];

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
    for game in SHARED {
        let mut battles = Vec::new();
        for name in names(game) {
            let mut whole = battle(&name);
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
        let out = import(within.path(), &battles.into(), &format!("--game {game}"));
        out.status(0);
        assert_eq!(stdout(&out).matches(": exact, ").count(), count);
        assert_verified(within.path(), "run", count);
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
        let game = match number {
            6 | 9 => "onitama",
            _ => "minishogi",
        };
        let out = import(within, case, &format!("--game {game}"));
        out.status(1);
        assert!(!within.join("run").exists(), "nothing to write");
        writeln!(lines, "{}", told(&out)).unwrap();
    }
    insta::assert_snapshot!(lines);
}

/// The original has a text for each of its checks, and people may read any other.
#[test]
fn texts_for_people_are_not_compared() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let onitama = "
        12 E1C3 | Player $1 does not own a card with ID 12
        0 A1A2 hi | Player $1 does not own a card with ID 0
        4 A5A4 | Player $1 performed an invalid action
        E1C3 | E1C3";
    let shogi = "
        1111 | 1111 is not legal
        K*33 | K*33";
    for game in SHARED {
        for name in names(game) {
            let played = battle(&name);
            let last = played["frames"].as_array().unwrap().len() - 1;
            let loser = played["frames"][last]["agentId"].clone();
            let check = |answer: Option<&str>, text: &str| {
                let mut told = changed(&played, "/frames/1/summary", json!(text));
                if let Some(answer) = answer {
                    told["frames"][last]["stdout"] = json!(format!("{answer}\n"));
                }
                let text = format!("$1: invalid command {text}");
                let tooltip = json!({"turn": last, "text": text, "event": loser});
                told["tooltips"] = json!([tooltip.to_string()]);
                import(within, &told, &format!("--game {game}")).status(0);
            };
            check(None, "$0 sneezed");
            if name.contains("invalid_action") {
                let is_onitama = game == "onitama";
                for [answer, text] in table(if is_onitama { onitama } else { shogi }) {
                    check(Some(answer), text);
                }
                if !is_onitama {
                    check(Some(""), "");
                }
            }
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
    let own = in_project("crates/games/src/kutulu/maps");
    let out = import(within, &battle, &format!("--maps {}", own.display()));
    out.status(0);
    assert_eq!(told(&out), "x.json (battle 1): exact, kutulu");
    assert_verified(within, "run", 1);

    let mut lines = String::new();
    let maps = within.join("maps");
    fs::create_dir(&maps).unwrap();
    let one = "05-cistern.txt";
    fs::copy(own.join(one), maps.join(one)).unwrap();
    let league = changed(&battle, "/questionTitle", json!("Code of Kutulu - Level 2"));
    for (battle, args, status) in [
        (&battle, "", 5),
        (&battle, "--maps maps", 1),
        (&league, "--maps maps", 5),
        (&battle, "--maps maps --league 1", 5),
        (&battle, ONITAMA, 5),
        (&battle, "--maps none", 3),
    ] {
        let out = import(within, battle, args);
        out.status(status);
        writeln!(lines, "{}", told(&out).trim_end()).unwrap();
    }
    insta::assert_snapshot!(lines);
}

const ONITAMA: &str = "--game onitama";

#[test]
fn every_file_has_its_line_and_the_worst_decides() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let one = battle("onitama-timeout-1");
    let other = changed(&one, "/gameId", json!(5));
    let differs = changed(&other, "/scores", json!([0, 0]));
    let write = |name: &str, text: &str| fs::write(within.join(name), text).unwrap();
    let mut args = "import --game onitama --out run --force".to_owned();
    let mut code = |file: &str, status: i32| {
        write!(args, " {file}").unwrap();
        let out = line(within, &args);
        out.status(status);
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

    line(within, "import none --out run").status(3);
    // Before any battle is read.
    let out = line(within, "import a.json --out run");
    out.status(3);
    assert_eq!(
        said(&out),
        "error: can't use run: it already holds a run\nhint: --force replaces it, --out DIR plays elsewhere\n"
    );
    let piped = "arena import - --game onitama --out run --force < a.json";
    let out = shell(within, piped).output().unwrap();
    let exact = "- (battle 900000236): exact";
    assert!(stdout(&out).starts_with(exact), "{}", said(&out));
}

/// The title of a battle or `--game` says which game it is.
#[test]
fn the_title_names_the_game() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let game = battle("onitama-timeout-1");
    let titled = |title: &str| json!({"gameResult": game, "questionTitle": title, "puzzleId": 1});
    for (battle, args, status, expected) in [
        (&game, ONITAMA, 0, "exact, onitama"),
        (&titled("Onitama"), "", 0, "exact, onitama"),
        (&titled("onitama - Level 3"), "", 0, "exact, onitama"),
        (&titled("Winter Challenge"), ONITAMA, 0, "exact, onitama"),
        (&game, "", 5, "it has no title; give --game NAME"),
        (
            &titled("Winter Challenge"),
            "",
            5,
            "arena has no game \"Winter Challenge\"; give --game NAME",
        ),
        (&game, "--game onitamo", 2, "did you mean `onitama`?"),
    ] {
        let out = import(within, battle, args);
        out.status(status).contains(expected);
        if status == 5 {
            out.contains(&format!("can't be checked: {expected}"));
        }
    }
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
        let args = format!("--game onitama --me {me}");
        import(within, &json!(battles), &args).status(0);
        for record in read(within, "run/records.jsonl").lines() {
            let record: Value = serde_json::from_str(record).unwrap();
            assert_eq!(record["bots"][0], me);
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
    for (battle, me, expected) in [
        (&battle, "", ["PLAYER_0", "Boss 7"]),
        (&battle, "--me 1000", ["1000", "Boss 7"]),
        (&battle, "--me 'Boss 7'", ["PLAYER_0", "Boss 7"]),
        (&twin, "", ["PLAYER_0", "PLAYER_0 (2)"]),
        (&unnamed, "", ["default AI", "seat 1"]),
    ] {
        import(within, battle, &format!("--game onitama {me}")).status(0);
        let record = record(within);
        assert_eq!(record["bots"], json!(expected));
        assert_eq!(record["battle"]["id"], "900000235");
    }
    import(within, &battle, "--game onitama --me nobody")
        .contains("warning: these battles have no player `nobody`: they have ");
}

/// Joins blanks.
fn plain(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ")
}

/// The commands of the how-to page print what it says, up to the proof.
#[test]
fn the_how_to_leads_to_another_answer() {
    let page = read(&in_project("."), "docs/how-to/import.md");
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    fs::create_dir(within.join("battles")).unwrap();
    for (name, number) in [
        ("onitama-master_captured-1", 233),
        ("onitama-shrine_reached-1", 235),
    ] {
        let to = within.join(format!("battles/900000{number}.json.gz"));
        fs::copy(file(name), to).unwrap();
    }
    let (mut output, mut commands, mut lines) = (String::new(), 0, 0);
    for block in page.split("```").skip(1).step_by(2) {
        match block.split_once('\n').unwrap() {
            ("sh", script) => {
                let out = shell(within, script).output().unwrap();
                output = said(out.status(0));
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
    import(within, &battle("onitama-shrine_reached-1"), ONITAMA).status(0);
    check_rows(
        within,
        "
        start --run run PLAYER_0 | 3 | its program is on the site
        duel onitama 'arena bot onitama-random' 'arena bot onitama-greedy' --resume --out run | 3 | it holds an import
        replay run 0 --seat 1 | 2 | can't use --seat
        replay run 0 --against 'arena bot onitama-random' | 2 | --seat
        replay run --against 'arena bot onitama-random' | 2 | --bot NAME
        ",
    );
}

/// A fault in the report leads to the input of the game.
#[test]
fn the_report_shows_a_fault_again() {
    let within = tempfile::tempdir().unwrap();
    import(within.path(), &battle("onitama-timeout-1"), ONITAMA).status(0);
    line(within.path(), "report run --markdown -")
        .contains("arena replay run 0 --as-input 0 | arena start ./bot");
}

/// The first sentence of a report is about the user, whoever sits where and however many there are.
#[test]
fn a_report_of_an_import_begins_with_the_user() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let mut battles = Vec::new();
    for name in names("onitama") {
        battles.push(battle(&name));
    }
    for opponents in [1, 3] {
        for (at, battle) in battles.iter_mut().enumerate() {
            let other = format!("rival {}", at % opponents);
            battle["agents"][0]["codingamer"]["pseudo"] = json!(other);
        }
        for me in ["PLAYER_1", "rival 0"] {
            let args = format!("--game onitama --me '{me}'");
            import(within, &json!(battles), &args).status(0);
            for args in ["report run", "report run --markdown -"] {
                let told = stdout(&line(within, args));
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
    for [name, fate] in table(
        "
        onitama-invalid_action-1 | invalid_action
        minishogi-invalid_action-1 | invalid_action
        dice_shogi-invalid_action-1 | invalid_action
        onitama-timeout-1 | timeout
        onitama-master_captured-1 | none
        minishogi-checkmate-1 | none
        ",
    ) {
        let (game, _) = name.split_once('-').unwrap();
        import(within, &battle(name), &format!("--game {game}")).status(0);
        let listed = line(within, "replay run --fault");
        if fate == "none" {
            listed.prints("none of 1 games\n");
            continue;
        }
        listed.contains(&format!(": {fate}"));
        let shown = line(within, "replay run 0");
        shown.contains(&format!("  {fate}\n"));
        shown.lacks("ended by the arena");
        assert_verified(within, "run", 1);
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
    let referee = in_project("tests/programs/sdk_referee.py");
    fs::copy(referee, within.join("sum.py")).unwrap();
    let args = "--referee ./sum.py";
    let whole = battle_of_the_sdk();
    let out = import(within, &whole, args);
    out.status(0);
    assert_eq!(told(&out), "x.json (battle 8): exact, sum");
    assert_verified(within, "run", 1);
    line(within, "replay run 0 --as-input 1").prints("turn 0\nturn 2\n");
    let seed = json!("seed=-7391798008006716004\nmap=x\n");
    let mut lines = String::new();
    for case in [
        changed(&whole, "/frames/1/stdout", json!("6\n")),
        changed(&whole, "/frames/3/stdout", json!("6\n")),
        changed(&whole, "/frames/3/keyframe", json!(false)),
        changed(&whole, "/frames/5/stdout", json!("1\n")),
        changed(&whole, "/frames/3/agentId", json!(1)),
        changed(&whole, "/tooltips", json!([])),
        changed(&whole, "/scores", json!([17, -1])),
        changed(&whole, "/refereeInput", seed),
    ] {
        let out = import(within, &case, args);
        out.status(1);
        writeln!(lines, "{}", told(&out)).unwrap();
    }
    insta::assert_snapshot!(lines);
    import(within, &whole, "--referee none.py").status(2);
    // A referee that fails says nothing of the battle.
    fs::write(within.join("fails.py"), "import sys\nsys.exit('no')\n").unwrap();
    import(within, &whole, "--referee ./fails.py")
        .status(5)
        .contains("can't be checked: the referee");
}

/// Battles with other numbers of seats are other games of the same run.
#[test]
fn battles_of_two_and_three_seats_share_a_run() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let referee = in_project("tests/programs/sdk_referee.py");
    fs::copy(referee, within.join("sum.py")).unwrap();
    let says = |seat: u32, stdout: &str| json!({"agentId": seat, "stdout": stdout});
    let frames = json!([
        {"agentId": -1}, says(0, "5\n"), says(1, "3\n"), says(2, "1\n"),
        says(0, ""), says(0, "7\n"), says(1, "2\n"), says(2, ""),
    ]);
    let three = json!({"frames": frames, "gameId": 9, "seed": "16", "scores": [18, 5, -1]});
    let battles = json!([three, battle_of_the_sdk()]);
    let out = import(within, &battles, "--referee ./sum.py");
    let expected = "x.json [0] (battle 9): exact, sum-3\nx.json [1] (battle 8): exact, sum\n";
    assert!(stdout(&out).starts_with(expected), "{}", said(&out));
    assert_verified(within, "run", 2);
    line(within, "report run").status(0);
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
    let out = import(within, &battle, "--referee old.toml");
    assert_eq!(told(out.status(0)), "x.json: exact, old");
}

/// Ctrl-C leaves the run that the import would replace.
#[test]
fn an_interrupted_import_writes_nothing() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    import(within, &battle("onitama-shrine_reached-1"), ONITAMA).status(0);
    let records = read(within, "run/records.jsonl");
    fs::write(within.join("slow.py"), "import time\ntime.sleep(600)\n").unwrap();
    fs::write(within.join("x.json"), battle_of_the_sdk().to_string()).unwrap();
    let args = "import x.json --referee ./slow.py --out run --force";
    let args: Vec<&str> = args.split(' ').collect();
    let mut child = command(within, &args)
        .env("OF_TEST", within)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_python = |command: &String| command.contains("python");
    while !living("OF_TEST", within).iter().any(is_python) {
        sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(read(within, "run/records.jsonl"), records);
}

/// `RANDOM` hides the move that the site's referee drew.
#[test]
fn a_drawn_move_of_dice_shogi_is_found() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let whole = battle("dice_shogi-stalemate-1");
    let one = changed(&whole, "/frames/3/stdout", json!("RANDOM\n"));
    let two = changed(&one, "/frames/10/stdout", json!(" random x\n"));
    for case in [&one, &two] {
        let out = import(within, case, "--game dice_shogi");
        out.status(0);
        let record = record(within);
        for (at, step) in record["steps"].as_array().unwrap().iter().enumerate() {
            let stdout = whole["frames"][at + 1]["stdout"].as_str().unwrap();
            // What arena draws may fit, too.
            if step["output"] != " random x" {
                assert_eq!(step["output"], stdout.trim_end(), "frame {}", at + 1);
            }
        }
        assert!(told(&out).ends_with(": exact, dice_shogi"));
    }
    let wrong = changed(&one, "/scores", json!([0, 0]));
    import(within, &wrong, "--game dice_shogi")
        .status(5)
        .contains("can't be checked: the referee drew the move of frame 3");
    // This isn't a drawn move.
    let asked = changed(&whole, "/frames/3/stdout", json!("random, please\n"));
    import(within, &asked, "--game dice_shogi").status(1);
}

/// Up to the turn, the game is the recorded one. Then other bots decide.
#[test]
fn a_lost_game_plays_on_from_a_turn() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    import(within, &battle("onitama-master_captured-1"), ONITAMA).status(0);
    let bot = "--against 'arena bot onitama-random'";
    // The turns of a story, without times.
    let turns = |out: &Output| -> Vec<String> {
        let mut turns = Vec::new();
        for line in stdout(out).lines() {
            if line.starts_with("turn ") {
                let words: Vec<&str> = line.split("  ").filter(|word| !word.is_empty()).collect();
                turns.push(format!("{} {}", words[0].trim(), words[2].trim()));
            }
        }
        turns
    };
    let recorded = turns(&line(within, "replay run 0"));
    let out = line(within, &format!("replay run 0 --from 9 {bot}"));
    out.status(0);
    assert!(stdout(&out).starts_with("recorded before turn 9, then played by these bots"));
    assert_eq!(turns(&out)[..8], recorded[..8], "{}", said(&out));
    assert_ne!(turns(&out), recorded);
    line(within, &format!("replay run 0 --from 99 {bot}")).status(3);
    line(within, &format!("replay run 0 --from 9 {bot} {bot} {bot}")).status(2);
    line(within, "replay run 0 --from 9").status(2);
    line(within, &format!("replay run 0 --seat 1 {bot} {bot}")).status(2);
}

/// A jar is tried in every league, and the one that fits is named.
#[test]
fn the_league_of_a_jar_is_found() {
    let within = tempfile::tempdir().unwrap();
    let within = within.path();
    let source = in_project("tests/programs/leagues/RefereeMain.java");
    fs::copy(source, within.join("RefereeMain.java")).unwrap();
    let jar = "javac -d classes RefereeMain.java && jar cf game.jar -C classes .";
    if !shell(within, jar).output().unwrap().status.success() {
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
    let args = "import x.json --out run --force --referee game.jar";
    let exact = "x.json (battle 9): exact, game-league-5\n";
    let out = cached(within, args);
    assert!(stdout(&out).starts_with(exact), "{}", said(&out));
    cached(within, "verify run").prints("1 game verified, 0 mismatches\n");
    cached(within, &format!("{args} --league 4"))
        .status(1)
        .contains(r#"differs at frame 2: summary: expected "times 5", got "times 4" (league 4)"#);
}
