//! The sequential test of a run: counted in the order of the schedule, and what is to be said of it.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::plan::SprtPlan;
use crate::plan::schedule::UnitDesign;
use crate::play::record::Record;
use crate::standings::{CountedGame, FailedBot, Failures, Only, Repeats, Stop, Units, transcript};
use crate::store::GameRow;
use arena_stats::elo::{MatchElo, match_elo, pairing_gain};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::betting::{Anytime, Capitals, anytime};
use arena_stats::sprt::estimate::after_stop;
use arena_stats::sprt::outlook::{self, out_of_reach};
use arena_stats::sprt::{Hypotheses, Rule, Sprt, State, too_repetitive};

const GAMES_PER_UNIT: u32 = UnitDesign::swapped(2).games_per_unit;

/// What a run is to find out.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// What is tested, and how long.
    pub(super) sprt: SprtPlan,
    /// The bot that it is about.
    pub(super) candidate: String,
    /// The other one.
    pub(super) opponent: String,
    /// The seats of the game.
    pub(super) seats: usize,
    /// Whether its seed decides more than the order of lists.
    pub(super) seed_decides: bool,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    /// The candidate passes.
    Accepted,
    /// It does not.
    Rejected,
    /// No decision.
    Inconclusive,
}

/// Why a test ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Obstacle {
    /// Its maximum of units was played.
    MaxUnits,
    /// Too many units repeat others move for move.
    RepeatedUnits,
    /// The opponent failed in most units, whatever the candidate did: nothing was measured.
    OpponentFailed,
}

/// How a test stood after a unit; a line of `sprt.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AfterUnit {
    /// The number of the unit.
    pub(super) unit: u64,
    /// Games counted so far.
    pub(super) games: u64,
    /// The log-likelihood ratio.
    pub(super) llr: f64,
    /// The mean score of the candidate so far.
    pub(super) score: f64,
    /// Logistic Elo so far.
    pub(super) elo: f64,
    /// How it stood.
    pub(super) state: State,
    /// The bets against the hypotheses, where clear cases end early.
    pub(super) bets: Option<Capitals>,
}

/// A test under way. The candidate is bot 0 of its games.
#[derive(Clone, Debug)]
pub(super) struct Test {
    question: Question,
    sprt: Sprt,
    open: Units<CountedGame>,
    /// Units by number that ended before their turn. Only the units up to the first that is missing may be counted: counting
    /// them as they end favours whatever ends quickly. If wins are short and losses long, a worthless change passes.
    waiting: BTreeMap<u64, Vec<CountedGame>>,
    repeats: Repeats,
    failures: Failures,
    history: Vec<AfterUnit>,
    /// The scores of single games.
    games: UnitScores,
}

impl Test {
    /// The beginning of a test.
    pub(super) fn new(question: Question) -> Test {
        let full_points = UnitDesign::swapped(question.seats).full_points();
        let mut of_pair = UnitScores::new(2 * full_points);
        if question.seats == 2 {
            // Reports list all scores, even those that no unit has.
            of_pair = UnitScores::from_counts(4, [0; 5]).unwrap_or(of_pair);
        }
        Test {
            sprt: Sprt::maybe_early(
                question.sprt.early,
                question.sprt.hypotheses,
                GAMES_PER_UNIT,
                of_pair,
            ),
            games: UnitScores::new(full_points),
            open: Units::default(),
            waiting: BTreeMap::new(),
            repeats: Repeats::default(),
            failures: Failures::new(
                vec![question.candidate.clone(), question.opponent.clone()],
                GAMES_PER_UNIT.into(),
            ),
            history: Vec::new(),
            question,
        }
    }

    /// The bounds of the likelihood ratio that end it.
    pub(super) fn bounds(&self) -> [f64; 2] {
        [self.sprt.by_llr().lower(), self.sprt.by_llr().upper()]
    }

    /// Counts a game.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) {
        let bots = row
            .seats
            .iter()
            .map(|seat| usize::from(seat.bot != self.question.candidate))
            .collect();
        let game = CountedGame::new(
            row,
            bots,
            transcript(row, record, self.question.seed_decides),
        );
        if let Some(unit) = self.open.add(row.unit, game, GAMES_PER_UNIT) {
            self.waiting.insert(row.unit, unit);
            while let Some(unit) = self.waiting.remove(&self.units()) {
                self.count(&unit);
            }
        }
        // After the unit was counted, because it may be the last that counts.
        self.failures.add(row);
    }

    /// Counts the next unit of the schedule.
    fn count(&mut self, unit: &[CountedGame]) {
        if self.has_ended() || self.sprt.add(half_points(unit)).is_err() {
            return;
        }
        for game in unit {
            // As with the unit that they form.
            let _ = self.games.add(game.points(0), 1);
        }
        self.repeats.add(unit);
        let scores = self.sprt.scores();
        let (score, elo) =
            match_elo(scores, GAMES_PER_UNIT).map_or((0.0, 0.0), |elo| (elo.score, elo.elo));
        let games = self.units() * u64::from(GAMES_PER_UNIT);
        let (llr, state, bets) = (self.sprt.llr(), self.sprt.state(), self.sprt.capitals());
        self.history.push(AfterUnit {
            unit: self.units() - 1,
            games,
            llr,
            score,
            elo,
            state,
            bets,
        });
    }

    /// Units counted.
    pub(super) fn units(&self) -> u64 {
        self.sprt.scores().units()
    }

    /// Whether no further unit counts.
    pub(super) fn has_ended(&self) -> bool {
        self.sprt.state() != State::Running
            || self.units() >= self.question.sprt.max_units
            || self.is_broken_off()
    }

    /// Whether the test ended early, because nothing can be measured.
    pub(super) fn is_broken_off(&self) -> bool {
        self.opponent_is_among(&self.failures.at_first())
    }

    /// The bots that failed in most units, if the opponent is among them: a candidate that fails loses.
    pub(super) fn failed(&self) -> Vec<FailedBot> {
        let failed = self.failures.in_most();
        if self.has_ended() && self.opponent_is_among(&failed) {
            failed
        } else {
            Vec::new()
        }
    }

    fn opponent_is_among(&self, failed: &[FailedBot]) -> bool {
        failed
            .iter()
            .any(|failed| failed.bot == self.question.opponent)
    }

    /// How the test stood after each of its units.
    pub(super) fn history(&self) -> &[AfterUnit] {
        &self.history
    }

    /// All that there is to say.
    pub(super) fn summary(&self) -> SprtSummary {
        let Question {
            sprt:
                SprtPlan {
                    hypotheses,
                    max_units,
                    ..
                },
            candidate,
            opponent,
            ..
        } = &self.question;
        let (scores, llr, by_llr) = (self.sprt.scores(), self.sprt.llr(), self.sprt.by_llr());
        let (verdict, obstacle) = self.verdict();
        let units = outlook::Units::like(scores, GAMES_PER_UNIT);
        let so_far = units.zip(scores.mean()).filter(|_| verdict.is_none());
        let outlook = so_far.map(|(units, score)| self.sprt.outlook(&units, score));
        let (values, counts) = scores.values().unzip();
        let result = match_elo(scores, GAMES_PER_UNIT);
        let by_bets = self.sprt.ended_by() == Some(Rule::Betting);
        // A test that ran into its maximum was stopped by no bound: its plain interval holds.
        let is_stopped = verdict.is_some() && self.sprt.state() != State::Running && !by_bets;
        let median_unbiased = is_stopped
            .then(|| after_stop(scores, GAMES_PER_UNIT, by_llr))
            .flatten();
        let anytime = by_bets.then(|| anytime(scores));
        SprtSummary {
            candidate: candidate.clone(),
            opponent: opponent.clone(),
            seats: self.question.seats,
            design: UnitDesign::swapped(self.question.seats).name(),
            verdict,
            obstacle,
            state: self.sprt.state(),
            ended_by: self.sprt.ended_by(),
            llr,
            lower: by_llr.lower(),
            upper: by_llr.upper(),
            progress: by_llr.progress(llr),
            bets: self.sprt.capitals(),
            expected_games_left: outlook.map(|outlook| outlook.expected_games),
            hypotheses: *hypotheses,
            max_units: *max_units,
            games_per_unit: GAMES_PER_UNIT,
            distinct_units: self.distinct_units(),
            drawish: units.is_some_and(|units| out_of_reach(hypotheses, &units)),
            pairing_gain: pairing_gain([[scores, &self.games]], GAMES_PER_UNIT),
            unit_scores: values,
            unit_counts: counts,
            result,
            median_unbiased,
            anytime,
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
            State::Accepted => (Some(Decision::Accepted), None),
            State::Rejected => (Some(Decision::Rejected), None),
            State::Running => (Some(Decision::Inconclusive), Some(Obstacle::MaxUnits)),
        }
    }

    fn distinct_units(&self) -> u64 {
        self.units() - self.repeats.count()
    }
}

/// Half points of the candidate in a unit.
fn half_points(unit: &[CountedGame]) -> u32 {
    unit.iter().map(|game| game.points(0)).sum()
}

/// A sequential test, with the names of `arena sprt --json`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SprtSummary {
    /// The bot that it is about.
    pub(super) candidate: String,
    /// The other one.
    pub(super) opponent: String,
    /// What a unit is: `pairs`, two games of two bots that swap their seats; `mirror`, the same with two seats each.
    pub(super) design: &'static str,
    /// The seats of the game.
    #[serde(skip)]
    pub(super) seats: usize,
    /// How it ended; `None` while it goes on.
    pub(super) verdict: Option<Decision>,
    /// Why it ended without an answer.
    pub(super) obstacle: Option<Obstacle>,
    /// What its rules say.
    pub(super) state: State,
    /// The rule that ended it; `None` while none has.
    pub(super) ended_by: Option<Rule>,
    /// The log-likelihood ratio.
    pub(super) llr: f64,
    /// The one that rejects.
    pub(super) lower: f64,
    /// The one that accepts.
    pub(super) upper: f64,
    /// The part of the way to the bound on its side.
    pub(super) progress: f64,
    /// The bets against the hypotheses; `None` where clear cases do not end early.
    pub(super) bets: Option<Capitals>,
    /// Games left on average if the mean score stays as it is; `None` after the end.
    pub(super) expected_games_left: Option<f64>,
    #[serde(flatten)]
    pub(super) hypotheses: Hypotheses,
    /// After so many units it ends undecided.
    pub(super) max_units: u64,
    /// Games in a unit.
    pub(super) games_per_unit: u32,
    /// Units that are no repetition of another, move for move.
    pub(super) distinct_units: u64,
    /// Whether so many units are level that `elo1` can hardly be reached.
    pub(super) drawish: bool,
    /// How many independent games one game of a unit is worth; `None` with too few units to tell.
    pub(super) pairing_gain: Option<f64>,
    /// The scores of units that were seen or are possible, worst first.
    pub(super) unit_scores: Vec<f64>,
    /// How many units had each.
    pub(super) unit_counts: Vec<u64>,
    /// Figures of its units, biased by early stopping. `None` without units.
    #[serde(serialize_with = "figures")]
    pub(super) result: Option<MatchElo>,
    /// Corrected for stopping where the likelihood ratio ended it; not finite beyond 1000 Elo.
    pub(super) median_unbiased: Option<Estimate>,
    /// Where a bet ended it: what holds of its units whenever one stops.
    pub(super) anytime: Option<Anytime>,
}

impl SprtSummary {
    /// Whether the test has stopped the games, with the strength after that. If a bet ended it, that is
    /// the plain Elo, in the interval that holds whenever play stops.
    pub(super) fn stop(&self) -> Stop {
        if self.verdict.is_none() {
            return Stop::Watched;
        }
        let by_bets = self
            .result
            .zip(self.anytime)
            .map(|(result, Anytime { lo95, hi95 })| Estimate {
                lo95,
                hi95,
                ..Estimate::of_match(&result, Holds::AfterStop)
            });
        self.median_unbiased
            .or(by_bets)
            .map_or(Stop::Announced, Stop::Test)
    }

    /// The strength to show.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        Some(self.stop().estimate(self.result.as_ref()?))
    }

    /// Whether so many units repeat others that no verdict is given.
    pub(super) fn is_repetitive(&self) -> bool {
        self.result
            .is_some_and(|result| too_repetitive(self.distinct_units, result.units))
    }
}

/// A match with the keys that matter beside a test.
fn figures<S: Serializer>(result: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    const KEYS: &str = "units games score score_lo score_hi elo lo95 hi95 los n_eff nelo nelo_lo95 nelo_hi95 draw_ratio \
                        pairs_ratio";
    Only(result, KEYS).serialize(serializer)
}
