//! The program, and what its runs leave behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The columns of `games.csv` before those of times, which come last.
const TIMELESS_COLUMNS: usize = 22;

/// The program in this folder.
pub(crate) fn arena(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::null())
        .env_remove("RUST_BACKTRACE");
    command
}

/// `arena run` with these arguments.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    arena(folder, &[&["run"], args].concat()).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `summary.json` of a run.
pub(crate) fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// Everything that a run wrote of its games, apart from times, and a table that follows from them.
pub(crate) fn timeless(run: &Path, table: &str) -> [String; 3] {
    let read = |name| fs::read_to_string(run.join(name)).unwrap();
    let timeless = |row: &str| {
        row.split(',')
            .take(TIMELESS_COLUMNS)
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    let record = |line: &str| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("ms");
        record.to_string() + "\n"
    };
    let (games, records) = (read("games.csv"), read("records.jsonl"));
    [
        read(table),
        games.lines().map(timeless).collect(),
        records.lines().map(record).collect(),
    ]
}
