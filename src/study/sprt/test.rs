//! Counts the units of a sequential test in the order of the schedule.

use serde::Serialize;

use crate::plan::SprtPlan;
use crate::play::record::Record;
use crate::standings::{
    CountedGame, FailedBot, Failures, GAMES_OF_TWO, Repeats, Stop, UnitsInOrder, same_moves,
    unit_points,
};
use crate::store::GameRow;
use arena_schedule::UnitDesign;
use arena_stats::elo::{MatchElo, match_elo};
use arena_stats::estimate::Estimate;
use arena_stats::sprt::betting::Capitals;
use arena_stats::sprt::outlook::{self, out_of_reach};
use arena_stats::sprt::{Hypotheses, Rule, Sprt, State, too_repetitive};

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    Accepted,
    Rejected,
    Inconclusive,
}

/// Why a test ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Obstacle {
    MaxUnits,
    /// Both bots played the same moves in all units.
    SameMoves,
    /// Too many units repeat others move for move.
    RepeatedUnits,
    /// The opponent failed in most units, whatever the candidate did: nothing was measured.
    OpponentFailed,
}

/// The state of a test after a unit; a line of `sprt.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AfterUnit {
    pub(super) unit: u64,
    /// Games counted so far.
    pub(super) games: u64,
    /// Log-likelihood ratio.
    pub(super) llr: f64,
    /// Mean score of the candidate so far.
    pub(super) score: f64,
    /// Logistic Elo so far.
    pub(super) elo: f64,
    pub(super) state: State,
    /// The bets against the hypotheses, if clear cases end early.
    pub(super) bets: Option<Capitals>,
}

/// A test, as far as it was played. The candidate is bot 0 of its games.
#[derive(Clone, Debug)]
pub(super) struct Test {
    plan: SprtPlan,
    /// The candidate and its opponent.
    bots: [String; 2],
    design: UnitDesign,
    sprt: Sprt,
    units: UnitsInOrder,
    repeats: Repeats,
    units_with_same_moves: u64,
    failures: Failures,
    /// The state after each unit.
    pub(super) history: Vec<AfterUnit>,
}

impl Test {
    /// Returns a test without games.
    pub(super) fn new(plan: SprtPlan, bots: [String; 2], seats: usize, seed_decides: bool) -> Test {
        let design = UnitDesign::swapped(seats);
        Test {
            sprt: plan.begin(seats),
            units: UnitsInOrder::new(bots[0].clone(), seed_decides),
            repeats: Repeats::default(),
            units_with_same_moves: 0,
            failures: Failures::new(bots.to_vec(), GAMES_OF_TWO),
            history: Vec::new(),
            plan,
            bots,
            design,
        }
    }

    /// Returns the bounds of the log-likelihood ratio that end the test.
    pub(super) fn bounds(&self) -> [f64; 2] {
        [self.sprt.by_llr().lower(), self.sprt.by_llr().upper()]
    }

    /// Counts a game.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) {
        for unit in self.units.add(row, record) {
            self.count(&unit);
        }
        // After the unit was counted, because it may be the last that counts.
        self.failures.add(row);
    }

    /// Counts the next unit of the schedule.
    fn count(&mut self, unit: &[CountedGame]) {
        if self.has_ended() || self.sprt.add(unit_points(unit, 0)).is_err() {
            return;
        }
        self.repeats.add(unit);
        self.units_with_same_moves += u64::from(same_moves(unit));
        let scores = self.sprt.scores();
        let (score, elo) =
            match_elo(scores, self.games_per_unit()).map_or((0.0, 0.0), |elo| (elo.score, elo.elo));
        self.history.push(AfterUnit {
            unit: self.units() - 1,
            games: self.units() * GAMES_OF_TWO,
            llr: self.sprt.llr(),
            score,
            elo,
            state: self.sprt.state(),
            bets: self.sprt.capitals(),
        });
    }

    /// Returns the number of counted units.
    pub(super) fn units(&self) -> u64 {
        self.sprt.scores().units()
    }

    /// Returns the games of each bot in a unit.
    fn games_per_unit(&self) -> u32 {
        self.design.games_per_unit
    }

    /// Returns true if no further unit counts.
    pub(super) fn has_ended(&self) -> bool {
        self.sprt.state() != State::Running
            || self.units() >= self.plan.max_units
            || self.opponent_is_among(&self.failures.at_first())
    }

    /// Returns the bots that failed in most units, if the opponent is one of them. A candidate that
    /// fails just loses.
    pub(super) fn failed(&self) -> Vec<FailedBot> {
        let failed = self.failures.in_most();
        if self.has_ended() && self.opponent_is_among(&failed) {
            failed
        } else {
            Vec::new()
        }
    }

    fn opponent_is_among(&self, failed: &[FailedBot]) -> bool {
        failed.iter().any(|failed| failed.bot == self.bots[1])
    }

    /// Returns what the test has found.
    pub(super) fn summary(&self) -> SprtSummary {
        let hypotheses = self.plan.hypotheses;
        let [candidate, opponent] = self.bots.clone();
        let (scores, llr, by_llr) = (self.sprt.scores(), self.sprt.llr(), self.sprt.by_llr());
        let (verdict, obstacle) = self.verdict();
        let games_per_unit = self.games_per_unit();
        let units = outlook::Units::like(scores, games_per_unit);
        let so_far = units.zip(scores.mean()).filter(|_| verdict.is_none());
        let outlook = so_far.map(|(units, score)| self.sprt.outlook(&units, score));
        let (values, counts) = scores.values().unzip();
        let result = match_elo(scores, games_per_unit);
        let stop = Stop::of_test(&self.plan, &self.sprt, self.distinct_units());
        SprtSummary {
            candidate,
            opponent,
            seats: self.design.seats,
            design: self.design.name(),
            verdict,
            obstacle,
            state: self.sprt.state(),
            ended_by: self.sprt.ended_by(),
            llr,
            lower: by_llr.lower(),
            upper: by_llr.upper(),
            progress: by_llr.progress(llr),
            bets: self.sprt.capitals(),
            expected_games_left: outlook
                .map(|outlook| outlook.expected_units * GAMES_OF_TWO as f64),
            hypotheses,
            max_units: self.plan.max_units,
            games_per_unit,
            distinct_units: self.distinct_units(),
            drawish: units.is_some_and(|units| out_of_reach(&hypotheses, &units)),
            unit_scores: values,
            unit_counts: counts,
            result,
            same_moves: self.have_same_moves(),
            stop,
            estimate: stop.estimate(scores, games_per_unit, self.distinct_units()),
        }
    }

    fn verdict(&self) -> (Option<Decision>, Option<Obstacle>) {
        match self.sprt.state() {
            _ if !self.has_ended() => (None, None),
            _ if too_repetitive(self.distinct_units(), self.units()) => {
                (Some(Decision::Inconclusive), Some(Obstacle::RepeatedUnits))
            }
            _ if !self.failed().is_empty() => {
                (Some(Decision::Inconclusive), Some(Obstacle::OpponentFailed))
            }
            // What changes no move makes a bot neither stronger nor weaker.
            _ if self.have_same_moves() && self.plan.hypotheses.elo1 > 0.0 => {
                (Some(Decision::Inconclusive), Some(Obstacle::SameMoves))
            }
            _ if self.have_same_moves() => (Some(Decision::Accepted), None),
            State::Accepted => (Some(Decision::Accepted), None),
            State::Rejected => (Some(Decision::Rejected), None),
            State::Running => (Some(Decision::Inconclusive), Some(Obstacle::MaxUnits)),
        }
    }

    /// Whether both bots played the same moves in all units.
    fn have_same_moves(&self) -> bool {
        self.units() > 0 && self.units_with_same_moves == self.units()
    }

    fn distinct_units(&self) -> u64 {
        self.units() - self.repeats.count()
    }
}

/// The result of a test: the key `sprt` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SprtSummary {
    pub(super) candidate: String,
    pub(super) opponent: String,
    /// How the two games of a unit are seated: `pairs`, each bot in either seat; `mirror`, the same
    /// with several seats each; `alone`, each bot in one of them.
    pub(super) design: &'static str,
    #[serde(skip)]
    pub(super) seats: usize,
    /// `None` until the test has ended.
    pub(super) verdict: Option<Decision>,
    /// Why it ended without an answer.
    pub(super) obstacle: Option<Obstacle>,
    /// The state by the rules of the test, without obstacles.
    pub(super) state: State,
    /// The rule that ended it, if one has.
    pub(super) ended_by: Option<Rule>,
    /// Log-likelihood ratio.
    pub(super) llr: f64,
    /// The ratio that rejects.
    pub(super) lower: f64,
    /// The ratio that accepts.
    pub(super) upper: f64,
    /// The share of the way to the bound on its side.
    pub(super) progress: f64,
    /// The bets against the hypotheses, if clear cases end early.
    pub(super) bets: Option<Capitals>,
    /// Mean number of games left if the mean score stays the same; `None` after the end.
    pub(super) expected_games_left: Option<f64>,
    #[serde(flatten)]
    pub(super) hypotheses: Hypotheses,
    /// The most units; then it ends undecided.
    pub(super) max_units: u64,
    pub(super) games_per_unit: u32,
    /// Units that don't repeat another one move for move.
    pub(super) distinct_units: u64,
    /// Whether so many units are level that `elo1` can hardly be reached.
    pub(super) drawish: bool,
    /// Possible scores of units, worst first.
    pub(super) unit_scores: Vec<f64>,
    /// The number of units with each score.
    pub(super) unit_counts: Vec<u64>,
    /// Figures of the units for a single look, whatever stopped them; `None` without units.
    pub(super) result: Option<MatchElo>,
    /// Whether both bots played the same moves in all units.
    pub(super) same_moves: bool,
    /// Why no more games are played.
    #[serde(skip)]
    pub(super) stop: Stop,
    /// The strength, in the interval in force. If the likelihood ratio ended the test, the Elo is
    /// median-unbiased; it isn't finite beyond 1000 Elo.
    pub(super) estimate: Option<Estimate>,
}

impl SprtSummary {
    /// Returns the bets and the one that decided the test, if one has: 0 against `elo0`, 1 against
    /// `elo1`.
    pub(super) fn clear_case(&self) -> Option<(Capitals, usize)> {
        let is_decided = self.ended_by == Some(Rule::Betting) && self.obstacle.is_none();
        let bets = self.bets.filter(|_| is_decided)?;
        Some((bets, bets.won()?))
    }

    /// Returns true if so many units repeat others that there is no verdict.
    pub(super) fn is_repetitive(&self) -> bool {
        self.result
            .is_some_and(|result| too_repetitive(self.distinct_units, result.units))
    }
}
