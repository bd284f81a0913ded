//! The results that calculators take: a run, or counts.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Serialize;

use super::failure::{InputError, Result, UsageError};
use super::terms::counts;
use crate::tournament;
use arena_games::Games;
use arena_section::screen::Screen;
use arena_stats::elo::match_elo_of;
use arena_stats::estimate::{Estimate, Holds, Shown};
use arena_stats::scores::UnitScores;

/// A run, or counted games.
#[derive(Debug, Args)]
pub(super) struct ResultArgs {
    /// A run directory, or a table of counts
    #[arg(group = "results", value_name = "RUN", value_hint = ValueHint::AnyPath)]
    pub(super) run: Option<PathBuf>,
    /// The bot of RUN to evaluate, and its opponent
    ///
    /// The default is the two bots of RUN.
    #[arg(long, num_args = 2, value_names = ["BOT", "BOT"], requires = "run", allow_hyphen_values = true)]
    between: Option<Vec<String>>,
    /// Games won, drawn and lost, each with another start
    #[arg(long, value_name = "W,D,L", group = "results", allow_hyphen_values = true, value_parser = counts::<3>)]
    wdl: Option<[u64; 3]>,
}

/// Counted units and their statistics.
#[derive(Serialize, JsonSchema)]
pub(super) struct Counted {
    /// Complete units that count.
    pub(super) units: u64,
    /// Games that count.
    pub(super) games: u64,
    /// Games of each bot in a unit.
    pub(super) games_per_unit: u32,
    /// Scores of units, the worst first.
    unit_scores: Vec<f64>,
    /// How many units had each score.
    unit_counts: Vec<u64>,
    /// Units that don't repeat another one move for move. Intervals count only these.
    pub(super) distinct_units: u64,
    /// The estimate in force; `None` without units. [`Counted::judge`] sets it.
    #[serde(skip)]
    pub(super) estimate: Option<Estimate>,
    #[serde(flatten)]
    shown: Shown,
    /// Mean score, from 0 to 1; null if unknown.
    pub(super) score: Option<f64>,
    /// Lower end of the 95% interval of `score`; null if unknown.
    score_lo: Option<f64>,
    /// Upper end of the 95% interval of `score`; null if unknown.
    score_hi: Option<f64>,
    /// Number of independent wins and losses that would say as much; null if unknown.
    n_eff: Option<f64>,
    /// Variance of the score of a unit; null if unknown.
    variance: Option<f64>,
    /// Normalized Elo, per standard deviation of a game; null if unknown or infinite.
    pub(super) nelo: Option<f64>,
    /// Lower end of the 95% interval of `nelo`; null if unknown.
    pub(super) nelo_lo95: Option<f64>,
    /// Upper end of the 95% interval of `nelo`; null if unknown.
    pub(super) nelo_hi95: Option<f64>,
    /// Share of units that scored exactly one half; null if unknown.
    pub(super) draw_ratio: Option<f64>,
    /// Units won for each unit lost; null if unknown or infinite.
    pub(super) pairs_ratio: Option<f64>,
    /// Whether the results are those of a run, and not counts.
    #[serde(skip)]
    pub(super) is_run: bool,
    /// The two bots, or the counts, in words.
    #[serde(skip)]
    pub(super) label: String,
    #[serde(skip)]
    pub(super) scores: UnitScores,
    /// Whether both bots played the same moves in all units.
    #[serde(skip)]
    pub(super) same_moves: bool,
    /// Whether both bots are the same program with the same arguments.
    #[serde(rename = "is_same_program")]
    pub(super) same_program: bool,
}

impl Counted {
    /// Returns the statistics of units that are known by their scores only.
    pub(super) fn of_scores(label: String, scores: UnitScores, games_per_unit: u32) -> Counted {
        let units = scores.units();
        let estimate = Estimate::once(&scores, games_per_unit, units);
        Counted::new(label, scores, games_per_unit, units, estimate)
    }

    /// Returns the statistics of units, of which so many repeat no other.
    fn new(
        label: String,
        scores: UnitScores,
        games_per_unit: u32,
        distinct_units: u64,
        estimate: Option<Estimate>,
    ) -> Counted {
        let result = match_elo_of(&scores, games_per_unit, distinct_units);
        let once = match &estimate {
            Some(by) if by.holds == Holds::Once => result,
            _ => None,
        };
        let (unit_scores, unit_counts) = scores.values().unzip();
        let mut counted = Counted {
            units: scores.units(),
            games: result.map_or(0, |result| result.games),
            games_per_unit,
            unit_scores,
            unit_counts,
            distinct_units,
            estimate,
            shown: Shown::beside(None, &[]),
            score: result.map(|result| result.score),
            score_lo: once.map(|once| once.score_lo),
            score_hi: once.map(|once| once.score_hi),
            n_eff: result.map(|result| result.n_eff),
            variance: result.map(|result| result.variance),
            nelo: result.and_then(|result| result.nelo),
            nelo_lo95: once.and_then(|once| once.nelo_lo95),
            nelo_hi95: once.and_then(|once| once.nelo_hi95),
            draw_ratio: result.map(|result| result.draw_ratio),
            pairs_ratio: result.and_then(|result| result.pairs_ratio),
            is_run: false,
            label,
            scores,
            same_moves: false,
            same_program: false,
        };
        counted.judge(estimate);
        counted
    }

    /// Sets the estimate in force.
    pub(super) fn judge(&mut self, estimate: Option<Estimate>) {
        let others = [("nelo", self.nelo), ("pairs_ratio", self.pairs_ratio)];
        self.shown = Shown::beside(estimate.as_ref(), &others);
        if matches!(&estimate, Some(by) if by.holds != Holds::Once) {
            [self.score_lo, self.score_hi] = [None; 2];
            [self.nelo_lo95, self.nelo_hi95] = [None; 2];
        }
        self.estimate = estimate;
    }
}

impl ResultArgs {
    /// Counts the results, if any are given.
    pub(super) fn counted(&self, games: &Games) -> Result<Option<Counted>> {
        if let Some(run) = &self.run {
            reject_numbers(run)?;
            let union = tournament::union(&[run], false, games)?;
            let pair = union
                .between(self.between.as_deref())
                .map_err(|why| InputError::NoPair(run.clone(), why))?;
            let label = format!("{} against {}", pair.first, pair.second);
            let (games_per_unit, by) = (pair.games_per_unit, Some(pair.met.by));
            return Ok(Some(Counted {
                units: pair.met.units,
                is_run: true,
                same_moves: pair.same_moves,
                same_program: pair.same_program,
                ..Counted::new(label, pair.scores, games_per_unit, pair.distinct, by)
            }));
        }
        let Some([won, drawn, lost]) = self.wdl else {
            return Ok(None);
        };
        let label = format!("{won} won, {drawn} drawn, {lost} lost");
        let scores = UnitScores::from_counts(2, [lost, drawn, won])?;
        Ok(Some(Counted::of_scores(label, scores, 1)))
    }
}

/// Rejects the bounds of a test or counts in the place of a run, as in `arena sprt 0,10`.
fn reject_numbers(run: &Path) -> Result<()> {
    let typed = run.display().to_string();
    let numbers: Vec<&str> = typed.split(',').map(str::trim).collect();
    let hint = match numbers[..] {
        _ if run.exists() || numbers.iter().any(|part| part.parse::<f64>().is_err()) => {
            return Ok(());
        }
        [elo0, elo1] => format!("arena sprt --elo0 {elo0} --elo1 {elo1}"),
        [won, drawn, lost] => format!("arena elo --wdl {won},{drawn},{lost}"),
        _ => return Ok(()),
    };
    Err(UsageError::NoRun(typed, hint).into())
}

/// Facts and conclusions, as wide as the window is.
pub(super) fn wrapped(text: &str) -> String {
    Screen::stdout().prose(text)
}

/// A fact by its name, in a line.
pub(super) fn fact(name: &str, value: impl Display) -> String {
    format!("{name:<14}{value}\n")
}
