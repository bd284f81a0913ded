//! Who plays whom, in which seats, on which seed: arithmetic from the game number, without a cursor.
//!
//! The bots that play one game together form a group: as many bots as the game has seats (`groups` says which), or two that
//! share the seats. A unit is the games that a group plays on one seed, so that the luck of the seats cancels: each bot in
//! each seat once, or a division of the seats and its reverse.
//!
//! Play goes in rounds. Every game of the run has its share of each round, so that the games of a run come forward
//! together, and every pairing has about the same number of games whenever a run is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{Display, EnumString, VariantNames};

use arena_stats::split_mix;

mod design;
mod groups;
mod pairings;
mod seating;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use design::UnitDesign;
use seating::Seating;
use sweep::SweepOrder;
pub(crate) use sweep::{SweepLayout, SweepUnit};

/// How pairings are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Format {
    /// The first bot meets each of the others.
    Gauntlet,
    /// Every bot meets every other.
    RoundRobin,
}

/// How the seats of a game are filled. For two seats there is only one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Design {
    /// As many bots as there are seats, each in each seat once on every seed.
    #[default]
    Rotations,
    /// Two bots share the seats, which they swap on every seed.
    Mirror,
}

/// How equally often bots meet in groups of more than two of a round robin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Balance {
    /// Every two exactly as often as every other two, where such groups are known, however many games these take.
    #[default]
    Exact,
    /// About equally often, in about as many games as are asked for.
    Near,
}

/// The index of a bot in the plan.
pub(crate) type BotId = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fixture {
    /// Its number in the run, from 0.
    pub(crate) number: u64,
    /// The unit it belongs to, from 0.
    pub(crate) unit: u64,
    /// Which game is played, as an index into the plan's games.
    pub(crate) game: usize,
    /// The seed of the game; the same for all games of the unit, and for no other unit of the run, but in a sweep: there,
    /// units in which other bots meet have it too.
    pub(crate) seed: i64,
    /// Who sits where.
    pub(crate) seating: Vec<BotId>,
    /// In a sweep its variant, and the first of all variants; in a tuning the second side, and the first: whatever the first draws,
    /// each of them does.
    pub(crate) variant: Option<[BotId; 2]>,
    /// By seat, what its bot is started with in the place of names in braces, where the study proposes that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<BTreeMap<String, String>>,
}

impl Fixture {
    /// The seed of the bot in `seat`: a hash of the unit's seed, the bot, and which copy of the bot it is. A bot keeps its
    /// seed when the seats are swapped, two copies never share one, and none can work out from it what the game will draw.
    /// The variants of a sweep count as one bot, so that luck common to them cancels when they are compared. Below 2^53,
    /// which every language reads exactly.
    pub(crate) fn bot_seed(&self, seat: usize) -> u64 {
        let bot = self.seating[seat];
        let before = self.seating[..seat].iter();
        let copy = before.filter(|&&other| other == bot).count();
        let drawn = match self.variant {
            Some([own, first]) if own == bot => first,
            _ => bot,
        };
        let stream = (drawn as u64) << 8 | copy as u64;
        let digest: [u8; 32] = Sha256::new()
            .chain_update(b"bot")
            .chain_update(self.seed.to_le_bytes())
            .chain_update(stream.to_le_bytes())
            .finalize()
            .into();
        let drawn = digest
            .first_chunk()
            .map_or(0, |first| u64::from_be_bytes(*first));
        drawn >> 11
    }
}

/// All fixtures of a run.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// The games of the run, in the plan's order.
    games: Vec<GameSchedule>,
    /// Every game has its share of each round.
    rounds: u64,
    seed: u64,
}

/// The units of one game of the run.
#[derive(Clone, Debug)]
struct GameSchedule {
    /// The bots of each group. The groups play a unit each in this order, again and again.
    groups: Vec<Vec<BotId>>,
    seating: Seating,
    units: u64,
    /// In a sweep the order of the units, which share seeds; otherwise each has its own.
    sweep: Option<SweepOrder>,
}

/// Where a game of the schedule stands.
struct Place {
    /// Which game is played, as an index into the plan's games.
    game: usize,
    /// Its unit among all units of the run.
    unit: u64,
    /// Its unit among those of the same game.
    unit_of_game: u64,
    /// Its place in the unit.
    within: usize,
}

impl Schedule {
    /// The number of games.
    pub(crate) fn len(&self) -> u64 {
        self.games.iter().map(GameSchedule::len).sum()
    }

    /// The games in a unit of this game of the plan.
    pub(crate) fn games_per_unit(&self, game: usize) -> u64 {
        self.games[game].seating.games()
    }

    /// Whether a slice holds the game with this number, which must be below [`Schedule::len`].
    /// Going by the sum of how many cycles all groups have played and of the group spreads every group over all slices, even
    /// where there are as many slices as groups.
    pub(crate) fn is_in(&self, slice: Slice, number: u64) -> bool {
        let place = self.place(number);
        let game = &self.games[place.game];
        let unit = place.unit_of_game;
        let (cycle, group) = (game.cycle(unit), game.group(unit));
        (cycle % slice.count + group) % slice.count == slice.index
    }

    /// The number of games of a slice.
    pub(crate) fn count(&self, slice: Slice) -> u64 {
        let games = self.games.iter();
        games
            .map(|game| game.seating.games() * slice.units(game))
            .sum()
    }

    /// The game with this number, which must be below [`Schedule::len`].
    pub(crate) fn fixture(&self, number: u64) -> Fixture {
        let place = self.place(number);
        let game = &self.games[place.game];
        let shared = game.sweep_unit(place.unit_of_game);
        let seed_index = shared.map_or(place.unit, |unit| unit.seed);
        Fixture {
            number,
            unit: place.unit,
            game: place.game,
            seed: split_mix(split_mix(self.seed, 0), seed_index).cast_signed(),
            seating: game.seats(place.unit_of_game, place.within),
            variant: shared.map(|unit| [game.groups[unit.group][0], game.groups[0][0]]),
            values: Vec::new(),
        }
    }

    /// Of a game of the plan, the groups that play a unit, and the fewest and the most games in which two of its bots meet that
    /// are to meet: any two, or the `challenger` and another.
    pub(crate) fn meetings(&self, game: usize, challenger: Option<BotId>) -> (u64, [u64; 2]) {
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

    /// The units and the games that come before a round.
    fn before(&self, round: u64) -> [u64; 2] {
        let [mut units, mut games] = [0, 0];
        for game in &self.games {
            let own = game.units_before(round, self.rounds);
            units += own;
            games += own * game.seating.games();
        }
        [units, games]
    }

    fn place(&self, number: u64) -> Place {
        let round = last_where(self.rounds, |round| self.before(round)[1] <= number);
        let [mut unit, games] = self.before(round);
        let mut rest = number - games;
        for (index, game) in self.games.iter().enumerate() {
            let first = game.units_before(round, self.rounds);
            let units = game.units_before(round + 1, self.rounds) - first;
            let (ahead, within) = game.seating.split(rest);
            if ahead < units {
                return Place {
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

/// The last number below `end` for which `holds`, which it does for 0 and all numbers up to the last.
pub(super) fn last_where(end: u64, holds: impl Fn(u64) -> bool) -> u64 {
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

    /// The units that come before a round, which holds the same share of them as any other.
    fn units_before(&self, round: u64, rounds: u64) -> u64 {
        let units = u128::from(self.units) * u128::from(round) / u128::from(rounds.max(1));
        u64::try_from(units).unwrap_or(self.units)
    }

    /// How often all groups have played before this unit.
    fn cycle(&self, unit: u64) -> u64 {
        unit / self.groups.len() as u64
    }

    /// Which of the groups plays this unit, unless seeds are shared.
    fn group(&self, unit: u64) -> u64 {
        unit % self.groups.len() as u64
    }

    fn sweep_unit(&self, unit: u64) -> Option<SweepUnit> {
        self.sweep.map(|order| order.unit(unit))
    }

    /// Who sits where in game `within` of a unit.
    fn seats(&self, unit: u64, within: usize) -> Vec<BotId> {
        // Whoever is in several groups does not sit in the same order in all of them, unless they share a seed.
        let (group, order) = match self.sweep_unit(unit) {
            Some(unit) => (unit.group, unit.seed),
            None => (index(self.group(unit)), self.cycle(unit) + self.group(unit)),
        };
        self.seating.seats_of(&self.groups[group], order, within)
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or_default()
}

/// A part of a run that can be played apart, on another machine. Units stay whole, and every slice has its share of every
/// pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    index: u64,
    count: NonZeroU64,
}

impl Slice {
    /// The whole run.
    pub(crate) const WHOLE: Slice = Slice {
        index: 0,
        count: NonZeroU64::MIN,
    };

    /// The number of units of a game that this slice holds.
    fn units(self, game: &GameSchedule) -> u64 {
        let (count, groups) = (self.count.get(), game.groups.len() as u64);

        let cycles = game.cycle(game.units);
        // Over as many cycles as there are slices, it holds every group once.
        let odd_cycles: u64 = (0..cycles % count)
            .map(|cycle| self.groups_of(cycle, groups))
            .sum();
        cycles / count * groups + odd_cycles + self.groups_of(cycles, game.group(game.units))
    }

    /// How many of the first `groups` groups this slice holds in a cycle: one, then every so many.
    fn groups_of(self, cycle: u64, groups: u64) -> u64 {
        let count = self.count.get();
        let cycle = cycle % count;
        let first = if cycle > self.index {
            count - (cycle - self.index)
        } else {
            self.index - cycle
        };
        groups.saturating_sub(first).div_ceil(count)
    }
}

impl Default for Slice {
    fn default() -> Slice {
        Slice::WHOLE
    }
}

impl std::fmt::Display for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Slice, String> {
        if let Some((index, count)) = text.split_once('/')
            && let (Ok(number), Ok(count)) = (index.parse::<u64>(), count.parse::<NonZeroU64>())
            && (1..=count.get()).contains(&number)
        {
            let index = number - 1;
            return Ok(Slice { index, count });
        }
        let expected = "expected I/N with 1 <= I <= N, as in 2/3 for the second of three slices";
        Err(format!("read the slice `{text}`: {expected}"))
    }
}
