//! No referee can hurt a run: however it misbehaves, its games have no result, no bot loses, and no process survives.
//!
//! `tests/programs/hostile_referee.py` misbehaves in the middle of a game unless the table says otherwise: before a run its first
//! question is tried out, and a referee that fails there stops the run. The snapshot has what people read.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;

use crate::programs;

/// The time limit of a referee that should be too slow, and of others, in milliseconds.
const SHORT: u64 = 1500;
const LONG: u64 = 60_000;
/// The content of a file that no referee may change.
const UNTOUCHED: &str = "neither read nor changed";

/// A way to misbehave, when, and what the referee may take for a question.
type Case = (&'static str, &'static str, u64);

/// Referees whose games have no result.
const ABORTED: &[Case] = &[
    ("hangs", "middle", SHORT),
    ("stderr", "middle", SHORT),
    ("ignores signals", "middle", SHORT),
    ("frames", "middle", LONG),
    ("long frame", "middle", LONG),
    ("lines", "middle", LONG),
    ("line", "middle", LONG),
    ("dies", "middle", LONG),
    ("signal", "middle", LONG),
    ("exits, child stays", "middle", SHORT),
    ("closes stdout", "middle", LONG),
    ("memory", "middle", LONG),
    ("nonsense", "middle", LONG),
    ("seat 9", "middle", LONG),
    ("a million lines", "middle", LONG),
    ("no time", "middle", LONG),
    ("few scores", "end", LONG),
    ("a seat twice", "end", LONG),
    ("version 99", "middle", LONG),
    ("bad frame", "middle", LONG),
    ("bad fate", "end", LONG),
    ("fails", "middle", LONG),
    ("slow", "middle", SHORT),
    ("half a frame", "middle", LONG),
    ("no utf-8", "middle", LONG),
    ("seat -1", "middle", LONG),
];

/// More cases of these kinds, for the long form.
const MORE_ABORTED: &[Case] = &[
    ("hangs", "end", SHORT),
    ("empty frames", "middle", LONG),
    ("line in a frame", "middle", LONG),
    ("dies", "end", LONG),
    ("exits", "middle", LONG),
    ("no count", "middle", LONG),
    ("negative count", "middle", LONG),
    ("huge count", "middle", LONG),
    ("count too small", "middle", LONG),
    ("nul", "middle", LONG),
    ("-1 lines", "middle", LONG),
    ("two lines of question", "middle", LONG),
    ("fraction of time", "middle", LONG),
    ("endless time", "middle", LONG),
    ("many scores", "end", LONG),
    ("no scores", "end", LONG),
    ("score 1e99", "end", LONG),
    ("score of a name", "end", LONG),
];

/// Referees that never start in a game.
const REFUSED: &[Case] = &[
    ("hangs", "start", SHORT),
    ("dies", "start", LONG),
    ("version 99", "start", LONG),
    ("seats 3", "start", LONG),
    ("fails", "start", LONG),
];

/// Harmless referees, which play to the end.
const PLAYED: &[Case] = &[
    ("child stays", "middle", LONG),
    ("kills", "middle", LONG),
    ("writes outside", "middle", LONG),
];

struct Seen {
    code: Option<i32>,
    stderr: String,
    /// The rows of games.csv.
    games: usize,
    survivors: Vec<String>,
}

/// Runs two games of a referee.
fn run((mode, moment, ms): Case, folder: &Path) -> Seen {
    let referee = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/programs/hostile_referee.py"
    );
    let bot = |name: &str| {
        format!(
            "[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \"while read line; do echo x; done\"]\n"
        )
    };
    let config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = \"hostile\"\nformat = \"round-robin\"\ngames = 2\njobs = 1\n\
         [clock]\nfirst_turn_ms = 60000\n\
         [game.hostile]\nreferee = [\"python3\", {referee:?}, {mode:?}, {moment:?}]\nreferee_ms = {ms}\nmemory_mb = 128\n{}{}",
        bot("a"),
        bot("b")
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    let precious = folder.join("precious");
    fs::write(&precious, UNTOUCHED).unwrap();
    let mut command = programs::program();
    command
        .current_dir(folder)
        .args(["run", "run.toml", "--quiet"])
        .stdin(Stdio::null());
    command
        .env("ARENA_TEST_TAG", folder)
        .env("ARENA_TEST_PRECIOUS", &precious)
        .env_remove("RUST_BACKTRACE");
    let output = command.output().unwrap();
    let mut survivors = programs::survivors("ARENA_TEST_TAG", folder);
    if fs::read_to_string(precious).unwrap() != UNTOUCHED {
        survivors.push("a file was changed".to_owned());
    }
    let rows = fs::read_to_string(folder.join("results/run/games.csv")).unwrap_or_default();
    Seen {
        code: output.status.code(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        games: rows.lines().count().saturating_sub(1),
        survivors,
    }
}

/// The message about the first game, or instead of a run, with only the referee's own standard error.
fn told(stderr: &str) -> String {
    let first = stderr.split("game 1 could not be played").next().unwrap();
    let (said, tail) = first
        .split_once("\nits standard error ends with:\n")
        .unwrap_or((first, ""));
    let tail = tail
        .lines()
        .filter(|line| line.contains("my last words"))
        .map(|line| format!("\n  {line}"));
    said.trim_end().to_owned() + &tail.collect::<String>()
}

/// Runs cases, a few at a time, in the order of the table.
fn run_all(cases: &[Case]) -> Vec<(Case, Seen)> {
    let (left, done) = (Mutex::new(cases.iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((number, case)) = left.lock().unwrap().next() else {
                        break;
                    };
                    let folder = tempfile::tempdir().unwrap();
                    let seen = run(*case, &folder.path().canonicalize().unwrap());
                    done.lock().unwrap().push((number, (*case, seen)));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, seen)| seen).collect()
}

/// Runs cases that all have this exit status and number of games; returns the message of each.
fn told_of(cases: &[Case], code: i32, games: usize) -> String {
    let (mut wrong, mut texts) = (Vec::new(), String::new());
    for ((mode, moment, _), seen) in run_all(cases) {
        if (seen.code, seen.games) != (Some(code), games) || !seen.survivors.is_empty() {
            let Seen {
                code,
                games,
                survivors,
                stderr,
            } = &seen;
            wrong.push(format!(
                "{mode}, {moment}: exit status {code:?}, {games} games, survivors {survivors:?}\n{stderr}"
            ));
        }
        let _ = writeln!(texts, "{mode}, {moment}: {}", told(&seen.stderr));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    texts
}

#[test]
fn games_of_a_bad_referee_have_no_result() {
    insta::assert_snapshot!(told_of(ABORTED, 5, 0));
}

#[test]
#[ignore = "the long form: .ci/long"]
fn games_of_further_bad_referees_have_no_result() {
    insta::assert_snapshot!(told_of(MORE_ABORTED, 5, 0));
}

#[test]
fn a_referee_that_fails_at_once_stops_the_run() {
    insta::assert_snapshot!(told_of(REFUSED, 3, 0));
}

#[test]
fn a_referee_cannot_hurt_others() {
    told_of(PLAYED, 0, 2);
}
