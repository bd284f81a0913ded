//! docs/how-to/referees.md: its game is what the example referees say, and its drawings can be read.

use crate::programs::Said as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use arena_games::Drawing;

use super::examples::{blocks, text};
use super::ground::project;

/// Lines with this beginning, without it.
fn lines(transcript: &str, beginning: &str) -> String {
    transcript
        .lines()
        .filter_map(|line| Some(line.strip_prefix(beginning)?.to_owned() + "\n"))
        .collect()
}

/// A referee's output for these lines.
fn said(mut referee: Command, lines: &str) -> String {
    let mut child = referee
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    output.status(0);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_example_referees_play_the_game_of_the_document() {
    let document = text("docs/how-to/referees.md");
    let transcript = blocks(&document)
        .into_iter()
        .find(|(_, block)| block.contains("> [[INIT]"))
        .unwrap()
        .1;
    let folder = tempfile::tempdir().unwrap();
    let compiled = folder.path().join("tictactoe");
    let source = project().join("referees/tictactoe.rs");
    let status = Command::new("rustc")
        .args(["--edition", "2024", "-D", "warnings", "-o"])
        .arg(&compiled)
        .arg(source)
        .status();
    assert!(status.unwrap().success());
    let mut python = Command::new("python3");
    python.arg(project().join("referees/tictactoe.py"));
    for referee in [python, Command::new(compiled)] {
        let name = format!("{referee:?}");
        assert_eq!(
            said(referee, &lines(&transcript, "> ")),
            lines(&transcript, "< "),
            "{name}"
        );
    }
}

#[test]
fn the_drawings_of_the_document_can_be_read() {
    let document = text("docs/how-to/referees.md");
    let drawings: Vec<String> = blocks(&document)
        .into_iter()
        .map(|(_, block)| block)
        .filter(|block| block.starts_with('{'))
        .collect();
    assert!(drawings.len() >= 3);
    for drawing in drawings {
        let read = Drawing::parse(drawing.trim_end());
        assert!(
            read.is_ok_and(|read| read != Drawing::default()),
            "{drawing}"
        );
    }
}
