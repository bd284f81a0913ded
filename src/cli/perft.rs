//! `arena perft`.

use std::fmt::Display;
use std::time::Instant;

use clap::Args;

use super::contest::known_game;
use super::exit;
use super::failure::{Result, UsageError};
use super::output::{print, say};
use super::terms::within;
use arena_games::{Games, onitama, shogi};

/// Count the move sequences of a game's rules, split by the first move
///
/// The last line is the total. Both shogis have the same moves; the die is not part of the count.
/// Sequences that end the game before their full length are not counted.
#[derive(Debug, Args)]
pub(super) struct PerftArgs {
    /// `minishogi`, `dice_shogi` or `onitama`
    game: String,
    /// The length of the sequences
    #[arg(long, short, value_name = "N", default_value_t = 5, value_parser = within("an integer", 1..=99_u32))]
    depth: u32,
    /// Shogi: the first position, in SFEN [default: the start of the game]
    #[arg(long, value_name = "SFEN")]
    sfen: Option<String>,
    /// Onitama: the seed that deals the cards [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<i64>,
}

pub(super) fn perft(args: &PerftArgs, games: &Games) -> Result<u8> {
    let game = known_game(&args.game, games)?;
    match (game.id.as_str(), &args.sfen, args.seed) {
        ("minishogi" | "dice_shogi", sfen, None) => {
            let position = match sfen {
                Some(sfen) => shogi::Position::from_sfen(sfen)?,
                None => shogi::Position::start(),
            };
            count(|| shogi::perft_split(&position, args.depth))
        }
        ("onitama", None, seed) => {
            let position = onitama::Position::deal(seed.unwrap_or(0));
            count(|| onitama::perft_split(&position, args.depth))
        }
        (game, ..) => Err(UsageError::NotCounted(game.to_owned()).into()),
    }
}

/// Prints the counts of the first actions, the total and the rate.
fn count<A: Display>(split: impl FnOnce() -> Vec<(A, u64)>) -> Result<u8> {
    let start = Instant::now();
    let split = split();
    let seconds = start.elapsed().as_secs_f64();
    let total: u64 = split.iter().map(|(_, count)| count).sum();
    let lines = split
        .iter()
        .map(|(action, count)| format!("{action}: {count}\n"));
    print(lines.collect::<String>() + &format!("{total}\n"))?;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = total as f64 / seconds / 1e6;
    say(&format!("{rate:.1} million nodes/s"));
    Ok(exit::OK)
}
