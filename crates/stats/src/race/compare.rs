//! Two variants on the same seeds, and many against one baseline.

use serde::Serialize;
use strum::Display;

use super::super::elo::{MatchElo, match_elo};
use super::super::multiple::{holm, p_value, rejects};
use super::super::scores::UnitScores;
use super::super::{C, Z95, elo_of_odds, score_to_elo};

/// How far a variant is behind the leader, from the differences of their scores on the same seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lag {
    /// The leader.
    pub leader: usize,
    /// Elo of the variant less that of the leader: not above 0.
    pub elo: f64,
    /// Lower 95% end, for one look at two variants that were not chosen for their results.
    pub lo95: f64,
    /// Upper 95% end.
    pub hi95: f64,
}

/// Sums over the units that a leader and another variant both played, in parts of a full score.
pub(super) struct Pair {
    pub(super) units: u64,
    pub(super) full: u32,
    pub(super) points: [u128; 2],
    pub(super) squares: [u128; 2],
    pub(super) products: u128,
}

impl Pair {
    pub(super) fn units(&self) -> f64 {
        self.units as f64
    }

    /// By how many full scores the leader is ahead.
    pub(super) fn difference(&self) -> f64 {
        self.points[0].saturating_sub(self.points[1]) as f64 / f64::from(self.full)
    }

    /// The variance of the difference of a unit; half a unit keeps it away from 0.
    pub(super) fn variance(&self) -> f64 {
        self.weighted_variance([1.0, 1.0])
    }

    /// The same where the two scores have different weights.
    fn weighted_variance(&self, [one, two]: [f64; 2]) -> f64 {
        let [first, second, common] = self.scatters();
        let sum = one * one * first - 2.0 * one * two * common + two * two * second;
        (sum.max(0.0) / self.units() + one * two / 2.0) / (self.units() + 1.0)
    }

    /// Variances of the two scores, and their covariance, times the units squared: whole numbers up to the last step, so
    /// that variants that score alike differ by nothing at all.
    fn scatters(&self) -> [f64; 3] {
        let scatter = |products: u128, p: u128, q: u128| {
            let (products, means) = (u128::from(self.units) * products, p * q);
            let scatter = if products < means { -((means - products) as f64) } else { (products - means) as f64 };
            scatter / (f64::from(self.full) * f64::from(self.full))
        };
        let ([p, q], [first, second]) = (self.points, self.squares);
        [scatter(first, p, p), scatter(second, q, q), scatter(self.products, p, q)]
    }

    /// How far ahead the leader is in Elo if it is ahead by so many full scores.
    pub(super) fn elo_if_ahead_by(&self, scores: f64) -> f64 {
        let leader = self.points[0] as f64 / (self.units() * f64::from(self.full));
        let other = (leader - scores / self.units()).max(0.0);
        score_to_elo(leader) - score_to_elo(other)
    }

    /// The difference in Elo with its error, by the delta method: one point of score is worth `C / (s (1 - s))` Elo at a
    /// score of s.
    pub(super) fn lag(&self, leader: usize) -> Option<Lag> {
        let all = self.units() * f64::from(self.full);
        let [first, second] = self.points.map(|points| elo_of_odds(points as f64, all - points as f64));
        let elo = second - first;
        let slopes = self.points.map(|points| {
            // Two pseudo-units, as in intervals of one match.
            let score = (points as f64 / f64::from(self.full) + 1.0) / (self.units() + 2.0);
            C / (score * (1.0 - score))
        });
        let error = Z95 * (self.weighted_variance(slopes) / self.units()).sqrt();
        elo.is_finite().then_some(Lag { leader, elo, lo95: elo - error, hi95: elo + error })
    }
}

/// What a variant is, compared with the baseline, when all variants are judged together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum GridVerdict {
    /// Stronger than the baseline.
    Stronger,
    /// Weaker than the baseline.
    Weaker,
    /// Not told from the baseline.
    Open,
}

/// One variant of a grid that was played to its end, against the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The chance that a variant as strong as the baseline ends as far from an even score.
    pub p: f64,
    /// The same, adjusted by Holm for the number of variants.
    pub adjusted: f64,
    /// The verdict at 5% for all variants together.
    pub verdict: GridVerdict,
}

/// Compares every variant with the baseline it played, where all played as planned: no race. `None` if one of them
/// played no unit.
#[must_use]
pub fn against_baseline(variants: &[UnitScores], games_per_unit: u32) -> Option<Vec<Compared>> {
    let results: Vec<MatchElo> =
        variants.iter().map(|scores| match_elo(scores, games_per_unit)).collect::<Option<_>>()?;
    let p_values: Vec<f64> = results.iter().map(p_value).collect();
    let compared = |((result, &p), adjusted): ((&MatchElo, &f64), f64)| {
        let verdict = match result.score > 0.5 {
            _ if !rejects(adjusted) => GridVerdict::Open,
            true => GridVerdict::Stronger,
            false => GridVerdict::Weaker,
        };
        Compared { p, adjusted, verdict }
    };
    Some(results.iter().zip(&p_values).zip(holm(&p_values)).map(compared).collect())
}
