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

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

mod sweep;
mod tables;

use sweep::Deals;
pub(crate) use sweep::{Grid, Heat};
use tables::Tables;

/// How pairings are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantNames)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantNames)]
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

    use super::*;

    fn schedule(format: Format) -> Schedule {
        Schedule::new(format, Design::Rotations, &[(2, &[0, 1, 2, 3]), (2, &[0, 2, 4])], 5, 7)
    }

    /// A game for two and one for four, with six bots in each.
    fn mixed(format: Format, design: Design, games: u64) -> Schedule {
        let bots = [0, 1, 2, 3, 4, 5];
        Schedule::new(format, design, &[(2, &bots), (4, &bots)], games, 7)
    }

    fn units(schedule: &Schedule) -> Vec<Vec<Fixture>> {
        let mut units: BTreeMap<u64, Vec<Fixture>> = BTreeMap::new();
        for (number, fixture) in (0..).zip(schedule.fixtures(Slice::WHOLE)) {
            assert_eq!(fixture.number, number);
            units.entry(fixture.unit).or_default().push(fixture);
        }
        assert!(units.keys().copied().eq(0..units.len() as u64), "units are numbered without a gap");
        units.into_values().collect()
    }

    #[test]
    fn every_pairing_meets_equally_often_from_both_sides() {
        for (format, pairs) in [(Format::Gauntlet, 3 + 2), (Format::RoundRobin, 6 + 3)] {
            let schedule = schedule(format);
            let mut met: HashMap<(usize, Vec<BotId>), u64> = HashMap::new();
            for fixture in schedule.fixtures(Slice::WHOLE) {
                *met.entry((fixture.game, fixture.seating)).or_default() += 1;
            }
            assert_eq!(met.len(), 2 * pairs);
            assert!(met.values().all(|&games| games == 3), "5 games round up to 3 units: {met:?}");
            assert_eq!(schedule.len(), 6 * pairs as u64);
        }
    }

    #[test]
    fn a_unit_is_one_seed_and_one_table_in_all_its_seats() {
        for design in [Design::Rotations, Design::Mirror] {
            let schedule = mixed(Format::RoundRobin, design, 8);
            let units = units(&schedule);
            let seeds: HashSet<i64> = units.iter().map(|games| games[0].seed).collect();
            assert_eq!(seeds.len(), units.len(), "unit seeds are unique");
            for games in units {
                let first = &games[0];
                assert_eq!(games.len() as u64, schedule.games_per_unit(first.game));
                assert_eq!(first.seating.len(), if first.game == 0 { 2 } else { 4 });
                let mut seeds: HashMap<BotId, BTreeSet<u64>> = HashMap::new();
                for seat in 0..first.seating.len() {
                    let sat: BTreeSet<BotId> = games.iter().map(|game| game.seating[seat]).collect();
                    assert_eq!(sat.len(), games.len(), "every bot sits in every seat once: {games:?}");
                    for game in &games {
                        assert_eq!((game.seed, game.game), (first.seed, first.game));
                        seeds.entry(game.seating[seat]).or_default().insert(game.bot_seed(seat));
                    }
                }
                let copies = first.seating.len() / seeds.len();
                assert!(seeds.values().all(|seeds| seeds.len() == copies), "a bot keeps its seeds over the unit");
                assert_eq!(seeds.values().flatten().collect::<HashSet<_>>().len(), first.seating.len());
            }
        }
    }

    #[test]
    fn any_two_bots_meet_in_as_many_games_as_wanted() {
        let of_four = |format, design, pairs, games| {
            let mut met: BTreeMap<(BotId, BotId), u64> = BTreeMap::new();
            for fixture in mixed(format, design, 20).fixtures(Slice::WHOLE).filter(|fixture| fixture.game == 1) {
                let bots: BTreeSet<BotId> = fixture.seating.iter().copied().collect();
                for (&a, &b) in bots.iter().flat_map(|a| bots.range(a + 1..).map(move |b| (a, b))) {
                    *met.entry((a, b)).or_default() += 1;
                }
            }
            if format == Format::Gauntlet {
                met.retain(|&(a, _), _| a == 0);
            }
            assert_eq!(met.into_values().collect::<Vec<_>>(), vec![games; pairs], "{format} {design}");
        };
        // Six bots meet six times at fifteen tables; a challenger meets five others three times at five.
        of_four(Format::RoundRobin, Design::Rotations, 15, 24);
        of_four(Format::Gauntlet, Design::Rotations, 5, 24);
        of_four(Format::RoundRobin, Design::Mirror, 15, 20);
        of_four(Format::Gauntlet, Design::Mirror, 5, 20);
    }

    #[test]
    fn seats_are_divided_and_tables_ordered_in_every_way() {
        let seatings = |design, bots: &[BotId]| -> BTreeMap<Vec<BotId>, u64> {
            let schedule = Schedule::new(Format::RoundRobin, design, &[(4, bots)], 48, 7);
            let mut seatings = BTreeMap::new();
            schedule.fixtures(Slice::WHOLE).for_each(|fixture| *seatings.entry(fixture.seating).or_default() += 1);
            seatings
        };
        let rotations = seatings(Design::Rotations, &[0, 1, 2, 3]);
        assert!(rotations.len() == 24 && rotations.values().all(|&games| games == 2), "{rotations:?}");
        let mirror = seatings(Design::Mirror, &[0, 1]);
        assert!(mirror.len() == 6 && mirror.values().all(|&games| games == 8), "{mirror:?}");
        let six = seatings(Design::Rotations, &[0, 1, 2, 3, 4, 5]);
        assert!(six.keys().map(|seats| seats.iter().position(|&bot| bot == 0)).collect::<BTreeSet<_>>().len() == 5);
    }

    #[test]
    fn the_games_of_a_run_come_forward_together() {
        let schedule = mixed(Format::RoundRobin, Design::Rotations, 100);
        let (mut played, mut all) = ([0_u64; 2], [0_u64; 2]);
        schedule.fixtures(Slice::WHOLE).for_each(|fixture| all[fixture.game] += 1);
        for fixture in schedule.fixtures(Slice::WHOLE) {
            played[fixture.game] += 1;
            // A round is one fiftieth of the run, and holds at most one unit more or less than its share.
            let ahead = (played[0] * all[1]).abs_diff(played[1] * all[0]);
            assert!(ahead <= all[0] * all[1] / 20, "{played:?} of {all:?}");
        }
    }

    #[test]
    fn a_check_comes_last_with_one_against_three() {
        let test = Schedule::new(Format::Sprt, Design::Mirror, &[(4, &[0, 1])], 10, 7);
        let schedule = test.clone().with_check(0, 1, 6);
        assert_eq!((schedule.len(), schedule.units_before_check()), (10 + 24, 5));
        assert_eq!(schedule.count(Slice::WHOLE), 34);
        let fixtures: Vec<Fixture> = schedule.fixtures(Slice::WHOLE).collect();
        assert!(fixtures[..10].iter().cloned().eq(test.fixtures(Slice::WHOLE)), "the test itself is the same");
        let mut first_seats = HashSet::new();
        for (index, games) in (0..).zip(fixtures[10..].chunks(4)) {
            let lone = |game: &Fixture| game.seating.iter().position(|&bot| bot == 0).unwrap();
            assert!(games.iter().all(|game| (game.unit, game.seed) == (5 + index, games[0].seed)));
            assert!(games.iter().all(|game| game.seating.iter().filter(|&&bot| bot == 1).count() == 3));
            assert_eq!(games.iter().map(lone).collect::<BTreeSet<_>>().len(), 4, "every seat once");
            first_seats.insert(lone(&games[0]));
        }
        assert_eq!(first_seats.len(), 4);
        let seeds: HashSet<i64> = fixtures.iter().map(|game| game.seed).collect();
        assert_eq!(seeds.len(), 5 + 6);
    }

    #[test]
    fn copies_of_a_bot_have_seeds_of_their_own() {
        let fixture = Fixture { number: 0, unit: 0, game: 0, seed: 1, seating: vec![3, 3, 3, 2], variant: None };
        let seeds: HashSet<u64> = (0..4).map(|seat| fixture.bot_seed(seat)).collect();
        assert_eq!(seeds.len(), 4);
        assert!(seeds.iter().all(|&seed| seed < 1 << 53));
    }

    /// The derivation is frozen: a change would make every stored run impossible to resume.
    #[test]
    fn seeds_are_frozen() {
        let fixture = schedule(Format::Gauntlet).fixture(17);
        assert_eq!(
            (fixture.unit, fixture.seed, fixture.bot_seed(0)),
            (8, -2_524_708_840_337_693_102, 8_146_049_869_363_663)
        );
        // The generator's published first outputs for seed 1234567.
        let outputs: Vec<u64> = (0..3).map(|index| split_mix(1_234_567, index)).collect();
        assert_eq!(outputs, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn slices_share_out_whole_units() {
        let schedule = schedule(Format::Gauntlet);
        let four = |design| mixed(Format::Gauntlet, design, 30);
        for schedule in [&schedule, &four(Design::Rotations), &four(Design::Mirror)] {
            for slice in ["1/1", "2/2", "4/7", "1/100", "99/100"].map(|text| text.parse().unwrap()) {
                assert_eq!(schedule.count(slice), schedule.fixtures(slice).count() as u64, "{slice}");
            }
        }
        let slices: Vec<Slice> = ["1/3", "2/3", "3/3"].iter().map(|text| text.parse().unwrap()).collect();
        let mut numbers: Vec<u64> = Vec::new();
        for &slice in &slices {
            assert_eq!(schedule.count(slice), schedule.fixtures(slice).count() as u64);
            numbers.extend(schedule.fixtures(slice).map(|fixture| fixture.number));
        }
        for slice in &slices {
            let met: HashSet<(usize, BotId)> =
                schedule.fixtures(*slice).map(|fixture| (fixture.game, fixture.seating[0])).collect();
            assert_eq!(met.len(), 4 + 3, "every bot plays in every slice");
        }
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..schedule.len()));
        assert_eq!(slices[1].to_string(), "2/3");
        for bad in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/3/4", "-1/3"] {
            assert!(bad.parse::<Slice>().is_err(), "{bad}");
        }
    }
}
