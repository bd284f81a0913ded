//! The sample bots inside the program.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rayon::prelude::*;

use crate::programs::{Said as _, arena, check_rows, copy_program, line, said, write_program};

/// A match whose bots have nothing to do with any other program.
const DUEL: [&str; 12] = [
    "duel",
    "onitama",
    "arena bot onitama-random",
    "arena bot onitama-search --depth 1",
    "--games",
    "2",
    "--set",
    "clock.turn_ms=60000",
    "--set",
    "clock.first_turn_ms=60000",
    "--out",
    "out",
];

/// Runs `program` where the only other program is one called `arena` that fails.
fn run(program: &Path, folder: &Path, args: &[&str]) -> Output {
    let fake = folder.join("path/arena");
    fs::create_dir_all(fake.parent().unwrap()).unwrap();
    write_program(&fake, "#!/bin/sh\nexit 1\n");
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(folder)
        .env("PATH", fake.parent().unwrap())
        .stdin(Stdio::null());
    command.output().unwrap()
}

#[test]
fn every_sample_bot_is_ready_to_play_with_nothing_else_installed() {
    let folder = tempfile::tempdir().unwrap();
    let list = said(&arena(folder.path(), &["list", "bots"]));
    let bots: Vec<&str> = list.lines().skip(1).collect();
    bots.par_iter().for_each(|line| {
        let folder = tempfile::tempdir().unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let [program, verb, name, game, ..] = words[..] else {
            panic!("{line}")
        };
        // Kutulu's search takes many seconds at full depth.
        let depth = if name.ends_with("-search") {
            " --depth 1"
        } else {
            ""
        };
        let command = format!("{program} {verb} {name}{depth}");
        let limits = [
            "--set",
            "clock.first_turn_ms=60000",
            "--set",
            "clock.turn_ms=60000",
            "--seeds",
            "1",
        ];
        let out = arena(
            folder.path(),
            &[&["check", game, &command], &limits[..]].concat(),
        );
        out.status(0);
    });
    assert_eq!(bots.len(), 12, "{list}");
}

#[test]
fn a_sample_bot_has_options_and_a_help_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    check_rows(
        folder.path(),
        "
        bot onitama-search --help | 0 | Usage: arena bot onitama-search [OPTIONS]
        bot onitama-search --depth 0 | 2 | 0 is not in 1..=64
        bot --help | 0 | Usage: arena bot [OPTIONS] <NAME> [OPTION]...
        help bot | 0 | Usage: arena bot [OPTIONS] <NAME> [OPTION]...
        --color never bot onitama-gredy | 2 | did you mean `onitama-greedy`?
        bot alphazero | 2 | there is no sample bot `alphazero`: `arena list bots` lists
        bot | 2 | `arena list bots` lists the sample bots
        bot onitama-gredy | 2 | did you mean `onitama-greedy`?
        check onitama 'arena bot onitama-gredy' | 3 | did you mean `onitama-greedy`?
        check onitama 'arena bot' | 3 | `arena bot` needs the name of a sample bot
        ",
    );
    line(folder.path(), "start arena bot kutulu-random").status(0);
}

/// A newer arena continues a run: its file differs, its sample bots are the same.
#[test]
fn a_run_of_sample_bots_goes_on_with_a_newer_arena() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = arena(folder, &DUEL);
    out.status(0);
    let plan = fs::read_to_string(folder.join("out/plan.toml")).unwrap();
    assert!(plan.contains("\"arena bot\" = \"version "), "{plan}");
    let records = fs::read_to_string(folder.join("out/records.jsonl")).unwrap();
    fs::write(
        folder.join("out/records.jsonl"),
        records.lines().next().unwrap().to_owned() + "\n",
    )
    .unwrap();
    for name in ["summary.json", "games.csv"] {
        fs::remove_file(folder.join("out").join(name)).unwrap();
    }
    fs::create_dir(folder.join("newer")).unwrap();
    let newer = folder.join("newer/arena");
    copy_program(env!("CARGO_BIN_EXE_arena"), &newer);
    OpenOptions::new()
        .append(true)
        .open(&newer)
        .unwrap()
        .write_all(b"newer")
        .unwrap();
    let out = run(&newer, folder, &[&DUEL[..], &["--resume"]].concat());
    out.status(0);
    let again = fs::read_to_string(folder.join("out/records.jsonl")).unwrap();
    let untimed = |records: &str| -> Vec<String> {
        records
            .lines()
            .map(|line| line.split("\"ms\"").next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(untimed(&again), untimed(&records));
}
