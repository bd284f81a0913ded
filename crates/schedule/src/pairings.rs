//! Schedules of gauntlets, round robins and sequential tests.

use super::groups::{self, Groups};
use super::seating::Seating;
use super::{Balance, BotId, Design, Format, GameSchedule, Schedule};

impl Schedule {
    /// Makes a schedule with at least `games_per_pairing` games between any two bots that have to
    /// meet, rounded up to whole units. Each of `games` has its number of seats, 1 to 8, and at
    /// least as many bots as it needs, the challenger first. If it has one seat, a unit is a game
    /// of each bot.
    pub fn new(
        format: Format,
        design: Design,
        balance: Balance,
        games: &[(usize, impl AsRef<[BotId]>)],
        games_per_pairing: u64,
        seed: u64,
    ) -> Schedule {
        let mut schedule = Schedule::of(Vec::new(), 0, seed);
        for (seats, bots) in games {
            let bots = bots.as_ref();
            let game = GameSchedule::new(format, design, balance, *seats, bots, games_per_pairing);
            // In a round, every group of each game plays about once.
            let rounds = game.units.div_ceil(game.groups.len() as u64);
            schedule.rounds = schedule.rounds.max(rounds);
            schedule.games.push(game);
        }
        schedule
    }
}

impl GameSchedule {
    fn new(
        format: Format,
        design: Design,
        balance: Balance,
        seats: usize,
        bots: &[BotId],
        games_per_pairing: u64,
    ) -> GameSchedule {
        if seats == 1 {
            return GameSchedule {
                units: games_per_pairing,
                groups: vec![bots.to_vec()],
                seating: Seating::alone(bots.len()),
                blocks: None,
            };
        }
        let (size, seating) = match design {
            Design::Rotations => (seats, Seating::rotations(seats)),
            Design::Mirror => (2, Seating::mirror(seats)),
        };
        let wanted = games_per_pairing.div_ceil(seating.games());
        let groups = match (format, balance) {
            (Format::Gauntlet, _) => groups::one_meets_all(bots.len(), size),
            (Format::RoundRobin, Balance::Exact) => groups::all_meet(bots.len(), size, wanted),
            (Format::RoundRobin, Balance::Near) => {
                groups::nearly_all_meet(bots.len(), size, wanted)
            }
        };
        GameSchedule {
            units: groups.units(wanted),
            groups: named(&groups, bots),
            seating,
            blocks: None,
        }
    }
}

/// Returns the bots of each group.
fn named(groups: &Groups, bots: &[BotId]) -> Vec<Vec<BotId>> {
    groups
        .list
        .iter()
        .map(|group| group.iter().map(|&place| bots[place]).collect())
        .collect()
}

impl Balance {
    /// Chooses the balance of a run of these games, as in [`Schedule::new`]. It is `Near` if
    /// exact balance of one of them would take more than half as many groups again as needed.
    pub fn of(
        format: Format,
        design: Design,
        games: &[(usize, impl AsRef<[BotId]>)],
        games_per_pairing: u64,
    ) -> Balance {
        if format != Format::RoundRobin || design != Design::Rotations {
            return Balance::Exact;
        }
        for (seats, bots) in games.iter().filter(|(seats, _)| *seats > 1) {
            let (seats, bots) = (*seats, bots.as_ref().len());
            let wanted = games_per_pairing.div_ceil(seats as u64);
            let units = groups::all_meet(bots, seats, wanted).units(wanted);
            if units > groups::most_groups(bots, seats, wanted) {
                return Balance::Near;
            }
        }
        Balance::Exact
    }
}
