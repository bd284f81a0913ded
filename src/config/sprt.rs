//! `[sprt]`: the sequential test that ends a run.

use serde::Deserialize;

use super::Config;
use super::mistake::{Mistake, Read};
use super::values::{Chance, Choice, Elo, Integer};
use crate::plan::{DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR, DEFAULT_MAX_UNITS, SprtPlan};
use arena_stats::sprt::{Hypotheses, HypothesesError, Model};

/// Maximum number of units of a test.
pub(crate) type MaxUnits = Integer<1, 1_000_000>;

/// A sequential test, for `format = "sprt"`, see docs/how-to/sequential-test.md.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SprtTable {
    /// Reject the first bot if its lead is at most this.
    /// Default: `0`. Example: `-10`.
    pub(crate) elo0: Elo,
    /// Accept the first bot if its lead is at least this, which must be above `elo0`.
    /// Default: `10`. Example: `25`.
    pub(crate) elo1: Elo,
    /// The chance to accept a bot of strength `elo0` (type I error).
    /// Default: `0.05`. Example: `0.01`.
    pub(crate) alpha: Chance,
    /// The chance to reject a bot of strength `elo1` (type II error).
    /// Default: `0.05`. Example: `0.01`.
    pub(crate) beta: Chance,
    /// The scale of `elo0` and `elo1`, see docs/explanation/statistics.md.
    /// Default: `"logistic"`. Example: `"normalized"`.
    pub(crate) model: Choice<Model>,
    /// End clear cases early, see docs/explanation/statistics.md#clear-cases-end-early. Without it,
    /// the test is exactly fishtest's.
    /// Default: `true`. Example: `false`.
    pub(crate) early: bool,
    /// The test ends as inconclusive after this many units, of two games each.
    /// Default: `20000`. Example: `5000`.
    pub(crate) max_units: MaxUnits,
}

impl Default for SprtTable {
    fn default() -> SprtTable {
        SprtTable {
            elo0: Elo(DEFAULT_ELO0),
            elo1: Elo(DEFAULT_ELO1),
            alpha: Chance(DEFAULT_ERROR),
            beta: Chance(DEFAULT_ERROR),
            model: Choice::default(),
            early: true,
            max_units: Integer(DEFAULT_MAX_UNITS),
        }
    }
}

/// Returns the sequential test of a config.
pub(super) fn resolve(config: &Config, table: &SprtTable) -> Read<SprtPlan> {
    let bots = config.bot.len();
    if bots != 2 {
        let problem = format!("a sequential test is about two bots: expected two, found {bots}");
        let help = "the first bot is the candidate, the second the one that it is to replace";
        return Err(Mistake::new("run.format", problem).help(help));
    }
    let (elo0, elo1) = (table.elo0.0, table.elo1.0);
    let (alpha, beta) = (table.alpha.0, table.beta.0);
    let hypotheses = Hypotheses::new(table.model.0, elo0, elo1, alpha, beta);
    let hypotheses = hypotheses.map_err(|error| {
        let path = match error {
            HypothesesError::Errors(..) => "sprt.alpha",
            _ if elo1 == DEFAULT_ELO1 => "sprt.elo0",
            HypothesesError::Order(..) | HypothesesError::Elo(_) => "sprt.elo1",
        };
        let help = format!(
            "what is not written is elo0 = {DEFAULT_ELO0}, elo1 = {DEFAULT_ELO1}, alpha = beta = {DEFAULT_ERROR}"
        );
        Mistake::new(path, error.to_string()).help(help)
    })?;
    Ok(SprtPlan {
        hypotheses,
        early: table.early,
        max_units: table.max_units.0,
    })
}
