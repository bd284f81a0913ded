//! Simultaneous perturbation (J. Spall 1992), scaled by the ranges and without a planned length.
//!
//! Every unit flips a coin for each parameter: one side has a bit more of it, the other a bit less. Whoever wins draws the
//! centre to itself. How far both lie apart is a share of the range, and shrinks slowly; how far the centre moves shrinks
//! with the units played, whatever their number will be.

use serde::{Deserialize, Serialize};

use super::{Method, Parameter, Sides, Unit};
use crate::split_mix;

/// After so many units the width begins to shrink.
const WIDTH_UNITS: f64 = 5000.0;
/// What the draws of a tuning begin from, beside its seed: the letters of its name.
const STREAM: u64 = u64::from_be_bytes(*b"\0\0\0\0tune");

/// How wide units are, and how far the centre moves. Only tests of other schedules change it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rates {
    /// How far the sides of the first unit lie from the centre, as a share of the range.
    pub width: f64,
    /// How much the first unit moves the centre: this share of the distance between the sides, for every game that one is ahead.
    pub gain: f64,
    /// After so many units that begins to shrink.
    pub gain_units: f64,
    /// The power of units with which it shrinks.
    pub alpha: f64,
    /// The power of units with which the width shrinks.
    pub gamma: f64,
}

impl Default for Rates {
    fn default() -> Rates {
        Rates {
            width: 1.0 / 6.0,
            gain: 0.03,
            gain_units: 1000.0,
            alpha: 0.8,
            gamma: 0.1,
        }
    }
}

impl Rates {
    /// The gain of a unit.
    pub fn gain(&self, unit: u64) -> f64 {
        self.gain * (1.0 + unit as f64 / self.gain_units).powf(-self.alpha)
    }

    /// The width of a unit, as a share of the range.
    pub fn width(&self, unit: u64) -> f64 {
        self.width * (1.0 + unit as f64 / WIDTH_UNITS).powf(-self.gamma)
    }

    /// Whether these can be computed with.
    pub fn is_sound(&self) -> bool {
        let positive = [self.width, self.gain, self.gain_units];
        let powers = [self.alpha, self.gamma];
        positive.iter().all(|rate| rate.is_finite() && *rate > 0.0)
            && powers.iter().all(|power| (0.0..=1.0).contains(power))
            && self.width <= 0.5
    }
}

/// The method; its state is where it stands.
#[derive(Debug, Clone)]
pub struct Spsa {
    parameters: Vec<Parameter>,
    rates: Rates,
    seed: u64,
    centre: Vec<f64>,
}

impl Spsa {
    /// At the start of all parameters.
    pub fn new(parameters: &[Parameter], rates: Rates, seed: u64) -> Spsa {
        let centre = parameters
            .iter()
            .map(|parameter| parameter.coordinate(parameter.start))
            .collect();
        Spsa {
            parameters: parameters.to_vec(),
            rates,
            seed,
            centre,
        }
    }

    /// What a unit draws for a parameter: to which side the first one goes, and a number from 0 to below 1.
    fn draws(&self, unit: u64, parameter: usize) -> (f64, f64) {
        let stream = split_mix(split_mix(self.seed, STREAM), unit);
        let [flip, up] = [0, 1].map(|which| split_mix(stream, 2 * parameter as u64 + which));
        let flip = if flip >> 63 == 0 { 1.0 } else { -1.0 };
        (flip, (up >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// The values of both sides for a parameter. Between two steps both are rounded by the same draw; they are a step apart at
    /// least.
    fn values(&self, unit: u64, number: usize) -> [f64; 2] {
        let parameter = &self.parameters[number];
        let (flip, up) = self.draws(unit, number);
        let width = flip * self.rates.width(unit) * parameter.range();
        let [a, b] = [width, -width].map(|width| parameter.value(self.centre[number] + width));
        let half = (a - b).abs().max(parameter.step.unwrap_or(0.0)) / 2.0;
        let middle = f64::midpoint(a, b);
        [flip, -flip].map(|side| parameter.played(middle + side * half, up))
    }
}

impl Method for Spsa {
    fn centre(&self) -> &[f64] {
        &self.centre
    }

    fn sides(&self, unit: u64) -> Sides {
        let values: Vec<[f64; 2]> = (0..self.parameters.len())
            .map(|number| self.values(unit, number))
            .collect();
        [0, 1].map(|side| values.iter().map(|values| values[side]).collect())
    }

    fn hear(&mut self, first: u64, block: &[Unit]) {
        for (number, Unit { sides, result }) in (first..).zip(block) {
            let [a, b] = sides;
            let gain = self.rates.gain(number);
            for (at, parameter) in self.parameters.iter().enumerate() {
                // What was really played counts, not what was meant.
                let moved = (parameter.coordinate(a[at]) - parameter.coordinate(b[at])) / 2.0;
                self.centre[at] = parameter.clipped(self.centre[at] + gain * moved * result);
            }
        }
    }

    fn widths(&self, unit: u64) -> Vec<f64> {
        self.parameters
            .iter()
            .map(|parameter| self.rates.width(unit) * parameter.range())
            .collect()
    }
}
