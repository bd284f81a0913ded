//! Tuning: numbers of a bot that are set by games in which it meets itself with slightly other numbers.
//!
//! A *unit* here is what two sides play on one seed: a pair of games with swapped seats, or each side against the same
//! opponents. Both sides lie round a centre, and a [`Method`] moves the centre by what units come to. Units are played in
//! blocks, all from the centre at the beginning of their block, so that what is played depends on whole blocks alone. A method
//! knows no planned length: whoever stops and goes on later has what he would have had.
//!
//! Every parameter has a coordinate: its value, or the logarithm of it. What its values mean for a bot nobody knows here.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

pub mod readout;
pub mod spsa;

/// A tuning has at most so many parameters.
pub const MOST_PARAMETERS: usize = 32;
/// A block has at most so many units: a centre that moves more rarely swings across a steep optimum.
pub const MOST_UNITS_IN_BLOCK: u64 = 64;
/// The answer is the mean of the centres behind this share of all units.
const SETTLED: f64 = 0.8;
/// The digits of a value that has no step, and of one that has.
const DIGITS: [usize; 2] = [6, 12];

/// How the coordinate of a parameter follows from its value.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Scale {
    /// It is the value.
    #[default]
    Linear,
    /// It is the logarithm of the value: steps are shares of it.
    Log,
}

/// A number that is tuned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its least value.
    pub min: f64,
    /// Its greatest value.
    pub max: f64,
    /// The value that it has before the first game.
    pub start: f64,
    /// It takes the values `min`, `min + step` and so on; without one, any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// How far apart its values are.
    #[serde(default)]
    pub scale: Scale,
}

impl Parameter {
    /// Whether it can be tuned at all: finite, in order, and above 0 on a scale of logarithms.
    pub fn is_sound(&self) -> bool {
        let (min, max, start) = (self.min, self.max, self.start);
        [min, max, start].iter().all(|value| value.is_finite())
            && min < max
            && (min..=max).contains(&start)
            && self.step.is_none_or(|step| step.is_finite() && step > 0.0)
            && (self.scale == Scale::Linear || min > 0.0)
    }

    /// The coordinate of a value.
    pub fn coordinate(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        }
    }

    /// The value at a coordinate, as it is, between two steps too.
    pub fn value(&self, coordinate: f64) -> f64 {
        match self.scale {
            Scale::Linear => coordinate,
            Scale::Log => coordinate.exp(),
        }
    }

    /// The range in coordinates.
    pub fn range(&self) -> f64 {
        self.coordinate(self.max) - self.coordinate(self.min)
    }

    /// A coordinate within the range.
    fn clipped(&self, coordinate: f64) -> f64 {
        coordinate.clamp(self.coordinate(self.min), self.coordinate(self.max))
    }

    /// The value that is played for one: at a step, of two that it lies between the upper one if it is at least `1 - up` of
    /// the way there; within the range, and short enough to be written.
    fn played(&self, value: f64, up: f64) -> f64 {
        let value = self.step.map_or(value, |step| {
            self.min + step * ((value - self.min) / step + up).floor()
        });
        short(value, DIGITS[usize::from(self.step.is_some())]).clamp(self.min, self.max)
    }

    /// The value that can be played next to one.
    pub fn rounded(&self, value: f64) -> f64 {
        self.played(value, 0.5)
    }
}

/// A number with so many digits, so that it is the same as text.
fn short(value: f64, digits: usize) -> f64 {
    // Adding 0 turns a negative zero into a plain one.
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value) + 0.0
}

/// The values that two sides play with, a value for each parameter.
pub type Sides = [Vec<f64>; 2];

/// A unit that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// What the sides had.
    pub sides: Sides,
    /// What came of it for the first side: 2 where it won everything, -2 where it lost everything, 0 where nobody was ahead. Against
    /// other opponents the difference of both, twice that.
    pub result: f64,
}

/// A way to find better values.
pub trait Method: std::fmt::Debug + Send {
    /// Where it stands: a coordinate for each parameter.
    fn centre(&self) -> &[f64];

    /// What both sides of a unit of the next block have. It depends on the centre and on the number of the unit.
    fn sides(&self, unit: u64) -> Sides;

    /// Takes the next block, which begins with the unit of this number.
    fn hear(&mut self, first: u64, block: &[Unit]);

    /// How far the sides of a unit lie from the centre in coordinates, for each parameter.
    fn widths(&self, unit: u64) -> Vec<f64>;
}

/// A tuning under way: its method, and all that was played.
#[derive(Debug)]
pub struct Tuning {
    parameters: Vec<Parameter>,
    block: u64,
    method: Box<dyn Method>,
    units: Vec<Unit>,
    /// The centre behind each block.
    centres: Vec<Vec<f64>>,
}

impl Tuning {
    /// Before the first of blocks of so many units.
    pub fn new(parameters: &[Parameter], block: u64, method: Box<dyn Method>) -> Tuning {
        Tuning {
            parameters: parameters.to_vec(),
            block,
            method,
            units: Vec::new(),
            centres: Vec::new(),
        }
    }

    /// The units of all whole blocks.
    pub fn units(&self) -> u64 {
        self.units.len() as u64
    }

    /// What was played.
    pub fn played(&self) -> &[Unit] {
        &self.units
    }

    /// What both sides of a unit have; `None` behind the next block.
    pub fn sides(&self, unit: u64) -> Option<Sides> {
        let played = usize::try_from(unit)
            .ok()
            .and_then(|unit| self.units.get(unit))
            .map(|unit| unit.sides.clone());
        played.or_else(|| (unit < self.units() + self.block).then(|| self.method.sides(unit)))
    }

    /// Takes what the units of the next block came to for the first side, see [`Unit::result`].
    pub fn add(&mut self, results: &[f64]) {
        let first = self.units();
        let mut block = Vec::new();
        for (number, &result) in (first..).zip(results) {
            let sides = self.method.sides(number);
            block.push(Unit { sides, result });
        }
        self.method.hear(first, &block);
        self.units.extend(block);
        self.centres.push(self.method.centre().to_vec());
    }

    /// The centre behind each block, in coordinates.
    pub fn centres(&self) -> &[Vec<f64>] {
        &self.centres
    }

    /// Where it stands, as values.
    pub fn centre(&self) -> Vec<f64> {
        self.parameters
            .iter()
            .zip(self.method.centre())
            .map(|(parameter, &at)| parameter.value(at))
            .collect()
    }

    /// How far the sides of the next unit lie from the centre, in coordinates.
    pub fn widths(&self) -> Vec<f64> {
        self.method.widths(self.units())
    }

    /// The mean of the centres of the last fifth, in coordinates; at first the start.
    pub fn settled(&self) -> Vec<f64> {
        let units = self.units() as f64;
        let mut late: Vec<&Vec<f64>> = Vec::new();
        for (number, centre) in (1_u64..).zip(&self.centres) {
            if number as f64 * self.block as f64 > SETTLED * units {
                late.push(centre);
            }
        }
        if late.is_empty() {
            return self.method.centre().to_vec();
        }
        let sums = (0..self.parameters.len())
            .map(|parameter| late.iter().map(|centre| centre[parameter]).sum::<f64>());
        sums.map(|sum| sum / late.len() as f64).collect()
    }

    /// The answer so far, as values that can be played.
    pub fn answer(&self) -> Vec<f64> {
        let settled = self.parameters.iter().zip(self.settled());
        settled
            .map(|(parameter, at)| parameter.rounded(parameter.value(at)))
            .collect()
    }
}
