//! `[sprt]`: the sequential test that ends a run.

use std::ops::Range;

use serde::Deserialize;

use super::mistake::{Mistake, Read, seats_each};
use super::values::{At, Choice, Given, Integer, Number};
use super::{Config, Overrides};
use crate::plan::SprtPlan;
use crate::schedule::{Design, Format, Slice};
use arena_stats::sprt::{Hypotheses, HypothesesError, Model};

/// The lower hypothesis where none is given.
pub(crate) const DEFAULT_ELO0: f64 = 0.0;
/// The upper hypothesis where none is given.
pub(crate) const DEFAULT_ELO1: f64 = 10.0;
/// Both chances of error where none is given.
pub(crate) const DEFAULT_ERROR: f64 = 0.05;
/// After so many units a test ends undecided, where nothing else is said.
pub(crate) const DEFAULT_MAX_UNITS: u64 = 20_000;

/// Up to the strengths that can be tested.
type Elo = Number<-2000, 2000>;

/// `[sprt]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SprtTable {
    elo0: Option<At<Elo>>,
    elo1: Option<At<Elo>>,
    alpha: Option<At<Number<0, 1>>>,
    beta: Option<At<Number<0, 1>>>,
    model: Option<At<Choice<Model>>>,
    max_units: Option<At<Integer<1, 1_000_000>>>,
    check_1v3: Option<At<Integer<0, 1_000_000>>>,
}

/// The test of the run, if it is one.
pub(super) fn resolve(config: &Config<'_>, overrides: &Overrides) -> Read<Option<SprtPlan>> {
    let format = match (&config.tables.run.format, config.document.header("sprt")) {
        (Some(format), _) if format.value == Format::Sprt => &format.span,
        (_, header) if header.is_empty() => return Ok(None),
        (format, header) => {
            let title = "`[sprt]` is for a run with `format = \"sprt\"`";
            let mistake = Mistake::new(title, &header, "expected no such table");
            return Err(match format {
                Some(format) => mistake.related(&format.span, "this run has another format"),
                None => mistake.help("add `format = \"sprt\"` to `[run]`, or leave this table out"),
            });
        }
    };
    check_flags(overrides, format)?;
    check_shape(config, format)?;
    let table = &config.tables.sprt;
    let max_units = table.max_units.value().unwrap_or(DEFAULT_MAX_UNITS);
    let check_units = table.check_1v3.value().unwrap_or(0);
    Ok(Some(SprtPlan { hypotheses: hypotheses(table, format)?, max_units, check_units }))
}

fn check_flags(overrides: &Overrides, format: &Range<usize>) -> Read<()> {
    if overrides.slice != Slice::WHOLE {
        let label = "expected another format with `--slice`: when a test ends is only known from all games before";
        return Err(Mistake::new("a sequential test cannot be played in slices", format, label));
    }
    if overrides.games.is_some() {
        let label = "expected another format with `--games`";
        let mistake = Mistake::new("a sequential test has no fixed number of games", format, label);
        return Err(mistake.help("`max_units` in `[sprt]` ends a test undecided"));
    }
    Ok(())
}

/// A test is about two bots in one game, and all of it is played in one place.
fn check_shape(config: &Config<'_>, format: &Range<usize>) -> Read<()> {
    let run = &config.tables.run;
    let because = |mistake: Mistake| Err(mistake.related(format, "because of this format"));
    if let [_, second, ..] = &run.game.value[..] {
        let title = "a sequential test is about one game";
        return because(second.mistake(title, "expected one game only"));
    }
    let bots = config.bots().count();
    if bots != 2 {
        let label = format!("expected two bots, found {bots}");
        let mut mistake = Mistake::new("a sequential test is about two bots", format, label);
        for bot in config.bots().skip(2) {
            mistake = mistake.related(&bot.name.span, "one too many");
        }
        return Err(mistake.help("the first bot is the candidate, the second the one that it is to replace"));
    }
    if let Some(games) = &run.games {
        let title = "a sequential test has no fixed number of games";
        let mistake = games.mistake(title, "expected none");
        return because(mistake.help("`max_units` in `[sprt]` ends a test undecided"));
    }
    if let Some(design) = run.design.as_ref().filter(|design| design.value != Design::Mirror) {
        let seats = config.games().next().and_then(|game| seats_each(game.default_seats()));
        let sharing = seats.map_or("that share the seats".into(), |each| format!("with {each} seats each"));
        let label = format!("expected `\"mirror\"`, two bots {sharing}");
        return because(design.mistake("a sequential test seats two bots", label));
    }
    let two_seats = config.games().zip(&run.game.value).find(|(game, _)| game.default_seats() == 2);
    if let (Some(units), Some((_, game))) = (&config.tables.sprt.check_1v3, two_seats) {
        let mistake = units.mistake("`check_1v3` is for games of more than two seats", "expected none");
        return Err(mistake.related(&game.span, "has two seats"));
    }
    Ok(())
}

fn hypotheses(table: &SprtTable, format: &Range<usize>) -> Read<Hypotheses> {
    let tested = Hypotheses::new(
        table.model.value().unwrap_or_default(),
        table.elo0.value().unwrap_or(DEFAULT_ELO0),
        table.elo1.value().unwrap_or(DEFAULT_ELO1),
        table.alpha.value().unwrap_or(DEFAULT_ERROR),
        table.beta.value().unwrap_or(DEFAULT_ERROR),
    );
    tested.map_err(|error| {
        let place = match error {
            HypothesesError::Errors { .. } => table.alpha.place().or(table.beta.place()),
            HypothesesError::Order { .. } | HypothesesError::Elo(_) => table.elo1.place().or(table.elo0.place()),
        };
        let help = format!(
            "what is not written is elo0 = {DEFAULT_ELO0}, elo1 = {DEFAULT_ELO1}, alpha = beta = {DEFAULT_ERROR}"
        );
        let label = "these hypotheses cannot be tested";
        Mistake::new(format!("failed to {error}"), place.unwrap_or(format), label).help(help)
    })
}
