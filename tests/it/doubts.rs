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

/// Two names of one program: the fact stands beside every number, whatever the kind of the match.
#[test]
fn what_one_program_has_under_two_names_is_luck() {
    let bots = [("new", "1 5 2 4 3"), ("old", "1 5 2 4 3")];
    let test = "format = \"sprt\"\n[sprt]\nmax_units = 6\n";
    let match_ = "format = \"round-robin\"\ngames = 12";
    for (seats, run) in (1..=4).flat_map(|seats| [(seats, match_), (seats, test)]) {
        let design = if seats > 2 {
            "design = \"mirror\"\n"
        } else {
            ""
        };
        let folder = write(seats, &format!("{design}{run}"), 5, &bots);
        let path = folder.path();
        let run_said = arena(path, &["run", "run.toml", "--quiet"]);
        assert!(path.join("results/run").exists(), "{}", said(&run_said));
        let mut told = vec![stdout(&run_said)];
        for words in [
            &["report", "results/run"][..],
            &["report", "results/run", "--markdown", "-"],
            &["elo", "results/run"],
            &["rate", "results/run"],
        ] {
            told.push(stdout(&arena(path, words)));
        }
        arena(path, &["report", "results/run", "--junit", "run.xml"]);
        for file in ["run.xml", "results/run/report.html"] {
            told.push(fs::read_to_string(path.join(file)).unwrap());
        }
        for told in told {
            let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains("the same program"), "{seats} {run}: {told}");
        }
        let twins = serde_json::json!([["new", "old"]]);
        assert_eq!(
            summary(&path.join("results/run"))["games"][0]["same_program"],
            twins
        );
    }
}
