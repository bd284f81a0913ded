//! Games of units that aren't complete yet.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::count::CountedGame;
use super::tally::transcript;
use crate::play::record::Record;
use crate::store::GameRow;

/// The games of incomplete units, by unit.
pub(crate) type Units<G, K = u64> = FxHashMap<K, Vec<G>>;

/// Adds a game to its unit. Returns all games of the unit once it is complete.
pub(crate) fn add_to_unit<G, K: Copy + Eq + Hash>(
    open: &mut Units<G, K>,
    unit: K,
    game: G,
    games_in_unit: u64,
) -> Option<Vec<G>> {
    let games = open.entry(unit).or_default();
    games.push(game);
    if (games.len() as u64) < games_in_unit {
        return None;
    }
    open.remove(&unit)
}

/// The games in a unit of two bots: both play in both of them, or each plays one of them alone.
pub(crate) const GAMES_OF_TWO: u64 = 2;

/// The units of two bots in the order of the schedule. Counting units as they end would favour
/// short games: if wins are short and losses long, a worthless change would pass a test.
#[derive(Clone, Debug)]
pub(crate) struct UnitsInOrder {
    /// The bot with the number 0 in counted games.
    pub(super) first: String,
    /// Whether the seed of a game decides more than the order of lists.
    seed_decides: bool,
    open: Units<CountedGame>,
    /// Complete units by number that wait for an earlier one.
    waiting: BTreeMap<u64, Vec<CountedGame>>,
    /// The number of the next unit.
    next: u64,
}

impl UnitsInOrder {
    /// No games yet.
    pub(crate) fn new(first: String, seed_decides: bool) -> UnitsInOrder {
        UnitsInOrder {
            first,
            seed_decides,
            open: Units::default(),
            waiting: BTreeMap::new(),
            next: 0,
        }
    }

    /// Adds a game. Returns the units whose turn has come.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record) -> Vec<Vec<CountedGame>> {
        self.add_row(row, transcript(row, record, self.seed_decides))
    }

    /// Adds a game; `moves` is a digest of what was played, or 0.
    pub(super) fn add_row(&mut self, row: &GameRow, moves: u64) -> Vec<Vec<CountedGame>> {
        let seats = row.seats.iter();
        let bots = seats.map(|seat| usize::from(seat.bot != self.first));
        let game = CountedGame::new(row, bots.collect(), moves);
        let complete = add_to_unit(&mut self.open, row.unit, game, GAMES_OF_TWO);
        self.waiting.extend(complete.map(|unit| (row.unit, unit)));
        let mut due = Vec::new();
        while let Some(unit) = self.waiting.remove(&self.next) {
            self.next += 1;
            due.push(unit);
        }
        due
    }
}
