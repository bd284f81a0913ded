//! Counts the games of a tuning and decides the values of both sides in the next units.
//!
//! The result depends on the games alone. A block is read once all of its games are counted, and
//! the blocks so far decide what the next one plays.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHasher;
use serde::Serialize;

use crate::plan::{Plan, Tune};
use crate::play::record::Record;
use crate::standings::{CountedGame, Failures, Units, add_to_unit, unit_points};
use crate::store::GameRow;
use arena_games::Fate;
use arena_schedule::{BotId, Fixture, Schedule, UnitDesign};
use arena_stats::tune::Tuning;

/// Why a tuning is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::study) enum TuneEnd {
    Units,
    /// The bot plays the same whatever the values.
    Ignored,
    /// The bot failed in most of the first units.
    Failing,
}

impl TuneEnd {
    /// Returns true if nothing was measured.
    pub(super) fn is_in_vain(self) -> bool {
        matches!(self, TuneEnd::Ignored | TuneEnd::Failing)
    }
}

/// The games of a tuning, counted.
#[derive(Debug)]
pub(super) struct Tuner {
    pub(super) tune: Tune,
    schedule: Schedule,
    sides: [BotId; 2],
    full_points: u32,
    pub(super) tuning: Tuning,
    open: Units<SideGame>,
    /// The complete units of the next block, by number.
    complete: BTreeMap<u64, Vec<SideGame>>,
    /// The complete blocks.
    pub(super) blocks: Vec<Block>,
    pub(super) end: Option<TuneEnd>,
    /// The faults of the side with the lower value, and of the one with the higher, by parameter.
    pub(super) faults: Vec<[u64; 2]>,
    pub(super) failures: Failures,
    /// The values of the first side that failed.
    pub(super) first_fault: Option<Vec<f64>>,
}

/// A game, until its block is complete.
#[derive(Clone, Debug)]
struct SideGame {
    /// The two bots that met, as the number of their unit in the schedule.
    pair: u64,
    game: CountedGame,
    faults: [u64; 2],
    /// A digest of what was played. Games without answers are all different.
    moves: u64,
}

/// Whether a unit without faults has each game twice: the sides play the same.
fn is_alike(unit: &[SideGame]) -> bool {
    let moves: BTreeSet<u64> = unit.iter().map(|game| game.moves).collect();
    unit.iter().all(|game| game.faults == [0; 2]) && 2 * moves.len() <= unit.len()
}

/// A block that was played.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::study) struct Block {
    /// The mean score of the first side. Against other opponents it is half of the lead of its mean
    /// score, plus a half.
    pub(super) score: f64,
    /// The faults of each side.
    pub(super) faults: [u64; 2],
}

impl Tuner {
    /// The tuning of a plan before its first game; `None` if the plan lacks its game or its sides.
    pub(super) fn new(plan: &Plan, tune: &Tune) -> Option<Tuner> {
        let (tune, game) = (tune.clone(), plan.games.first()?);
        let sides = plan.numbers(&tune.sides()).try_into().ok()?;
        Some(Tuner {
            schedule: plan.schedule(),
            sides,
            full_points: UnitDesign::swapped(game.seats()).full_points(),
            tuning: tune.tuning(plan.seed),
            open: Units::default(),
            complete: BTreeMap::new(),
            blocks: Vec::new(),
            end: None,
            faults: vec![[0; 2]; tune.parameters.len()],
            failures: Failures::new(vec![tune.bot.clone()], tune.games_per_unit()),
            first_fault: None,
            tune,
        })
    }

    /// Returns the number of the first game that can't be played before the next block is complete.
    pub(super) fn known_to(&self) -> u64 {
        let units = (self.tuning.units() + self.tune.block).min(self.tune.max_units);
        units * self.tune.games_per_unit()
    }

    /// Returns true if a game belongs to the next block.
    pub(super) fn is_due(&self, number: u64) -> bool {
        self.end.is_none()
            && (self.tuning.units() * self.tune.games_per_unit()..self.known_to()).contains(&number)
    }

    /// Returns a game, with the values of its bots as far as they are known; `None` after the last.
    /// Both sides get the same seed, so only their values tell them apart, and a bot that ignores its
    /// parameters plays against itself.
    pub(super) fn fixture(&self, number: u64) -> Option<Fixture> {
        if number >= self.schedule.len() {
            return None;
        }
        let sides = self.tuning.sides(number / self.tune.games_per_unit());
        let fixture = self.schedule.fixture(number);
        let mut values = Vec::new();
        for bot in &fixture.seating {
            let side = self.sides.iter().position(|side| side == bot);
            let own = sides.as_ref().zip(side);
            let own = own.map(|(sides, side)| self.tune.named(&sides[side]));
            values.push(own.unwrap_or_default());
        }
        Some(Fixture {
            values,
            variant: fixture.variant.or(Some([self.sides[1], self.sides[0]])),
            ..fixture
        })
    }

    /// Counts a game of the next block.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) {
        let games_per_unit = self.tune.games_per_unit();
        let unit = row.number / games_per_unit;
        let (fixture, Some(sides)) = (self.schedule.fixture(row.number), self.tuning.sides(unit))
        else {
            return;
        };
        let game = self.game(&fixture, row, record);
        for side in [0, 1] {
            if game.faults[side] > 0 {
                self.count_faults(&sides[side], &sides[1 - side], game.faults[side]);
            }
        }
        if let Some(games) = add_to_unit(&mut self.open, unit, game, games_per_unit) {
            let has_failed = games.iter().any(|game| game.faults != [0; 2]);
            self.failures.add_unit(unit, vec![has_failed]);
            if self.end.is_none() && !self.failures.at_first().is_empty() {
                self.end = Some(TuneEnd::Failing);
            }
            self.complete.insert(unit, games);
            self.close_block();
        }
    }

    fn game(&self, fixture: &Fixture, row: &GameRow, record: &Record) -> SideGame {
        let mut faults = [0; 2];
        for (bot, seat) in fixture.seating.iter().zip(&row.seats) {
            for (side, faults) in self.sides.iter().zip(&mut faults) {
                *faults += u64::from(side == bot && seat.fate != Fate::Ok);
            }
        }
        SideGame {
            pair: fixture.unit,
            game: CountedGame::scored(fixture.seating.clone(), row.compared_scores().collect()),
            faults,
            moves: if record.steps.is_empty() {
                row.number
            } else {
                record.moves_hash(FxHasher::default())
            },
        }
    }

    /// Counts faults of a side with these values.
    fn count_faults(&mut self, own: &[f64], other: &[f64], count: u64) {
        self.first_fault.get_or_insert_with(|| own.to_vec());
        for (faults, (own, other)) in self.faults.iter_mut().zip(own.iter().zip(other)) {
            if own.total_cmp(other).is_ne() {
                faults[usize::from(own > other)] += count;
            }
        }
    }

    /// Reads the next block if it is complete.
    fn close_block(&mut self) {
        if self.end.is_some() || (self.complete.len() as u64) < self.tune.block {
            return;
        }
        let units = std::mem::take(&mut self.complete);
        let results: Vec<f64> = units.values().map(|unit| self.result(unit)).collect();
        self.tuning.add(&results);
        let mut block = Block {
            score: 0.5 + results.iter().sum::<f64>() / results.len() as f64 / 4.0,
            faults: [0; 2],
        };
        for game in units.values().flatten() {
            block.faults[0] += game.faults[0];
            block.faults[1] += game.faults[1];
        }
        self.blocks.push(block);
        let is_ignored = self.blocks.len() == 1 && units.values().all(|unit| is_alike(unit));
        self.end = if is_ignored {
            Some(TuneEnd::Ignored)
        } else {
            (self.tuning.units() >= self.tune.max_units).then_some(TuneEnd::Units)
        };
    }

    /// Returns the result of a unit for the first side; see [`Tuning::add`].
    fn result(&self, unit: &[SideGame]) -> f64 {
        let is_direct = self.tune.against.is_empty();
        let games_of_side = unit.len() / if is_direct { 1 } else { 2 };
        let full = games_of_side as f64 * f64::from(self.full_points);
        let mut pairs: BTreeMap<u64, Vec<CountedGame>> = BTreeMap::new();
        for game in unit {
            pairs.entry(game.pair).or_default().push(game.game.clone());
        }
        let [a, b] = self.sides.map(|side| {
            let points = pairs.values().map(|pair| unit_points(pair, side));
            f64::from(points.sum::<u32>()) / full
        });
        if is_direct {
            2.0 * (2.0 * a - 1.0)
        } else {
            4.0 * (a - b)
        }
    }
}
