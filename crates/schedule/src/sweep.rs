//! The order of a sweep: in every block, all variants play on the same seeds against the same
//! opponents.
//!
//! Numbers count the whole sweep. A dropped variant leaves its numbers unplayed, so the number of a
//! game identifies it whatever was dropped before.

use super::seating::Seating;
use super::{BotId, GameSchedule, Schedule, index};

/// The games of a sweep: all variants against all opponents on all seeds.
#[derive(Clone, Copy, Debug)]
pub struct SweepLayout<'a> {
    /// Number of seats, which two bots share.
    pub seats: usize,
    /// The variants in order, at least one.
    pub variants: &'a [BotId],
    /// The opponents of all variants on every seed, at least one: a baseline, or a panel.
    pub opponents: &'a [BotId],
    /// Number of seeds of a block, at least 1.
    pub seeds_per_block: u64,
    /// Number of blocks, at least 1.
    pub blocks: u64,
}

/// The place of a unit in a sweep: a variant against an opponent on a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepUnit {
    /// The block, from 0.
    pub block: u64,
    /// The variant, as an index into [`SweepLayout::variants`].
    pub variant: usize,
    /// The seed, counted from 0 over the whole sweep.
    pub seed: u64,
    /// The opponent, as an index into [`SweepLayout::opponents`].
    pub opponent: usize,
    /// The group of both.
    pub(super) group: usize,
}

/// The order of units: by block, variant, seed and opponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepOrder {
    variants: u64,
    opponents: u64,
    seeds_per_block: u64,
}

impl SweepOrder {
    /// Returns the place of a unit.
    pub(super) fn unit(self, unit: u64) -> SweepUnit {
        let opponent = unit % self.opponents;
        let seed = unit / self.opponents % self.seeds_per_block;
        let turn = unit / self.opponents / self.seeds_per_block;
        let (block, variant) = (turn / self.variants, turn % self.variants);
        SweepUnit {
            block,
            variant: index(variant),
            seed: block * self.seeds_per_block + seed,
            opponent: index(opponent),
            group: index(variant * self.opponents + opponent),
        }
    }
}

impl Schedule {
    /// Makes the schedule of a sweep. Each variant meets each opponent on every seed in a unit of
    /// two games with seats swapped. The seed decides how they divide the seats, the same way for
    /// all of them.
    pub fn sweep(layout: &SweepLayout<'_>, seed: u64) -> Schedule {
        let mut groups: Vec<Vec<BotId>> = Vec::new();
        for &variant in layout.variants {
            for &opponent in layout.opponents {
                groups.push(vec![variant, opponent]);
            }
        }
        let game = GameSchedule {
            units: groups.len() as u64 * layout.seeds_per_block * layout.blocks,
            groups,
            seating: Seating::mirror(layout.seats),
            blocks: Some(SweepOrder {
                variants: layout.variants.len() as u64,
                opponents: layout.opponents.len() as u64,
                seeds_per_block: layout.seeds_per_block,
            }),
        };
        Schedule::of(vec![game], layout.blocks, seed)
    }

    /// Returns the place in the sweep of a game's unit; `None` if this is no sweep. The number must
    /// be below [`Schedule::len`].
    pub fn sweep_unit(&self, number: u64) -> Option<SweepUnit> {
        let place = self.place(number);
        self.games[place.game].sweep_unit(place.unit_of_game)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use super::*;
    use crate::Fixture;

    const VARIANTS: [BotId; 3] = [1, 2, 4];

    /// The index of a seed, the seed, an opponent, and the seats of the variant.
    type Met = (u64, i64, BotId, Vec<bool>);

    fn sweep(seats: usize, opponents: &[BotId]) -> Schedule {
        Schedule::sweep(
            &SweepLayout {
                seats,
                variants: &VARIANTS,
                opponents,
                seeds_per_block: 4,
                blocks: 5,
            },
            7,
        )
    }

    fn all() -> Vec<(Schedule, &'static [BotId], usize)> {
        (2..=8)
            .flat_map(|seats| {
                [&[0][..], &[0, 3, 5]].map(|panel| (sweep(seats, panel), panel, seats))
            })
            .collect()
    }

    #[test]
    fn blocks_follow_each_other_and_hold_all_variants_in_order() {
        for (schedule, panel, _) in all() {
            assert_eq!(schedule.len(), 5 * 3 * 4 * panel.len() as u64 * 2);
            let (mut last, mut next) = (None, 0);
            for block in 0..5 {
                let first = next;
                next += schedule.len() / 5;
                for number in first..next {
                    let unit = schedule.sweep_unit(number).unwrap();
                    assert_eq!((unit.block, unit.seed / 4), (block, block));
                    let place = Some((unit.block, unit.variant, unit.seed, unit.opponent));
                    assert!(last <= place, "{last:?} {place:?}");
                    last = place;
                }
            }
        }
    }

    #[test]
    fn every_variant_meets_the_same_opponents_on_the_same_seeds_in_the_same_seats() {
        for (schedule, panel, seats) in all() {
            let mut met: BTreeMap<usize, Vec<Met>> = BTreeMap::new();
            for fixture in schedule.fixtures() {
                let unit = schedule.sweep_unit(fixture.number).unwrap();
                let bots: BTreeSet<BotId> = fixture.seating.iter().copied().collect();
                assert_eq!(
                    bots,
                    BTreeSet::from([VARIANTS[unit.variant], panel[unit.opponent]])
                );
                assert_eq!(fixture.seating.len(), seats);
                let own = fixture
                    .seating
                    .iter()
                    .map(|&bot| bot == VARIANTS[unit.variant])
                    .collect();
                met.entry(unit.variant).or_default().push((
                    unit.seed,
                    fixture.seed,
                    panel[unit.opponent],
                    own,
                ));
            }
            assert_eq!(met.len(), 3);
            assert!(met[&0] == met[&1] && met[&0] == met[&2], "common seeds");
            let seeds: BTreeMap<u64, i64> = met[&0]
                .iter()
                .map(|(index, seed, ..)| (*index, *seed))
                .collect();
            assert_eq!(seeds.len(), 20);
            assert_eq!(
                seeds.values().collect::<HashSet<_>>().len(),
                20,
                "no seed twice"
            );
            assert!(
                met[&0]
                    .iter()
                    .all(|(index, seed, ..)| seeds[index] == *seed)
            );
        }
    }

    #[test]
    fn a_unit_is_one_pair_of_bots_on_one_seed_with_seats_swapped() {
        for (schedule, panel, seats) in all() {
            let mut units: BTreeMap<u64, Vec<Fixture>> = BTreeMap::new();
            for fixture in schedule.fixtures() {
                units.entry(fixture.unit).or_default().push(fixture);
            }
            assert_eq!(units.len(), 5 * 3 * 4 * panel.len());
            assert!(
                units.keys().copied().eq(0..units.len() as u64),
                "units are numbered without a gap"
            );
            for games in units.values() {
                let [one, two] = games.as_slice() else {
                    panic!("two games: {games:?}")
                };
                assert_eq!((one.seed, one.number + 1), (two.seed, two.number));
                assert!(
                    one.seating
                        .iter()
                        .zip(&two.seating)
                        .all(|(one, two)| one != two),
                    "{one:?} {two:?}"
                );
                let variants = |game: &Fixture| {
                    game.seating
                        .iter()
                        .filter(|bot| VARIANTS.contains(bot))
                        .count()
                };
                assert_eq!(variants(one) + variants(two), seats);
                assert_eq!(variants(one).abs_diff(variants(two)), seats % 2);
            }
            let divisions: HashSet<Vec<bool>> = schedule
                .fixtures()
                .map(|fixture| {
                    fixture
                        .seating
                        .iter()
                        .map(|bot| VARIANTS.contains(bot))
                        .collect()
                })
                .collect();
            // Seven and eight seats are divided in 35 ways; there are 20 seeds.
            let ways = [1, 3, 3, 10, 10, 20, 20][seats - 2];
            assert_eq!(
                divisions.len(),
                2 * ways,
                "every division of the seats is played"
            );
        }
    }

    /// What is drawn at random is the same for all variants: by their opponents, and by each of them.
    #[test]
    fn every_variant_draws_what_the_others_draw_on_a_seed() {
        for (schedule, panel, seats) in all() {
            let mut drawn: BTreeMap<(u64, BotId), BTreeMap<BotId, BTreeSet<u64>>> = BTreeMap::new();
            for fixture in schedule.fixtures() {
                let unit = schedule.sweep_unit(fixture.number).unwrap();
                let seeds: BTreeSet<u64> = (0..seats).map(|seat| fixture.bot_seed(seat)).collect();
                assert_eq!(seeds.len(), seats, "no two seats share a seed");
                for (seat, &bot) in fixture.seating.iter().enumerate() {
                    let own = VARIANTS.contains(&bot);
                    let met = (unit.seed, panel[unit.opponent] + 100 * usize::from(own));
                    let by_variant = drawn
                        .entry(met)
                        .or_default()
                        .entry(VARIANTS[unit.variant])
                        .or_default();
                    by_variant.insert(fixture.bot_seed(seat));
                }
            }
            assert_eq!(drawn.len(), 20 * panel.len() * 2);
            for by_variant in drawn.values() {
                assert_eq!(by_variant.len(), VARIANTS.len());
                let first = &by_variant[&VARIANTS[0]];
                assert!(
                    first.len() == seats.div_ceil(2)
                        && by_variant.values().all(|seeds| seeds == first),
                    "{by_variant:?}"
                );
            }
        }
    }

    /// More blocks leave the games of the first ones as they are, so that a sweep can be made longer.
    #[test]
    fn the_length_changes_no_game() {
        let layout = SweepLayout {
            seats: 4,
            variants: &VARIANTS,
            opponents: &[0],
            seeds_per_block: 4,
            blocks: 5,
        };
        let (short, long) = (
            Schedule::sweep(&layout, 7),
            Schedule::sweep(
                &SweepLayout {
                    blocks: 500,
                    ..layout
                },
                7,
            ),
        );
        assert!((0..short.len()).all(|number| short.fixture(number) == long.fixture(number)));
    }
}
