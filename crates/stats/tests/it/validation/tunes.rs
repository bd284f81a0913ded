//! Tuning on surfaces with a known optimum and the noise of real games: pairs without draws that
//! favour one side. Ranges are from -1 to 1, so that coordinates are half ranges; strength and what
//! is gained are in Elo.
//!
//! ```text
//! cargo test --release -p arena-stats --test it long_tunings -- --ignored --nocapture
//! ```

use std::ops::Range;

use arena_stats::C;
use arena_stats::tune::spsa;
use arena_stats::tune::{Parameter, Scale, Tuning};

use super::Failures;
use crate::random::{Random, mean, simulate};

const BLOCK: u64 = 32;
/// The Elo of the favoured side.
const FAVOUR: f64 = 200.0;

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Quadratic,
    /// It costs no more than 50 Elo in all.
    Plateau,
    /// Steeper on one side of the optimum.
    Skewed,
    /// No parameter costs more than 80 Elo.
    Saturating,
}

/// The strength of a bot by its values.
#[derive(Clone)]
struct Surface {
    shape: Shape,
    start: Vec<f64>,
    optimum: Vec<f64>,
    /// The cost of a distance from the optimum, which is quadratic.
    matrix: Vec<Vec<f64>>,
    steep: Vec<f64>,
    step: Option<f64>,
    favour: f64,
}

/// A kind of surface: its name, parameters, and the Elo between start and optimum.
type Kind = (&'static str, usize, f64);

const KINDS: [Kind; 12] = [
    ("q2", 2, 25.0),
    ("q5", 5, 40.0),
    ("q10", 10, 60.0),
    ("q20", 20, 80.0),
    ("c10", 10, 60.0),
    ("plat5", 5, 40.0),
    ("int5", 5, 40.0),
    ("zero5", 5, 0.0),
    ("skew5", 5, 40.0),
    ("dead10", 10, 40.0),
    ("eng10", 10, 8.0),
    ("real7", 7, 45.0),
];

fn kind(name: &str) -> Kind {
    *KINDS.iter().find(|kind| kind.0 == name).unwrap()
}

impl Surface {
    /// A surface of one parameter, with the loss at half a range.
    fn one(start: f64, optimum: f64, loss: f64) -> Surface {
        Surface {
            shape: Shape::Quadratic,
            start: vec![start],
            optimum: vec![optimum],
            matrix: vec![vec![loss]],
            steep: vec![1.0],
            step: None,
            favour: FAVOUR,
        }
    }

    fn draw((name, count, gain): Kind, random: &mut Random) -> Surface {
        let mut scales: Vec<f64> = (0..count)
            .map(|_| (random.uniform() * 30_f64.ln()).exp())
            .collect();
        if name == "dead10" {
            scales[3..].fill(0.0);
        }
        let between = |end: f64, random: &mut Random| end * (2.0 * random.uniform() - 1.0);
        let mut start: Vec<f64> = (0..count).map(|_| between(0.6, random)).collect();
        let mut optimum: Vec<f64> = (0..count).map(|_| between(0.8, random)).collect();
        let signs = (0..count)
            .map(|_| if random.uniform() < 0.5 { -1.0 } else { 1.0 })
            .collect();
        let step = (name == "int5").then_some(0.25);
        start
            .iter_mut()
            .filter(|_| step.is_some())
            .for_each(|at| *at = (*at / 0.25).round() * 0.25);
        if gain == 0.0 {
            optimum.clone_from(&start);
        }
        let shape = match name {
            "plat5" => Shape::Plateau,
            "skew5" => Shape::Skewed,
            "real7" => Shape::Saturating,
            _ => Shape::Quadratic,
        };
        let matrix = if name == "c10" {
            turned(&scales, random)
        } else {
            diagonal(&scales)
        };
        let favour = if name == "eng10" { 330.0 } else { FAVOUR };
        let mut surface = Surface {
            shape,
            start,
            optimum,
            matrix,
            steep: signs,
            step,
            favour,
        };
        surface.scale(gain);
        surface
    }

    /// Makes the start cost so much more than the optimum; with nothing to gain, 12 Elo for half a
    /// range of each parameter.
    fn scale(&mut self, gain: f64) {
        if gain == 0.0 {
            let trace: f64 = (0..self.start.len()).map(|at| self.matrix[at][at]).sum();
            return self.stretch(12.0 * self.start.len() as f64 / trace);
        }
        for _ in 0..200 {
            let gained = self.loss(&self.start) - self.loss(&self.optimum);
            self.stretch((gain / gained.max(1e-9)).sqrt());
        }
    }

    fn stretch(&mut self, factor: f64) {
        self.matrix
            .iter_mut()
            .flatten()
            .for_each(|entry| *entry *= factor);
    }

    fn loss(&self, place: &[f64]) -> f64 {
        let apart = |at: usize| {
            let played = self
                .step
                .map_or(place[at], |step| (place[at] / step).round() * step);
            let u = played - self.optimum[at];
            let is_steep =
                matches!(self.shape, Shape::Skewed | Shape::Saturating) && u * self.steep[at] > 0.0;
            if is_steep { 2.5 * u } else { u }
        };
        let u: Vec<f64> = (0..place.len()).map(apart).collect();
        let bounded = |loss: f64, most: f64| most * (1.0 - (-loss / most).exp());
        if self.shape == Shape::Saturating {
            return (0..u.len())
                .map(|at| bounded(self.matrix[at][at] * u[at] * u[at], 80.0))
                .sum();
        }
        let of_row = |(row, u_row): (&Vec<f64>, &f64)| {
            u_row * row.iter().zip(&u).map(|(a, u)| a * u).sum::<f64>()
        };
        let loss: f64 = self.matrix.iter().zip(&u).map(of_row).sum();
        if self.shape == Shape::Plateau {
            bounded(loss, 50.0)
        } else {
            loss
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let parameter = |&start: &f64| Parameter {
            min: -1.0,
            max: 1.0,
            start,
            step: self.step,
            scale: Scale::Linear,
        };
        self.start.iter().map(parameter).collect()
    }

    /// The result of a pair for the first side, -2 to 2.
    fn pair(&self, sides: &[Vec<f64>; 2], random: &mut Random) -> f64 {
        let q = 1.0 / (1.0 + (-self.favour / C).exp());
        let apart = (self.loss(&sides[1]) - self.loss(&sides[0])) / (4.0 * q * (1.0 - q));
        let game = |favour: f64, random: &mut Random| {
            let p = 1.0 / (1.0 + (-(apart + favour) / C).exp());
            if random.uniform() < p { 1.0 } else { -1.0 }
        };
        game(self.favour, random) + game(-self.favour, random)
    }

    /// A tuning of so many units.
    fn tuned(&self, units: u64, random: &mut Random) -> Tuning {
        let parameters = self.parameters();
        let seed = (random.uniform() * 1e15) as u64;
        let mut tuning = Tuning::new(&parameters, BLOCK, seed);
        while tuning.units() < units {
            let block = tuning.units()..units.min(tuning.units() + BLOCK);
            let results: Vec<f64> = block
                .map(|unit| self.pair(&tuning.sides(unit).unwrap(), random))
                .collect();
            tuning.add(&results);
        }
        tuning
    }

    fn gain(&self, tuning: &Tuning) -> f64 {
        self.loss(&self.start) - self.loss(&tuning.answer())
    }
}

fn diagonal(scales: &[f64]) -> Vec<Vec<f64>> {
    let row = |at: usize| {
        (0..scales.len())
            .map(|column| if at == column { scales[at] } else { 0.0 })
            .collect()
    };
    (0..scales.len()).map(row).collect()
}

/// A matrix of these scales in random directions (Gram and Schmidt), so that parameters depend on
/// each other.
fn turned(scales: &[f64], random: &mut Random) -> Vec<Vec<f64>> {
    let count = scales.len();
    let mut axes: Vec<Vec<f64>> = Vec::new();
    while axes.len() < count {
        let mut next: Vec<f64> = (0..count).map(|_| random.normal()).collect();
        for other in &axes {
            let common: f64 = next.iter().zip(other).map(|(a, b)| a * b).sum();
            next.iter_mut()
                .zip(other)
                .for_each(|(a, b)| *a -= common * b);
        }
        let length = next.iter().map(|a| a * a).sum::<f64>().sqrt();
        axes.push(next.into_iter().map(|a| a / length).collect());
    }
    let entry = |row: usize, column: usize| {
        (0..count)
            .map(|at| scales[at] * axes[at][row] * axes[at][column])
            .sum()
    };
    (0..count)
        .map(|row| (0..count).map(|column| entry(row, column)).collect())
        .collect()
}

/// The mean gain of tunings of this length, each on another surface.
fn gain(kind: Kind, units: u64, runs: usize) -> f64 {
    let run = |random: &mut Random| {
        let surface = Surface::draw(kind, random);
        surface.gain(&surface.tuned(units, random))
    };
    mean(&simulate(runs, 1919, run), |gain| *gain)
}

/// Where tunings of one parameter end: mean and deviation of what `of` reads, and the Elo that is
/// left.
fn ends(
    surface: &Surface,
    units: u64,
    runs: usize,
    of: impl Fn(&Tuning) -> f64 + Sync,
) -> [f64; 3] {
    let tuned = simulate(runs, 20, |random| {
        let tuning = surface.tuned(units, random);
        [of(&tuning), surface.loss(&tuning.answer())]
    });
    let middle = mean(&tuned, |tuned| tuned[0]);
    let deviation = mean(&tuned, |tuned| (tuned[0] - middle).powi(2)).sqrt();
    [middle, deviation, mean(&tuned, |tuned| tuned[1])]
}

/// The deviation of the last centre of units that decide nothing.
fn wandering(units: Range<u64>) -> f64 {
    let moved = |unit| (2.0 * spsa::gain(unit) * spsa::width(unit)).powi(2);
    (16.0 * 0.0913 * units.map(moved).sum::<f64>()).sqrt()
}

#[test]
fn tuning_gains_and_does_no_harm() {
    for (name, least) in [
        ("q5", 28.0),
        ("q10", 41.0),
        ("plat5", 10.0),
        ("int5", 26.0),
        ("zero5", -5.0),
    ] {
        let gained = gain(kind(name), 1000, 24);
        assert!(gained > least, "{name}: {gained}");
    }
    let flat = Surface::one(0.0, 0.0, 0.0);
    let [middle, deviation, _] = ends(&flat, 1000, 300, |tuning| tuning.centre()[0]);
    assert!(
        middle.abs() < 0.06 && (deviation / wandering(0..1000) - 1.0).abs() < 0.13,
        "{middle} {deviation}"
    );
    let [answer, ..] = ends(&Surface::one(-0.25, 0.25, 20.0), 1000, 300, |tuning| {
        tuning.answer()[0]
    });
    assert!((answer - 0.079).abs() < 0.04, "{answer}");
}

#[test]
#[ignore = "the long form: .ci/long"]
fn long_tunings() {
    let mut failures = Failures::default();
    one_parameter(&mut failures);
    table(&mut failures);
    assert!(failures.0.is_empty(), "missed: {:#?}", failures.0);
}

fn one_parameter(failures: &mut Failures) {
    const RUNS: usize = 1000;
    println!("\nOne parameter, {RUNS} runs: mean and deviation in half ranges, Elo that is left");
    for units in [1000, 5000] {
        let [middle, deviation, _] = ends(&Surface::one(0.0, 0.0, 0.0), units, RUNS, |tuning| {
            tuning.centre()[0]
        });
        let formula = wandering(0..units);
        println!(
            "  flat, {units:5} units: centre {middle:+.3}, {deviation:.3}, by the formula {formula:.3}"
        );
        let fits = middle.abs() < 0.04 && (deviation / formula - 1.0).abs() < 0.08;
        failures.expect(fits, format!("flat, {units} units"));
    }
    for (loss, units, expected) in [
        (20.0, 1000, [0.079, 0.172, 1.17]),
        (20.0, 5000, [0.226, 0.117, 0.29]),
        (20.0, 20_000, [0.243, 0.071, 0.10]),
        (80.0, 1000, [0.245, 0.080, 0.51]),
        (5.0, 5000, [0.005, 0.260, 0.64]),
    ] {
        let [answer, deviation, left] =
            ends(&Surface::one(-0.25, 0.25, loss), units, RUNS, |tuning| {
                tuning.answer()[0]
            });
        println!(
            "  {loss:2} Elo, {units:5} units: answer {answer:+.3}, {deviation:.3}, left {left:.2}; expected {expected:?}"
        );
        let fits = (answer - expected[0]).abs() < 0.025
            && (deviation / expected[1] - 1.0).abs() < 0.12
            && (left - expected[2]).abs() < 0.15;
        failures.expect(fits, format!("{loss} Elo, {units} units"));
    }
}

fn table(failures: &mut Failures) {
    const RUNS: usize = 60;
    /// Some surfaces with the least gain after 1,000, 5,000 and 20,000 units.
    const LEAST: [(&str, [f64; 3]); 3] = [
        ("q5", [30.0, 36.0, 38.0]),
        ("q10", [44.0, 53.0, 56.0]),
        ("zero5", [-4.0, -2.5, -1.5]),
    ];
    println!("\nspsa: mean gain in Elo, {RUNS} runs\n  surface   of   1,000   5,000  20,000 units");
    let mut sums = [0.0; 3];
    for kind in KINDS {
        let gains = [1000, 5000, 20_000].map(|units| gain(kind, units, RUNS));
        println!(
            "  {:7}  {:3} {:7.1} {:7.1} {:7.1}",
            kind.0, kind.2, gains[0], gains[1], gains[2]
        );
        sums.iter_mut()
            .zip(gains)
            .for_each(|(sum, gain)| *sum += gain / KINDS.len() as f64);
        let least = LEAST
            .iter()
            .find(|least| least.0 == kind.0)
            .map(|least| least.1);
        let is_met =
            least.is_none_or(|least| gains.iter().zip(least).all(|(gain, least)| *gain >= least));
        failures.expect(is_met, format!("{}: {gains:?}", kind.0));
    }
    println!(
        "  mean         {:7.1} {:7.1} {:7.1}",
        sums[0], sums[1], sums[2]
    );
}
