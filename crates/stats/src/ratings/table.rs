//! Comparisons, added up.

use std::collections::{BTreeMap, BTreeSet};

use super::{Comparison, Unit, half_points};

/// Comparisons of one bot, moving first, with another. The one side comes first also where nobody moves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bout {
    pub(super) first: usize,
    pub(super) second: usize,
    /// Of the first bot.
    pub(super) half_points: u64,
    pub(super) games: u64,
}

impl Bout {
    /// Half points of the second bot.
    pub(super) fn half_points_against(&self) -> u64 {
        2 * self.games - self.half_points
    }
}

/// All that a fit needs to know of the units. Sorted throughout, so that no sum depends on the order of the input.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) bots: usize,
    /// Whether the advantage of moving first is a parameter, after the bots' strengths.
    pub(super) first_advantage: bool,
    /// Virtual draws of each bot against a virtual bot.
    pub(super) prior: f64,
    /// Totals over all units, one per meeting.
    pub(super) totals: Vec<Bout>,
    /// The different units, each with the number of its copies.
    pub(super) kinds: Vec<(Vec<Bout>, u64)>,
    /// Units that compare anybody.
    pub(super) units: u64,
    /// Units that each bot took part in.
    pub(super) units_of: Vec<u64>,
}

impl Table {
    pub(super) fn new(bots: usize, units: &[Unit], first_advantage: bool) -> Self {
        let mut kinds: BTreeMap<Vec<Bout>, u64> = BTreeMap::new();
        for unit in units.iter().filter(|unit| unit.weight > 0) {
            let games = unit.comparisons.iter().filter_map(|comparison| bout(*comparison, first_advantage));
            let kind = add_up(games);
            if !kind.is_empty() {
                let copies = kinds.entry(kind).or_default();
                *copies = copies.saturating_add(unit.weight);
            }
        }
        let kinds: Vec<_> = kinds.into_iter().collect();
        let all = kinds.iter().flat_map(|(kind, copies)| kind.iter().map(|bout| repeated(*bout, *copies)));
        let totals = add_up(all);
        let mut units_of = vec![0_u64; bots];
        for (kind, copies) in &kinds {
            let met: BTreeSet<usize> = kind.iter().flat_map(|bout| [bout.first, bout.second]).collect();
            for bot in met {
                units_of[bot] = units_of[bot].saturating_add(*copies);
            }
        }
        let units = kinds.iter().fold(0, |sum: u64, (_, copies)| sum.saturating_add(*copies));
        Self { bots, first_advantage, prior: 0.0, totals, kinds, units, units_of }
    }

    /// Number of fitted parameters.
    pub(super) fn parameters(&self) -> usize {
        self.bots + usize::from(self.first_advantage)
    }

    /// Comparisons over all bots.
    pub(super) fn games(&self) -> f64 {
        self.totals.iter().map(|bout| bout.games as f64).sum()
    }

    /// Half points and comparisons of a bot.
    pub(super) fn record(&self, bot: usize) -> [u64; 2] {
        let first = self.totals.iter().filter(|bout| bout.first == bot).map(|bout| [bout.half_points, bout.games]);
        let second = self.totals.iter().filter(|bout| bout.second == bot);
        let second = second.map(|bout| [bout.half_points_against(), bout.games]);
        first.chain(second).fold([0, 0], |[points, games], [p, g]| [points + p, games + g])
    }
}

/// A comparison as a bout of one game; nothing for a bot against itself. Unless moving first matters, the bots are
/// put in order of index, so that more units are alike.
fn bout(Comparison { first, second, outcome }: Comparison, first_advantage: bool) -> Option<Bout> {
    let bout = |first, second, outcome| Bout { first, second, half_points: half_points(outcome).into(), games: 1 };
    match first > second {
        _ if first == second => None,
        true if !first_advantage => Some(bout(second, first, outcome.reverse())),
        _ => Some(bout(first, second, outcome)),
    }
}

/// So many games as nobody plays are capped, that no count overflows.
fn repeated(bout: Bout, copies: u64) -> Bout {
    let copies = copies.min((1 << 40) / bout.games);
    Bout { half_points: bout.half_points * copies, games: bout.games * copies, ..bout }
}

/// Makes one bout of those of the same two bots, in order.
fn add_up(bouts: impl Iterator<Item = Bout>) -> Vec<Bout> {
    let mut sums: BTreeMap<[usize; 2], [u64; 2]> = BTreeMap::new();
    for Bout { first, second, half_points, games } in bouts {
        let sum = sums.entry([first, second]).or_default();
        *sum = [sum[0] + half_points, sum[1] + games];
    }
    let bout =
        |([first, second], [half_points, games]): ([usize; 2], [u64; 2])| Bout { first, second, half_points, games };
    sums.into_iter().map(bout).collect()
}
