//! The results of games: every number about strength comes from here.
//!
//! A game of a run is a [`GameResult`]. A [`Match`] of two bots counts results to decide when it
//! has shown enough. A [`Count`] counts the results of any number of bots: a [`Pair`] says what is
//! known of two of them, a [`Table`] rates all of them. A [`Union`] has the counts of several runs.
//! No number depends on the order of the games.
//!
//! Nothing here reads files or the clock, or knows the kind of a run.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

mod bots;
mod compared;
mod count;
mod evidence;
mod failures;
mod matched;
mod pair;
mod repeats;
mod result;
mod table;
mod union;
mod units;

pub(crate) use bots::BotCount;
pub(crate) use compared::{Compared, unit_points};
pub(crate) use count::{Count, CountRow, score};
pub(crate) use failures::{FailedBot, Failures};
pub(crate) use matched::{AfterUnit, GAMES_OF_TWO, Match, Rule};
pub(crate) use pair::{Met, Pair, Stop, WinsDrawsLosses};
#[cfg(test)]
pub(crate) use result::SeatResult;
pub(crate) use result::{GameResult, StoredGame, Unfit};
pub(crate) use table::{Misfit, Table};
pub(crate) use union::{Field, NoPair, Source, Union};
pub(crate) use units::Units;

#[cfg(test)]
pub(crate) mod tests;
