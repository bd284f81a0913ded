//! `[sprt]`: the sequential test that ends a run.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;

use super::mistake::Mistake;
use super::reader::{Read, Table, choice, decimal, spanned, whole_number};
use super::{Overrides, Run, Tables};
use crate::plan::SprtPlan;
use crate::schedule::{Design, Format, Slice};
use arena_stats::sprt::{Hypotheses, HypothesesError, MAX_ELO, Model};

/// The lower hypothesis where none is given.
pub(crate) const DEFAULT_ELO0: f64 = 0.0;
/// The upper hypothesis where none is given.
pub(crate) const DEFAULT_ELO1: f64 = 10.0;
/// Both chances of error where none is given.
pub(crate) const DEFAULT_ERROR: f64 = 0.05;
/// After so many units a test ends undecided, where nothing else is said.
pub(crate) const DEFAULT_MAX_UNITS: u64 = 20_000;
/// The units that a test may take.
const MAX_UNITS: RangeInclusive<u64> = 1..=1_000_000;

/// `[sprt]` as written.
#[derive(Debug)]
pub(super) struct SprtTable {
    /// Where it begins; `None` where there is no such table.
    header: Option<Range<usize>>,
    elo0: Option<Spanned<f64>>,
    elo1: Option<Spanned<f64>>,
    alpha: Option<Spanned<f64>>,
    beta: Option<Spanned<f64>>,
    model: Option<Model>,
    max_units: Option<u64>,
    check_1v3: Option<Spanned<u64>>,
}

pub(super) fn read_sprt(mut sprt: Table<'_>) -> Read<SprtTable> {
    let elo = || spanned(decimal(-MAX_ELO..=MAX_ELO));
    let chance = || spanned(decimal(0.0..=1.0));
    let (elo0, elo1) = (sprt.take("elo0", elo())?, sprt.take("elo1", elo())?);
    let (alpha, beta) = (sprt.take("alpha", chance())?, sprt.take("beta", chance())?);
    let model = sprt.take("model", choice)?;
    let max_units = sprt.take("max_units", whole_number(MAX_UNITS))?;
    let check_1v3 = sprt.take("check_1v3", spanned(whole_number(0..=*MAX_UNITS.end())))?;
    sprt.finish()?;
    let header = Some(sprt.header()).filter(|header| !header.is_empty());
    Ok(SprtTable { header, elo0, elo1, alpha, beta, model, max_units, check_1v3 })
}

/// The test of the run, if it is one.
pub(super) fn resolve(config: &Tables, overrides: &Overrides) -> Read<Option<SprtPlan>> {
    let (run, written) = (&config.run, &config.sprt);
    let Some(format) = run.format.as_ref().filter(|format| *format.get_ref() == Format::Sprt) else {
        return match &written.header {
            None => Ok(None),
            Some(header) => Err(without_format(run, header.clone())),
        };
    };
    check_shape(config, overrides, format)?;
    let max_units = written.max_units.unwrap_or(DEFAULT_MAX_UNITS);
    let check_units = written.check_1v3.as_ref().map_or(0, |units| *units.get_ref());
    Ok(Some(SprtPlan::new(&hypotheses(written, format)?, max_units, check_units)))
}

fn without_format(run: &Run, header: Range<usize>) -> Mistake {
    let mistake = Mistake::new("`[sprt]` is for a run with `format = \"sprt\"`", header, "expected no such table");
    match &run.format {
        Some(format) => mistake.related(format.span(), "this run has another format"),
        None => mistake.help("add `format = \"sprt\"` to `[run]`, or leave this table out"),
    }
}

/// A test is about two bots in one game, and all of it is played in one place.
fn check_shape(config: &Tables, overrides: &Overrides, format: &Spanned<Format>) -> Read<()> {
    let (run, is_sprt) = (&config.run, "because of this format");
    if overrides.slice != Slice::WHOLE {
        let label = "expected another format with `--slice`: when a test ends is only known from all games before";
        return Err(Mistake::new("a sequential test cannot be played in slices", format.span(), label));
    }
    if let [_, second, ..] = &run.game[..] {
        let mistake = Mistake::new("a sequential test is about one game", second.span(), "expected one game only");
        return Err(mistake.related(format.span(), is_sprt));
    }
    if config.bots.len() != 2 {
        let label = format!("expected two bots, found {}", config.bots.len());
        let mut mistake = Mistake::new("a sequential test is about two bots", format.span(), label);
        for bot in config.bots.iter().skip(2) {
            mistake = mistake.related(bot.name.span(), "one too many");
        }
        return Err(mistake.help("the first bot is the candidate, the second the one that it is to replace"));
    }
    if let Some(games) = &run.games {
        let mistake = Mistake::new("a sequential test has no fixed number of games", games.span(), "expected none");
        return Err(mistake.related(format.span(), is_sprt).help("`max_units` in `[sprt]` ends a test undecided"));
    }
    if overrides.games.is_some() {
        let label = "expected another format with `--games`";
        let mistake = Mistake::new("a sequential test has no fixed number of games", format.span(), label);
        return Err(mistake.help("`max_units` in `[sprt]` ends a test undecided"));
    }
    if let Some(design) = run.design.as_ref().filter(|design| *design.get_ref() != Design::Mirror) {
        let label = "expected `\"mirror\"`, two bots with two seats each";
        return Err(
            Mistake::new("a sequential test seats two bots", design.span(), label).related(format.span(), is_sprt)
        );
    }
    let two_seats = run.game.iter().find(|game| game.get_ref().default_seats() == 2);
    if let (Some(units), Some(game)) = (&config.sprt.check_1v3, two_seats) {
        let mistake = Mistake::new("`check_1v3` is for games of four seats", units.span(), "expected none");
        return Err(mistake.related(game.span(), "has two seats"));
    }
    Ok(())
}

fn hypotheses(written: &SprtTable, format: &Spanned<Format>) -> Read<Hypotheses> {
    let or = |value: &Option<Spanned<f64>>, default| value.as_ref().map_or(default, |value| *value.get_ref());
    let (elo0, elo1) = (or(&written.elo0, DEFAULT_ELO0), or(&written.elo1, DEFAULT_ELO1));
    let (alpha, beta) = (or(&written.alpha, DEFAULT_ERROR), or(&written.beta, DEFAULT_ERROR));
    let tested = Hypotheses::new(written.model.unwrap_or_default(), elo0, elo1, alpha, beta);
    tested.map_err(|error| {
        let culprits = match error {
            HypothesesError::Errors { .. } => [&written.alpha, &written.beta],
            HypothesesError::Order { .. } | HypothesesError::Close { .. } | HypothesesError::Elo(_) => {
                [&written.elo1, &written.elo0]
            }
        };
        let place = culprits.into_iter().flatten().next().map_or_else(|| format.span(), Spanned::span);
        let help = format!(
            "what is not written is elo0 = {DEFAULT_ELO0}, elo1 = {DEFAULT_ELO1}, alpha = beta = {DEFAULT_ERROR}"
        );
        Mistake::new(format!("failed to {error}"), place, "these hypotheses cannot be tested").help(help)
    })
}
