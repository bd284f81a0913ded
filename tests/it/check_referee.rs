//! `arena check` of an external referee, and of bots in its game.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};

use insta::assert_snapshot;

use crate::programs::{arena, command};

/// Two seats say `a` or `b`, three times each; who says `a` more often wins. Its argument says what it does wrong.
const REFEREE: &str = r#"
import os, random, sys, time

how, games = sys.argv[1], 0

def frame():
    header = sys.stdin.readline() or sys.exit()
    name, count = header.strip()[2:-1].split("] ")
    return name, [sys.stdin.readline().rstrip("\n") for _ in range(int(count))]

def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)

if how == "ends at once":
    print("where is the board?", file=sys.stderr)
    sys.exit(3)
if how == "is silent":
    time.sleep(100)
if how == "greets":
    print("Welcome!", flush=True)
while True:
    _, (seats, *options) = frame()
    frame()
    games += 1
    seed = dict(option.split("=") for option in options)["seed"]
    draw = random.Random({"takes no seed": os.urandom(9), "ignores the seed": "one"}.get(how, seed))
    if how in ("promises, and leaks", "promises, and ends"):
        send("ARENA", "protocol=1", "reuse=yes")
    if how == "asks three seats only" and seats != "3":
        send("SCORES", *(f"{seat} 0" for seat in range(int(seats))))
        sys.exit()
    if seats != "2" and how != "asks three seats only":
        send("FAIL", "two seats, please")
        sys.exit(1)
    scores, left = [0, 0], {0, 1}
    for seat in sorted(left) if how == "tells first" else []:
        send("NEXT_PLAYER_INPUT", "hello", "bot")
        send("NEXT_PLAYER_INFO", seat, 0, 100)
        frame()
        frame()
    for turn in range(5 if how == "objects, and asks on" else 3):
        for seat in sorted({0, 1} - left) if how in ("keeps telling", "objects, and asks on") else []:
            send("NEXT_PLAYER_INPUT", *(["you are", "out"] if how == "keeps telling" else []))
            send("NEXT_PLAYER_INFO", seat, 0, 100)
            frame()
            frame()
        for seat in sorted(left):
            names = how == "wants names first" and turn == 0
            lines = 2 if how == "wants two lines" or names else 1
            if how == "draws": send("FRAME", '{"grid": ["' + "ab"[seat] + '"]}')
            if how == "draws badly" and turn: send("FRAME", "{")
            if how not in ("lists nothing", "wants names first"): send("ACTIONS", "a", "b", *(["c"] if how == "lists too much" else []))
            send("NEXT_PLAYER_INPUT", draw.randrange(10**6), games if how == "promises, and leaks" else turn)
            send("NEXT_PLAYER_INFO", seat, lines, 0 if how == "gives no time" else 100 + 50 * turn)
            name, said = frame()
            frame()
            if name == "SET_PLAYER_TIMEOUT":
                if how == "dies of silence": said[0]
                if how == "rewards silence": scores[seat] = 9
                else: scores[seat] = -1
                left.discard(seat)
            elif names and said == ["me", "you"]:
                continue
            elif not names and all(line in ("a", "b") for line in said):
                scores[seat] += said.count("a")
                if how == "eliminates" and seat == 1:
                    send("SUMMARY", "$1 is eliminated")
                    left.discard(seat)
            elif how.startswith("objects"):
                if how == "objects, and asks on": scores[seat] = 9
                send("TOOLTIP", f"¤RED¤$0, $1:\texpected a or b but got '{said[0].split()[0].upper()}'§RED§", seat)
                left.discard(seat)
            elif how == "dies of garbage":
                int(said[0])
            elif how == "blames another":
                send("FATE", f"{1 - seat} invalid_action {said[0]}")
            elif how != "takes anything":
                send("FATE", f"{seat} invalid_action {said[0]}")
                scores[seat] = -1
                left.discard(seat)
    send("SCORES", f"0 {scores[0]}", f"1 {scores[1]}")
    if how in ("plays on", "promises, and leaks"):
        continue
    sys.exit()
"#;

/// What [`REFEREE`] can do, and further words of the command line.
const CASES: &[(&str, &[&str])] = &[
    ("ends at once", &[]),
    ("is silent", &[]),
    ("greets", &[]),
    ("asks three seats only", &[]),
    ("plays well", &[]),
    ("plays on", &[]),
    ("promises, and leaks", &[]),
    ("promises, and ends", &[]),
    ("takes no seed", &[]),
    ("ignores the seed", &[]),
    ("wants two lines", &[]),
    ("draws", &[]),
    ("draws badly", &[]),
    ("lists nothing", &[]),
    ("lists nothing", &["--answer", "b"]),
    ("lists nothing", &["--answer", "c"]),
    (
        "wants names first",
        &["--answer", "me; you", "--answer", "b"],
    ),
    ("lists too much", &[]),
    ("gives no time", &[]),
    ("dies of silence", &[]),
    ("rewards silence", &[]),
    ("dies of garbage", &[]),
    ("blames another", &[]),
    ("takes anything", &[]),
];

/// A folder with the referee and a config for it.
fn ground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("referee.py"), REFEREE).unwrap();
    folder
}

/// A config with a referee that does something.
fn config(folder: &Path, file: &str, how: &str, further: &str) {
    // A machine that is busy may need longer for a process than for silence.
    let patience = if how == "is silent" {
        "referee_ms = 2000"
    } else {
        ""
    };
    let text = format!(
        "[game.letters]\nreferee = [\"python3\", \"referee.py\", \"{how}\"]\n{patience}\n{further}"
    );
    fs::write(folder.join(file), text).unwrap();
}

fn start(folder: &Path, args: &[&str]) -> Child {
    command(folder, &[&["check"], args].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn end(child: Child) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    (
        status.code(),
        String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap(),
    )
}

/// Without the times that were measured, and without what no seed decides.
fn timeless(line: &str) -> String {
    if let Some((how, _)) = line.split_once(" has line 1 ") {
        return format!("{how} has line 1 #");
    }
    match line.split_once(" (") {
        Some((title, _)) if line.contains("is fast") => {
            format!("{title} (#)")
        }
        _ => line.to_owned(),
    }
}

#[test]
fn what_a_referee_does_is_told() {
    let folder = ground();
    let child = |(number, (how, further)): (usize, &(&str, &[&str]))| {
        let file = format!("{number}.toml");
        config(folder.path(), &file, how, "");
        let child = start(
            folder.path(),
            &[&[file.as_str(), "--seeds", "2"], *further].concat(),
        );
        (String::from(*how), further.join(" "), child)
    };
    let mut told = String::new();
    let cases: Vec<_> = CASES.iter().enumerate().collect();
    // Not all at once: their times are limits.
    for some in cases.chunks(4) {
        for (how, further, child) in some.iter().map(|&case| child(case)).collect::<Vec<_>>() {
            let (code, text) = end(child);
            let all = how == "plays well";
            let is_new =
                |line: &&str| all || !line.starts_with("ok ") || line.contains("two lines");
            let lines = text
                .lines()
                .skip(2)
                .filter(is_new)
                .filter(|line| !line.starts_with("not reached"));
            // Where Python failed.
            let lines = lines.filter(|line| !line.trim_start().starts_with("|   "));
            let lines: Vec<String> = lines.map(timeless).collect();
            writeln!(
                told,
                "{how} {further}: exit status {}\n{}\n",
                code.unwrap(),
                lines.join("\n")
            )
            .unwrap();
        }
    }
    assert_snapshot!(told);
}

#[test]
fn details_follow_what_is_seen() {
    let folder = ground();
    for (how, config_says, expected) in [
        (
            "plays on",
            "reuse = true",
            "in one process (seed 1 is the same game after others)",
        ),
        (
            "takes no seed",
            "seed = false",
            "on the same seed (not expected: seed = false)",
        ),
        ("wants two lines", "", "(2 lines, within 100 to 200 ms)"),
        ("draws", "", "(FRAME with 12 of 12 questions)"),
    ] {
        config(folder.path(), "arena.toml", how, config_says);
        let (code, text) = end(start(
            folder.path(),
            &["arena.toml:letters", "--seeds", "2"],
        ));
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(expected), "{how}, {config_says}: {text}");
    }
}

#[test]
fn a_program_can_read_it() {
    let folder = ground();
    config(folder.path(), "arena.toml", "dies of garbage", "");
    let (code, text) = end(start(
        folder.path(),
        &["arena.toml", "--json", "--seeds", "2"],
    ));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &report["ok"]), (Some(1), &serde_json::json!(false)));
    assert_eq!(report["checks"].as_array().unwrap().len(), 10);
    let failed = &report["checks"][7];
    assert_eq!(
        (&failed["check"], &failed["result"]["outcome"]),
        (&"no_action".into(), &"failed".into())
    );
    assert!(
        failed["result"]["what"]
            .as_str()
            .unwrap()
            .contains("ValueError"),
        "{failed}"
    );
}

/// A bot for the letters: reads a prompt of two lines, and says something.
const BOT: &str = "while read -r x && read -r y; do SAYS; done\n";

#[test]
fn a_bot_is_checked_in_the_game_of_a_referee() {
    let folder = ground();
    let says = |name: &str, what: &str| {
        fs::write(folder.path().join(name), BOT.replace("SAYS", what)).unwrap();
    };
    says("one", "echo a");
    says("two", "echo a; echo b");
    says("wrong", "echo c");
    says("later", "echo ${said-a}; said=c");
    fs::write(
        folder.path().join("slow"),
        format!(
            "sleep 0.7; read -r hello; read -r bot; {}",
            BOT.replace("SAYS", "echo a")
        ),
    )
    .unwrap();
    let mut told = String::new();
    for (how, bot) in [
        ("plays well", "one"),
        ("plays well", "two"),
        ("plays well", "wrong"),
        ("wants two lines", "two"),
        ("wants two lines", "one"),
        ("lists nothing", "one"),
        ("objects in words", "wrong"),
        ("objects, and asks on", "later"),
        ("eliminates", "one"),
        // A turn that needs no answer doesn't use up the longer time of the first answer.
        ("tells first", "slow"),
    ] {
        config(folder.path(), "arena.toml", how, "");
        let startup = if bot == "slow" { "60000" } else { "0" };
        let startup = format!("clock.startup_ms={startup}");
        let limits = [
            "--seeds",
            "1",
            "--set",
            "clock.turn_ms=1500",
            "--set",
            "clock.first_turn_ms=1500",
            "--set",
            &startup,
        ];
        let limits = if bot == "slow" {
            &[&limits[..2], &limits[6..]].concat()
        } else {
            &limits[..]
        };
        let (code, text) = end(start(
            folder.path(),
            &[&["arena.toml", &format!("sh {bot}")], limits].concat(),
        ));
        let lines = text
            .lines()
            .skip(2)
            .filter(|line| !line.starts_with("not reached") && !line.contains(" again: "));
        let lines: Vec<String> = lines
            .map(|line| line.split(" (p50").next().unwrap().to_owned())
            .collect();
        let lines: Vec<&String> = lines
            .iter()
            .filter(|line| {
                !line.starts_with("ok ") || line.contains(" line") || line.contains("referee")
            })
            .collect();
        writeln!(told, "{how}, {bot}: exit status {}", code.unwrap()).unwrap();
        for line in lines {
            writeln!(told, "{line}").unwrap();
        }
        told.push('\n');
    }
    assert_snapshot!(told);
}

/// Why a seat failed is in everything that a run writes, without the markup of the site.
#[test]
fn a_run_quotes_the_referee() {
    let folder = ground();
    for (name, answer) in [("one", "a"), ("wrong", "c d")] {
        let bot = BOT.replace("SAYS", &format!("echo {answer}"));
        fs::write(folder.path().join(name), bot).unwrap();
    }
    let bots = ["one", "wrong"]
        .map(|bot| format!("[[bot]]\nname = \"{bot}\"\ncommand = [\"sh\", \"{bot}\"]\n"));
    let run = "[run]\nname = \"run\"\ngame = \"letters\"\ngames = 2\nseed = 1\n";
    let further = format!("{run}{}", bots.concat());
    config(folder.path(), "arena.toml", "objects in words", &further);
    let told = |args: &[&str]| {
        let output = arena(folder.path(), args);
        let parts = [output.stdout, output.stderr].concat();
        (args[0].to_owned(), String::from_utf8(parts).unwrap())
    };
    let report = [
        "report",
        "results/run",
        "--junit",
        "junit.xml",
        "--markdown",
        "summary.md",
    ];
    let mut texts = vec![told(&["run"]), told(&["replay", "results/run", "0"])];
    told(&report);
    for file in ["summary.md", "results/run/report.html", "junit.xml"] {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        texts.push((file.to_owned(), text));
    }
    for (place, text) in texts {
        // Each place escapes quotes in its own way.
        let said = [
            "wrong, one: expected a or b but got",
            "one, wrong: expected a or b but got",
        ];
        let names = said.iter().any(|said| text.contains(said));
        assert!(names && !text.contains("RED"), "{place}: {text}");
    }
}

/// A seat that is asked for no more answers was refused, whatever its score.
#[test]
fn a_refused_answer_is_a_fault_of_a_winner_too() {
    let folder = ground();
    let bots = [("one", "echo a"), ("later", "echo ${said-a}; said=c")].map(|(name, says)| {
        fs::write(folder.path().join(name), BOT.replace("SAYS", says)).unwrap();
        format!("[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"{name}\"]\n")
    });
    let run = "[run]\nname = \"run\"\ngame = \"letters\"\ngames = 2\nseed = 1\n";
    let further = format!("{run}{}", bots.concat());
    config(
        folder.path(),
        "arena.toml",
        "objects, and asks on",
        &further,
    );
    let output = arena(folder.path(), &["run"]);
    let said = String::from_utf8(output.stderr).unwrap();
    for seat in [0, 1] {
        let fault = format!("later, seat {seat}, turn 2: invalid_action \"c\"");
        assert!(said.contains(&fault), "{said}");
    }
    assert!(!said.contains("one, seat"), "{said}");
}

/// A referee may tell a bot what happens after it failed.
#[test]
fn a_fault_has_the_turn_in_which_it_happened() {
    let folder = ground();
    let run =
        "[run]\nname = \"run\"\ngame = \"letters\"\ngames = 2\nseed = 1\nstart_anyway = true\n";
    let bots = [("one", "echo a"), ("quits", "exit")].map(|(name, says)| {
        let says = BOT.replace("SAYS", says);
        format!(
            "[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \"{says}\"]\n",
            says = says.trim()
        )
    });
    let further = format!("{run}{}", bots.concat());
    config(folder.path(), "arena.toml", "keeps telling", &further);
    let output = arena(folder.path(), &["run"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("quits, seat 1, turn 1: crashed"), "{said}");
}

#[test]
fn what_cannot_be_checked_is_told() {
    let folder = ground();
    config(folder.path(), "arena.toml", "plays well", "");
    for (args, code, said) in [
        (
            &["onitama"][..],
            2,
            "can't check the referee of onitama: it is a part of arena",
        ),
        (
            &["arena.toml:chess"],
            2,
            "can't find one game in arena.toml: it has arena.toml:letters",
        ),
        (&["arena.toml", "true", "--answer", "a"], 2, "together with"),
        (
            &["nowhere.toml"],
            2,
            "can't find the game in `nowhere.toml`: there is no such file",
        ),
    ] {
        let (got, text) = end(start(folder.path(), args));
        assert_eq!(got, Some(code), "{text}");
        assert!(text.contains(said), "{args:?}: {text}");
    }
}
