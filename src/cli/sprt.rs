//! `arena sprt`.

use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::counts::{Counted, Counts, HypothesesArgs, fact, wrapped};
use super::elo::{strength, told};
use super::run::{code_of, exit_code};
use super::{Failure, print_either};
use crate::exit;
use crate::report::replays::Asked;
use crate::report::screen::Screen;
use crate::report::{RunReport, outcome};
use crate::tournament;
use crate::words::{bound, decimals, exact_percent, grouped, interval, model, signed};
use arena_games::Games;
use arena_stats::ratings::FEW_UNITS;
use arena_stats::sprt::estimate::{Estimate, after_stop, may_have_stopped};
use arena_stats::sprt::outlook::{Units, out_of_reach, outlook};
use arena_stats::sprt::{Hypotheses, Sprt, State};

/// Evaluates a sequential test on counted results
///
/// Is the bot at least --elo1 stronger, or no more than --elo0? The exit status is 0 if it is accepted, 1 if it is
/// rejected, and 4 while more games are needed. A RUN that is a test is told as it is, with its own bounds. Results must be of a match that was stopped by such a test or by
/// nothing; whoever looks at intervals again and again, and stops when one pleases, fools himself.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    #[command(flatten)]
    counts: Counts,
    #[command(flatten)]
    question: HypothesesArgs,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

/// A test on counted units.
#[derive(Serialize)]
struct Tested {
    state: State,
    llr: f64,
    #[serde(flatten)]
    hypotheses: Hypotheses,
    lower: f64,
    upper: f64,
    /// The part of the way to the nearer bound.
    progress: f64,
    /// Games that are left on average if the mean score stays as it is.
    expected_games_left: Option<f64>,
    /// At a stop its figures are biased.
    #[serde(flatten)]
    counted: Counted,
    /// Corrected for early stopping, where the last unit may have stopped a test; while it runs, of one that is ended here undecided.
    median_unbiased: Option<Estimate>,
    #[serde(skip)]
    is_drawish: bool,
}

impl Tested {
    fn new(counted: Counted, hypotheses: Hypotheses) -> Self {
        let (scores, games_per_unit) = (&counted.scores, counted.games_per_unit);
        let test = Sprt::new(hypotheses, games_per_unit, scores.clone());
        let (llr, state) = (test.llr(), test.state());
        let is_running = state == State::Running;
        let may_have_stopped = may_have_stopped(scores, games_per_unit, &hypotheses);
        let units = Units::like(scores, games_per_unit);
        let so_far = units.zip(scores.mean()).filter(|_| is_running);
        let outlook = so_far.map(|(units, score)| outlook(&hypotheses, &units, score, llr));
        Self {
            state,
            llr,
            hypotheses,
            lower: hypotheses.lower(),
            upper: hypotheses.upper(),
            progress: hypotheses.progress(llr),
            expected_games_left: outlook.map(|outlook| outlook.expected_games),
            median_unbiased: after_stop(scores, games_per_unit, &hypotheses).filter(|_| {
                if is_running {
                    scores.units() >= FEW_UNITS
                } else {
                    may_have_stopped
                }
            }),
            is_drawish: units.is_some_and(|units| out_of_reach(&hypotheses, &units)),
            counted,
        }
    }
}

pub(super) fn sprt(args: &SprtArgs, games: &Games) -> Result<u8, Failure> {
    if let Some(run) = args.counts.test() {
        return of_run(run, args.json, games);
    }
    let tested = Tested::new(args.counts.required()?, args.question.hypotheses()?);
    print_either(args.json, &tested, || wrapped(&text(&tested)))?;
    Ok(match tested.state {
        State::Accepted => exit::OK,
        State::Rejected => exit::CHECK_FAILED,
        State::Running => exit::INCONCLUSIVE,
    })
}

/// A run that is a test itself: what it asked, and what came of it, in the order of its units.
fn of_run(run: &Path, json: bool, games: &Games) -> Result<u8, Failure> {
    let RunReport { summary, plan, .. } = tournament::report(run, &Asked::None, false, games)
        .map_err(|error| Failure {
            code: exit_code(&error),
            error: error.into(),
        })?;
    print_either(json, &summary.sprt, || {
        outcome::text(&summary, &plan, run, &Screen::stdout(), false)
    })?;
    Ok(code_of(&summary))
}

/// The question of a test in words.
pub(super) fn question(hypotheses: &Hypotheses) -> String {
    let (model, elo0, elo1) = (
        model(hypotheses),
        bound(hypotheses.elo0),
        bound(hypotheses.elo1),
    );
    let (alpha, beta) = (
        exact_percent(hypotheses.alpha),
        exact_percent(hypotheses.beta),
    );
    let errors = format!(
        "a bot worth {elo0} is accepted {alpha} of the time, one worth {elo1} is rejected {beta} of the time"
    );
    fact(
        "Question",
        format!("is the bot worth {elo1} {model} or more (accept), or {elo0} or less (reject)?"),
    ) + &fact("Errors", errors)
}

fn text(tested: &Tested) -> String {
    let Tested {
        hypotheses,
        lower,
        upper,
        counted,
        ..
    } = tested;
    let is_running = tested.state == State::Running;
    let was_stopped = !is_running && tested.median_unbiased.is_some();
    let beyond = match tested.state {
        State::Accepted | State::Rejected if !was_stopped => {
            "; more than one unit beyond: no such test stopped here"
        }
        _ => "",
    };
    let evidence = format!(
        "LLR {:+.2}; {upper:+.2} accepts, {lower:+.2} rejects{beyond}",
        tested.llr + 0.0
    );
    let mut text = question(hypotheses);
    if let Some(result) = &counted.result {
        text += &fact("Results", told(counted, result));
    }
    text += &fact("Evidence", evidence);
    text += &fact(
        "Clear cases",
        "may end earlier in runs with early = true: counts do not tell in which order units came",
    );
    if let Some(result) = &counted.result {
        let bias = if was_stopped {
            "   biased by early stopping"
        } else {
            ""
        };
        let ends = interval(result.interval(false), decimals(result.error95));
        text += &fact(
            "Logistic Elo",
            format!("{}, 95% interval {ends}{bias}", strength(result)),
        );
    }
    if let Some(estimate) = tested.median_unbiased {
        let of_what = if is_running {
            "if the test ends here for good, undecided"
        } else {
            "corrected for early stopping"
        };
        text += &fact(
            "Unbiased Elo",
            format!("{}   {of_what}", unbiased(&estimate)),
        );
    }
    if tested.is_drawish {
        text.push_str(DRAWISH);
    }
    text + &conclusion(tested) + "\n"
}

/// What bots that draw too much are told.
pub(super) const DRAWISH: &str = "Warning       so many units are level that a real gain can hardly reach elo1: prefer \
                                  bounds closer to 0, or --model normalized\n";

fn unbiased(estimate: &Estimate) -> String {
    let decimals = decimals((estimate.hi95 - estimate.lo95) / 2.0);
    let show = |elo: f64| match elo {
        f64::INFINITY => "beyond +1000".to_owned(),
        f64::NEG_INFINITY => "beyond -1000".to_owned(),
        _ => signed(elo, decimals),
    };
    format!(
        "{}, 95% interval [{}, {}]",
        show(estimate.elo),
        show(estimate.lo95),
        show(estimate.hi95)
    )
}

fn conclusion(tested: &Tested) -> String {
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
