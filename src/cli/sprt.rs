//! `arena sprt`.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::counts::{Counted, Counts, Question, grouped, percent, print, print_json, signed};
use super::elo::{MatchJson, interval, strength, told};
use crate::exit;
use arena_stats::elo::match_elo;
use arena_stats::sprt::estimate::{Estimate, after_stop};
use arena_stats::sprt::plan::{Units, out_of_reach, outlook_from};
use arena_stats::sprt::{Hypotheses, Model, State, llr};

/// Says whether results are enough to accept or reject a bot: a sequential test
///
/// Is the bot at least --elo1 stronger, or no more than --elo0? The exit status is 0 if it is accepted, 1 if it is
/// rejected, and 4 while more games are needed. Results must be of a match that was stopped by such a test or by
/// nothing; whoever looks at intervals again and again, and stops when one pleases, fools himself.
#[derive(Debug, Args)]
pub(super) struct SprtArgs {
    #[command(flatten)]
    counts: Counts,
    #[command(flatten)]
    question: Question,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

/// Hypotheses in JSON.
#[derive(Debug, Serialize)]
pub(super) struct QuestionJson {
    model: String,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    lower: f64,
    upper: f64,
}

impl QuestionJson {
    pub(super) fn new(hypotheses: &Hypotheses) -> Self {
        Self {
            model: hypotheses.model().to_string(),
            elo0: hypotheses.elo0(),
            elo1: hypotheses.elo1(),
            alpha: hypotheses.alpha(),
            beta: hypotheses.beta(),
            lower: hypotheses.lower(),
            upper: hypotheses.upper(),
        }
    }
}

#[derive(Debug, Serialize)]
struct SprtJson {
    state: State,
    llr: f64,
    #[serde(flatten)]
    question: QuestionJson,
    /// The part of the way to the nearer bound.
    progress: f64,
    /// Games that are left on average if the mean score stays as it is.
    expected_games_left: Option<f64>,
    /// Plain Elo. At a stop it is too extreme.
    #[serde(flatten)]
    result: MatchJson,
    /// What to believe after the stop.
    median_unbiased: Option<EstimateJson>,
}

#[derive(Debug, Serialize)]
struct EstimateJson {
    elo: f64,
    lo95: f64,
    hi95: f64,
    los: f64,
}

/// A test on counted units.
struct Tested {
    counted: Counted,
    hypotheses: Hypotheses,
    llr: f64,
    state: State,
    estimate: Option<Estimate>,
    games_left: Option<f64>,
    drawish: bool,
}

impl Tested {
    fn new(counted: Counted, hypotheses: Hypotheses) -> Self {
        let llr = llr(&counted.scores, counted.games_per_unit, &hypotheses);
        let state = hypotheses.state(llr);
        let units = Units::like(&counted.scores, counted.games_per_unit);
        let outlook = units.zip(counted.scores.mean()).filter(|_| state == State::Running);
        let outlook = outlook.and_then(|(units, score)| outlook_from(&hypotheses, &units, score, llr).ok());
        Self {
            estimate: after_stop(&counted.scores, counted.games_per_unit, &hypotheses)
                .filter(|_| state != State::Running),
            games_left: outlook.map(|outlook| outlook.expected_games),
            drawish: units.is_some_and(|units| out_of_reach(&hypotheses, &units)),
            counted,
            hypotheses,
            llr,
            state,
        }
    }
}

pub(super) fn sprt(args: &SprtArgs) -> Result<u8, Failure> {
    let tested = Tested::new(args.counts.required()?, args.question.hypotheses()?);
    if args.json {
        print_json(&json(&tested))?;
    } else {
        print(&text(&tested));
    }
    Ok(match tested.state {
        State::Accepted => exit::OK,
        State::Rejected => exit::CHECK_FAILED,
        State::Running => exit::INCONCLUSIVE,
    })
}

fn json(tested: &Tested) -> SprtJson {
    SprtJson {
        state: tested.state,
        llr: tested.llr,
        question: QuestionJson::new(&tested.hypotheses),
        progress: tested.hypotheses.progress(tested.llr),
        expected_games_left: tested.games_left,
        result: MatchJson::new(&tested.counted),
        median_unbiased: tested.estimate.map(|Estimate { elo, lo95, hi95, los }| EstimateJson { elo, lo95, hi95, los }),
    }
}

/// The question of a test in words.
pub(super) fn question(hypotheses: &Hypotheses) -> String {
    let unit = match hypotheses.model() {
        Model::Logistic => "Elo",
        Model::Normalized => "normalized Elo",
    };
    let bound = |elo: f64| if elo == 0.0 { "0".to_owned() } else { format!("{elo:+}") };
    format!(
        "Question      is the bot worth {} {unit} or more (accept), or {} or less (reject)?\nErrors        a bot worth \
         {} is accepted {} of the time, one worth {} is rejected {} of the time",
        bound(hypotheses.elo1()),
        bound(hypotheses.elo0()),
        bound(hypotheses.elo0()),
        percent(hypotheses.alpha()),
        bound(hypotheses.elo1()),
        percent(hypotheses.beta())
    )
}

fn text(tested: &Tested) -> String {
    let hypotheses = &tested.hypotheses;
    let mut text = question(hypotheses) + "\n";
    let result = match_elo(&tested.counted.scores, tested.counted.games_per_unit);
    if let Some(result) = &result {
        let _ = writeln!(text, "Results       {}", told(&tested.counted, result));
    }
    let _ = writeln!(
        text,
        "Evidence      LLR {:+.2}; {:+.2} accepts, {:+.2} rejects",
        tested.llr + 0.0,
        hypotheses.upper(),
        hypotheses.lower()
    );
    if let Some(result) = &result {
        let bias = if tested.state == State::Running { "" } else { "   at the stop, where it is too extreme" };
        let _ = writeln!(text, "Plain Elo     {}, 95% interval {}{bias}", strength(result), interval(result));
    }
    if let Some(estimate) = tested.estimate {
        let _ = writeln!(text, "Unbiased Elo  {}   allows for the stop: believe this", unbiased(&estimate));
    }
    if tested.drawish {
        text.push_str(DRAWISH);
    }
    text + &conclusion(tested) + "\n"
}

/// What bots that draw too much are told.
pub(super) const DRAWISH: &str = "Warning       so many units are level that a real gain can hardly reach elo1: prefer \
                                  bounds closer to 0, or --model normalized\n";

fn unbiased(estimate: &Estimate) -> String {
    let error = (estimate.hi95 - estimate.lo95) / 2.0;
    let show = |elo: f64| match elo {
        f64::INFINITY => "beyond +1000".to_owned(),
        f64::NEG_INFINITY => "beyond -1000".to_owned(),
        _ => signed(elo, error),
    };
    format!("{}, 95% interval [{}, {}]", show(estimate.elo), show(estimate.lo95), show(estimate.hi95))
}

fn conclusion(tested: &Tested) -> String {
    let progress = percent(tested.hypotheses.progress(tested.llr).clamp(0.0, 1.0));
    match (tested.state, tested.games_left) {
        (State::Accepted, _) => "Accepted: play no further, the bot passes.".to_owned(),
        (State::Rejected, _) => "Rejected: play no further, the bot does not pass.".to_owned(),
        (State::Running, Some(games)) => {
            let side = if tested.llr >= 0.0 { "acceptance" } else { "rejection" };
            let games = grouped(games);
            format!(
                "Running: {progress} of the way to {side}. Play on; if the score stays so, about {games} more games."
            )
        }
        (State::Running, None) => "Running: no games yet.".to_owned(),
    }
}
