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

use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;

use self::betting::{Bets, Capitals, SHARE, after_bet};
use self::estimate::after_stop;
pub use self::hypotheses::{Hypotheses, HypothesesError, MAX_ELO, Model, State};
use self::likelihood::LikelihoodRatio;
use self::outlook::{Outlook, Units, outlook};
use super::StatsError;
use super::elo::match_elo;
use super::estimate::Estimate;
use super::scores::UnitScores;

pub mod betting;
mod brownian;
pub mod estimate;
mod hypotheses;
mod likelihood;
pub mod outlook;

/// The smallest share of different units that allows a verdict.
pub const LEAST_DISTINCT: f64 = 0.9;

/// The rule that ended a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    /// The LLR reached a bound.
    Likelihood,
    /// A bet against a hypothesis won enough.
    Betting,
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
        mut hypotheses: Hypotheses,
        games_per_unit: u32,
        scores: UnitScores,
    ) -> Self {
        let bets = is_early.then(|| Bets::new(&hypotheses, games_per_unit));
        let left = if is_early { 1.0 - SHARE } else { 1.0 };
        let errors = [hypotheses.alpha, hypotheses.beta];
        hypotheses.alpha *= left;
        hypotheses.beta *= left;
        let mut test = Self {
            likelihood: LikelihoodRatio::new(&hypotheses, games_per_unit),
            hypotheses,
            errors,
            games_per_unit,
            scores,
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
        let by_bets = self.capitals.map_or(State::Running, Capitals::state);
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

    /// Returns the estimate after the test, with the error rates of the test: the true strength
    /// lies below its interval with a chance of `alpha`, and above it with one of `beta`. An
    /// accepted test excludes what is weaker than the lower hypothesis, a rejected one what is
    /// stronger than the upper one. If the test still runs, it must have reached its maximum of
    /// units. `None` without units.
    ///
    /// If a bet ended the test, the Elo is that of the scores, and no likelihood is known.
    pub fn estimate(&self) -> Option<Estimate> {
        match self.ended_by() {
            None | Some(Rule::Likelihood) => {
                let hypotheses = &self.hypotheses;
                after_stop(&self.scores, self.games_per_unit, hypotheses, self.errors)
            }
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
        let by_llr = outlook(&self.hypotheses, units, score, self.llr);
        match &self.bets {
            Some(bets) => by_llr.or_sooner(bets.soonest(&self.scores, units.variance, score)),
            None => by_llr,
        }
    }
}
