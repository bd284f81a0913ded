//! One game of a run as tables, with what limits their numbers and who is first.

use std::fmt::Write as _;

use super::{BotSummary, Difference, Game};
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{count, estimate, likelihood};
use arena_section::{Sentence, Tone};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::ratings::Mark;

mod notes;
mod ratings;
mod results;

pub(crate) use notes::notes;
pub(crate) use notes::{EVERY_SEAT, LOS, WATCHED, rating_notes};
pub(crate) use ratings::{ANYTIME, DIFFERENCE, INTERVAL, Style, faults, seating, table};
use ratings::{DRAWN, RUN, rating, rating_interval};
pub(crate) use results::met;
pub(crate) use results::{
    all_times, boards, crosstable, pairings, reasons, seats, times, with_quantiles,
};

/// The columns of standings.
pub(crate) const COLUMNS: [&str; 16] = [
    "#", "bot", "Elo", DRAWN, DIFFERENCE, INTERVAL, ANYTIME, "LOS", "games", "place", "first",
    "score", "won", "drawn", "lost", "faults",
];
/// The columns of standings in a terminal while games are played.
const LIVE_COLUMNS: [&str; 6] = ["#", "bot", "Elo", INTERVAL, "games", "score"];

/// The standings of a game, the best bot first.
pub(crate) fn standings(game: &Game) -> Table {
    table(game, RUN)
}

/// Standings of more than two bots, for a window that shows them while games are played.
pub(crate) fn live_table(game: &Game) -> Table {
    let mut table = standings(game).pick(&LIVE_COLUMNS);
    // Just a number, so that every bot takes one line: the terminal shows above how bots fail.
    let faults = Rows::new("", &game.bots).shown(Kind::Number, "faults", |bot| {
        Cell::toned(Tone::Bad, Some(bot.faults()).filter(|&count| count > 0))
    });
    table.columns.extend(faults.table().columns);
    table
}

/// The rating of a bot in a run.
pub(crate) fn elo(bot: &BotSummary) -> String {
    rating(bot, RUN)
}

/// The interval of a rating in a run.
pub(crate) fn interval(bot: &BotSummary, game: &Game) -> String {
    rating_interval(bot, &game.groups, RUN)
}

/// The answer of a game without a test: how much stronger the first of two bots is, or which bot is
/// first. `None` if nothing was played.
pub(crate) fn headline(game: &Game) -> Option<Sentence> {
    let best = game.bots.first().filter(|_| game.games > 0)?;
    if let Some(difference) = &game.difference {
        return Some(headline_of_two(game, difference));
    }
    let mut rest = match best.mark {
        Some(Mark::Perfect) => " has won everything".to_owned(),
        _ => format!(" is first with {} Elo", elo(best)),
    };
    if best.lo95.is_some() {
        let _ = write!(rest, ", 95% interval {}", interval(best, game));
    }
    if let Some(los) = best.los_next {
        let los = likelihood(los);
        let _ = write!(rest, "; stronger than the second with likelihood {los}");
    }
    Some(Sentence::new(Tone::Strong, &best.name, rest))
}

fn headline_of_two(game: &Game, difference: &Difference) -> Sentence {
    let Difference { first, second, by } = difference;
    let (tone, claim) = if by.lo95 > 0.0 {
        (Tone::Good, "is stronger")
    } else if by.hi95 < 0.0 {
        (Tone::Bad, "is weaker")
    } else {
        (
            Tone::Open,
            "is neither clearly stronger nor weaker, inconclusive",
        )
    };
    let mut rest = format!(
        " {claim}: {} against {}, {}",
        in_force(by),
        second,
        count(game.games, "game", "games")
    );
    if by.holds != Holds::EveryLook {
        let _ = write!(rest, ", LOS {}", likelihood(by.los));
    }
    Sentence::new(tone, first, rest)
}

/// How far the first of two bots is ahead, with the interval in force. An interval that holds at
/// every look is named.
pub(crate) fn in_force(met: &Estimate) -> String {
    let estimate = estimate([met.elo, met.lo95, met.hi95]);
    if met.holds == Holds::EveryLook {
        format!("{estimate} ({ANYTIME})")
    } else {
        estimate
    }
}
