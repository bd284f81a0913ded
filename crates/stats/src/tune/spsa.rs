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

use super::parameter::Parameter;
use crate::split_mix;

/// The answer is the mean of the centres after this share of all units.
const SETTLED: f64 = 0.8;
/// The distance of the sides of the first unit from the centre, as a share of the range.
const WIDTH: f64 = 1.0 / 6.0;
/// How many units pass before the width shrinks noticeably, and the exponent by which it shrinks.
const WIDTH_UNITS: f64 = 5000.0;
const GAMMA: f64 = 0.1;
/// How far the first unit moves the centre for each game of the lead, as a share of a side's
/// distance from the centre.
const GAIN: f64 = 0.03;
/// How many units pass before the gain shrinks noticeably, and the exponent by which it shrinks.
const GAIN_UNITS: f64 = 1000.0;
const ALPHA: f64 = 0.8;
/// The stream of the draws, besides the seed: the letters of `tune`.
const STREAM: u64 = u64::from_be_bytes(*b"\0\0\0\0tune");

/// The values of both sides, one for each parameter.
pub type Sides = [Vec<f64>; 2];

/// Returns the gain of a unit.
pub fn gain(unit: u64) -> f64 {
    GAIN * (1.0 + unit as f64 / GAIN_UNITS).powf(-ALPHA)
}

/// Returns the width of a unit, as a share of the range.
pub fn width(unit: u64) -> f64 {
    WIDTH * (1.0 + unit as f64 / WIDTH_UNITS).powf(-GAMMA)
}

/// A tuning in progress.
#[derive(Debug)]
pub struct Tuning {
    parameters: Vec<Parameter>,
    block: u64,
    seed: u64,
    /// The coordinate of each parameter.
    centre: Vec<f64>,
    /// The values of both sides in the units of complete blocks.
    units: Vec<Sides>,
    /// The centre after each block.
    centres: Vec<Vec<f64>>,
}

impl Tuning {
    /// Returns a tuning before its first unit, in blocks of `block` units.
    pub fn new(parameters: &[Parameter], block: u64, seed: u64) -> Tuning {
        Tuning {
            parameters: parameters.to_vec(),
            block,
            seed,
            centre: parameters
                .iter()
                .map(|parameter| parameter.coordinate(parameter.start))
                .collect(),
            units: Vec::new(),
            centres: Vec::new(),
        }
    }

    /// Returns a number for each parameter.
    fn each(&self, of: impl Fn(usize, &Parameter) -> f64) -> Vec<f64> {
        let one = |at: usize| of(at, &self.parameters[at]);
        (0..self.parameters.len()).map(one).collect()
    }

    /// Returns the number of units in complete blocks.
    pub fn units(&self) -> u64 {
        self.units.len() as u64
    }

    /// Returns the values of both sides in a unit; `None` after the next block.
    pub fn sides(&self, unit: u64) -> Option<Sides> {
        if unit >= self.units() + self.block {
            return None;
        }
        if let Some(sides) = self.units.get(usize::try_from(unit).ok()?) {
            return Some(sides.clone());
        }
        let (first, second) = (0..self.parameters.len())
            .map(|parameter| self.values(unit, parameter))
            .unzip();
        Some([first, second])
    }

    /// Returns the values of both sides for a parameter. Both are rounded to steps by the same
    /// draw, and are at least one step apart.
    fn values(&self, unit: u64, number: usize) -> (f64, f64) {
        let parameter = &self.parameters[number];
        let (flip, up) = self.draws(unit, number);
        let width = flip * width(unit) * parameter.range();
        let [a, b] = [width, -width].map(|width| parameter.value(self.centre[number] + width));
        let half = (a - b).abs().max(parameter.step.unwrap_or(0.0)) / 2.0;
        let middle = f64::midpoint(a, b);
        let side = |flip: f64| parameter.played(middle + flip * half, up);
        (side(flip), side(-flip))
    }

    /// Returns what a unit draws for a parameter: the direction of the first side, and a number
    /// from 0 to below 1.
    fn draws(&self, unit: u64, parameter: usize) -> (f64, f64) {
        let stream = split_mix(split_mix(self.seed, STREAM), unit);
        let [flip, up] = [0, 1].map(|which| split_mix(stream, 2 * parameter as u64 + which));
        let flip = if flip >> 63 == 0 { 1.0 } else { -1.0 };
        (flip, (up >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Adds the results of the units of the next block for the first side: 2 if it won everything,
    /// -2 if it lost everything, 0 if it was level. Against other opponents, a result is twice the
    /// difference of both sides.
    pub fn add(&mut self, results: &[f64]) {
        let mut block = Vec::new();
        let mut centre = self.centre.clone();
        for (unit, &result) in (self.units()..).zip(results) {
            let Some([a, b]) = self.sides(unit) else {
                break;
            };
            for (at, parameter) in self.parameters.iter().enumerate() {
                // The values as played, after rounding.
                let moved = (parameter.coordinate(a[at]) - parameter.coordinate(b[at])) / 2.0;
                centre[at] = parameter.clipped(centre[at] + gain(unit) * moved * result);
            }
            block.push([a, b]);
        }
        self.units.extend(block);
        self.centre.clone_from(&centre);
        self.centres.push(centre);
    }

    /// Returns the centre after each block, in coordinates.
    pub fn centres(&self) -> &[Vec<f64>] {
        &self.centres
    }

    /// Returns the value of each parameter at the centre.
    pub fn centre(&self) -> Vec<f64> {
        self.each(|at, parameter| parameter.value(self.centre[at]))
    }

    /// Returns how far the sides of the next unit are from the centre, in coordinates.
    pub fn widths(&self) -> Vec<f64> {
        self.each(|_, parameter| width(self.units()) * parameter.range())
    }

    /// Returns the mean of the centres of the last fifth, in coordinates; at first the start.
    fn settled(&self) -> Vec<f64> {
        let is_early = |&(number, _): &(u64, _)| {
            number as f64 * self.block as f64 <= SETTLED * self.units() as f64
        };
        let late: Vec<_> = (1..).zip(&self.centres).skip_while(is_early).collect();
        if late.is_empty() {
            return self.centre.clone();
        }
        self.each(|at, _| {
            late.iter().map(|(_, centre)| centre[at]).sum::<f64>() / late.len() as f64
        })
    }

    /// Returns the answer so far, as values that can be played.
    pub fn answer(&self) -> Vec<f64> {
        let settled = self.settled();
        self.each(|at, parameter| parameter.rounded(parameter.value(settled[at])))
    }
}
