//! The programs under test, and what their runs leave behind.

#![allow(dead_code, reason = "every test program uses some of it")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Once;

use serde_json::Value;

/// The columns of `games.csv` before those of times, which come last.
const TIMELESS_COLUMNS: usize = 22;

/// Their folder.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_arena")).parent().unwrap()
}

/// A sample bot, built if `cargo test` was asked for this package alone.
pub(crate) fn sample_bot(name: &str) -> String {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let profile: &[&str] = if folder().ends_with("release") {
            &["--release"]
        } else {
            &[]
        };
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(env!("CARGO_MANIFEST_DIR")).args([
            "build",
            "--quiet",
            "-p",
            "sample-bots",
            "--bins",
        ]);
        let status = build
            .args(profile)
            .arg("--target-dir")
            .arg(folder().parent().unwrap())
            .status()
            .unwrap();
        assert!(status.success(), "the sample bots do not build");
    });
    folder().join(name).display().to_string()
}

/// The program in this folder, without input.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::null())
        .env_remove("RUST_BACKTRACE");
    command
}

/// What the program wrote until it ended.
pub(crate) fn arena(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// `arena run` with these arguments.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    arena(folder, &[&["run"], args].concat())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    text(&output.stdout)
}

pub(crate) fn stderr(output: &Output) -> String {
    text(&output.stderr)
}

pub(crate) fn said(output: &Output) -> String {
    stdout(output) + &stderr(output)
}

/// `summary.json` of a run.
pub(crate) fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// The rows of `games.csv` and the records of a run, without times.
pub(crate) fn timeless(run: &Path) -> [Vec<String>; 2] {
    let lines = |name, timeless: fn(&str) -> String| {
        let text = fs::read_to_string(run.join(name)).unwrap();
        text.lines().map(timeless).collect()
    };
    let games = lines("games.csv", |row| {
        let columns: Vec<&str> = row.split(',').take(TIMELESS_COLUMNS).collect();
        columns.join(",")
    });
    let records = lines("records.jsonl", |line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        let times = record.as_object_mut().unwrap().remove("ms");
        times.expect("every record has its times");
        record.to_string()
    });
    [games, records]
}

/// The same, after a table that follows from them.
pub(crate) fn timeless_with(run: &Path, table: &str) -> (String, [Vec<String>; 2]) {
    (fs::read_to_string(run.join(table)).unwrap(), timeless(run))
}
