//! Simultaneous perturbation (J. Spall 1992), scaled by the ranges and without a planned length.
//!
//! Every unit flips a coin for each parameter: one side plays with a slightly higher value, the
//! other with a slightly lower one, and the centre moves towards the side that wins. The distance
//! between the sides is a share of the range and shrinks slowly; the moves of the centre shrink
//! with the number of units played.
//!
//! All units of a block start from the same centre, so that what is played depends on complete
//! blocks alone. A tuning that stops and continues later gives the same result as one that doesn't
//! stop.

use serde::{Deserialize, Serialize};

use super::{Parameter, PlayedUnit, Sides};
use crate::split_mix;

/// The answer is the mean of the centres after this share of all units.
const SETTLED: f64 = 0.8;
/// The number of first units whose width hardly shrinks.
const WIDTH_UNITS: f64 = 5000.0;
/// The stream of the draws, besides the seed: the letters of `tune`.
const STREAM: u64 = u64::from_be_bytes(*b"\0\0\0\0tune");

/// The rates of the schedule: how wide units are, and how far the centre moves. Only tests change
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rates {
    /// The distance of the sides of the first unit from the centre, as a share of the range.
    pub width: f64,
    /// How far the first unit moves the centre: this share of the distance between the sides, for
    /// every game of the lead.
    pub gain: f64,
    /// The number of first units whose gain hardly shrinks.
    pub gain_units: f64,
    /// The exponent of the shrinking gain.
    pub alpha: f64,
    /// The exponent of the shrinking width.
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
    /// Returns the gain of a unit.
    pub fn gain(&self, unit: u64) -> f64 {
        self.gain * (1.0 + unit as f64 / self.gain_units).powf(-self.alpha)
    }

    /// Returns the width of a unit, as a share of the range.
    pub fn width(&self, unit: u64) -> f64 {
        self.width * (1.0 + unit as f64 / WIDTH_UNITS).powf(-self.gamma)
    }

    /// Returns true if the rates can be used.
    pub fn is_sound(&self) -> bool {
        let positive = [self.width, self.gain, self.gain_units];
        let powers = [self.alpha, self.gamma];
        positive.iter().all(|rate| rate.is_finite() && *rate > 0.0)
            && powers.iter().all(|power| (0.0..=1.0).contains(power))
            && self.width <= 0.5
    }
}

/// A tuning in progress.
#[derive(Debug)]
pub struct Tuning {
    parameters: Vec<Parameter>,
    block: u64,
    rates: Rates,
    seed: u64,
    /// The coordinate of each parameter.
    centre: Vec<f64>,
    units: Vec<PlayedUnit>,
    /// The centre after each block.
    centres: Vec<Vec<f64>>,
}

impl Tuning {
    /// Returns a tuning before its first unit, in blocks of `block` units.
    pub fn new(parameters: &[Parameter], block: u64, rates: Rates, seed: u64) -> Tuning {
        let all = parameters.iter();
        let starts = all.map(|parameter| parameter.coordinate(parameter.start));
        Tuning {
            parameters: parameters.to_vec(),
            block,
            rates,
            seed,
            centre: starts.collect(),
            units: Vec::new(),
            centres: Vec::new(),
        }
    }

    /// Returns the number of units in complete blocks.
    pub fn units(&self) -> u64 {
        self.units.len() as u64
    }

    /// Returns the units of complete blocks.
    pub fn played(&self) -> &[PlayedUnit] {
        &self.units
    }

    /// Returns the values of both sides in a unit; `None` after the next block.
    pub fn sides(&self, unit: u64) -> Option<Sides> {
        if unit >= self.units() + self.block {
            return None;
        }
        let played = usize::try_from(unit).ok().and_then(|at| self.units.get(at));
        if let Some(played) = played {
            return Some(played.sides.clone());
        }
        let values: Vec<[f64; 2]> = (0..self.parameters.len())
            .map(|parameter| self.values(unit, parameter))
            .collect();
        Some([0, 1].map(|side| values.iter().map(|values| values[side]).collect()))
    }

    /// Returns the values of both sides for a parameter. Both are rounded to steps by the same
    /// draw, and are at least one step apart.
    fn values(&self, unit: u64, number: usize) -> [f64; 2] {
        let parameter = &self.parameters[number];
        let (flip, up) = self.draws(unit, number);
        let width = flip * self.rates.width(unit) * parameter.range();
        let [a, b] = [width, -width].map(|width| parameter.value(self.centre[number] + width));
        let half = (a - b).abs().max(parameter.step.unwrap_or(0.0)) / 2.0;
        let middle = f64::midpoint(a, b);
        [flip, -flip].map(|side| parameter.played(middle + side * half, up))
    }

    /// Returns what a unit draws for a parameter: the direction of the first side, and a number
    /// from 0 to below 1.
    fn draws(&self, unit: u64, parameter: usize) -> (f64, f64) {
        let stream = split_mix(split_mix(self.seed, STREAM), unit);
        let [flip, up] = [0, 1].map(|which| split_mix(stream, 2 * parameter as u64 + which));
        let flip = if flip >> 63 == 0 { 1.0 } else { -1.0 };
        (flip, (up >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Adds the results of the units of the next block for the first side; see
    /// [`PlayedUnit::result`].
    pub fn add(&mut self, results: &[f64]) {
        let first = self.units();
        let mut block = Vec::new();
        for (unit, &result) in (first..).zip(results) {
            block.extend(self.sides(unit).map(|sides| PlayedUnit { sides, result }));
        }
        for (unit, PlayedUnit { sides, result }) in (first..).zip(&block) {
            let [a, b] = sides;
            let gain = self.rates.gain(unit);
            for (at, parameter) in self.parameters.iter().enumerate() {
                // The values as played, after rounding.
                let moved = (parameter.coordinate(a[at]) - parameter.coordinate(b[at])) / 2.0;
                self.centre[at] = parameter.clipped(self.centre[at] + gain * moved * result);
            }
        }
        self.units.extend(block);
        self.centres.push(self.centre.clone());
    }

    /// Returns the centre after each block, in coordinates.
    pub fn centres(&self) -> &[Vec<f64>] {
        &self.centres
    }

    /// Returns the value of each parameter at the centre.
    pub fn centre(&self) -> Vec<f64> {
        let places = self.parameters.iter().zip(&self.centre);
        places.map(|(parameter, &at)| parameter.value(at)).collect()
    }

    /// Returns how far the sides of the next unit are from the centre, in coordinates.
    pub fn widths(&self) -> Vec<f64> {
        let width = self.rates.width(self.units());
        let parameters = self.parameters.iter();
        parameters
            .map(|parameter| width * parameter.range())
            .collect()
    }

    /// Returns the mean of the centres of the last fifth, in coordinates; at first the start.
    pub fn settled(&self) -> Vec<f64> {
        let units = self.units() as f64;
        let mut late: Vec<&Vec<f64>> = Vec::new();
        for (number, centre) in (1_u64..).zip(&self.centres) {
            if number as f64 * self.block as f64 > SETTLED * units {
                late.push(centre);
            }
        }
        if late.is_empty() {
            return self.centre.clone();
        }
        let sums = (0..self.parameters.len())
            .map(|parameter| late.iter().map(|centre| centre[parameter]).sum::<f64>());
        sums.map(|sum| sum / late.len() as f64).collect()
    }

    /// Returns the answer so far, as values that can be played.
    pub fn answer(&self) -> Vec<f64> {
        let settled = self.parameters.iter().zip(self.settled());
        settled
            .map(|(parameter, at)| parameter.rounded(parameter.value(at)))
            .collect()
    }
}
