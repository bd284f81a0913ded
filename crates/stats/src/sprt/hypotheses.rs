//! The two hypotheses of a test, with its error rates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};
use thiserror::Error;

use crate::{C2, elo_to_score};

/// The largest Elo of a hypothesis. Beyond it there is no room between a score and 0 or 1.
pub const MAX_ELO: f64 = 2000.0;

/// The kind of Elo of the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Display)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema, Deserialize)]
#[non_exhaustive]
pub struct Hypotheses {
    /// Kind of Elo of the hypotheses.
    pub model: Model,
    /// Lower hypothesis.
    pub elo0: f64,
    /// Upper hypothesis.
    pub elo1: f64,
    /// Chance to accept a bot of strength `elo0`.
    pub alpha: f64,
    /// Chance to reject a bot of strength `elo1`.
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
        let deviation = (f64::from(games_per_unit) * variance).sqrt();
        match self.model {
            Model::Logistic => [self.elo0, self.elo1].map(elo_to_score),
            Model::Normalized => [self.elo0, self.elo1].map(|nelo| 0.5 + nelo / C2 * deviation),
        }
    }

    /// Returns the targets of the likelihood: two mean scores, or two t-values of a unit.
    pub(super) fn targets(&self, games_per_unit: u32) -> [f64; 2] {
        let root = f64::from(games_per_unit).sqrt();
        match self.model {
            Model::Logistic => [self.elo0, self.elo1].map(elo_to_score),
            Model::Normalized => [self.elo0, self.elo1].map(|nelo| nelo / C2 * root),
        }
    }
}
