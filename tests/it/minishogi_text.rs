//! `arena minishogi`: the game as text, from files and typed in.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use cases::{Case, cases};

use crate::programs::{Said as _, program, stderr, stdout, table};

#[path = "../../crates/games/tests/it/minishogi_text/cases.rs"]
mod cases;

const START: &str =
    "k a1\ng b1\ns c1\nb d1\nr e1\np a2\nK e5\nG d5\nS c5\nB b5\nR a5\nP e4\n\n[]\n[]\n\n";

fn minishogi(args: &[&str]) -> Command {
    let mut command = program();
    command
        .arg("minishogi")
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn play(args: &[&str], input: &[u8]) -> Output {
    let mut command = minishogi(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that ends before it has read everything breaks the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn play_file(folder: &Path, text: &[u8]) -> Output {
    let path = folder.join("game.txt");
    fs::write(&path, text).unwrap();
    play(&["-f", path.to_str().unwrap()], b"")
}

/// The text of a game that was played.
fn shown(output: &Output) -> String {
    output.status(0);
    assert_eq!(stderr(output), "");
    stdout(output)
}

#[test]
fn files_are_played_as_they_should() {
    let folder = tempfile::tempdir().unwrap();
    for Case { name, file, output } in cases() {
        let played = play_file(folder.path(), file.as_bytes());
        assert_eq!(shown(&played), output, "{name}");
    }
}

/// Files without a valid position, with the place of the mistake and the expected text.
const MALFORMED: &str = r#"
"" | read on after line 0, the last one | PIECE
"k a1\nx b2\n" | read line 2, `x b2` | PIECE
"k a1\nK f5\n" | read line 2, `K f5` | PIECE
"k a1\nK e5 e4\n" | read line 2, `K e5 e4` | PIECE
"k\n" | read line 1, `k` | PIECE
"k a1\n+G c3\n" | read line 2, `+G c3` | PIECE
"k a1\n++p c3\n" | read line 2, `++p c3` | PIECE
"k a1\nK e5\n[]\n" | read line 3, `[]` | PIECE
"k a1\nk é1\n" | read line 2, `k é1` | PIECE
"k a1\n\u001b[2J\u0000 c3\n" | read line 2, `\u{1b}[2J\u{0} c3` | PIECE
"k a1\n----------------------------------------------------------------------------------\n" | read line 2, `------------------------------------------------------------...` | PIECE
"k a1\nK a1\n" | read line 2, `K a1` | expected a free square, but another line has a piece there
"K a1\n\n" | accept the pieces that end at line 1 | lower has 0 kings, expected one (`k`)
"k a1\nK b3\nK b5\n\n" | accept the pieces that end at line 3 | UPPER has 2 kings, expected one (`K`)
"k a1\nK e5\n" | read on after line 2, the last one | expected an empty line after the pieces, then what each player has captured
"k a1\nK e5\n\n" | read on after line 3, the last one | UPPER_LIST
"k a1\nK e5\n\n[p]\n[]\n" | read line 4, `[p]` | UPPER_LIST
"k a1\nK e5\n\n[]\n[k]\n" | read line 5, `[k]` | LOWER_LIST
"k a1\nK e5\n\n[]\nmove a1 a2\n" | read line 5, `move a1 a2` | LOWER_LIST
"k a1\nK e5\n\n[]\n[]\nmove a1 a2\n" | read line 6, `move a1 a2` | expected an empty line between the captured pieces and the actions
"#;
const PIECE: &str = "expected a piece and its square, such as `k a1` or `+B c4`";
const UPPER_LIST: &str = "expected the pieces captured by UPPER, of G S B R P in square brackets, such as `[P R]` or `[]`";
const LOWER_LIST: &str = "expected the pieces captured by lower, of g s b r p in square brackets, such as `[p r]` or `[]`";

#[test]
fn malformed_files_are_refused_with_line_and_expectation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    for [text, place, expected] in table(MALFORMED) {
        let text: String = serde_json::from_str(text).unwrap();
        let expected = match expected {
            "PIECE" => PIECE,
            "UPPER_LIST" => UPPER_LIST,
            "LOWER_LIST" => LOWER_LIST,
            other => other,
        };
        let refused = play_file(folder.path(), text.as_bytes());
        refused.status(3);
        let path = path.display();
        let message = format!("error: can't play {path}: can't {place}: {expected}\n");
        assert_eq!(stderr(refused.prints("")), message, "{text:?}");
    }
    let missing = folder.path().join("missing");
    play(&["-f", missing.to_str().unwrap()], b"").status(3);
}

#[test]
fn bytes_that_are_no_text_are_an_illegal_action() {
    let folder = tempfile::tempdir().unwrap();
    let text = [START.as_bytes(), b"move \xff\xfe a2\n"].concat();
    let played = stdout(&play_file(folder.path(), &text));
    assert!(played.ends_with("UPPER player wins.  Illegal move.\n"));
}

/// Unreadable output is an error, but a closed pipe has read enough.
#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    fs::write(&path, START).unwrap();
    let play = |args: &[&str], output: Stdio| {
        let child = minishogi(args).stdout(output).spawn().unwrap();
        child.wait_with_output().unwrap()
    };
    for args in [&["-i"][..], &["-f", path.to_str().unwrap()]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let ended = play(args, full.unwrap().into());
        let why = "error: can't write standard output: No space left";
        ended.status(70).begins(why);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(shown(&play(args, writer.into())), "");
    }
}

#[test]
fn either_way_of_playing_has_to_be_chosen() {
    play(&[], b"").status(2);
    play(&["-i", "-f", "game.txt"], b"").status(2);
}

pub(crate) const FIRST: &str = "5 | R| B| S| G| K|\n4 |__|__|__|__| P|\n3 |__|__|__|__|__|\n2 | p|__|__|__|__|\n\
                     1 | k| g| s| b| r|\n    a  b  c  d  e\n\nCaptures UPPER: \nCaptures lower: \n\n";

pub(crate) const SECOND: &str = "5 | R| B| S| G| K|\n4 |__|__|__|__| P|\n3 | p|__|__|__|__|\n2 |__|__|__|__|__|\n\
                      1 | k| g| s| b| r|\n    a  b  c  d  e\n\nCaptures UPPER: \nCaptures lower: \n\n";

#[test]
fn lines_from_a_pipe_are_played_one_by_one() {
    let shown = |input: &[u8]| shown(&play(&["-i"], input));
    let start = format!("{FIRST}lower> ");
    let moved = format!("{start}lower player action: move a2 a3\n{SECOND}UPPER> ");
    let over = format!(
        "{moved}UPPER player action: drop p c3\n{SECOND}lower player wins.  Illegal move.\n"
    );
    assert_eq!(shown(b""), start);
    assert_eq!(shown(b"\n  \r\n"), start);
    assert_eq!(shown(b"\n  move a2 a3 \r\n\n"), moved);
    assert_eq!(shown(b"move a2 a3"), moved);
    assert_eq!(shown(b"move a2 a3\ndrop p c3\nmove a3 a4\n"), over);
    let checked = shown(b"move e1 e4\nmove a5 a4\nmove e4 d4\n");
    let listed = "UPPER player is in check!\nAvailable moves:\nmove d5 e4\nmove e5 e4\nUPPER> ";
    assert!(checked.contains(listed), "{checked}");
}
