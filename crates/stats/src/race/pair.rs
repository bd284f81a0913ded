//! Two variants on the same seeds.

use super::super::scores::Sums;
use super::super::{C, elo_of_odds, score_to_elo};

/// The distance of a variant to the leader, from the differences of their scores on the same seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lag {
    /// The leader.
    pub leader: usize,
    /// Elo of the variant less that of the leader: not above 0.
    pub elo: f64,
    /// Lower end of the interval that the race uses, valid at every look: the probability that it
    /// ever misses the truth of a variant is alpha at most.
    pub lo: f64,
    /// Upper end, below 0 exactly if the variant is eliminated.
    pub hi: f64,
}

/// A leader and another variant over the units that both played. The sum of the products of their
/// scores is in parts of a full score squared.
pub(super) struct Pair {
    pub(super) sums: [Sums; 2],
    pub(super) products: u128,
}

impl Pair {
    pub(super) fn units(&self) -> f64 {
        self.sums[0].units as f64
    }

    /// The lead of the leader in full scores.
    pub(super) fn difference(&self) -> f64 {
        self.sums[0].points.saturating_sub(self.sums[1].points) as f64 / self.full()
    }

    /// The variance of the difference of a unit. Half a unit keeps it away from 0.
    pub(super) fn variance(&self) -> f64 {
        let [first, second] = self
            .sums
            .map(|sums| sums.scatter() / (self.full() * self.full()));
        let scatter = (first - 2.0 * self.common_scatter() + second).max(0.0);
        (scatter / self.units() + 0.5) / (self.units() + 1.0)
    }

    /// The covariance of the two scores times the units squared. It is a whole number up to the
    /// last step, so that variants that score alike have no difference at all.
    fn common_scatter(&self) -> f64 {
        let [first, second] = self.sums;
        let products = u128::from(first.units) * self.products;
        let scatter = products.cast_signed() - (first.points * second.points).cast_signed();
        scatter as f64 / (self.full() * self.full())
    }

    /// Returns the lead of the leader in Elo if it is ahead by this many full scores.
    pub(super) fn elo_if_ahead_by(&self, scores: f64) -> f64 {
        let leader = self.sums[0].mean();
        let other = (leader - scores / self.units()).max(0.0);
        score_to_elo(leader) - score_to_elo(other)
    }

    /// Returns the difference in Elo, with an interval of `boundary` full scores to either side.
    pub(super) fn lag(&self, leader: usize, boundary: f64) -> Option<Lag> {
        let [first, second] = self.sums.map(|sums| elo_of_odds(sums.won(), sums.lost()));
        let (elo, ahead) = (second - first, self.difference());
        if !elo.is_finite() {
            return None;
        }
        // The error is in proportion to the difference, so that the interval excludes 0 exactly if
        // the difference is beyond the boundary. Without a difference, a point of score is worth C
        // / (s (1 - s)) Elo at a score of s, here with two pseudo-units.
        let score = (self.sums[0].won() / self.full() + 1.0) / (self.units() + 2.0);
        let per_score = if ahead > 0.0 {
            -elo / ahead
        } else {
            C / (score * (1.0 - score)) / self.units()
        };
        let error = boundary * per_score;
        Some(Lag {
            leader,
            elo,
            lo: elo - error,
            hi: elo + error,
        })
    }

    fn full(&self) -> f64 {
        f64::from(self.sums[0].full)
    }
}
