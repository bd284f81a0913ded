//! Quantiles of response times.
//!
//! A quantile is a time that was really observed, and so are the ends of its interval: nothing is assumed of how times
//! are distributed. The times must be independent of each other. Those of one game are not, so an interval is honest
//! only for one time per game, such as its longest.

use statrs::distribution::{Binomial, DiscreteCDF};

/// How much longer a bot's p95 may take when several games run at once: beyond this share of the time that it
/// takes alone, the machine is too busy.
pub const SLOWED: f64 = 1.1;

/// A quantile and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantile {
    /// The time at rank `ceil(q n)`.
    pub value: f64,
    /// Lower 95% end; `None` if there are too few times to tell.
    pub lo95: Option<f64>,
    /// Upper 95% end; `None` if there are too few times to tell. The 99th percentile has one from 368 times on.
    pub hi95: Option<f64>,
}

impl Quantile {
    /// Whether this p95, measured with several games at once, is surely above [`SLOWED`] times the p95 of the same bot
    /// alone.
    #[must_use]
    pub fn slowed(&self, alone: f64) -> bool {
        self.lo95.is_some_and(|lo| lo > SLOWED * alone)
    }
}

/// The quantile `q` (0 to 1) of times in ascending order; `None` without times.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> Option<Quantile> {
    let at = |rank: usize| sorted.get(rank.checked_sub(1)?).copied();
    let [lo, hi] = interval_ranks(sorted.len(), q);
    Some(Quantile { value: at(rank(sorted.len(), q))?, lo95: at(lo), hi95: at(hi) })
}

/// The rank, from 1, of the quantile among `count` times.
#[must_use]
pub fn rank(count: usize, q: f64) -> usize {
    let exact = q * count as f64;
    // 0.07 * 100 is a little above 7, and means 7.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to count")]
    let rank = (exact - 1e-12 * exact).ceil() as usize;
    rank.clamp(1, count.max(1))
}

/// The ranks, from 1, of both ends of the 95% interval: as many times lie below the true quantile as a binomial
/// distribution says. 0 and `count + 1` stand for ends that are open.
fn interval_ranks(count: usize, q: f64) -> [usize; 2] {
    let Ok(below) = Binomial::new(q, count as u64) else { return [0, count + 1] };
    let least = |chance: f64| {
        let (mut lo, mut hi) = (0, count as u64);
        while lo < hi {
            let middle = u64::midpoint(lo, hi);
            if below.cdf(middle) >= chance {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        usize::try_from(lo).unwrap_or(count)
    };
    [least(0.025), least(0.975) + 1]
}
