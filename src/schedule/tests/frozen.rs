//! Stored runs are resumed, merged and checked by their schedule, so what was once scheduled stays. These digests of schedules for
//! two and four seats were computed before there were any for other numbers of seats; those have digests of their own.

use sha2::{Digest, Sha256};

use crate::schedule::{Balance, BotId, Design, Fixture, Format, Schedule, Slice, SweepLayout};

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
        self.numbers([schedule.len(), schedule.units_before_check()]);
        self.numbers((0..games).map(|game| schedule.games_per_unit(game)));
        self.numbers((0..5).map(|index| schedule.count(slice(index, 5))));
        let of_round = schedule.len() / schedule.parts[0].rounds.max(1);
        self.numbers([0, 1, 1000].map(|round| schedule.parts[0].rounds.min(round) * of_round));
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
            &[],
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
                &[],
                seed,
            );
            frozen.schedule(&three, games.len());
        }
    }
    frozen.digest()
}

/// The same bots in one game, in groups that are nearly balanced.
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
            &[],
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
            "85df5645ff49a025",
            "025cbff021c97b26",
            "42c746eada134702",
            "4d1fb0d69d0d5a58",
            "3130048d202ac979",
            "a52bb89044aa23af"
        ]
    );
}

/// Sequential tests; in games of more than two seats with one against the rest behind them.
fn tests(seats: usize) -> String {
    let mut frozen = Frozen::default();
    for (units, seed) in [(1, 1), (3, 5), (20_000, 99)] {
        let test = Schedule::new(
            Format::Sprt,
            Design::Mirror,
            Balance::Exact,
            &[(seats, &[1, 0])],
            2 * units,
            &[],
            seed,
        );
        frozen.schedule(&test, 1);
        if seats > 2 {
            frozen.schedule(&test.with_check(1, 0, units + 5), 1);
        }
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
    assert_eq!(games(Format::Gauntlet, rotations, 2), "ac319bf9db27f4fe");
    assert_eq!(games(Format::RoundRobin, rotations, 2), "bdeabe9d0eec0bef");
    assert_eq!(games(Format::RoundRobin, mirror, 2), "c708bed587cc7999");
    assert_eq!(games(Format::Gauntlet, rotations, 4), "b66a086873e9b36d");
    assert_eq!(games(Format::RoundRobin, rotations, 4), "6ab07d2218dd8cfe");
    assert_eq!(games(Format::Gauntlet, mirror, 4), "063fc12892f1807e");
    assert_eq!(games(Format::RoundRobin, mirror, 4), "38d441d5f2527db6");
    assert_eq!(tests(2), "c39288687fba6e7a");
    assert_eq!(tests(4), "0528786a4d3b73df");
    assert_eq!(sweeps(2), "e4978b88d5f648df");
    assert_eq!(sweeps(4), "b80ab983d249b4dc");
}

#[test]
fn schedules_for_other_numbers_of_seats_are_frozen() {
    let digests = [
        (
            3,
            [
                "15aeff0bb54ae97c",
                "07af0aeba8029ccb",
                "3405f1b4313496fa",
                "c7eec5b44cf709b2",
                "46d4af8b5adfc3cb",
            ],
        ),
        (
            5,
            [
                "0aa42f4500b7a394",
                "c5f33503dbfc17e6",
                "35a63100ab2215f5",
                "4303117a82376862",
                "642a1e3a00dfa484",
            ],
        ),
        (
            6,
            [
                "b53661bedd2a05ff",
                "0833b35d96db3ce9",
                "60b0d577cab12271",
                "934385416cf96940",
                "1e6ead592ea63f8b",
            ],
        ),
        (
            7,
            [
                "e2bb96b1d93138e1",
                "927940aea1adc93f",
                "4ac81287fdf7641a",
                "7f0292098e04ef66",
                "5b7ff3733d06b7f2",
            ],
        ),
        (
            8,
            [
                "de2482623b3eb092",
                "f1c720cca179e8b1",
                "294aeb775041d782",
                "af3eda420f4b850e",
                "be73623251133e35",
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
