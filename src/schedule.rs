//! Who plays whom, in which seats, on which seed: arithmetic from the game number, without a cursor.
//!
//! The bots that play one game together form a table. Two seats: every pairing is a table. Four seats: either four bots
//! sit down together (`tables` says which), or two bots take two seats each. A unit is the games that a table plays on
//! one seed, so that the luck of the seats cancels: each bot in each seat once, or a division of the seats and its reverse.
//!
//! Play goes in rounds. Every game of the run has its share of each round, so that the games of a run come forward
//! together, and every pairing has about the same number of games whenever a run is looked at.

use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

mod sweep;
mod tables;
#[cfg(test)]
mod tests;

use sweep::Deals;
pub(crate) use sweep::{Grid, Heat};
use tables::Tables;

/// How pairings are formed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Format {
    /// The first bot meets each of the others.
    Gauntlet,
    /// Every bot meets every other.
    RoundRobin,
    /// The first bot meets the second until a sequential test is decided; the schedule holds as many games as it may take.
    Sprt,
    /// Variants of one bot meet the same opponents on the same seeds.
    Sweep,
}

/// How the seats of a game for four are filled. For two seats there is only one way.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Design {
    /// Four bots at a table, each in each seat once on every seed.
    #[default]
    Rotations,
    /// Two bots with two seats each, which they swap on every seed.
    Mirror,
}

/// The index of a bot in the plan.
pub(crate) type BotId = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// In a sweep its variant, and the first of all variants: whatever the first draws, each of them does.
    pub(crate) variant: Option<[BotId; 2]>,
}

impl Fixture {
    /// The seed of the bot in `seat`: from the unit's seed, the bot, and which copy of the bot it is, so that a bot
    /// keeps its seed when the seats are swapped and two copies never share one. The variants of a sweep are one bot
    /// here: luck that is common to them cancels where they are compared. Below 2^53, which every language reads exactly.
    pub(crate) fn bot_seed(&self, seat: usize) -> u64 {
        let bot = self.seating[seat];
        let copy = self.seating[..seat].iter().filter(|&&other| other == bot).count();
        let drawn = self.variant.filter(|&[own, _]| own == bot).map_or(bot, |[_, first]| first);
        let stream = (drawn as u64) << 8 | copy as u64;
        split_mix(split_mix(self.seed.cast_unsigned(), 0), stream) >> 11
    }
}

/// All fixtures of a run.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    courses: Vec<Course>,
    rounds: u64,
    seed: u64,
    /// Units of another design that come after all others, in the first game of the run.
    check: Option<Course>,
}

/// The tables of one game of the run.
#[derive(Clone, Debug)]
struct Course {
    /// The bots of each table, which play in this order, again and again.
    tables: Vec<Vec<BotId>>,
    seating: Seating,
    units: u64,
    deals: Deals,
}

/// How the bots of a table fill the seats in the games of a unit.
#[derive(Clone, Copy, Debug)]
enum Seating {
    /// Four bots go round the seats, in one of the six orders in which they can sit round a table.
    Rotations,
    /// Two bots have one or more seats each, and swap them; these are the divisions of the seats.
    Swaps(&'static [&'static [usize]]),
    /// The first of two bots has one seat, each in turn; the other has the rest.
    OneAgainstThree,
}

const ORDERS: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]];
const TWO_SEATS: Seating = Seating::Swaps(&[&[0, 1]]);
const MIRROR: Seating = Seating::Swaps(&[&[0, 0, 1, 1], &[0, 1, 0, 1], &[0, 1, 1, 0]]);

/// Where a game of the schedule stands.
struct Place {
    game: usize,
    /// Its unit among all units of the run.
    unit: u64,
    /// Its unit among those of the same game.
    unit_of_game: u64,
    /// Its place in the unit.
    within: usize,
}

impl Schedule {
    /// The fixtures in which any two bots of each of `games` (its seats, the bots that play it, the challenger first) that are
    /// to meet do so in `games_per_pairing` games at least, rounded up to whole units. A game has bots for its seats. A sweep has a
    /// constructor of its own, [`Schedule::sweep`], because it takes more to describe; here it is a gauntlet.
    pub(crate) fn new(
        format: Format,
        design: Design,
        games: &[(usize, &[BotId])],
        games_per_pairing: u64,
        seed: u64,
    ) -> Schedule {
        let course = |&(seats, bots): &(usize, &[BotId])| match (seats, design) {
            (2, _) => Course::of_pairs(format, bots, TWO_SEATS, games_per_pairing),
            (_, Design::Mirror) => Course::of_pairs(format, bots, MIRROR, games_per_pairing),
            (_, Design::Rotations) => Course::of_fours(format, bots, games_per_pairing),
        };
        let courses: Vec<Course> = games.iter().map(course).collect();
        let rounds = courses.iter().map(Course::rounds).max().unwrap_or_default();
        Schedule { courses, rounds, seed, check: None }
    }

    /// The same, and then `units` in which `lone` sits alone among three copies of `others`, in the first game, which must
    /// be one of four seats.
    pub(crate) fn with_check(self, lone: BotId, others: BotId, units: u64) -> Schedule {
        let tables = vec![vec![lone, others]];
        Schedule { check: Some(Course { tables, seating: Seating::OneAgainstThree, units, deals: Deals::Own }), ..self }
    }

    /// The number of games.
    #[expect(clippy::len_without_is_empty, reason = "a schedule without games cannot be planned")]
    pub(crate) fn len(&self) -> u64 {
        self.courses.iter().chain(&self.check).map(Course::games).sum()
    }

    /// The number of units before those of a check, see [`Schedule::with_check`].
    pub(crate) fn units_before_check(&self) -> u64 {
        self.courses.iter().map(|course| course.units).sum()
    }

    /// The games in a unit of this game of the plan.
    pub(crate) fn games_per_unit(&self, game: usize) -> u64 {
        self.courses[game].seating.games()
    }

    /// Whether a slice holds the game with this number, which must be below [`Schedule::len`].
    pub(crate) fn is_in(&self, slice: Slice, number: u64) -> bool {
        let (course, Place { unit_of_game, .. }) = self.place(number);
        let (turn, index) = course.table(unit_of_game);
        slice.contains(turn, index)
    }

    /// The number of games of a slice.
    pub(crate) fn count(&self, slice: Slice) -> u64 {
        self.courses.iter().chain(&self.check).map(|course| course.seating.games() * slice.units(course)).sum()
    }

    /// The game with this number, which must be below [`Schedule::len`].
    pub(crate) fn fixture(&self, number: u64) -> Fixture {
        let (course, Place { game, unit, unit_of_game, within }) = self.place(number);
        let deal = course.deals.heat(unit_of_game).map_or(unit, |heat| heat.deal);
        let seed = split_mix(split_mix(self.seed, 0), deal).cast_signed();
        Fixture {
            number,
            unit,
            game,
            seed,
            seating: course.seats(unit_of_game, within),
            variant: course.variant(unit_of_game),
        }
    }

    /// The fixtures of one slice of the run, in order.
    pub(crate) fn fixtures(&self, slice: Slice) -> impl Iterator<Item = Fixture> + '_ {
        (0..self.len()).filter(move |&number| self.is_in(slice, number)).map(|number| self.fixture(number))
    }

    fn place(&self, number: u64) -> (&Course, Place) {
        let before: u64 = self.courses.iter().map(Course::games).sum();
        if let Some((check, number)) = self.check.as_ref().zip(number.checked_sub(before)) {
            let (index, within) = check.seating.split(number);
            return (check, Place { game: 0, unit: self.units_before_check() + index, unit_of_game: index, within });
        }
        let games_before = |round: u64| -> u64 {
            self.courses.iter().map(|course| course.seating.games() * course.units_before(round, self.rounds)).sum()
        };
        let round = last_where(self.rounds, |round| games_before(round) <= number);
        let mut unit: u64 = self.courses.iter().map(|course| course.units_before(round, self.rounds)).sum();
        let mut rest = number - games_before(round);
        for (game, course) in self.courses.iter().enumerate() {
            let first = course.units_before(round, self.rounds);
            let (units, games) = (course.units_before(round + 1, self.rounds) - first, course.seating.games());
            if rest < units * games {
                let (index, within) = course.seating.split(rest);
                return (course, Place { game, unit: unit + index, unit_of_game: first + index, within });
            }
            rest -= units * games;
            unit += units;
        }
        unreachable!("game {number} of a schedule of {}", self.len())
    }
}

/// The last number below `end` for which `holds`, which it does for 0 and all numbers up to the last.
fn last_where(end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, end);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

impl Seating {
    /// The games of a unit.
    fn games(self) -> u64 {
        match self {
            Seating::Rotations | Seating::OneAgainstThree => 4,
            Seating::Swaps(_) => 2,
        }
    }

    /// The unit that holds a game, and the place of the game in it, both from 0.
    fn split(self, game: u64) -> (u64, usize) {
        (game / self.games(), usize::try_from(game % self.games()).unwrap_or_default())
    }

    /// Who sits where in game `within` of unit `unit` of a table.
    fn seat(self, table: &[BotId], unit: u64, within: usize) -> Vec<BotId> {
        let pick = |ways: usize| usize::try_from(unit % ways as u64).unwrap_or_default();
        match self {
            Seating::Rotations => {
                let mut seats = ORDERS[pick(ORDERS.len())].map(|place| table[place]);
                seats.rotate_left(within);
                seats.to_vec()
            }
            Seating::Swaps(divisions) => {
                divisions[pick(divisions.len())].iter().map(|side| table[side ^ within]).collect()
            }
            Seating::OneAgainstThree => {
                let mut seats = vec![table[1]; 4];
                seats[(pick(4) + within) % 4] = table[0];
                seats
            }
        }
    }
}

impl Course {
    fn of_pairs(format: Format, bots: &[BotId], seating: Seating, games_per_pairing: u64) -> Course {
        let tables = pairings(format, bots);
        let units = games_per_pairing.div_ceil(seating.games()) * tables.len() as u64;
        Course { tables, seating, units, deals: Deals::Own }
    }

    fn of_fours(format: Format, bots: &[BotId], games_per_pairing: u64) -> Course {
        let wanted = games_per_pairing.div_ceil(Seating::Rotations.games());
        let Tables { list, block, meetings } = match format {
            Format::Gauntlet | Format::Sprt | Format::Sweep => tables::one_meets_all(bots.len()),
            Format::RoundRobin => tables::all_meet(bots.len(), wanted),
        };
        let tables = list.into_iter().map(|table| table.map(|place| bots[place]).to_vec()).collect();
        let units = wanted.div_ceil(meetings) * block as u64;
        Course { tables, seating: Seating::Rotations, units, deals: Deals::Own }
    }

    /// All of its games.
    fn games(&self) -> u64 {
        self.units * self.seating.games()
    }

    /// How often the tables come round.
    fn rounds(&self) -> u64 {
        self.units.div_ceil(self.tables.len() as u64)
    }

    /// The units that come before a round, which holds the same share of them as any other.
    fn units_before(&self, round: u64, rounds: u64) -> u64 {
        let units = u128::from(self.units) * u128::from(round) / u128::from(rounds);
        u64::try_from(units).unwrap_or(self.units)
    }

    /// How often the tables have come round before this unit, and which of them plays it, unless seeds are common.
    fn table(&self, unit: u64) -> (u64, u64) {
        (unit / self.tables.len() as u64, unit % self.tables.len() as u64)
    }

    /// In a sweep the variant that plays a unit, and the first one.
    fn variant(&self, unit: u64) -> Option<[BotId; 2]> {
        self.deals.heat(unit).map(|heat| [&self.tables[heat.table], &self.tables[0]].map(|table| table[0]))
    }

    /// Who sits where in game `within` of a unit.
    fn seats(&self, unit: u64, within: usize) -> Vec<BotId> {
        let (turn, index) = self.table(unit);
        // Whoever sits at several tables does not sit in the same order at all of them, unless they share a seed.
        let (index, order) = match self.deals.heat(unit) {
            Some(heat) => (heat.table, heat.deal),
            None => (usize::try_from(index).unwrap_or_default(), turn + index),
        };
        self.seating.seat(&self.tables[index], order, within)
    }
}

fn pairings(format: Format, bots: &[BotId]) -> Vec<Vec<BotId>> {
    let challengers = match format {
        Format::Gauntlet | Format::Sprt | Format::Sweep => bots.len().min(1),
        Format::RoundRobin => bots.len(),
    };
    let meets = |at: usize| bots[at + 1..].iter().map(move |&other| vec![bots[at], other]);
    (0..challengers).flat_map(meets).collect()
}

/// Output number `index` of the `SplitMix64` generator with this seed (Steele, Lea, Flood 2014). For one seed no
/// two outputs are equal: the finalizer is a bijection, and so is the step.
fn split_mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
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
    pub(crate) const WHOLE: Slice = Slice { index: 0, count: NonZeroU64::MIN };

    /// Whether this slice holds the unit of the table at `index` when the tables have come round `turn` times. Going by
    /// the sum spreads every table over all slices, even where there are as many slices as tables.
    fn contains(self, turn: u64, index: u64) -> bool {
        (turn % self.count + index) % self.count == self.index
    }

    /// The number of units of a course that this slice holds.
    fn units(self, course: &Course) -> u64 {
        let (count, tables) = (self.count.get(), course.tables.len() as u64);
        // The first table that it holds, then every so many.
        let of_turn = |turn: u64, tables: u64| {
            let first = (u128::from(self.index) + u128::from(count) - u128::from(turn % count)) % u128::from(count);
            u128::from(tables).saturating_sub(first).div_ceil(u128::from(count))
        };
        let (turns, rest) = course.table(course.units);
        // Over as many turns as there are slices, it holds every table once.
        let odd_turns: u128 = (0..turns % count).map(|turn| of_turn(turn, tables)).sum();
        let units = u128::from(turns / count * tables) + odd_turns + of_turn(turns, rest);
        u64::try_from(units).unwrap_or(course.units)
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

/// A slice that was not written as `I/N` with 1 <= I <= N.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the slice `{0}`: expected I/N with 1 <= I <= N, as in 2/3 for the second of three slices")]
pub(crate) struct SliceError(String);

impl FromStr for Slice {
    type Err = SliceError;

    fn from_str(text: &str) -> Result<Slice, SliceError> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            let (index, count) = (index.parse::<u64>().ok()?, count.parse::<NonZeroU64>().ok()?);
            (1..=count.get()).contains(&index).then(|| Slice { index: index - 1, count })
        };
        parse().ok_or_else(|| SliceError(text.to_owned()))
    }
}
