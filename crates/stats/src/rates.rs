//! How often something happens, and how long it takes: exact intervals for shares and for quantiles, and which of two bots
//! fails more often.
//!
//! Nothing is assumed but that what is counted is independent.

use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::function::beta::beta_reg;

use super::by_halves;

/// What either end of a 95% interval leaves out.
const TAIL: f64 = 0.025;

/// With more values than this the ranks of a quantile come from the normal distribution, which is less than one rank off. The
/// sums behind the exact ones no longer converge far above.
const MANY: u64 = 10_000;

/// The share of trials in which something happened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// Trials in which it happened.
    pub count: u64,
    /// All trials.
    pub of: u64,
    /// The share.
    pub share: f64,
    /// Lower 95% end (C. Clopper and E. Pearson 1934).
    pub lo95: f64,
    /// Upper 95% end.
    pub hi95: f64,
    /// The true share is below this with 95% confidence: where nothing happened, about 3 divided by the number of trials.
    pub below95: f64,
}

impl Rate {
    /// Something that happened in `count` of so many independent trials; `None` without any, or with fewer than happened.
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
        })
    }
}

/// The share at which no more than `count` of so many trials happen with this probability.
fn upper_end(count: u64, of: u64, probability: f64) -> f64 {
    if count == of {
        return 1.0;
    }
    // The inverse of statrs does not end for some thousands of trials.
    by_halves(count as f64 / of as f64, 1.0, |share| {
        1.0 - beta_reg((count + 1) as f64, (of - count) as f64, share) > probability
    })
}

/// The chance that two sides that are as likely to be ahead in a unit are ahead in as different numbers of units, or more: the
/// exact sign test, with units that are level left out.
///
/// Two bots that fail in the games that they play against each other are no two samples, because where one fails the game
/// is over and the other does not, and because a seed on which a bot fails may make it fail twice. Fisher's exact test, which takes them
/// for two samples, tells equal bots apart at 5% in 12 to 31% of the matches that the tests simulate.
pub fn sign_test(one: u64, other: u64) -> f64 {
    let less = one.min(other);
    let Ok(ahead) = Binomial::new(0.5, one + other) else {
        return 1.0;
    };
    (2.0 * ahead.cdf(less)).min(1.0)
}

/// The ranks, from 1, between which the true quantile lies with 95% confidence, of so many independent values in ascending order;
/// `None` where there are too few for an end.
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
    [
        Some(lo).filter(|&lo| lo > 0),
        Some(hi + 1).filter(|&hi| hi <= values),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the number of values"
)]
fn whole(rank: f64) -> u64 {
    rank.ceil() as u64
}
