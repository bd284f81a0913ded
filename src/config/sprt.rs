//! `[sprt]`: the sequential test that ends a run.

use super::document::{At, Found, Table};
use super::mistake::{Mistake, Read};
use super::values::Integer;
use super::{Config, Overrides};
use crate::plan::{DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR, DEFAULT_MAX_UNITS, SprtPlan};
use crate::schedule::{Format, Slice};
use arena_stats::sprt::{Hypotheses, HypothesesError, Model};

/// The units that a test may take.
pub(crate) type MaxUnits = Integer<1, 1_000_000>;

/// The test of the run, if it is one.
pub(super) fn resolve(
    config: &Config<'_>,
    mut table: Table<'_>,
    overrides: &Overrides,
) -> Read<Option<SprtPlan>> {
    // Up to the strengths that can be tested.
    let elo =
        |found: Found| found.number_that("a number from -2000 to 2000", |elo| elo.abs() <= 2000.0);
    let error = |found: Found| {
        found.number_that("a number from 0 to 1", |error| (0.0..=1.0).contains(error))
    };
    let [elo0, elo1] = ["elo0", "elo1"].map(|key| table.at(key, elo));
    let [alpha, beta] = ["alpha", "beta"].map(|key| table.at(key, error));
    let model = table
        .value("model", Found::choice::<Model>)
        .unwrap_or_default();
    let early = table.value("early", Found::boolean).unwrap_or(true);
    let max_units = table
        .value("max_units", MaxUnits::read)
        .unwrap_or(DEFAULT_MAX_UNITS);
    table.end()?;
    let Some(format) = config.has_format(Format::Sprt, &table)? else {
        return Ok(None);
    };
    check_terms(config, overrides, format)?;
    let or = |given: &Option<At<f64>>, default| given.as_ref().map_or(default, |given| given.value);
    let tested = Hypotheses::new(
        model,
        or(&elo0, DEFAULT_ELO0),
        or(&elo1, DEFAULT_ELO1),
        or(&alpha, DEFAULT_ERROR),
        or(&beta, DEFAULT_ERROR),
    );
    let hypotheses = tested.map_err(|error| {
        let place = match error {
            HypothesesError::Errors(..) => alpha.or(beta),
            HypothesesError::Order(..) | HypothesesError::Elo(_) => elo1.or(elo0),
        };
        let help = format!(
            "what is not written is elo0 = {DEFAULT_ELO0}, elo1 = {DEFAULT_ELO1}, alpha = beta = {DEFAULT_ERROR}"
        );
        let place = place.map_or(format.span.clone(), |given| given.span);
        Mistake::new(format!("failed to {error}"), &place, "these hypotheses cannot be tested").help(help)
    })?;
    Ok(Some(SprtPlan {
        hypotheses,
        early,
        max_units,
    }))
}

/// A test has no part that could be played alone, no number of games, and two bots.
fn check_terms(config: &Config<'_>, overrides: &Overrides, format: &At<Format>) -> Read<()> {
    if overrides.slice != Slice::WHOLE {
        let label = "expected another format with `--slice`: when a test ends is only known from all games before";
        return Err(format.mistake("a sequential test cannot be played in slices", label));
    }
    if overrides.games.is_some() {
        let label = "expected another format with `--games`";
        let mistake = format.mistake("a sequential test has no fixed number of games", label);
        return Err(mistake.help("`max_units` in `[sprt]` ends a test undecided"));
    }
    let bots = config.bots.len();
    if bots == 2 {
        return Ok(());
    }
    let label = format!("expected two bots, found {bots}");
    let mut mistake = format.mistake("a sequential test is about two bots", label);
    for bot in config.bots.iter().skip(2) {
        mistake = mistake.related(&bot.name.span, "one too many");
    }
    Err(mistake.help("the first bot is the candidate, the second the one that it is to replace"))
}
