//! What holds for games of any number of seats.

use std::collections::{BTreeMap, BTreeSet};

use super::units;
use crate::{BotId, Design, Fixture, Format, Schedule, split_mix};

const FORMATS: [Format; 2] = [Format::Gauntlet, Format::RoundRobin];

fn schedule(seats: usize, bots: usize, format: Format, design: Design, games: u64) -> Schedule {
    let bots: Vec<BotId> = (0..bots).collect();
    Schedule::new(format, design, &[(seats, &bots)], games, 7)
}

/// Every number of seats with as many bots, one more, and thirteen, in every format and design,
/// with a name for messages.
fn all() -> impl Iterator<Item = (String, usize, Schedule)> {
    with_bots(|seats| vec![seats, seats + 1, 13])
}

fn with_bots(
    numbers: impl Fn(usize) -> Vec<usize>,
) -> impl Iterator<Item = (String, usize, Schedule)> {
    let games =
        (2..=8).flat_map(move |seats| numbers(seats).into_iter().map(move |bots| (seats, bots)));
    let formats = games.flat_map(|(seats, bots)| FORMATS.map(|format| (seats, bots, format)));
    let designs =
        formats.flat_map(|one| [Design::Rotations, Design::Mirror].map(|design| (one, design)));
    designs.map(|((seats, bots, format), design)| {
        let name = format!("{seats} seats, {bots} bots, {format}, {design}");
        (name, seats, schedule(seats, bots, format, design, 30))
    })
}

/// A game for each number of seats.
fn mixed(design: Design) -> Schedule {
    let bots: Vec<BotId> = (0..10).collect();
    let games: Vec<(usize, &[BotId])> = (2..=8).map(|seats| (seats, &bots[..])).collect();
    Schedule::new(Format::RoundRobin, design, &games, 20, 7)
}

fn bots(games: &[Fixture]) -> BTreeSet<BotId> {
    games
        .iter()
        .flat_map(|game| game.seating.iter().copied())
        .collect()
}

/// Total points of each bot in some games of a synthetic game that scores seats.
fn totals(games: &[Fixture], score: impl Fn(&Fixture, usize) -> u64) -> BTreeMap<BotId, u64> {
    let mut totals = BTreeMap::new();
    for game in games {
        for (seat, &bot) in game.seating.iter().enumerate() {
            *totals.entry(bot).or_default() += score(game, seat);
        }
    }
    totals
}

/// Points of a seat on a seed, whichever bot has it.
fn luck(game: &Fixture, seat: usize) -> u64 {
    split_mix(game.seed.cast_unsigned(), seat as u64) % 1000
}

fn are_equal<T: PartialEq>(values: impl IntoIterator<Item = T>) -> bool {
    let mut values = values.into_iter();
    let first = values.next();
    values.all(|value| Some(&value) == first.as_ref())
}

#[test]
fn a_unit_gives_equal_bots_the_same_score() {
    let mixed = [Design::Rotations, Design::Mirror]
        .map(|design| (format!("mixed, {design}"), 0, mixed(design)));
    for (name, seats, schedule) in all().chain(mixed) {
        for games in units(&schedule) {
            let first = &games[0];
            assert!(seats == 0 || first.seating.len() == seats, "{name}");
            assert_eq!(
                games.len() as u64,
                schedule.games_per_unit(first.game),
                "{name}"
            );
            assert!(
                games
                    .iter()
                    .all(|game| (game.seed, game.game) == (first.seed, first.game)),
                "{name}"
            );
            let totals = totals(&games, luck);
            assert!(
                totals.len() == games.len() && are_equal(totals.values()),
                "{name}: {games:?}"
            );
            for seat in 0..first.seating.len() {
                let sat: BTreeSet<BotId> = games.iter().map(|game| game.seating[seat]).collect();
                assert_eq!(sat, bots(&games), "every bot has every seat once: {name}");
            }
        }
    }
}

/// In dealt groups of a round robin, the numbers of meetings differ by up to six units.
#[test]
fn every_bot_has_every_seat_and_every_opponent_equally_often() {
    for (name, seats, schedule) in with_bots(|seats| (seats..=20).collect()) {
        let is_gauntlet = name.contains("gauntlet");
        let mut had: BTreeMap<BotId, Vec<u64>> = BTreeMap::new();
        for fixture in schedule.fixtures() {
            assert!(
                !is_gauntlet || fixture.seating.contains(&0),
                "{name}: {fixture:?}"
            );
            for (seat, &bot) in fixture.seating.iter().enumerate() {
                had.entry(bot).or_insert_with(|| vec![0; seats])[seat] += 1;
            }
        }
        let count = had.len() as u64;
        assert!(had.values().all(are_equal), "{name}: {had:?}");
        had.retain(|bot, _| !is_gauntlet || *bot > 0);
        assert!(are_equal(had.values()), "{name}: {had:?}");

        let (_, [least, most]) = schedule.meetings(0, is_gauntlet.then_some(0));
        let is_dealt = name.contains("robin, rotations") && seats > 2 && count > seats as u64 + 1;
        if is_dealt {
            let seats = seats as u64;
            assert!(most - least <= 6 * seats, "{name}: {least} to {most}");
            // Pairs in all games, and pairs of bots.
            let [met, pairs] = [schedule.len() * seats * (seats - 1), count * (count - 1)];
            assert!(met >= 30 * pairs, "{name}");
        } else {
            assert!(least == most && least >= 30, "{name}: {least} to {most}");
        }
    }
}

/// Neighbours make no difference either: here each bot gets the points of the bot before it.
#[test]
fn every_bot_sits_next_to_every_other_equally_often() {
    for seats in 3..=8 {
        // All orders of the seats, or all divisions of them, once.
        let orders = [2, 6, 4, 20, 6, 42][seats - 3];
        let schedule = schedule(
            seats,
            seats,
            Format::RoundRobin,
            Design::Rotations,
            seats as u64 * orders,
        );
        let games: Vec<Fixture> = schedule.fixtures().collect();
        let worth = |bot: BotId| 10_u64.pow(u32::try_from(bot).unwrap());
        let totals = totals(&games, |game, seat| worth(game.seating[(seat + 1) % seats]));
        let with_own = totals
            .iter()
            .map(|(&bot, total)| total + worth(bot) * games.len() as u64 / (seats as u64 - 1));
        assert!(are_equal(with_own), "{seats} seats: {totals:?}");
    }
}

#[test]
fn every_unit_has_a_seed_of_its_own() {
    for (name, _, schedule) in all() {
        let units = units(&schedule);
        let seeds: BTreeSet<i64> = units.iter().map(|games| games[0].seed).collect();
        assert_eq!(seeds.len(), units.len(), "{name}");
    }
}

#[test]
fn the_length_changes_no_game() {
    for seats in 2..=8 {
        // For twenty bots, no groups of six are known that let all pairs meet equally often.
        for (bots, design) in [seats, 13, 20]
            .into_iter()
            .flat_map(|bots| [Design::Rotations, Design::Mirror].map(|design| (bots, design)))
        {
            for format in FORMATS {
                let [short, long] =
                    [10, 300].map(|games| schedule(seats, bots, format, design, games));
                assert!(
                    short.len() < long.len() || bots == 20,
                    "{seats} seats, {bots} bots, {format}, {design}"
                );
                assert!(
                    (0..short.len()).all(|number| short.fixture(number) == long.fixture(number))
                );
            }
        }
    }
}
