//! Stored runs are resumed and checked by their schedule, so what was once scheduled stays. These digests of schedules for
//! two and four seats were computed before there were any for other numbers of seats; those have digests of their own.

use sha2::{Digest, Sha256};

use crate::{Balance, BotId, Design, Fixture, Format, Schedule, SweepLayout};

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
            "3fea011d1f602161",
            "fc0fddb780e0a084",
            "40f1c8e3445dc218",
            "0dc415c6f1964246",
            "0fe300c22e0a4023",
            "6017d8146cb3595a"
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
    assert_eq!(games(Format::Gauntlet, rotations, 2), "d1b3f4063158c856");
    assert_eq!(games(Format::RoundRobin, rotations, 2), "88e34da80d3136f6");
    assert_eq!(games(Format::RoundRobin, mirror, 2), "96afe631b8563789");
    assert_eq!(games(Format::Gauntlet, rotations, 4), "f2d20b2b6f489c38");
    assert_eq!(games(Format::RoundRobin, rotations, 4), "002af7c576dd5ae0");
    assert_eq!(games(Format::Gauntlet, mirror, 4), "b7954fdcb50946a8");
    assert_eq!(games(Format::RoundRobin, mirror, 4), "afbb02249a3fd570");
    assert_eq!(tests(2), "ad69b6e3651ee675");
    assert_eq!(tests(4), "1b3ded8b8d162da3");
    assert_eq!(sweeps(2), "5839411b995bf21d");
    assert_eq!(sweeps(4), "60e8978fdaa1a72a");
}

#[test]
fn schedules_for_other_numbers_of_seats_are_frozen() {
    let digests = [
        (
            3,
            [
                "f969e66701a823c9",
                "1fe67641ddd51be1",
                "28e2ad1b84dd9e13",
                "22df6350dab6622e",
                "9915fa0ab26d972f",
            ],
        ),
        (
            5,
            [
                "31a8bb8152ac60ef",
                "8478bb1103b2cb36",
                "ce05393336556364",
                "55a9bed0bc977be6",
                "06592c175b12babf",
            ],
        ),
        (
            6,
            [
                "f220ad5e89bb1e7e",
                "45a4691e8f7a502b",
                "31f5657d33d7aaa5",
                "99a99325b9fd751e",
                "b6e7238eeefb1fcf",
            ],
        ),
        (
            7,
            [
                "6317de99418bab76",
                "812d596302edfe3e",
                "59655e91922242ba",
                "22e0342369f067ff",
                "2e98c80fd0bb2467",
            ],
        ),
        (
            8,
            [
                "e4731b85948bb83c",
                "973e71f1c67154a1",
                "1e2d8503cb8c5fe6",
                "939720fa49b5b9de",
                "e26b0aee7115bdcb",
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
