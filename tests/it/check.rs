//! `arena check`: bots that play pass, and a failure says what is wrong.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};

use insta::assert_snapshot;

use crate::programs::{command, sample_bot};

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

/// Times differ: every number before ` ms` that was measured.
fn timeless(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        let measured = ["(p50", "p50", "max", "after", "(CPU"]
            .contains(&words[at - 1].rsplit('\n').next().unwrap());
        if measured && words.get(at + 1).is_some_and(|unit| unit.starts_with("ms")) {
            words[at] = "#";
        }
    }
    words.join(" ")
}

#[test]
fn bots_that_play_pass() {
    let folder = tempfile::tempdir().unwrap();
    let limits = [
        "--set",
        "clock.turn_ms=10000",
        "--set",
        "clock.first_turn_ms=10000",
        "--seeds",
        "2",
    ];
    for (game, bot) in [
        ("minishogi", vec![sample_bot("minishogi-greedy")]),
        ("dice_shogi", vec![sample_bot("dice-shogi-random")]),
        (
            "onitama",
            vec![
                "--".into(),
                sample_bot("onitama-search"),
                "--depth".into(),
                "2".into(),
            ],
        ),
        (
            "Onitama",
            vec![format!(
                "deep=DEPTH=9 sh -c '[ $DEPTH = 9 ] || exit; {TURN} while turn; do echo \"$first\"; done'"
            )],
        ),
        (
            "kutulu",
            vec!["--".into(), "sh".into(), "-c".into(), WAITS.into()],
        ),
    ] {
        let bot: Vec<&str> = bot.iter().map(String::as_str).collect();
        let (code, text) = end(start(folder.path(), &[&limits[..], &[game], &bot].concat()));
        assert_eq!(code, Some(0), "{text}");
        let passed = text.lines().filter(|line| line.starts_with("ok  ")).count();
        assert_eq!(passed, 9, "{text}");
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is saved where nothing failed"
    );
}

/// What is said of each bot, the lines that every one of them has left out. All run at the same time: most of it is
/// waiting.
fn told(options: &[&str], bots: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let script = |(name, script): &(&str, &str)| {
        fs::write(folder.path().join(name), format!("{TURN}{script}")).unwrap();
        start(
            folder.path(),
            &[
                options,
                &[
                    "onitama",
                    "--out",
                    &format!("out-{name}"),
                    &format!("sh {name}"),
                ],
            ]
            .concat(),
        )
    };
    let children: Vec<Child> = bots.iter().map(script).collect();
    let mut told = String::new();
    for (child, (name, _)) in children.into_iter().zip(bots) {
        let (code, text) = end(child);
        let said: Vec<&str> = text
            .lines()
            .skip(2)
            .filter(|line| !line.starts_with("not reached"))
            .collect();
        writeln!(
            told,
            "{name}: exit status {}\n{}\n",
            code.unwrap(),
            said.join("\n")
        )
        .unwrap();
        let saved = folder.path().join(format!("out-{name}"));
        for file in fs::read_dir(&saved).unwrap_or_else(|error| panic!("{name}: {error}: {text}")) {
            let file = file.unwrap().file_name().into_string().unwrap();
            let read = |what| {
                fs::read_to_string(
                    saved.join(format!("{}.{what}.txt", file.split('.').next().unwrap())),
                )
            };
            let (turn, game) = (read("turn").unwrap(), read("game").unwrap());
            assert!(
                game.starts_with("0\n") && !turn.is_empty() && game.ends_with(&turn),
                "{name}: {file}"
            );
        }
    }
    let place = folder.path().canonicalize().unwrap().display().to_string();
    timeless(&told.replace(&place, "FOLDER"))
}

#[test]
fn what_is_wrong_with_the_output() {
    let told = told(
        &[
            "--seeds",
            "1",
            "--set",
            "clock.turn_ms=10000",
            "--set",
            "clock.first_turn_ms=10000",
        ],
        &[
            ("missing-module", "echo 'no module named numpy' >&2; exit 1"),
            (
                "closes-its-output",
                "turn; echo \"$first\"; turn; exec >&-; sleep 100",
            ),
            (
                "leaves-a-line",
                "while :; do for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do read -r line || exit; done; echo \"$line\"; sleep 1; done",
            ),
            (
                "debugs-on-stdout",
                "while turn; do echo \"$first\"; echo thought about it; done",
            ),
            (
                "begins-the-next",
                "while turn; do printf '%s\\n>' \"$first\"; done",
            ),
            (
                "endless",
                "turn; while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
            ),
            ("greets", "echo hello; while turn; do echo \"$first\"; done"),
            (
                "no-blank",
                "while turn; do echo \"$first\" | tr -d ' '; done",
            ),
            ("empty", "while turn; do echo; done"),
            (
                "one-behind",
                "while turn; do echo \"${last-$first}\"; last=$first; done",
            ),
            (
                "crashes",
                "turn; echo \"$first\"; turn; printf 'oh\\033[31m\\nno\\n' >&2; exit 3",
            ),
            (
                "takes-memory",
                "turn; echo 'java.lang.OutOfMemoryError: Java heap space' >&2; exit 1",
            ),
            (
                "writes-here",
                "echo x > here.txt || exit 7; while turn; do echo \"$first\"; done",
            ),
            ("stays", "(while turn; do echo \"$first\"; done); sleep 100"),
        ],
    );
    assert_snapshot!(told);
}

#[test]
fn what_is_wrong_with_the_time() {
    let told = told(
        &[
            "--seeds",
            "1",
            "--set",
            "clock.turn_ms=500",
            "--set",
            "clock.first_turn_ms=500",
            "--set",
            "clock.startup_ms=0",
        ],
        &[
            ("never-reads", "sleep 100"),
            ("starts-slowly", "turn; sleep 1; echo \"$first\"; sleep 100"),
            (
                "slow",
                "turn; echo \"$first\"; while turn; do sleep 1; echo \"$first\"; done",
            ),
            ("hangs", "turn; echo \"$first\"; turn; sleep 100"),
            ("dies-late", "turn; sleep 1; exit 4"),
            ("no-newline", "while turn; do printf '%s' \"$first\"; done"),
            (
                "no-flush",
                "turn; answer=$first; while read -r line; do :; done; echo \"$answer\"",
            ),
            ("reads-too-much", "turn; read -r line; echo \"$line\" >&2"),
        ],
    );
    assert_snapshot!(told);
}

#[test]
fn a_program_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = end(start(
        folder.path(),
        &["onitama", "false", "--json", "--out", "out"],
    ));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &report["ok"]), (Some(1), &serde_json::json!(false)));
    assert_eq!(report["checks"].as_array().unwrap().len(), 9);
    let starts = &report["checks"][0];
    assert_eq!(
        (&starts["check"], &starts["result"]["outcome"]),
        (&"starts".into(), &"failed".into())
    );
    assert_eq!(starts["result"]["exit"], "exit code 1");
    assert!(
        folder
            .path()
            .join(starts["files"][1].as_str().unwrap())
            .exists()
    );
}

#[test]
fn a_bot_that_cannot_be_run_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    for (args, code, said) in [
        (
            ["onitama", "./nowhere"],
            3,
            "can't start `./nowhere`: can't find the program `./nowhere`: there is no such file",
        ),
        (
            ["onitama", "sh 'open"],
            2,
            "can't split the command `sh 'open`: it ends in an open quote",
        ),
        (["onitama", ""], 2, "it has no program"),
        (
            ["chess", "true"],
            2,
            "can't play the game `chess`: expected one of minishogi, dice_shogi, onitama, kutulu",
        ),
    ] {
        let (got, text) = end(start(folder.path(), &args));
        assert_eq!(got, Some(code), "{text}");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn nothing_outlives_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("{}.125", 1_000_000 + std::process::id());
    let script = format!("{TURN} setsid sleep {mark} & while turn; do echo \"$first\"; done");
    fs::write(folder.path().join("daemon"), script).unwrap();
    let limits = [
        "--set",
        "clock.turn_ms=10000",
        "--set",
        "clock.first_turn_ms=10000",
        "--seeds",
        "1",
    ];
    let (code, text) = end(start(
        folder.path(),
        &[&limits[..], &["onitama", "sh daemon"]].concat(),
    ));
    assert_eq!(code, Some(0), "{text}");
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        fs::read_to_string(entry.path().join("cmdline"))
            .is_ok_and(|words| words.split('\0').any(|word| word == mark))
    });
    assert_eq!(left.count(), 0);
}
