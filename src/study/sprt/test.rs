//! What a sequential test has found.

use schemars::JsonSchema;
use serde::Serialize;

use crate::plan::SprtPlan;
use crate::results::{GAMES_OF_TWO, Match, Pair, Rule};
use arena_stats::elo::{MatchElo, MatchFigures, match_elo};
use arena_stats::estimate::Estimate;
use arena_stats::sprt::betting::Capitals;
use arena_stats::sprt::outlook::{self, out_of_reach};
use arena_stats::sprt::{Hypotheses, Rule as SprtRule, Sprt, State, too_repetitive};

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    /// The candidate is as strong as `elo1` says.
    Accepted,
    /// It is no stronger than `elo0`.
    Rejected,
    /// The test ended without an answer.
    Inconclusive,
}

/// Why a test ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Obstacle {
    /// It played its most units.
    MaxUnits,
    /// Both bots played the same moves in all units.
    SameMoves,
    /// Too many units repeat others move for move.
    RepeatedUnits,
    /// The opponent failed in most units, whatever the candidate did: nothing was measured.
    OpponentFailed,
}

/// Returns what a test has found. The estimate of `pair`, its two bots in the standings, is that of
/// the test.
pub(super) fn summary(plan: &SprtPlan, test: &Match, pair: Option<&Pair>) -> SprtSummary {
    let Rule::Test { test: sprt, .. } = &test.rule else {
        unreachable!("a test has the rule of a test")
    };
    let [candidate, opponent] = test.bots.clone();
    let (scores, llr, by_llr) = (sprt.scores(), sprt.llr(), sprt.by_llr());
    let end = verdict(plan, test, sprt);
    let games_per_unit = test.size.design.games_per_unit;
    let units = outlook::Units::like(scores, games_per_unit);
    let outlook = match (&units, scores.mean()) {
        (Some(units), Some(score)) if end.is_none() => Some(sprt.outlook(units, score)),
        _ => None,
    };
    let (values, counts) = scores.values().unzip();
    SprtSummary {
        seats: test.size.design.seats,
        design: test.size.design.name(),
        verdict: end.map(|end| end.unwrap_or(Decision::Inconclusive)),
        obstacle: end.and_then(Result::err),
        state: sprt.state(),
        ended_by: sprt.ended_by(),
        llr,
        lower: by_llr.lower(),
        upper: by_llr.upper(),
        progress: by_llr.progress(llr),
        bets: sprt.capitals(),
        expected_games_left: outlook.map(|outlook| outlook.expected_units * GAMES_OF_TWO as f64),
        hypotheses: plan.hypotheses,
        max_units: plan.max_units,
        games_per_unit,
        distinct_units: test.distinct(),
        drawish: matches!(&units, Some(units) if out_of_reach(&plan.hypotheses, units)),
        unit_scores: values,
        unit_counts: counts,
        result: match_elo(scores, games_per_unit),
        same_moves: test.same_moves(),
        estimate: pair.map(|pair| pair.by(&candidate)),
        candidate,
        opponent,
    }
}

/// Returns how a test has ended: with an answer, or why without one.
fn verdict(plan: &SprtPlan, test: &Match, sprt: &Sprt) -> Option<Result<Decision, Obstacle>> {
    Some(match sprt.state() {
        _ if !test.has_ended() => return None,
        _ if too_repetitive(test.distinct(), sprt.scores().units()) => Err(Obstacle::RepeatedUnits),
        _ if !test.failed().is_empty() => Err(Obstacle::OpponentFailed),
        // What changes no move makes a bot neither stronger nor weaker.
        _ if test.same_moves() && plan.hypotheses.elo1 > 0.0 => Err(Obstacle::SameMoves),
        _ if test.same_moves() => Ok(Decision::Accepted),
        State::Accepted => Ok(Decision::Accepted),
        State::Rejected => Ok(Decision::Rejected),
        State::Running => Err(Obstacle::MaxUnits),
    })
}

/// The result of a test: the key `sprt` of `summary.json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SprtSummary {
    /// The bot that is tested.
    pub(super) candidate: String,
    /// The bot that it meets.
    pub(super) opponent: String,
    /// How units are seated: `pairs`, `rotations`, `mirror` or `alone`.
    pub(super) design: &'static str,
    #[serde(skip)]
    pub(super) seats: usize,
    /// Result of the test; null until it has ended.
    pub(super) verdict: Option<Decision>,
    /// Why the test ended without an answer; null if it didn't.
    pub(super) obstacle: Option<Obstacle>,
    /// State of the test by its rules, whatever hinders a verdict.
    pub(super) state: State,
    /// Rule that ended the test; null if none has.
    pub(super) ended_by: Option<SprtRule>,
    /// Log-likelihood ratio.
    pub(super) llr: f64,
    /// Log-likelihood ratio that rejects.
    pub(super) lower: f64,
    /// Log-likelihood ratio that accepts.
    pub(super) upper: f64,
    /// Share of the way to the bound that the ratio nears.
    pub(super) progress: f64,
    /// Bets against the hypotheses; null if clear cases don't end early.
    pub(super) bets: Option<Capitals>,
    /// Mean number of games left at the present score; null if unknown, and after the end.
    pub(super) expected_games_left: Option<f64>,
    #[serde(flatten)]
    pub(super) hypotheses: Hypotheses,
    /// Most units that are played.
    pub(super) max_units: u64,
    /// Games of each bot in a unit.
    pub(super) games_per_unit: u32,
    /// Units that don't repeat another one move for move. Intervals count only these.
    pub(super) distinct_units: u64,
    /// Whether so many units are level that `elo1` can hardly be reached.
    pub(super) drawish: bool,
    /// Scores of units, the worst first.
    pub(super) unit_scores: Vec<f64>,
    /// How many units had each score.
    pub(super) unit_counts: Vec<u64>,
    /// Figures of the units for a single look; null without units.
    #[schemars(with = "Option<MatchFigures>")]
    pub(super) result: Option<MatchElo>,
    /// Whether both bots played the same moves in all units.
    pub(super) same_moves: bool,
    /// Strength of the candidate, with the interval in force; null without units.
    pub(super) estimate: Option<Estimate>,
}

impl SprtSummary {
    /// Returns the bets and the one that decided the test, if one has: 0 against `elo0`, 1 against
    /// `elo1`.
    pub(super) fn clear_case(&self) -> Option<(Capitals, usize)> {
        if self.ended_by != Some(SprtRule::Betting) || self.obstacle.is_some() {
            return None;
        }
        let bets = self.bets?;
        Some((bets, bets.won()?))
    }

    /// Returns the share of the evidence that a bet needs to end the test.
    pub(super) fn by_bets(&self) -> f64 {
        self.bets.map_or(0.0, |bets| bets.progress())
    }

    /// Returns true if so many units repeat others that there is no verdict.
    pub(super) fn is_repetitive(&self) -> bool {
        matches!(self.result, Some(result) if too_repetitive(self.distinct_units, result.units))
    }
}
