//! The standings of games: what `results` counts, with response times, metrics, faults and boards,
//! and the words and tables for all of it.
//!
//! A [`Tally`] takes the games of a run as they come. Nothing here depends on their order.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

pub(crate) mod faults;
mod game;
pub(crate) mod metrics;
mod rate;
mod section;
pub(crate) mod tables;
mod tally;
mod times;

pub(crate) use game::{BotSummary, Game, title};
pub(crate) use rate::{RatedGame, RatingScale};
pub(crate) use section::{Extras, numbers, section, standing};
pub(crate) use tally::{ANY_FAULT, Summary, Tally};
pub(crate) use times::TimeSummary;

#[cfg(test)]
mod tests;
