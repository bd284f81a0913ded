//! The sequential probability ratio test: it plays until the question is answered, and no longer.
//!
//! After every unit the logarithm of the likelihood ratio (LLR) of two hypotheses about the
//! strength of a bot says which one fits better. The test stops when the LLR leaves the interval
//! between two bounds (A. Wald 1947). The hypotheses are only about the mean of unit scores (or the
//! mean by deviation), so each is represented by the most likely distribution that it allows. This
//! generalized test needs neither normality nor a minimum number of units (M. Van den Bergh's notes
//! for fishtest; A. Owen, empirical likelihood).
//!
//! Add units in the order of the schedule, even if they end in another order: the time that a unit
//! takes depends on its result.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};
use thiserror::Error;

use self::betting::{Bets, Capitals, SHARE, after_bet};
use self::estimate::after_stop;
use self::likelihood::LikelihoodRatio;
use self::outlook::{Outlook, Units, outlook};
use super::elo::match_elo;
use super::estimate::Estimate;
use super::scores::UnitScores;
use super::{C2, StatsError, elo_to_score};

pub mod betting;
mod brownian;
pub mod estimate;
mod likelihood;
pub mod outlook;

/// The largest Elo of a hypothesis. Beyond it there is no room between a score and 0 or 1.
pub const MAX_ELO: f64 = 2000.0;

/// The smallest share of different units that allows a verdict.
pub const LEAST_DISTINCT: f64 = 0.9;

/// The kind of Elo of the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Model {
    /// Ordinary Elo: hypotheses about the mean score.
    #[default]
    Logistic,
    /// Normalized Elo: hypotheses about the mean score in standard deviations of a game, so that
    /// the number of games hardly depends on the share of draws.
    Normalized,
}

impl Model {
    /// Returns the unit of its hypotheses.
    pub fn unit(self) -> &'static str {
        match self {
            Model::Logistic => "Elo",
            Model::Normalized => "normalized Elo",
        }
    }
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum State {
    /// The upper bound was reached: the bot is as strong as `elo1` says.
    Accepted,
    /// The lower bound was reached: the bot is no stronger than `elo0`.
    Rejected,
    /// Neither bound was reached.
    Running,
}

/// The rule that ended a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    /// The LLR reached a bound.
    Likelihood,
    /// A bet against a hypothesis won enough.
    Betting,
}

/// The reason why hypotheses can't be tested.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum HypothesesError {
    /// The hypotheses are in the wrong order, or their scores are the same number.
    #[error(
        "can't test elo0 = {0} against elo1 = {1}: elo0 must be less than elo1, by more than is lost in rounding"
    )]
    Order(f64, f64),
    /// A hypothesis isn't a number, or is out of reach.
    #[error("can't test a strength of {0} Elo: numbers from -{MAX_ELO} to {MAX_ELO} are needed")]
    Elo(f64),
    /// The error rates `alpha` and `beta` aren't probabilities, or are too large together.
    #[error(
        "can't test with alpha = {0} and beta = {1}: both must be above 0, and less than 1 together"
    )]
    Errors(f64, f64),
}

/// The hypotheses of a test, with its error rates. Made by [`Hypotheses::new`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hypotheses {
    /// The kind of Elo of the hypotheses.
    pub model: Model,
    /// The lower hypothesis.
    pub elo0: f64,
    /// The upper hypothesis.
    pub elo1: f64,
    /// The chance to accept if `elo0` is true.
    pub alpha: f64,
    /// The chance to reject if `elo1` is true.
    pub beta: f64,
}

impl Hypotheses {
    /// Returns hypotheses for a test of whether a bot is `elo0` stronger (or less) or `elo1` (or
    /// more). A bot of `elo0` is accepted with a chance of `alpha`, and one of `elo1` rejected with
    /// a chance of `beta`.
    ///
    /// # Errors
    /// [`HypothesesError`].
    pub fn new(
        model: Model,
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
    ) -> Result<Self, HypothesesError> {
        let hypotheses = Self {
            model,
            elo0,
            elo1,
            alpha,
            beta,
        };
        hypotheses.check().map(|()| hypotheses)
    }

    /// Returns an error if such hypotheses can't be tested. [`Hypotheses::new`] checks this; call
    /// it for hypotheses that were deserialized.
    ///
    /// # Errors
    /// [`HypothesesError`].
    pub fn check(&self) -> Result<(), HypothesesError> {
        let (alpha, beta) = (self.alpha, self.beta);
        for elo in [self.elo0, self.elo1] {
            if elo.is_nan() || elo.abs() > MAX_ELO {
                return Err(HypothesesError::Elo(elo));
            }
        }
        if elo_to_score(self.elo1) < elo_to_score(self.elo0) + f64::EPSILON {
            return Err(HypothesesError::Order(self.elo0, self.elo1));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(HypothesesError::Errors(alpha, beta));
        }
        Ok(())
    }

    /// Returns the LLR that rejects: `ln(beta / (1 - alpha))`.
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// Returns the LLR that accepts: `ln((1 - beta) / alpha)`.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Returns the state of a test with this LLR.
    pub fn state(&self, llr: f64) -> State {
        if llr >= self.upper() {
            State::Accepted
        } else if llr <= self.lower() {
            State::Rejected
        } else {
            State::Running
        }
    }

    /// Returns the share of the way to the bound on its side: 1 at a bound.
    pub fn progress(&self, llr: f64) -> f64 {
        if llr >= 0.0 {
            llr / self.upper()
        } else {
            llr / self.lower()
        }
    }

    /// Returns the mean scores of the two hypotheses if the score of a unit of `games_per_unit`
    /// games has this variance. Only those of the normalized model depend on it.
    pub fn scores(&self, games_per_unit: u32, variance: f64) -> [f64; 2] {
        match self.model {
            Model::Logistic => [self.elo0, self.elo1].map(elo_to_score),
            Model::Normalized => {
                let deviation = (f64::from(games_per_unit) * variance).sqrt();
                [self.elo0, self.elo1].map(|nelo| 0.5 + nelo / C2 * deviation)
            }
        }
    }

    /// Returns the targets of the likelihood: two mean scores, or two t-values of a unit.
    fn targets(&self, games_per_unit: u32) -> [f64; 2] {
        match self.model {
            Model::Logistic => [self.elo0, self.elo1].map(elo_to_score),
            Model::Normalized => {
                [self.elo0, self.elo1].map(|nelo| nelo / C2 * f64::from(games_per_unit).sqrt())
            }
        }
    }
}

/// Returns true if so many units repeat others, move for move, that there is no verdict. Bots
/// without any randomness play the same game again and again, which is the evidence of one unit.
pub fn too_repetitive(distinct_units: u64, units: u64) -> bool {
    (distinct_units as f64) < LEAST_DISTINCT * units as f64
}

/// A test in progress. A unit costs a microsecond, however many came before.
///
/// The numbers are reproducible to the last digit for the same units in the same order.
#[derive(Debug, Clone)]
pub struct Sprt {
    /// The hypotheses with the error rates of the LLR. Bets have the rest.
    hypotheses: Hypotheses,
    /// The error rates of the test: `alpha` and `beta`.
    errors: [f64; 2],
    games_per_unit: u32,
    scores: UnitScores,
    likelihood: LikelihoodRatio,
    bets: Option<Bets>,
    llr: f64,
    capitals: Option<Capitals>,
    end: Option<(State, Rule)>,
}

impl Sprt {
    /// Returns a test in units of `games_per_unit` games, which ends when the LLR reaches a bound.
    /// If `is_early`, it also ends when a bet against a hypothesis wins enough ([`betting`]). Bets
    /// and LLR share the error rates, so that those of the hypotheses hold for both together.
    ///
    /// The units in `scores` came first. If it has none, it only says what a unit can score:
    /// `UnitScores::from_counts(4, [0; 5])` for pairs, `UnitScores::new(denominator)` for units of
    /// four seats, which can score so many values that only those seen are used. The two ends 0 and
    /// 1 are always possible.
    pub fn new(
        is_early: bool,
        hypotheses: Hypotheses,
        games_per_unit: u32,
        scores: UnitScores,
    ) -> Self {
        let bets = is_early.then(|| Bets::new(&hypotheses, games_per_unit));
        let left = if is_early { 1.0 - SHARE } else { 1.0 };
        let errors = [hypotheses.alpha, hypotheses.beta];
        let hypotheses = Hypotheses {
            alpha: left * hypotheses.alpha,
            beta: left * hypotheses.beta,
            ..hypotheses
        };
        let likelihood = LikelihoodRatio::new(hypotheses.model, hypotheses.targets(games_per_unit));
        let mut test = Self {
            hypotheses,
            errors,
            games_per_unit,
            scores,
            likelihood,
            bets,
            llr: 0.0,
            capitals: None,
            end: None,
        };
        test.look();
        test
    }

    /// Counts the next unit of the schedule, which scored `numerator` parts of a full score. After
    /// the test has ended, units are ignored.
    ///
    /// # Errors
    /// A score above 1, or too many units; nothing is counted then.
    pub fn add(&mut self, numerator: u32) -> Result<State, StatsError> {
        if self.end.is_none() {
            self.scores.add(numerator, 1)?;
            self.look();
        }
        Ok(self.state())
    }

    /// Applies both rules.
    fn look(&mut self) {
        self.llr = self.likelihood.llr(&self.scores);
        self.capitals = self.bets.map(|bets| bets.after(&self.scores));
        let capitals = self.capitals.as_ref();
        let by_bets = capitals.map_or(State::Running, Capitals::state);
        self.end = match (self.hypotheses.state(self.llr), by_bets) {
            (State::Running, State::Running) => None,
            (State::Running, state) => Some((state, Rule::Betting)),
            (state, _) => Some((state, Rule::Likelihood)),
        };
    }

    /// Returns the units of the test, up to the one that ended it.
    pub fn scores(&self) -> &UnitScores {
        &self.scores
    }

    /// Returns the LLR after these units; 0 without any.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// Returns the hypotheses with the error rates and bounds of the LLR.
    pub fn by_llr(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// Returns the capitals of the bets; `None` without an early end.
    pub fn capitals(&self) -> Option<Capitals> {
        self.capitals
    }

    /// Returns the state of the test.
    pub fn state(&self) -> State {
        self.end.map_or(State::Running, |(state, _)| state)
    }

    /// Returns the rule that ended it.
    pub fn ended_by(&self) -> Option<Rule> {
        self.end.map(|(_, rule)| rule)
    }

    /// Returns the estimate after the test, with the error rates of the test: the true strength lies
    /// below its interval with a chance of `alpha`, and above it with one of `beta`. An accepted
    /// test excludes what is weaker than the lower hypothesis, a rejected one what is stronger than
    /// the upper one. If the test still runs, it must have reached its maximum of units. `None`
    /// without units.
    ///
    /// If a bet ended the test, the Elo is that of the scores, and no likelihood is known.
    pub fn estimate(&self) -> Option<Estimate> {
        match self.ended_by() {
            None | Some(Rule::Likelihood) => after_stop(
                &self.scores,
                self.games_per_unit,
                &self.hypotheses,
                self.errors,
            ),
            Some(Rule::Betting) => {
                let elo = match_elo(&self.scores, self.games_per_unit)?.elo;
                let ends = after_bet(&self.scores, self.errors);
                Some(Estimate::after_test(elo, ends, None, self.errors))
            }
        }
    }

    /// Returns the outlook for the rest of the test if the true mean score is `score`, by the rule
    /// that is expected to end it sooner.
    pub fn outlook(&self, units: &Units, score: f64) -> Outlook {
        let bets = self.bets.as_ref();
        let sooner = bets.and_then(|bets| bets.soonest(&self.scores, units, score));
        outlook(&self.hypotheses, units, score, self.llr).or_sooner(sooner)
    }
}
