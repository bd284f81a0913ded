//! Gauntlets and round robins, and the bots that join them later.
//!
//! A bot that joins catches up: in a part of the schedule of its own, behind all that was there, it meets those that it is to
//! meet as often as they have met by then. Games to come are played by all. So no game that was there changes, and it makes no
//! difference whether several bots that join after the same games came together or one by one.

use super::groups::{self, Groups};
use super::seating::Seating;
use super::{Balance, BotId, Design, Format, GameSchedule, Part, Schedule};

impl Schedule {
    /// The fixtures in which any two bots of each of `games` (its seats, 2 to 8, and the bots that play it, the challenger
    /// first) that are to meet do so in `games_per_pairing` games at least, rounded up to whole units. A game has bots for its
    /// seats from the beginning. Bots that `joined` are behind the others in these lists, in the same order, each with the games
    /// per pairing before it joined. A sweep has a constructor of its own, [`Schedule::sweep`], because it takes more to
    /// describe; here it is a gauntlet.
    pub(crate) fn new<'g>(
        format: Format,
        design: Design,
        balance: Balance,
        games: &[(usize, &'g [BotId])],
        games_per_pairing: u64,
        joined: &[(BotId, u64)],
        seed: u64,
    ) -> Schedule {
        let growing = |(game, &(seats, bots)): (usize, &(usize, &'g [BotId]))| {
            let later = bots
                .iter()
                .position(|bot| joined.iter().any(|(later, _)| later == bot));
            Growing {
                balance,
                ..Growing::new(
                    format,
                    design,
                    game,
                    seats,
                    bots,
                    later.unwrap_or(bots.len()),
                )
            }
        };
        let mut games: Vec<Growing> = games.iter().enumerate().map(growing).collect();
        let (mut parts, mut played) = (Vec::new(), None);
        let joins = joined
            .iter()
            .map(|&(bot, games_per_pairing)| (games_per_pairing, Some(bot)));
        for (games_per_pairing, bot) in joins.chain([(games_per_pairing, None)]) {
            if played.replace(games_per_pairing) != Some(games_per_pairing) {
                parts.push(Part::new(
                    games
                        .iter_mut()
                        .map(|game| game.play_on(games_per_pairing))
                        .collect(),
                ));
            }
            if let Some(bot) = bot {
                parts.push(Part::new(
                    games.iter_mut().filter_map(|game| game.join(bot)).collect(),
                ));
            }
        }
        Schedule { parts, seed }
    }
}

impl Balance {
    /// Of a run of these games (as in [`Schedule::new`]): near if groups that are exactly balanced, in one of them, would be more
    /// than [`groups::most_groups`].
    pub(crate) fn of(
        format: Format,
        design: Design,
        games: &[(usize, &[BotId])],
        games_per_pairing: u64,
    ) -> Balance {
        let is_too_long = |&(seats, bots): &(usize, &[BotId])| {
            let wanted = games_per_pairing.div_ceil(seats as u64);
            groups::all_meet(bots.len(), seats, wanted).units(wanted)
                > groups::most_groups(bots.len(), seats, wanted)
        };
        let has_groups = format == Format::RoundRobin && design == Design::Rotations;
        if has_groups && games.iter().any(is_too_long) {
            Balance::Near
        } else {
            Balance::Exact
        }
    }
}

/// A game of the run, as far as its schedule is made.
struct Growing<'g> {
    format: Format,
    balance: Balance,
    /// Which game, as an index into the plan's games.
    game: usize,
    seating: Seating,
    /// The bots of a group.
    size: usize,
    /// Those that play it, and how many of these are there.
    bots: &'g [BotId],
    here: usize,
    /// The units in which any two bots that are to meet do so.
    met: u64,
}

impl Growing<'_> {
    /// Before its first part, with the first of its bots; as many of them as a group takes at least.
    fn new(
        format: Format,
        design: Design,
        game: usize,
        seats: usize,
        bots: &[BotId],
        here: usize,
    ) -> Growing<'_> {
        let (size, seating) = match design {
            Design::Rotations => (seats, Seating::rotations(seats)),
            Design::Mirror => (2, Seating::mirror(seats)),
        };
        Growing {
            format,
            balance: Balance::Exact,
            game,
            seating,
            size,
            bots,
            here: here.max(size),
            met: 0,
        }
    }

    /// All that are there go on until any two that are to meet have done so in so many games.
    fn play_on(&mut self, games_per_pairing: u64) -> GameSchedule {
        let wanted = games_per_pairing
            .div_ceil(self.seating.games())
            .saturating_sub(self.met);
        let groups = match (self.format, self.balance) {
            (Format::Gauntlet | Format::Sprt | Format::Sweep | Format::Tune, _) => {
                groups::one_meets_all(self.here, self.size)
            }
            (Format::RoundRobin, Balance::Exact) => groups::all_meet(self.here, self.size, wanted),
            (Format::RoundRobin, Balance::Near) => {
                groups::nearly_all_meet(self.here, self.size, wanted)
            }
        };
        self.met += match self.balance {
            Balance::Exact => wanted.div_ceil(groups.meetings) * groups.meetings,
            Balance::Near => wanted,
        };
        self.schedule(&groups, &self.bots[..self.here], wanted)
    }

    /// A bot that plays this game catches up with those that are there.
    fn join(&mut self, bot: BotId) -> Option<GameSchedule> {
        self.bots.get(self.here).filter(|next| **next == bot)?;
        let bots = [&[bot], &self.bots[..self.here]].concat();
        let groups = match self.format {
            Format::RoundRobin => groups::one_meets_all(bots.len(), self.size),
            Format::Gauntlet | Format::Sprt | Format::Sweep | Format::Tune => {
                groups::two_meet(bots.len(), self.size)
            }
        };
        self.here += 1;
        Some(self.schedule(&groups, &bots, self.met))
    }

    /// Groups of these bots until those that are to meet have done so in as many units as `wanted`.
    fn schedule(&self, groups: &Groups, bots: &[BotId], wanted: u64) -> GameSchedule {
        let units = groups.units(wanted);
        let groups = groups
            .list
            .iter()
            .map(|group| group.iter().map(|&place| bots[place]).collect())
            .collect();
        GameSchedule {
            game: self.game,
            groups,
            seating: self.seating.clone(),
            units,
            sweep: None,
        }
    }
}
