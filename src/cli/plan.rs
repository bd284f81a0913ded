//! `arena plan`.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::counts::{Counts, Question, grouped, percent, print, print_json, signed};
use super::sprt::{DRAWISH, QuestionJson, question};
use crate::exit;
use crate::report::table::{Kind, Rows};
use arena_stats::sprt::plan::{Outlook, Units, out_of_reach, outlook};
use arena_stats::sprt::{Hypotheses, Model};

/// A test of so many times the expected units at its hardest ends undecided about 3% of the time.
const PATIENCE: f64 = 3.0;

/// Says how many games a sequential test takes, and how often a bot passes it
///
/// For bots of several true strengths. How much games vary is taken from earlier results (--wdl, --penta, or --values
/// and --counts), or from --draw-ratio and --bias, for pairs of games unless --games-per-unit says otherwise.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    counts: Counts,
    #[command(flatten)]
    question: Question,
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
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true, conflicts_with = "results")]
    bias: f64,
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

#[derive(Debug, Serialize)]
struct PlanJson {
    #[serde(flatten)]
    question: QuestionJson,
    games_per_unit: u32,
    /// Variance of the score of a unit, and per game.
    variance: f64,
    variance_per_game: f64,
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
    truth: TruthJson,
    /// Other true strengths.
    truths: Vec<TruthJson>,
}

/// What happens to a bot of a true strength.
#[derive(Debug, Serialize)]
struct TruthJson {
    elo: f64,
    pass_probability: f64,
    expected_units: f64,
    expected_games: f64,
    median_games: f64,
    games90: f64,
    expected_hours: Option<f64>,
}

struct Plan {
    hypotheses: Hypotheses,
    units: Units,
    games_per_hour: Option<f64>,
}

impl Plan {
    fn new(args: &PlanArgs) -> Result<Self, Failure> {
        let hypotheses = args.question.hypotheses()?;
        let units = if let Some(counted) = args.counts.counted()? {
            let units = Units::like(&counted.scores, counted.games_per_unit);
            units.ok_or_else(|| Failure::usage(anyhow::anyhow!("plan from no games: give some, or --draw-ratio")))?
        } else {
            let games = args.counts.games_per_unit.unwrap_or(2);
            Units::assumed(games, args.draw_ratio, args.bias).map_err(Failure::usage)?
        };
        if let Some(wrong) = args.games_per_hour.filter(|games| !(*games > 0.0 && games.is_finite())) {
            return Err(Failure::usage(anyhow::anyhow!(
                "plan with {wrong} games per hour: a number above 0 is needed"
            )));
        }
        if let Some(elo) = args.elo.filter(|elo| !elo.is_finite()) {
            return Err(Failure::usage(anyhow::anyhow!("plan for a bot of {elo} Elo: a number is needed")));
        }
        let plan = Self { hypotheses, units, games_per_hour: args.games_per_hour };
        let bounds = [plan.hypotheses.elo0(), plan.hypotheses.elo1()];
        match bounds.into_iter().find(|&elo| !plan.logistic(elo).is_finite()) {
            None => Ok(plan),
            Some(elo) => Err(Failure::usage(anyhow::anyhow!(
                "plan for a bot of {elo} normalized Elo: with a variance of {:.4} per game no score is so far from even",
                plan.units.variance_per_game()
            ))),
        }
    }

    fn outlook(&self, elo: f64) -> Result<Outlook, Failure> {
        outlook(&self.hypotheses, &self.units, elo).map_err(Failure::usage)
    }

    /// A hypothesis, or a strength between or beyond both, in ordinary Elo.
    fn logistic(&self, elo: f64) -> f64 {
        match self.hypotheses.model() {
            Model::Logistic => elo,
            Model::Normalized => self.units.logistic_elo(elo),
        }
    }

    fn normalized(&self, elo: f64) -> f64 {
        match self.hypotheses.model() {
            Model::Logistic => self.units.normalized_elo(elo),
            Model::Normalized => elo,
        }
    }

    /// True strengths worth a look, in ordinary Elo: two widths below the middle, both hypotheses and the middle, two
    /// widths above.
    fn truths(&self) -> Vec<f64> {
        let (elo0, elo1) = (self.hypotheses.elo0(), self.hypotheses.elo1());
        let (middle, width) = (f64::midpoint(elo0, elo1), elo1 - elo0);
        let all = [middle - 2.0 * width, elo0, middle, elo1, middle + 2.0 * width];
        all.into_iter().map(|elo| self.logistic(elo)).filter(|elo| elo.is_finite()).collect()
    }

    fn max_units(&self) -> Result<f64, Failure> {
        let middle = self.logistic(f64::midpoint(self.hypotheses.elo0(), self.hypotheses.elo1()));
        Ok((PATIENCE * self.outlook(middle)?.expected_units).ceil())
    }

    fn truth(&self, elo: f64) -> Result<TruthJson, Failure> {
        let outlook = self.outlook(elo)?;
        Ok(TruthJson {
            elo,
            pass_probability: outlook.pass_probability,
            expected_units: outlook.expected_units,
            expected_games: outlook.expected_games,
            median_games: outlook.games_quantile(0.5),
            games90: outlook.games_quantile(0.9),
            expected_hours: self.games_per_hour.map(|games| outlook.expected_games / games),
        })
    }
}

pub(super) fn plan(args: &PlanArgs) -> Result<u8, Failure> {
    let plan = Plan::new(args)?;
    let elo = args.elo.unwrap_or_else(|| plan.logistic(plan.hypotheses.elo1()));
    let truths = plan.truths().into_iter().map(|elo| plan.truth(elo)).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        print_json(&json(&plan, elo, truths)?)?;
    } else {
        let own = args.elo.map(|elo| plan.truth(elo)).transpose()?;
        print(&text(&plan, truths.into_iter().chain(own).collect())?);
    }
    Ok(exit::OK)
}

fn json(plan: &Plan, elo: f64, truths: Vec<TruthJson>) -> Result<PlanJson, Failure> {
    let (elo0, elo1) = (plan.hypotheses.elo0(), plan.hypotheses.elo1());
    Ok(PlanJson {
        question: QuestionJson::new(&plan.hypotheses),
        games_per_unit: plan.units.games,
        variance: plan.units.variance,
        variance_per_game: plan.units.variance_per_game(),
        logistic_elo0: plan.logistic(elo0),
        logistic_elo1: plan.logistic(elo1),
        nelo0: plan.normalized(elo0),
        nelo1: plan.normalized(elo1),
        out_of_reach: out_of_reach(&plan.hypotheses, &plan.units),
        max_units: plan.max_units()?,
        truth: plan.truth(elo)?,
        truths,
    })
}

fn text(plan: &Plan, mut truths: Vec<TruthJson>) -> Result<String, Failure> {
    truths.sort_by(|a, b| a.elo.total_cmp(&b.elo));
    let mut rows = Rows::new("Length of the test", &truths)
        .shown(Kind::Number, "true Elo", |truth| signed(truth.elo, f64::INFINITY))
        .shown(Kind::Number, "accepted", |truth| percent(truth.pass_probability))
        .shown(Kind::Number, "games on average", |truth| grouped(truth.expected_games))
        .shown(Kind::Number, "half end by", |truth| grouped(truth.median_games))
        .shown(Kind::Number, "90% end by", |truth| grouped(truth.games90));
    if plan.games_per_hour.is_some() {
        rows = rows.shown(Kind::Number, "hours", |truth| truth.expected_hours.map(|hours| format!("{hours:.1}")));
    }
    let mut text = format!("{}\n{}\n\n{}\n", question(&plan.hypotheses), equivalents(plan), rows.table().text());
    if out_of_reach(&plan.hypotheses, &plan.units) {
        text.push_str(DRAWISH);
    }
    let units = plan.max_units()?;
    let games = grouped(units * f64::from(plan.units.games));
    let _ = writeln!(
        text,
        "A good limit is {} units ({games} games): 3% of the tests of the hardest bot reach it undecided.",
        grouped(units)
    );
    Ok(text)
}

/// The hypotheses in the other Elo, and what was assumed.
fn equivalents(plan: &Plan) -> String {
    let (elo0, elo1) = (plan.hypotheses.elo0(), plan.hypotheses.elo1());
    let (name, of): (_, &dyn Fn(f64) -> f64) = match plan.hypotheses.model() {
        Model::Logistic => ("normalized Elo", &|elo| plan.normalized(elo)),
        Model::Normalized => ("ordinary Elo", &|elo| plan.logistic(elo)),
    };
    format!(
        "Bounds        {} and {} in {name}, with a variance of {:.4} per game in units of {}",
        signed(of(elo0), f64::INFINITY),
        signed(of(elo1), f64::INFINITY),
        plan.units.variance_per_game(),
        plan.units.games
    )
}
