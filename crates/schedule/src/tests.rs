use std::collections::{BTreeMap, BTreeSet};

use super::*;

mod frozen;
mod laws;
mod panel;

impl Schedule {
    /// The number of units.
    fn units(&self) -> u64 {
        self.games.iter().map(|game| game.units).sum()
    }

    /// The fixtures of the run, in order.
    pub(crate) fn fixtures(&self) -> impl Iterator<Item = Fixture> + '_ {
        (0..self.len()).map(|number| self.fixture(number))
    }
}

fn schedule(format: Format) -> Schedule {
    Schedule::new(
        format,
        Design::Rotations,
        &[(2, vec![0, 1, 2, 3]), (2, vec![0, 2, 4])],
        5,
        7,
    )
}

/// A game for two and one for four, with six bots in each.
fn mixed(format: Format, design: Design, games: u64) -> Schedule {
    let bots = [0, 1, 2, 3, 4, 5];
    Schedule::new(format, design, &[(2, &bots), (4, &bots)], games, 7)
}

fn units(schedule: &Schedule) -> Vec<Vec<Fixture>> {
    let mut units: BTreeMap<u64, Vec<Fixture>> = BTreeMap::new();
    for (number, fixture) in (0..).zip(schedule.fixtures()) {
        assert_eq!(fixture.number, number);
        units.entry(fixture.unit).or_default().push(fixture);
    }
    assert!(
        units.keys().copied().eq(0..units.len() as u64),
        "units are numbered without a gap"
    );
    units.into_values().collect()
}

/// The fixtures of a run are the first ones of a longer run, so that it can be extended.
#[test]
fn all_pairings_of_a_cycle_may_share_a_seed() {
    for format in [Format::Gauntlet, Format::RoundRobin] {
        let games = [(2, vec![0, 1, 2, 3]), (2, vec![0, 2, 4]), (2, vec![1, 3])];
        let schedule = |games_per_pairing| {
            Schedule::new(format, Design::Rotations, &games, games_per_pairing, 7)
        };
        let [short, long] = [10, 24].map(|games| schedule(games).on_same_seeds());
        let own: BTreeSet<i64> = schedule(24).fixtures().map(|game| game.seed).collect();
        let mut met: BTreeMap<(usize, i64), BTreeMap<Vec<BotId>, u64>> = BTreeMap::new();
        for fixture in long.fixtures() {
            assert!(own.contains(&fixture.seed));
            let mut bots = fixture.seating.clone();
            bots.sort_unstable();
            let pairings = met.entry((fixture.game, fixture.seed)).or_default();
            *pairings.entry(bots).or_default() += 1;
        }
        let seeds: BTreeSet<i64> = met.keys().map(|(_, seed)| *seed).collect();
        assert_eq!(
            (met.len(), seeds.len()),
            (3 * 12, 3 * 12),
            "no two games share one"
        );
        for ((game, _), pairings) in met {
            let all = match format {
                Format::Gauntlet => [3, 2, 1],
                Format::RoundRobin => [6, 3, 1],
            };
            assert_eq!(pairings.len(), all[game]);
            assert!(pairings.values().all(|&games| games == 2), "{pairings:?}");
        }
        assert!(
            short
                .fixtures()
                .eq(long.fixtures().take(short.fixtures().count())),
            "{format}"
        );
    }
}

#[test]
fn every_pairing_meets_equally_often_from_both_sides() {
    for (format, pairs) in [(Format::Gauntlet, 3 + 2), (Format::RoundRobin, 6 + 3)] {
        let schedule = schedule(format);
        let mut met: BTreeMap<(usize, Vec<BotId>), u64> = BTreeMap::new();
        for fixture in schedule.fixtures() {
            *met.entry((fixture.game, fixture.seating)).or_default() += 1;
        }
        assert_eq!(met.len(), 2 * pairs);
        assert!(
            met.values().all(|&games| games == 3),
            "5 games round up to 3 units: {met:?}"
        );
        assert_eq!(schedule.len(), 6 * pairs as u64);
    }
}

#[test]
fn a_unit_is_one_seed_and_one_group_in_all_its_seats() {
    for design in [Design::Rotations, Design::Mirror] {
        let schedule = mixed(Format::RoundRobin, design, 8);
        let units = units(&schedule);
        let seeds: BTreeSet<i64> = units.iter().map(|games| games[0].seed).collect();
        assert_eq!(seeds.len(), units.len(), "unit seeds are unique");
        for games in units {
            let first = &games[0];
            assert_eq!(games.len() as u64, schedule.games_per_unit(first.game));
            assert_eq!(first.seating.len(), if first.game == 0 { 2 } else { 4 });
            let mut seeds: BTreeMap<BotId, BTreeSet<u64>> = BTreeMap::new();
            for seat in 0..first.seating.len() {
                let sat: BTreeSet<BotId> = games.iter().map(|game| game.seating[seat]).collect();
                assert_eq!(
                    sat.len(),
                    games.len(),
                    "every bot sits in every seat once: {games:?}"
                );
                for game in &games {
                    assert_eq!((game.seed, game.game), (first.seed, first.game));
                    seeds
                        .entry(game.seating[seat])
                        .or_default()
                        .insert(game.bot_seed(seat));
                }
            }
            let copies = first.seating.len() / seeds.len();
            assert!(
                seeds.values().all(|seeds| seeds.len() == copies),
                "a bot keeps its seeds over the unit"
            );
            assert_eq!(
                seeds.values().flatten().collect::<BTreeSet<_>>().len(),
                first.seating.len()
            );
        }
    }
}

#[test]
fn any_two_bots_meet_in_as_many_games_as_wanted() {
    let of_four = |format, design, pairs, games| {
        let mut met: BTreeMap<(BotId, BotId), u64> = BTreeMap::new();
        for fixture in mixed(format, design, 20)
            .fixtures()
            .filter(|fixture| fixture.game == 1)
        {
            let bots: BTreeSet<BotId> = fixture.seating.iter().copied().collect();
            for (&a, &b) in bots
                .iter()
                .flat_map(|a| bots.range(a + 1..).map(move |b| (a, b)))
            {
                *met.entry((a, b)).or_default() += 1;
            }
        }
        if format == Format::Gauntlet {
            met.retain(|&(a, _), _| a == 0);
        }
        assert_eq!(
            met.into_values().collect::<Vec<_>>(),
            vec![games; pairs],
            "{format} {design}"
        );
    };
    // A challenger meets five others three times in five groups.
    of_four(Format::Gauntlet, Design::Rotations, 5, 24);
    of_four(Format::RoundRobin, Design::Mirror, 15, 20);
    of_four(Format::Gauntlet, Design::Mirror, 5, 20);
}

#[test]
fn seats_are_divided_and_groups_ordered_in_every_way() {
    let seatings = |design, bots: &[BotId]| -> BTreeMap<Vec<BotId>, u64> {
        let schedule = Schedule::new(Format::RoundRobin, design, &[(4, bots)], 48, 7);
        let mut seatings = BTreeMap::new();
        schedule
            .fixtures()
            .for_each(|fixture| *seatings.entry(fixture.seating).or_default() += 1);
        seatings
    };
    let rotations = seatings(Design::Rotations, &[0, 1, 2, 3]);
    assert!(
        rotations.len() == 24 && rotations.values().all(|&games| games == 2),
        "{rotations:?}"
    );
    let mirror = seatings(Design::Mirror, &[0, 1]);
    assert!(
        mirror.len() == 6 && mirror.values().all(|&games| games == 8),
        "{mirror:?}"
    );
    let six = seatings(Design::Rotations, &[0, 1, 2, 3, 4, 5]);
    assert!(
        six.keys()
            .map(|seats| seats.iter().position(|&bot| bot == 0))
            .collect::<BTreeSet<_>>()
            .len()
            == 5
    );
}

#[test]
fn the_games_of_a_run_come_forward_together() {
    let schedule = mixed(Format::RoundRobin, Design::Rotations, 100);
    let (mut played, mut all) = ([0_u64; 2], [0_u64; 2]);
    schedule
        .fixtures()
        .for_each(|fixture| all[fixture.game] += 1);
    for fixture in schedule.fixtures() {
        played[fixture.game] += 1;
        // A round is one fiftieth of the run, and holds at most one unit more or less than its
        // share.
        let ahead = (played[0] * all[1]).abs_diff(played[1] * all[0]);
        assert!(ahead <= all[0] * all[1] / 20, "{played:?} of {all:?}");
    }
}

#[test]
fn copies_of_a_bot_have_seeds_of_their_own() {
    let fixture = Fixture {
        number: 0,
        unit: 0,
        game: 0,
        seed: 1,
        seating: vec![3, 3, 3, 2],
        variant: None,
        values: Vec::new(),
    };
    let seeds: BTreeSet<u64> = (0..4).map(|seat| fixture.bot_seed(seat)).collect();
    assert_eq!(seeds.len(), 4);
    assert!(seeds.iter().all(|&seed| seed < 1 << 53));
}

/// The derivation is frozen: a change would make every stored run impossible to resume.
#[test]
fn seeds_are_frozen() {
    let fixture = schedule(Format::Gauntlet).fixture(17);
    assert_eq!(
        (fixture.unit, fixture.seed, fixture.bot_seed(0)),
        (8, -2_524_708_840_337_693_102, 6_940_967_975_468_651)
    );
    // The generator's published first outputs for seed 1234567.
    let outputs: Vec<u64> = (0..3).map(|index| split_mix(1_234_567, index)).collect();
    assert_eq!(
        outputs,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423
        ]
    );
}

/// Workers are sent fixtures as JSON.
#[test]
fn a_fixture_is_the_same_after_a_journey() {
    let variant = Some([usize::MAX, 3]);
    for (seed, variant) in [(i64::MIN, None), (i64::MAX, variant)] {
        let fixture = Fixture {
            number: u64::MAX,
            unit: 1,
            game: 2,
            seed,
            seating: vec![3, 0, 3],
            variant,
            values: Vec::new(),
        };
        let text = serde_json::to_string(&fixture).unwrap();
        assert_eq!(
            serde_json::from_str::<Fixture>(&text).unwrap(),
            fixture,
            "{text}"
        );
    }
}

#[test]
fn a_bot_keeps_its_seed_when_the_seats_are_swapped() {
    let schedule = Schedule::new(
        Format::RoundRobin,
        Design::Rotations,
        &[(2, &[0, 1, 2])],
        100,
        7,
    );
    let mut seen = BTreeSet::new();
    for game in (0..50).map(|number| schedule.fixture(number)) {
        seen.extend([0, 1].map(|seat| (game.unit, game.seating[seat], game.bot_seed(seat))));
    }
    assert_eq!(seen.len(), 50);
    // The first 53 bits of the SHA-256 of "bot", the seed of the game and, as a number, bot and
    // copy.
    assert_eq!(schedule.fixture(0).bot_seed(0), 849_892_845_696_638);
}

#[test]
fn a_round_robin_has_about_the_games_that_were_asked_for() {
    let length = |seats, bots: usize, games| {
        let all: Vec<BotId> = (0..bots).collect();
        let of = [(seats, &all[..])];
        let schedule = Schedule::new(Format::RoundRobin, Design::Rotations, &of, games, 7);
        (schedule.len(), schedule.meetings(0, None).1)
    };
    assert_eq!(length(4, 20, 1), (140, [0, 12]));
    assert_eq!(length(4, 13, 1), (52, [0, 8]));
    assert_eq!(length(4, 6, 1), (12, [4, 8]));
    assert_eq!(length(4, 5, 1), (20, [12, 12]));
    assert_eq!(length(4, 4, 1), (4, [4, 4]));
    for (seats, bots) in (3..=8).flat_map(|seats| (seats..=20).map(move |bots| (seats, bots))) {
        for games in [1, 200] {
            let (in_all, _) = length(seats, bots, games);
            // Two bots meet in whole units, each with as many games as seats. A unit has a meeting
            // for every two of its seats.
            let [bots, seats] = [bots, seats].map(|number| number as u64);
            let meetings = games.div_ceil(seats) * bots * (bots - 1);
            let least = seats * meetings.div_ceil(seats * (seats - 1));
            // Rounding up to whole rounds adds less than a round, which has at most a unit per bot.
            let most = least + seats * bots;
            assert!(
                (least..most).contains(&in_all),
                "{seats} seats, {bots} bots, {games} games"
            );
        }
    }
}

/// Games that were played elsewhere only have a number.
#[test]
fn games_played_elsewhere_are_counted() {
    let schedule = Schedule::elsewhere(&[3, 0, 2]);
    assert_eq!(schedule.len(), 5);
    assert_eq!([0, 1, 2].map(|game| schedule.games_per_unit(game)), [1; 3]);
    let games: Vec<usize> = (0..5).map(|number| schedule.fixture(number).game).collect();
    assert_eq!(games, [0, 0, 0, 2, 2]);
}

/// Also with more bots than any game has seats.
#[test]
fn bots_that_play_alone_play_once_on_every_seed() {
    for format in [Format::Gauntlet, Format::RoundRobin] {
        let bots: Vec<BotId> = (0..11).collect();
        let games = [(1, bots.clone())];
        let schedule = Schedule::new(format, Design::Rotations, &games, 5, 7);
        assert_eq!((schedule.len(), schedule.games_per_unit(0)), (55, 11));
        let mut seeds = BTreeSet::new();
        for unit in units(&schedule) {
            let seats: Vec<BotId> = unit.iter().flat_map(|game| game.seating.clone()).collect();
            assert_eq!(seats, bots);
            assert!(unit.iter().all(|game| game.seed == unit[0].seed));
            seeds.insert(unit[0].seed);
        }
        assert_eq!(seeds.len(), 5);
    }
}
