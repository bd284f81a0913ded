//! Variants against a panel of opponents.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::units;
use crate::{BotId, Fixture, PanelLayout, Schedule};

const VARIANTS: [BotId; 3] = [1, 2, 4];

/// The index of a seed, the seed, an opponent, and the seats of the variant.
type Met = (u64, i64, BotId, Vec<bool>);

fn schedule(seats: usize, opponents: &[BotId], blocks: u64) -> Schedule {
    let layout = PanelLayout {
        seats,
        variants: &VARIANTS,
        opponents,
        seeds_per_block: 4,
        blocks,
    };
    Schedule::against_panel(&layout, 7)
}

fn all() -> Vec<(Schedule, &'static [BotId], usize)> {
    (2..=8)
        .flat_map(|seats| {
            [&[0][..], &[0, 3, 5]].map(|panel| (schedule(seats, panel, 5), panel, seats))
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
                let unit = schedule.panel_unit(number).unwrap();
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
            let unit = schedule.panel_unit(fixture.number).unwrap();
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
        let units = units(&schedule);
        assert_eq!(units.len(), 5 * 3 * 4 * panel.len());
        for games in &units {
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
            let unit = schedule.panel_unit(fixture.number).unwrap();
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
                first.len() == seats.div_ceil(2) && by_variant.values().all(|seeds| seeds == first),
                "{by_variant:?}"
            );
        }
    }
}

/// More blocks leave the games of the first ones as they are, so that a run can be made longer.
#[test]
fn the_length_changes_no_game() {
    let [short, long] = [5, 500].map(|blocks| schedule(4, &[0], blocks));
    assert!((0..short.len()).all(|number| short.fixture(number) == long.fixture(number)));
}
