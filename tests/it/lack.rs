//! A machine that lacks processes, memory, open files, folders or time. No bot is to blame for
//! that, nothing panics, and the exit status says what happened.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, id};

use rustix::process::geteuid;
use tempfile::TempDir;

use crate::programs::{
    self, arena, copy_program, is_long, said, stderr, stdout, summary, write_program,
};

const RANDOM: &str = "arena bot onitama-random";
const GREEDY: &str = "arena bot onitama-greedy";
/// Limits that no bot misses, however busy the machine is.
const SLOW: [&str; 4] = [
    "--set",
    "clock.first_turn_ms=600000",
    "--set",
    "clock.turn_ms=600000",
];

/// A bot for Onitama that takes the first legal action. It runs these lines before each answer but
/// the first.
fn bot(turn: &str) -> String {
    format!(
        "import os, subprocess, sys, threading, time\n\
         turns = 0\n\
         def turn():\n {turn}\n\
         input()\n\
         try:\n \
          while True:\n  \
           [input() for _ in range(10)]\n  \
           actions = [input() for _ in range(int(input()))]\n  \
           turns += 1\n  \
           if turns > 1: turn()\n  \
           print(actions[0], flush=True)\n\
         except EOFError: pass\n"
    )
}

/// A folder for a user without other processes, whose limit of processes counts. Root has none.
struct User {
    folder: TempDir,
    id: u32,
}

impl User {
    /// Returns `None` if only root could become another user, or the tools for it are missing.
    fn new(number: u32) -> Option<User> {
        let has = |tool: &str| Path::new("/usr/bin").join(tool).exists();
        if !geteuid().is_root() || !has("setpriv") || !has("prlimit") {
            eprintln!("not tried: this needs root, setpriv and prlimit");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let all = fs::Permissions::from_mode(0o777);
        fs::set_permissions(folder.path(), all).unwrap();
        copy_program(env!("CARGO_BIN_EXE_arena"), &folder.path().join("arena"));
        let id = 100_000 + id() % 50_000 * 10 + number;
        Some(User { folder, id })
    }

    /// Runs arena under a limit, such as `--nproc=5`.
    fn arena(&self, limit: &str, args: &[&str]) -> Output {
        let folder = self.folder.path();
        let mut command = programs::shell(folder, r#"exec setpriv "$@""#);
        let id = self.id;
        command.arg("sh").args([
            &format!("--reuid={id}"),
            &format!("--regid={id}"),
            "--clear-groups",
            "prlimit",
            limit,
            "./arena",
        ]);
        command.args(args).env("HOME", folder).output().unwrap()
    }
}

/// The numbers in the first column of the page about exit statuses.
fn listed() -> BTreeSet<i32> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/exit-status.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let numbers = rows
        .filter_map(|row| row.split_once(" |"))
        .map(|(statuses, _)| statuses);
    numbers
        .flat_map(|statuses| statuses.split(", "))
        .filter_map(|status| status.parse().ok())
        .collect()
}

#[test]
fn no_verb_panics_without_processes_or_open_files() {
    let Some(user) = User::new(0) else { return };
    let out = user.folder.path().join("new");
    let play = ["--games", "4", "--seed", "1", "--out", "run"];
    let played = user.arena(
        "--nofile=1024",
        &[&["duel", "onitama", RANDOM, GREEDY], &play[..]].concat(),
    );
    assert!(
        out.parent().unwrap().join("run/games.csv").exists(),
        "{}",
        said(&played)
    );
    let battle = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/lack.rs");
    let battle = battle.to_str().unwrap();
    let tuned = "arena bot onitama-search --depth {d=1:1..9}";
    let duel = [
        "duel", "onitama", RANDOM, GREEDY, "--games", "2", "--out", "new",
    ];
    let tune = [
        "tune", "onitama", tuned, "--units", "32", "--for", "1s", "--out", "new",
    ];
    let verbs: &[&[&str]] = &[
        &["report", "run", "--html", "page.html"],
        &["rate", "run"],
        &["elo", "run"],
        &["sprt", "run"],
        &["verify", "run"],
        &["replay", "run", "1"],
        &["import", battle, battle, "--out", "new"],
        &["doctor"],
        &["list", "languages"],
        &["check", "onitama", GREEDY, "--seeds", "1"],
        &["worker", "nats://127.0.0.1:1"],
        &[&duel[..], &["--jobs", "1"]].concat(),
        &[&duel[..], &["--jobs", "4"]].concat(),
        &[&tune[..], &["--jobs", "1"]].concat(),
        &[&tune[..], &["--jobs", "4"]].concat(),
    ];
    let limits: &[(&str, &[u32])] = if is_long() {
        &[
            (
                "nproc",
                &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30, 50],
            ),
            ("nofile", &[8, 10, 12, 14, 16, 18, 20, 24, 28, 36, 50, 70]),
        ]
    } else {
        &[
            ("nproc", &[1, 3, 5, 6, 8, 12]),
            ("nofile", &[8, 14, 20, 28]),
        ]
    };
    let listed = listed();
    assert!(listed.len() > 10, "{listed:?}");
    for (kind, values) in limits {
        for limit in values.iter().map(|value| format!("--{kind}={value}")) {
            for args in verbs {
                let _ = fs::remove_dir_all(&out);
                let done = user.arena(&limit, args);
                let told = format!("{limit} {args:?}: {done:?}");
                assert!(listed.contains(&done.status.code().unwrap_or(-1)), "{told}");
                let said = said(&done);
                assert!(!said.contains("panicked"), "{told}");
                assert!(!said.contains("see it again"), "a bot is blamed: {told}");
                let lacks = ["temporarily unavailable", "Too many open files"];
                if lacks.iter().any(|lack| said.contains(lack)) {
                    assert!(said.contains("raise `ulimit"), "{told}");
                }
            }
        }
    }
}

/// Bots start processes and threads in their second turn, and end or hang if these are refused.
/// Only the one that takes its whole share of plenty loses.
#[test]
fn no_bot_is_blamed_for_what_the_machine_lacks() {
    let Some(user) = User::new(1) else { return };
    let forks = "[p.wait() for p in [subprocess.Popen('true') for _ in range(3)]]";
    let threads = "pool = [threading.Thread(target=time.sleep, args=(.01,), daemon=True) for _ in range(12)]\n [t.start() for t in pool]\n [t.join() for t in pool]";
    let hangs = format!(
        "try: {forks}\n except OSError: print('fork: retry', file=sys.stderr); time.sleep(60)"
    );
    let fills = "try:\n  while os.fork(): pass\n except OSError: pass\n time.sleep(60)";
    for (name, turn) in [
        ("forks", forks),
        ("threads", threads),
        ("hangs", &hangs),
        ("fills", fills),
    ] {
        write_program(&user.folder.path().join(format!("{name}.py")), &bot(turn));
    }
    let few: &[u32] = if is_long() {
        &[9, 10, 11, 12, 13, 14, 16, 18, 20, 24, 28, 34, 40, 60]
    } else {
        &[9, 14, 40]
    };
    let plenty = 1500;
    let mut cases = vec![
        (12, "hangs", "1"),
        (plenty, "fills", "1"),
        (plenty, "threads", "1"),
    ];
    for limit in few {
        cases.extend([
            (*limit, "forks", "1"),
            (*limit, "forks", "4"),
            (*limit, "threads", "1"),
            (*limit, "threads", "4"),
        ]);
    }
    for (limit, name, jobs) in cases {
        let bot = format!("python3 {name}.py");
        let run = user.folder.path().join("run");
        let _ = fs::remove_dir_all(&run);
        let duel = [
            "duel", "onitama", &bot, RANDOM, "--games", "2", "--seed", "1", "--jobs", jobs,
            "--out", "run",
        ];
        // Only a bot that hangs takes its limit.
        let turn = if ["hangs", "fills"].contains(&name) {
            "3000"
        } else {
            "600000"
        };
        let turn = format!("clock.turn_ms={turn}");
        let clock = ["--set", "clock.first_turn_ms=600000", "--set", &turn];
        let done = user.arena(&format!("--nproc={limit}"), &[&duel[..], &clock].concat());
        let told = format!("{limit} {name} {jobs}: {done:?}");
        assert!(!said(&done).contains("panicked"), "{told}");
        assert_eq!(
            said(&done).contains("see it again"),
            name == "fills",
            "{told}"
        );
        if !run.join("summary.json").exists() {
            assert!(said(&done).contains("raise `ulimit"), "{told}");
            continue;
        }
        let summary = &summary(&run)["run"];
        let aborted = summary["games_aborted"].as_u64().unwrap();
        assert_eq!(done.status.code() == Some(5), aborted > 0, "{told}");
        assert!(
            aborted == 0 || summary["first_abort"].to_string().contains("raise `ulimit"),
            "{told}"
        );
        assert!(aborted == 0 || limit < plenty, "{told}");
        assert!(aborted > 0 || name != "hangs", "{told}");
    }
}

/// A referee that breaks in its third start: the first two are probes and the first game.
#[test]
fn a_game_that_is_played_again_is_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let referee =
        "#!/bin/sh\necho >>starts\n[ $(wc -l <starts) = 3 ] && exit 7\nexec python3 tictactoe.py\n";
    write_program(&path.join("referee.sh"), referee);
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(
        project.join("referees/tictactoe.py"),
        path.join("tictactoe.py"),
    )
    .unwrap();
    let duel = [
        "duel",
        "./referee.sh",
        "a=yes 0",
        "b=yes 1",
        "--games",
        "2",
        "--jobs",
        "1",
        "--sandbox",
        "off",
        "--out",
        "run",
    ];
    let done = arena(path, &duel);
    let summary = &summary(&path.join("run"))["run"];
    assert_eq!(summary["games_voided"], 1, "{done:?}");
    assert!(
        summary["first_replay"].to_string().contains("exit code 7"),
        "{summary}"
    );
    let told = stdout(&arena(path, &["report", "run", "--verbose"]));
    assert!(
        told.contains("1 time a game was replayed, through no fault of a bot: "),
        "{told}"
    );
}

/// Its first answer, to seed 1, comes at once. In a game it never answers.
const SILENT: &str = "sh -c 'read -r l; [ $ARENA_SEED = 1 ] && echo 0; sleep 1000'";

#[test]
fn a_run_without_a_result_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let config = |table: &str| {
        format!(
            "[run]\nname = \"mine\"\ngame = \"onitama\"\n{table}\n[clock]\nfirst_turn_ms = 600000\nturn_ms = 600000\n\
             [[bot]]\nname = \"a\"\ncommand = \"\"\"{SILENT} {{x}}\"\"\"\n[[bot]]\nname = \"b\"\ncommand = \"{RANDOM}\"\n"
        )
    };
    let sweep =
        "format = \"sweep\"\n[sweep]\nbot = \"a\"\nagainst = [\"b\"]\n[sweep.values]\nx = [1, 2]";
    fs::write(path.join("sweep.toml"), config(sweep)).unwrap();
    let short = ["--for", "1ms", "--grace", "0", "--jobs", "1", "--out"];
    let duel = [&["duel", "onitama", SILENT, RANDOM][..], &SLOW, &short].concat();
    let three = [
        &["duel", "onitama", SILENT, RANDOM, GREEDY][..],
        &SLOW,
        &short,
    ]
    .concat();
    let sprt = [
        &["duel", "onitama", SILENT, RANDOM, "--sprt", "0,10"][..],
        &SLOW,
        &short,
    ]
    .concat();
    let sweep = [&["run", "sweep.toml"][..], &short].concat();
    let why = "error: no game was played: --for was over before the first one ended";
    for (number, words) in [duel, three, sprt, sweep].into_iter().enumerate() {
        let run = format!("run-{number}");
        for further in [None, Some("--resume")] {
            let mut words = words.clone();
            words.push(&run);
            words.extend(further);
            let done = arena(path, &words);
            assert_eq!(done.status.code(), Some(4), "{words:?}: {done:?}");
            assert!(stderr(&done).contains(why), "{words:?}: {done:?}");
        }
    }
}

/// Some games end, but no block of the tuning or of the sweep.
#[test]
fn a_study_that_knows_nothing_has_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // The bot of the third game and later hangs.
    let hangs = "#!/bin/sh\necho >>starts\n[ $(wc -l <starts) -gt 9 ] && exec sleep 1000\nexec $ARENA bot onitama-random\n";
    let arena_path = env!("CARGO_BIN_EXE_arena");
    write_program(&path.join("hangs"), &hangs.replace("$ARENA", arena_path));
    let tuned = "./hangs {x=1:0..9}";
    let short = [
        "--for",
        "3s",
        "--grace",
        "0",
        "--jobs",
        "1",
        "--sandbox",
        "off",
    ];
    let tune = [&["tune", "onitama", tuned][..], &SLOW, &short].concat();
    let done = arena(path, &tune);
    assert_eq!(done.status.code(), Some(4), "{done:?}");
    assert!(
        said(&done).contains("nothing is known until a block is complete"),
        "{done:?}"
    );
}

/// Each row runs with mounts of its own.
#[test]
fn folders_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("starters/onitama/bot.rs");
    fs::copy(starter, path.join("bot.rs")).unwrap();
    write_program(
        &path.join("bot"),
        &format!("#!/usr/bin/env python3\n{}", bot("pass")),
    );
    fs::create_dir(path.join("place")).unwrap();
    let noexec = "mount -t tmpfs -o noexec tmpfs place && cp bot place && ";
    let closed = "mount -t tmpfs -o ro tmpfs place && ";
    let advice = "its folder is mounted with `noexec`; move it, or name its interpreter first";
    let cache = "(set XDG_CACHE_HOME to one that may be written to): Read-only file system";
    for (mount, command, code, says) in [
        (noexec, "arena check onitama place/bot --seeds 1", 3, advice),
        (
            noexec,
            "arena duel onitama place/bot ./bot --games 2",
            3,
            advice,
        ),
        (
            noexec,
            "chmod -x place/bot; arena start place/bot",
            3,
            advice,
        ),
        (
            noexec,
            "arena check onitama 'python3 place/bot' --seeds 1",
            0,
            "",
        ),
        (
            closed,
            "XDG_CACHE_HOME= HOME=$PWD/place arena check onitama bot.rs",
            3,
            cache,
        ),
        (
            closed,
            "XDG_CACHE_HOME=$PWD/place arena check onitama bot.rs",
            3,
            cache,
        ),
        ("", "TMPDIR= arena check onitama ./bot --seeds 1", 0, ""),
        (
            "",
            "TMPDIR= arena start -- sh -c 'echo $TMPDIR' | grep ^/tmp/",
            0,
            "",
        ),
        (
            "",
            "TMPDIR= XDG_CACHE_HOME= HOME= arena list languages",
            0,
            "",
        ),
    ] {
        let mut shell = programs::shell(
            path,
            "unshare -mr true || exit 77; exec unshare -mr sh -c \"$0\"",
        );
        let done = shell.arg(format!("{mount}{command}")).output().unwrap();
        if done.status.code() == Some(77) {
            return;
        }
        assert_eq!(done.status.code(), Some(code), "{command}: {done:?}");
        assert!(said(&done).contains(says), "{command}: {done:?}");
    }
    assert!(
        !path.join(".cache").exists(),
        "an empty HOME isn't the current folder"
    );
}
