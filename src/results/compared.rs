//! Games with numbers for bots: all that is compared.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::GameResult;
use super::bots::PARTS;
use arena_games::Fate;
use arena_stats::ratings::{Comparison, half_points};

/// A game in which bots have numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    /// The bots, by seat.
    pub(crate) bots: Vec<usize>,
    /// The bots that failed.
    pub(crate) failed: Vec<usize>,
    /// Higher is better, see [`GameResult::values`].
    pub(super) values: Vec<i128>,
    pub(super) lower_is_better: bool,
    /// The places from 1, by seat.
    pub(super) places: Vec<usize>,
    /// `None` if nobody answered.
    pub(crate) moves: Option<u64>,
    /// Set if the seed decides more than the order of lists.
    pub(super) seed: Option<i64>,
}

impl Compared {
    /// A game of these bots, by seat.
    pub(crate) fn new(result: &GameResult, bots: Vec<usize>, seed_decides: bool) -> Compared {
        let mut failed = Vec::new();
        for (at, seat) in result.seats.iter().enumerate() {
            if seat.fate != Fate::Ok {
                failed.push(bots[at]);
            }
        }
        Compared {
            failed,
            values: result.values().collect(),
            lower_is_better: result.lower_is_better,
            places: result.seats.iter().map(|seat| seat.place).collect(),
            moves: result.moves,
            seed: seed_decides.then_some(result.seed),
            bots,
        }
    }

    /// The part of the first place that a seat with this place has, in [`PARTS`].
    pub(super) fn firsts(&self, place: usize) -> u64 {
        if place != 1 {
            return 0;
        }
        PARTS / self.places.iter().filter(|&&place| place == 1).count() as u64
    }

    /// Every two seats of different bots, and the bots compared by score.
    pub(super) fn comparisons(&self) -> impl Iterator<Item = ([usize; 2], Comparison)> {
        (0..self.bots.len())
            .flat_map(|one| (one + 1..self.bots.len()).map(move |other| [one, other]))
            .filter(|&[one, other]| self.bots[one] != self.bots[other])
            .map(|[one, other]| {
                let comparison = Comparison {
                    first: self.bots[one],
                    second: self.bots[other],
                    outcome: self.values[one].cmp(&self.values[other]),
                };
                ([one, other], comparison)
            })
    }

    /// What each seat came to against each one of another bot: the seat, its bot, and the outcome.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (usize, usize, Ordering)> {
        self.comparisons().flat_map(|([one, other], two)| {
            let reverse = two.outcome.reverse();
            [(one, two.first, two.outcome), (other, two.second, reverse)]
        })
    }
}

/// Returns the games of a unit in which bots are compared. If bots played alone, that is one game
/// with a seat for each of them.
pub(super) fn joined(unit: &[Compared]) -> Cow<'_, [Compared]> {
    if unit.iter().any(|game| game.bots.len() != 1) {
        return Cow::Borrowed(unit);
    }
    let mut joined = Compared {
        lower_is_better: unit.iter().any(|game| game.lower_is_better),
        ..Compared::default()
    };
    for game in unit {
        joined.bots.extend(&game.bots);
        joined.failed.extend(&game.failed);
        joined.values.extend(&game.values);
    }
    for value in &joined.values {
        let better = joined.values.iter().filter(|other| *other > value).count();
        joined.places.push(1 + better);
    }
    Cow::Owned(vec![joined])
}

/// The points of a bot in a unit: 2 for each win of one of its seats over a seat of another bot,
/// and 1 for each draw.
pub(crate) fn unit_points(unit: &[Compared], bot: usize) -> u32 {
    joined(unit)
        .iter()
        .flat_map(Compared::outcomes)
        .map(|(_, own, outcome)| u32::from(own == bot) * u32::from(half_points(outcome)))
        .sum()
}

/// Whether the games of a unit had the same moves, whoever played in which seat.
pub(crate) fn same_moves(unit: &[Compared]) -> bool {
    unit.len() > 1
        && unit[0].moves.is_some()
        && unit
            .iter()
            .all(|game| game.moves == unit[0].moves && game.failed.is_empty())
}
