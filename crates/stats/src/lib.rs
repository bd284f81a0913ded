//! The statistics of arena.
//!
//! Everything here is a pure function of scores and counts. The crate knows no bots, games or
//! files: callers turn results into units, and numbers into text.
//!
//! A *unit* is the smallest group of games that is independent of all others: the games that share
//! a seed. It may be two games with swapped seats, four seat rotations, or one unpaired game.
//! Errors are always counted by unit, never by game, because games on one seed share its luck.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts become floating point on purpose; they stay far below 2^53 in any run that can be played"
)]

use std::f64::consts::{LN_10, SQRT_2};

use statrs::function::erf::erfc;
use thiserror::Error;

pub mod anytime;
pub mod elo;
pub mod estimate;
pub mod interval;
pub mod race;
pub mod rates;
pub mod ratings;
pub mod scores;
pub mod sprt;
pub mod stopping;
pub mod tune;

/// An input that can't be counted or computed, as the end of a sentence that begins with "failed
/// to".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("can't {0}")]
pub struct StatsError(String);

/// Elo in one unit of log-odds: 400 / ln 10.
pub const C: f64 = 400.0 / LN_10;

/// Normalized Elo in one unit of t-value: 800 / ln 10.
pub const C2: f64 = 2.0 * C;

/// The 97.5% quantile of the normal distribution. Half-widths of 95% intervals are this many
/// standard errors.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Returns the expected score of a bot that is `elo` stronger: `1 / (1 + 10^(-elo / 400))`.
pub fn elo_to_score(elo: f64) -> f64 {
    logistic(elo / C)
}

/// Returns the Elo difference that makes `score` the expected score: minus infinity at 0, infinity
/// at 1, NaN outside.
pub fn score_to_elo(score: f64) -> f64 {
    elo_of_odds(score, 1.0 - score)
}

/// The standard normal distribution function, to ten digits.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

/// Bisects for the largest number at which `holds` is true. It must be true at `lo` and false at
/// `hi`.
fn bisect(mut lo: f64, mut hi: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(lo, hi);
        if holds(middle) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    f64::midpoint(lo, hi)
}

/// Returns the Elo of the odds `won : lost`. Swapping the two changes the sign and nothing else, to
/// the last digit.
fn elo_of_odds(won: f64, lost: f64) -> f64 {
    if won >= lost {
        C * ((won - lost) / lost).ln_1p()
    } else {
        -(C * ((lost - won) / won).ln_1p())
    }
}

/// Returns output number `index` of the `SplitMix64` generator with this seed (Steele, Lea, Flood
/// 2014). For one seed no two outputs are equal, because the finalizer and the step are bijections.
pub fn split_mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Converts log-odds to a probability.
fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "infinities are exact")]
    fn elo_and_score_are_inverse() {
        for elo in [-800.0, -30.5, 0.0, 10.0, 400.0] {
            assert!((score_to_elo(elo_to_score(elo)) - elo).abs() < 1e-9);
        }
        assert!((elo_to_score(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert_eq!(score_to_elo(0.0), f64::NEG_INFINITY);
        assert_eq!(score_to_elo(1.0), f64::INFINITY);
        assert!(score_to_elo(1.5).is_nan() && score_to_elo(-0.5).is_nan());
    }

    #[test]
    fn the_quantile_is_the_one_of_95_percent() {
        assert!((normal_cdf(Z95) - 0.975).abs() < 1e-10);
        assert!((normal_cdf(-Z95) - 0.025).abs() < 1e-10);
    }
}
