//! What holds for runs that bots join: games that were there stay, and every pairing has its games.

use std::collections::{BTreeMap, BTreeSet};

use super::units;
use crate::schedule::{Balance, BotId, Design, Fixture, Format, Schedule, Slice};

/// So many bots, each joined one after so many games.
type Joined = [(BotId, u64)];

fn schedule(
    seats: usize,
    format: Format,
    design: Design,
    bots: usize,
    games: u64,
    joined: &Joined,
) -> Schedule {
    let bots: Vec<BotId> = (0..bots).collect();
    Schedule::new(
        format,
        design,
        Balance::Exact,
        &[(seats, &bots)],
        games,
        joined,
        7,
    )
}

/// Every number of seats, format and design, with the fewest bots and with eleven to begin with.
fn all() -> impl Iterator<Item = (usize, Format, Design, usize)> {
    let formats = (2..=8).flat_map(|seats| {
        let designs = [(Design::Rotations, seats), (Design::Mirror, 2)];
        designs.into_iter().flat_map(move |(design, least)| {
            [least, 11].map(|bots| {
                [Format::Gauntlet, Format::RoundRobin].map(|format| (seats, format, design, bots))
            })
        })
    });
    formats.flatten()
}

/// In how many games every two bots meet.
type Met = BTreeMap<(BotId, BotId), u64>;
/// How often each bot sits in each seat.
type Had = BTreeMap<BotId, BTreeMap<usize, u64>>;

fn counted(games: &[Fixture]) -> (Met, Had) {
    let (mut met, mut had) = (Met::new(), Had::new());
    for game in games {
        let bots: BTreeSet<BotId> = game.seating.iter().copied().collect();
        for (&one, &other) in bots
            .iter()
            .flat_map(|one| bots.range(one + 1..).map(move |other| (one, other)))
        {
            *met.entry((one, other)).or_default() += 1;
        }
        for (seat, &bot) in game.seating.iter().enumerate() {
            *had.entry(bot).or_default().entry(seat).or_default() += 1;
        }
    }
    (met, had)
}

#[test]
fn games_that_were_there_stay() {
    for (seats, format, design, bots) in all() {
        let steps = [
            (bots, 10, vec![]),
            (bots + 1, 10, vec![(bots, 10)]),
            (bots + 1, 30, vec![(bots, 10)]),
            (
                bots + 3,
                70,
                vec![(bots, 10), (bots + 1, 30), (bots + 2, 30)],
            ),
            (
                bots + 4,
                70,
                vec![(bots, 10), (bots + 1, 30), (bots + 2, 30), (bots + 3, 70)],
            ),
        ];
        let steps = steps
            .map(|(bots, games, joined)| schedule(seats, format, design, bots, games, &joined));
        for [before, after] in steps.array_windows() {
            // Twenty more games per pairing may be there already, because groups play whole periods.
            assert!(
                before.len() <= after.len(),
                "{seats} seats, {bots} bots, {format}, {design}"
            );
            assert!(
                (0..before.len()).all(|number| before.fixture(number) == after.fixture(number))
            );
        }
        let last = units(&steps[4]);
        let seeds: BTreeSet<i64> = last.iter().map(|games| games[0].seed).collect();
        assert_eq!(seeds.len(), last.len(), "no two units share a seed");
    }
}

#[test]
fn every_pairing_has_its_games_whoever_joined_when() {
    for (seats, format, design, bots) in all() {
        let name = format!("{seats} seats, {bots} bots, {format}, {design}");
        let joined = [(bots, 10), (bots + 1, 10), (bots + 2, 33)];
        let schedule = schedule(seats, format, design, bots + 3, 50, &joined);
        let games: Vec<Fixture> = schedule.fixtures(Slice::WHOLE).collect();
        let (mut met, had) = counted(&games);
        let all_sit = had
            .values()
            .all(|seat| seat.len() == seats && seat.values().all(|games| *games == seat[&0]));
        assert!(
            had.len() == bots + 3 && all_sit,
            "every bot has every seat equally often: {name}: {had:?}"
        );
        met.retain(|&(one, _), _| format == Format::RoundRobin || one == 0);
        let pairs = if format == Format::Gauntlet {
            bots + 2
        } else {
            (bots + 3) * (bots + 2) / 2
        };
        assert!(
            met.len() == pairs && met.values().all(|&games| games >= 50),
            "{name}: {met:?}"
        );
        if design == Design::Mirror || seats == 2 {
            assert!(met.values().all(|&games| games == 50), "{name}: {met:?}");
        }
    }
}

/// In a gauntlet, whoever fills the seats besides the challenger.
#[test]
fn a_bot_that_joins_meets_all_equally_often() {
    for (seats, format, design, bots) in all() {
        let name = format!("{seats} seats, {bots} bots, {format}, {design}");
        let before = schedule(seats, format, design, bots, 20, &[]);
        let after = schedule(seats, format, design, bots + 1, 20, &[(bots, 20)]);
        let new: Vec<Fixture> = (before.len()..after.len())
            .map(|number| after.fixture(number))
            .collect();
        assert!(
            new.iter().all(|game| game.seating.contains(&bots)),
            "only games of the new bot: {name}"
        );
        let (met, had) = counted(&new);
        let with: Vec<u64> = (1..bots)
            .filter_map(|other| met.get(&(other, bots)).copied())
            .collect();
        let of_two = seats == 2 || design == Design::Mirror;
        let expected = if of_two && format == Format::Gauntlet {
            0
        } else {
            bots - 1
        };
        assert!(
            with.len() == expected && with.iter().all(|games| *games == with[0]),
            "{name}: {with:?}"
        );
        assert!(met[&(0, bots)] >= 20 && had.contains_key(&0), "{name}");
    }
}

#[test]
fn bots_that_join_go_into_the_games_that_they_play() {
    let games: [(usize, &[BotId]); 3] = [
        (2, &[0, 1, 3, 5]),
        (4, &[0, 1, 2, 3, 4]),
        (2, &[1, 2, 4, 5]),
    ];
    let joined = [(4, 10), (5, 20)];
    for format in [Format::Gauntlet, Format::RoundRobin] {
        let all = Schedule::new(
            format,
            Design::Rotations,
            Balance::Exact,
            &games,
            20,
            &joined,
            7,
        );
        for (index, (_, bots)) in games.iter().enumerate() {
            let of_game: Vec<Fixture> = all
                .fixtures(Slice::WHOLE)
                .filter(|game| game.game == index)
                .collect();
            let (mut met, had) = counted(&of_game);
            assert!(had.keys().eq(*bots), "{had:?}");
            met.retain(|(one, _), _| format == Format::RoundRobin || *one == bots[0]);
            let pairs = if format == Format::Gauntlet {
                bots.len() - 1
            } else {
                bots.len() * (bots.len() - 1) / 2
            };
            assert!(
                met.len() == pairs && met.values().all(|&games| games >= 20),
                "{met:?}"
            );
        }
        let slices: Vec<Slice> = ["1/3", "2/3", "3/3"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        for &slice in &slices {
            assert_eq!(all.count(slice), all.fixtures(slice).count() as u64);
        }
        assert_eq!(
            slices.iter().map(|&slice| all.count(slice)).sum::<u64>(),
            all.len()
        );
    }
}
