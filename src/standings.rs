//! Games counted: units, ratings, response times, metrics and faults, of one run or of several that
//! are rated together.
//!
//! A [`Tally`] counts the games of a run as they come, and [`Results`] those of any files. Both
//! count with [`Count`], so a game means the same everywhere. Nothing here depends on the order of
//! the games.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

mod copies;
mod count;
mod failures;
pub(crate) mod faults;
mod game;
pub(crate) mod metrics;
mod rate;
mod repeats;
mod section;
mod stop;
mod summary;
pub(crate) mod tables;
mod tally;
mod times;
mod units;

pub(crate) use copies::Shared;
pub(crate) use count::{CountedGame, unit_points};
pub(crate) use failures::{FailedBot, Failures};
pub(crate) use game::{
    BotSummary, Difference, Game, Misfit, PairingSummary, WinsDrawsLosses, title,
};
pub(crate) use rate::{Match, RatedGame, RatingScale, Results};
pub(crate) use repeats::Repeats;
pub(crate) use section::{Extras, numbers, section, standing};
pub(crate) use stop::Stop;
pub(crate) use summary::Summary;
pub(crate) use tally::{ANY_FAULT, Tally, same_moves};
pub(crate) use times::TimeSummary;
pub(crate) use units::{GAMES_OF_TWO, Units, UnitsInOrder, add_to_unit};

#[cfg(test)]
mod tests;
