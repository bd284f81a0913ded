//! Response times, counted.

use std::collections::BTreeMap;

use serde::Serialize;

/// Response times by the microsecond, as records keep them. A bot answers in few different times, so counting them
/// takes little memory however many games there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    counts: BTreeMap<u32, u64>,
}

/// Response times in milliseconds. Quantiles are by nearest rank: each is a time that was really observed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct TimeSummary {
    /// How many answers there were.
    pub(crate) count: u64,
    /// The median.
    pub(crate) p50: f64,
    /// 95% of the answers took no longer.
    pub(crate) p95: f64,
    /// 99% of the answers took no longer.
    pub(crate) p99: f64,
    /// The longest.
    pub(crate) max: f64,
}

impl Times {
    /// Counts one answer, in milliseconds.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, which is what is wanted")]
    pub(crate) fn add(&mut self, ms: f64) {
        *self.counts.entry((ms * 1000.0).round() as u32).or_default() += 1;
    }

    /// The times in short; `None` where there is none.
    pub(crate) fn summary(&self) -> Option<TimeSummary> {
        let count = self.counts.values().sum();
        let quantile = |percent| self.quantile(percent, count);
        Some(TimeSummary { count, p50: quantile(50)?, p95: quantile(95)?, p99: quantile(99)?, max: quantile(100)? })
    }

    /// The time at rank `ceil(percent * count / 100)`.
    fn quantile(&self, percent: u64, count: u64) -> Option<f64> {
        let rank = (percent * count).div_ceil(100);
        let mut seen = 0;
        let at_rank = |&(_, times): &(&u32, &u64)| {
            seen += times;
            seen >= rank
        };
        self.counts.iter().find(at_rank).map(|(&micros, _)| f64::from(micros) / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let mut times = Times::default();
        assert_eq!(times.summary(), None);
        times.add(0.25);
        let one = TimeSummary { count: 1, p50: 0.25, p95: 0.25, p99: 0.25, max: 0.25 };
        assert_eq!(times.summary(), Some(one));
        (2..=200).for_each(|ms| times.add(f64::from(ms)));
        let many = TimeSummary { count: 200, p50: 100.0, p95: 190.0, p99: 198.0, max: 200.0 };
        assert_eq!(times.summary(), Some(many));
    }
}
