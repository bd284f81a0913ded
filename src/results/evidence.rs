//! Whole units as evidence: which bots they compare, and which units are independent.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::collections::{BTreeMap, BTreeSet};

use super::count::score;
use arena_stats::ratings::{Comparison, Unit, half_points};
use arena_stats::scores::UnitScores;

/// Whole units by what is independent: each unit, or all units on a seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Whether units on a seed count together, because they also share its luck.
    is_by_seed: bool,
    /// The number of units with the same comparisons. With four seats nearly all differ, and there
    /// may be millions.
    units: BTreeMap<Box<[Meeting]>, u64>,
    /// The units on each seed, if these count together.
    seeds: BTreeMap<i64, Vec<OnSeed>>,
}

/// Two bots in a unit, by number, and the comparisons that the first one lost, drew and won. With
/// two seats the first bot is the one that moved first, otherwise the one with the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Meeting {
    first: u32,
    second: u32,
    ldw: [u8; 3],
}

/// A unit on a seed that others share.
#[derive(Clone, Debug)]
struct OnSeed {
    met: Box<[Meeting]>,
    /// What was played, move for move; `None` if that says nothing.
    played: Option<u64>,
    /// The number of its run.
    run: usize,
}

/// The whole units of two bots, from the side of the first one.
#[derive(Default)]
pub(super) struct Meetings {
    /// Comparisons lost, drawn and won.
    pub(super) ldw: [u64; 3],
    /// The number of units for each result.
    units: BTreeMap<[u8; 3], u64>,
    /// The units that repeat others, unless seeds count.
    pub(super) repeated: u64,
    /// The units by seed, if seeds count.
    seeds: BTreeMap<i64, Cluster>,
}

/// The units of two bots on a seed.
#[derive(Default)]
struct Cluster {
    /// Their comparisons lost, drawn and won. Every unit of a design has as many.
    ldw: [u64; 3],
    /// The smallest digest of what was played, which stands for the seed.
    played: Option<u64>,
}

impl Evidence {
    /// Adds `copies` units with these comparisons, none of which shares a seed.
    pub(super) fn add(&mut self, met: Box<[Meeting]>, copies: u64) {
        let count = self.units.entry(met).or_default();
        *count = count.saturating_add(copies);
    }

    /// Adds a unit of a run on a seed. `played` is what was played, move for move.
    pub(super) fn add_unit(
        &mut self,
        met: Box<[Meeting]>,
        (run, seed): (usize, i64),
        played: Option<u64>,
    ) {
        if self.is_by_seed {
            let units = self.seeds.entry(seed).or_default();
            units.push(OnSeed { met, played, run });
        } else {
            self.add(met, 1);
        }
    }

    /// What is independent.
    pub(crate) fn independent(&self) -> impl Iterator<Item = Unit> {
        let on_seed = |units: &Vec<OnSeed>| unit(units.iter().flat_map(|unit| &unit.met), 1);
        self.units
            .iter()
            .map(|(met, &weight)| unit(met, weight))
            .chain(self.seeds.values().map(on_seed))
    }

    /// The number of whole units, and of independent ones.
    pub(super) fn units(&self) -> [u64; 2] {
        let mut alone: u64 = 0;
        for &units in self.units.values() {
            alone = alone.saturating_add(units);
        }
        let on_seeds: usize = self.seeds.values().map(Vec::len).sum();
        [on_seeds, self.seeds.len()].map(|further| alone + further as u64)
    }

    /// The bots with a whole unit, in ascending order.
    pub(crate) fn bots(&self) -> Vec<usize> {
        let on_seeds = self.seeds.values().flatten().map(|unit| &unit.met);
        let met = self.units.keys().chain(on_seeds).flatten();
        let bots: BTreeSet<u32> = met.flat_map(|met| [met.first, met.second]).collect();
        bots.into_iter().map(|bot| bot as usize).collect()
    }

    /// Every two bots that met. The bot with the lower number comes first.
    pub(super) fn meetings(&self) -> BTreeMap<(usize, usize), Meetings> {
        let mut meetings: BTreeMap<(usize, usize), Meetings> = BTreeMap::new();
        for (met, &count) in &self.units {
            for (bots, ldw) in by_bots(met) {
                meetings.entry(bots).or_default().add(ldw, count);
            }
        }
        for (&seed, units) in &self.seeds {
            for unit in units {
                for (bots, ldw) in by_bots(&unit.met) {
                    let met = meetings.entry(bots).or_default();
                    met.add(ldw, 1);
                    met.add_seed(seed, ldw, unit.played);
                }
            }
        }
        meetings
    }

    /// The seeds that several runs have, and these runs.
    pub(crate) fn shared_by_runs(&self) -> (u64, BTreeSet<usize>) {
        let (mut count, mut sharing) = (0, BTreeSet::new());
        for units in self.seeds.values() {
            let runs: BTreeSet<usize> = units.iter().map(|unit| unit.run).collect();
            if runs.len() > 1 {
                count += 1;
                sharing.extend(runs);
            }
        }
        (count, sharing)
    }

    /// Takes all units on a seed as one, before the first game: they share its luck.
    pub(crate) fn by_seed(&mut self) {
        self.is_by_seed = true;
    }

    /// Takes each unit as independent.
    pub(super) fn by_unit(&mut self) {
        self.is_by_seed = false;
        for unit in std::mem::take(&mut self.seeds).into_values().flatten() {
            self.add(unit.met, 1);
        }
    }
}

/// Which bots these comparisons compare, and how often each way. With two seats, `keeps_order` says
/// who moved first.
pub(super) fn meetings(all: impl Iterator<Item = Comparison>, keeps_order: bool) -> Box<[Meeting]> {
    let mut met: BTreeMap<[u32; 2], [u8; 3]> = BTreeMap::new();
    for mut two in all {
        if two.first > two.second && !keeps_order {
            (two.first, two.second) = (two.second, two.first);
            two.outcome = two.outcome.reverse();
        }
        // More bots don't fit into memory.
        let bots = [two.first, two.second].map(|bot| u32::try_from(bot).unwrap_or(u32::MAX));
        // A unit compares two bots no more than 128 times.
        let count = &mut met.entry(bots).or_default()[usize::from(half_points(two.outcome))];
        *count = count.saturating_add(1);
    }
    met.into_iter()
        .map(|([first, second], ldw)| Meeting { first, second, ldw })
        .collect()
}

fn unit<'m>(met: impl IntoIterator<Item = &'m Meeting>, weight: u64) -> Unit {
    Unit {
        comparisons: met.into_iter().flat_map(Meeting::comparisons).collect(),
        weight,
    }
}

/// The results of each two bots in a unit. With two seats, each of two bots may have moved first.
fn by_bots(met: &[Meeting]) -> BTreeMap<(usize, usize), [u8; 3]> {
    let mut sums: BTreeMap<(usize, usize), [u8; 3]> = BTreeMap::new();
    for met in met {
        let [first, second] = [met.first, met.second].map(|bot| bot as usize);
        let mut ldw = met.ldw;
        if first > second {
            ldw.reverse();
        }
        let bots = (first.min(second), first.max(second));
        let sum = sums.entry(bots).or_default();
        for (outcome, &count) in ldw.iter().enumerate() {
            sum[outcome] = sum[outcome].saturating_add(count);
        }
    }
    sums
}

impl Meeting {
    fn comparisons(&self) -> impl Iterator<Item = Comparison> {
        let [first, second] = [self.first, self.second].map(|bot| bot as usize);
        [Less, Equal, Greater]
            .map(|outcome| Comparison {
                first,
                second,
                outcome,
            })
            .into_iter()
            .zip(self.ldw)
            .flat_map(|(comparison, times)| std::iter::repeat_n(comparison, times.into()))
    }
}

impl Meetings {
    /// Counts so many units with these comparisons lost, drawn and won.
    fn add(&mut self, ldw: [u8; 3], units: u64) {
        for (outcome, &count) in ldw.iter().enumerate() {
            let count = units.saturating_mul(count.into());
            self.ldw[outcome] = self.ldw[outcome].saturating_add(count);
        }
        *self.units.entry(ldw).or_default() += units;
    }

    /// Adds a unit to its seed.
    fn add_seed(&mut self, seed: i64, ldw: [u8; 3], played: Option<u64>) {
        let of = self.seeds.entry(seed).or_default();
        for (outcome, &count) in ldw.iter().enumerate() {
            of.ldw[outcome] += u64::from(count);
        }
        of.played = of.played.into_iter().chain(played).min();
    }

    /// The same units from the other side.
    pub(super) fn reversed(mut self) -> Meetings {
        self.ldw.reverse();
        let reversed = |([losses, draws, wins], units): ([_; 3], _)| ([wins, draws, losses], units);
        self.units = self.units.into_iter().map(reversed).collect();
        for of in self.seeds.values_mut() {
            of.ldw.reverse();
        }
        self
    }

    /// The number of units.
    pub(super) fn units(&self) -> u64 {
        self.units.values().sum()
    }

    /// The number of units with this result.
    pub(super) fn units_with(&self, ldw: [u8; 3]) -> u64 {
        self.units.get(&ldw).copied().unwrap_or_default()
    }

    /// The scores of what is independent, and how many of these repeat no other. A seed scores the
    /// mean of its units, so it counts once however often it was played.
    pub(super) fn independent(&self) -> Option<(UnitScores, u64)> {
        let (mut scores, mut repeats) = (Vec::new(), self.repeated);
        if self.seeds.is_empty() {
            for (ldw, &units) in &self.units {
                scores.push((score(ldw.map(u64::from))?, units));
            }
        } else {
            let mut seen = BTreeSet::new();
            repeats = 0;
            for of in self.seeds.values() {
                scores.push((score(of.ldw)?, 1));
                repeats += u64::from(of.played.is_some() && !seen.insert(of.played));
            }
        }
        let scores = UnitScores::from_values(scores).ok()?;
        let distinct = distinct(scores.units(), repeats);
        Some((scores, distinct))
    }
}

/// The units that repeat no other one, of so many units and repeats.
pub(crate) fn distinct(units: u64, repeated: u64) -> u64 {
    units.saturating_sub(repeated).max(1)
}
