//! A machine that is not as it should be: a full standard output, no folder for temporary files, no `/proc`, run directories that
//! vanish or are not what they were.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::programs;

const BOTS: [&str; 2] = ["arena bot onitama-random", "arena bot onitama-greedy"];

fn arena(folder: &Path, args: &[&str]) -> Command {
    let mut command = programs::command(folder, args);
    command.env("COLUMNS", "1000");
    command
}

/// With limits that a busy machine keeps.
fn duel<'a>(games: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    [
        &[
            "duel",
            "onitama",
            BOTS[0],
            BOTS[1],
            "--set",
            "clock.first_turn_ms=60000",
            "--set",
            "clock.turn_ms=60000",
            "--games",
            games,
            "--out",
            "run",
        ],
        flags,
    ]
    .concat()
}

fn said(out: &Output) -> (Option<i32>, String) {
    (
        out.status.code(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
    )
}

#[test]
fn a_full_standard_output_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let played = arena(folder, &duel("2", &[])).output().unwrap();
    assert!(played.status.success(), "{played:?}");
    let again = [
        "duel", "onitama", BOTS[0], BOTS[1], "--games", "2", "--out", "again",
    ];
    let cases: [&[&str]; 14] = [
        &["report", "run"],
        &["rate", "run"],
        &["verify", "run"],
        &["elo", "run"],
        &["replay", "run", "1"],
        &["list", "bots"],
        &["list", "games"],
        &["list", "languages"],
        &["--help"],
        &["--version"],
        &["perft", "minishogi", "--depth", "2"],
        &["check", "onitama", BOTS[0], "--seeds", "1"],
        &["init", "mine"],
        &again,
    ];
    for args in cases {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, stderr) = said(&arena(folder, args).stdout(full).output().unwrap());
        assert_eq!(code, Some(70), "{args:?}: {stderr}");
        assert!(
            stderr.contains("error: can't write standard output: No space left"),
            "{args:?}: {stderr}"
        );
    }
    let report = fs::metadata(folder.join("again/summary.json"));
    assert!(
        report.is_ok(),
        "a run is there, whoever reads what is printed"
    );
}

#[test]
fn what_the_machine_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), "").unwrap();
    for (temporary, cause) in [
        ("/nonexistent", "No such file or directory"),
        ("file", "Not a directory"),
        ("/proc/1", "No such file"),
    ] {
        for args in [&duel("2", &[])[..], &["check", "onitama", BOTS[0]]] {
            let (code, stderr) = said(
                &arena(folder, args)
                    .env("TMPDIR", temporary)
                    .output()
                    .unwrap(),
            );
            let expected = format!(
                "error: can't use {temporary} as folder for temporary files: set TMPDIR to one that may be written to: {cause}"
            );
            assert_eq!(code, Some(3), "{stderr}");
            assert!(stderr.starts_with(&expected), "{stderr}");
        }
    }
}

/// Needs a namespace without `/proc`.
#[test]
fn a_missing_proc_is_named() {
    let without = |command: &str| {
        Command::new("unshare")
            .args(["-mr", "sh", "-c", &format!("umount -l /proc && {command}")])
            .output()
    };
    if !without("true").is_ok_and(|out| out.status.success()) {
        return;
    }
    let program = env!("CARGO_BIN_EXE_arena");
    let (code, stderr) = said(&without(&format!("{program} check onitama '{}'", BOTS[0])).unwrap());
    assert_eq!(code, Some(3), "{stderr}");
    assert!(
        stderr.starts_with("error: can't read /proc/self/exe: /proc must be mounted, "),
        "{stderr}"
    );
}

#[test]
fn a_plan_that_is_no_text_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(
        arena(folder, &duel("2", &[]))
            .output()
            .unwrap()
            .status
            .success()
    );
    fs::write(folder.join("run/plan.toml"), b"\xff\xfe").unwrap();
    for args in [
        &["report", "run"][..],
        &duel("2", &["--resume"]),
        &duel("2", &[]),
        &["rate", "run"],
        &["verify", "run"],
    ] {
        let (code, stderr) = said(&arena(folder, args).output().unwrap());
        assert_eq!(code, Some(3), "{args:?}: {stderr}");
        assert!(
            stderr.contains("error: can't read run/plan.toml: it is not UTF-8 text"),
            "{args:?}: {stderr}"
        );
    }
}

#[test]
fn a_finished_run_that_is_resumed_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = arena(folder, &duel("2", &[])).output().unwrap();
    let files = ["summary.json", "ratings.csv"];
    let written = files.map(|file| fs::read(folder.join("run").join(file)).unwrap());
    // As a kill leaves them: an old page, and a table that is missing.
    fs::write(folder.join("run/report.html"), "an old page").unwrap();
    fs::remove_file(folder.join("run/ratings.csv")).unwrap();
    let again = arena(folder, &duel("2", &["--resume"])).output().unwrap();
    let told = "run: it holds a finished run of 2 games: nothing is left to play\n".to_owned();
    assert_eq!(said(&again), (Some(0), told));
    assert_eq!(
        String::from_utf8_lossy(&again.stdout),
        String::from_utf8_lossy(&first.stdout)
    );
    assert_eq!(
        files.map(|file| fs::read(folder.join("run").join(file)).unwrap()),
        written
    );
    let page = fs::read_to_string(folder.join("run/report.html")).unwrap();
    assert!(page.contains("</html>"), "the page is written again");
    // Without it, it is in the way of another.
    assert_eq!(
        arena(folder, &duel("2", &[]))
            .output()
            .unwrap()
            .status
            .code(),
        Some(3)
    );
    // A larger run continues.
    assert!(
        arena(folder, &duel("4", &["--resume"]))
            .output()
            .unwrap()
            .status
            .success()
    );
}

#[test]
fn a_run_directory_that_vanishes_ends_the_run() {
    for moved in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let mut arena = arena(folder.path(), &duel("1000000", &["--quiet"]));
        let arena = arena
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !fs::metadata(run.join("records.jsonl")).is_ok_and(|file| file.len() > 0) {
            sleep(Duration::from_millis(5));
        }
        if moved {
            fs::rename(&run, folder.path().join("elsewhere")).unwrap();
        } else {
            fs::remove_dir_all(&run).unwrap();
        }
        let (code, stderr) = said(&arena.wait_with_output().unwrap());
        assert_eq!(code, Some(70), "{stderr}");
        let expected = "error: can't write run/records.jsonl: it was removed, moved or replaced during the run";
        assert!(stderr.contains(expected), "{stderr}");
    }
}

/// The folder of a run tells its seed and what others answered. A bot that lies beside it reads its own folder without it.
#[test]
fn no_bot_reads_the_run_that_it_plays_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = include_str!("../languages/bot.sh");
    let spy = "cat book.txt openings/plan.toml >/dev/null && ls >/dev/null || exit 3\n\
        for file in \"$@\" results/*/plan.toml results/*/*/plan.toml results/*/*.jsonl link/plan.toml outside run.toml fresh/*/plan.toml; do cat $file 2>/dev/null && exit 4; done\n";
    fs::write(folder.join("spy.sh"), spy.to_owned() + bot).unwrap();
    fs::write(folder.join("book.txt"), "").unwrap();
    // Links beside the bot open nothing either.
    let outside = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    symlink("results/run", folder.join("link")).unwrap();
    // Nor do links that the command names, as if they were files of the bot.
    symlink("run.toml", folder.join("rules.bin")).unwrap();
    symlink("results/run/plan.toml", folder.join("old.bin")).unwrap();
    // This is no run.
    fs::create_dir(folder.join("openings")).unwrap();
    fs::write(folder.join("openings/plan.toml"), "checksum = 1\n").unwrap();
    symlink(outside.path(), folder.join("outside")).unwrap();
    let config = "[run]\ngame = \"onitama\"\ngames = 4\njobs = 1\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
        [[bot]]\nname = \"a\"\ncommand = \"spy.sh rules.bin old.bin\"\n[[bot]]\nname = \"b\"\ncommand = \"arena bot onitama-random\"\n";
    fs::write(folder.join("run.toml"), config).unwrap();
    // Another run may have the same seed.
    for other in ["results/other", "results/a/other"] {
        fs::create_dir_all(folder.join(other)).unwrap();
        fs::write(folder.join(other).join("plan.toml"), "checksum = \"x\"\n").unwrap();
    }
    for out in [
        "results/run",
        "results/run",
        "results/b/run",
        "new/../fresh/run",
    ] {
        if out.starts_with("new") {
            fs::remove_dir_all(folder.join("results")).unwrap();
        }
        let played = arena(folder, &["run", "run.toml", "--force", "--out", out])
            .output()
            .unwrap();
        assert!(played.status.success(), "{out}: {played:?}");
        let games = fs::read_to_string(folder.join(out).join("games.csv")).unwrap();
        assert!(!games.contains("crashed"), "{games}\n{played:?}");
    }
}

/// arena neither waits for a writer of a pipe nor reads a device without end.
#[test]
fn a_pipe_or_device_in_the_place_of_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let shell = |script: &str| {
        let out = programs::shell(folder, script).output().unwrap();
        (out.status.code(), programs::said(&out))
    };
    let play = "arena duel onitama 'arena bot onitama-random' 'arena bot onitama-greedy' --games 2 \
        --set clock.first_turn_ms=60000 --set clock.turn_ms=60000 --out run --quiet && mkfifo pipe";
    assert_eq!(shell(play).0, Some(0));
    for (file, command) in [
        ("plan.toml", "report"),
        ("plan.toml", "verify"),
        ("plan.toml", "rate"),
        ("plan.toml", "replay"),
        ("records.jsonl", "report"),
        ("records.jsonl", "verify"),
        ("records.jsonl", "replay"),
        ("games.csv", "report"),
        ("games.csv", "rate"),
        ("games.csv", "elo"),
        ("summary.json", "report"),
        ("summary.json", "rate"),
    ] {
        for (other, what) in [("pipe", "named pipe"), ("/dev/zero", "device")] {
            let script = format!(
                "rm -rf copy && cp -r run copy && ln -sf $(realpath {other}) copy/{file} && timeout 120 arena {command} copy"
            );
            let (code, said) = shell(&script);
            // The rest of a summary is not needed to rate.
            let is_note = (file, command) == ("summary.json", "rate");
            let expected = format!("{file}: it is a {what}");
            assert!(
                is_note && code == Some(0) || code == Some(3) && said.contains(&expected),
                "{script}: {code:?} {said}"
            );
        }
    }
    for command in [
        "run pipe",
        "run /dev/zero",
        "verify pipe",
        "verify /dev/zero",
        "replay pipe",
        "rate pipe",
        "rate /dev/zero",
        "minishogi --file pipe",
    ] {
        let (code, said) = shell(&format!("timeout 120 arena {command}"));
        assert_eq!(code, Some(3), "{command}: {said}");
        assert!(said.contains(": it is a "), "{command}: {said}");
    }
    // Nothing is read there, so it is only in the way.
    let (code, said) = shell("mkfifo run/pending && timeout 120 arena report run");
    assert_eq!(code, Some(0), "{said}");
}

/// Records and tables of counts may come from another program.
#[test]
fn a_pipe_from_another_program_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for script in [
        "arena verify <(cat run/records.jsonl)",
        "gzip -c run/records.jsonl | arena verify /dev/stdin",
        "arena replay <(cat run/records.jsonl) 1",
        "arena rate <(printf 'first,second,wins,draws,losses\na,b,3,2,1\n')",
    ] {
        let play = "arena duel onitama 'arena bot onitama-random' 'arena bot onitama-greedy' --games 2 \
            --set clock.first_turn_ms=60000 --set clock.turn_ms=60000 --out run --quiet --force";
        let out = programs::shell(folder.path(), &format!("{play} && {script}"))
            .output()
            .unwrap();
        assert!(out.status.success(), "{script}: {}", programs::said(&out));
    }
}
