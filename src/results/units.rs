//! Games that wait until their unit is complete.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Collects games into whole units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Units<G> {
    /// The games of a unit.
    games: u64,
    /// The games of incomplete units.
    open: FxHashMap<u64, Vec<G>>,
    /// Complete units that wait for an earlier one.
    waiting: BTreeMap<u64, Vec<G>>,
    /// The number of the next unit, if units are handed out in order.
    next: Option<u64>,
}

impl<G: Default> Units<G> {
    /// Units of so many games, handed out as they end.
    pub(crate) fn as_they_end(games: u64) -> Units<G> {
        Units {
            games,
            ..Units::default()
        }
    }

    /// Units in the order of their numbers. Counting units as they end would favour short games: if
    /// wins are short and losses long, a worthless change would pass a test.
    pub(crate) fn in_order(games: u64) -> Units<G> {
        Units {
            next: Some(0),
            ..Units::as_they_end(games)
        }
    }

    /// Adds a game. Returns the units whose turn has come.
    pub(crate) fn add(&mut self, unit: u64, game: G) -> Vec<(u64, Vec<G>)> {
        let games = self.open.entry(unit).or_default();
        games.push(game);
        if (games.len() as u64) < self.games {
            return Vec::new();
        }
        let complete = self.open.remove(&unit).unwrap_or_default();
        let Some(next) = &mut self.next else {
            return vec![(unit, complete)];
        };
        self.waiting.insert(unit, complete);
        let mut due = Vec::new();
        while let Some(unit) = self.waiting.remove(next) {
            due.push((*next, unit));
            *next += 1;
        }
        due
    }

    /// The number of units that lack a game.
    pub(crate) fn open(&self) -> u64 {
        self.open.len() as u64
    }
}
