//! The width of an interval that holds at every look.
//!
//! If you look at a 95% interval again and again and stop when you like it, it excludes the truth
//! far more often than once in twenty times. H. Robbins' normal mixture (1970; S. Howard et al.
//! 2021) is a boundary that a sum of independent terms ever crosses with a probability of alpha at
//! most, in the limit of many small terms. The likelihood ratio of a normal mixture of shifts, of
//! variance 1/r each, against no shift is a martingale, which exceeds 1/alpha with that probability
//! (J. Ville 1939). If V is the variance of the sum so far, it does so when the sum exceeds
//! `sqrt((V + r) (2 ln(1/alpha) + ln((V + r)/r)))` in either direction.

use super::Z95;

/// The tightest point of the interval for every look, in units. It suits matches of 100 to
/// 10,000 units: at both ends it is 1.7 times as wide as the one for a single look.
const TIGHTEST: f64 = 500.0;

/// Returns how many times as wide as for a single look the 95% interval of a rating is that holds
/// at every look. In the limit of many units, the chance that it ever excludes the truth is 5% at
/// most.
pub fn times_as_wide(units: u64) -> f64 {
    standard_errors(units.max(1) as f64, TIGHTEST, 0.05) / Z95
}

/// Returns the half-width of the interval, in standard errors of the sum of `units` equal terms. It
/// is tightest after `tightest` units.
pub(super) fn standard_errors(units: f64, tightest: f64, alpha: f64) -> f64 {
    let doubled = -2.0 * alpha.ln();
    // r, in variances of a unit.
    let tuned = tightest / (doubled + doubled.ln_1p());
    ((1.0 + tuned / units) * (doubled + (units / tuned).ln_1p())).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many times as wide as the 95% interval for one look.
    #[test]
    fn the_width_changes_little() {
        for (units, times) in [
            (10, 3.42),
            (100, 1.72),
            (500, 1.55),
            (10_000, 1.70),
            (100_000, 1.87),
        ] {
            let found = times_as_wide(units);
            assert!((found - times).abs() < 0.01, "{units}: {found}");
        }
    }
}
