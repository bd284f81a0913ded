//! What is rated: comparisons, how to rate them, and their sums.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::scores::half_points;

/// A comparison of two bots: a game with two seats, or two seats of a larger game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comparison {
    /// Index of a bot: the first mover, if there is one.
    pub first: usize,
    /// Index of the other. A comparison of a bot with itself is ignored.
    pub second: usize,
    /// How the score of `first` compares with that of `second`: `Greater` is a win.
    pub outcome: Ordering,
}

/// All comparisons of all games on one seed. The order of units, and of comparisons in them,
/// doesn't matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The comparisons of its games.
    pub comparisons: Vec<Comparison>,
    /// The number of units with these same comparisons.
    pub weight: u64,
}

/// The settings of a rating.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Bots, by index, with the ratings that fix the scale. Anchors have no errors, which changes
    /// the errors of all bots. With several anchors, the other bots are fitted to them.
    pub anchors: Vec<(usize, f64)>,
    /// The mean of all ratings if there is no anchor.
    pub mean: f64,
    /// Whether to fit the advantage of moving first. If units swap the seats, this is needless and
    /// less exact.
    pub first_advantage: bool,
    /// Virtual draws of each bot if no finite ratings exist; above 0.
    pub prior: f64,
    /// Games in a unit.
    pub games_per_unit: u32,
}

impl Settings {
    /// Returns settings with mean 0, without the first player's advantage, and with one virtual
    /// game if needed.
    pub fn new(games_per_unit: u32) -> Self {
        Self {
            anchors: Vec::new(),
            mean: 0.0,
            first_advantage: false,
            prior: 1.0,
            games_per_unit,
        }
    }
}

/// The comparisons of one bot, moving first, with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pairing {
    pub(super) first: usize,
    pub(super) second: usize,
    /// The half points of the first bot.
    pub(super) half_points: u64,
    pub(super) games: u64,
}

impl Pairing {
    /// Adds more comparisons of the same two bots.
    fn add(&mut self, more: &Pairing) {
        self.half_points += more.half_points;
        self.games += more.games;
    }

    /// Returns the points of the first bot beyond the expected ones, given the expected scores of
    /// both, and the variance of those points if all games were decided and independent.
    pub(super) fn beyond(&self, [p, q]: [f64; 2]) -> [f64; 2] {
        let points = self.half_points as f64 / 2.0;
        let lost = self.half_points_against() as f64 / 2.0;
        [points * q - lost * p, self.games as f64 * p * q]
    }

    /// Returns the half points of the second bot.
    pub(super) fn half_points_against(&self) -> u64 {
        2 * self.games - self.half_points
    }
}

/// The sums that a fit needs. They are sorted throughout, so that no result depends on the order of
/// the input.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) bots: usize,
    /// Whether the advantage of moving first is a parameter, after the bots' strengths.
    pub(super) first_advantage: bool,
    /// Virtual draws of each bot against a virtual bot.
    pub(super) prior: f64,
    /// Strengths in log-odds that aren't fitted: none, or at least two.
    pub(super) fixed: Vec<(usize, f64)>,
    /// Totals over all units, one for each pairing.
    pub(super) totals: Vec<Pairing>,
    /// Units with each of these pairings.
    pub(super) met: Vec<u64>,
    /// The pairings of the different units, one unit after the other.
    pub(super) pairings: Vec<Pairing>,
    /// The different units: their places in `pairings`, and the number of their copies.
    pub(super) kinds: Vec<(Range<usize>, u64)>,
    /// Units with at least one comparison.
    pub(super) units: u64,
    /// Units that each bot took part in.
    pub(super) units_of: Vec<u64>,
}

impl Table {
    pub(super) fn new(
        bots: usize,
        units: impl IntoIterator<Item = impl Borrow<Unit>>,
        first_advantage: bool,
    ) -> Self {
        let mut pairings: Vec<Pairing> = Vec::new();
        let mut kinds: Vec<(Range<usize>, u64)> = Vec::new();
        for unit in units {
            let (unit, start) = (unit.borrow(), pairings.len());
            pairings.extend(unit_pairings(unit, first_advantage));
            if pairings.len() > start && unit.weight > 0 {
                kinds.push((start..pairings.len(), unit.weight));
            }
        }
        kinds.sort_unstable_by(|(one, _), (other, _)| {
            pairings[one.clone()].cmp(&pairings[other.clone()])
        });
        kinds.dedup_by(|(next, copies), (kept, sum)| {
            let is_alike = pairings[next.clone()] == pairings[kept.clone()];
            if is_alike {
                *sum = sum.saturating_add(*copies);
            }
            is_alike
        });
        let (mut units, mut units_of) = (0_u64, vec![0_u64; bots]);
        let mut totals: BTreeMap<[usize; 2], (Pairing, u64)> = BTreeMap::new();
        for (kind, copies) in &kinds {
            units = units.saturating_add(*copies);
            let mut met = BTreeSet::new();
            for pairing in &pairings[kind.clone()] {
                met.extend([pairing.first, pairing.second]);
                let total = totals.entry([pairing.first, pairing.second]);
                let (sum, met) = total.or_insert((repeated(*pairing, 0), 0));
                sum.add(&repeated(*pairing, *copies));
                *met = met.saturating_add(*copies);
            }
            for bot in met {
                units_of[bot] = units_of[bot].saturating_add(*copies);
            }
        }
        let (totals, met) = totals.into_values().unzip();
        Self {
            bots,
            first_advantage,
            prior: 0.0,
            fixed: Vec::new(),
            totals,
            met,
            pairings,
            kinds,
            units,
            units_of,
        }
    }

    /// Number of fitted parameters.
    pub(super) fn parameters(&self) -> usize {
        self.bots + usize::from(self.first_advantage)
    }

    /// Half points and comparisons of every bot.
    pub(super) fn records(&self) -> Vec<[u64; 2]> {
        let mut records = vec![[0, 0]; self.bots];
        for pairing in &self.totals {
            records[pairing.first][0] += pairing.half_points;
            records[pairing.second][0] += pairing.half_points_against();
            for bot in [pairing.first, pairing.second] {
                records[bot][1] += pairing.games;
            }
        }
        records
    }
}

/// Returns a comparison as a pairing of one game; nothing for a bot against itself. Unless moving
/// first matters, the bots are in the order of their indices, so that more units are alike.
fn pairing(mut met: Comparison, first_advantage: bool) -> Option<Pairing> {
    if met.first > met.second && !first_advantage {
        (met.first, met.second) = (met.second, met.first);
        met.outcome = met.outcome.reverse();
    }
    (met.first != met.second).then(|| Pairing {
        first: met.first,
        second: met.second,
        half_points: half_points(met.outcome).into(),
        games: 1,
    })
}

/// Multiplies a pairing. The product is capped, so that no count overflows.
fn repeated(pairing: Pairing, copies: u64) -> Pairing {
    let copies = copies.min((1 << 40) / pairing.games);
    Pairing {
        half_points: pairing.half_points * copies,
        games: pairing.games * copies,
        ..pairing
    }
}

/// Returns the pairings of a unit, in order.
pub(super) fn unit_pairings(unit: &Unit, first_advantage: bool) -> Vec<Pairing> {
    let met = unit.comparisons.iter();
    let mut pairings: Vec<Pairing> = met
        .filter_map(|met| pairing(*met, first_advantage))
        .collect();
    pairings.sort_unstable();
    pairings.dedup_by(|next, sum| {
        let is_same = [next.first, next.second] == [sum.first, sum.second];
        if is_same {
            sum.add(next);
        }
        is_same
    });
    pairings
}
