//! Who plays whom, in which seats, on which seed: arithmetic from the game number, without a cursor.
//!
//! Play goes in rounds. A round holds one unit of every meeting (a set of bots that meet in one game), so that
//! every pairing has about the same number of games whenever a run is looked at. A unit is the games that share
//! a seed: each bot sits in each seat once.

use std::num::NonZeroU64;
use std::str::FromStr;

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// How pairings are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// The first bot meets each of the others.
    Gauntlet,
    /// Every bot meets every other.
    RoundRobin,
}

/// The index of a bot in the plan.
pub type BotId = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number in the run, from 0.
    pub number: u64,
    /// The unit it belongs to, from 0.
    pub unit: u64,
    /// Which game is played, as an index into the plan's games.
    pub game: usize,
    /// The seed of the game; the same for all games of the unit, and for no other unit of the run.
    pub seed: i64,
    /// Who sits where.
    pub seating: Vec<BotId>,
}

impl Fixture {
    /// The seed of the bot in `seat`: from the unit's seed, the bot, and which copy of the bot it is, so that a bot
    /// keeps its seed when the seats are swapped and two copies never share one. Below 2^53, which every
    /// language reads exactly.
    #[must_use]
    pub fn bot_seed(&self, seat: usize) -> u64 {
        let bot = self.seating[seat];
        let copy = self.seating[..seat].iter().filter(|&&other| other == bot).count();
        let stream = (bot as u64) << 8 | copy as u64;
        split_mix(split_mix(self.seed.cast_unsigned(), 0), stream) >> 11
    }
}

/// All fixtures of a run.
#[derive(Clone, Debug)]
pub struct Schedule {
    meetings: Vec<Meeting>,
    rounds: u64,
    games_per_round: u64,
    seed: u64,
}

/// The bots that meet in one game, once per round.
#[derive(Clone, Debug)]
struct Meeting {
    game: usize,
    bots: Vec<BotId>,
    /// The number of games of a round that come before this meeting's.
    offset: u64,
}

impl Schedule {
    /// The fixtures of two-seat games in which every pairing of each of `games` (the bots that play it, the
    /// challenger first) meets at least `games_per_pairing` times, rounded up to whole units.
    #[must_use]
    pub fn new(format: Format, games: &[&[BotId]], games_per_pairing: u64, seed: u64) -> Schedule {
        let mut meetings: Vec<Meeting> = Vec::new();
        let mut offset = 0;
        for (game, bots) in games.iter().enumerate() {
            for pair in pairings(format, bots) {
                meetings.push(Meeting { game, bots: pair.to_vec(), offset });
                offset += pair.len() as u64;
            }
        }
        Schedule { meetings, rounds: games_per_pairing.div_ceil(2), games_per_round: offset, seed }
    }

    /// The number of games.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a schedule without games cannot be planned")]
    pub fn len(&self) -> u64 {
        self.rounds * self.games_per_round
    }

    /// Whether a slice holds the unit.
    #[must_use]
    pub fn is_in(&self, slice: Slice, unit: u64) -> bool {
        let meetings = self.meetings.len() as u64;
        slice.contains(unit / meetings, unit % meetings)
    }

    /// The number of games of a slice.
    #[must_use]
    pub fn count(&self, slice: Slice) -> u64 {
        let of_round = |round: u64| -> u64 {
            let held = |(index, _): &(u64, &Meeting)| slice.contains(round, *index);
            (0..).zip(&self.meetings).filter(held).map(|(_, meeting)| meeting.bots.len() as u64).sum()
        };
        // What a slice holds of a round repeats after as many rounds as there are slices.
        let period = slice.count.get();
        let rest = (0..self.rounds % period).map(of_round).sum::<u64>();
        let whole = if self.rounds < period { 0 } else { (0..period).map(of_round).sum() };
        self.rounds / period * whole + rest
    }

    /// The game with this number, which must be below [`Schedule::len`].
    #[must_use]
    pub fn fixture(&self, number: u64) -> Fixture {
        let (round, within) = (number / self.games_per_round, number % self.games_per_round);
        let index = self.meetings.partition_point(|meeting| meeting.offset <= within) - 1;
        let meeting = &self.meetings[index];
        let unit = round * self.meetings.len() as u64 + index as u64;
        let mut seating = meeting.bots.clone();
        seating.rotate_left(usize::try_from(within - meeting.offset).unwrap_or(0));
        let seed = split_mix(split_mix(self.seed, 0), unit).cast_signed();
        Fixture { number, unit, game: meeting.game, seed, seating }
    }

    /// The fixtures of one slice of the run, in order.
    pub fn fixtures(&self, slice: Slice) -> impl Iterator<Item = Fixture> + '_ {
        (0..self.len()).map(|number| self.fixture(number)).filter(move |fixture| self.is_in(slice, fixture.unit))
    }
}

fn pairings(format: Format, bots: &[BotId]) -> Vec<[BotId; 2]> {
    let challengers = match format {
        Format::Gauntlet => bots.len().min(1),
        Format::RoundRobin => bots.len(),
    };
    let meets = |at: usize| bots[at + 1..].iter().map(move |&other| [bots[at], other]);
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
pub struct Slice {
    index: u64,
    count: NonZeroU64,
}

impl Slice {
    /// The whole run.
    pub const WHOLE: Slice = Slice { index: 0, count: NonZeroU64::MIN };

    /// Whether this slice holds the unit of a round that stands at `index`. Going by the sum spreads every pairing over
    /// all slices, even where there are as many slices as pairings.
    fn contains(self, round: u64, index: u64) -> bool {
        (round % self.count + index) % self.count == self.index
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
pub struct SliceError(String);

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
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn schedule(format: Format) -> Schedule {
        Schedule::new(format, &[&[0, 1, 2, 3], &[0, 2, 4]], 5, 7)
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
    fn a_unit_is_one_seed_and_one_meeting_rotated() {
        let schedule = schedule(Format::RoundRobin);
        let mut units: HashMap<u64, Vec<Fixture>> = HashMap::new();
        for fixture in schedule.fixtures(Slice::WHOLE) {
            units.entry(fixture.unit).or_default().push(fixture);
        }
        let seeds: HashSet<i64> = units.values().map(|games| games[0].seed).collect();
        assert_eq!(seeds.len(), units.len(), "unit seeds are unique");
        for games in units.values() {
            let [a, b] = &games[..] else { panic!("a unit of two-seat games has two games: {games:?}") };
            assert_eq!((a.seed, a.game, a.number + 1), (b.seed, b.game, b.number));
            assert_eq!([a.seating[0], a.seating[1]], [b.seating[1], b.seating[0]]);
            assert_eq!((a.bot_seed(0), a.bot_seed(1)), (b.bot_seed(1), b.bot_seed(0)));
            assert_ne!(a.bot_seed(0), a.bot_seed(1));
        }
    }

    #[test]
    fn copies_of_a_bot_have_seeds_of_their_own() {
        let fixture = Fixture { number: 0, unit: 0, game: 0, seed: 1, seating: vec![3, 3, 3, 2] };
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
        for slice in ["1/1", "2/2", "4/7", "1/100", "99/100"].map(|text| text.parse().unwrap()) {
            assert_eq!(schedule.count(slice), schedule.fixtures(slice).count() as u64, "{slice}");
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
