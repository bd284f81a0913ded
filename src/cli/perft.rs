//! `arena perft`.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::anyhow;

use super::{Failure, PerftArgs};
use crate::exit;
use arena_games::{onitama, shogi};

/// The games whose moves can be counted.
const GAMES: [&str; 3] = ["minishogi", "dice_shogi", "onitama"];

pub(super) fn perft(args: &PerftArgs) -> Result<u8, Failure> {
    match (args.game.as_str(), &args.sfen, args.seed) {
        ("minishogi" | "dice_shogi", sfen, None) => {
            let start = || Ok(shogi::Position::start());
            let position = sfen.as_deref().map_or_else(start, shogi::Position::from_sfen).map_err(Failure::input)?;
            print(|| shogi::perft_split(&position, args.depth));
        }
        ("onitama", None, seed) => {
            let position = onitama::Position::deal(seed.unwrap_or(0));
            print(|| onitama::perft_split(&position, args.depth));
        }
        ("minishogi" | "dice_shogi", ..) => {
            return Err(Failure::usage(anyhow!(
                "--seed is for onitama: shogi starts from its one start, or from --sfen"
            )));
        }
        ("onitama", ..) => return Err(Failure::usage(anyhow!("--sfen is for shogi: onitama starts from a --seed"))),
        (game, ..) => return Err(Failure::usage(anyhow!("perft knows {}, not `{game}`", GAMES.join(", ")))),
    }
    Ok(exit::OK)
}

/// Counts, and prints the counts of the first actions, the total and the rate.
fn print<A: Display>(split: impl FnOnce() -> Vec<(A, u64)>) {
    let start = Instant::now();
    let split = split();
    let seconds = start.elapsed().as_secs_f64();
    let total: u64 = split.iter().map(|(_, count)| count).sum();
    let mut out = io::stdout().lock();
    for (action, count) in &split {
        let _ = writeln!(out, "{action}: {count}");
    }
    let _ = writeln!(out, "{total}");
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = total as f64 / seconds / 1e6;
    let _ = writeln!(io::stderr(), "{rate:.1} million nodes/s");
}
