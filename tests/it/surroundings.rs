//! A machine that is not as it should be: a full standard output, no folder for temporary files, no
//! `/proc`, run directories that vanish or are not what they were.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::programs::{
    self, Folder, PATIENT, Said as _, line, new_folder, read, stderr, stdout, table, write,
};

const BOTS: &str = "'arena bot onitama-random' 'arena bot onitama-greedy'";

/// The command of a duel into `run`, with limits that a busy machine keeps.
fn duel(games: u32, flags: &str) -> String {
    format!("duel onitama {BOTS} {PATIENT} --games {games} --out run {flags}")
}

/// A folder with a duel of two games in `run`.
fn played() -> Folder {
    let folder = new_folder();
    line(&folder, &duel(2, "--quiet")).status(0);
    folder
}

/// arena with these arguments, in a wide terminal.
fn arena(folder: &Path, args: &str) -> Command {
    let words = shlex::split(args).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = programs::command(folder, &words);
    command.env("COLUMNS", "1000");
    command
}

fn shell(folder: &Path, script: &str) -> Output {
    eprintln!("$ {script}");
    programs::shell(folder, script).output().unwrap()
}

#[test]
fn a_full_standard_output_is_a_failure() {
    let folder = &played();
    for args in [
        "report run",
        "rate run",
        "verify run",
        "elo run",
        "replay run 1",
        "list bots",
        "list games",
        "list languages",
        "--help",
        "--version",
        "perft minishogi --depth 2",
        "check onitama 'arena bot onitama-random' --seeds 1",
        "init mine",
        &format!("duel onitama {BOTS} --games 2 --out again"),
    ] {
        eprintln!("{args}");
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let out = arena(folder, args).stdout(full).output().unwrap();
        out.status(70)
            .contains("error: can't write standard output: No space left");
    }
    let is_there = folder.join("again/summary.json").exists();
    assert!(is_there, "a run is there, whoever reads what is printed");
}

#[test]
fn what_the_machine_lacks_is_named() {
    let folder = &new_folder();
    write(folder, "file", "");
    for (temporary, cause) in [
        ("/nonexistent", "No such file or directory"),
        ("file", "Not a directory"),
        ("/proc/1", "No such file"),
    ] {
        for args in [&duel(2, ""), "check onitama 'arena bot onitama-random'"] {
            let mut arena = arena(folder, args);
            let out = arena.env("TMPDIR", temporary).output().unwrap();
            out.status(3).begins(&format!(
                "error: can't use {temporary} as folder for temporary files: set TMPDIR to one that may be written to: {cause}"
            ));
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
    let out = without(&format!(
        "{program} check onitama 'arena bot onitama-random'"
    ))
    .unwrap();
    out.status(3)
        .begins("error: can't read /proc/self/exe: /proc must be mounted, ");
}

#[test]
fn a_plan_that_is_no_text_is_named() {
    let folder = &played();
    write(folder, "run/plan.toml", b"\xff\xfe");
    for args in [
        "report run",
        "rate run",
        "verify run",
        &duel(2, "--resume"),
        &duel(2, ""),
    ] {
        let out = line(folder, args);
        out.status(3)
            .contains("error: can't read run/plan.toml: it is not UTF-8 text");
    }
}

#[test]
fn a_finished_run_that_is_resumed_says_so() {
    let folder = &new_folder();
    let first = line(folder, &duel(2, ""));
    let files = || ["summary.json", "ratings.csv"].map(|file| read(&folder.join("run"), file));
    let written = files();
    // As a kill leaves them: an old page, and a table that is missing.
    write(folder, "run/report.html", "an old page");
    fs::remove_file(folder.join("run/ratings.csv")).unwrap();
    let again = line(folder, &duel(2, "--resume"));
    let told = "run: it holds a finished run of 2 games: nothing is left to play\n";
    assert_eq!(stderr(again.status(0)), told);
    again.prints(&stdout(&first));
    assert_eq!(files(), written);
    let page = read(folder, "run/report.html");
    assert!(page.contains("</html>"), "the page is written again");
    // Without it, it is in the way of another. A larger run continues.
    line(folder, &duel(2, "")).status(3);
    line(folder, &duel(4, "--resume")).status(0);
}

#[test]
fn a_run_directory_that_vanishes_ends_the_run() {
    for moved in [false, true] {
        let folder = &new_folder();
        let run = folder.join("run");
        let mut arena = arena(folder, &duel(1_000_000, "--quiet"));
        arena.stdout(Stdio::null()).stderr(Stdio::piped());
        let arena = arena.spawn().unwrap();
        while !fs::metadata(run.join("records.jsonl")).is_ok_and(|file| file.len() > 0) {
            sleep(Duration::from_millis(5));
        }
        if moved {
            fs::rename(&run, folder.join("elsewhere")).unwrap();
        } else {
            fs::remove_dir_all(&run).unwrap();
        }
        arena.wait_with_output().unwrap().status(70).contains(
            "error: can't write run/records.jsonl: it was removed, moved or replaced during the run",
        );
    }
}

/// The folder of a run tells its seed and what others answered. A bot that lies beside it reads its
/// own folder without it.
#[test]
fn no_bot_reads_the_run_that_it_plays_in() {
    let folder = &new_folder();
    let bot = include_str!("../languages/bot.sh");
    let spy = "cat book.txt openings/plan.toml >/dev/null && ls >/dev/null || exit 3\n\
        for file in \"$@\" results/*/plan.toml results/*/*/plan.toml results/*/*.jsonl link/plan.toml outside run.toml fresh/*/plan.toml; do cat $file 2>/dev/null && exit 4; done\n";
    write(folder, "spy.sh", spy.to_owned() + bot);
    write(folder, "book.txt", "");
    // Links beside the bot open nothing either.
    let outside = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    symlink(outside.path(), folder.join("outside")).unwrap();
    symlink("results/run", folder.join("link")).unwrap();
    // Nor do links that the command names, as if they were files of the bot.
    symlink("run.toml", folder.join("rules.bin")).unwrap();
    symlink("results/run/plan.toml", folder.join("old.bin")).unwrap();
    // This is no run.
    write(folder, "openings/plan.toml", "checksum = 1\n");
    let config = "[run]\ngame = \"onitama\"\ngames = 4\njobs = 1\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
        [[bot]]\nname = \"a\"\ncommand = \"spy.sh rules.bin old.bin\"\n[[bot]]\nname = \"b\"\ncommand = \"arena bot onitama-random\"\n";
    write(folder, "run.toml", config);
    // Another run may have the same seed.
    write(folder, "results/other/plan.toml", "checksum = \"x\"\n");
    write(folder, "results/a/other/plan.toml", "checksum = \"x\"\n");
    for out in [
        "results/run",
        "results/run",
        "results/b/run",
        "new/../fresh/run",
    ] {
        if out.starts_with("new") {
            fs::remove_dir_all(folder.join("results")).unwrap();
        }
        let played = line(folder, &format!("run run.toml --force --out {out}"));
        played.status(0);
        let games = read(folder, &format!("{out}/games.csv"));
        assert!(!games.contains("crashed"), "{games}\n{played:?}");
    }
}

/// Files of a run, and the verbs that read them.
const READERS: &str = "
    plan.toml | report
    plan.toml | verify
    plan.toml | rate
    plan.toml | replay
    records.jsonl | report
    records.jsonl | verify
    records.jsonl | replay
    games.csv | report
    games.csv | rate
    games.csv | elo
    summary.json | report
    summary.json | rate
";

/// arena neither waits for a writer of a pipe nor reads a device without end.
#[test]
fn a_pipe_or_device_in_the_place_of_a_file_is_refused() {
    let folder = &played();
    shell(folder, "mkfifo pipe").status(0);
    for [file, verb] in table::<2>(READERS) {
        for (other, what) in [("pipe", "named pipe"), ("/dev/zero", "device")] {
            let script = format!(
                "rm -rf copy && cp -r run copy && ln -sf $(realpath {other}) copy/{file} && timeout 120 arena {verb} copy"
            );
            let out = shell(folder, &script);
            // The rest of a summary is not needed to rate.
            let is_note = (file, verb) == ("summary.json", "rate");
            if !is_note || out.status.code() != Some(0) {
                out.status(3).contains(&format!("{file}: it is a {what}"));
            }
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
        let out = shell(folder, &format!("timeout 120 arena {command}"));
        out.status(3).contains(": it is a ");
    }
    // Nothing is read there, so it is only in the way.
    shell(folder, "mkfifo run/pending && timeout 120 arena report run").status(0);
}

/// Records and tables of counts may come from another program.
#[test]
fn a_pipe_from_another_program_is_read() {
    let folder = &played();
    for script in [
        "arena verify <(cat run/records.jsonl)",
        "gzip -c run/records.jsonl | arena verify /dev/stdin",
        "arena replay <(cat run/records.jsonl) 1",
        "arena rate <(printf 'first,second,wins,draws,losses\na,b,3,2,1\n')",
    ] {
        shell(folder, script).status(0);
    }
}
