//! The order of a sweep: block after block, in each every variant on the same seeds against the same opponents.
//!
//! The numbers are those of the full grid. A variant that is dropped leaves its numbers unplayed, so that the number of a
//! game says what it is whatever was dropped before.

use std::ops::Range;

use super::{BotId, Course, MIRROR, Schedule, TWO_SEATS};

/// What the full grid of a sweep is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid<'a> {
    /// The seats of the game: two, or four, which two bots share.
    pub(crate) seats: usize,
    /// The variants, in their order; one at least.
    pub(crate) variants: &'a [BotId],
    /// Whom they all meet on every seed: a baseline, or a panel; one bot at least, and none of the variants.
    pub(crate) against: &'a [BotId],
    /// The seeds of a block, 1 at least.
    pub(crate) block: u64,
    /// How many blocks there are, 1 at least.
    pub(crate) blocks: u64,
}

/// Where a game stands in a sweep. The games of a variant on one deal, against all opponents, are one unit of its race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heat {
    /// The block, from 0.
    pub(crate) block: u64,
    /// The variant, as an index into [`Grid::variants`].
    pub(crate) variant: usize,
    /// The seed, counted from 0 over the whole sweep.
    pub(crate) deal: u64,
    /// The opponent, as an index into [`Grid::against`].
    pub(crate) against: usize,
    /// The table of both.
    pub(super) table: usize,
}

/// On which seeds the units of a game are played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deals {
    /// Each on its own.
    Own,
    /// Those of a block on `block` seeds, on each of which every variant meets `against` opponents.
    Common { variants: u64, block: u64, against: u64 },
}

impl Deals {
    /// Where a unit stands, if seeds are shared.
    pub(super) fn heat(self, unit: u64) -> Option<Heat> {
        let Deals::Common { variants, block, against } = self else { return None };
        let (seeds, opponent) = (unit / against, unit % against);
        let (turn, seed) = (seeds / block, seeds % block);
        let (number, variant) = (turn / variants, turn % variants);
        let [table, variant, opponent] =
            [variant * against + opponent, variant, opponent].map(|index| usize::try_from(index).unwrap_or_default());
        Some(Heat { block: number, variant, deal: number * block + seed, against: opponent, table })
    }
}

impl Schedule {
    /// The fixtures of a sweep. Each variant meets each opponent in a unit on every seed: they swap seats. In which
    /// division of four seats they do is up to the seed, and the same for all of them.
    pub(crate) fn sweep(grid: &Grid<'_>, seed: u64) -> Schedule {
        let pairs = |&variant: &BotId| grid.against.iter().map(move |&other| vec![variant, other]);
        let tables: Vec<Vec<BotId>> = grid.variants.iter().flat_map(pairs).collect();
        let units = tables.len() as u64 * grid.block * grid.blocks;
        let seating = if grid.seats == 2 { TWO_SEATS } else { MIRROR };
        let (variants, against) = (grid.variants.len() as u64, grid.against.len() as u64);
        let deals = Deals::Common { variants, block: grid.block, against };
        Schedule { courses: vec![Course { tables, seating, units, deals }], rounds: grid.blocks, seed, check: None }
    }

    /// Where the game with this number, which must be below [`Schedule::len`], stands in the sweep; `None` if this is
    /// none.
    pub(crate) fn heat(&self, number: u64) -> Option<Heat> {
        let (course, place) = self.place(number);
        course.deals.heat(place.unit_of_game)
    }

    /// The numbers of the games of a block of a sweep; empty behind the last one.
    pub(crate) fn block(&self, block: u64) -> Range<u64> {
        let games = self.len() / self.rounds.max(1);
        let start = |block: u64| block.min(self.rounds) * games;
        start(block)..start(block.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use super::*;
    use crate::schedule::{Fixture, Slice};

    const VARIANTS: [BotId; 3] = [1, 2, 4];

    /// A deal, its seed, an opponent, and the seats of the variant.
    type Met = (u64, i64, BotId, Vec<bool>);

    fn sweep(seats: usize, against: &[BotId]) -> Schedule {
        Schedule::sweep(&Grid { seats, variants: &VARIANTS, against, block: 4, blocks: 5 }, 7)
    }

    fn all() -> Vec<(Schedule, &'static [BotId], usize)> {
        [2, 4]
            .into_iter()
            .flat_map(|seats| [&[0][..], &[0, 3, 5]].map(|panel| (sweep(seats, panel), panel, seats)))
            .collect()
    }

    #[test]
    fn blocks_follow_each_other_and_hold_all_variants_in_order() {
        for (schedule, panel, _) in all() {
            assert_eq!(schedule.len(), 5 * 3 * 4 * panel.len() as u64 * 2);
            let (mut last, mut next) = (None, 0);
            for block in 0..5 {
                let numbers = schedule.block(block);
                assert_eq!(numbers.start, next, "blocks leave no gap");
                next = numbers.end;
                for number in numbers {
                    let heat = schedule.heat(number).unwrap();
                    assert_eq!((heat.block, heat.deal / 4), (block, block));
                    let place = Some((heat.block, heat.variant, heat.deal, heat.against));
                    assert!(last <= place, "{last:?} {place:?}");
                    last = place;
                }
            }
            assert_eq!((next, schedule.block(5).is_empty()), (schedule.len(), true));
        }
    }

    #[test]
    fn every_variant_meets_the_same_opponents_on_the_same_seeds_in_the_same_seats() {
        for (schedule, panel, seats) in all() {
            let mut met: BTreeMap<usize, Vec<Met>> = BTreeMap::new();
            for fixture in schedule.fixtures(Slice::WHOLE) {
                let heat = schedule.heat(fixture.number).unwrap();
                let bots: BTreeSet<BotId> = fixture.seating.iter().copied().collect();
                assert_eq!(bots, BTreeSet::from([VARIANTS[heat.variant], panel[heat.against]]));
                assert_eq!(fixture.seating.len(), seats);
                let own = fixture.seating.iter().map(|&bot| bot == VARIANTS[heat.variant]).collect();
                met.entry(heat.variant).or_default().push((heat.deal, fixture.seed, panel[heat.against], own));
            }
            assert_eq!(met.len(), 3);
            assert!(met[&0] == met[&1] && met[&0] == met[&2], "common seeds");
            let seeds: BTreeMap<u64, i64> = met[&0].iter().map(|(deal, seed, ..)| (*deal, *seed)).collect();
            assert_eq!(seeds.len(), 20);
            assert_eq!(seeds.values().collect::<HashSet<_>>().len(), 20, "every deal has a seed of its own");
            assert!(met[&0].iter().all(|(deal, seed, ..)| seeds[deal] == *seed));
        }
    }

    #[test]
    fn a_unit_is_one_pair_of_bots_on_one_seed_with_seats_swapped() {
        for (schedule, panel, seats) in all() {
            let mut units: BTreeMap<u64, Vec<Fixture>> = BTreeMap::new();
            for fixture in schedule.fixtures(Slice::WHOLE) {
                units.entry(fixture.unit).or_default().push(fixture);
            }
            assert_eq!(units.len(), 5 * 3 * 4 * panel.len());
            assert!(units.keys().copied().eq(0..units.len() as u64), "units are numbered without a gap");
            for games in units.values() {
                let [one, two] = games.as_slice() else { panic!("two games: {games:?}") };
                assert_eq!((one.seed, one.number + 1), (two.seed, two.number));
                assert!(one.seating.iter().zip(&two.seating).all(|(one, two)| one != two), "{one:?} {two:?}");
                let variants = one.seating.iter().filter(|bot| VARIANTS.contains(bot)).count();
                assert_eq!(2 * variants, seats);
            }
            let divisions: HashSet<Vec<bool>> = schedule
                .fixtures(Slice::WHOLE)
                .map(|fixture| fixture.seating.iter().map(|bot| VARIANTS.contains(bot)).collect())
                .collect();
            assert_eq!(divisions.len(), if seats == 2 { 2 } else { 6 }, "every division of the seats is played");
        }
    }

    /// What is drawn at random is the same for all variants: by their opponents, and by each of them.
    #[test]
    fn every_variant_draws_what_the_others_draw_on_a_seed() {
        for (schedule, panel, seats) in all() {
            let mut drawn: BTreeMap<(u64, BotId), BTreeMap<BotId, BTreeSet<u64>>> = BTreeMap::new();
            for fixture in schedule.fixtures(Slice::WHOLE) {
                let heat = schedule.heat(fixture.number).unwrap();
                let seeds: BTreeSet<u64> = (0..seats).map(|seat| fixture.bot_seed(seat)).collect();
                assert_eq!(seeds.len(), seats, "no two seats share a seed");
                for (seat, &bot) in fixture.seating.iter().enumerate() {
                    let own = VARIANTS.contains(&bot);
                    let met = (heat.deal, panel[heat.against] + 100 * usize::from(own));
                    let by_variant = drawn.entry(met).or_default().entry(VARIANTS[heat.variant]).or_default();
                    by_variant.insert(fixture.bot_seed(seat));
                }
            }
            assert_eq!(drawn.len(), 20 * panel.len() * 2);
            for by_variant in drawn.values() {
                assert_eq!(by_variant.len(), VARIANTS.len());
                let first = &by_variant[&VARIANTS[0]];
                assert!(first.len() == seats / 2 && by_variant.values().all(|seeds| seeds == first), "{by_variant:?}");
            }
        }
    }

    /// More blocks leave the games of the first ones as they are, so that a sweep can be made longer.
    #[test]
    fn the_length_changes_no_game() {
        let grid = Grid { seats: 4, variants: &VARIANTS, against: &[0], block: 4, blocks: 5 };
        let (short, long) = (Schedule::sweep(&grid, 7), Schedule::sweep(&Grid { blocks: 500, ..grid }, 7));
        assert!((0..short.len()).all(|number| short.fixture(number) == long.fixture(number)));
    }
}
