//! No referee can hurt a run: however it misbehaves, its games have no result, no bot loses, and no
//! process survives.
//!
//! `tests/programs/hostile_referee.py` misbehaves in the middle of a game unless the table says
//! otherwise: before a run its first question is tried out, and a referee that fails there stops
//! the run. The snapshot has what people read.

use std::fmt::Write as _;
use std::fs;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::programs::{self, bots, in_project, stderr, table};

/// The content of a file that no referee may change.
const UNTOUCHED: &str = "neither read nor changed";

// The tables below have ways to misbehave, when, and whether the referee should be too slow: its
// time limit is short then.

/// Referees whose games have no result.
const ABORTED: &str = "
hangs | middle | short
stderr | middle | short
ignores signals | middle | short
frames | middle | long
long frame | middle | long
lines | middle | long
line | middle | long
dies | middle | long
signal | middle | long
exits, child stays | middle | short
closes stdout | middle | long
memory | middle | long
nonsense | middle | long
seat 9 | middle | long
a million lines | middle | long
no time | middle | long
few scores | end | long
a seat twice | end | long
version 99 | middle | long
bad frame | middle | long
bad fate | end | long
fails | middle | long
slow | middle | short
half a frame | middle | long
no utf-8 | middle | long
seat -1 | middle | long
";

/// More cases of these kinds, for the long form.
const MORE_ABORTED: &str = "
hangs | end | short
empty frames | middle | long
line in a frame | middle | long
dies | end | long
exits | middle | long
no count | middle | long
negative count | middle | long
huge count | middle | long
count too small | middle | long
nul | middle | long
-1 lines | middle | long
two lines of question | middle | long
fraction of time | middle | long
endless time | middle | long
many scores | end | long
no scores | end | long
score 1e99 | end | long
score of a name | end | long
";

/// Referees that never start in a game.
const REFUSED: &str = "
hangs | start | short
dies | start | long
version 99 | start | long
seats 3 | start | long
fails | start | long
";

/// Harmless referees, which play to the end.
const PLAYED: &str = "
child stays | middle | long
kills | middle | long
writes outside | middle | long
";

struct Seen {
    code: Option<i32>,
    stderr: String,
    /// The rows of games.csv.
    games: usize,
    survivors: Vec<String>,
}

/// Runs two games of a referee.
fn run([mode, moment, patience]: [&str; 3]) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let referee = in_project("tests/programs/hostile_referee.py");
    let referee = referee.display();
    let ms = match patience {
        "short" => 1500,
        _ => 60_000,
    };
    let bot = "sh -c 'while read line; do echo x; done'";
    let config = format!(
        "[run]\nseed = 1\nname = \"run\"\ngame = \"hostile\"\nformat = \"round-robin\"\ngames = 2\njobs = 1\n\
         [clock]\nfirst_turn_ms = 60000\n\
         [game.hostile]\nreferee = [\"python3\", \"{referee}\", {mode:?}, {moment:?}]\nreferee_ms = {ms}\nmemory_mb = 128\n{}",
        bots(&format!("a | {bot}\n b | {bot}"))
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    let precious = folder.join("precious");
    fs::write(&precious, UNTOUCHED).unwrap();
    let output = programs::command(&folder, &["run", "run.toml", "--quiet"])
        .env("ARENA_TEST_TAG", &folder)
        .env("ARENA_TEST_PRECIOUS", &precious)
        .output()
        .unwrap();
    let mut survivors = programs::survivors("ARENA_TEST_TAG", &folder);
    if fs::read_to_string(precious).unwrap() != UNTOUCHED {
        survivors.push("a file was changed".to_owned());
    }
    let rows = fs::read_to_string(folder.join("results/run/games.csv")).unwrap_or_default();
    Seen {
        code: output.status.code(),
        stderr: stderr(&output),
        games: rows.lines().count().saturating_sub(1),
        survivors,
    }
}

/// The message about the first game, or instead of a run. Of standard error, only the last words.
fn told(stderr: &str) -> String {
    let first = stderr.split("game 1 could not be played").next().unwrap();
    let mut parts = first.splitn(2, "\nits standard error ends with:\n");
    let mut told = parts.next().unwrap().trim_end().to_owned();
    for line in parts.next().unwrap_or_default().lines() {
        if line.contains("my last words") {
            let _ = write!(told, "\n  {line}");
        }
    }
    told
}

/// Runs cases, a few at a time, that all have this exit status and number of games. Returns the
/// message of each.
fn told_of(cases: &str, code: i32, games: usize) -> String {
    let few = ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let cases = table(cases);
    let seen: Vec<Seen> = few.install(|| cases.par_iter().map(|case| run(*case)).collect());
    let (mut wrong, mut texts) = (String::new(), String::new());
    for ([mode, moment, _], seen) in cases.iter().zip(seen) {
        let Seen {
            code: ended,
            games: played,
            survivors,
            stderr,
        } = &seen;
        if (*ended, *played) != (Some(code), games) || !survivors.is_empty() {
            let _ = writeln!(
                wrong,
                "{mode}, {moment}: exit status {ended:?}, {played} games, survivors {survivors:?}\n{stderr}"
            );
        }
        let _ = writeln!(texts, "{mode}, {moment}: {}", told(stderr));
    }
    assert!(wrong.is_empty(), "{wrong}");
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
