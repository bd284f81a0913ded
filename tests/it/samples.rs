//! The sample bots inside the program.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::process::{Command, Stdio};

use rayon::prelude::*;

use crate::programs::{
    PATIENT, Said as _, check_rows, copy_program, line, new_folder, read, stdout, timeless, write,
    write_program,
};

#[test]
fn every_sample_bot_is_ready_to_play_with_nothing_else_installed() {
    let list = stdout(&line(&new_folder(), "list bots"));
    let bots: Vec<&str> = list.lines().skip(1).collect();
    bots.par_iter().for_each(|bot| {
        let words: Vec<&str> = bot.split_whitespace().collect();
        let [program, verb, name, game, ..] = words[..] else {
            panic!("{bot}")
        };
        // Kutulu's search takes many seconds at full depth.
        let is_search = name.ends_with("-search");
        let depth = if is_search { " --depth 1" } else { "" };
        let bot = format!("'{program} {verb} {name}{depth}'");
        line(
            &new_folder(),
            &format!("check {game} {bot} --seeds 1 {PATIENT}"),
        )
        .status(0);
    });
    assert_eq!(bots.len(), 12, "{list}");
}

#[test]
fn a_sample_bot_has_options_and_a_help_of_its_own() {
    let folder = &new_folder();
    check_rows(
        folder,
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
    line(folder, "start arena bot kutulu-random").status(0);
}

/// A newer arena continues a run: its file differs, its sample bots are the same.
#[test]
fn a_run_of_sample_bots_goes_on_with_a_newer_arena() {
    let folder = &new_folder();
    let bots = "'arena bot onitama-random' 'arena bot onitama-search --depth 1'";
    let duel = format!("duel onitama {bots} --games 2 {PATIENT} --out out");
    line(folder, &duel).status(0);
    let run = &folder.join("out");
    let plan = read(run, "plan.toml");
    assert!(plan.contains("\"arena bot\" = \"version "), "{plan}");
    let [_, whole] = timeless(run);
    let records = read(run, "records.jsonl");
    let first = records.lines().next().unwrap();
    write(run, "records.jsonl", format!("{first}\n"));
    for name in ["summary.json", "games.csv"] {
        fs::remove_file(run.join(name)).unwrap();
    }
    fs::create_dir(folder.join("newer")).unwrap();
    let newer = folder.join("newer/arena");
    copy_program(env!("CARGO_BIN_EXE_arena"), &newer);
    let mut file = OpenOptions::new().append(true).open(&newer).unwrap();
    file.write_all(b"newer").unwrap();
    drop(file);
    // The only program of that name in the path fails.
    fs::create_dir(folder.join("path")).unwrap();
    write_program(&folder.join("path/arena"), "#!/bin/sh\nexit 1\n");
    let words = shlex::split(&duel).unwrap();
    let out = Command::new(&newer)
        .args(words)
        .arg("--resume")
        .current_dir(&**folder)
        .env("PATH", folder.join("path"))
        .stdin(Stdio::null())
        .output();
    out.unwrap().status(0);
    assert_eq!(timeless(run)[1], whole);
}
