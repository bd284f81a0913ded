//! A curve through the units of one parameter, without a prior, and whether it is a parabola.
//!
//! Every unit flips a coin for each parameter, so the others are noise here, whatever they do. But
//! values follow the luck of earlier units, as a random walk does. Noise that is regressed on its
//! own sum looks like a parabola: its t-values have the distribution of D. Dickey and W. Fuller
//! (Distribution of the estimators for autoregressive time series with a unit root, 1979), not the
//! normal one.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::PlayedUnit;
use super::readout::{Frame, Observation, slope};
use crate::{Z95, normal_cdf};

/// The t-value that 2.5% of walks exceed, in place of 1.96.
const WALK_Z: f64 = 3.12;
/// The t-value that 5% of walks exceed, as a multiple of the normal one.
const WALK: f64 = 2.86 / 1.645;
/// The powers of the curves: a parabola, and two that may contradict it.
const POWERS: [usize; 3] = [2, 3, 4];
/// The upper 2.5% of chi-squared, with a degree of freedom for each further power. On a walk this
/// rejects about 5% of parabolas.
const MISFIT: [f64; 2] = [5.024, 7.378];
/// The number of Newton's steps.
const ROUNDS: usize = 6;
/// A cost with a larger standard error, in Elo, is unknown.
const MOST_ERROR: f64 = 1000.0;

/// Curves through the units of one parameter.
pub(super) struct Fit {
    curves: Vec<Curve>,
}

/// The strength by the distance from the answer: a sum of its powers, from the first on.
struct Curve {
    weights: DVector<f64>,
    covariance: DMatrix<f64>,
}

impl Fit {
    pub(super) fn new(frame: &Frame<'_>, units: &[PlayedUnit], at: usize) -> Fit {
        let curves = POWERS.iter().map_while(|&powers| {
            let observe = |unit: &PlayedUnit| {
                let [a, b] = unit.sides.each_ref().map(|side| frame.place(at, side[at]));
                Observation {
                    features: rising(a, powers) - rising(b, powers),
                    score: unit.score(),
                    weight: 1.0,
                }
            };
            Curve::of(&units.iter().map(observe).collect::<Vec<_>>(), powers)
        });
        Fit {
            curves: curves.collect(),
        }
    }

    /// Returns false if further powers improve the fit more than chance does.
    pub(super) fn is_parabola(&self) -> bool {
        let mut further = self.curves.iter().skip(1).zip(MISFIT);
        further.next_back().is_none_or(|(curve, limit)| {
            let count = curve.weights.len() - 2;
            let weights = curve.weights.rows(2, count);
            let covariance = curve.covariance.view((2, 2), (count, count));
            Cholesky::new(covariance.into_owned())
                .is_none_or(|covariance| weights.dot(&covariance.solve(&weights)) <= limit)
        })
    }

    /// Returns the Elo that half a range from the best value costs, and its 95% interval; `None` if
    /// it is unknown.
    pub(super) fn cost(&self) -> Option<[f64; 3]> {
        let parabola = self.curves.first()?;
        let cost = -parabola.weights[1];
        let error = parabola.covariance[(1, 1)].sqrt();
        (error < MOST_ERROR).then_some([cost, cost - WALK_Z * error, cost + Z95 * error])
    }

    /// Returns the likelihood that the answer is better than this place, by the curve that is least
    /// sure; `None` if it is unknown.
    pub(super) fn los(&self, place: f64) -> Option<f64> {
        let sure = self.curves.iter().map(|curve| curve.ahead(place));
        let sure: Vec<f64> = sure.filter(|z| z.is_finite()).collect();
        let low = sure.iter().copied().reduce(f64::min)?;
        let high = sure.iter().copied().reduce(f64::max)?;
        Some(normal_cdf((low.max(0.0) + high.min(0.0)) / WALK))
    }
}

impl Curve {
    /// Fits a curve; `None` if the units don't determine it.
    fn of(observations: &[Observation], powers: usize) -> Option<Curve> {
        let mut weights = DVector::zeros(powers);
        let mut covariance = DMatrix::zeros(powers, powers);
        for round in 0..ROUNDS {
            let (gradient, information) = slope(observations, &weights, round > 0);
            let information = Cholesky::new(information)?;
            weights += information.solve(&gradient);
            covariance = information.inverse();
        }
        let is_finite = weights.iter().chain(&covariance).all(|x| x.is_finite());
        is_finite.then_some(Curve {
            weights,
            covariance,
        })
    }

    /// Returns how many standard errors the answer is ahead of this place.
    fn ahead(&self, place: f64) -> f64 {
        let behind = rising(place, self.weights.len());
        -behind.dot(&self.weights) / behind.dot(&(&self.covariance * &behind)).sqrt()
    }
}

/// Returns the powers of a number, from the first on.
fn rising(place: f64, powers: usize) -> DVector<f64> {
    DVector::from_iterator(powers, (1..).map(|power| place.powi(power)).take(powers))
}
