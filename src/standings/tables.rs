//! One game of a run as tables, with what limits their numbers and who is first.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::{BotSummary, Difference, Game};
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{count, estimate, exact_percent, likelihood};
use arena_section::{Sentence, Tone};
use arena_stats::estimate::{Claim, Estimate, Holds};
use arena_stats::ratings::Mark;

mod drawn;
mod notes;
mod ratings;
mod results;

pub(crate) use drawn::drawn;
pub(crate) use notes::{EVERY_SEAT, looks, rating_notes};
pub(crate) use notes::{notes, notes_on_games};
pub(crate) use ratings::{ANYTIME, DIFFERENCE, INTERVAL, OF_TEST, Style, faults, seating, table};
use ratings::{DRAWN, RUN, rating, rating_interval, title};
pub(crate) use results::met;
pub(crate) use results::{
    all_times, boards, crosstable, pairings, reasons, seats, times, with_quantiles,
};

/// The columns of standings.
pub(crate) const COLUMNS: [&str; 17] = [
    "#", "bot", "Elo", DRAWN, DIFFERENCE, INTERVAL, ANYTIME, OF_TEST, "LOS", "games", "place",
    "first", "score", "won", "drawn", "lost", "faults",
];
/// The columns of standings in a terminal while games are played.
const LIVE_COLUMNS: [&str; 7] = ["#", "bot", "Elo", INTERVAL, ANYTIME, "games", "score"];

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

/// The interval of a rating in a run. One that isn't for a single look is named.
pub(crate) fn interval(bot: &BotSummary, game: &Game) -> String {
    let interval = rating_interval(bot, &game.groups, RUN);
    if bot.lo95.is_none() || game.holds == Holds::Once {
        interval
    } else {
        format!("{interval} ({})", title(game.holds))
    }
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
        let interval = rating_interval(best, &game.groups, RUN);
        let _ = write!(rest, ", {} {interval}", title(game.holds));
    }
    if let Some(los) = best.los_next {
        let los = likelihood(los);
        let _ = write!(rest, "; stronger than the second with likelihood {los}");
    }
    Some(Sentence::new(Tone::Strong, &best.name, rest))
}

fn headline_of_two(game: &Game, difference: &Difference) -> Sentence {
    let Difference { first, second, by } = difference;
    if game.same_moves {
        return Sentence::new(
            Tone::Open,
            first,
            format!(" against {second}: {}", same_moves(game.units)),
        );
    }
    let (tone, claim) = match by.claim() {
        Claim::Compared(Ordering::Greater) => (Tone::Good, "is stronger"),
        Claim::Compared(Ordering::Less) => (Tone::Bad, "is weaker"),
        Claim::Compared(Ordering::Equal) => (
            Tone::Open,
            "is neither clearly stronger nor weaker, inconclusive",
        ),
        Claim::NoVerdict => (Tone::Open, NO_VERDICT),
    };
    let mut rest = format!(
        " {claim}: {} against {}, {}",
        in_force(by),
        second,
        count(game.games, "game", "games")
    );
    if by.claim() == Claim::NoVerdict {
        let _ = write!(rest, "; {}", too_few(game.distinct_units));
    } else if let Some(los) = by.los {
        let _ = write!(rest, ", LOS {}", likelihood(los));
    }
    Sentence::new(tone, first, rest)
}

/// The claim of a match with too few units.
pub(crate) const NO_VERDICT: &str = "has no verdict";

/// Why there is no verdict.
pub(crate) fn too_few(distinct_units: u64) -> String {
    format!(
        "only {}: a verdict takes 6 of 6, or 8 of 9",
        count(distinct_units, "different unit", "different units")
    )
}

/// What is known of bots that play alike.
pub(crate) fn same_moves(units: u64) -> String {
    let units = count(units, "unit", "units");
    format!(
        "both bots played the same moves in all {units}: the change has no effect in these games"
    )
}

/// How far the first of two bots is ahead, with the interval in force. One that isn't for a single
/// look is named.
pub(crate) fn in_force(met: &Estimate) -> String {
    let estimate = estimate([met.elo, met.lo95, met.hi95]);
    match met.holds {
        Holds::Once => estimate,
        Holds::EveryLook => format!("{estimate} ({ANYTIME})"),
        Holds::Test => format!("{estimate} ({} {OF_TEST})", exact_percent(met.confidence)),
    }
}
