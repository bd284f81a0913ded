//! Counts the games of a tuning and decides the values of both sides in the next units.
//!
//! The result depends on the games alone. A block is read once all of its games are counted, and
//! the blocks so far decide what the next one plays.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::{Plan, Tune};
use crate::results::{Compared, Failures, GameResult, Unfit, Units, unit_points};
use crate::study::Cursor;
use arena_schedule::{BotId, Fixture, Schedule, UnitDesign};
use arena_stats::tune::Tuning;

/// Why a tuning is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TuneEnd {
    /// All units were played.
    Units,
    /// The bot plays the same whatever the values.
    Ignored,
    /// The bot failed in most of the first units.
    Failing,
}

/// A tuning: its games, counted. Each block decides the values of the next one.
#[derive(Debug)]
pub(in crate::study) struct Tuner {
    pub(super) cursor: Cursor,
    pub(super) tune: Tune,
    schedule: Schedule,
    sides: [BotId; 2],
    full_points: u32,
    pub(super) tuning: Tuning,
    /// Games, each with the number of its two bots' unit in the schedule.
    units: Units<(u64, Compared)>,
    /// The complete units of the next block, by number.
    pub(super) complete: BTreeMap<u64, Vec<(u64, Compared)>>,
    /// The complete blocks.
    pub(super) blocks: Vec<Block>,
    pub(super) end: Option<TuneEnd>,
    /// The faults of the side with the lower value, and of the one with the higher, by parameter.
    pub(super) faults: Vec<[u64; 2]>,
    pub(super) failures: Failures,
    /// The values of the first side that failed.
    pub(super) first_fault: Option<Vec<f64>>,
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
    pub(in crate::study) fn new(plan: &Plan, tune: &Tune) -> Option<Tuner> {
        let (tune, game) = (tune.clone(), plan.games.first()?);
        let sides = plan.numbers(&tune.sides()).try_into().ok()?;
        Some(Tuner {
            cursor: Cursor::default(),
            schedule: plan.schedule(),
            sides,
            full_points: UnitDesign::swapped(game.seats()).full_points(),
            tuning: tune.tuning(plan.seed),
            units: Units::as_they_end(tune.games_per_unit()),
            complete: BTreeMap::new(),
            blocks: Vec::new(),
            end: None,
            faults: vec![[0; 2]; tune.parameters.len()],
            failures: Failures::new(vec![tune.bot.clone()]),
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
    /// Both sides get the same seed, so only their values tell them apart, and a bot that ignores
    /// its parameters plays against itself.
    pub(super) fn fixture(&self, number: u64) -> Option<Fixture> {
        if number >= self.schedule.len() {
            return None;
        }
        let sides = self.tuning.sides(number / self.tune.games_per_unit());
        let fixture = self.schedule.fixture(number);
        let values = fixture.seating.iter().map(|bot| {
            let side = self.sides.iter().position(|side| side == bot);
            match (&sides, side) {
                (Some(sides), Some(side)) => self.tune.named(&sides[side]),
                _ => BTreeMap::new(),
            }
        });
        Some(Fixture {
            values: values.collect(),
            variant: fixture.variant.or(Some([self.sides[1], self.sides[0]])),
            ..fixture
        })
    }

    /// Counts a game of the next block.
    pub(super) fn add(&mut self, result: &GameResult) -> Result<(), Unfit> {
        let number = result.number / self.tune.games_per_unit();
        let fixture = self.schedule.fixture(result.number);
        let sides = self.tuning.sides(number);
        let sides = sides.ok_or(Unfit::NotPlanned(result.number))?;
        let game = Compared::new(result, fixture.seating, false);
        for (side, faults) in self.faults_of(&game).into_iter().enumerate() {
            if faults > 0 {
                self.count_faults(&sides[side], &sides[1 - side], faults);
            }
        }
        for (number, games) in self.units.add(number, (fixture.unit, game)) {
            let has_failed = games.iter().any(|(_, game)| self.faults_of(game) != [0; 2]);
            self.failures.add(number, vec![has_failed]);
            if self.end.is_none() && !self.failures.at_first().is_empty() {
                self.end = Some(TuneEnd::Failing);
            }
            self.complete.insert(number, games);
            self.close_block();
        }
        Ok(())
    }

    /// The faults of each side in a game.
    fn faults_of(&self, game: &Compared) -> [u64; 2] {
        self.sides
            .map(|side| game.failed.iter().filter(|bot| **bot == side).count() as u64)
    }

    /// Whether a unit without faults has each game twice: the sides play the same. Games without
    /// answers are all different.
    fn is_alike(&self, unit: &[(u64, Compared)]) -> bool {
        let moves: BTreeSet<_> = unit.iter().filter_map(|(_, game)| game.moves).collect();
        let unknown = unit.iter().filter(|(_, game)| game.moves.is_none()).count();
        unit.iter().all(|(_, game)| self.faults_of(game) == [0; 2])
            && 2 * (moves.len() + unknown) <= unit.len()
    }

    /// Counts faults of a side with these values.
    fn count_faults(&mut self, own: &[f64], other: &[f64], count: u64) {
        self.first_fault.get_or_insert_with(|| own.to_vec());
        for (at, faults) in self.faults.iter_mut().enumerate() {
            if own[at].total_cmp(&other[at]).is_ne() {
                faults[usize::from(own[at] > other[at])] += count;
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
        for (_, game) in units.values().flatten() {
            let faults = self.faults_of(game);
            block.faults[0] += faults[0];
            block.faults[1] += faults[1];
        }
        self.blocks.push(block);
        if self.blocks.len() == 1 && units.values().all(|unit| self.is_alike(unit)) {
            self.end = Some(TuneEnd::Ignored);
        } else if self.tuning.units() >= self.tune.max_units {
            self.end = Some(TuneEnd::Units);
        }
    }

    /// Returns the result of a unit for the first side; see [`Tuning::add`].
    fn result(&self, unit: &[(u64, Compared)]) -> f64 {
        let is_direct = self.tune.against.is_empty();
        let games_of_side = unit.len() / if is_direct { 1 } else { 2 };
        let full = games_of_side as f64 * f64::from(self.full_points);
        let mut pairs: BTreeMap<u64, Vec<Compared>> = BTreeMap::new();
        for (pair, game) in unit {
            pairs.entry(*pair).or_default().push(game.clone());
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

#[cfg(test)]
mod tests;
