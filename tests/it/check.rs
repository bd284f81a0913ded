//! `arena check`: bots that play pass, and a failure says what is wrong.

use std::fmt::Write as _;
use std::fs;
use std::process::Child;

use insta::assert_snapshot;
use serde_json::Value;

use crate::programs::{
    Said as _, check_rows, line, new_folder, read, said, sample_bot, start, write,
};

/// Reads one turn of Onitama into `$first`, its first action; ends with its input.
const TURN: &str = r#"
turn() {
  [ -n "$seat" ] || read -r seat || exit 0
  for i in 1 2 3 4 5 6 7 8 9 10 n; do read -r n || exit 0; done
  i=0; while [ $i -lt $n ]; do read -r action; [ $i -gt 0 ] || first=$action; i=$((i+1)); done
}
"#;

/// A bot for Code of Kutulu.
const WAITS: &str = r"
read -r width; read -r height
while [ $height -ge 0 ]; do read -r line; height=$((height-1)); done
while read -r n; do while [ $n -gt 0 ]; do read -r line; n=$((n-1)); done; echo WAIT; done
";

/// Limits that each bot keeps that plays at all.
const LIMITS: &str = "--set clock.turn_ms=10000 --set clock.first_turn_ms=10000";

/// Times differ: every number before ` ms` that was measured.
fn timeless(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        let before = words[at - 1].rsplit('\n').next().unwrap();
        let measured = ["(p50", "p50", "max", "after", "(CPU"].contains(&before);
        if measured && words.get(at + 1).is_some_and(|unit| unit.starts_with("ms")) {
            words[at] = "#";
        }
    }
    words.join(" ")
}

#[test]
fn bots_that_play_pass() {
    let folder = &new_folder();
    let deep = format!("{TURN} while turn; do echo \"$first\"; done");
    let deep = format!("deep=DEPTH=9 sh -c '[ $DEPTH = 9 ] || exit; {deep}'");
    for bot in [
        format!("minishogi {}", sample_bot("minishogi-greedy")),
        format!("dice_shogi {}", sample_bot("dice-shogi-random")),
        format!("onitama -- {} --depth 2", sample_bot("onitama-search")),
        format!("Onitama {}", shlex::try_quote(&deep).unwrap()),
        format!("kutulu -- sh -c '{WAITS}'"),
    ] {
        let out = line(folder, &format!("check {LIMITS} --seeds 2 {bot}"));
        out.status(0);
        let text = said(&out);
        let passed = text.lines().filter(|line| line.starts_with("ok  ")).count();
        assert_eq!(passed, 9, "{text}");
    }
    let saved = fs::read_dir(&**folder).unwrap().count();
    assert_eq!(saved, 0, "nothing is saved where nothing failed");
}

/// What is said of each bot, the lines that every one of them has left out. A row has the name of a
/// bot and its script. All run at the same time: most of it is waiting.
fn told(limits: &str, bots: &str) -> String {
    let folder = &new_folder();
    let mut children: Vec<(&str, Child)> = Vec::new();
    for bot in bots.trim().lines() {
        let (name, script) = bot.trim().split_once(": ").unwrap();
        write(folder, name, format!("{TURN}{script}"));
        let bot = format!("onitama --out out-{name} 'sh {name}'");
        children.push((
            name,
            start(folder, &format!("check --seeds 1 {limits} {bot}")),
        ));
    }
    let mut told = String::new();
    for (name, child) in children {
        let out = child.wait_with_output().unwrap();
        let text = said(&out);
        let mut lines: Vec<&str> = text.lines().skip(2).collect();
        lines.retain(|line| !line.starts_with("not reached"));
        let (status, lines) = (out.status.code().unwrap(), lines.join("\n"));
        writeln!(told, "{name}: exit status {status}\n{lines}\n").unwrap();
        let saved = folder.join(format!("out-{name}"));
        for file in fs::read_dir(&saved).unwrap_or_else(|error| panic!("{name}: {error}: {text}")) {
            let file = file.unwrap().file_name().into_string().unwrap();
            let case = file.split('.').next().unwrap();
            let [turn, game] = ["turn", "game"].map(|of| read(&saved, &format!("{case}.{of}.txt")));
            let ends_with_turn = !turn.is_empty() && game.ends_with(&turn);
            assert!(game.starts_with("0\n") && ends_with_turn, "{name}: {file}");
        }
    }
    let place = folder.canonicalize().unwrap().display().to_string();
    timeless(&told.replace(&place, "FOLDER"))
}

#[test]
fn what_is_wrong_with_the_output() {
    let bots = r#"
        missing-module: echo 'no module named numpy' >&2; exit 1
        closes-its-output: turn; echo "$first"; turn; exec >&-; sleep 100
        leaves-a-line: while :; do for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do read -r line || exit; done; echo "$line"; sleep 1; done
        debugs-on-stdout: while turn; do echo "$first"; echo thought about it; done
        begins-the-next: while turn; do printf '%s\n>' "$first"; done
        endless: turn; while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done
        greets: echo hello; while turn; do echo "$first"; done
        no-blank: while turn; do echo "$first" | tr -d ' '; done
        empty: while turn; do echo; done
        one-behind: while turn; do echo "${last-$first}"; last=$first; done
        crashes: turn; echo "$first"; turn; printf 'oh\033[31m\nno\n' >&2; exit 3
        takes-memory: turn; echo 'java.lang.OutOfMemoryError: Java heap space' >&2; exit 1
        writes-here: echo x > here.txt || exit 7; while turn; do echo "$first"; done
        stays: (while turn; do echo "$first"; done); sleep 100
    "#;
    let told = told(LIMITS, bots);
    assert_snapshot!(told);
}

#[test]
fn what_is_wrong_with_the_time() {
    let limits = "--set clock.turn_ms=500 --set clock.first_turn_ms=500 --set clock.startup_ms=0";
    let bots = r#"
        never-reads: sleep 100
        starts-slowly: turn; sleep 1; echo "$first"; sleep 100
        slow: turn; echo "$first"; while turn; do sleep 1; echo "$first"; done
        hangs: turn; echo "$first"; turn; sleep 100
        dies-late: turn; sleep 1; exit 4
        no-newline: while turn; do printf '%s' "$first"; done
        no-flush: turn; answer=$first; while read -r line; do :; done; echo "$answer"
        reads-too-much: turn; read -r line; echo "$line" >&2
    "#;
    let told = told(limits, bots);
    assert_snapshot!(told);
}

#[test]
fn a_program_can_read_it() {
    let folder = &new_folder();
    let out = line(folder, "check onitama false --json --out out");
    out.status(1);
    let report: Value = serde_json::from_str(&said(&out)).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["checks"].as_array().unwrap().len(), 9);
    let starts = &report["checks"][0];
    assert_eq!(starts["check"], "starts");
    assert_eq!(starts["outcome"], "failed");
    assert_eq!(starts["problem"]["ended"], "exit code 1");
    let saved = starts["files"][1].as_str().unwrap();
    assert!(folder.join(saved).exists());
}

#[test]
fn a_bot_that_cannot_be_run_is_no_verdict() {
    check_rows(
        &new_folder(),
        r#"
        check onitama ./nowhere | 3 | can't start `./nowhere`: can't find the program `./nowhere`: there is no such file
        check onitama "sh 'open" | 2 | can't split the command `sh 'open`: it ends in an open quote
        check onitama '' | 2 | it has no program
        check chess true | 2 | can't play the game `chess`: expected one of minishogi, dice_shogi, onitama, kutulu
        "#,
    );
}

#[test]
fn nothing_outlives_a_check() {
    let folder = &new_folder();
    let mark = format!("{}.125", 1_000_000 + std::process::id());
    let script = format!("{TURN} setsid sleep {mark} & while turn; do echo \"$first\"; done");
    write(folder, "daemon", script);
    line(
        folder,
        &format!("check {LIMITS} --seeds 1 onitama 'sh daemon'"),
    )
    .status(0);
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let words = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        assert!(words.split('\0').all(|word| word != mark), "{words}");
    }
}
