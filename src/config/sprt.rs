//! `[sprt]`: the sequential test that ends a run.

use serde::Deserialize;

use super::Config;
use super::mistake::{Mistake, Read};
use super::values::{Chance, Choice, Elo, Integer};
use crate::plan::{DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR, DEFAULT_MAX_UNITS, SprtPlan};
use arena_stats::sprt::{Hypotheses, HypothesesError, Model};

/// Maximum number of units of a test.
pub(crate) type MaxUnits = Integer<1, 1_000_000>;

/// `[sprt]`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SprtTable {
    pub(crate) elo0: Elo,
    pub(crate) elo1: Elo,
    pub(crate) alpha: Chance,
    pub(crate) beta: Chance,
    pub(crate) model: Choice<Model>,
    pub(crate) early: bool,
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
