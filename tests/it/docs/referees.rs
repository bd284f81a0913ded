//! docs/how-to/referees.md: its game is what the example referees say, and its drawings can be
//! read.

use std::io::Write as _;
use std::process::{Command, Stdio};

use arena_games::Drawing;

use super::examples::{blocks, text};
use super::ground::project;
use crate::programs::{Said as _, stdout};

/// Lines with this beginning, without it.
fn lines(transcript: &str, beginning: &str) -> String {
    let lines = transcript.lines();
    lines
        .filter_map(|line| Some(line.strip_prefix(beginning)?.to_owned() + "\n"))
        .collect()
}

/// A referee's output for these lines.
fn said(mut referee: Command, lines: &str) -> String {
    referee.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = referee.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    output.status(0);
    stdout(&output)
}

#[test]
fn the_example_referees_play_the_game_of_the_document() {
    let document = text("docs/how-to/referees.md");
    let blocks = blocks(&document);
    let transcript = blocks.iter().find(|(_, block)| block.contains("> [[INIT]"));
    let (_, transcript) = transcript.unwrap();
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
        let said = said(referee, &lines(transcript, "> "));
        assert_eq!(said, lines(transcript, "< "), "{name}");
    }
}

#[test]
fn the_drawings_of_the_document_can_be_read() {
    let document = text("docs/how-to/referees.md");
    let mut drawings = blocks(&document);
    drawings.retain(|(_, block)| block.starts_with('{'));
    assert!(drawings.len() >= 3);
    for (_, drawing) in drawings {
        let read = Drawing::parse(drawing.trim_end()).unwrap();
        assert!(read != Drawing::default(), "{drawing}");
    }
}
