//! Matches of two bots of which one fails in most units: nothing is measured by them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::sprt::GAMES_PER_UNIT;
use crate::store::GameRow;
use arena_games::Fate;

/// When so many units are complete, the first of the schedule, it is judged whether a match goes on.
const FIRST_UNITS: u64 = 10;

/// In which units the bots of a match of two failed. Nothing here depends on the order of the games.
#[derive(Clone, Debug)]
pub(crate) struct Failures {
    bots: [String; 2],
    failed: [BTreeSet<u64>; 2],
    games: u64,
    /// Those of the first units.
    first_games: u64,
}

/// A bot that failed in most units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FailedBot {
    /// Its name.
    pub(crate) bot: String,
    /// The units in which it failed.
    pub(crate) failed: u64,
    /// Of so many, the first of the schedule.
    pub(crate) units: u64,
}

impl Failures {
    /// No games yet.
    pub(crate) fn new(bots: [String; 2]) -> Failures {
        Failures { bots, failed: [const { BTreeSet::new() }; 2], games: 0, first_games: 0 }
    }

    /// Takes note of a game.
    pub(crate) fn add(&mut self, row: &GameRow) {
        self.games += 1;
        self.first_games += u64::from(row.unit < FIRST_UNITS);
        for seat in row.seats.iter().filter(|seat| seat.fate != Fate::Ok) {
            if let Some(bot) = self.bots.iter().position(|bot| *bot == seat.bot) {
                self.failed[bot].insert(row.unit);
            }
        }
    }

    /// The bots that failed in more than half of the first units, once these are complete.
    pub(crate) fn at_first(&self) -> Vec<FailedBot> {
        let is_judged = self.first_games >= u64::from(GAMES_PER_UNIT) * FIRST_UNITS;
        if is_judged { self.in_most_of(FIRST_UNITS) } else { Vec::new() }
    }

    /// The bots that failed in most of the first units or, if there are none, of all.
    pub(crate) fn in_most(&self) -> Vec<FailedBot> {
        let at_first = self.at_first();
        if at_first.is_empty() { self.in_most_of(self.games / u64::from(GAMES_PER_UNIT)) } else { at_first }
    }

    /// The bots that failed in more than half of so many units, the first of the schedule.
    pub(crate) fn in_most_of(&self, units: u64) -> Vec<FailedBot> {
        let failed = |failed: &BTreeSet<u64>| failed.range(..units).count() as u64;
        let bots = self.bots.iter().zip(&self.failed);
        let bots = bots.map(|(bot, units_of)| FailedBot { bot: bot.clone(), failed: failed(units_of), units });
        bots.filter(|bot| 2 * bot.failed > units).collect()
    }
}
