//! Groups: the bots that meet in one game.
//!
//! Groups of more than two are developed from base groups, as in a cyclic block design (R. C. Bose
//! 1939). The bots form a circle, perhaps with one more that stays fixed, and a base group moves
//! around the circle step by step. All bots on the circle then play equally often. How often two of
//! them meet depends only on their difference, which is the number of steps from one to the other.
//! So there are few numbers to balance, instead of one for every two bots.

/// The bots of a group, as places in the list of bots, in ascending order.
pub(super) type Group = Vec<usize>;

/// Maximum number of base groups to weigh in each step. If there are more, these are spread over
/// all of them.
const CANDIDATES: u128 = 2000;
/// Number of base groups per bot on the circle to develop before giving up on a better balance.
const PATIENCE: usize = 3;

/// Meetings of two bots in a period of nearly balanced groups.
const NEAR_MEETINGS: u64 = 64;

/// Groups, and the number of meetings of two bots in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    /// Number of groups in a period. A run plays whole periods and starts again after the last.
    pub(super) period: usize,
    /// Minimum number of meetings of two bots in a period; the average in nearly balanced groups.
    pub(super) meetings: u64,
    /// Groups after the last period.
    pub(super) rest: usize,
}

impl Groups {
    /// Makes groups with one period.
    fn new(list: Vec<Group>, meetings: u64) -> Groups {
        Groups {
            period: list.len(),
            list,
            meetings,
            rest: 0,
        }
    }

    /// Returns the number of groups of a run with `wanted` meetings of two bots.
    pub(super) fn units(&self, wanted: u64) -> u64 {
        let periods = if self.rest > 0 {
            wanted / self.meetings
        } else {
            wanted.div_ceil(self.meetings)
        };
        periods * self.period as u64 + self.rest as u64
    }
}

/// Makes balanced groups of `size`: all pairs of `bots` bots, at least `size`, meet equally often.
/// For some numbers of bots no such groups are found, see the tests. Then every bot plays equally
/// often, and pairs meet `wanted` times or a little more.
pub(super) fn all_meet(bots: usize, size: usize, wanted: u64) -> Groups {
    if bots == size {
        return Groups::new(vec![(0..bots).collect()], 1);
    }
    if size == 2 {
        let pairs = (0..bots).flat_map(|one| (one + 1..bots).map(move |other| vec![one, other]));
        return Groups::new(pairs.collect(), 1);
    }
    let circle = CyclicDesign::new(bots, base_groups(bots, size));
    let base_groups = [base_groups(bots - 1, size), with_fixed_bot(bots - 1, size)].concat();
    let circle_and_fixed = CyclicDesign::new(bots - 1, base_groups);
    let mut designs = vec![circle.clone(), circle_and_fixed];
    designs
        .retain_mut(|design| design.develop_until(|met| met.iter().all(|&times| times == met[0])));
    let fewest = designs.into_iter().min_by_key(|design| design.groups.len());
    let design = fewest.unwrap_or_else(|| {
        let mut design = circle;
        design.develop_until(|met| met.iter().all(|&times| times >= wanted));
        design
    });
    let meetings = design.meetings().iter().copied().min().unwrap_or(1);
    Groups::new(design.groups, meetings)
}

/// Returns the number of groups that all pairs need to meet `wanted` times if no meeting is wasted.
fn needed_groups(bots: usize, size: usize, wanted: u64) -> u64 {
    let [all, in_group] = [bots, size].map(|bots| (bots * (bots - 1) / 2) as u128);
    let needed = (u128::from(wanted) * all).div_ceil(in_group);
    u64::try_from(needed).unwrap_or(u64::MAX)
}

/// Returns the maximum number of groups: half as many again as needed, or one round of the circle.
pub(super) fn most_groups(bots: usize, size: usize, wanted: u64) -> u64 {
    let needed = needed_groups(bots, size, wanted);
    needed.saturating_add(needed / 2).max(bots as u64)
}

/// Makes nearly balanced groups of `size`: all pairs of `bots` bots, at least `size`, meet about
/// `wanted` times, within [`most_groups`]. Groups for fewer meetings are the beginning of those for
/// more.
pub(super) fn nearly_all_meet(bots: usize, size: usize, wanted: u64) -> Groups {
    if bots == size || size == 2 {
        return all_meet(bots, size, wanted);
    }
    let period = nearly_balanced(bots, size, wanted.min(NEAR_MEETINGS));
    let rest = match wanted % NEAR_MEETINGS {
        further @ 1.. if wanted > NEAR_MEETINGS => nearly_balanced(bots, size, further).len(),
        _ => 0,
    };
    Groups {
        rest,
        ..Groups::new(period, wanted.clamp(1, NEAR_MEETINGS))
    }
}

/// Makes whole rounds of the circle until all pairs have met `wanted` times or the maximum is
/// reached. If that is too few, as many groups as needed.
fn nearly_balanced(bots: usize, size: usize, wanted: u64) -> Vec<Group> {
    let [needed, most] = [needed_groups, most_groups]
        .map(|groups| usize::try_from(groups(bots, size, wanted)).unwrap_or(usize::MAX));
    let mut design = CyclicDesign::new(bots, base_groups(bots, size));
    while {
        design.develop();
        design.groups.len() <= most && design.meetings().iter().any(|&times| times < wanted)
    } {}
    let rounds = most / bots * bots;
    let mut groups = in_turn(bots, &design.groups);
    groups.truncate(if rounds < needed { needed } else { rounds });
    groups
}

/// Orders each round of the circle so that bots with the fewest games play next.
fn in_turn(circle: usize, groups: &[Group]) -> Vec<Group> {
    let mut played = vec![0_u64; circle];
    let mut ordered = Vec::with_capacity(groups.len());
    for round in groups.chunks(circle) {
        let mut left = round.to_vec();
        while let Some(next) = (0..left.len()).min_by_key(|&at| {
            let squares = left[at].iter().map(|&bot| played[bot] * played[bot]);
            squares.sum::<u64>()
        }) {
            let group = left.remove(next);
            for &bot in &group {
                played[bot] += 1;
            }
            ordered.push(group);
        }
    }
    ordered
}

/// Makes groups of `size` for a challenger: bot 0 meets every other of `bots` bots, at least
/// `size`, equally often. The others meet each other about equally often.
pub(super) fn one_meets_all(bots: usize, size: usize) -> Groups {
    if bots == size {
        return all_meet(bots, size, 1);
    }
    let others = bots - 1;
    let mut design = CyclicDesign::new(others, with_fixed_bot(others, size));
    design.develop_until(|met| met[1..others].iter().all(|&times| times == met[1]));
    // The fixed bot is the last in the design and the first in groups.
    let mut list = Vec::new();
    for group in design.groups {
        list.push(sorted(group.into_iter().map(|bot| (bot + 1) % bots)));
    }
    Groups {
        list,
        period: others,
        meetings: size as u64 - 1,
        rest: 0,
    }
}

/// Returns base groups of `size` bots on a circle, at least one of those that are shifts of each
/// other.
fn base_groups(circle: usize, size: usize) -> Vec<Group> {
    let all = binomial(circle - 1, size - 1);
    let ranks = (0..all).step_by(usize::try_from(all.div_ceil(CANDIDATES)).unwrap_or(usize::MAX));
    ranks.map(|rank| base_group(circle, size, rank)).collect()
}

/// Returns base groups with the fixed bot in each, at the last place.
fn with_fixed_bot(circle: usize, size: usize) -> Vec<Group> {
    let mut groups = base_groups(circle, size - 1);
    for group in &mut groups {
        group.push(circle);
    }
    groups
}

/// Returns the group of this rank in the lexicographic order of all groups with bot 0.
fn base_group(circle: usize, size: usize, mut rank: u128) -> Group {
    let mut group = vec![0];
    for bot in 1..circle {
        if group.len() == size {
            break;
        }
        let with_bot = binomial(circle - bot - 1, size - group.len() - 1);
        if rank < with_bot {
            group.push(bot);
        } else {
            rank -= with_bot;
        }
    }
    group
}

fn binomial(all: usize, chosen: usize) -> u128 {
    (0..chosen).fold(1, |ways, taken| {
        ways * all.saturating_sub(taken) as u128 / (taken as u128 + 1)
    })
}

fn sorted(bots: impl Iterator<Item = usize>) -> Group {
    let mut group: Group = bots.collect();
    group.sort_unstable();
    group
}

/// Bots on a circle, perhaps with a fixed one, and their groups.
#[derive(Clone)]
struct CyclicDesign {
    circle: usize,
    has_fixed_bot: bool,
    /// Base groups to choose from.
    bases: Vec<Base>,
    /// Number of meetings by difference. Index 0 is from the fixed bot to another, and the number
    /// of bots on the circle is the way back.
    met: Vec<u64>,
    groups: Vec<Group>,
}

#[derive(Clone)]
struct Base {
    group: Group,
    /// Difference of each pair of its bots, one way.
    differences: Vec<usize>,
    /// Sum of the squares of the number of times of each difference, both ways.
    squares: u64,
    /// Number of times it was developed.
    used: usize,
}

impl CyclicDesign {
    fn new(circle: usize, base_groups: Vec<Group>) -> CyclicDesign {
        let has_fixed_bot = base_groups.iter().any(|group| group.contains(&circle));
        let base_groups = base_groups.into_iter();
        let bases = base_groups.map(|group| Base::new(circle, group)).collect();
        CyclicDesign {
            circle,
            has_fixed_bot,
            bases,
            met: vec![0; circle + 1],
            groups: Vec::new(),
        }
    }

    /// Returns the number of meetings by difference.
    fn meetings(&self) -> &[u64] {
        if self.has_fixed_bot {
            &self.met
        } else {
            &self.met[1..self.circle]
        }
    }

    /// Develops base groups until the meetings are as wanted. Returns whether they became so.
    fn develop_until(&mut self, is_done: impl Fn(&[u64]) -> bool) -> bool {
        (0..PATIENCE * self.circle).any(|_| {
            self.develop();
            is_done(self.meetings())
        })
    }

    /// Shifts the base group whose bots have met least around the circle.
    fn develop(&mut self) {
        let bases = self.bases.iter_mut();
        let Some(base) = bases.min_by_key(|base| (base.unevenness(&self.met), base.used)) else {
            return;
        };
        base.used += 1;
        let circle = self.circle;
        count(&mut self.met, &base.differences);
        for by in 0..circle {
            let shifted = base.group.iter().map(|&bot| match bot {
                fixed if fixed == circle => fixed,
                bot => (bot + by) % circle,
            });
            self.groups.push(sorted(shifted));
        }
    }
}

impl Base {
    fn new(circle: usize, group: Group) -> Base {
        let mut differences = Vec::new();
        for (at, &from) in group.iter().enumerate() {
            for &to in &group[at + 1..] {
                differences.push(if to == circle { circle } else { to - from });
            }
        }
        let mut times = vec![0; circle + 1];
        count(&mut times, &differences);
        Base {
            squares: times.iter().map(|times| times * times).sum(),
            differences,
            group,
            used: 0,
        }
    }

    /// Returns the growth of the sum of the squares of all meetings if the group is added.
    fn unevenness(&self, met: &[u64]) -> u64 {
        let met = self.differences.iter().map(|&difference| met[difference]);
        self.squares + 4 * met.sum::<u64>()
    }
}

/// Counts differences, both ways around the circle.
fn count(times: &mut [u64], differences: &[usize]) {
    for &difference in differences {
        times[difference] += 1;
        times[times.len() - 1 - difference] += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// How often each bot plays, and how often any two meet.
    fn counted(
        groups: &[Group],
        size: usize,
    ) -> (BTreeMap<usize, u64>, BTreeMap<(usize, usize), u64>) {
        let (mut plays, mut meets) = (BTreeMap::new(), BTreeMap::new());
        for group in groups {
            assert_eq!(group.len(), size);
            assert!(group.is_sorted_by(|a, b| a < b), "bots in order: {group:?}");
            for (index, &bot) in group.iter().enumerate() {
                *plays.entry(bot).or_default() += 1;
                group[..index]
                    .iter()
                    .for_each(|&other| *meets.entry((other, bot)).or_default() += 1);
            }
        }
        (plays, meets)
    }

    /// Numbers of bots up to 30 without known groups that balance all pairs.
    const UNBALANCED: [(usize, &[usize]); 7] = [
        (2, &[]),
        (3, &[26]),
        (4, &[24, 26, 27, 28, 29, 30]),
        (5, &[28]),
        (6, &[18, 20, 28]),
        (7, &[24, 25, 26, 27, 30]),
        (8, &[23, 24, 25, 26, 27, 28, 29, 30]),
    ];

    /// The numbers of groups of as many bots as are in one, of one bot more, and so on. Some are known: the projective planes of
    /// order 2 (seven groups of three of 7 bots) and 3 (13 groups of four of 13), the biplane of 11 groups of five, the
    /// points off the planes of a projective space (15 groups of eight of 15).
    const NUMBERS: [(usize, [usize; 12]); 6] = [
        (3, [1, 4, 10, 10, 7, 56, 24, 60, 55, 88, 78, 364]),
        (4, [1, 5, 15, 7, 14, 18, 30, 55, 33, 13, 91, 105]),
        (5, [1, 6, 21, 56, 18, 18, 11, 132, 39, 182, 168, 48]),
        (6, [1, 7, 28, 24, 30, 11, 22, 26, 91, 105, 32, 272]),
        (7, [1, 8, 36, 60, 55, 132, 52, 52, 15, 80, 136, 612]),
        (8, [1, 9, 45, 55, 33, 39, 182, 15, 30, 102, 306, 171]),
    ];

    #[test]
    fn every_two_bots_meet_equally_often() {
        for (size, unbalanced) in UNBALANCED {
            for bots in size..=30 {
                let Groups {
                    list: groups,
                    period,
                    meetings,
                    ..
                } = all_meet(bots, size, 1);
                let (plays, meets) = counted(&groups, size);
                assert_eq!(period, groups.len());
                assert_eq!((plays.len(), meets.len()), (bots, bots * (bots - 1) / 2));
                assert!(
                    plays.values().all(|&times| times == plays[&0]),
                    "{bots} bots: {plays:?}"
                );
                let is_balanced = meets.values().all(|&times| times == meetings);
                assert_eq!(
                    is_balanced,
                    !unbalanced.contains(&bots),
                    "{size} of {bots} bots: {meets:?}"
                );
            }
        }
        for (size, numbers) in NUMBERS {
            let found: Vec<usize> = (size..)
                .take(numbers.len())
                .map(|bots| all_meet(bots, size, 1).period)
                .collect();
            assert_eq!(found, numbers, "groups of {size}");
        }
    }

    #[test]
    fn many_bots_play_equally_often_and_meet_often_enough() {
        for size in 3..=8 {
            for (bots, wanted) in [(26, 3), (50, 10), (100, 1)] {
                let Groups {
                    list: groups,
                    meetings,
                    ..
                } = all_meet(bots, size, wanted);
                let (plays, meets) = counted(&groups, size);
                assert_eq!(meets.len(), bots * (bots - 1) / 2);
                assert!(plays.values().all(|&times| times == plays[&0]));
                assert_eq!(meets.values().min(), Some(&meetings));
                let most = meets.values().max().unwrap();
                assert!(
                    meetings >= wanted && *most <= meetings + 3,
                    "{size} of {bots} bots: {meetings} to {most} meetings"
                );
            }
        }
    }

    /// With as many meetings as asked for, at most half as many again, whatever the number of bots.
    #[test]
    fn nearly_balanced_groups_are_what_was_asked_for() {
        for (size, bots) in
            (3..=8).flat_map(|size| [1, 2, 4, 7, 12, 16, 25].map(|more| (size, size + more)))
        {
            let pairs = bots * (bots - 1) / 2;
            let mut before = Vec::new();
            for wanted in [1, 2, 3, 5, 12] {
                let groups = nearly_all_meet(bots, size, wanted);
                let of_size = (size * (size - 1) / 2) as u64;
                let (units, needed) = (
                    groups.units(wanted),
                    (wanted * pairs as u64).div_ceil(of_size),
                );
                assert!(
                    units >= needed && units <= (needed * 3 / 2).max(bots as u64),
                    "{size} of {bots}, {wanted}"
                );
                assert!(
                    groups.list.starts_with(&before),
                    "more games leave the first ones unchanged"
                );
                let (plays, meets) = counted(&groups.list, size);
                let [least, most] = [plays.values().min().unwrap(), plays.values().max().unwrap()];
                assert!(
                    most - least <= 3 && plays.len() == bots,
                    "{size} of {bots}, {wanted}: {plays:?}"
                );
                let least = if meets.len() < pairs {
                    0
                } else {
                    *meets.values().min().unwrap()
                };
                let most = *meets.values().max().unwrap();
                assert!(most - least <= 3, "{size} of {bots}, {wanted}: {meets:?}");
                before = groups.list;
            }
            let short = nearly_all_meet(bots, size, 3);
            let long = nearly_all_meet(bots, size, 2 * NEAR_MEETINGS + 3);
            assert_eq!(
                long.units(2 * NEAR_MEETINGS + 3),
                2 * long.period as u64 + short.units(3)
            );
        }
    }

    #[test]
    fn the_challenger_meets_everybody_equally_often() {
        for (size, bots) in (2..=8).flat_map(|size| (size..=30).map(move |bots| (size, bots))) {
            let Groups {
                list: groups,
                period,
                meetings,
                ..
            } = one_meets_all(bots, size);
            assert!(groups.iter().all(|group| group[0] == 0));
            for period in groups.chunks(period) {
                let (plays, meets) = counted(period, size);
                assert!(
                    (1..bots)
                        .all(|other| plays[&other] == meetings && meets[&(0, other)] == meetings)
                );
            }
            let (_, mut meets) = counted(&groups, size);
            meets.retain(|(one, _), _| *one > 0);
            if size > 2 {
                let (least, most) = (meets.values().min().unwrap(), meets.values().max().unwrap());
                assert_eq!(meets.len(), (bots - 1) * (bots - 2) / 2);
                assert!(most - least <= 2, "{bots} bots: {least} to {most}");
            }
        }
    }
}
