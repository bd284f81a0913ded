//! The programs under test, and what their runs leave behind.

use std::collections::BTreeMap;
use std::env::consts::EXE_EXTENSION;
use std::fmt::Write as _;
use std::fs;
use std::ops::Deref;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

#[cfg_attr(target_os = "linux", path = "programs/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "programs/windows.rs")]
mod os;

pub(crate) use os::*;

/// The columns of `games.csv` before those of times, which come last.
const TIMELESS_COLUMNS: usize = 22;

/// The program under test, with the default effect of signals. Without this it would inherit
/// signals that are ignored under `nohup` and in the background jobs of scripts.
pub(crate) fn program() -> Command {
    static RESET: Once = Once::new();
    RESET.call_once(os::reset_signals);
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.env("PATH", search_path());
    command
}

/// Returns true in `.ci/long`, which sets `ARENA_LONG`.
pub(crate) fn is_long() -> bool {
    std::env::var_os("ARENA_LONG").is_some()
}

/// The folder of the programs under test.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_arena")).parent().unwrap()
}

/// Path of a sample bot. `cargo test -p arena-cg` doesn't build the bots, so the first call does if
/// they are missing. It doesn't build them again after a change.
pub(crate) fn sample_bot(name: &str) -> String {
    static BUILT: Once = Once::new();
    let program = slashed(&folder().join(name).with_extension(EXE_EXTENSION));
    BUILT.call_once(|| {
        if program.exists() {
            return;
        }
        let mut build = Command::new(env!("CARGO"));
        build
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["build", "--quiet", "-p", "sample-bots", "--bins"])
            .arg("--target-dir")
            .arg(folder().parent().unwrap());
        if folder().ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "they do not build");
    });
    program.display().to_string()
}

/// The program in this folder, without input.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = program();
    command
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::null())
        .env_remove("RUST_BACKTRACE");
    command
}

/// The program's output until it ended. A test that fails shows the command.
pub(crate) fn arena(folder: &Path, args: &[&str]) -> Output {
    eprintln!("$ arena {}", args.join(" "));
    command(folder, args).output().unwrap()
}

/// The output of `arena` with these arguments, quoted as in a shell.
pub(crate) fn line(folder: &Path, args: &str) -> Output {
    let words = shlex::split(args).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    arena(folder, &words)
}

/// Checks a table of commands. A row is the arguments, the exit status and a text that the output
/// has, with ` | ` between them.
pub(crate) fn check_rows(folder: &Path, rows: &str) {
    for [args, status, text] in table::<3>(rows) {
        let out = line(folder, args);
        out.status(status.parse().unwrap()).contains(text);
    }
}

/// `--resume` if a run has begun in this folder: there is nothing to resume before.
pub(crate) fn resume(run: &Path) -> Option<&'static str> {
    run.exists().then_some("--resume")
}

/// `bash` in this folder, with the arena under test in its `PATH`.
pub(crate) fn shell(within: &Path, script: &str) -> Command {
    let mut shell = Command::new("bash");
    shell
        .args(["-o", "pipefail", "-c", script])
        .current_dir(within)
        .stdin(Stdio::null())
        .env("PATH", format!("{}:{}", folder().display(), search_path()));
    shell
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

/// What a program said and how it ended. A check that fails shows all of it.
pub(crate) trait Said {
    /// Checks the exit status.
    fn status(&self, expected: i32) -> &Self;
    /// Checks that one of the two outputs has this text.
    fn contains(&self, text: &str) -> &Self;
    /// Checks that neither output has this text.
    fn lacks(&self, text: &str) -> &Self;
    /// Checks all of standard output.
    fn prints(&self, expected: &str) -> &Self;
    /// Checks how standard error begins.
    fn begins(&self, start: &str) -> &Self;
}

impl Said for Output {
    #[track_caller]
    fn status(&self, expected: i32) -> &Self {
        let got = self.status.code();
        assert_eq!(got, Some(expected), "it said:\n{}", said(self));
        self
    }

    #[track_caller]
    fn contains(&self, text: &str) -> &Self {
        has(&said(self), text);
        self
    }

    #[track_caller]
    fn lacks(&self, text: &str) -> &Self {
        let said = said(self);
        assert!(!said.contains(text), "`{text}` in:\n{said}");
        self
    }

    #[track_caller]
    fn prints(&self, expected: &str) -> &Self {
        assert_eq!(stdout(self), expected, "it said:\n{}", stderr(self));
        self
    }

    #[track_caller]
    fn begins(&self, start: &str) -> &Self {
        let said = stderr(self);
        assert!(said.starts_with(start), "expected `{start}`:\n{said}");
        self
    }
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

/// Returns a table of a run before its files without times.
pub(crate) fn timeless_with(run: &Path, table: &str) -> (String, [Vec<String>; 2]) {
    (fs::read_to_string(run.join(table)).unwrap(), timeless(run))
}

/// Flags with limits that a busy machine keeps.
pub(crate) const PATIENT: &str =
    "--set clock.first_turn_ms=60000 --set clock.turn_ms=60000 --set clock.startup_ms=60000";

/// A new folder, which is removed when it is dropped.
pub(crate) struct Folder {
    path: PathBuf,
    _removed: TempDir,
}

pub(crate) fn new_folder() -> Folder {
    let folder = tempfile::tempdir().unwrap();
    Folder {
        path: slashed(folder.path()),
        _removed: folder,
    }
}

/// A path that can stand in a config and in a line of a shell: with slashes, which Windows reads
/// as well.
fn slashed(path: &Path) -> PathBuf {
    path.to_str().unwrap().replace(MAIN_SEPARATOR, "/").into()
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// A file or folder of the project.
pub(crate) fn in_project(path: &str) -> PathBuf {
    slashed(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

/// Writes a file of a folder, and makes the folders above it.
pub(crate) fn write(folder: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The text of a file of a folder.
pub(crate) fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Copies the files of a folder into another one.
pub(crate) fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if file.path().is_file() {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
}

/// The number of lines of a file, 0 before it exists.
pub(crate) fn count_lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count())
}

/// The rows of a text, with ` | ` between their columns. A row that begins with `#` is a comment.
pub(crate) fn table<const N: usize>(text: &str) -> Vec<[&str; N]> {
    let mut rows = Vec::new();
    for row in text.lines().map(str::trim) {
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = row.split(" | ").map(str::trim).collect();
        let columns = columns.try_into();
        rows.push(columns.unwrap_or_else(|_| panic!("expected {N} columns: {row}")));
    }
    rows
}

/// The rows of a CSV file of a run, by column.
pub(crate) fn csv_rows(run: &Path, file: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(run.join(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The records of a run or of a file of records.
pub(crate) fn records(folder: &Path, file: &str) -> Vec<Value> {
    let text = read(folder, file);
    let record = |line| serde_json::from_str(line).unwrap();
    text.lines().map(record).collect()
}

/// The JSON that a program printed.
#[track_caller]
pub(crate) fn json(output: &Output) -> Value {
    let found = serde_json::from_slice(&output.stdout);
    found.unwrap_or_else(|_| panic!("expected JSON: {}", said(output)))
}

/// Checks a document against its schema.
#[track_caller]
pub(crate) fn validate(name: &str, document: &Value) {
    if let Some(why) = mistake(name, document) {
        panic!("{name}: {why}\n{document:#}");
    }
}

/// How a document differs from its schema in docs/reference/schemas. No object may have further
/// keys.
pub(crate) fn mistake(name: &str, document: &Value) -> Option<String> {
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.values_mut().for_each(close);
                if members.contains_key("properties") {
                    members.insert("additionalProperties".to_owned(), false.into());
                }
            }
            Value::Array(entries) => entries.iter_mut().for_each(close),
            _ => {}
        }
    }
    let text = read(
        &in_project("docs/reference/schemas"),
        &format!("{name}.json"),
    );
    let mut schema = serde_json::from_str(&text).unwrap();
    close(&mut schema);
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let address = "https://arena.invalid/schema.json";
    compiler.add_resource(address, schema).unwrap();
    let schema = compiler.compile(address, &mut schemas).unwrap();
    let valid = schemas.validate(document, schema);
    valid.err().map(|why| format!("{why:#}"))
}

/// Checks that a text has this part.
#[track_caller]
pub(crate) fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no `{part}` in:\n{text}");
}

/// The number that follows these words in a document.
pub(crate) fn promised(document: &str, words: &str) -> usize {
    let (_, after) = document.split_once(words).expect(words);
    let after = after.trim_start_matches([' ', '|', '`']);
    let digits = after
        .split(|c: char| !c.is_ascii_digit() && c != ',')
        .next()
        .unwrap();
    digits.replace(',', "").parse().expect(words)
}

/// Starts arena, and kills it as soon as the run's `games.csv` has more than so many lines. Returns
/// false if it ended before.
pub(crate) fn killed(arena: &mut Command, run: &Path, lines: usize) -> bool {
    arena.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = arena.spawn().unwrap();
    let mut is_running = || child.try_wait().unwrap().is_none();
    while count_lines(&run.join("games.csv")) <= lines && is_running() {
        sleep(Duration::from_millis(1));
    }
    let is_killed = is_running();
    child.kill().unwrap();
    child.wait().unwrap();
    is_killed
}

/// The tables of bots in a config, from rows with a name and a command.
pub(crate) fn bots(rows: &str) -> String {
    let mut config = String::new();
    for [name, command] in table(rows) {
        let _ = writeln!(config, "[[bot]]\nname = {name:?}\ncommand = {command:?}");
    }
    config
}

/// The program with these arguments, quoted as in a shell, and a cache of its own in the folder.
pub(crate) fn caching(folder: &Path, args: &str) -> Command {
    let mut command = program();
    command
        .current_dir(folder)
        .args(shlex::split(args).unwrap())
        .stdin(Stdio::null())
        .env_remove("RUST_BACKTRACE")
        .env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

/// Its output.
pub(crate) fn cached(folder: &Path, args: &str) -> Output {
    eprintln!("$ arena {args}");
    caching(folder, args).output().unwrap()
}

/// The first line of standard output: the sentence that answers the question.
pub(crate) fn answer(output: &Output) -> String {
    stdout(output).lines().next().unwrap_or_default().to_owned()
}
