//! Matches of two bots of which one fails in most units: nothing is measured by them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::store::GameRow;
use arena_games::Fate;

/// When so many units are complete, it is judged by the first of the schedule among them whether a match goes on.
const FIRST_UNITS: usize = 10;

/// In which units the bots of a match of two failed. Nothing here depends on the order of the games, and what is held does not
/// grow with them.
#[derive(Clone, Debug)]
pub(crate) struct Failures {
    bots: [String; 2],
    games_per_unit: u64,
    /// Units of which games are missing yet.
    open: BTreeMap<u64, Unit>,
    /// Of the first complete units of the schedule, [`FIRST_UNITS`] at most, whether each bot failed.
    first: BTreeMap<u64, [bool; 2]>,
    /// The complete units, and those of them in which each bot failed.
    complete: usize,
    failed: [usize; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    games: u64,
    /// Whether each bot failed in any of them.
    failed: [bool; 2],
}

/// A bot that failed in most units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FailedBot {
    /// Its name.
    pub(crate) bot: String,
    /// The units in which it failed.
    pub(crate) failed: usize,
    /// Of so many, the first of the schedule that are complete.
    pub(crate) units: usize,
}

impl Failures {
    /// No games yet.
    pub(crate) fn new(bots: [String; 2], games_per_unit: u64) -> Failures {
        Failures {
            bots,
            games_per_unit,
            open: BTreeMap::new(),
            first: BTreeMap::new(),
            complete: 0,
            failed: [0; 2],
        }
    }

    /// Takes note of a game.
    pub(crate) fn add(&mut self, row: &GameRow) {
        let unit = self.open.entry(row.unit).or_default();
        unit.games += 1;
        for (bot, failed) in self.bots.iter().zip(&mut unit.failed) {
            *failed |= row
                .seats
                .iter()
                .any(|seat| seat.fate != Fate::Ok && seat.bot == *bot);
        }
        if unit.games == self.games_per_unit
            && let Some(Unit { failed, .. }) = self.open.remove(&row.unit)
        {
            self.complete += 1;
            self.failed
                .iter_mut()
                .zip(failed)
                .for_each(|(sum, failed)| *sum += usize::from(failed));
            self.first.insert(row.unit, failed);
            if self.first.len() > FIRST_UNITS {
                self.first.pop_last();
            }
        }
    }

    /// The bots that failed in more than half of the first units, once so many are complete.
    pub(crate) fn at_first(&self) -> Vec<FailedBot> {
        let is_known = self.first.len() == FIRST_UNITS;
        [0, 1]
            .into_iter()
            .filter(|_| is_known)
            .filter_map(|bot| self.in_most_of_first(bot))
            .collect()
    }

    /// The bots that failed in more than half of the first units, or else of all.
    pub(crate) fn in_most(&self) -> Vec<FailedBot> {
        let of_all = |bot| self.told(bot, self.failed[bot], self.complete);
        [0, 1]
            .into_iter()
            .filter_map(|bot| self.in_most_of_first(bot).or_else(|| of_all(bot)))
            .collect()
    }

    fn in_most_of_first(&self, bot: usize) -> Option<FailedBot> {
        self.told(
            bot,
            self.first.values().filter(|failed| failed[bot]).count(),
            self.first.len(),
        )
    }

    /// A bot, if it failed in more than half of so many units.
    fn told(&self, bot: usize, failed: usize, units: usize) -> Option<FailedBot> {
        (2 * failed > units).then(|| FailedBot {
            bot: self.bots[bot].clone(),
            failed,
            units,
        })
    }
}
