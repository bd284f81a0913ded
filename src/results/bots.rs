//! How bots fared in the games of a [`Count`](super::Count).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::count::score;
use arena_stats::elo::match_elo;
use arena_stats::ratings::half_points;
use arena_stats::scores::UnitScores;

/// The parts of a first place, which up to eight seats share. Integers make sums independent of the
/// order of the games.
pub(super) const PARTS: u64 = 720_720;

/// The games of one bot, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct BotCount {
    pub(crate) name: String,
    pub(crate) games: u64,
    /// The number of its seats that failed, by fate.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// Comparisons lost, drawn and won, by seat, including those of incomplete units.
    pub(crate) by_seat: Vec<[u64; 3]>,
    /// The number of seats in all games.
    pub(super) seats: u64,
    /// The sum of the places of all seats.
    pub(super) places: u64,
    /// First places, in [`PARTS`]. A shared one counts in part.
    pub(super) firsts: u64,
    /// The number of complete units in games of more than two seats, by seats, places below the
    /// first, and first places.
    pub(super) unit_places: BTreeMap<[u64; 3], u64>,
    /// The scores of games of one seat in complete units.
    pub(crate) alone: AloneScores,
}

impl BotCount {
    /// The mean score, from 0 to 1.
    pub(crate) fn score(&self) -> f64 {
        score(self.ldw()).unwrap_or(0.0)
    }

    pub(super) fn new(name: &str, seats: usize) -> BotCount {
        BotCount {
            name: name.to_owned(),
            by_seat: vec![[0; 3]; seats],
            ..BotCount::default()
        }
    }

    pub(super) fn compared(&mut self, seat: usize, outcome: Ordering, times: u64) {
        // Bots that play alone all have the first seat.
        let seat = seat.min(self.by_seat.len() - 1);
        let count = &mut self.by_seat[seat][usize::from(half_points(outcome))];
        *count = count.saturating_add(times);
    }

    /// Comparisons lost, drawn and won in all seats.
    pub(crate) fn ldw(&self) -> [u64; 3] {
        [0, 1, 2].map(|outcome| {
            self.by_seat
                .iter()
                .fold(0, |sum: u64, ldw| sum.saturating_add(ldw[outcome]))
        })
    }

    /// The mean place, if places are known.
    pub(crate) fn mean_place(&self) -> Option<f64> {
        mean(self.places as f64, self.seats as f64)
    }

    /// The share of seats that came first, if places are known.
    pub(crate) fn firsts(&self) -> Option<f64> {
        mean(self.firsts as f64, (PARTS * self.seats) as f64)
    }

    /// The 95% interval of the mean place, from complete units; `None` with two seats.
    pub(crate) fn mean_place95(&self) -> Option<[f64; 2]> {
        let behind = self.by_seat.len().saturating_sub(1) as u64;
        let [lo, hi] = self.interval95(1, behind)?;
        Some([1.0 + lo * behind as f64, 1.0 + hi * behind as f64])
    }

    /// The 95% interval of the share of first places, from complete units; `None` with two seats.
    pub(crate) fn firsts95(&self) -> Option<[f64; 2]> {
        self.interval95(2, PARTS)
    }

    /// The 95% interval of the mean of a sum of units, as a share of `full`, the most that a seat
    /// can have. Like the interval of scores, it takes units as independent, not their games.
    fn interval95(&self, sum: usize, full: u64) -> Option<[f64; 2]> {
        let shares = self
            .unit_places
            .iter()
            .map(|(sums, &units)| (sums[sum] as f64 / (sums[0] * full) as f64, units));
        let mean = match_elo(&UnitScores::from_values(shares).ok()?, 1)?;
        Some([mean.score_lo, mean.score_hi])
    }
}

/// The scores of one bot in games of one seat, without those in which it failed. Integers make sums
/// independent of the order of the games.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AloneScores {
    games: u64,
    sum: i128,
    /// The sum of scores over the best one, in [`SHARES`].
    over_best: i128,
}

/// The parts of a score over the best one.
const SHARES: i128 = 1_000_000_000;

impl AloneScores {
    /// Adds the value of a score, and the best one on the seed.
    pub(super) fn add(&mut self, own: i128, best: i128, lower_is_better: bool) {
        self.games += 1;
        self.sum += if lower_is_better { -own } else { own };
        self.over_best += match own {
            _ if own == best => SHARES,
            _ if best > 0 => SHARES * own / best,
            // Values below 0 are costs.
            _ => SHARES * best / own,
        };
    }

    /// The mean score.
    pub(crate) fn mean(&self) -> Option<f64> {
        mean(self.sum as f64, self.games as f64)
    }

    /// The mean of the scores divided by the best one on the seed.
    pub(crate) fn over_best(&self) -> Option<f64> {
        mean(self.over_best as f64, SHARES as f64 * self.games as f64)
    }
}

/// The mean, if there is something to count.
pub(super) fn mean(sum: f64, count: f64) -> Option<f64> {
    (count > 0.0).then(|| sum / count)
}
