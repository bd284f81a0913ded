//! Counts of response times.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use arena_stats::estimate::Holds;
use arena_stats::rates::quantile_ranks;

/// Response times in microseconds, to three digits. There are few such numbers, so memory doesn't
/// grow with the games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// A hash map, because a run may have a hundred million answers.
    counts: FxHashMap<u32, u64>,
    /// The longest time, to the microsecond as in records.
    max: u32,
}

/// Response times in milliseconds, to three digits except the longest. Quantiles are by nearest
/// rank, so each of them was observed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TimeSummary {
    /// Number counted.
    pub(crate) count: u64,
    /// Median, in milliseconds.
    pub(crate) p50: f64,
    /// 95% quantile, in milliseconds.
    pub(crate) p95: f64,
    /// 99% quantile, in milliseconds.
    pub(crate) p99: f64,
    /// Longest time, in milliseconds.
    pub(crate) max: f64,
    /// 95% intervals of the quantiles; null if times of one game aren't independent.
    pub(crate) interval95: Option<TimeIntervals>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    pub(crate) interval: Holds,
}

/// Both ends of the 95% intervals of quantiles. They are times that were observed, too.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TimeIntervals {
    /// Ends of the 95% interval of the median; null with too few answers.
    pub(crate) p50: [Option<f64>; 2],
    /// Ends of the 95% interval of the 95% quantile; null with too few answers.
    pub(crate) p95: [Option<f64>; 2],
    /// Ends of the 95% interval of the 99% quantile; null with too few answers.
    pub(crate) p99: [Option<f64>; 2],
}

impl Times {
    /// Counts an answer, in milliseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, which is what is wanted"
    )]
    pub(crate) fn add(&mut self, ms: f64) {
        let micros = (ms * 1000.0).round() as u32;
        *self.counts.entry(three_digits(micros)).or_default() += 1;
        self.max = self.max.max(micros);
    }

    /// The number of answers.
    pub(crate) fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The times in short, if there are any; with intervals if they are independent.
    pub(crate) fn summary(&self, are_independent: bool) -> Option<TimeSummary> {
        let (counts, count) = (self.counts.iter(), self.count());
        let sorted = counts.map(|(&micros, &times)| (micros, times)).collect();
        let [p50, p95, p99] =
            [50, 95, 99].map(|percent| self.at_rank(&sorted, (percent * count).div_ceil(100)));
        let ends =
            |quantile| quantile_ranks(quantile, count).map(|rank| self.at_rank(&sorted, rank?));
        Some(TimeSummary {
            count,
            p50: p50?,
            p95: p95?,
            p99: p99?,
            max: f64::from(self.max) / 1000.0,
            interval: Holds::Once,
            interval95: are_independent.then(|| TimeIntervals {
                p50: ends(0.5),
                p95: ends(0.95),
                p99: ends(0.99),
            }),
        })
    }

    /// The time at this rank, from 1.
    fn at_rank(&self, sorted: &BTreeMap<u32, u64>, rank: u64) -> Option<f64> {
        let mut seen = 0;
        let (&micros, _) = sorted.iter().find(|(_, times)| {
            seen += *times;
            seen >= rank
        })?;
        Some(f64::from(micros.min(self.max)) / 1000.0)
    }
}

/// Rounds a number to three digits.
fn three_digits(number: u32) -> u32 {
    let unit = 10u32.pow(number.max(1).ilog10().saturating_sub(2));
    (number / unit + u32::from(number % unit * 2 >= unit)).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let mut times = Times::default();
        assert_eq!(times.summary(true), None);
        let summary = |count, [p50, p95, p99, max]: [f64; 4]| TimeSummary {
            count,
            p50,
            p95,
            p99,
            max,
            interval95: None,
            interval: Holds::Once,
        };
        times.add(0.25);
        assert_eq!(times.summary(false), Some(summary(1, [0.25; 4])));
        (2..=200).for_each(|ms| times.add(f64::from(ms)));
        let many = summary(200, [100.0, 190.0, 198.0, 200.0]);
        assert_eq!(times.summary(false), Some(many));
        // Ranks 86 and 115 of 200, 184 and 197, 195 and one beyond the last.
        let intervals = TimeIntervals {
            p50: [Some(86.0), Some(115.0)],
            p95: [Some(184.0), Some(197.0)],
            p99: [Some(195.0), None],
        };
        assert_eq!(times.summary(true).unwrap().interval95, Some(intervals));
    }

    #[test]
    fn there_are_few_different_times_and_the_longest_is_exact() {
        let mut times = Times::default();
        (1..=200_000).for_each(|micros| times.add(f64::from(micros) / 1000.0));
        times.add(200.4321);
        assert!(times.counts.len() < 3000, "{}", times.counts.len());
        let TimeSummary { p50, p99, max, .. } = times.summary(false).unwrap();
        assert_eq!((p50, p99, max), (100.0, 198.0, 200.432));
        assert_eq!(
            [0, 7, 999, 1004, 1005, 99_949, 99_950, u32::MAX].map(three_digits),
            [0, 7, 999, 1000, 1010, 99_900, 100_000, 4_290_000_000]
        );
    }
}
