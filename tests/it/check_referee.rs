//! `arena check` of an external referee, and of bots in its game.

use std::fmt::Write as _;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::programs::{
    Folder, Said as _, check_rows, has, line, new_folder, read, said, start, table, write,
};

/// Two seats say `a` or `b`, three times each; who says `a` more often wins. Its argument says what
/// it does wrong.
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
const CASES: &str = "
    ends at once | -
    is silent | -
    greets | -
    asks three seats only | -
    plays well | -
    plays on | -
    promises, and leaks | -
    promises, and ends | -
    takes no seed | -
    ignores the seed | -
    wants two lines | -
    draws | -
    draws badly | -
    lists nothing | -
    lists nothing | --answer b
    lists nothing | --answer c
    wants names first | --answer 'me; you' --answer b
    lists too much | -
    gives no time | -
    dies of silence | -
    rewards silence | -
    dies of garbage | -
    blames another | -
    takes anything | -
";

/// A folder with the referee.
fn ground() -> Folder {
    let folder = new_folder();
    write(&folder, "referee.py", REFEREE);
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
    let referee = format!("referee = [\"python3\", \"referee.py\", \"{how}\"]");
    let text = format!("[game.letters]\n{referee}\n{patience}\n{further}");
    write(folder, file, text);
}

/// A bot that reads prompts of two lines, and does something after each.
fn bot(does: &str) -> String {
    format!("while read -r x && read -r y; do {does}; done\n")
}

/// Plays `arena.toml`: two games of two bots, which are shell scripts.
fn run(folder: &Path, how: &str, more: &str, bots: [(&str, &str); 2]) -> String {
    let mut config =
        format!("[run]\nname = \"run\"\ngame = \"letters\"\ngames = 2\nseed = 1\n{more}");
    for (name, does) in bots {
        write(folder, name, bot(does));
        let _ = writeln!(
            config,
            "[[bot]]\nname = {name:?}\ncommand = [\"sh\", {name:?}]"
        );
    }
    self::config(folder, "arena.toml", how, &config);
    said(&line(folder, "run"))
}

/// Without the times that were measured, and without what no seed decides.
fn timeless(line: &str) -> String {
    if let Some((how, _)) = line.split_once(" has line 1 ") {
        return format!("{how} has line 1 #");
    }
    match line.split_once(" (") {
        Some((title, _)) if line.contains("is fast") => format!("{title} (#)"),
        _ => line.to_owned(),
    }
}

#[test]
fn what_a_referee_does_is_told() {
    let folder = &ground();
    let mut told = String::new();
    let cases = table::<2>(CASES);
    let cases: Vec<_> = cases.into_iter().enumerate().collect();
    // Not all at once: their times are limits.
    for some in cases.chunks(4) {
        let mut children = Vec::new();
        for (number, [how, further]) in some {
            let further = if *further == "-" { "" } else { further };
            let file = format!("{number}.toml");
            config(folder, &file, how, "");
            let child = start(folder, &format!("check {file} --seeds 2 {further}"));
            children.push((*how, further.replace('\'', ""), child));
        }
        for (how, further, child) in children {
            let out = child.wait_with_output().unwrap();
            let (status, text) = (out.status.code().unwrap(), said(&out));
            writeln!(told, "{how} {further}: exit status {status}").unwrap();
            for line in text.lines().skip(2) {
                let is_usual = line.starts_with("ok ") && !line.contains("two lines");
                // Where Python failed.
                let is_trace = line.trim_start().starts_with("|   ");
                let is_left_out = line.starts_with("not reached") || is_trace;
                if !is_left_out && (how == "plays well" || !is_usual) {
                    writeln!(told, "{}", timeless(line)).unwrap();
                }
            }
            told.push('\n');
        }
    }
    assert_snapshot!(told);
}

#[test]
fn details_follow_what_is_seen() {
    let folder = &ground();
    for [how, config_says, expected] in table(
        "
        plays on | reuse = true | in one process (seed 1 is the same game after others)
        takes no seed | seed = false | on the same seed (not expected: seed = false)
        wants two lines | # | (2 lines, within 100 to 200 ms)
        draws | # | (FRAME with 12 of 12 questions)
        ",
    ) {
        config(folder, "arena.toml", how, config_says);
        let out = line(folder, "check arena.toml:letters --seeds 2");
        out.status(0).contains(expected);
    }
}

#[test]
fn a_program_can_read_it() {
    let folder = &ground();
    config(folder, "arena.toml", "dies of garbage", "");
    let out = line(folder, "check arena.toml --json --seeds 2");
    out.status(1);
    let report: Value = serde_json::from_str(&said(&out)).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["checks"].as_array().unwrap().len(), 10);
    let failed = &report["checks"][7];
    assert_eq!(failed["check"], "no_action");
    assert_eq!(failed["outcome"], "failed");
    has(failed["problem"]["what"].as_str().unwrap(), "ValueError");
}

#[test]
fn a_bot_is_checked_in_the_game_of_a_referee() {
    let folder = &ground();
    let slow = format!("sleep 0.7; read -r hello; read -r bot; {}", bot("echo a"));
    for (name, script) in [
        ("one", bot("echo a")),
        ("two", bot("echo a; echo b")),
        ("wrong", bot("echo c")),
        ("later", bot("echo ${said-a}; said=c")),
        ("slow", slow),
    ] {
        write(folder, name, script);
    }
    let mut told = String::new();
    // A turn that needs no answer doesn't use up the longer time of the first answer.
    for [how, bot] in table(
        "
        plays well | one
        plays well | two
        plays well | wrong
        wants two lines | two
        wants two lines | one
        lists nothing | one
        objects in words | wrong
        objects, and asks on | later
        eliminates | one
        tells first | slow
        ",
    ) {
        config(folder, "arena.toml", how, "");
        let limits = if bot == "slow" {
            "--set clock.startup_ms=60000"
        } else {
            "--set clock.turn_ms=1500 --set clock.first_turn_ms=1500 --set clock.startup_ms=0"
        };
        let out = line(
            folder,
            &format!("check arena.toml 'sh {bot}' --seeds 1 {limits}"),
        );
        let (status, text) = (out.status.code().unwrap(), said(&out));
        writeln!(told, "{how}, {bot}: exit status {status}").unwrap();
        for line in text.lines().skip(2) {
            let is_left_out = line.starts_with("not reached") || line.contains(" again: ");
            let line = line.split(" (p50").next().unwrap();
            let is_told = line.contains(" line") || line.contains("referee");
            if !is_left_out && (is_told || !line.starts_with("ok ")) {
                writeln!(told, "{line}").unwrap();
            }
        }
        told.push('\n');
    }
    assert_snapshot!(told);
}

/// Why a seat failed is in everything that a run writes, without the markup of the site.
#[test]
fn a_run_quotes_the_referee() {
    let folder = &ground();
    let bots = [("one", "echo a"), ("wrong", "echo c d")];
    let played = run(folder, "objects in words", "", bots);
    let replayed = said(&line(folder, "replay results/run 0"));
    line(
        folder,
        "report results/run --junit junit.xml --markdown summary.md",
    );
    let files = ["summary.md", "results/run/report.html", "junit.xml"];
    let texts = files.map(|file| read(folder, file));
    for text in [played, replayed].iter().chain(&texts) {
        // Each place escapes quotes in its own way.
        let names = ["wrong, one", "one, wrong"];
        let said = names.map(|names| format!("{names}: expected a or b but got"));
        assert!(said.iter().any(|said| text.contains(said)), "{text}");
        assert!(!text.contains("RED"), "{text}");
    }
}

/// A seat that is asked for no more answers was refused, whatever its score.
#[test]
fn a_refused_answer_is_a_fault_of_a_winner_too() {
    let bots = [("one", "echo a"), ("later", "echo ${said-a}; said=c")];
    let said = run(&ground(), "objects, and asks on", "", bots);
    for seat in [0, 1] {
        let fault = format!("later, seat {seat}, turn 2: invalid_action \"c\"");
        has(&said, &fault);
    }
    assert!(!said.contains("one, seat"), "{said}");
}

/// A referee may tell a bot what happens after it failed.
#[test]
fn a_fault_has_the_turn_in_which_it_happened() {
    let bots = [("one", "echo a"), ("quits", "exit")];
    let said = run(&ground(), "keeps telling", "start_anyway = true\n", bots);
    has(&said, "quits, seat 1, turn 1: crashed");
}

#[test]
fn what_cannot_be_checked_is_told() {
    let folder = &ground();
    config(folder, "arena.toml", "plays well", "");
    check_rows(
        folder,
        "
        check onitama | 2 | can't check the referee of onitama: it is a part of arena
        check arena.toml:chess | 2 | can't find one game in arena.toml: it has arena.toml:letters
        check arena.toml true --answer a | 2 | together with
        check nowhere.toml | 2 | can't find the game in `nowhere.toml`: there is no such file
        ",
    );
}
