//! Referees in Java made with the SDK of `CodinGame`: one machine plays many games where that makes no difference.
//!
//! They compile a stand-in for the SDK. Without a JDK these tests do nothing; CI has one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const GAMES: usize = 4;

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .env("XDG_CACHE_HOME", folder.join("cache"));
    let output = command
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let (said, told) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {said}{told}"
    );
    output
}

/// A jar with the stand-in and a class that counts as a library.
fn make_jar(folder: &Path) {
    let main = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/programs/RefereeMain.java"
    );
    let library =
        "package com.google;\n\npublic class Library {\n    public static int played;\n}\n";
    fs::write(folder.join("Library.java"), library).unwrap();
    run(folder, "javac", &["-d", "classes", "Library.java", main]);
    run(folder, "jar", &["cf", "game.jar", "-C", "classes", "."]);
}

/// The rows of a run whose games leave something behind, but for what depends on the clock; and how many processes of the
/// referee played them.
fn played(folder: &Path, leaves: &str, jobs: usize) -> (Vec<String>, usize) {
    let bot = |name: &str, answer: u32| {
        format!(
            "[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \"while read -r line; do echo {answer}; done\"]\n"
        )
    };
    let config = format!(
        "[run]\nseed = 1\nname = \"{leaves}\"\ngame = \"jar\"\ngames = {GAMES}\njobs = {jobs}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.jar]\njar = \"game.jar\"\noptions = {{ leaves = \"{leaves}\" }}\n{}{}",
        bot("one", 1),
        bot("two", 2)
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    let arena = env!("CARGO_BIN_EXE_arena");
    run(folder, arena, &["run", "run.toml", "--quiet", "--force"]);
    let verified = run(folder, arena, &["verify", &format!("results/{leaves}")]);
    assert_eq!(
        String::from_utf8_lossy(&verified.stdout),
        format!("{GAMES} games verified, 0 mismatches\n")
    );
    let mut reader =
        csv::Reader::from_path(folder.join(format!("results/{leaves}/games.csv"))).unwrap();
    let kept: Vec<usize> = {
        let header = reader.headers().unwrap();
        (0..header.len())
            .filter(|&at| !header[at].contains("_ms_"))
            .collect()
    };
    let row = |row: csv::StringRecord| {
        kept.iter()
            .map(|&at| row[at].to_owned())
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows = reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect();
    let records =
        fs::read_to_string(folder.join(format!("results/{leaves}/records.jsonl"))).unwrap();
    let process = |record: &str| {
        let (_, told) = record.split_once("process ").unwrap();
        told.split_once('"').unwrap().0.to_owned()
    };
    (
        rows,
        records.lines().map(process).collect::<BTreeSet<_>>().len(),
    )
}

/// It is compiled once for all folders in which games are played.
#[test]
fn the_server_of_referees_is_compiled_once() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("there is no javac here: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_jar(folder);
    let compiled = ["first", "second"].map(|name| {
        let place = folder.join(name);
        fs::create_dir(&place).unwrap();
        let mut arena = Command::new(env!("CARGO_BIN_EXE_arena"));
        arena
            .args(["check", "../game.jar", "--answer", "1", "--seeds", "1"])
            .current_dir(place)
            .env("XDG_CACHE_HOME", folder.join("cache"));
        let said = String::from_utf8(arena.output().unwrap().stderr).unwrap();
        said.matches("compiling ").count()
    });
    assert_eq!(compiled, [1, 0]);
}

#[test]
fn one_machine_plays_many_games_where_that_makes_no_difference() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("there is no javac here: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_jar(folder);
    let (rows, processes) = played(folder, "nothing", 1);
    assert_eq!(
        processes, 1,
        "static fields, properties and the locale are new in every game"
    );
    assert_eq!(played(folder, "nothing", 3).0, rows);
    // Classes of libraries are loaded once, so a game that keeps something there differs from one in a new process.
    assert_eq!(played(folder, "library", 1), (rows.clone(), GAMES));
    // A thread that outlives its game might meddle with the next one.
    assert_eq!(played(folder, "thread", 1), (rows, GAMES));
}
