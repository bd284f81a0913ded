//! Errors that tests must show to fail: they treat all comparisons as decided and independent.

use arena_stats::ratings::{Ratings, Unit};
use arena_stats::{C, Z95, elo_to_score};
use nalgebra::DMatrix;

/// 95% half-widths of linked ratings around their mean, from nothing but the curvature of the
/// likelihood.
pub(crate) fn curvature_errors(ratings: &Ratings, units: &[Unit]) -> Vec<f64> {
    let bots = ratings.bots.len();
    // Nothing holds the common level: 1 along it does, and is taken away again.
    let mut information = DMatrix::from_element(bots, bots, 1.0);
    for (unit, comparison) in units
        .iter()
        .flat_map(|unit| unit.comparisons.iter().map(move |one| (unit, one)))
    {
        let (one, other) = (comparison.first, comparison.second);
        let chance = elo_to_score(ratings.bots[one].elo - ratings.bots[other].elo);
        let weight = unit.weight as f64 * chance * (1.0 - chance);
        for (row, column, sign) in [
            (one, one, 1.0),
            (other, other, 1.0),
            (one, other, -1.0),
            (other, one, -1.0),
        ] {
            information[(row, column)] += sign * weight;
        }
    }
    let inverse = information.cholesky().unwrap().inverse();
    let level = (bots as f64).powi(2).recip();
    (0..bots)
        .map(|bot| Z95 * C * (inverse[(bot, bot)] - level).sqrt())
        .collect()
}
