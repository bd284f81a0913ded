//! Doubts about numbers, in games of one, two, three and four seats.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::programs::{arena, said, stdout, summary};

/// Writes `run.toml`: bots whose answers are their scores, given the seed modulo `modulo`.
fn write(seats: usize, run: &str, modulo: u32, bots: &[(&str, &str)]) -> TempDir {
    let referee = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/scorer.py");
    let mut config = format!(
        "[run]\nseed = 7\nname = \"run\"\ngame = \"task\"\n{run}\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.task]\nreferee = [\"python3\", {referee:?}]\nseats = {seats}\noptions = {{ modulo = \"{modulo}\" }}\n"
    );
    for (name, answers) in bots {
        let script = format!("while read n; do set -- {answers}; shift $n; echo $1; done");
        let command = format!("[\"sh\", \"-c\", {script:?}]");
        let _ = writeln!(config, "[[bot]]\nname = {name:?}\ncommand = {command}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.toml"), config).unwrap();
    folder
}

/// Plays `run.toml`, and returns all words about it.
fn played(folder: &Path) -> String {
    let run = arena(folder, &["run", "run.toml", "--verbose"]);
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let rated = arena(folder, &["rate", "results/run"]);
    said(&run) + &stdout(&rated)
}

/// `good` wins 19 of 20 units against `weak`, which their ratings fit exactly, and both always win
/// against the rest. Virtual draws pull at ratings, but not at results.
#[test]
fn a_bot_that_lost_everything_is_no_misfit() {
    let good = "1 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5";
    let (weak, lost) = ("3 ".repeat(20), "0 ".repeat(20));
    let bots = [
        ("good", good),
        ("weak", &weak),
        ("lost", &lost),
        ("too", &lost),
    ];
    for seats in 1..=4 {
        let bots = &bots[..seats.max(3)];
        let folder = write(seats, "format = \"round-robin\"\ngames = 200", 20, bots);
        let told = played(folder.path());
        assert!(told.contains("virtual draws"), "{seats}: {told}");
        assert!(!told.contains("doesn't fit"), "{seats}: {told}");
    }
}

/// Each of three bots wins two units in three against the next one.
#[test]
fn a_cycle_is_a_misfit_beside_a_bot_that_lost_everything() {
    let bots = [
        ("rock", "3 1 2"),
        ("paper", "2 3 1"),
        ("scissors", "1 2 3"),
        ("lost", "0 0 0"),
    ];
    for seats in 1..=4 {
        let folder = write(seats, "format = \"round-robin\"\ngames = 240", 3, &bots);
        let told = played(folder.path());
        let said = told.matches("one rating per bot doesn't fit: ").count();
        assert_eq!(said, 2, "{seats}: {told}");
        let groups = &summary(&folder.path().join("results/run"))["games"][0]["groups"];
        assert_eq!(groups.as_array().unwrap().len(), 2, "{seats}: {groups}");
    }
}
