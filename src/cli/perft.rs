//! `arena perft`.

use std::fmt::{Display, Write as _};
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::contest::known_game;
use super::exit;
use super::failure::{Result, UsageError};
use super::output::{say, show};
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

/// The move sequences of a game.
#[derive(Serialize, JsonSchema)]
pub(super) struct Perft<'g> {
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: &'g str,
    /// The length of the sequences.
    depth: u32,
    /// The first actions.
    actions: Vec<FirstAction>,
    /// Number of sequences of actions, or of those that begin with `action`.
    nodes: u64,
}

/// An action of the first turn.
#[derive(Serialize, JsonSchema)]
struct FirstAction {
    /// First action of the sequences.
    action: String,
    /// Number of sequences of actions, or of those that begin with `action`.
    nodes: u64,
}

/// Shows the counts of the first actions and the total, and says the rate.
pub(super) fn perft(args: &PerftArgs, games: &Games) -> Result<u8> {
    let (game, depth) = (known_game(&args.game, games)?, args.depth);
    let start = Instant::now();
    let actions = match (game.id.as_str(), &args.sfen, args.seed) {
        ("minishogi" | "dice_shogi", sfen, None) => {
            let position = match sfen {
                Some(sfen) => shogi::Position::from_sfen(sfen)?,
                None => shogi::Position::start(),
            };
            in_words(shogi::perft_split(&position, depth))
        }
        ("onitama", None, seed) => {
            let position = onitama::Position::deal(seed.unwrap_or(0));
            in_words(onitama::perft_split(&position, depth))
        }
        (other, ..) => return Err(UsageError::NotCounted(other.to_owned()).into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let perft = Perft {
        game: &game.id,
        depth,
        nodes: actions.iter().map(|first| first.nodes).sum(),
        actions,
    };
    let status = show(exit::OK, &perft, || {
        let mut text = String::new();
        for FirstAction { action, nodes } in &perft.actions {
            let _ = writeln!(text, "{action}: {nodes}");
        }
        text + &format!("{}\n", perft.nodes)
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = perft.nodes as f64 / seconds / 1e6;
    say(&format!("{rate:.1} million nodes/s"));
    Ok(status)
}

fn in_words(split: Vec<(impl Display, u64)>) -> Vec<FirstAction> {
    let first = |(action, nodes): (_, u64)| FirstAction {
        action: format!("{action}"),
        nodes,
    };
    split.into_iter().map(first).collect()
}
