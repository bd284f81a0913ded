//! Stored runs are resumed, merged and checked by their schedule, so what was once scheduled stays. These digests of schedules for
//! two and four seats were computed before there were any for other numbers of seats; those have digests of their own.

use sha2::{Digest, Sha256};

use crate::{Balance, BotId, Design, Fixture, Format, Schedule, Slice, SweepLayout};

/// All that others ask of schedules.
#[derive(Default)]
struct Frozen(Sha256);

impl Frozen {
    fn numbers(&mut self, numbers: impl IntoIterator<Item = u64>) {
        numbers
            .into_iter()
            .for_each(|number| self.0.update(number.to_le_bytes()));
    }

    fn fixture(&mut self, schedule: &Schedule, number: u64) {
        let fixture = schedule.fixture(number);
        let Fixture {
            unit,
            game,
            seed,
            seating,
            variant,
            ..
        } = &fixture;
        self.numbers([
            fixture.number,
            *unit,
            *game as u64,
            seed.cast_unsigned(),
            seating.len() as u64,
        ]);
        self.numbers(seating.iter().map(|&bot| bot as u64));
        self.numbers((0..seating.len()).map(|seat| fixture.bot_seed(seat)));
        self.numbers(variant.iter().flatten().map(|&bot| bot as u64));
        let slices = [(0, 2), (1, 3), (6, 7)].map(|(index, count)| slice(index, count));
        self.numbers(slices.map(|slice| u64::from(schedule.is_in(slice, number))));
        if let Some(unit) = schedule.sweep_unit(number) {
            self.numbers([
                unit.block,
                unit.variant as u64,
                unit.seed,
                unit.opponent as u64,
            ]);
        }
    }

    fn schedule(&mut self, schedule: &Schedule, games: usize) {
        self.numbers([schedule.len(), schedule.units()]);
        self.numbers((0..games).map(|game| schedule.games_per_unit(game)));
        self.numbers((0..5).map(|index| schedule.count(slice(index, 5))));
        let of_round = schedule.len() / schedule.rounds.max(1);
        self.numbers([0, 1, 1000].map(|round| schedule.rounds.min(round) * of_round));
        // All of a short one; of a long one its beginning and some of the rest.
        let step = usize::try_from(schedule.len() / 2000 + 1).unwrap();
        let numbers = (0..schedule.len().min(200)).chain((0..schedule.len()).step_by(step));
        numbers.for_each(|number| self.fixture(schedule, number));
    }

    fn digest(self) -> String {
        let first: [u8; 8] = self.0.finalize()[..8].try_into().unwrap();
        format!("{:016x}", u64::from_be_bytes(first))
    }
}

fn slice(index: u64, count: u64) -> Slice {
    Slice {
        index,
        count: count.try_into().unwrap(),
    }
}

/// Up to 60 bots in one game, and some of them in several.
fn games(format: Format, design: Design, seats: usize) -> String {
    let mut frozen = Frozen::default();
    let least = if design == Design::Mirror { 2 } else { seats };
    for bots in (least..=26).chain([33, 40, 60]) {
        let games_per_pairing = [1, 2, 9, 48, 200][bots % 5];
        let seed = [7, 0, u64::MAX][bots % 3];
        let all: Vec<BotId> = (0..bots).collect();
        let one = Schedule::new(
            format,
            design,
            Balance::Exact,
            &[(seats, &all)],
            games_per_pairing,
            seed,
        );
        frozen.schedule(&one, 1);
        let some: Vec<BotId> = (0..bots).rev().filter(|bot| bot % 3 != 1).collect();
        if some.len() >= least.max(4) {
            let games = [(2, &all[..]), (seats, &some), (4, &all)];
            let three = Schedule::new(
                format,
                design,
                Balance::Exact,
                &games,
                games_per_pairing,
                seed,
            );
            frozen.schedule(&three, games.len());
        }
    }
    frozen.digest()
}

/// Plays these bots in one game, in nearly balanced groups.
fn nearly_balanced(seats: usize) -> String {
    let mut frozen = Frozen::default();
    for bots in (seats..=26).chain([33, 40, 60]) {
        let games_per_pairing = [1, 2, 9, 48, 200, 700][bots % 6];
        let all: Vec<BotId> = (0..bots).collect();
        let games = [(seats, &all[..])];
        let near = Schedule::new(
            Format::RoundRobin,
            Design::Rotations,
            Balance::Near,
            &games,
            games_per_pairing,
            7,
        );
        frozen.schedule(&near, 1);
    }
    frozen.digest()
}

#[test]
fn nearly_balanced_schedules_are_frozen() {
    let digests = (3..=8).map(nearly_balanced).collect::<Vec<_>>();
    assert_eq!(
        digests,
        [
            "8ed0f08d57ea3023",
            "201cce4681311f79",
            "a03cb05e45e6b115",
            "c1750f4df0eb786c",
            "de6118f9a0986a2d",
            "bb1375125590b9d3"
        ]
    );
}

/// Sequential tests.
fn tests(seats: usize) -> String {
    let mut frozen = Frozen::default();
    for (units, seed) in [(1, 1), (3, 5), (20_000, 99)] {
        let test = Schedule::new(
            Format::Gauntlet,
            Design::Mirror,
            Balance::Exact,
            &[(seats, &[1, 0])],
            2 * units,
            seed,
        );
        frozen.schedule(&test, 1);
    }
    frozen.digest()
}

fn sweeps(seats: usize) -> String {
    let mut frozen = Frozen::default();
    for (variants, opponents, seeds_per_block, blocks) in [
        (2, 1, 1, 1),
        (3, 2, 8, 20),
        (5, 1, 4, 7),
        (40, 3, 32, 5),
        (2, 4, 3, 100),
    ] {
        let variants: Vec<BotId> = (1..=variants).collect();
        let opponents: Vec<BotId> = [0].into_iter().chain(100..).take(opponents).collect();
        let layout = SweepLayout {
            seats,
            variants: &variants,
            opponents: &opponents,
            seeds_per_block,
            blocks,
        };
        frozen.schedule(&Schedule::sweep(&layout, seeds_per_block + 3), 1);
    }
    frozen.digest()
}

#[test]
fn schedules_for_two_and_four_seats_are_frozen() {
    let (rotations, mirror) = (Design::Rotations, Design::Mirror);
    assert_eq!(games(Format::Gauntlet, rotations, 2), "58d2c9ecf20fb7e8");
    assert_eq!(games(Format::RoundRobin, rotations, 2), "ba7151343947f6e6");
    assert_eq!(games(Format::RoundRobin, mirror, 2), "63356f92401d2c4c");
    assert_eq!(games(Format::Gauntlet, rotations, 4), "46e2be48393b469e");
    assert_eq!(games(Format::RoundRobin, rotations, 4), "68728928223d9fd8");
    assert_eq!(games(Format::Gauntlet, mirror, 4), "031f97ea3cb1c007");
    assert_eq!(games(Format::RoundRobin, mirror, 4), "f3c85032ed994617");
    assert_eq!(tests(2), "73fd8286d85ddde3");
    assert_eq!(tests(4), "1166f8dee139a151");
    assert_eq!(sweeps(2), "f4b00d8c53cb9fb0");
    assert_eq!(sweeps(4), "951d3edce521c5c2");
}

#[test]
fn schedules_for_other_numbers_of_seats_are_frozen() {
    let digests = [
        (
            3,
            [
                "18fb63cf21570a94",
                "c5f9b9926e11d6ed",
                "78337ed3ca79308e",
                "8f540e7c7c44ea7d",
                "b4a28e63828a1df2",
            ],
        ),
        (
            5,
            [
                "6be6f5bc1022a1b7",
                "3b4e54bffa43c9d3",
                "4e7a428d145c2fd8",
                "5b3ad4e69cd8987e",
                "df3493c544af52f2",
            ],
        ),
        (
            6,
            [
                "5c5db3359e545a09",
                "0f6ddb009bf13d17",
                "943f5d2e0d33e3d5",
                "d248d61bcf421fd6",
                "9157211cbf55297c",
            ],
        ),
        (
            7,
            [
                "8bad9f999d6c153e",
                "83f1f659a8a90fcf",
                "a40eeea0104539d6",
                "60e5f0f015b89cbd",
                "6215f5e07c43892e",
            ],
        ),
        (
            8,
            [
                "65509c7c0796e3d2",
                "7efb034c34b372aa",
                "c802bdce69d9c9aa",
                "15110e9402eaa86f",
                "31efb8125b0e91d1",
            ],
        ),
    ];
    for (seats, [gauntlet, round_robin, mirror, test, sweep]) in digests {
        assert_eq!(
            games(Format::Gauntlet, Design::Rotations, seats),
            gauntlet,
            "{seats} seats"
        );
        assert_eq!(
            games(Format::RoundRobin, Design::Rotations, seats),
            round_robin,
            "{seats} seats"
        );
        assert_eq!(
            games(Format::RoundRobin, Design::Mirror, seats),
            mirror,
            "{seats} seats"
        );
        assert_eq!(tests(seats), test, "{seats} seats");
        assert_eq!(sweeps(seats), sweep, "{seats} seats");
    }
}
