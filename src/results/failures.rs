//! Matches that measure nothing, because a bot fails in most units. A probe before the first game
//! can't tell: a bot may give its first answer and fail later.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// The number of complete units that decide whether a match continues.
const FIRST_UNITS: usize = 10;

/// The number of units with a fault of each bot. It doesn't depend on the order of the games, and
/// its memory is bounded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    bots: Vec<String>,
    /// Whether each bot failed in the first complete units of the schedule, [`FIRST_UNITS`] at
    /// most.
    first: BTreeMap<u64, Vec<bool>>,
    complete: usize,
    /// The number of complete units with a fault of each bot.
    failed: Vec<usize>,
}

/// A bot that failed in most units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[error("{bot} failed in {failed} of its first {units} units")]
pub(crate) struct FailedBot {
    /// Name of the bot.
    pub(crate) bot: String,
    /// Units in which the bot failed.
    pub(crate) failed: usize,
    /// Complete units that count.
    pub(crate) units: usize,
}

impl Failures {
    /// No games yet.
    pub(crate) fn new(bots: Vec<String>) -> Failures {
        Failures {
            failed: vec![0; bots.len()],
            bots,
            ..Failures::default()
        }
    }

    /// Counts a complete unit. `failed` says whether each bot failed.
    pub(crate) fn add(&mut self, unit: u64, failed: Vec<bool>) {
        self.complete += 1;
        for (bot, &failed) in failed.iter().enumerate() {
            self.failed[bot] += usize::from(failed);
        }
        self.first.insert(unit, failed);
        if self.first.len() > FIRST_UNITS {
            self.first.pop_last();
        }
    }

    /// The bots that failed in more than half of the first units, once these are complete.
    pub(crate) fn at_first(&self) -> Vec<FailedBot> {
        if self.first.len() < FIRST_UNITS {
            return Vec::new();
        }
        (0..self.bots.len())
            .filter_map(|bot| self.of_first(bot))
            .collect()
    }

    /// The bots that failed in more than half of the first units, or else of all.
    pub(crate) fn in_most(&self) -> Vec<FailedBot> {
        let of_all = |bot| self.in_most_of(bot, self.failed[bot], self.complete);
        (0..self.bots.len())
            .filter_map(|bot| self.of_first(bot).or_else(|| of_all(bot)))
            .collect()
    }

    /// A bot that failed in more than half of the first units so far.
    pub(crate) fn of_first(&self, bot: usize) -> Option<FailedBot> {
        let failed = self.first.values().filter(|failed| failed[bot]).count();
        self.in_most_of(bot, failed, self.first.len())
    }

    fn in_most_of(&self, bot: usize, failed: usize, units: usize) -> Option<FailedBot> {
        (2 * failed > units).then(|| FailedBot {
            bot: self.bots[bot].clone(),
            failed,
            units,
        })
    }
}
