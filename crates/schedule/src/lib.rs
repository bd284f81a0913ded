//! The schedule: bots, seats and seed of each game, computed from the number of the game.
//!
//! The bots of one game form a group: as many bots as the game has seats (see `groups`), or two
//! that share the seats. A unit consists of the games of a group on one seed. The luck of the seats
//! cancels in it: each bot plays in each seat once, or a division of the seats is followed by its
//! reverse. If a game has one seat, a unit is a game of each bot alone.
//!
//! Every game of the run has its share of each round. So the games of a run progress together, and
//! at any time every pairing has about the same number of games.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{Display, EnumString, VariantNames};

use arena_stats::split_mix;

mod design;
mod groups;
mod panel;
mod seating;
#[cfg(test)]
mod tests;

pub use design::UnitDesign;
use groups::Groups;
use panel::PanelOrder;
pub use panel::{PanelLayout, PanelUnit};
use seating::Seating;

/// How pairings are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// The first bot meets each of the others.
    Gauntlet,
    /// Every bot meets every other.
    RoundRobin,
}

/// How the seats of a game are filled. With two seats there is only one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Design {
    /// As many bots as there are seats, each in each seat once on every seed.
    #[default]
    Rotations,
    /// Two bots share the seats, which they swap on every seed.
    Mirror,
}

/// The index of a bot in the plan.
pub type BotId = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixture {
    /// The number in the run, from 0.
    pub number: u64,
    /// The number of its unit in the run, from 0.
    pub unit: u64,
    /// The index of the game in the plan.
    pub game: usize,
    /// The seed of the game. All games of a unit share it, and no other unit does, except those of
    /// other variants and opponents or on [same seeds](Schedule::on_same_seeds).
    pub seed: i64,
    /// The bot in each seat.
    pub seating: Vec<BotId>,
    /// Against a panel, the variant and the first of all variants. Both draw the same random
    /// numbers. A study that plays two sides of a bot sets it to the second side and the first.
    pub variant: Option<[BotId; 2]>,
    /// By seat, the values for names in braces, if the study proposes any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<BTreeMap<String, String>>,
}

/// The next step of a free worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Play this game. It may still be discarded if an earlier game ends the run.
    Play(Fixture),
    /// Wait: the next game depends on games in flight.
    Wait,
    /// Stop: no further game comes.
    Done,
}

impl Fixture {
    /// Returns the seed of the bot in `seat`: a hash of the unit's seed, the bot, and the copy of
    /// the bot. A bot keeps its seed when seats are swapped, two copies never share one, and no bot
    /// can derive from it what the game will draw. The variants against a panel count as one bot,
    /// so that luck common to them cancels when they are compared. It is below 2^53, which every
    /// language reads exactly.
    pub fn bot_seed(&self, seat: usize) -> u64 {
        let (before, bot) = (&self.seating[..seat], self.seating[seat]);
        let copy = before.iter().filter(|&&other| other == bot).count();
        let drawn = match self.variant {
            Some([own, first]) if own == bot => first,
            _ => bot,
        };
        let stream = (drawn as u64) << 8 | copy as u64;
        let [seed, stream] = [self.seed.cast_unsigned(), stream].map(u64::to_le_bytes);
        let digest = Sha256::digest([b"bot".as_slice(), &seed, &stream].concat());
        let first = digest.first_chunk().copied().unwrap_or_default();
        u64::from_be_bytes(first) >> 11
    }
}

/// All fixtures of a run.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The games of the run, in the order of the plan.
    games: Vec<GameSchedule>,
    /// Number of rounds. Every game has its share of each.
    rounds: u64,
    seed: u64,
    /// Whether all units of a cycle of a game share a seed.
    same_seeds: bool,
    /// Games with the seeds 1, 2, .. as indices.
    counted: Vec<usize>,
}

/// The units of one game of the run.
#[derive(Clone, Debug)]
struct GameSchedule {
    /// The bots of each group. The groups play a unit each in this order, repeatedly.
    groups: Vec<Vec<BotId>>,
    seating: Seating,
    units: u64,
    /// The order of units against a panel, which share seeds. Otherwise each unit has its own seed.
    blocks: Option<PanelOrder>,
}

/// The place of a game in the schedule.
struct GamePlace {
    /// Which game is played, as an index into the plan's games.
    game: usize,
    /// The unit among all units of the run.
    unit: u64,
    /// The unit among those of the same game.
    unit_of_game: u64,
    /// The place in the unit.
    within: usize,
}

impl Schedule {
    /// Makes the schedule of these games. Each unit has its own seed.
    fn of(games: Vec<GameSchedule>, rounds: u64, seed: u64) -> Schedule {
        Schedule {
            games,
            rounds,
            seed,
            same_seeds: false,
            counted: Vec::new(),
        }
    }

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

    /// Returns a schedule of single games that were played elsewhere, given their number for each
    /// game of the plan. It counts them, but doesn't know their bots and seeds.
    pub fn elsewhere(games: &[u64]) -> Schedule {
        let games = games.iter().map(|&units| GameSchedule {
            groups: vec![Vec::new()],
            seating: Seating::elsewhere(),
            units,
            blocks: None,
        });
        Schedule::of(games.collect(), 1, 0)
    }

    /// Returns the schedule with all pairings of a game on the same seeds. Only for games of two
    /// seats, whose cycles are whole in every round.
    #[must_use]
    pub fn on_same_seeds(mut self) -> Schedule {
        self.same_seeds = true;
        self
    }

    /// Returns the schedule with the seeds 1, 2, .. in these games of one seat, so that a list of
    /// test cases is played in its order.
    #[must_use]
    pub fn counting_seeds(mut self, games: Vec<usize>) -> Schedule {
        self.counted = games;
        self
    }

    /// Returns the number of games.
    #[expect(clippy::len_without_is_empty, reason = "every schedule has games")]
    pub fn len(&self) -> u64 {
        self.games.iter().map(GameSchedule::len).sum()
    }

    /// Returns the games per unit of a game of the plan.
    pub fn games_per_unit(&self, game: usize) -> u64 {
        self.games[game].seating.games()
    }

    /// Returns the game with this number, which must be below [`Schedule::len`].
    pub fn fixture(&self, number: u64) -> Fixture {
        let place = self.place(number);
        let game = &self.games[place.game];
        let shared = game.panel_unit(place.unit_of_game);
        let seed_index = match shared {
            Some(unit) => unit.seed,
            // The first unit of the cycle has the seed that it has in other runs.
            None if self.same_seeds => place.unit - game.group(place.unit_of_game),
            None => place.unit,
        };
        let seed = if self.counted.contains(&place.game) {
            1 + shared.map_or(place.unit_of_game, |unit| unit.seed)
        } else {
            split_mix(split_mix(self.seed, 0), seed_index)
        };
        Fixture {
            number,
            unit: place.unit,
            game: place.game,
            seed: seed.cast_signed(),
            seating: game.seats(place.unit_of_game, place.within),
            variant: shared.map(|unit| [game.groups[unit.group][0], game.groups[0][0]]),
            values: Vec::new(),
        }
    }

    /// Returns the units of a game of the plan, and the fewest and most games of two bots that have
    /// to meet: any two, or the `challenger` and another.
    pub fn meetings(&self, game: usize, challenger: Option<BotId>) -> (u64, [u64; 2]) {
        let game = &self.games[game];
        let mut met = BTreeMap::<[BotId; 2], u64>::new();
        let len = game.groups.len() as u64;
        for (group, place) in game.groups.iter().zip(0..) {
            let units = game.units / len + u64::from(place < game.units % len);
            for (at, &one) in group.iter().enumerate() {
                for &other in &group[at + 1..] {
                    *met.entry([one.min(other), one.max(other)]).or_default() +=
                        units * game.seating.games();
                }
            }
        }
        let bots: BTreeSet<BotId> = met.keys().flatten().copied().collect();
        let (mut least, mut most) = (u64::MAX, 0);
        for &one in &bots {
            for &other in bots.range(one + 1..) {
                if challenger.is_none_or(|bot| [one, other].contains(&bot)) {
                    let games = met.get(&[one, other]).copied().unwrap_or(0);
                    (least, most) = (least.min(games), most.max(games));
                }
            }
        }
        (game.units, [least.min(most), most])
    }

    /// Returns the units and games before a round.
    fn before(&self, round: u64) -> [u64; 2] {
        let [mut units, mut games] = [0, 0];
        for game in &self.games {
            let own = game.units_before(round, self.rounds);
            units += own;
            games += own * game.seating.games();
        }
        [units, games]
    }

    fn place(&self, number: u64) -> GamePlace {
        let round = last_where(self.rounds, |round| self.before(round)[1] <= number);
        let [mut unit, games] = self.before(round);
        let mut rest = number - games;
        for (index, game) in self.games.iter().enumerate() {
            let first = game.units_before(round, self.rounds);
            let units = game.units_before(round + 1, self.rounds) - first;
            let (ahead, within) = game.seating.split(rest);
            if ahead < units {
                return GamePlace {
                    game: index,
                    unit: unit + ahead,
                    unit_of_game: first + ahead,
                    within,
                };
            }
            rest -= units * game.seating.games();
            unit += units;
        }
        unreachable!("game {number} of a schedule of {}", self.len())
    }
}

/// Returns the last number below `end` that `holds`. All numbers up to it have to hold, beginning
/// with 0.
pub fn last_where(end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, end);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

impl GameSchedule {
    /// The number of games.
    fn len(&self) -> u64 {
        self.units * self.seating.games()
    }

    /// Returns the units before a round. Every round has the same share of them.
    fn units_before(&self, round: u64, rounds: u64) -> u64 {
        let units = u128::from(self.units) * u128::from(round) / u128::from(rounds.max(1));
        u64::try_from(units).unwrap_or(self.units)
    }

    /// Returns the group that plays this unit, unless units share seeds.
    fn group(&self, unit: u64) -> u64 {
        unit % self.groups.len() as u64
    }

    fn panel_unit(&self, unit: u64) -> Option<PanelUnit> {
        self.blocks.map(|order| order.unit(unit))
    }

    /// Returns the bots by seat in game `within` of a unit.
    fn seats(&self, unit: u64, within: usize) -> Vec<BotId> {
        let cycle = unit / self.groups.len() as u64;
        // A bot in several groups sits in a different order in each, unless the units share a seed.
        let (group, order) = match self.panel_unit(unit) {
            Some(unit) => (unit.group, unit.seed),
            None => (index(self.group(unit)), cycle + self.group(unit)),
        };
        self.seating.seats_of(&self.groups[group], order, within)
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or_default()
}
