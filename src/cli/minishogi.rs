//! `arena minishogi`.

use std::io::{self, BufRead as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::exit;
use super::failure::{Failure, Result};
use super::output::print_data;
use arena_games::shogi::text::{self, TextGame};

/// Play MiniShogi by hand, or from a file of actions
///
/// Two players, lower and UPPER, in turn: `move a1 a2`, `move a1 a2 promote` or `drop p c3`. An
/// illegal action loses the game.
///
/// A file holds pieces and their squares, one per line as in `k a1` or `+B c4`; an empty line; what
/// UPPER has captured and what lower has, as in `[P R]` and `[]`; an empty line; then actions, one
/// per line, lower's first.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct MinishogiArgs {
    /// Read the actions from standard input, and show the game after each
    #[arg(long, short)]
    interactive: bool,
    /// Read a position and actions from a file; show the end
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(super) fn minishogi(args: &MinishogiArgs) -> Result<u8> {
    match &args.file {
        Some(path) => print_data(replay(path)?),
        None => converse(),
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
fn converse() -> Result<u8> {
    let mut input = io::stdin().lock();
    let mut game = TextGame::start();
    let mut line = Vec::new();
    print_data(game.to_string())?;
    while game.ending().is_none() {
        line.clear();
        let length = input.read_until(b'\n', &mut line);
        let length = length.context("can't read standard input");
        if length.map_err(Failure::Internal)? == 0 {
            return Ok(exit::OK);
        }
        if game.play(&String::from_utf8_lossy(&line)) {
            print_data(game.to_string())?;
        }
    }
    print_data("\n")
}
