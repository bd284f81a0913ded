//! `arena power`.

use clap::Args;
use serde::Serialize;

use super::counts::{Counts, HypothesesArgs, fact, wrapped};
use super::sprt::{DRAWISH, question};
use super::{Failure, print_either};
use crate::report::screen::Screen;
use crate::report::table::{Kind, Rows};
use crate::words::{count, exact_percent, grouped, signed};
use arena_stats::elo_to_score;
use arena_stats::ratings::FEW_UNITS;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::outlook::{Outlook, Units, out_of_reach};
use arena_stats::sprt::{Hypotheses, Model, Sprt};

/// A test of so many times the expected units at its hardest ends undecided about 3% of the time.
const PATIENCE: f64 = 3.0;

/// What is said of a plan with bets.
const EARLY: &str = "Clear cases   end early, by bets that take a small part of the errors; --no-early plans without\n";

/// Expected length and power of a sequential test
///
/// For bots of several true strengths. How much games vary is taken from earlier results (a run, --wdl, --penta, or --values
/// and --counts), or from --draw-ratio and --bias, for pairs of games unless --games-per-unit says otherwise.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    counts: Counts,
    #[command(flatten)]
    question: HypothesesArgs,
    /// The share of games that are drawn, from 0 to 1
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        conflicts_with = "results"
    )]
    draw_ratio: f64,
    /// By how many Elo a start typically favours one side, in units whose games swap seats
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        conflicts_with = "results"
    )]
    bias: f64,
    /// Plan for a test by the likelihood ratio alone; clear cases end early otherwise
    #[arg(long)]
    no_early: bool,
    /// The true strength, in ordinary Elo, of a bot to plan for [default: elo1]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo: Option<f64>,
    /// How many games are played in an hour
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    games_per_hour: Option<f64>,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

/// A plan of a test, for a bot and for others of other strengths.
#[derive(Serialize)]
struct Plan {
    #[serde(flatten)]
    hypotheses: Hypotheses,
    /// Whether clear cases end early.
    early: bool,
    /// The bounds of the likelihood ratio.
    lower: f64,
    upper: f64,
    games_per_unit: u32,
    /// Variance of the score of a unit, and per game.
    variance: f64,
    variance_per_game: f64,
    /// Units that the variance was measured in.
    measured_units: Option<u64>,
    /// The hypotheses in ordinary and in normalized Elo.
    logistic_elo0: f64,
    logistic_elo1: f64,
    nelo0: f64,
    nelo1: f64,
    /// Whether units are level so often that elo1 can hardly be reached.
    out_of_reach: bool,
    /// A limit that leaves about 3% undecided at the hardest true strength.
    max_units: f64,
    #[serde(flatten)]
    truth: Truth,
    /// Other true strengths.
    truths: Vec<Truth>,
}

/// What happens to a bot of a true strength.
#[derive(Clone, Copy, Serialize)]
struct Truth {
    elo: f64,
    #[serde(flatten)]
    outlook: Outlook,
    median_games: f64,
    games90: f64,
    expected_hours: Option<f64>,
}

pub(super) fn plan(args: &PlanArgs) -> Result<u8, Failure> {
    let plan = Plan::new(args)?;
    print_either(args.json, &plan, || wrapped(&text(&plan, args.elo)))
}

fn refused(why: &str) -> Failure {
    Failure::usage(anyhow::anyhow!("plan {why}"))
}

/// How much games vary, and the number of units that tell it, where it was measured.
fn units(args: &PlanArgs) -> Result<(Units, Option<u64>), Failure> {
    let Some(counted) = args.counts.counted()? else {
        let games_per_unit = args.counts.games_per_unit.unwrap_or(2);
        let units =
            Units::assumed(games_per_unit, args.draw_ratio, args.bias).map_err(Failure::usage)?;
        return Ok((units, None));
    };
    let units = Units::like(&counted.scores, counted.games_per_unit);
    let units = units.ok_or_else(|| refused("from no games: give some, or --draw-ratio"))?;
    Ok((units, Some(counted.units)))
}

impl Plan {
    /// The plan for a bot of the strength that is asked for, or of `elo1`.
    fn new(args: &PlanArgs) -> Result<Plan, Failure> {
        let hypotheses = args.question.hypotheses()?;
        let (units, measured_units) = units(args)?;
        if let Some(wrong) = args
            .games_per_hour
            .filter(|games| !(*games > 0.0 && games.is_finite()))
        {
            return Err(refused(&format!(
                "with {wrong} games per hour: a number above 0 is needed"
            )));
        }
        if let Some(elo) = args.elo.filter(|elo| !elo.is_finite()) {
            return Err(refused(&format!(
                "for a bot of {elo} Elo: a number is needed"
            )));
        }
        let bounds = [hypotheses.elo0, hypotheses.elo1];
        let is_normalized = hypotheses.model == Model::Normalized;
        let logistic = |elo: f64| {
            if is_normalized {
                units.logistic_elo(elo)
            } else {
                elo
            }
        };
        let normalized = |elo: f64| {
            if is_normalized {
                elo
            } else {
                units.normalized_elo(elo)
            }
        };
        let variance_per_game = units.variance_per_game();
        if let Some(elo) = bounds.into_iter().find(|&elo| !logistic(elo).is_finite()) {
            return Err(refused(&format!(
                "for a bot of {elo} normalized Elo: with a variance of {variance_per_game:.4} per game no score is so far from even"
            )));
        }
        let early = !args.no_early;
        let test = Sprt::maybe_early(early, hypotheses, units.games, UnitScores::new(1));
        let truth = |elo: f64| {
            let outlook = test.outlook(&units, elo_to_score(elo));
            let games_within =
                |probability: f64| outlook.units_quantile(probability) * f64::from(units.games);
            Truth {
                elo,
                median_games: games_within(0.5),
                games90: games_within(0.9),
                expected_hours: args
                    .games_per_hour
                    .map(|games| outlook.expected_games / games),
                outlook,
            }
        };
        let [elo0, elo1] = bounds;
        let (middle, width) = (f64::midpoint(elo0, elo1), elo1 - elo0);
        // True strengths worth a look, from two widths below the middle to two above.
        let strengths = [
            middle - 2.0 * width,
            elo0,
            middle,
            elo1,
            middle + 2.0 * width,
        ]
        .map(logistic);
        let hardest = truth(logistic(middle));
        Ok(Plan {
            hypotheses,
            early,
            lower: test.by_llr().lower(),
            upper: test.by_llr().upper(),
            games_per_unit: units.games,
            variance: units.variance,
            variance_per_game,
            measured_units,
            logistic_elo0: logistic(elo0),
            logistic_elo1: logistic(elo1),
            nelo0: normalized(elo0),
            nelo1: normalized(elo1),
            out_of_reach: out_of_reach(&hypotheses, &units),
            max_units: (PATIENCE * hardest.outlook.expected_units).ceil(),
            truth: truth(args.elo.unwrap_or_else(|| logistic(elo1))),
            truths: strengths
                .into_iter()
                .filter(|elo| elo.is_finite())
                .map(truth)
                .collect(),
        })
    }
}

fn text(plan: &Plan, own: Option<f64>) -> String {
    let mut truths: Vec<Truth> = plan
        .truths
        .iter()
        .copied()
        .chain(own.map(|_| plan.truth))
        .collect();
    truths.sort_by(|a, b| a.elo.total_cmp(&b.elo));
    let few = plan.measured_units.filter(|&units| units < FEW_UNITS).map_or_else(String::new, |units| {
        let units = count(units, "unit says", "units say");
        fact(
            "Warning",
            format!("{units} little of the variance, so that all of this is a guess; {FEW_UNITS} or more are needed"),
        )
    });
    let warning = if plan.out_of_reach { DRAWISH } else { "" };
    let early = if plan.early { EARLY } else { "" };
    format!(
        "{}{}{early}\n{}\n{few}{warning}A good limit is {} units ({} games): 3% of the tests of the hardest bot reach it undecided.\n",
        question(&plan.hypotheses),
        equivalents(plan),
        table(&truths),
        grouped(plan.max_units),
        grouped(plan.max_units * f64::from(plan.games_per_unit))
    )
}

fn table(truths: &[Truth]) -> String {
    let mut rows = Rows::new("Length of the test", truths)
        .shown(Kind::Number, "true Elo", |truth| signed(truth.elo, 1))
        .shown(Kind::Number, "accepted", |truth| {
            exact_percent(truth.outlook.pass_probability)
        })
        .shown(Kind::Number, "games on average", |truth| {
            grouped(truth.outlook.expected_games)
        })
        .shown(Kind::Number, "half end by", |truth| {
            grouped(truth.median_games)
        })
        .shown(Kind::Number, "90% end by", |truth| grouped(truth.games90));
    if truths.iter().any(|truth| truth.expected_hours.is_some()) {
        rows = rows.shown(Kind::Number, "hours", |truth| {
            truth.expected_hours.map(|hours| format!("{hours:.1}"))
        });
    }
    rows.table().text(&Screen::stdout())
}

/// The hypotheses in the other Elo, and what was assumed.
fn equivalents(plan: &Plan) -> String {
    let (name, elo0, elo1) = match plan.hypotheses.model {
        Model::Logistic => ("normalized Elo", plan.nelo0, plan.nelo1),
        Model::Normalized => ("ordinary Elo", plan.logistic_elo0, plan.logistic_elo1),
    };
    let [elo0, elo1] = [elo0, elo1].map(|elo| signed(elo, 1));
    let (variance, games) = (plan.variance_per_game, plan.games_per_unit);
    fact(
        "Bounds",
        format!(
            "{elo0} and {elo1} in {name}, with a variance of {variance:.4} per game in units of {games}"
        ),
    )
}
