//! `arena perft`.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::anyhow;

use super::{Failure, PerftArgs};
use crate::exit;
use crate::games::shogi::{Position, perft_split};

/// The games whose moves can be counted.
const GAMES: [&str; 2] = ["minishogi", "dice_shogi"];

pub(super) fn perft(args: &PerftArgs) -> Result<u8, Failure> {
    if !GAMES.contains(&args.game.as_str()) {
        let error = anyhow!("perft knows {}, not `{}`", GAMES.join(" and "), args.game);
        return Err(Failure { code: exit::USAGE, error });
    }
    let position = match &args.sfen {
        None => Position::start(),
        Some(sfen) => Position::from_sfen(sfen).map_err(Failure::input)?,
    };
    let start = Instant::now();
    let split = perft_split(&position, args.depth);
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
    Ok(exit::OK)
}
