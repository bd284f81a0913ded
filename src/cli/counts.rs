//! The results that calculators take: a run, or counts.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::{Serialize, Serializer};

use super::terms::numbers;
use super::{Failure, check_run};
use crate::plan::StudyPlan;
use crate::standings::{Match, Only, Results};
use crate::store::read_plan;
use arena_games::Games;
use arena_section::screen::Screen;
use arena_stats::elo::{MatchElo, match_elo_of};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::scores::UnitScores;

/// Results. A run, games, pairs, or units with any scores.
#[derive(Debug, Args)]
pub(super) struct Counts {
    /// A run directory or a games.csv with games of two bots
    #[arg(group = "results", value_name = "RUN", value_hint = ValueHint::AnyPath)]
    run: Option<PathBuf>,
    /// The bot of RUN to evaluate, and its opponent
    ///
    /// The default is the two bots of RUN.
    #[arg(long, num_args = 2, value_names = ["BOT", "BOT"], requires = "run", allow_hyphen_values = true)]
    between: Option<Vec<String>>,
    /// Games won, drawn and lost, each with another start
    #[arg(long, value_name = "W,D,L", group = "results", allow_hyphen_values = true, value_parser = numbers::<u64, 3>("integers from 0"))]
    wdl: Option<[u64; 3]>,
    /// Pairs that scored 0, 1/2, 1, 3/2 and 2 points
    ///
    /// A pair is two games on the same seed with swapped seats.
    #[arg(long, value_name = "N0,..,N4", group = "results", allow_hyphen_values = true, value_parser = numbers::<u64, 5>("integers from 0"))]
    penta: Option<[u64; 5]>,
    /// Mean scores that a unit can have, from 0 to 1
    ///
    /// For example 0 1/3 0.5. The ends 0 and 1 need not be named.
    #[arg(long, value_name = "V", group = "results", requires = "counts", num_args = 1.., value_delimiter = ',', value_parser = score)]
    values: Option<Vec<f64>>,
    /// How many units had each of the --values
    #[arg(id = "counts", long = "counts", value_name = "N", requires = "values", num_args = 1.., value_delimiter = ',', value_parser = super::terms::integer(0..=u64::MAX))]
    of_each: Option<Vec<u64>>,
    /// Games in a unit, with --values [default: 1]
    ///
    /// Only normalized Elo and numbers of games depend on it.
    #[arg(long, value_name = "N", conflicts_with_all = ["run", "wdl", "penta"],
          value_parser = super::terms::integer(1..=1000_u32))]
    pub(super) games_per_unit: Option<u32>,
}

/// Counted units and their statistics.
#[derive(Serialize)]
pub(super) struct Counted {
    pub(super) units: u64,
    games: u64,
    pub(super) games_per_unit: u32,
    /// Possible scores, the worst first, and how many units had each.
    values: Vec<f64>,
    counts: Vec<u64>,
    /// Units that repeat no other move for move, as far as that is known.
    pub(super) distinct_units: u64,
    /// The estimate in force; `None` without units.
    #[serde(flatten, serialize_with = "of_estimate")]
    pub(super) estimate: Option<Estimate>,
    /// `None` without units.
    #[serde(flatten, serialize_with = "figures")]
    pub(super) result: Option<MatchElo>,
    /// Whether the results are those of a run, and not counts.
    #[serde(skip)]
    pub(super) is_run: bool,
    /// The results, and what else is known of them.
    #[serde(skip)]
    pub(super) of: Match,
}

/// Writes all figures of a match, or null for each without one.
fn figures<S: Serializer>(result: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    const KEYS: &str =
        "score score_lo score_hi n_eff variance nelo nelo_lo95 nelo_hi95 draw_ratio pairs_ratio";
    Only(result, KEYS).serialize(serializer)
}

/// Writes an estimate, or null for each of its keys.
fn of_estimate<S: Serializer>(by: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    Only(by, "elo lo95 hi95 los interval").serialize(serializer)
}

impl Counts {
    /// Counts the results, if any are given.
    pub(super) fn counted(&self, games: &Games) -> Result<Option<Counted>, Failure> {
        let Some(of) = self.results(games)? else {
            return Ok(None);
        };
        let (scores, estimate, distinct_units) = (&of.scores, of.estimate, of.distinct);
        let games_per_unit = self.games_per_unit.unwrap_or(of.games_per_unit);
        let mut result = match_elo_of(scores, games_per_unit, distinct_units);
        if let Some(result) = &mut result
            && estimate.is_some_and(|by| by.holds != Holds::Once)
        {
            // These ends are for a single look.
            (result.nelo_lo95, result.nelo_hi95) = (None, None);
            (result.score_lo, result.score_hi) = (f64::NAN, f64::NAN);
        }
        let (values, counts) = scores.values().unzip();
        Ok(Some(Counted {
            units: scores.units(),
            games: result.map_or(0, |result| result.games),
            games_per_unit,
            values,
            counts,
            distinct_units,
            estimate,
            result,
            is_run: self.run.is_some(),
            of,
        }))
    }

    /// Returns the results of the run or the counts that are given.
    fn results(&self, games: &Games) -> Result<Option<Match>, Failure> {
        let (scores, games_per_unit, label) = if let Some(run) = &self.run {
            reject_bounds(run)?;
            check_run(run, games)?;
            return self.of_run(run).map(Some);
        } else if let Some([won, drawn, lost]) = self.wdl {
            let label = format!("{won} won, {drawn} drawn, {lost} lost");
            (UnitScores::from_counts(2, [lost, drawn, won]), 1, label)
        } else if let Some(pairs) = self.penta {
            let counts = pairs.map(|count| count.to_string()).join(", ");
            let label = format!("pairs with 0, 1/2, 1, 3/2, 2 points: {counts}");
            (UnitScores::from_counts(4, pairs), 2, label)
        } else if let Some(values) = &self.values {
            let counts = self.of_each.as_deref().unwrap_or_default();
            if values.len() != counts.len() {
                let (values, counts) = (values.len(), counts.len());
                return Err(Failure::usage(anyhow!(
                    "can't match {values} values with {counts} counts\nhint: give one count for each value, as in --values 0,1/2,1 --counts 10,20,30"
                )));
            }
            let units = values.iter().copied().zip(counts.iter().copied());
            let label = "units with the scores given".to_owned();
            (UnitScores::from_values(units), 1, label)
        } else {
            return Ok(None);
        };
        let scores = scores.map_err(Failure::usage)?;
        let games_per_unit = self.games_per_unit.unwrap_or(games_per_unit);
        let units = scores.units();
        Ok(Some(Match {
            label,
            games_per_unit,
            estimate: Estimate::once(&scores, games_per_unit, units),
            distinct: units,
            same_moves: false,
            unknown: None,
            scores,
        }))
    }

    /// The run directory that is given, if its run is a sequential test.
    pub(super) fn test(&self) -> Option<&Path> {
        let run = self.run.as_deref().filter(|run| run.is_dir())?;
        match read_plan(run).ok()??.plan.study {
            StudyPlan::Sprt(_) => Some(run),
            _ => None,
        }
    }

    /// The results of two bots of a run.
    fn of_run(&self, run: &Path) -> Result<Match, Failure> {
        let results = Results::read(&[run], false)?;
        let scores = results.scores(self.between.as_deref());
        scores.map_err(|why| Failure::input(anyhow!("can't use {}: {why}", run.display())))
    }
}

/// Rejects the bounds of a test in the place of a run, as in `arena sprt 0,10`.
fn reject_bounds(run: &Path) -> Result<(), Failure> {
    let typed = run.display().to_string();
    let bounds = typed.split_once(',').filter(|(elo0, elo1)| {
        [elo0, elo1]
            .iter()
            .all(|elo| elo.trim().parse::<f64>().is_ok())
            && !run.exists()
    });
    let Some((elo0, elo1)) = bounds else {
        return Ok(());
    };
    Err(Failure::usage(anyhow!(
        "can't read the run {typed}: there is no such file\nhint: arena sprt --elo0 {elo0} --elo1 {elo1}"
    )))
}

/// Facts and conclusions, as wide as the window is.
pub(super) fn wrapped(text: &str) -> String {
    Screen::stdout().prose(text)
}

/// A fact by its name, in a line.
pub(super) fn fact(name: &str, value: impl Display) -> String {
    format!("{name:<14}{value}\n")
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
