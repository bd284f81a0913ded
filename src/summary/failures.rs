//! Matches of two bots of which one fails in most units: nothing is measured by them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::store::GameRow;
use arena_games::Fate;

/// When so many units are complete, it is judged by the first of the schedule among them whether a match goes on.
const FIRST_UNITS: usize = 10;

/// In which units the bots of a match of two failed. Nothing here depends on the order of the games.
#[derive(Clone, Debug)]
pub(crate) struct Failures {
    bots: [String; 2],
    games_per_unit: u64,
    units: BTreeMap<u64, Unit>,
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
        Failures { bots, games_per_unit, units: BTreeMap::new() }
    }

    /// Takes note of a game.
    pub(crate) fn add(&mut self, row: &GameRow) {
        let unit = self.units.entry(row.unit).or_default();
        unit.games += 1;
        for (bot, failed) in self.bots.iter().zip(&mut unit.failed) {
            *failed |= row.seats.iter().any(|seat| seat.fate != Fate::Ok && seat.bot == *bot);
        }
    }

    /// The bots that failed in more than half of the first units, once so many are complete.
    pub(crate) fn at_first(&self) -> Vec<FailedBot> {
        let in_first = |bot| self.failed(bot, FIRST_UNITS).filter(|failed| failed.units == FIRST_UNITS);
        [0, 1].into_iter().filter_map(in_first).collect()
    }

    /// The bots that failed in more than half of the first units, or else of all.
    pub(crate) fn in_most(&self) -> Vec<FailedBot> {
        let in_most = |bot| self.failed(bot, FIRST_UNITS).or_else(|| self.failed(bot, usize::MAX));
        [0, 1].into_iter().filter_map(in_most).collect()
    }

    /// A bot, if it failed in more than half of the complete units, `most` of them at most.
    fn failed(&self, bot: usize, most: usize) -> Option<FailedBot> {
        let complete = self.units.values().filter(|unit| unit.games == self.games_per_unit).take(most);
        let (units, failed) =
            complete.fold((0, 0), |(units, failed), unit| (units + 1, failed + usize::from(unit.failed[bot])));
        (2 * failed > units).then(|| FailedBot { bot: self.bots[bot].clone(), failed, units })
    }
}
