//! A number that is tuned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

/// The significant digits of a value without a step, and of one with a step.
const DIGITS: usize = 6;
const DIGITS_OF_STEPS: usize = 12;

/// The scale of a parameter, which turns its values into coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Scale {
    /// The coordinate is the value.
    #[default]
    Linear,
    /// The coordinate is the logarithm of the value, so steps are shares of it.
    Log,
}

/// A number that is tuned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema, Deserialize)]
pub struct Parameter {
    /// Least value of the parameter.
    pub min: f64,
    /// Greatest value of the parameter.
    pub max: f64,
    /// Value of the parameter before the first game.
    pub start: f64,
    /// Distance between values of the parameter, from `min`; null if it takes any value.
    pub step: Option<f64>,
    /// Scale of the parameter.
    #[serde(default)]
    pub scale: Scale,
}

impl Parameter {
    /// Returns true if it can be tuned: finite, in order, and above 0 on a logarithmic scale.
    pub fn is_sound(&self) -> bool {
        let (min, max, start) = (self.min, self.max, self.start);
        [min, max, start].iter().all(|value| value.is_finite())
            && min < max
            && (min..=max).contains(&start)
            && self.step.is_none_or(|step| step.is_finite() && step > 0.0)
            && (self.scale == Scale::Linear || min > 0.0)
    }

    /// Returns the coordinate of a value.
    pub fn coordinate(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        }
    }

    /// Returns the value at a coordinate, even between two steps.
    pub fn value(&self, coordinate: f64) -> f64 {
        match self.scale {
            Scale::Linear => coordinate,
            Scale::Log => coordinate.exp(),
        }
    }

    /// Returns the width of its range in coordinates.
    pub fn range(&self) -> f64 {
        self.coordinate(self.max) - self.coordinate(self.min)
    }

    /// Returns the nearest coordinate within the range.
    pub(super) fn clipped(&self, coordinate: f64) -> f64 {
        coordinate.clamp(self.coordinate(self.min), self.coordinate(self.max))
    }

    /// Returns the value to play for one: within the range, short enough to be written, and at a
    /// step. Between two steps it is the upper one if the value is at least `1 - up` of the way
    /// there.
    pub(super) fn played(&self, value: f64, up: f64) -> f64 {
        let (mut value, mut digits) = (value, DIGITS);
        if let Some(step) = self.step {
            value = self.min + step * ((value - self.min) / step + up).floor();
            digits = DIGITS_OF_STEPS;
        }
        rounded(value, digits).clamp(self.min, self.max)
    }

    /// Returns the nearest value that can be played.
    pub fn rounded(&self, value: f64) -> f64 {
        self.played(value, 0.5)
    }
}

/// Returns a number rounded to this many significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    // Adding 0 turns a negative zero into a plain one.
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value) + 0.0
}
