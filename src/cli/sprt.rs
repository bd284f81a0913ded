//! `arena sprt`.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::counts::{Counted, ResultArgs, fact, wrapped};
use super::elo::{results_line, strength_and_interval};
use super::exit;
use super::failure::{Failure, Result, UsageError};
use super::output::show;
use super::run::code_of;
use super::terms::{counts, one_of, within};
use crate::plan::{DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR};
use crate::report::outcome;
use crate::report::replays::Selection;
use crate::store::read_plan;
use crate::tournament;
use arena_games::Games;
use arena_section::screen::Screen;
use arena_section::words::{bound, exact_percent, grouped};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::estimate::may_have_stopped;
use arena_stats::sprt::outlook::{Units, outlook};
use arena_stats::sprt::{Hypotheses, Model, Sprt, State, too_repetitive};
use length::{Length, LengthArgs};

mod length;

/// Evaluate a sequential test, and show how many games it takes
///
/// Is the bot at least --elo1 stronger, or no more than --elo0? The exit status is 0 if the test
/// accepts it, 1 if it rejects it, and 4 if it needs more games. If RUN is a test itself, shows
/// that test with its own bounds. The results must be those of a match that only such a test may
/// have stopped. If you stopped it because you liked an interval, the result is invalid.
///
/// The number of games that the test takes depends on the true strength and on how much games vary:
/// as in the results, or without results as --draw-ratio and --bias say, for pairs of games or
/// those of --games-per-unit.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    #[command(flatten)]
    results: ResultArgs,
    /// Pairs that scored 0, 1/2, 1, 3/2 and 2 points
    ///
    /// A pair is two games on the same seed with swapped seats.
    #[arg(long, value_name = "N0,..,N4", group = "results", allow_hyphen_values = true, value_parser = counts::<5>)]
    penta: Option<[u64; 5]>,
    /// Mean scores that a unit can have, from 0 to 1
    ///
    /// For example 0 1/3 0.5. The ends 0 and 1 need not be named.
    #[arg(long, value_name = "V", group = "results", requires = "counts", num_args = 1.., value_delimiter = ',', value_parser = score)]
    values: Option<Vec<f64>>,
    /// How many units had each of the --values
    #[arg(long, value_name = "N", requires = "values", num_args = 1.., value_delimiter = ',', value_parser = within("an integer", 0..=u64::MAX))]
    counts: Option<Vec<u64>>,
    /// Games in a unit, with --values [default: 1]
    ///
    /// Only normalized Elo and numbers of games depend on it.
    #[arg(long, value_name = "N", conflicts_with_all = ["run", "wdl", "penta"], value_parser = within("an integer", 1..=1000_u32))]
    games_per_unit: Option<u32>,
    /// Reject the bot if it is no stronger than this
    #[arg(long, value_name = "ELO", default_value_t = DEFAULT_ELO0)]
    elo0: f64,
    /// Accept the bot if it is at least this strong
    #[arg(long, value_name = "ELO", default_value_t = DEFAULT_ELO1)]
    elo1: f64,
    /// The chance to accept a bot of strength elo0
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR)]
    alpha: f64,
    /// The chance to reject a bot of strength elo1
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR)]
    beta: f64,
    /// The Elo of the hypotheses
    ///
    /// Normalized Elo is per standard deviation of a game.
    #[arg(long, value_name = "MODEL", default_value_t, value_parser = one_of::<Model>())]
    model: Model,
    #[command(flatten)]
    length: LengthArgs,
}

/// The result as JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct TestReport {
    #[serde(flatten)]
    hypotheses: Hypotheses,
    /// Log-likelihood ratio that rejects.
    lower: f64,
    /// Log-likelihood ratio that accepts.
    upper: f64,
    /// The test on the results; null without results.
    tested: Option<Tested>,
    /// Expected length of the test; null if unknown.
    length: Option<Length>,
}

/// A test on counted units.
#[derive(Serialize, JsonSchema)]
struct Tested {
    /// State of the test by its rules, whatever hinders a verdict.
    state: State,
    /// Log-likelihood ratio.
    llr: f64,
    /// Share of the way to the bound that the ratio nears.
    progress: f64,
    /// Mean number of games left at the present score; null if unknown, and after the end.
    expected_games_left: Option<f64>,
    /// The results, with the estimate in force: that of the test, if it may have stopped the games.
    #[serde(flatten)]
    counted: Counted,
}

impl Tested {
    fn new(mut counted: Counted, hypotheses: Hypotheses) -> Tested {
        let (scores, games_per_unit) = (&counted.scores, counted.games_per_unit);
        let test = Sprt::new(false, hypotheses, games_per_unit, scores.clone());
        let (llr, state) = (test.llr(), test.state());
        let is_running = state == State::Running;
        let mut estimate = counted.estimate;
        if is_running && !counted.is_run {
            let distinct = counted.distinct_units;
            estimate = Estimate::at_every_look(scores, games_per_unit, distinct);
        } else if !is_running && may_have_stopped(scores, games_per_unit, &hypotheses) {
            estimate = test.estimate();
        }
        let mut expected_games_left = None;
        if is_running
            && let Some(units) = Units::like(scores, games_per_unit)
            && let Some(score) = scores.mean()
        {
            let outlook = outlook(&hypotheses, &units, score, llr);
            expected_games_left = Some(outlook.expected_games);
        }
        counted.judge(estimate);
        Tested {
            state,
            llr,
            progress: hypotheses.progress(llr),
            expected_games_left,
            counted,
        }
    }
}

impl SprtArgs {
    /// The run directory that is given, if its run is a sequential test.
    fn test(&self) -> Option<&Path> {
        let run = self.results.run.as_deref().filter(|run| run.is_dir())?;
        let is_test = read_plan(run).ok()??.plan.study.hypotheses().is_some();
        is_test.then_some(run)
    }

    /// Counts the results, if any are given.
    fn counted(&self, games: &Games) -> Result<Option<Counted>> {
        let (label, scores, games_per_unit) = if let Some(pairs) = self.penta {
            let counts = pairs.map(|count| count.to_string()).join(", ");
            let label = format!("pairs with 0, 1/2, 1, 3/2, 2 points: {counts}");
            (label, UnitScores::from_counts(4, pairs), 2)
        } else if let (Some(values), Some(counts)) = (&self.values, &self.counts) {
            if values.len() != counts.len() {
                return Err(UsageError::ValuesAndCounts(values.len(), counts.len()).into());
            }
            let units = values.iter().copied().zip(counts.iter().copied());
            let label = "units with the scores given".to_owned();
            let games_per_unit = self.games_per_unit.unwrap_or(1);
            (label, UnitScores::from_values(units), games_per_unit)
        } else {
            return self.results.counted(games);
        };
        Ok(Some(Counted::of_scores(label, scores?, games_per_unit)))
    }
}

pub(super) fn sprt(args: &SprtArgs, games: &Games) -> Result<u8> {
    if let Some(run) = args.test() {
        return of_run(run, games);
    }
    let hypotheses = Hypotheses::new(args.model, args.elo0, args.elo1, args.alpha, args.beta)?;
    let counted = args.counted(games)?;
    let length = args
        .length
        .length(&hypotheses, counted.as_ref(), args.games_per_unit)?;
    let report = TestReport {
        hypotheses,
        lower: hypotheses.lower(),
        upper: hypotheses.upper(),
        tested: counted.map(|counted| Tested::new(counted, hypotheses)),
        length,
    };
    let status = match &report.tested {
        None => exit::OK,
        Some(tested) if tested.is_repetitive() => exit::INCONCLUSIVE,
        Some(tested) => match tested.state {
            State::Accepted => exit::OK,
            State::Rejected => exit::CHECK_FAILED,
            State::Running => exit::INCONCLUSIVE,
        },
    };
    show(status, &report, || wrapped(&text(&report)))
}

/// Shows a run that is a test itself.
fn of_run(run: &Path, games: &Games) -> Result<u8> {
    let report = tournament::report(run, &Selection::None, false, games)?;
    let data = report.finding.data.as_ref();
    let found = data
        .map(|(_, json)| serde_json::from_str::<Value>(json))
        .transpose()
        .map_err(|error| Failure::Internal(error.into()))?;
    show(code_of(&report), &found, || {
        outcome::text(&report, run, &Screen::stdout(), true)
    })
}

/// The question of a test in words.
fn question(hypotheses: &Hypotheses) -> String {
    let model = hypotheses.model.unit();
    let [elo0, elo1] = [hypotheses.elo0, hypotheses.elo1].map(bound);
    let [alpha, beta] = [hypotheses.alpha, hypotheses.beta].map(exact_percent);
    let errors = format!(
        "a bot worth {elo0} is accepted {alpha} of the time, one worth {elo1} is rejected {beta} of the time"
    );
    fact(
        "Question",
        format!("is the bot worth {elo1} {model} or more (accept), or {elo0} or less (reject)?"),
    ) + &fact("Errors", errors)
}

fn text(report: &TestReport) -> String {
    let mut text = question(&report.hypotheses);
    if let Some(tested) = &report.tested {
        text += &tested.text([report.lower, report.upper]);
        if report.length.is_some() {
            text += "\nHow many games such a test takes:\n";
        }
    }
    text.extend(report.length.as_ref().map(length::text));
    text
}

impl Tested {
    /// Whether so many units repeat others that there is no verdict.
    fn is_repetitive(&self) -> bool {
        too_repetitive(self.counted.distinct_units, self.counted.units)
    }

    /// Describes the test, given its bounds of the likelihood ratio.
    fn text(&self, [lower, upper]: [f64; 2]) -> String {
        let is_running = self.state == State::Running;
        let llr = self.llr + 0.0;
        let mut evidence = format!("LLR {llr:+.2}; {upper:+.2} accepts, {lower:+.2} rejects");
        let holds = self.counted.estimate.map(|by| by.holds);
        if !is_running && holds != Some(Holds::Test) {
            evidence += "; more than one unit beyond: no such test stopped here";
        }
        let mut text = String::new();
        if self.counted.units > 0 {
            text += &fact("Results", results_line(&self.counted));
        }
        text += &fact("Evidence", evidence);
        text += &fact(
            "Clear cases",
            "may end earlier in runs with early = true: counts have no order",
        );
        if let Some(by) = &self.counted.estimate {
            text += &strength_and_interval(by);
        }
        text + &conclusion(self) + "\n"
    }
}

fn conclusion(tested: &Tested) -> String {
    if tested.is_repetitive() {
        return "No verdict: too many units repeat others move for move.".to_owned();
    }
    match (tested.state, tested.expected_games_left) {
        (State::Accepted, _) => "Accepted: play no further, the bot passes.".to_owned(),
        (State::Rejected, _) => "Rejected: play no further, the bot does not pass.".to_owned(),
        (State::Running, Some(games)) => format!(
            "Running: {} of the way to {}. Play on; if the score stays so, about {} more games.",
            exact_percent(tested.progress.clamp(0.0, 1.0)),
            if tested.llr >= 0.0 {
                "acceptance"
            } else {
                "rejection"
            },
            grouped(games)
        ),
        (State::Running, None) => "Running: no games yet.".to_owned(),
    }
}

fn score(text: &str) -> Result<f64, String> {
    let (part, whole) = text.split_once('/').unwrap_or((text, "1"));
    if let (Ok(part), Ok(whole)) = (part.parse::<f64>(), whole.parse::<f64>())
        && (0.0..=1.0).contains(&(part / whole))
    {
        return Ok(part / whole);
    }
    Err("scores are numbers from 0 to 1".to_owned())
}
