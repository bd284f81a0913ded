//! Rates of events and quantiles of times with exact intervals, and the sign test.
//!
//! The only assumption is that counted events are independent.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::function::beta::beta_reg;

use super::bisect;
use super::interval::Holds;

/// The probability beyond each end of a 95% interval.
const TAIL: f64 = 0.025;

/// The most values for exact ranks of a quantile. For more, the normal distribution
/// is less than one rank off, and the sums of the exact ranks no longer converge.
const MANY: u64 = 10_000;

/// A share of trials with an event.
///
/// The interval is that of C. Clopper and E. Pearson (1934).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// Number counted.
    pub count: u64,
    /// The number of which `count` is a part.
    pub of: u64,
    /// `count` divided by `of`.
    pub share: f64,
    /// Lower end of the 95% interval; null if unknown or infinite.
    pub lo95: f64,
    /// Upper end of the 95% interval; null if unknown or infinite.
    pub hi95: f64,
    /// Upper bound of the true share, with 95% confidence.
    pub below95: f64,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    pub interval: Holds,
}

impl Rate {
    /// Returns the rate of `count` events in `of` independent trials; `None` without trials, or
    /// with fewer trials than events.
    pub fn new(count: u64, of: u64) -> Option<Rate> {
        if of == 0 || count > of {
            return None;
        }
        Some(Rate {
            count,
            of,
            share: count as f64 / of as f64,
            lo95: 1.0 - upper_end(of - count, of, TAIL),
            hi95: upper_end(count, of, TAIL),
            below95: upper_end(count, of, 2.0 * TAIL),
            interval: Holds::Once,
        })
    }
}

/// Returns the share that gives `count` or fewer events in `of` trials this probability.
fn upper_end(count: u64, of: u64, probability: f64) -> f64 {
    if count == of {
        return 1.0;
    }
    // The inverse of statrs doesn't end for some thousands of trials.
    bisect(count as f64 / of as f64, 1.0, |share| {
        1.0 - beta_reg((count + 1) as f64, (of - count) as f64, share) > probability
    })
}

/// Returns the p-value of the exact sign test: the chance that two equal sides are ahead in such
/// different numbers of units, or more different ones. Level units are left out.
///
/// Two bots that fail in games against each other aren't two samples: if one fails, the game is
/// over and the other doesn't fail, and a seed on which a bot fails may make it fail twice.
/// Fisher's exact test assumes two samples. It finds a difference between equal bots at 5% in 12 to
/// 31% of the matches that the tests simulate.
pub fn sign_test(one: u64, other: u64) -> f64 {
    let less = one.min(other);
    Binomial::new(0.5, one + other).map_or(1.0, |ahead| (2.0 * ahead.cdf(less)).min(1.0))
}

/// Returns the ranks, from 1, of sorted independent values that enclose the true quantile with 95%
/// confidence; `None` if there are too few values for an end.
pub fn quantile_ranks(quantile: f64, values: u64) -> [Option<u64>; 2] {
    let [lo, hi] = if values > MANY {
        let middle = quantile * values as f64;
        let deviation = (quantile * (1.0 - quantile) * values as f64).sqrt();
        [-1.0, 1.0].map(|side| whole(middle + side * crate::Z95 * deviation))
    } else {
        let Ok(below) = Binomial::new(quantile, values) else {
            return [None; 2];
        };
        [TAIL, 1.0 - TAIL].map(|probability| below.inverse_cdf(probability))
    };
    let lo = if lo > 0 { Some(lo) } else { None };
    let hi = if hi < values { Some(hi + 1) } else { None };
    [lo, hi]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the number of values"
)]
fn whole(rank: f64) -> u64 {
    rank.ceil() as u64
}
