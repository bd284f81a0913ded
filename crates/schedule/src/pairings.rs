//! Schedules of gauntlets, round robins and sequential tests.

use super::groups::Groups;
use super::seating::Seating;
use super::{BotId, Design, Format, GameSchedule, Schedule};

impl Schedule {
    /// Makes a schedule with whole rounds, in which any two bots that have to meet play at least
    /// `games_per_pairing` games on average. Each of `games` has its number of seats, 1 to 8, and
    /// at least as many bots as it needs, the challenger first. If it has one seat, a unit is a
    /// game of each bot.
    pub fn new(
        format: Format,
        design: Design,
        games: &[(usize, impl AsRef<[BotId]>)],
        games_per_pairing: u64,
        seed: u64,
    ) -> Schedule {
        let mut schedule = Schedule::of(Vec::new(), 0, seed);
        for (seats, bots) in games {
            let (seats, bots) = (*seats, bots.as_ref());
            let (seating, groups) = if seats == 1 {
                let all = Groups {
                    list: vec![bots.to_vec()],
                    per_round: 1,
                    rounds: games_per_pairing,
                };
                (Seating::alone(bots.len()), all)
            } else {
                let (size, seating) = match design {
                    Design::Rotations => (seats, Seating::rotations(seats)),
                    Design::Mirror => (2, Seating::mirror(seats)),
                };
                let wanted = games_per_pairing.div_ceil(seating.games());
                let groups = match format {
                    Format::Gauntlet => Groups::one_meets_all(bots, size, wanted, seed),
                    Format::RoundRobin => Groups::all_meet(bots, size, wanted, seed),
                };
                (seating, groups)
            };
            schedule.rounds = schedule.rounds.max(groups.rounds);
            schedule.games.push(GameSchedule {
                units: groups.per_round * groups.rounds,
                groups: groups.list,
                seating,
                blocks: None,
            });
        }
        schedule
    }
}
