//! `arena perft`.

use std::fmt::Display;
use std::time::Instant;

use anyhow::anyhow;

use super::contest::known_game;
use super::exit;
use super::{Failure, PerftArgs, print, say};
use arena_games::{Games, onitama, shogi};

pub(super) fn perft(args: &PerftArgs, games: &Games) -> Result<u8, Failure> {
    let game = known_game(&args.game, games)?;
    match (game.id.as_str(), &args.sfen, args.seed) {
        ("minishogi" | "dice_shogi", sfen, None) => {
            let position = match sfen {
                Some(sfen) => shogi::Position::from_sfen(sfen).map_err(Failure::input)?,
                None => shogi::Position::start(),
            };
            count(|| shogi::perft_split(&position, args.depth))
        }
        ("onitama", None, seed) => {
            let position = onitama::Position::deal(seed.unwrap_or(0));
            count(|| onitama::perft_split(&position, args.depth))
        }
        (game, ..) => Err(Failure::usage(anyhow!(
            "can't count {game}: expected minishogi or dice_shogi, which take --sfen, or onitama, which takes --seed\nhint: arena perft onitama"
        ))),
    }
}

/// Prints the counts of the first actions, the total and the rate.
fn count<A: Display>(split: impl FnOnce() -> Vec<(A, u64)>) -> Result<u8, Failure> {
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
