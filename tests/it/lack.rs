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
    Said as _, bots, copy_program, in_project, is_long, line, read, said, shell, summary, table,
    write_program,
};

const RANDOM: &str = "'arena bot onitama-random'";
/// Limits that no bot misses, however busy the machine is.
const SLOW: &str = "--set clock.first_turn_ms=600000 --set clock.turn_ms=600000";

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
    fn arena(&self, limit: &str, args: &str) -> Output {
        let id = self.id;
        let user = format!("--reuid={id} --regid={id} --clear-groups");
        let script = format!("exec setpriv {user} prlimit {limit} ./arena {args}");
        eprintln!("$ {script}");
        let folder = self.folder.path();
        let mut shell = shell(folder, &script);
        shell.env("HOME", folder).output().unwrap()
    }
}

/// The numbers in the first column of the page about exit statuses.
fn listed() -> BTreeSet<i32> {
    let mut listed = BTreeSet::new();
    for row in read(&in_project("."), "docs/reference/exit-status.md").lines() {
        let cell = row.split(" |").next().unwrap_or_default();
        for status in cell.trim_start_matches("| ").split(", ") {
            listed.extend(status.parse::<i32>());
        }
    }
    assert!(listed.len() > 10, "{listed:?}");
    listed
}

#[test]
fn no_verb_panics_without_processes_or_open_files() {
    let Some(user) = User::new(0) else { return };
    let folder = user.folder.path();
    let two = format!("{RANDOM} 'arena bot onitama-greedy'");
    let play = format!("duel onitama {two} --games 4 --seed 1 --out run");
    let played = user.arena("--nofile=1024", &play);
    assert!(folder.join("run/games.csv").exists(), "{played:?}");
    let verbs = "
        report run --html page.html
        rate run
        elo run
        sprt run
        verify run
        replay run 1
        import BATTLE BATTLE --out new
        doctor
        list languages
        check onitama 'arena bot onitama-greedy' --seeds 1
        worker nats://127.0.0.1:1
        duel onitama TWO --games 2 --out new --jobs 1
        duel onitama TWO --games 2 --out new --jobs 4
        tune onitama 'arena bot onitama-search --depth {d=1:1..9}' --units 32 --for 1s --out new --jobs 1
        tune onitama 'arena bot onitama-search --depth {d=1:1..9}' --units 32 --for 1s --out new --jobs 4
        ";
    let battle = in_project("tests/it/lack.rs").display().to_string();
    let verbs = verbs.replace("TWO", &two).replace("BATTLE", &battle);
    let (nproc, nofile) = if is_long() {
        (
            "1 2 3 4 5 6 7 8 9 10 12 14 16 20 30 50",
            "8 10 12 14 16 18 20 24 28 36 50 70",
        )
    } else {
        ("1 3 5 6 8 12", "8 14 20 28")
    };
    let mut limits = Vec::new();
    for (kind, values) in [("nproc", nproc), ("nofile", nofile)] {
        for value in values.split(' ') {
            limits.push(format!("--{kind}={value}"));
        }
    }
    let listed = listed();
    for limit in &limits {
        for [args] in table(&verbs) {
            let _ = fs::remove_dir_all(folder.join("new"));
            let done = user.arena(limit, args);
            let told = format!("{limit} {args}: {done:?}");
            assert!(listed.contains(&done.status.code().unwrap_or(-1)), "{told}");
            // Only a bot that is to blame would be seen again.
            done.lacks("panicked").lacks("see it again");
            let said = said(&done);
            if said.contains("temporarily unavailable") || said.contains("Too many open files") {
                assert!(said.contains("raise `ulimit"), "{told}");
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
        (12, "hangs", 1),
        (plenty, "fills", 1),
        (plenty, "threads", 1),
    ];
    for limit in few {
        for name in ["forks", "threads"] {
            cases.extend([(*limit, name, 1), (*limit, name, 4)]);
        }
    }
    for (limit, name, jobs) in cases {
        let run = user.folder.path().join("run");
        let _ = fs::remove_dir_all(&run);
        // Only a bot that hangs takes its limit.
        let turn = match name {
            "hangs" | "fills" => 3000,
            _ => 600_000,
        };
        let clock = format!("--set clock.first_turn_ms=600000 --set clock.turn_ms={turn}");
        let duel = format!("duel onitama 'python3 {name}.py' {RANDOM} --games 2 --seed 1");
        let args = format!("{duel} --jobs {jobs} --out run {clock}");
        let done = user.arena(&format!("--nproc={limit}"), &args);
        done.lacks("panicked");
        let told = format!("{limit} {name} {jobs}: {done:?}");
        let is_blamed = said(&done).contains("see it again");
        assert_eq!(is_blamed, name == "fills", "{told}");
        if !run.join("summary.json").exists() {
            done.contains("raise `ulimit");
            continue;
        }
        let summary = &summary(&run)["run"];
        let aborted = summary["games_aborted"].as_u64().unwrap();
        assert_eq!(done.status.code() == Some(5), aborted > 0, "{told}");
        if aborted == 0 {
            assert_ne!(name, "hangs", "{told}");
        } else {
            let why = summary["first_abort"].to_string();
            assert!(why.contains("raise `ulimit"), "{told}");
            assert!(limit < plenty, "{told}");
        }
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
    let tictactoe = in_project("referees/tictactoe.py");
    fs::copy(tictactoe, path.join("tictactoe.py")).unwrap();
    let games = "--games 2 --jobs 1 --sandbox off --out run";
    let done = line(
        path,
        &format!("duel ./referee.sh 'a=yes 0' 'b=yes 1' {games}"),
    );
    let summary = &summary(&path.join("run"))["run"];
    assert_eq!(summary["games_voided"], 1, "{done:?}");
    let why = summary["first_replay"].to_string();
    assert!(why.contains("exit code 7"), "{summary}");
    line(path, "report run --verbose")
        .contains("1 time a game was replayed, through no fault of a bot: ");
}

/// Its first answer, to seed 1, comes at once. In a game it never answers.
const SILENT: &str = "#!/bin/sh\nread -r l; [ $ARENA_SEED = 1 ] && echo 0; sleep 1000\n";

#[test]
fn a_run_without_a_result_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_program(&path.join("silent"), SILENT);
    let sweep = "[sweep]\nbot = 'a'\nagainst = ['b']\n[sweep.values]\nx = [1, 2]";
    let config = format!(
        "[run]\nname = 'mine'\ngame = 'onitama'\nformat = 'sweep'\n{sweep}\n{}",
        bots("a | ./silent {x}\n b | arena bot onitama-random")
    );
    fs::write(path.join("sweep.toml"), config).unwrap();
    let runs = "
        duel onitama ./silent RANDOM
        duel onitama ./silent RANDOM 'arena bot onitama-greedy'
        duel onitama ./silent RANDOM --sprt 0,10
        run sweep.toml
        ";
    for [args] in table(&runs.replace("RANDOM", RANDOM)) {
        let args = format!("{args} {SLOW} --for 1ms --grace 0 --jobs 1");
        let _ = fs::remove_dir_all(path.join("run"));
        for resume in ["", "--resume"] {
            line(path, &format!("{args} --out run {resume}"))
                .status(4)
                .contains("error: no game was played: --for was over before the first one ended");
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
    let limits = format!("{SLOW} --for 3s --grace 0 --jobs 1 --sandbox off");
    let done = line(
        path,
        &format!("tune onitama './hangs {{x=1:0..9}}' {limits}"),
    );
    done.status(4)
        .contains("nothing is known until a block is complete");
}

/// What is mounted for each command, its exit status and what it says.
const MOUNTS: &str = "
{noexec} | arena check onitama place/bot --seeds 1 | 3 | {advice}
{noexec} | arena duel onitama place/bot ./bot --games 2 | 3 | {advice}
{noexec} | chmod -x place/bot; arena start place/bot | 3 | {advice}
{noexec} | arena check onitama 'python3 place/bot' --seeds 1 | 0 | ready to play
{closed} | XDG_CACHE_HOME= HOME=$PWD/place arena check onitama bot.rs | 3 | {cache}
{closed} | XDG_CACHE_HOME=$PWD/place arena check onitama bot.rs | 3 | {cache}
true | TMPDIR= arena check onitama ./bot --seeds 1 | 0 | ready to play
true | TMPDIR= arena start -- sh -c 'echo $TMPDIR' |grep ^/tmp/ | 0 | /tmp/
true | TMPDIR= XDG_CACHE_HOME= HOME= arena list languages | 0 | .py
";

#[test]
fn folders_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let starter = in_project("starters/onitama/bot.rs");
    fs::copy(starter, path.join("bot.rs")).unwrap();
    let program = format!("#!/usr/bin/env python3\n{}", bot("pass"));
    write_program(&path.join("bot"), &program);
    fs::create_dir(path.join("place")).unwrap();
    let rows = MOUNTS
        .replace(
            "{noexec}",
            "mount -t tmpfs -o noexec tmpfs place && cp bot place",
        )
        .replace("{closed}", "mount -t tmpfs -o ro tmpfs place")
        .replace(
            "{advice}",
            "its folder is mounted with `noexec`; move it, or name its interpreter first",
        )
        .replace(
            "{cache}",
            "(set XDG_CACHE_HOME to one that may be written to): Read-only file system",
        );
    for [mount, command, status, text] in table(&rows) {
        eprintln!("$ {mount} && {command}");
        let alone = "unshare -mr true || exit 77; exec unshare -mr sh -c \"$0\"";
        let mut shell = shell(path, alone);
        let done = shell.arg(format!("{mount} && {command}")).output().unwrap();
        if done.status.code() == Some(77) {
            return;
        }
        done.status(status.parse().unwrap()).contains(text);
    }
    let cache = path.join(".cache");
    assert!(!cache.exists(), "an empty HOME isn't the current folder");
}
