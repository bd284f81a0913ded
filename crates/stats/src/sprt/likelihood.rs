//! The most likely distributions of unit scores under two hypotheses, and the ratio of their
//! likelihoods.

use super::hypotheses::{Hypotheses, Model};
use crate::scores::UnitScores;

/// The count of a score that was not seen, so that no distribution rules it out.
const UNSEEN: f64 = 0.001;

/// The most rounds of a search.
const ROUNDS: usize = 200;
const ROOT_PRECISION: f64 = 1e-12;
/// The largest change of a probability at the end of a fit of the normalized model, whose
/// constraint depends on the distribution itself. It is finer than the LLR needs, so that the LLR
/// doesn't depend on the start of a search.
const FIT_PRECISION: f64 = 1e-9;

/// The likelihood ratio of two hypotheses, unit by unit. Each search starts from the last result.
#[derive(Debug, Clone)]
pub(super) struct LikelihoodRatio {
    model: Model,
    /// Mean scores, or t-values.
    targets: [f64; 2],
    roots: [f64; 2],
    fits: [Vec<f64>; 2],
}

impl LikelihoodRatio {
    pub(super) fn new(hypotheses: &Hypotheses, games_per_unit: u32) -> Self {
        Self {
            model: hypotheses.model,
            targets: hypotheses.targets(games_per_unit),
            roots: [0.0; 2],
            fits: Default::default(),
        }
    }

    pub(super) fn llr(&mut self, scores: &UnitScores) -> f64 {
        if scores.units() == 0 {
            return 0.0;
        }
        let support = Support::of(scores);
        match self.model {
            Model::Logistic => {
                self.surprise_at_mean(0, &support) - self.surprise_at_mean(1, &support)
            }
            Model::Normalized => {
                (0..2).for_each(|side| self.fit_t_value(side, &support));
                let [zero, one] = &self.fits;
                let term = |at| support.counts[at] * f64::ln(one[at] / zero[at]);
                (0..support.counts.len()).map(term).sum()
            }
        }
    }

    /// Returns the log-likelihood of the observed distribution less that of the most likely one
    /// with the mean of the hypothesis.
    ///
    /// The distribution is `p / (1 + x (a - mean))` for the x that makes its mean right.
    fn surprise_at_mean(&mut self, side: usize, support: &Support) -> f64 {
        let target = self.targets[side];
        let distances: Vec<f64> = support.values.iter().map(|value| value - target).collect();
        let x = tilt(&distances, &support.counts, self.roots[side]).unwrap_or(0.0);
        self.roots[side] = x;
        let term = |at| support.counts[at] * f64::ln_1p(x * distances[at]);
        (0..distances.len()).map(term).sum()
    }

    /// Finds the most likely distribution whose mean lies `t` of its standard deviations above one
    /// half. Each round makes the constraint linear at the distribution of the round before.
    fn fit_t_value(&mut self, side: usize, support: &Support) {
        let t = self.targets[side];
        let (fit, x) = (&mut self.fits[side], &mut self.roots[side]);
        if fit.len() != support.values.len() {
            *x = 0.0;
            *fit = vec![1.0 / support.values.len() as f64; support.values.len()];
        }
        for _ in 0..ROUNDS {
            let (mean, deviation) = moments(&support.values, fit);
            let distance = |value: &f64| {
                let off = (mean - value) / deviation;
                value - 0.5 - t * deviation / 2.0 * (1.0 + off * off)
            };
            let distances: Vec<f64> = support.values.iter().map(distance).collect();
            let Some(root) = tilt(&distances, &support.counts, *x) else {
                break;
            };
            *x = root;
            let mut moved = 0.0_f64;
            for (at, distance) in distances.iter().enumerate() {
                let next = support.counts[at] / support.total / (1.0 + root * distance);
                moved = moved.max((next - fit[at]).abs());
                fit[at] = next;
            }
            if moved < FIT_PRECISION {
                break;
            }
        }
    }
}

/// The possible scores, and how often each was seen.
struct Support {
    values: Vec<f64>,
    counts: Vec<f64>,
    total: f64,
}

impl Support {
    /// Returns the scores that were seen or are possible, always with the two ends.
    fn of(scores: &UnitScores) -> Self {
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        let mut add = |(value, count)| {
            values.push(value);
            counts.push(if count == 0 { UNSEEN } else { count as f64 });
        };
        if scores.values().all(|(value, _)| value > 0.0) {
            add((0.0, 0));
        }
        scores.values().for_each(&mut add);
        if scores.values().all(|(value, _)| value < 1.0) {
            add((1.0, 0));
        }
        Self {
            total: counts.iter().sum(),
            values,
            counts,
        }
    }
}

/// Returns the mean and variance of the units with unseen scores counted as in the likelihood, and
/// the sum of the counts.
pub(super) fn regularised(scores: &UnitScores) -> [f64; 3] {
    let support = Support::of(scores);
    let mut shares = support.counts;
    for share in &mut shares {
        *share /= support.total;
    }
    let (mean, deviation) = moments(&support.values, &shares);
    [mean, deviation * deviation, support.total]
}

fn moments(values: &[f64], shares: &[f64]) -> (f64, f64) {
    let mean = (0..values.len()).map(|at| values[at] * shares[at]).sum();
    let squares = |at| shares[at] * (values[at] - mean) * (values[at] - mean);
    (mean, (0..values.len()).map(squares).sum::<f64>().sqrt())
}

/// Returns the root of `sum of weight * distance / (1 + x * distance)`, which falls from infinity
/// to minus infinity between the two x that make a denominator 0. `None` if all distances have one
/// sign, because then there is no root.
///
/// It uses Newton's method from `start`, and halves the bracket if a step would leave it.
fn tilt(distances: &[f64], weights: &[f64], start: f64) -> Option<f64> {
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    let (mut lo, mut hi) = (-1.0 / most, -1.0 / least);
    let mut x = if lo < start && start < hi { start } else { 0.0 };
    for _ in 0..ROUNDS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (distance, weight) in distances.iter().zip(weights) {
            let term = distance / (1.0 + x * distance);
            sum += weight * term;
            slope -= weight * term * term;
        }
        if sum > 0.0 {
            lo = x;
        } else {
            hi = x;
        }
        let newton = x - sum / slope;
        let is_inside = (lo..=hi).contains(&newton);
        let middle = f64::midpoint(lo, hi);
        let next = if is_inside { newton } else { middle };
        let step = (next - x).abs();
        x = next;
        if step <= ROOT_PRECISION * (1.0 + x.abs()) {
            break;
        }
    }
    Some(x)
}
