//! A tuning under way: games in, and out comes what both sides of the next units are started with.
//!
//! It is a function of the games alone. A block is taken when all of its games are there; what is played next follows from
//! the blocks before.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher as _;

use rustc_hash::FxHasher;
use serde::Serialize;
use strum::Display;

use crate::contest::points;
use crate::plan::{Plan, Sweep, Tune};
use crate::record::Record;
use crate::schedule::{BotId, Fixture, Schedule};
use crate::store::GameRow;
use arena_games::Fate;
use arena_stats::tune::readout::{Readout, readout};
use arena_stats::tune::{Sides, Tuning};

/// What is left to gain is looked at after so many units first, and again whenever there are so many times as many.
const FIRST_LOOK: f64 = 512.0;
const NEXT_LOOK: f64 = 1.25;
/// After so many units it is judged whether the bot fails too often to go on.
const FIRST_UNITS: u64 = 10;

/// Why a tuning is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TuneEnd {
    /// All units were played.
    Units,
    /// No more seems to be left to gain than the plan asks for.
    Indifferent,
    /// The bot plays the same whatever the values.
    Ignored,
    /// The bot failed in most of the first units.
    Failing,
}

impl TuneEnd {
    /// Whether nothing was measured.
    pub(crate) fn is_in_vain(self) -> bool {
        matches!(self, TuneEnd::Ignored | TuneEnd::Failing)
    }
}

/// The games of a tuning, counted.
#[derive(Debug)]
pub(crate) struct Tuner {
    /// What is played.
    pub(crate) tune: Tune,
    schedule: Schedule,
    sides: [BotId; 2],
    /// The parts of a full score of a game.
    parts: u32,
    /// Where it stands.
    pub(crate) tuning: Tuning,
    /// The units of the next block, by number.
    open: BTreeMap<u64, OpenUnit>,
    /// The blocks that are complete.
    pub(crate) blocks: Vec<Block>,
    /// Why it is over.
    pub(crate) end: Option<TuneEnd>,
    /// For each parameter the faults of the side that had the lower value, and of the one that had the higher one.
    pub(crate) faults: Vec<[u64; 2]>,
    /// What the units told at the last look.
    pub(crate) looked: Option<Readout>,
    next_look: f64,
    /// The first units that are complete, and those of them in which a side failed.
    pub(crate) first_units: [u64; 2],
    /// What the side had that failed first.
    pub(crate) first_fault: Option<Vec<f64>>,
}

/// A unit, as far as it was played.
#[derive(Clone, Debug, Default)]
struct OpenUnit {
    games: u64,
    /// The points of each side, and the games in which it had them.
    points: [[u32; 2]; 2],
    faults: [u64; 2],
    /// The games by what was answered, hashed; games without answers are all different.
    answers: BTreeSet<u64>,
}

/// A block, played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block {
    /// The mean score of the first side, or what it is ahead in the mean score against others, and a half.
    pub(crate) score: f64,
    /// The faults of each side.
    pub(crate) faults: [u64; 2],
}

impl Tuner {
    /// The tuning of a plan before its first game; `None` if it has none.
    pub(crate) fn new(plan: &Plan) -> Option<Tuner> {
        let (tune, game) = (plan.tune.clone()?, plan.games.first()?);
        let sides = plan.numbers(&tune.sides()).try_into().ok()?;
        Some(Tuner {
            schedule: plan.schedule(),
            sides,
            parts: Sweep::parts_per_pair(game.seats()) / 2,
            tuning: tune.tuning(plan.seed),
            open: BTreeMap::new(),
            blocks: Vec::new(),
            end: None,
            faults: vec![[0; 2]; tune.parameters.len()],
            looked: None,
            next_look: FIRST_LOOK,
            first_units: [0; 2],
            first_fault: None,
            tune,
        })
    }

    /// The number of the first game that is not to be played before the next block is complete.
    pub(crate) fn known_to(&self) -> u64 {
        let units = (self.tuning.units() + self.tune.block).min(self.tune.max_units);
        units * self.tune.games_per_unit()
    }

    /// Whether this is the number of a game of the next block.
    pub(crate) fn is_due(&self, number: u64) -> bool {
        self.end.is_none()
            && (self.tuning.units() * self.tune.games_per_unit()..self.known_to()).contains(&number)
    }

    /// The game with this number, with what its bots are started with as far as that is known; `None` behind the last.
    pub(crate) fn fixture(&self, number: u64) -> Option<Fixture> {
        if number >= self.schedule.len() {
            return None;
        }
        let sides = self.tuning.sides(number / self.tune.games_per_unit());
        Some(self.filled(self.schedule.fixture(number), sides.as_ref()))
    }

    /// A game with these values of both sides. Both draw alike: what is common to them decides nothing then, and a bot that does
    /// not heed its parameters plays against itself.
    fn filled(&self, fixture: Fixture, sides: Option<&Sides>) -> Fixture {
        let of = |bot: &BotId| {
            let side = self.sides.iter().position(|side| side == bot);
            let values = sides
                .zip(side)
                .map(|(sides, side)| self.tune.named(&sides[side]));
            values.unwrap_or_default()
        };
        let values = fixture.seating.iter().map(of).collect();
        Fixture {
            values,
            variant: fixture.variant.or(Some([self.sides[1], self.sides[0]])),
            ..fixture
        }
    }

    /// Units in which the first side has the value at an end of the range of one parameter and all others are at their start, as
    /// the second side is: the games of each, with the parameter and the value. Their numbers are behind all of the run: an answer that comes
    /// late is none to another game.
    pub(crate) fn at_ends(&self) -> Vec<(usize, f64, Vec<Fixture>)> {
        let start = self.tune.start();
        let ranges = self.tune.ranges();
        let ends = ranges
            .iter()
            .enumerate()
            .flat_map(|(at, range)| [(at, range.min), (at, range.max)]);
        let unit = |(number, (at, value)): (usize, (usize, f64))| {
            let mut side = start.clone();
            side[at] = value;
            let sides = [side, start.clone()];
            let games = self.tune.games_per_unit();
            let first = number as u64 % self.tune.max_units * games;
            let fixtures = (first..first + games).map(|number| self.schedule.fixture(number));
            let own = fixtures
                .filter(|fixture| fixture.seating.contains(&self.sides[0]))
                .take(2);
            let numbered = (self.schedule.len() + 2 * number as u64..).zip(own);
            let filled = numbered.map(|(number, fixture)| Fixture {
                number,
                ..self.filled(fixture, Some(&sides))
            });
            (at, value, filled.collect())
        };
        ends.enumerate().map(unit).collect()
    }

    /// Whether this is the first side.
    pub(crate) fn is_first_side(&self, bot: BotId) -> bool {
        bot == self.sides[0]
    }

    /// Whether this is the second side.
    pub(crate) fn is_second_side(&self, bot: BotId) -> bool {
        bot == self.sides[1]
    }

    /// Counts a game of the next block.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record) {
        let unit = row.number / self.tune.games_per_unit();
        let (fixture, Some(sides)) = (self.schedule.fixture(row.number), self.tuning.sides(unit))
        else {
            return;
        };
        let open = self.open.entry(unit).or_default();
        open.games += 1;
        for side in [0, 1]
            .into_iter()
            .filter(|&side| fixture.seating.contains(&self.sides[side]))
        {
            let scores = row.seats.iter().map(|seat| seat.score);
            open.points[side][0] += points(&fixture.seating, scores, self.sides[side]);
            open.points[side][1] += 1;
        }
        let mut hasher = FxHasher::default();
        record.hash_answers(&mut hasher);
        let is_empty = record.steps.is_empty();
        open.answers.insert(if is_empty {
            row.number
        } else {
            hasher.finish()
        });
        for (bot, seat) in fixture.seating.iter().zip(&row.seats) {
            if let Some(side) = self
                .sides
                .iter()
                .position(|side| side == bot)
                .filter(|_| seat.fate != Fate::Ok)
            {
                open.faults[side] += 1;
                self.first_fault.get_or_insert_with(|| sides[side].clone());
                for (faults, (own, other)) in self
                    .faults
                    .iter_mut()
                    .zip(sides[side].iter().zip(&sides[1 - side]))
                {
                    faults[usize::from(own > other)] += u64::from(own.total_cmp(other).is_ne());
                }
            }
        }
        if open.games == self.tune.games_per_unit() {
            self.note_first_unit(unit);
        }
        self.close_block();
    }

    /// Takes note of one of the first units, which is complete; the tuning ends where too many of them failed.
    fn note_first_unit(&mut self, unit: u64) {
        if unit >= FIRST_UNITS || self.first_units[0] >= FIRST_UNITS {
            return;
        }
        let failed = self
            .open
            .get(&unit)
            .is_some_and(|open| open.faults.iter().any(|&faults| faults > 0));
        self.first_units[0] += 1;
        self.first_units[1] += u64::from(failed);
        if self.first_units[0] == FIRST_UNITS && 2 * self.first_units[1] > FIRST_UNITS {
            self.end = Some(TuneEnd::Failing);
        }
    }

    /// Takes the next block if it is complete.
    fn close_block(&mut self) {
        let games: u64 = self.open.values().map(|unit| unit.games).sum();
        if self.end.is_some() || games < self.tune.block * self.tune.games_per_unit() {
            return;
        }
        let units = std::mem::take(&mut self.open);
        let results: Vec<f64> = units.values().map(|unit| self.result(unit)).collect();
        self.tuning.add(&results);
        let mut block = Block {
            score: 0.5 + mean(&results) / 4.0,
            faults: [0; 2],
        };
        for unit in units.values() {
            block
                .faults
                .iter_mut()
                .zip(unit.faults)
                .for_each(|(sum, faults)| *sum += faults);
        }
        self.blocks.push(block);
        let is_alike =
            |unit: &OpenUnit| unit.faults == [0; 2] && 2 * unit.answers.len() as u64 <= unit.games;
        let is_ignored = self.blocks.len() == 1 && units.values().all(is_alike);
        self.look();
        self.end = if is_ignored {
            Some(TuneEnd::Ignored)
        } else if self.is_indifferent() {
            Some(TuneEnd::Indifferent)
        } else {
            (self.tuning.units() >= self.tune.max_units).then_some(TuneEnd::Units)
        };
    }

    /// What a unit came to for the first side, as [`arena_stats::tune::Unit::result`] has it.
    fn result(&self, unit: &OpenUnit) -> f64 {
        let [a, b] = unit
            .points
            .map(|[points, games]| f64::from(points) / f64::from((games * self.parts).max(1)));
        if self.tune.against.is_empty() {
            2.0 * (2.0 * a - 1.0)
        } else {
            4.0 * (a - b)
        }
    }

    /// Reads the units when it is time for that.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of units are far below 2^52"
    )]
    fn look(&mut self) {
        let units = self.tuning.units() as f64;
        if units >= self.next_look {
            self.looked = self.readout();
            while self.next_look <= units {
                self.next_look *= NEXT_LOOK;
            }
        }
    }

    fn is_indifferent(&self) -> bool {
        let left = self.looked.as_ref().map(|readout| readout.left);
        self.tune
            .indifference
            .zip(left)
            .is_some_and(|(elo, left)| left < elo)
    }

    /// What all units tell.
    pub(crate) fn readout(&self) -> Option<Readout> {
        readout(
            &self.tune.ranges(),
            self.tuning.played(),
            &self.tuning.settled(),
        )
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of units are far below 2^52"
)]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
