//! `arena plan`.

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::counts::{Counts, HypothesesArgs, TestBounds, fact, grouped, percent, print, print_json, signed};
use super::sprt::{DRAWISH, question};
use crate::exit;
use crate::report::table::{Kind, Rows};
use arena_stats::sprt::outlook::{Outlook, Units, out_of_reach, outlook};
use arena_stats::sprt::{Hypotheses, Model};

/// A test of so many times the expected units at its hardest ends undecided about 3% of the time.
const PATIENCE: f64 = 3.0;

/// Expected length and power of a sequential test
///
/// For bots of several true strengths. How much games vary is taken from earlier results (--wdl, --penta, or --values
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

/// A plan of a test, for a bot and for others of other strengths.
#[derive(Serialize)]
struct Plan {
    #[serde(flatten)]
    bounds: TestBounds,
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

/// What a plan is made from.
struct Basis {
    hypotheses: Hypotheses,
    units: Units,
    games_per_hour: Option<f64>,
}

impl Basis {
    fn new(args: &PlanArgs) -> Result<Self, Failure> {
        let refuse = |why: String| Err(Failure::usage(anyhow::anyhow!("plan {why}")));
        let hypotheses = args.question.hypotheses()?;
        let units = match args.counts.counted()? {
            None => Units::assumed(args.counts.games_per_unit.unwrap_or(2), args.draw_ratio, args.bias),
            Some(counted) => match Units::like(&counted.scores, counted.games_per_unit) {
                None => return refuse("from no games: give some, or --draw-ratio".to_owned()),
                Some(units) => Ok(units),
            },
        };
        let basis = Self { hypotheses, units: units.map_err(Failure::usage)?, games_per_hour: args.games_per_hour };
        if let Some(wrong) = args.games_per_hour.filter(|games| !(*games > 0.0 && games.is_finite())) {
            return refuse(format!("with {wrong} games per hour: a number above 0 is needed"));
        }
        if let Some(elo) = args.elo.filter(|elo| !elo.is_finite()) {
            return refuse(format!("for a bot of {elo} Elo: a number is needed"));
        }
        let mut bounds = [hypotheses.elo0, hypotheses.elo1].into_iter();
        if let Some(elo) = bounds.find(|&elo| !basis.logistic(elo).is_finite()) {
            let variance = basis.units.variance_per_game();
            return refuse(format!(
                "for a bot of {elo} normalized Elo: with a variance of {variance:.4} per game no score is so far from even"
            ));
        }
        Ok(basis)
    }

    /// A hypothesis, or a strength between or beyond both, in ordinary Elo.
    fn logistic(&self, elo: f64) -> f64 {
        match self.hypotheses.model {
            Model::Logistic => elo,
            Model::Normalized => self.units.logistic_elo(elo),
        }
    }

    fn normalized(&self, elo: f64) -> f64 {
        match self.hypotheses.model {
            Model::Logistic => self.units.normalized_elo(elo),
            Model::Normalized => elo,
        }
    }

    /// True strengths worth a look, in ordinary Elo: two widths below the middle, both hypotheses and the middle, two
    /// widths above.
    fn strengths(&self) -> impl Iterator<Item = f64> {
        let (elo0, elo1) = (self.hypotheses.elo0, self.hypotheses.elo1);
        let (middle, width) = (f64::midpoint(elo0, elo1), elo1 - elo0);
        let all = [middle - 2.0 * width, elo0, middle, elo1, middle + 2.0 * width];
        all.into_iter().map(|elo| self.logistic(elo)).filter(|elo| elo.is_finite())
    }

    fn truth(&self, elo: f64) -> Truth {
        let outlook = outlook(&self.hypotheses, &self.units, elo);
        let games_within = |probability: f64| outlook.units_quantile(probability) * f64::from(self.units.games);
        Truth {
            elo,
            median_games: games_within(0.5),
            games90: games_within(0.9),
            expected_hours: self.games_per_hour.map(|games| outlook.expected_games / games),
            outlook,
        }
    }

    /// The plan for a bot of this strength in ordinary Elo; without one it is that of `elo1`.
    fn plan(&self, elo: Option<f64>) -> Plan {
        let Self { hypotheses, units, .. } = self;
        let (elo0, elo1) = (hypotheses.elo0, hypotheses.elo1);
        let hardest = self.truth(self.logistic(f64::midpoint(elo0, elo1)));
        Plan {
            bounds: TestBounds::of(*hypotheses),
            games_per_unit: units.games,
            variance: units.variance,
            variance_per_game: units.variance_per_game(),
            logistic_elo0: self.logistic(elo0),
            logistic_elo1: self.logistic(elo1),
            nelo0: self.normalized(elo0),
            nelo1: self.normalized(elo1),
            out_of_reach: out_of_reach(hypotheses, units),
            max_units: (PATIENCE * hardest.outlook.expected_units).ceil(),
            truth: self.truth(elo.unwrap_or_else(|| self.logistic(elo1))),
            truths: self.strengths().map(|elo| self.truth(elo)).collect(),
        }
    }
}

pub(super) fn plan(args: &PlanArgs) -> Result<u8, Failure> {
    let plan = Basis::new(args)?.plan(args.elo);
    if args.json {
        print_json(&plan)?;
    } else {
        let own = args.elo.map(|_| plan.truth);
        let mut truths: Vec<Truth> = plan.truths.iter().copied().chain(own).collect();
        truths.sort_by(|a, b| a.elo.total_cmp(&b.elo));
        print(&text(&plan, &truths));
    }
    Ok(exit::OK)
}

fn text(plan: &Plan, truths: &[Truth]) -> String {
    let mut text = format!("{}{}\n{}\n", question(&plan.bounds.hypotheses), equivalents(plan), table(truths));
    if plan.out_of_reach {
        text.push_str(DRAWISH);
    }
    let (units, games) = (grouped(plan.max_units), grouped(plan.max_units * f64::from(plan.games_per_unit)));
    let limit = format!("A good limit is {units} units ({games} games)");
    text + &limit + ": 3% of the tests of the hardest bot reach it undecided.\n"
}

fn table(truths: &[Truth]) -> String {
    let has_hours = truths.iter().any(|truth| truth.expected_hours.is_some());
    let mut rows = Rows::new("Length of the test", truths)
        .shown(Kind::Number, "true Elo", |truth| signed(truth.elo, f64::INFINITY))
        .shown(Kind::Number, "accepted", |truth| percent(truth.outlook.pass_probability))
        .shown(Kind::Number, "games on average", |truth| grouped(truth.outlook.expected_games))
        .shown(Kind::Number, "half end by", |truth| grouped(truth.median_games))
        .shown(Kind::Number, "90% end by", |truth| grouped(truth.games90));
    if has_hours {
        rows = rows.shown(Kind::Number, "hours", |truth| truth.expected_hours.map(|hours| format!("{hours:.1}")));
    }
    rows.table().text()
}

/// The hypotheses in the other Elo, and what was assumed.
fn equivalents(plan: &Plan) -> String {
    let (name, elo0, elo1) = match plan.bounds.hypotheses.model {
        Model::Logistic => ("normalized Elo", plan.nelo0, plan.nelo1),
        Model::Normalized => ("ordinary Elo", plan.logistic_elo0, plan.logistic_elo1),
    };
    let [elo0, elo1] = [elo0, elo1].map(|elo| signed(elo, f64::INFINITY));
    let (variance, games) = (plan.variance_per_game, plan.games_per_unit);
    fact(
        "Bounds",
        format!("{elo0} and {elo1} in {name}, with a variance of {variance:.4} per game in units of {games}"),
    )
}
