//! Many bots against one: what is left of a small p-value when it is the smallest of many.

use std::f64::consts::PI;

use super::elo::MatchElo;
use super::normal_cdf;

/// The level of all tests here.
pub const LEVEL: f64 = 0.05;

/// The chance that two equal bots would end at least as far from an even score: two-sided, with the effective number
/// of units of [`super::elo`].
pub fn p_value(result: &MatchElo) -> f64 {
    2.0 * normal_cdf(-(2.0 * result.score - 1.0).abs() * result.n_eff.sqrt())
}

/// Adjusted p-values in the order given (S. Holm 1979): rejecting those that [`rejects`] names makes any false
/// rejection at all unlikely. The smallest counts as often as there are tests, the next once less, and so on.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        largest = largest
            .max((p_values.len() - rank) as f64 * p_values[index])
            .min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Whether an adjusted p-value is small enough. Products that are equal to the level but for rounding are.
pub fn rejects(adjusted: f64) -> bool {
    adjusted <= LEVEL * (1.0 + 1e-12)
}

/// By how many standard errors the best of so many *equal* bots looks better than it is, on average: the winner's
/// curse.
pub fn luck_of_the_best(bots: usize) -> f64 {
    // Mean of the largest of so many normal numbers, by the trapezium rule, which is exact to rounding here.
    const STEP: f64 = 0.05;
    let power = i32::try_from(bots.max(1) - 1).unwrap_or(i32::MAX);
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt() * normal_cdf(x).powi(power);
    let terms = (-200..=200)
        .map(|step| f64::from(step) * STEP)
        .map(|x| x * density(x));
    bots.max(1) as f64 * STEP * terms.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_lucky() {
        assert!(luck_of_the_best(1).abs() < 1e-12);
        // The larger of two normal numbers is 1 / sqrt(pi) on average.
        assert!((luck_of_the_best(2) - PI.sqrt().recip()).abs() < 1e-9);
        assert!((luck_of_the_best(8) - 1.4236).abs() < 1e-4);
    }
}
