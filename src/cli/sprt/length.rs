//! How many games a sequential test takes: a section of `arena sprt`.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::counts::{Counted, fact};
use crate::cli::failure::{Result, UsageError};
use crate::cli::terms::within;
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::words::{count, exact_percent, grouped, percent, signed};
use arena_stats::elo_to_score;
use arena_stats::ratings::FEW_UNITS;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::outlook::{Outlook, Units, out_of_reach};
use arena_stats::sprt::{Hypotheses, Model, Sprt};

/// A test of so many times the expected units at its hardest ends undecided about 3% of the time.
const PATIENCE: f64 = 3.0;

/// Scores further from even than this are called lopsided.
const LOPSIDED: f64 = 0.15;

/// The note of a test that may end early.
const EARLY: &str = "Clear cases   end early, by bets that take a small part of the errors; --no-early plans without\n";

/// The warning for bots that draw too much.
const DRAWISH: &str = "Warning       so many units are level that a real gain can hardly reach elo1: prefer \
                       bounds closer to 0, or --model normalized\n";

/// Assumptions about the length of a test.
#[derive(Debug, Args)]
#[command(next_help_heading = "How many games it takes")]
pub(super) struct LengthArgs {
    /// The share of drawn games, from 0 to 1, without results
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        conflicts_with = "results"
    )]
    draw_ratio: f64,
    /// By how many Elo a start favours one side, without results
    ///
    /// For units whose games swap seats.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        conflicts_with = "results"
    )]
    bias: f64,
    /// Plan a test that doesn't end clear cases early
    #[arg(long)]
    no_early: bool,
    /// Also show a bot of this true strength, in ordinary Elo
    #[arg(long, value_name = "ELO", value_parser = within("a number", -1e6..=1e6))]
    elo: Option<f64>,
}

/// The expected length of a test.
#[derive(Serialize, JsonSchema)]
pub(super) struct Length {
    /// Whether clear cases end early.
    early: bool,
    /// Games of each bot in a unit.
    games_per_unit: u32,
    /// Variance of the score of a unit; null if unknown.
    variance: f64,
    /// `variance` for each game of a unit.
    variance_per_game: f64,
    /// Lower hypothesis in ordinary Elo.
    logistic_elo0: f64,
    /// Upper hypothesis in ordinary Elo.
    logistic_elo1: f64,
    /// Lower hypothesis in normalized Elo.
    nelo0: f64,
    /// Upper hypothesis in normalized Elo.
    nelo1: f64,
    /// Whether so many units are level that `elo1` can hardly be reached.
    #[serde(rename = "drawish")]
    out_of_reach: bool,
    /// A limit that leaves about 3% of tests undecided at the hardest strength.
    #[serde(rename = "suggested_max_units")]
    max_units: f64,
    /// Outlook by true strength, the weakest first.
    truths: Vec<Truth>,
    /// The number of units that gave the variance, and their mean score.
    #[serde(skip)]
    measured: Option<(u64, f64)>,
    #[serde(skip)]
    model: Model,
}

/// The outlook for a bot of one true strength.
#[derive(Serialize, JsonSchema)]
struct Truth {
    /// True strength.
    #[serde(rename = "true_elo")]
    elo: f64,
    #[serde(flatten)]
    outlook: Outlook,
    /// Half of the tests need no more games.
    median_games: f64,
    /// 90% of the tests need no more games.
    games90: f64,
}

impl Truth {
    fn new(test: &Sprt, units: &Units, elo: f64) -> Truth {
        let score = elo_to_score(elo);
        let outlook = test.outlook(&units.at(score), score);
        let games = f64::from(units.games);
        Truth {
            elo,
            median_games: games * outlook.units_quantile(0.5),
            games90: games * outlook.units_quantile(0.9),
            outlook,
        }
    }
}

impl LengthArgs {
    /// Returns how long the test takes if units vary as these do, or as the arguments say without
    /// results. Units that were never played say nothing.
    pub(super) fn length(
        &self,
        hypotheses: &Hypotheses,
        counted: Option<&Counted>,
        games_per_unit: Option<u32>,
    ) -> Result<Option<Length>> {
        let units = if let Some(counted) = counted {
            Units::like(&counted.scores, counted.games_per_unit)
        } else {
            let games = games_per_unit.unwrap_or(2);
            Some(Units::assumed(games, self.draw_ratio, self.bias)?)
        };
        let Some(units) = units else { return Ok(None) };
        let middle = match hypotheses.model {
            Model::Logistic => elo_to_score(f64::midpoint(hypotheses.elo0, hypotheses.elo1)),
            Model::Normalized => 0.5,
        };
        let mut length = self.of_units(hypotheses, &units.at(middle))?;
        length.measured = counted.and_then(|counted| Some((counted.units, counted.scores.mean()?)));
        Ok(Some(length))
    }

    fn of_units(&self, hypotheses: &Hypotheses, units: &Units) -> Result<Length> {
        let bounds = [hypotheses.elo0, hypotheses.elo1];
        let (logistic, normalized) = match hypotheses.model {
            Model::Logistic => (bounds, bounds.map(|elo| units.normalized_elo(elo))),
            Model::Normalized => (bounds.map(|elo| units.logistic_elo(elo)), bounds),
        };
        let variance_per_game = units.variance_per_game();
        if let Some(bound) = logistic.iter().position(|elo| !elo.is_finite()) {
            return Err(UsageError::OutOfReach(bounds[bound], variance_per_game).into());
        }
        let early = !self.no_early;
        let test = Sprt::new(early, *hypotheses, units.games, UnitScores::new(1));
        let mut strengths = strengths(hypotheses, units);
        let hardest = Truth::new(&test, units, strengths[2]);
        strengths.extend(self.elo);
        strengths.retain(|elo| elo.is_finite());
        strengths.sort_by(f64::total_cmp);
        Ok(Length {
            early,
            games_per_unit: units.games,
            variance: units.variance,
            variance_per_game,
            logistic_elo0: logistic[0],
            logistic_elo1: logistic[1],
            nelo0: normalized[0],
            nelo1: normalized[1],
            out_of_reach: out_of_reach(hypotheses, units),
            max_units: (PATIENCE * hardest.outlook.expected_units).ceil(),
            truths: strengths
                .into_iter()
                .map(|elo| Truth::new(&test, units, elo))
                .collect(),
            measured: None,
            model: hypotheses.model,
        })
    }
}

/// Returns true strengths worth a look in ordinary Elo, from two widths of the bounds below their
/// middle to two above. The middle is the hardest.
fn strengths(hypotheses: &Hypotheses, units: &Units) -> Vec<f64> {
    let (elo0, elo1) = (hypotheses.elo0, hypotheses.elo1);
    let (middle, width) = (f64::midpoint(elo0, elo1), elo1 - elo0);
    let (below, above) = (middle - 2.0 * width, middle + 2.0 * width);
    let strengths = [below, elo0, middle, elo1, above];
    match hypotheses.model {
        Model::Logistic => strengths.to_vec(),
        Model::Normalized => strengths.map(|elo| units.logistic_elo(elo)).to_vec(),
    }
}

pub(super) fn text(length: &Length) -> String {
    let early = if length.early { EARLY } else { "" };
    let mut text = equivalents(length) + early + "\n" + &table(&length.truths) + "\n";
    if let Some((units, _)) = length.measured
        && units < FEW_UNITS
    {
        let units = count(units, "unit says", "units say");
        let warning = format!(
            "{units} little of the variance, so that all of this is a guess; {FEW_UNITS} or more are needed"
        );
        text += &fact("Warning", warning);
    }
    if length.out_of_reach {
        text += DRAWISH;
    }
    let games = length.max_units * f64::from(length.games_per_unit);
    text + &format!(
        "A good limit is {} units ({} games): 3% of the tests of the hardest bot reach it undecided.\n",
        grouped(length.max_units),
        grouped(games)
    )
}

fn table(truths: &[Truth]) -> String {
    Rows::new("Length of the test", truths)
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
        .shown(Kind::Number, "90% end by", |truth| grouped(truth.games90))
        .text(&Screen::stdout())
}

/// The bounds in the other Elo, and what was assumed.
fn equivalents(length: &Length) -> String {
    let (name, elo0, elo1) = match length.model {
        Model::Logistic => ("normalized Elo", length.nelo0, length.nelo1),
        Model::Normalized => ("ordinary Elo", length.logistic_elo0, length.logistic_elo1),
    };
    let [elo0, elo1] = [elo0, elo1].map(|elo| signed(elo, 1));
    let (variance, games) = (length.variance_per_game, length.games_per_unit);
    let bounds = format!(
        "{elo0} and {elo1} in {name}, with a variance of {variance:.4} per game in units of {games}"
    );
    let mut text = fact("Bounds", bounds);
    if let Some((_, score)) = length.measured
        && (score - 0.5).abs() > LOPSIDED
    {
        let score = percent(score);
        let scaled =
            format!("scaled from the results' score of {score} to the true Elo of each line");
        text += &fact("Variance", scaled);
    }
    text
}
