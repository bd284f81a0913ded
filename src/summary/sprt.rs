//! The sequential test of a run: counted in the order of the schedule, and what is to be said of it.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{hash, transcript};
use crate::record::Record;
use crate::store::GameRow;
use arena_games::Fate;
use arena_stats::elo::{MatchElo, deviations_apart, match_elo, pairing};
use arena_stats::ratings::FEW_UNITS;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::estimate::{Estimate, after_stop};
use arena_stats::sprt::order::InOrder;
use arena_stats::sprt::plan::{Units, out_of_reach, outlook_from};
use arena_stats::sprt::{Hypotheses, Model, Sprt, State, too_repetitive};

/// Games of a unit of two bots that swap their seats.
const GAMES_PER_UNIT: u32 = 2;
/// Games of a unit of one bot against three.
const GAMES_PER_CHECK: u32 = 4;
/// Where two designs differ by more standard errors than this, copies of a bot help or hurt each other.
const SELF_INTERACTION: f64 = 2.0;

/// What a run is to find out.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// What is tested.
    pub(crate) hypotheses: Hypotheses,
    /// The bot that it is about.
    pub(crate) candidate: String,
    /// The other one.
    pub(crate) opponent: String,
    /// The seats of the game.
    pub(crate) seats: usize,
    /// Whether its seed decides more than the order of lists.
    pub(crate) seed_decides: bool,
    /// After so many units the test ends undecided. Units with higher numbers belong to the check.
    pub(crate) max_units: u64,
    /// Units of the candidate alone against three opponents, after the test.
    pub(crate) check_units: u64,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The candidate passes.
    Accepted,
    /// It does not.
    Rejected,
    /// Nobody knows.
    Inconclusive,
}

/// Why a test ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Obstacle {
    /// Its maximum of units was played.
    MaxUnits,
    /// Too many units repeat others move for move.
    RepeatedUnits,
    /// Both bots failed in most units: neither played.
    BothFailed,
}

/// How a test stood after a unit; a line of `sprt.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AfterUnit {
    /// The number of the unit.
    pub(crate) unit: u64,
    /// Games counted so far.
    pub(crate) games: u64,
    /// The log-likelihood ratio.
    pub(crate) llr: f64,
    /// The mean score of the candidate so far.
    pub(crate) score: f64,
    /// Plain Elo so far.
    pub(crate) elo: f64,
    /// Whether a bound was reached.
    pub(crate) state: State,
}

/// A test under way.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    question: Question,
    sprt: Sprt,
    order: InOrder<Unit>,
    open: HashMap<u64, Unit>,
    keys: HashSet<u64>,
    distinct: u64,
    /// Units in which no more than one of the bots failed.
    sound: u64,
    history: Vec<AfterUnit>,
    /// The scores of single games.
    games: UnitScores,
    check: UnitScores,
    check_games: u64,
}

/// One unit, of which some games may be missing yet.
#[derive(Clone, Debug, Default)]
struct Unit {
    games: u32,
    /// Half points of the candidate in each game, over all its comparisons with the opponent.
    half_points: Vec<u32>,
    /// Whether the candidate failed in it, and whether the opponent did.
    failed: [bool; 2],
    /// What was played, hashed by game.
    moves: Vec<u64>,
}

impl Test {
    /// The beginning of a test.
    pub(crate) fn new(question: Question) -> Test {
        let pairs = UnitScores::pentanomial([0; 5]);
        // Scores come in half points: of two games with one comparison each, or with four.
        let scores = if question.seats == 2 { pairs } else { UnitScores::new(16) };
        let games = UnitScores::new(if question.seats == 2 { 2 } else { 8 });
        let check = UnitScores::new(24);
        Test {
            sprt: Sprt::new(question.hypotheses, GAMES_PER_UNIT, scores.unwrap_or_else(|_| unreachable!("no units"))),
            games: games.unwrap_or_else(|_| unreachable!("2 or 8 parts")),
            check: check.unwrap_or_else(|_| unreachable!("24 parts")),
            order: InOrder::new(0),
            open: HashMap::new(),
            keys: HashSet::new(),
            distinct: 0,
            sound: 0,
            history: Vec::new(),
            check_games: 0,
            question,
        }
    }

    /// What is tested.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    /// Whether a unit belongs to the check after the test.
    pub(crate) fn is_check(&self, unit: u64) -> bool {
        unit >= self.question.max_units
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record) {
        let is_check = self.is_check(row.unit);
        let games = if is_check { GAMES_PER_CHECK } else { GAMES_PER_UNIT };
        let unit = self.open.entry(row.unit).or_default();
        unit.games += 1;
        unit.half_points.push(half_points(&self.question, row));
        for seat in row.seats.iter().filter(|seat| seat.fate != Fate::Ok) {
            unit.failed[usize::from(seat.bot != self.question.candidate)] = true;
        }
        unit.moves.push(transcript(row, record, self.question.seed_decides));
        self.check_games += u64::from(is_check);
        if unit.games < games {
            return;
        }
        let unit = self.open.remove(&row.unit).unwrap_or_default();
        if is_check {
            // Never above 1, and far fewer units than would overflow.
            let _ = self.check.add(unit.half_points.iter().sum(), 1);
        } else {
            self.order.add(row.unit, unit).into_iter().for_each(|unit| self.count(&unit));
        }
    }

    /// Counts the next unit of the schedule.
    fn count(&mut self, unit: &Unit) {
        if self.has_ended() || self.sprt.add(unit.half_points.iter().sum()).is_err() {
            return;
        }
        for &half_points in &unit.half_points {
            // As with the unit that they form.
            let _ = self.games.add(half_points, 1);
        }
        // That a bot fails the same way every time is evidence; that two bots play the same games again is none.
        self.distinct += u64::from(unit.failed != [false; 2] || self.keys.insert(hash(&unit.moves)));
        self.sound += u64::from(unit.failed != [true; 2]);
        let scores = self.sprt.scores();
        let (score, elo) = match_elo(scores, GAMES_PER_UNIT).map_or((0.0, 0.0), |elo| (elo.score, elo.elo));
        let games = self.units() * u64::from(GAMES_PER_UNIT);
        let (llr, state) = (self.sprt.llr(), self.sprt.state());
        self.history.push(AfterUnit { unit: self.units() - 1, games, llr, score, elo, state });
    }

    /// Units counted.
    pub(crate) fn units(&self) -> u64 {
        self.sprt.scores().units()
    }

    /// Whether no further unit of the test counts.
    pub(crate) fn has_ended(&self) -> bool {
        self.sprt.state() != State::Running || self.units() >= self.question.max_units
    }

    /// Whether the check was played as well.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_ended() && self.check.units() >= self.question.check_units
    }

    /// How the test stood after each of its units.
    pub(crate) fn history(&self) -> &[AfterUnit] {
        &self.history
    }

    /// All that there is to say.
    pub(crate) fn summary(&self) -> SprtSummary {
        let Question { hypotheses, candidate, opponent, seats, max_units, .. } = &self.question;
        let (scores, llr, state) = (self.sprt.scores(), self.sprt.llr(), self.sprt.state());
        let (verdict, obstacle) = self.verdict();
        let units = Units::like(scores, GAMES_PER_UNIT);
        let outlook = units.zip(scores.mean()).filter(|_| verdict.is_none());
        let outlook = outlook.and_then(|(units, score)| outlook_from(hypotheses, &units, score, llr).ok());
        let (values, counts) = scores.values().unzip();
        SprtSummary {
            candidate: candidate.clone(),
            opponent: opponent.clone(),
            design: if *seats == 2 { "pairs" } else { "mirror" },
            verdict,
            obstacle,
            state,
            llr,
            lower: hypotheses.lower(),
            upper: hypotheses.upper(),
            progress: hypotheses.progress(llr),
            expected_games_left: outlook.map(|outlook| outlook.expected_games),
            model: hypotheses.model(),
            elo0: hypotheses.elo0(),
            elo1: hypotheses.elo1(),
            alpha: hypotheses.alpha(),
            beta: hypotheses.beta(),
            max_units: *max_units,
            games_per_unit: GAMES_PER_UNIT,
            distinct_units: self.distinct,
            drawish: units.is_some_and(|units| out_of_reach(hypotheses, &units)),
            pairing_gain: pairing(scores, &self.games, GAMES_PER_UNIT).filter(|gain| gain.enough).map(|gain| gain.gain),
            unit_scores: values,
            unit_counts: counts,
            result: match_elo(scores, GAMES_PER_UNIT).map(Match::from),
            median_unbiased: verdict.and_then(|_| after_stop(scores, GAMES_PER_UNIT, hypotheses)).map(Unbiased::from),
            check_1v3: self.check(),
        }
    }

    fn verdict(&self) -> (Option<Verdict>, Option<Obstacle>) {
        match self.sprt.state() {
            _ if !self.has_ended() => (None, None),
            _ if too_repetitive(self.distinct, self.units()) => {
                (Some(Verdict::Inconclusive), Some(Obstacle::RepeatedUnits))
            }
            // Two bots that both crash draw every pair, which says nothing of their strength.
            State::Accepted | State::Rejected if 2 * self.sound < self.units() => {
                (Some(Verdict::Inconclusive), Some(Obstacle::BothFailed))
            }
            State::Accepted => (Some(Verdict::Accepted), None),
            State::Rejected => (Some(Verdict::Rejected), None),
            State::Running => (Some(Verdict::Inconclusive), Some(Obstacle::MaxUnits)),
        }
    }

    fn check(&self) -> Option<Check> {
        let units = self.question.check_units;
        let test = match_elo(self.sprt.scores(), GAMES_PER_UNIT);
        let check = match_elo(&self.check, GAMES_PER_CHECK);
        let apart = check.as_ref().zip(test.as_ref()).and_then(|(check, test)| deviations_apart(check, test));
        // The standard error of a few units says nothing, least of all if they are all alike.
        let units_of = |result: &Option<MatchElo>| result.as_ref().map_or(0, |result| result.units);
        let few = units_of(&check).min(units_of(&test)) < FEW_UNITS;
        let apart = apart.filter(|_| !few);
        (units > 0).then(|| Check {
            units_planned: units,
            games_per_unit: GAMES_PER_CHECK,
            result: check.map(Match::from),
            deviations_apart: apart,
            self_interaction: apart.is_some_and(|apart| apart.abs() > SELF_INTERACTION),
        })
    }

    /// Games of the check.
    pub(super) fn check_games(&self) -> u64 {
        self.check_games
    }
}

/// Half points of the candidate over all comparisons of its seats with the opponent's.
fn half_points(question: &Question, row: &GameRow) -> u32 {
    let scores =
        |name: &str| row.seats.iter().filter(|seat| seat.bot == name).map(|seat| seat.score).collect::<Vec<_>>();
    let others = scores(&question.opponent);
    let against = |own: i32, other: i32| match own.cmp(&other) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    };
    scores(&question.candidate).iter().flat_map(|&own| others.iter().map(move |&other| against(own, other))).sum()
}

/// A sequential test, with the names of `arena sprt --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SprtSummary {
    /// The bot that it is about.
    pub(crate) candidate: String,
    /// The other one.
    pub(crate) opponent: String,
    /// What a unit is: `pairs`, two games of two bots that swap their seats; `mirror`, the same with two seats each.
    pub(crate) design: &'static str,
    /// How it ended; `None` while it goes on.
    pub(crate) verdict: Option<Verdict>,
    /// Why it ended without an answer.
    pub(crate) obstacle: Option<Obstacle>,
    /// Whether a bound was reached.
    pub(crate) state: State,
    /// The log-likelihood ratio.
    pub(crate) llr: f64,
    /// The one that rejects.
    pub(crate) lower: f64,
    /// The one that accepts.
    pub(crate) upper: f64,
    /// The part of the way to the bound on its side.
    pub(crate) progress: f64,
    /// Games left on average if the mean score stays as it is; `None` after the end.
    pub(crate) expected_games_left: Option<f64>,
    /// In which Elo the hypotheses are.
    pub(crate) model: Model,
    /// The lower hypothesis.
    pub(crate) elo0: f64,
    /// The upper hypothesis.
    pub(crate) elo1: f64,
    /// The chance to accept a bot of `elo0`.
    pub(crate) alpha: f64,
    /// The chance to reject a bot of `elo1`.
    pub(crate) beta: f64,
    /// After so many units it ends undecided.
    pub(crate) max_units: u64,
    /// Games in a unit.
    pub(crate) games_per_unit: u32,
    /// Units that are no repetition of another, move for move.
    pub(crate) distinct_units: u64,
    /// Whether so many units are level that `elo1` can hardly be reached.
    pub(crate) drawish: bool,
    /// How many independent games one game of a unit is worth; `None` with too few units to tell.
    pub(crate) pairing_gain: Option<f64>,
    /// The scores of units that were seen or are possible, worst first.
    pub(crate) unit_scores: Vec<f64>,
    /// How many units had each.
    pub(crate) unit_counts: Vec<u64>,
    /// Plain figures of its units; at a stop too extreme. `None` without units.
    pub(crate) result: Option<Match>,
    /// What to believe after the stop.
    pub(crate) median_unbiased: Option<Unbiased>,
    /// Units of one against three, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check_1v3: Option<Check>,
}

impl SprtSummary {
    /// Whether so many units repeat others that no verdict is given.
    pub(crate) fn is_repetitive(&self) -> bool {
        self.result.is_some_and(|result| too_repetitive(self.distinct_units, result.units))
    }
}

/// Figures of a match, see [`MatchElo`].
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Match {
    pub(crate) units: u64,
    pub(crate) games: u64,
    pub(crate) score: f64,
    pub(crate) score_lo: f64,
    pub(crate) score_hi: f64,
    pub(crate) elo: f64,
    pub(crate) lo95: f64,
    pub(crate) hi95: f64,
    pub(crate) los: f64,
    pub(crate) n_eff: f64,
    pub(crate) nelo: Option<f64>,
    pub(crate) draw_ratio: f64,
    pub(crate) pairs_ratio: Option<f64>,
}

impl From<MatchElo> for Match {
    fn from(of: MatchElo) -> Match {
        let MatchElo { units, games, score, score_lo, score_hi, elo, lo95, hi95, .. } = of;
        let MatchElo { los, n_eff, nelo, draw_ratio, pairs_ratio, .. } = of;
        Match { units, games, score, score_lo, score_hi, elo, lo95, hi95, los, n_eff, nelo, draw_ratio, pairs_ratio }
    }
}

/// The estimate after the end of a test, see [`Estimate`]; `null` beyond 1000 Elo.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Unbiased {
    /// As often too high as too low.
    pub(crate) elo: f64,
    /// The lower 95% end.
    pub(crate) lo95: f64,
    /// The upper 95% end.
    pub(crate) hi95: f64,
    /// The likelihood that the candidate is the stronger.
    pub(crate) los: f64,
}

impl From<Estimate> for Unbiased {
    fn from(Estimate { elo, lo95, hi95, los }: Estimate) -> Unbiased {
        Unbiased { elo, lo95, hi95, los }
    }
}

/// The candidate alone among three opponents: another question than two against two, never mixed with it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Check {
    /// The units that were asked for.
    pub(crate) units_planned: u64,
    /// Games in a unit.
    pub(crate) games_per_unit: u32,
    /// Their figures; `None` while there is none.
    pub(crate) result: Option<Match>,
    /// By how many standard errors its score lies above that of the test.
    pub(crate) deviations_apart: Option<f64>,
    /// Whether that is more than chance: copies of a bot help or hurt each other.
    pub(crate) self_interaction: bool,
}
