//! Bets against the hypotheses of a test, so that clear cases end early.
//!
//! The LLR moves in small steps, however clear the case is: a test of 0 against 10 Elo takes 104
//! won pairs to accept a bot that wins everything. If you believe that the mean score of units is
//! above `m`, you can bet on it instead: you have a capital of 1 and stake the same share of it on
//! every unit, at odds that are fair if the mean is `m`. A unit that scores x pays x / m of the
//! stake. If the mean is `m` or less, whatever the distribution, the capital isn't expected to
//! grow. So the chance that it ever reaches 1 / p is at most p (J. Ville 1939), and if it does you
//! may reject the hypothesis. This is a test martingale, or e-process (G. Shafer 2021; I.
//! Waudby-Smith & A. Ramdas 2024).
//!
//! The stakes are fixed beforehand and never depend on their unit.

use std::f64::consts::SQRT_2;

use schemars::JsonSchema;
use serde::Serialize;
use statrs::function::erf::erf_inv;

use super::hypotheses::{Hypotheses, State};
use crate::scores::UnitScores;
use crate::{bisect, elo_to_score};

/// The share of both error rates that bets have; the LLR has the rest. By simulation, tests of bots
/// in between take 5% more units, those of bots 100 Elo ahead less than half.
pub(super) const SHARE: f64 = 0.07;

/// The gamblers of a test.
const FEW: i32 = 5;
/// The gamblers of an interval that holds at every look. Small stakes make it narrow after
/// thousands of units.
const MANY: i32 = 10;

/// The shares of the capital that so many gamblers stake: 1, a half, a quarter and so on. Each
/// begins with the same part of the whole. A stake of 1 is lost with the first unit that scores
/// nothing but doubles with every won unit; a stake of a sixteenth detects 20 Elo.
fn stakes(gamblers: i32) -> impl Iterator<Item = f64> {
    (0..gamblers).map(|halved| 0.5_f64.powi(halved))
}

/// The error probability of either end of a 95% interval.
const TAIL: f64 = 0.025;
/// Ends of intervals beyond this Elo are infinite.
const FURTHEST: f64 = 1000.0;

/// A bet on the mean score of units.
#[derive(Debug, Clone, Copy)]
enum Bet {
    /// The mean is above this.
    Above(f64),
    /// The mean is below this.
    Below(f64),
}

impl Bet {
    /// Returns the payout of a stake of 1 on a unit.
    fn payout(&self, score: f64) -> f64 {
        match *self {
            Bet::Above(mean) => score / mean,
            Bet::Below(mean) => (1.0 - score) / (1.0 - mean),
        }
    }

    /// Returns the logarithm of the capital of each gambler after these units, in any order. Each
    /// unit counts as `weight` units.
    fn capitals(&self, scores: &UnitScores, gamblers: i32, weight: f64) -> Vec<f64> {
        let capital = |stake| {
            // A stake of 1 would lose all with an unseen score.
            let seen = scores.values().filter(|&(_, count)| count > 0);
            let growth = |(score, count)| count as f64 * factor(stake, self.payout(score)).ln();
            weight * seen.map(growth).sum::<f64>() - f64::from(gamblers).ln()
        };
        stakes(gamblers).map(capital).collect()
    }

    /// Returns the logarithm of the capital after these units.
    fn capital(&self, scores: &UnitScores, gamblers: i32, weight: f64) -> f64 {
        let capitals = self.capitals(scores, gamblers, weight);
        let most = capitals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares = capitals.iter().map(|capital| (capital - most).exp());
        most + shares.sum::<f64>().ln()
    }

    /// Returns true if the capital is more than it is with a chance of `error` if the bet is wrong.
    fn refutes(&self, scores: &UnitScores, gamblers: i32, weight: f64, error: f64) -> bool {
        self.capital(scores, gamblers, weight) >= -error.ln()
    }
}

/// The capitals of the bets against `elo0` and against `elo1`, from 1 each: e-values, as
/// logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Capitals {
    /// Logarithms of the capitals of the bets against `elo0` and `elo1`.
    pub ln: [f64; 2],
    /// Logarithms that accept and that reject.
    pub enough: [f64; 2],
}

impl Capitals {
    /// Returns the index of the bet that has won enough, if one has.
    pub fn won(&self) -> Option<usize> {
        (0..2).find(|&side| self.ln[side] >= self.enough[side])
    }

    /// Returns the state of the test by its bets alone.
    pub fn state(self) -> State {
        match self.won() {
            Some(0) => State::Accepted,
            Some(_) => State::Rejected,
            None => State::Running,
        }
    }

    /// Returns the progress of the bet that is closer to its end, from 0 to 1.
    pub fn progress(&self) -> f64 {
        let [accepts, rejects] = [0, 1].map(|side| self.ln[side] / self.enough[side]);
        accepts.max(rejects).clamp(0.0, 1.0)
    }
}

/// Returns the growth factor of a capital in one unit.
fn factor(stake: f64, payout: f64) -> f64 {
    1.0 - stake + stake * payout
}

/// The two bets of a test: against the lower hypothesis, and against the upper one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bets {
    bets: [Bet; 2],
    /// The logarithms of the capitals that decide.
    enough: [f64; 2],
}

impl Bets {
    /// Returns bets at [`SHARE`] of the error rates.
    ///
    /// In the normalized model the mean score of a hypothesis depends on the variance, which lies
    /// between 0 and 1/4. The bet is against all of these means. Hypotheses of 0 are the same for
    /// each.
    pub(super) fn new(hypotheses: &Hypotheses, games_per_unit: u32) -> Self {
        let [least, most] = [0.0, 0.25].map(|variance| hypotheses.scores(games_per_unit, variance));
        Self {
            bets: [
                Bet::Above(least[0].max(most[0])),
                Bet::Below(least[1].min(most[1])),
            ],
            enough: [hypotheses.alpha, hypotheses.beta].map(|error| -(SHARE * error).ln()),
        }
    }

    /// Returns the capitals after these units.
    pub(super) fn after(&self, scores: &UnitScores) -> Capitals {
        Capitals {
            ln: self.bets.map(|bet| bet.capital(scores, FEW, 1.0)),
            enough: self.enough,
        }
    }

    /// Returns the walk of the stake that is expected to end first if the true mean score is
    /// `score`, with this variance; `None` if no capital grows.
    pub(super) fn soonest(&self, scores: &UnitScores, variance: f64, score: f64) -> Option<Walk> {
        let mut walks = Vec::new();
        for (bet, enough) in self.bets.iter().zip(self.enough) {
            let likely = likely_scores(bet, score, variance);
            let capitals = bet.capitals(scores, FEW, 1.0);
            for (stake, capital) in stakes(FEW).zip(capitals) {
                let (mut drift, mut square) = (0.0, 0.0);
                for (score, chance) in likely {
                    if chance > 0.0 {
                        let step = factor(stake, bet.payout(score)).ln();
                        drift += chance * step;
                        square += chance * step.powi(2);
                    }
                }
                if drift > 0.0 {
                    walks.push(Walk {
                        distance: enough - capital,
                        drift,
                        variance: square - drift * drift,
                    });
                }
            }
        }
        walks
            .into_iter()
            .min_by(|a, b| a.units().total_cmp(&b.units()))
    }
}

/// Returns scores with chances that have this mean and variance together: lost, level and won units
/// if possible. Otherwise units vary too little for lost ones, and two scores are enough, one of
/// them the best for the bet.
fn likely_scores(bet: &Bet, mean: f64, variance: f64) -> [(f64, f64); 3] {
    let variance = variance.min(mean * (1.0 - mean));
    let off = mean - 0.5;
    let decided = 4.0 * (variance + off * off);
    let [lost, won] = [decided / 2.0 - off, decided / 2.0 + off];
    if lost.min(won) >= 0.0 {
        return [(0.0, lost), (0.5, 1.0 - decided), (1.0, won)];
    }
    let is_above = matches!(bet, Bet::Above(_));
    let wished = if is_above { 1.0 } else { 0.0 };
    let away = wished - mean;
    let chance = variance / (variance + away * away);
    [
        (wished, chance),
        (mean - variance / away, 1.0 - chance),
        (0.5, 0.0),
    ]
}

/// The logarithm of a capital on its way to the capital that decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    distance: f64,
    /// Mean and variance of a step.
    drift: f64,
    variance: f64,
}

impl Walk {
    /// Returns the mean number of units to the end.
    pub(super) fn units(&self) -> f64 {
        (self.distance / self.drift).max(1.0)
    }

    /// Returns the number of units until the capital is enough with this probability.
    pub(super) fn units_quantile(&self, probability: f64) -> f64 {
        let z = SQRT_2 * erf_inv(2.0 * probability - 1.0);
        let spread = z * self.variance.sqrt();
        let root = (spread + (spread * spread + 4.0 * self.drift * self.distance).sqrt())
            / (2.0 * self.drift);
        (root * root).max(1.0)
    }
}

/// Returns both ends of the 95% interval of ordinary Elo that holds at every look: the chance that
/// it ever excludes the truth is 5% at most, whatever the scores and whenever play stops. An end is
/// infinite beyond 1000 Elo.
///
/// The interval holds the strengths that no bet refutes. A bet refutes a strength by turning 1 into
/// 40, which happens to the true strength with a chance of 2.5% on either side. `distinct` is the
/// number of units that repeat no other: the others add no evidence.
pub(crate) fn at_every_look(scores: &UnitScores, distinct: u64) -> [f64; 2] {
    unrefuted(scores, MANY, weight(scores, distinct), [TAIL; 2])
}

/// Returns both ends of one of several such intervals. The chance that any of them ever excludes
/// its truth is 5% at most, so they hold for the best one, too (C. Bonferroni 1936).
pub(crate) fn at_every_look_among(scores: &UnitScores, intervals: usize) -> [f64; 2] {
    unrefuted(scores, MANY, 1.0, [TAIL / intervals as f64; 2])
}

/// Returns true if the interval of [`crate::estimate::Estimate::at_every_look`] excludes a
/// strength, in a hundredth of the time that its ends take.
pub fn is_refuted(scores: &UnitScores, distinct: u64, elo: f64) -> bool {
    let bets = [Bet::Above, Bet::Below].map(|bet| bet(elo_to_score(elo)));
    let weight = weight(scores, distinct);
    bets.iter()
        .any(|bet| bet.refutes(scores, MANY, weight, TAIL))
}

fn weight(scores: &UnitScores, distinct: u64) -> f64 {
    distinct as f64 / scores.units() as f64
}

/// Returns both ends of the interval after a test that a bet ended. The true strength lies below it
/// with a chance of `alpha`, and above it with one of `beta`, at most. After an acceptance it
/// excludes the lower hypothesis, because the bet that accepted refutes it.
pub(super) fn after_bet(scores: &UnitScores, errors: [f64; 2]) -> [f64; 2] {
    unrefuted(scores, FEW, 1.0, errors)
}

/// Returns the strengths that bets of so many gamblers don't refute, with a chance of error on
/// either side.
fn unrefuted(scores: &UnitScores, gamblers: i32, weight: f64, errors: [f64; 2]) -> [f64; 2] {
    let refutes = |bet: Bet, error| bet.refutes(scores, gamblers, weight, error);
    [
        last_refuted(|elo| refutes(Bet::Above(elo_to_score(elo)), errors[0])),
        -last_refuted(|elo| refutes(Bet::Below(elo_to_score(-elo)), errors[1])),
    ]
}

/// Returns the highest refuted strength.
fn last_refuted(is_refuted: impl Fn(f64) -> bool) -> f64 {
    if is_refuted(-FURTHEST) {
        bisect(-FURTHEST, FURTHEST, is_refuted)
    } else {
        f64::NEG_INFINITY
    }
}
