//! Tuning on surfaces with a known optimum and the noise of real games: pairs without draws that
//! favour one side. Ranges are from -1 to 1, so that coordinates are half ranges; strength and what
//! is gained are in Elo.
//!
//! ```text
//! cargo test --release -p arena-stats --test it long_tunings -- --ignored --nocapture
//! ```

use std::ops::Range;

use arena_stats::C;
use arena_stats::tune::readout::{Reading, readout};
use arena_stats::tune::spsa::Rates;
use arena_stats::tune::{Parameter, Scale, Tuning};

use super::{Failures, at_most, percent};
use crate::random::{Random, mean, share, simulate};

const BLOCK: u64 = 32;
/// The Elo of the favoured side.
const FAVOUR: f64 = 200.0;

/// A schedule that is known to be bad here: too narrow, and made for another number of units.
const NARROW: Rates = Rates {
    width: 0.05,
    gain: 0.0085,
    gain_units: 500.0,
    alpha: 0.602,
    gamma: 0.0,
};

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Quadratic,
    /// It costs no more than 50 Elo in all.
    Plateau,
    /// Steeper on one side of the optimum.
    Skewed,
    /// No parameter costs more than 80 Elo.
    Saturating,
    /// All values below the optimum cost the same, all others nothing.
    Cliff,
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

    /// A parameter of 21 values, where those below `edge` cost so much more than all others.
    fn cliff(start: f64, edge: f64, cost: f64) -> Surface {
        Surface {
            shape: Shape::Cliff,
            step: Some(0.1),
            ..Surface::one(start, edge, cost)
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
        if self.shape == Shape::Cliff {
            let is_beyond = u[0] > -1e-9;
            return if is_beyond { 0.0 } else { self.matrix[0][0] };
        }
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
    fn tuned(&self, rates: Rates, units: u64, random: &mut Random) -> Tuning {
        let parameters = self.parameters();
        let seed = (random.uniform() * 1e15) as u64;
        let mut tuning = Tuning::new(&parameters, BLOCK, rates, seed);
        while tuning.units() < units {
            let block = tuning.units()..units.min(tuning.units() + BLOCK);
            let results: Vec<f64> = block
                .map(|unit| self.pair(&tuning.sides(unit).unwrap(), random))
                .collect();
            tuning.add(&results);
        }
        tuning
    }

    /// What is true of what is said of a parameter.
    fn is_true(&self, answer: &[f64], at: usize, reading: &Reading) -> Truth {
        let mut old = answer.to_vec();
        old[at] = self.start[at];
        let between = |lo: Option<f64>, hi: Option<f64>, value: f64| {
            let ends = lo.zip(hi);
            ends.is_some_and(|(lo, hi)| (lo - 1e-9..=hi + 1e-9).contains(&value))
        };
        Truth {
            better: self.loss(answer) < self.loss(&old),
            holds: between(reading.lo95, reading.hi95, self.optimum[at]),
            cost_holds: between(reading.cost_lo95, reading.cost_hi95, self.matrix[at][at]),
        }
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
fn gain(kind: Kind, rates: Rates, units: u64, runs: usize) -> f64 {
    let run = |random: &mut Random| {
        let surface = Surface::draw(kind, random);
        surface.gain(&surface.tuned(rates, units, random))
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
        let tuning = surface.tuned(Rates::default(), units, random);
        [of(&tuning), surface.loss(&tuning.answer())]
    });
    let middle = mean(&tuned, |tuned| tuned[0]);
    let deviation = mean(&tuned, |tuned| (tuned[0] - middle).powi(2)).sqrt();
    [middle, deviation, mean(&tuned, |tuned| tuned[1])]
}

/// Claims of readouts, as shares of all parameters and runs, and whether they are true.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    /// The parameter isn't a parabola.
    unknown: f64,
    /// The parameter has a cost.
    cost: f64,
    /// The answer is better than the start, with more than 95%: true claims.
    better: f64,
    /// The same claim, but false.
    wrong: f64,
    /// Intervals of the best value that hold it.
    holds: f64,
    /// Intervals of the cost that hold it. Only for quadratic surfaces.
    cost_holds: f64,
    /// By how much estimates of what is left are too high.
    left_too_high: f64,
}

fn said(draw: &(dyn Fn(&mut Random) -> Surface + Sync), units: u64, runs: usize) -> Said {
    let read = simulate(runs, 7, |random| {
        let surface = draw(random);
        let tuning = surface.tuned(Rates::default(), units, random);
        let found = readout(&surface.parameters(), tuning.played(), &tuning.settled()).unwrap();
        let left = surface.loss(&tuning.answer()) - surface.loss(&surface.optimum);
        let mut all = Vec::new();
        for (at, reading) in found.parameters.iter().enumerate() {
            all.push((surface.is_true(&tuning.answer(), at, reading), *reading));
        }
        (found.left - left, all)
    });
    let all: Vec<_> = read.iter().flat_map(|(_, all)| all).collect();
    let of = |is: &dyn Fn(&Truth, &Reading) -> bool| share(&all, |(truth, read)| is(truth, read));
    let better = |read: &Reading| read.los.is_some_and(|los| los > 0.95);
    let known = of(&|_, read| read.is_parabola);
    Said {
        unknown: 1.0 - known,
        cost: of(&|_, read| read.cost.is_some()),
        better: of(&|truth, read| better(read) && truth.better),
        wrong: of(&|truth, read| better(read) && !truth.better),
        holds: of(&|truth, _| truth.holds) / known,
        cost_holds: of(&|truth, _| truth.cost_holds) / of(&|_, read| read.cost_lo95.is_some()),
        left_too_high: mean(&read, |(left, _)| *left),
    }
}

/// Claims of tunings of a single parameter.
fn said_of_one(surface: &Surface, units: u64, runs: usize) -> Said {
    said(&|_| surface.clone(), units, runs)
}

/// What is true of a reading.
struct Truth {
    better: bool,
    holds: bool,
    cost_holds: bool,
}

/// The deviation of the last centre of units that decide nothing.
fn wandering(units: Range<u64>) -> f64 {
    let rates = Rates::default();
    let moved = |unit| (2.0 * rates.gain(unit) * rates.width(unit)).powi(2);
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
        let gained = gain(kind(name), Rates::default(), 1000, 24);
        assert!(gained > least, "{name}: {gained}");
    }
    let narrow = gain(kind("q10"), NARROW, 1000, 24);
    assert!(
        narrow < 10.0,
        "a schedule that is too narrow is known to fail: {narrow}"
    );
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
fn readouts_hold_the_best_values() {
    let found = said(&|random| Surface::draw(kind("q5"), random), 1000, 40);
    assert!(found.holds > 0.9 && found.wrong < 0.05, "{found:?}");
}

/// Readouts don't claim what units can't show: no cost of a parameter without effect, no gain on a
/// plateau beyond a cliff. They find a real parabola.
#[test]
fn readouts_claim_what_the_units_show() {
    let limit = |runs| at_most(0.05, runs);
    for (units, runs) in [(512, 200), (8192, 40)] {
        let found = said_of_one(&Surface::one(-0.7, 0.0, 0.0), units, runs);
        let is_true = found.cost < limit(runs) && found.wrong < limit(runs);
        assert!(is_true, "{units} units without effect: {found:?}");
    }
    for surface in [
        Surface::cliff(-0.7, -0.2, 200.0),
        Surface::cliff(0.2, -0.2, 200.0),
        Surface::cliff(-0.7, -0.8, 200.0),
        Surface::cliff(-0.7, -0.8, 80.0),
    ] {
        let found = said_of_one(&surface, 512, 100);
        assert!(found.wrong < limit(100), "{:?}: {found:?}", surface.start);
    }
    let found = said_of_one(&Surface::cliff(-0.7, -0.8, 200.0), 2048, 40);
    assert!(found.unknown > 0.9, "{found:?}");
    let found = said_of_one(&Surface::one(-0.5, 0.2, 80.0), 2048, 60);
    let is_found = found.cost > 0.7 && found.better > 0.25 && found.cost_holds > 0.9;
    assert!(is_found && found.unknown < 0.15, "{found:?}");
}

#[test]
#[ignore = "the long form: .ci/long"]
fn long_tunings() {
    let mut failures = Failures::default();
    one_parameter(&mut failures);
    table(&mut failures);
    assert!(failures.0.is_empty(), "missed: {:#?}", failures.0);
}

#[test]
#[ignore = "the long form: .ci/long"]
fn long_readouts() {
    let mut failures = Failures::default();
    claims(&mut failures);
    coverage(&mut failures);
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
        let gains = [1000, 5000, 20_000].map(|units| gain(kind, Rates::default(), units, RUNS));
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
    let bad = gain(kind("q10"), NARROW, 5000, RUNS);
    println!("  a schedule known to be bad (range/20, .002), q10, 5,000 units: {bad:.1}");
    failures.expect(
        bad < 15.0,
        format!("the bad schedule must be seen to fail: {bad}"),
    );
}

/// Checks claims about surfaces of one parameter.
fn claims(failures: &mut Failures) {
    const RUNS: usize = 300;
    let (flat, cliff) = (Surface::one, Surface::cliff);
    let surfaces = [
        ("no effect, start in the middle", flat(0.0, 0.0, 0.0)),
        ("no effect, start at 15%", flat(-0.7, 0.0, 0.0)),
        ("cliff of 200 above the start", cliff(-0.7, -0.2, 200.0)),
        ("the same, start on the plateau", cliff(0.2, -0.2, 200.0)),
        ("cliff of 200 below the start", cliff(-0.7, -0.8, 200.0)),
        ("cliff of 80 below the start", cliff(-0.7, -0.8, 80.0)),
        ("parabola of 20", Surface::one(-0.5, 0.2, 20.0)),
        ("parabola of 80", Surface::one(-0.5, 0.2, 80.0)),
        ("parabola of 200", Surface::one(-0.5, 0.2, 200.0)),
    ];
    println!(
        "\nReadouts of one parameter, {RUNS} runs: no parabola, a cost, better than start, and that wrongly"
    );
    for (name, surface) in &surfaces {
        for units in [512, 2048, 8192] {
            let found = said_of_one(surface, units, RUNS);
            let [unknown, cost, better, wrong] =
                [found.unknown, found.cost, found.better, found.wrong].map(percent);
            println!("  {name:30} {units:5} units: {unknown} {cost} {better} {wrong}");
            let limit = at_most(0.05, RUNS);
            let is_flat = name.starts_with("no effect");
            let is_true = found.wrong < limit && (!is_flat || found.cost < limit);
            failures.expect(is_true, format!("{name}, {units} units: {found:?}"));
        }
    }
}

fn coverage(failures: &mut Failures) {
    const RUNS: usize = 60;
    println!(
        "\nReadouts, {RUNS} runs: no parabola, a cost, better than start, and that wrongly; the best value is in its \
         interval, and the cost; the estimate of what is left, less what is"
    );
    for name in ["q5", "q10", "plat5", "real7", "dead10"] {
        for units in [1000, 5000, 20_000] {
            let found = said(&|random| Surface::draw(kind(name), random), units, RUNS);
            let said = [found.unknown, found.cost, found.better, found.wrong].map(percent);
            let held = [found.holds, found.cost_holds].map(percent);
            println!(
                "  {name:6} {units:6} units: {} | {} | {:+.1} Elo",
                said.join(" "),
                held.join(" "),
                found.left_too_high
            );
            let is_true = found.wrong < 0.05 && (name != "q5" || found.holds > 0.9);
            failures.expect(is_true, format!("{name}, {units} units: {found:?}"));
        }
    }
}
