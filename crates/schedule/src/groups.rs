//! Groups: the bots that meet in one game.
//!
//! In a round, every bot has equally many units. Groups of more than two are dealt one by one: each
//! takes the bots with the fewest units, and among them those that met its bots least.

use arena_stats::split_mix;

use super::BotId;

/// Number of units in which any two bots meet, on average, before dealt groups repeat.
const MEETINGS: u64 = 64;

/// The groups of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    /// The groups play a unit each in this order, repeatedly.
    pub(super) list: Vec<Vec<BotId>>,
    /// Number of groups in a round.
    pub(super) per_round: u64,
    /// Number of rounds.
    pub(super) rounds: u64,
}

impl Groups {
    /// Makes groups of a round robin: any two bots meet in about `wanted` units.
    pub(super) fn all_meet(bots: &[BotId], size: usize, wanted: u64, seed: u64) -> Groups {
        if size > 2 {
            let units = units_of_each(bots.len(), size, wanted);
            return Groups::of(bots, size, units, seed);
        }
        let mut list = Vec::new();
        for (place, &one) in bots.iter().enumerate() {
            list.extend(bots[place + 1..].iter().map(|&other| vec![one, other]));
        }
        Groups {
            per_round: list.len() as u64,
            list,
            rounds: wanted,
        }
    }

    /// Makes groups of a gauntlet: the first bot is in each, and meets every other in `wanted`
    /// units or a few more.
    pub(super) fn one_meets_all(bots: &[BotId], size: usize, wanted: u64, seed: u64) -> Groups {
        let mut groups = Groups::of(&bots[1..], size - 1, wanted, seed);
        for group in &mut groups.list {
            group.insert(0, bots[0]);
        }
        groups
    }

    /// Makes groups of `size` bots with at least `units` units of each.
    fn of(bots: &[BotId], size: usize, units: u64, seed: u64) -> Groups {
        let count = bots.len();
        // The fewest units of each bot that fill whole groups.
        let in_round = (1..size).find(|units| (units * count).is_multiple_of(size));
        let in_round = in_round.unwrap_or(size);
        let per_round = (in_round * count / size) as u64;
        let rounds = units.div_ceil(in_round as u64);
        let mut bots = bots.to_vec();
        let places = if size == 1 || size + 1 >= count {
            // All groups that exist: of a single bot, of all but one, or of all.
            shifted(count, size)
        } else {
            bots.sort_by_key(|&bot| split_mix(split_mix(seed, 1), bot as u64));
            let most = units_of_each(count, size, MEETINGS).div_ceil(in_round as u64);
            dealt(count, size, rounds.clamp(1, most) * per_round)
        };
        let mut list = Vec::new();
        for group in places {
            list.push(group.into_iter().map(|place| bots[place]).collect());
        }
        Groups {
            list,
            per_round,
            rounds,
        }
    }
}

/// Returns the units of each bot in which it meets every other `meetings` times on average.
fn units_of_each(bots: usize, size: usize, meetings: u64) -> u64 {
    (meetings * (bots as u64 - 1)).div_ceil(size as u64 - 1)
}

/// Returns the different groups of neighbours on a circle of places.
fn shifted(places: usize, size: usize) -> Vec<Vec<usize>> {
    let mut list = Vec::new();
    for first in 0..places {
        let mut group: Vec<usize> = (first..first + size).map(|at| at % places).collect();
        group.sort_unstable();
        list.push(group);
    }
    list.dedup();
    list
}

/// Deals places into groups. No place ever has over one unit more than another, because each group
/// takes all places with fewer units before any other.
fn dealt(places: usize, size: usize, groups: u64) -> Vec<Vec<usize>> {
    let mut units = vec![0_u64; places];
    let mut met = vec![vec![0_u64; places]; places];
    let mut list = Vec::new();
    for number in 0..groups {
        let mut group = Vec::with_capacity(size);
        for _ in 0..size {
            let next = (0..places)
                .filter(|place| !group.contains(place))
                .min_by_key(|&place| {
                    let meetings: u64 = group.iter().map(|&other: &usize| met[place][other]).sum();
                    // A fixed order would repeat a pattern in which some never meet.
                    (units[place], meetings, split_mix(number, place as u64))
                });
            group.extend(next);
        }
        for &place in &group {
            units[place] += 1;
            for &other in &group {
                met[place][other] += 1;
            }
        }
        list.push(group);
    }
    list
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Largest difference, after any round, between how often any two bots and another two have
    /// met, in units.
    const SPREAD: u64 = 6;

    /// Asserts that every bot of some groups has equally many units after each round, and that
    /// pairs meet almost equally often.
    fn assert_even(groups: &Groups, bots: &[BotId], size: usize) {
        let name = format!("{size} of {} bots", bots.len());
        let mut units = BTreeMap::<BotId, u64>::new();
        let mut met = BTreeMap::<[BotId; 2], u64>::new();
        for (at, &one) in bots.iter().enumerate() {
            met.extend(bots[..at].iter().map(|&other| ([other, one], 0)));
        }
        let per_round = usize::try_from(groups.per_round).unwrap();
        assert_eq!(groups.list.len() % per_round, 0, "{name}");
        for round in groups.list.chunks(per_round) {
            for group in round {
                let group: BTreeSet<BotId> = group.iter().copied().collect();
                assert_eq!(group.len(), size, "{name}");
                for &one in &group {
                    *units.entry(one).or_default() += 1;
                    for &other in group.range(..one) {
                        *met.get_mut(&[other, one]).unwrap() += 1;
                    }
                }
            }
            assert_eq!(units.len(), bots.len(), "{name}");
            assert!(
                units.values().all(|number| *number == units[&bots[0]]),
                "{name}: {units:?}"
            );
            let (least, most) = (met.values().min().unwrap(), met.values().max().unwrap());
            assert!(most - least <= SPREAD, "{name}: {least} to {most}");
            if size + 1 >= bots.len() {
                assert_eq!(least, most, "{name}");
            }
        }
    }

    /// The seed decides which bot has which place, but not how the places meet.
    #[test]
    fn bots_play_equally_often_and_pairs_meet_almost_equally_often() {
        for size in 3..=8 {
            for count in size.max(4)..=20 {
                let bots: Vec<BotId> = (0..count).collect();
                let groups = Groups::all_meet(&bots, size, MEETINGS, 7);
                assert_even(&groups, &bots, size);

                let mut groups = Groups::one_meets_all(&bots, size, 20 * MEETINGS, 7);
                for group in &mut groups.list {
                    assert_eq!(group.remove(0), 0, "the challenger is in every group");
                }
                assert_even(&groups, &bots[1..], size - 1);
            }
        }
    }

    #[test]
    fn the_seed_decides_which_bots_meet_first() {
        let bots: Vec<BotId> = (0..20).collect();
        let first = |seed| Groups::all_meet(&bots, 4, 1, seed).list[0].clone();
        let all: BTreeSet<Vec<BotId>> = (0..10).map(first).collect();
        assert_eq!(all.len(), 10);
    }
}
