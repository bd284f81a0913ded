//! Tuning: finds better parameters for a bot by games against itself with slightly different values.
//!
//! A *unit* here is what two sides play on one seed: a pair of games with swapped seats, or each side
//! against the same opponents. Every parameter has a coordinate: its value, or the logarithm of it.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

pub use spsa::Tuning;

pub mod readout;
pub mod spsa;

/// A tuning has at most so many parameters.
pub const MOST_PARAMETERS: usize = 32;
/// A block has at most so many units: a centre that moves more rarely swings across a steep optimum.
pub const MOST_UNITS_IN_BLOCK: u64 = 64;
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
        rounded(value, DIGITS[usize::from(self.step.is_some())]).clamp(self.min, self.max)
    }

    /// The value that can be played next to one.
    pub fn rounded(&self, value: f64) -> f64 {
        self.played(value, 0.5)
    }
}

/// Returns a number rounded to this many significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    // Adding 0 turns a negative zero into a plain one.
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value) + 0.0
}

/// The values that two sides play with, a value for each parameter.
pub type Sides = [Vec<f64>; 2];

/// A unit that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedUnit {
    /// What the sides had.
    pub sides: Sides,
    /// What came of it for the first side: 2 where it won everything, -2 where it lost everything, 0 where nobody was ahead. Against
    /// other opponents the difference of both, twice that.
    pub result: f64,
}
