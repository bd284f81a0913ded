//! `arena minishogi`.

use std::io::{self, BufRead, Write};
use std::path::Path;

use anyhow::Context;

use super::exit;
use super::{Failure, MinishogiArgs};
use arena_games::shogi::text::{self, TextGame};

pub(super) fn minishogi(args: &MinishogiArgs) -> Result<u8, Failure> {
    let shown = match &args.file {
        Some(path) => show(&replay(path)?),
        None => converse(),
    };
    let Err(error) = shown else {
        return Ok(exit::OK);
    };
    match error.downcast_ref::<io::Error>() {
        // It is no error if the reader has gone away.
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(exit::OK),
        _ => Err(Failure::internal(error)),
    }
}

/// Plays the game of a file and shows its end. Bytes that aren't UTF-8 can only be part of a
/// mistake.
fn replay(path: &Path) -> anyhow::Result<String> {
    let place = format!("can't play {}", path.display());
    let bytes = arena_process::read_input(path).context(place.clone())?;
    text::replay(&String::from_utf8_lossy(&bytes)).context(place)
}

/// Plays the lines of standard input, until the game or the input ends.
fn converse() -> anyhow::Result<()> {
    let mut input = io::stdin().lock();
    let mut game = TextGame::start();
    let mut line = Vec::new();
    show(&game.to_string())?;
    while game.ending().is_none() {
        line.clear();
        let length = input.read_until(b'\n', &mut line);
        if length.context("can't read standard input")? == 0 {
            return Ok(());
        }
        if game.play(&String::from_utf8_lossy(&line)) {
            show(&game.to_string())?;
        }
    }
    show("\n")
}

/// Writes and flushes: the prompt doesn't end a line.
fn show(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("can't write standard output")
}
