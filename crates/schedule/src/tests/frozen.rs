//! Schedules must not change: resuming and checking a stored run computes its schedule again.

use sha2::{Digest, Sha256};

use crate::{BotId, Design, Fixture, Format, PanelLayout, Schedule};

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
        if let Some(unit) = schedule.panel_unit(number) {
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

/// Up to 60 bots in one game, and some of them in several: the runs without groups that are dealt,
/// and those with such groups.
fn games(format: Format, design: Design, seats: usize) -> [String; 2] {
    let mut frozen = [Frozen::default(), Frozen::default()];
    let least = if design == Design::Mirror { 2 } else { seats };
    for bots in (least..=26).chain([33, 40, 60]) {
        let games_per_pairing = [1, 2, 9, 48, 200][bots % 5];
        let seed = [7, 0, u64::MAX][bots % 3];
        let all: Vec<BotId> = (0..bots).collect();
        let back: Vec<BotId> = all.iter().rev().copied().collect();
        let some: Vec<BotId> = (0..bots).rev().filter(|bot| bot % 3 != 1).collect();
        let mut runs = vec![
            vec![(seats, &all)],
            vec![(2, &all), (seats, &back), (2, &some)],
        ];
        if some.len() >= least.max(4) {
            runs.push(vec![(2, &all), (seats, &some), (4, &all)]);
        }
        for games in runs
            .iter()
            .filter(|games| games.iter().all(|(_, bots)| bots.len() > 1))
        {
            let is_dealt = design == Design::Rotations
                && games
                    .iter()
                    .any(|(seats, bots)| *seats > 2 && bots.len() > seats + 1);
            let schedule = Schedule::new(format, design, games, games_per_pairing, seed);
            frozen[usize::from(is_dealt)].schedule(&schedule, games.len());
        }
    }
    frozen.map(Frozen::digest)
}

/// Sequential tests.
fn tests(seats: usize) -> String {
    let mut frozen = Frozen::default();
    for (units, seed) in [(1, 1), (3, 5), (20_000, 99)] {
        let test = Schedule::new(
            Format::Gauntlet,
            Design::Mirror,
            &[(seats, &[1, 0])],
            2 * units,
            seed,
        );
        frozen.schedule(&test, 1);
    }
    frozen.digest()
}

fn panels(seats: usize) -> String {
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
        let layout = PanelLayout {
            seats,
            variants: &variants,
            opponents: &opponents,
            seeds_per_block,
            blocks,
        };
        frozen.schedule(&Schedule::against_panel(&layout, seeds_per_block + 3), 1);
    }
    frozen.digest()
}

/// The rows of a table of digests, one for each number of seats.
fn rows(table: &str) -> Vec<&str> {
    table.lines().skip(1).map(str::trim).collect()
}

#[test]
fn schedules_without_dealt_groups_are_frozen() {
    let (gauntlet, round_robin) = (Format::Gauntlet, Format::RoundRobin);
    let (rotations, mirror) = (Design::Rotations, Design::Mirror);
    let digests = (2..=8).map(|seats| {
        let [[a, _], [b, _], [c, _], [d, _]] = [
            games(gauntlet, rotations, seats),
            games(round_robin, rotations, seats),
            games(gauntlet, mirror, seats),
            games(round_robin, mirror, seats),
        ];
        [a, b, c, d, tests(seats), panels(seats)].join(" ")
    });
    let expected = "
        bac067dd9e4bf8ae 3f93d30048d711fd b91860b7b918956c 4f99be4d626685c7 ad69b6e3651ee675 5839411b995bf21d
        2935c2a3194c1ee2 5bd18ecfd23bf1b1 0bf1910e0901cecf d402b6683a2d0540 22df6350dab6622e 9915fa0ab26d972f
        91e297f602a3fce0 99528be10f58c9b2 83529984d5c199d2 f8b4c3959c878a5d 1b3ded8b8d162da3 60e8978fdaa1a72a
        c5984dc9698c0d7f 74740ec0977e814e e23b410bedd03c60 e6dfff0f66a18191 55a9bed0bc977be6 06592c175b12babf
        f9312fc195a7753b f3b8f5f3314efc01 9f3149a611a1d4cc 2248819cfb01145a 99a99325b9fd751e b6e7238eeefb1fcf
        e00b00d0cbf417fd 7b953efe93334ad1 b5cef51334594c48 d60c121c0442ae06 22e0342369f067ff 2e98c80fd0bb2467
        672b683ac63c283c 2a71dcfde34e6369 94e57714338323ca 95982033543fb5cd 939720fa49b5b9de e26b0aee7115bdcb";
    assert_eq!(digests.collect::<Vec<_>>(), rows(expected));
}

#[test]
fn schedules_with_dealt_groups_are_frozen() {
    let digests = (2..=8).map(|seats| {
        let dealt = [Format::Gauntlet, Format::RoundRobin].map(|format| {
            let [_, dealt] = games(format, Design::Rotations, seats);
            dealt
        });
        dealt.join(" ")
    });
    let expected = "
        391fa5fc0f0a994c 8e51391b3741ce3f
        7c7d2ff81cde640d 9521e0595eeb31e3
        e7a7f5c61caec79e 16356cea88d620a6
        f6a9f48e148ee4ea d7c26b2d9c03abf4
        de1657c3d9b300ce c923a92c41e17786
        c22cb3fa4efd7e58 30531661066be24e
        9c06cbccecc0397b e10f09e3ac6a2d39";
    assert_eq!(digests.collect::<Vec<_>>(), rows(expected));
}
