//! Sums of comparisons.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Comparison, Unit, half_points};

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
    /// The different units, with the number of their copies.
    pub(super) kinds: BTreeMap<Vec<Pairing>, u64>,
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
        let mut kinds: BTreeMap<Vec<Pairing>, u64> = BTreeMap::new();
        for unit in units {
            let unit = unit.borrow();
            let met = unit.comparisons.iter();
            let pairings = add_up(met.filter_map(|met| pairing(*met, first_advantage)));
            if !pairings.is_empty() && unit.weight > 0 {
                let copies = kinds.entry(pairings).or_default();
                *copies = copies.saturating_add(unit.weight);
            }
        }
        let repeats = kinds
            .iter()
            .flat_map(|(kind, &copies)| kind.iter().map(move |pairing| repeated(*pairing, copies)));
        let totals = add_up(repeats);
        let (mut units, mut units_of) = (0_u64, vec![0_u64; bots]);
        for (kind, &copies) in &kinds {
            units = units.saturating_add(copies);
            let met: BTreeSet<usize> = kind
                .iter()
                .flat_map(|pairing| [pairing.first, pairing.second])
                .collect();
            for bot in met {
                units_of[bot] = units_of[bot].saturating_add(copies);
            }
        }
        Self {
            bots,
            first_advantage,
            prior: 0.0,
            fixed: Vec::new(),
            totals,
            kinds,
            units,
            units_of,
        }
    }

    /// Number of fitted parameters.
    pub(super) fn parameters(&self) -> usize {
        self.bots + usize::from(self.first_advantage)
    }

    /// Comparisons over all bots.
    pub(super) fn games(&self) -> f64 {
        self.totals.iter().map(|pairing| pairing.games as f64).sum()
    }

    /// Half points and comparisons of every bot.
    pub(super) fn records(&self) -> Vec<[u64; 2]> {
        let mut records = vec![[0, 0]; self.bots];
        for pairing in &self.totals {
            for (bot, half_points) in [
                (pairing.first, pairing.half_points),
                (pairing.second, pairing.half_points_against()),
            ] {
                records[bot][0] += half_points;
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

/// Sums up the pairings of the same two bots, in order.
fn add_up(pairings: impl Iterator<Item = Pairing>) -> Vec<Pairing> {
    let mut sums: BTreeMap<[usize; 2], Pairing> = BTreeMap::new();
    for pairing in pairings {
        let sum = sums.entry([pairing.first, pairing.second]);
        sum.and_modify(|sum| {
            sum.half_points += pairing.half_points;
            sum.games += pairing.games;
        })
        .or_insert(pairing);
    }
    sums.into_values().collect()
}
