//! Estimates from the units of a tuning: the best value of each parameter, the cost of other
//! values, and the Elo that is left to gain.
//!
//! They come from a Bayesian logistic regression of all units on a quadratic surface around the
//! answer: with `u` in half ranges from it, the strength is `b u - u A u`, and the score of a unit
//! is the logistic function of the difference of both sides. Units far from the answer count less,
//! because no surface is quadratic for long. The scales of the priors are estimated from the units
//! themselves.
//!
//! A prior says nothing about this bot, so what each parameter costs, and whether the answer is
//! better than the start, come from a fit without one. If that is no parabola, nothing is said of
//! the parameter. `docs/explanation/tuning.md` has the measured coverage.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::Serialize;

use super::fit::Fit;
use super::{Parameter, PlayedUnit};
use crate::{C, logistic, split_mix};

/// The distance from the answer, in half ranges, that weighs as one standard deviation.
const NEAR: f64 = 0.25;
/// Units with less weight are ignored.
const LEAST_WEIGHT: f64 = 1e-3;
/// The number of rounds that estimate the priors and fit the surface.
const ROUNDS: usize = 12;
/// The deviation of the interaction of two parameters, as a share of their costs.
const COMMON: f64 = 0.1;
/// The number of surfaces drawn from the posterior.
const DRAWS: u64 = 400;
/// The most sweeps over all parameters in search of the best point of a surface.
const SWEEPS: usize = 60;

/// Estimates from the units of a tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// The Elo that may be left to gain from the answer: the mean over the best points of plausible
    /// surfaces. Some of these are better than the true surface by chance, so it tends to be too
    /// high. On a plateau it is too low, because the rim isn't visible from there. It is mostly the
    /// prior unless every parameter [is measured](Readout::is_measured).
    pub left: f64,
    /// The estimates of each parameter.
    pub parameters: Vec<Reading>,
}

/// The estimates of one parameter. All are `None` if the units contradict a parabola.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Reading {
    /// False if the units contradict a parabola.
    pub is_parabola: bool,
    /// The lower end of the 95% interval of its best value.
    pub lo95: Option<f64>,
    /// The upper end.
    pub hi95: Option<f64>,
    /// The Elo that half a range away from its best value costs; `None`, too, if it may be nothing.
    pub cost: Option<f64>,
    /// The lower end of the 95% interval of this cost, by the units alone; `None`, too, if they
    /// are too few.
    pub cost_lo95: Option<f64>,
    /// The upper end.
    pub cost_hi95: Option<f64>,
    /// The likelihood that the answer is better than the start in this parameter alone; `None`,
    /// too, if the units are too few.
    pub los: Option<f64>,
}

impl Readout {
    /// Returns true if the units contradict no parabola.
    pub fn is_parabolic(&self) -> bool {
        self.parameters.iter().all(|reading| reading.is_parabola)
    }

    /// Returns true if the cost of every parameter is known.
    pub fn is_measured(&self) -> bool {
        self.parameters.iter().all(|reading| reading.cost.is_some())
    }
}

/// Estimates from the units of parameters whose answer has these coordinates; `None` without units.
pub fn readout(parameters: &[Parameter], units: &[PlayedUnit], answer: &[f64]) -> Option<Readout> {
    let frame = Frame { parameters, answer };
    let observed = units.iter().filter_map(|unit| frame.observe(unit));
    let observations: Vec<_> = observed.collect();
    if observations.is_empty() {
        return None;
    }
    let posterior = Posterior::of(&observations, parameters.len())?;
    let mut ends = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        ends.push([parameter.min, parameter.max].map(|end| frame.place(at, end)));
    }
    let best: Vec<(Vec<f64>, f64)> = (0..DRAWS)
        .map(|draw| posterior.draw(draw).best(&ends))
        .collect();
    let left = best.iter().map(|(_, elo)| elo).sum::<f64>() / best.len() as f64;
    let mut readings = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let fit = Fit::new(&frame, units, at);
        if !fit.is_parabola() {
            readings.push(Reading::default());
            continue;
        }
        let mut places: Vec<f64> = best.iter().map(|(place, _)| place[at]).collect();
        places.sort_by(f64::total_cmp);
        let [lo95, hi95] = [25, 975].map(|share| frame.value(at, quantile(&places, share)));
        let cost = fit.cost();
        readings.push(Reading {
            is_parabola: true,
            lo95: Some(lo95),
            hi95: Some(hi95),
            cost: cost.filter(|[_, lo, _]| *lo > 0.0).map(|[cost, ..]| cost),
            cost_lo95: cost.map(|[_, lo, _]| lo),
            cost_hi95: cost.map(|[.., hi]| hi),
            los: fit.los(frame.place(at, parameter.start)),
        });
    }
    Some(Readout {
        left,
        parameters: readings,
    })
}

/// Returns the quantile at this share, in thousandths, by linear interpolation.
fn quantile(sorted: &[f64], thousandths: usize) -> f64 {
    let last = sorted.len() - 1;
    let at = thousandths * last;
    let (below, rest) = (at / 1000, (at % 1000) as f64 / 1000.0);
    sorted[below] + rest * (sorted[last.min(below + 1)] - sorted[below])
}

/// Coordinates relative to the answer, in half ranges.
pub(super) struct Frame<'a> {
    pub(super) parameters: &'a [Parameter],
    pub(super) answer: &'a [f64],
}

/// A unit in these coordinates.
pub(super) struct Observation {
    /// The features of the first side less those of the second.
    pub(super) features: DVector<f64>,
    /// The score of the first side.
    pub(super) score: f64,
    pub(super) weight: f64,
}

impl Frame<'_> {
    pub(super) fn place(&self, at: usize, value: f64) -> f64 {
        let parameter = &self.parameters[at];
        (parameter.coordinate(value) - self.answer[at]) / (parameter.range() / 2.0)
    }

    fn value(&self, at: usize, place: f64) -> f64 {
        let parameter = &self.parameters[at];
        let coordinate = self.answer[at] + place * parameter.range() / 2.0;
        parameter
            .value(coordinate)
            .clamp(parameter.min, parameter.max)
    }

    fn observe(&self, unit: &PlayedUnit) -> Option<Observation> {
        let [a, b] = unit.sides.each_ref().map(|side| {
            let values = side.iter().enumerate();
            let places = values.map(|(at, &value)| self.place(at, value));
            places.collect::<Vec<f64>>()
        });
        let mut far = 0.0;
        for (a, b) in a.iter().zip(&b) {
            far += (f64::midpoint(*a, *b) / NEAR).powi(2);
        }
        let weight = (-far / a.len() as f64 / 2.0).exp();
        (weight > LEAST_WEIGHT).then(|| Observation {
            features: features(&a) - features(&b),
            score: unit.score(),
            weight,
        })
    }
}

/// Returns the features of a place: the place, the negated squares, and the products of two. Its
/// strength is their weighted sum.
fn features(place: &[f64]) -> DVector<f64> {
    let squares = place.iter().map(|u| -u * u);
    let products = pairs(place.len()).map(|(one, other)| -2.0 * place[one] * place[other]);
    let all = place.iter().copied().chain(squares).chain(products);
    DVector::from_vec(all.collect())
}

/// Lists all pairs of `count` numbers.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

/// The prior of a surface: independent normal distributions.
struct Prior {
    mean: DVector<f64>,
    precision: DVector<f64>,
    /// The Elo that half a range costs, for each parameter.
    costs: Vec<f64>,
    /// The typical distance of the best value, in half ranges.
    far: f64,
}

impl Prior {
    fn new(costs: Vec<f64>, far: f64) -> Prior {
        let slopes = costs.iter().map(|cost| (0.0, 2.0 * far * cost));
        let curves = costs.iter().map(|cost| (*cost, *cost));
        let common = pairs(costs.len())
            .map(|(one, other)| (0.0, COMMON * (costs[one] * costs[other]).sqrt()));
        let (mean, deviation): (Vec<f64>, Vec<f64>) = slopes.chain(curves).chain(common).unzip();
        let precision = DVector::from_vec(deviation).map(|deviation| deviation.powi(-2));
        Prior {
            mean: DVector::from_vec(mean),
            precision,
            costs,
            far,
        }
    }

    /// Returns the prior that makes such a posterior more likely (empirical Bayes). Costs go only
    /// half of the way, because they would swing otherwise.
    fn better(&self, weights: &DVector<f64>, variances: &DVector<f64>) -> Prior {
        let count = self.costs.len();
        let (mut costs, mut apart) = (Vec::new(), 0.0);
        for at in 0..count {
            let slope = weights[at].powi(2) + variances[at];
            let curve = weights[count + at];
            let square = curve.powi(2) + variances[count + at] + slope / (2.0 * self.far).powi(2);
            let likely = ((curve.powi(2) + 8.0 * square).sqrt() - curve) / 4.0;
            let cost = (self.costs[at] * likely.max(0.3)).sqrt().clamp(0.5, 400.0);
            apart += slope / (2.0 * cost).powi(2);
            costs.push(cost);
        }
        let far = ((apart + 2.0 * NEAR.powi(2)) / (count as f64 + 2.0))
            .sqrt()
            .clamp(0.03, 0.7);
        Prior::new(costs, far)
    }
}

/// The posterior of a surface: a normal distribution.
struct Posterior {
    surface: Surface,
    precision: Cholesky<f64, Dyn>,
}

impl Posterior {
    /// Fits the surface; `None` if floating point fails.
    fn of(observations: &[Observation], count: usize) -> Option<Posterior> {
        let mut prior = Prior::new(vec![20.0; count], NEAR);
        let mut posterior: Option<Posterior> = None;
        let mut weights = prior.mean.clone();
        for _ in 0..ROUNDS {
            let (gradient, information) = slope(observations, &weights, posterior.is_some());
            let precision = Cholesky::new(information + DMatrix::from_diagonal(&prior.precision))?;
            let pull = prior.precision.component_mul(&(&weights - &prior.mean));
            weights += precision.solve(&(gradient - pull));
            prior = prior.better(&weights, &precision.inverse().diagonal());
            posterior = Some(Posterior {
                surface: Surface {
                    count,
                    weights: weights.clone(),
                },
                precision,
            });
        }
        posterior
    }

    /// Draws a plausible surface, always the same for the same number.
    fn draw(&self, number: u64) -> Surface {
        let Surface { count, weights } = &self.surface;
        let normal = DVector::from_fn(weights.len(), |at, _| {
            let [one, other] = [0, 1].map(|which| {
                let bits = split_mix(number, 2 * at as u64 + which);
                ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
            });
            (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
        });
        let moved = self.precision.l().tr_solve_lower_triangular(&normal);
        Surface {
            count: *count,
            weights: weights + moved.unwrap_or(normal),
        }
    }
}

/// Returns the gradient and the negative second derivative of the log-likelihood, for a step of
/// Newton's method. The dispersion of the units is estimated once there was a fit.
pub(super) fn slope(
    observations: &[Observation],
    weights: &DVector<f64>,
    is_fitted: bool,
) -> (DVector<f64>, DMatrix<f64>) {
    let (mut scatter, mut binomial) = (0.0, 0.0);
    let mut gradient = DVector::zeros(weights.len());
    let mut information = DMatrix::zeros(weights.len(), weights.len());
    for observation in observations {
        let (features, weight) = (&observation.features, observation.weight);
        let score = observation.score;
        let p = logistic(features.dot(weights) / C);
        scatter += weight * (score - p).powi(2);
        binomial += weight * p * (1.0 - p);
        gradient.axpy(weight * (score - p) / C, features, 1.0);
        information.syger(weight * p * (1.0 - p) / (C * C), features, features, 1.0);
    }
    information.fill_upper_triangle_with_lower_triangle();
    let dispersion = if is_fitted {
        (scatter / binomial).clamp(0.02, 1.0)
    } else {
        0.5
    };
    (gradient / dispersion, information / dispersion)
}

/// A quadratic surface around the answer, in half ranges and Elo.
struct Surface {
    count: usize,
    weights: DVector<f64>,
}

impl Surface {
    fn curvature(&self, at: usize) -> f64 {
        self.weights[self.count + at]
    }

    /// Returns the best place between these ends, and how much better it is. The search goes
    /// parameter by parameter from the answer.
    fn best(&self, ends: &[[f64; 2]]) -> (Vec<f64>, f64) {
        let mut common = DMatrix::zeros(self.count, self.count);
        for ((one, other), weight) in
            pairs(self.count).zip(self.weights.iter().skip(2 * self.count))
        {
            common[(one, other)] = *weight;
            common[(other, one)] = *weight;
        }
        let mut place = vec![0.0; self.count];
        for _ in 0..SWEEPS {
            let mut moved: f64 = 0.0;
            for at in 0..self.count {
                let others = (0..self.count).map(|other| common[(at, other)] * place[other]);
                let slope = self.weights[at] - 2.0 * others.sum::<f64>();
                let next = top(slope, self.curvature(at), ends[at]);
                moved = moved.max((next - place[at]).abs());
                place[at] = next;
            }
            if moved < 1e-6 {
                break;
            }
        }
        let height = features(&place).dot(&self.weights);
        (place, height)
    }
}

/// Returns the highest point of a parabola between two ends.
fn top(slope: f64, curvature: f64, [low, high]: [f64; 2]) -> f64 {
    let [left, right] = [low, high].map(|u| slope * u - curvature * u * u);
    if curvature > 1e-9 {
        (slope / (2.0 * curvature)).clamp(low.min(high), high.max(low))
    } else if right > left {
        high
    } else {
        low
    }
}
