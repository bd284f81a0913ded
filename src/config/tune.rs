//! `[tune]`: the parameters of a bot that are to find their values.

mod braces;

use super::document::{At, Found, Table};
use super::mistake::{Mistake, Read};
use super::parameters::{
    Kind, against_named, check_placeholders, check_unique, find_bot, name, names,
};
use super::values::Integer;
use super::{Bot, Config, Overrides, Player};
use crate::plan::{Tune, TunedParameter};
use crate::schedule::{Format, Slice};
use arena_stats::tune::spsa::Rates;
use arena_stats::tune::{MOST_PARAMETERS, Parameter, Scale};
pub(crate) use braces::with_ranges;
use toml::de::DeValue;

/// The units of a block where none are given.
pub(crate) const DEFAULT_BLOCK: u64 = 32;
/// The most units where none are given.
pub(crate) const DEFAULT_UNITS: u64 = 4000;
/// Fewer steps than this are for a sweep.
const FEWEST_STEPS: f64 = 3.0;

/// The units that a tuning may take.
pub(crate) type TuneUnits = Integer<1, 1_000_000>;

/// How messages call it.
const KIND: Kind = Kind {
    players: "a bot that is tuned",
    done: "tuned",
    table: "[tune]",
    names: "`parameters` in `[tune]` gives every name in braces its range; only `{seed}` needs none",
    made: "its two sides are called so",
};

/// A parameter, and where what it is made of stands.
struct Written {
    name: At<String>,
    range: Parameter,
}

/// The tuning of a config.
pub(super) struct Resolved<'c> {
    pub(super) tune: Tune,
    /// Whether its answer is to be tested when it has ended.
    pub(super) confirm: bool,
    /// All bots, both sides in the place of the one that is tuned.
    pub(super) bots: Vec<Player<'c>>,
}

/// The tuning of a config, if it has one.
pub(super) fn resolve<'c>(
    config: &'c Config<'_>,
    mut table: Table<'_>,
    overrides: &Overrides,
) -> Read<Option<Resolved<'c>>> {
    let Some(format) = config.has_format(Format::Tune, &table)? else {
        return Ok(None);
    };
    if !table.is_there() {
        let mistake = format.mistake(
            "a run whose format is `tune` needs a table `[tune]`",
            "`[tune]` is missing",
        );
        return Err(mistake.help("add `[tune]` with `bot` and `parameters`, as in docs/tune.md"));
    }
    let above_0 =
        |found: Found| found.number_that("a number above 0", |n| *n > 0.0 && n.is_finite());
    let to_1 =
        |found: Found| found.number_that("a number from 0 to 1", |n| (0.0..=1.0).contains(n));
    let to_half = |found: Found| {
        found.number_that("a number above 0, 0.5 at most", |n| *n > 0.0 && *n <= 0.5)
    };
    let bot = table.need("bot", Found::string);
    let parameters = table.need("parameters", parameters);
    let against = table.value("against", names).unwrap_or_default();
    let max_units = table
        .value("max_units", TuneUnits::read)
        .unwrap_or(DEFAULT_UNITS);
    let block = table
        .value("block", Integer::<1, 64>::read)
        .unwrap_or(DEFAULT_BLOCK);
    let indifference = table.value("indifference", above_0);
    let confirm = table.value("confirm", Found::boolean).unwrap_or_default();
    let default = Rates::default();
    let rates = Rates {
        width: table.value("width", to_half).unwrap_or(default.width),
        gain: table.value("gain", above_0).unwrap_or(default.gain),
        gain_units: table
            .value("gain_units", above_0)
            .unwrap_or(default.gain_units),
        alpha: table.value("alpha", to_1).unwrap_or(default.alpha),
        gamma: table.value("gamma", to_1).unwrap_or(default.gamma),
    };
    table.end()?;
    check_terms(overrides, format)?;
    let tuned = find_bot(config, &bot)?;
    let against = against_named(config, &against, tuned, &KIND)?;
    let (names, ranges): (Vec<At<String>>, Vec<Parameter>) = parameters
        .value
        .into_iter()
        .map(|written| (written.name, written.range))
        .unzip();
    check_placeholders(config, tuned, &names, &KIND)?;
    let bots: Vec<Player> = config
        .bots
        .iter()
        .flat_map(|bot| players(bot, tuned))
        .collect();
    check_unique(&bots, &bot, &KIND)?;
    let with_ranges = names.into_iter().zip(ranges);
    let tune = Tune {
        bot: bot.value,
        max_units: units(max_units, overrides, against.len() as u64).next_multiple_of(block),
        against,
        block,
        indifference,
        rates,
        parameters: with_ranges
            .map(|(name, range)| TunedParameter {
                name: name.value,
                range,
            })
            .collect(),
    };
    Ok(Some(Resolved {
        tune,
        confirm,
        bots,
    }))
}

/// The units that are to be played: `--games` counts those of a side against each opponent.
fn units(max_units: u64, overrides: &Overrides, opponents: u64) -> u64 {
    let games = overrides
        .games
        .map(|games| games.div_ceil(if opponents > 0 { 4 * opponents } else { 2 }));
    games.unwrap_or(max_units)
}

/// A bot of the run, or both sides of the one that is tuned.
fn players<'c>(bot: &'c Bot, tuned: &Bot) -> Vec<Player<'c>> {
    let launch = bot.launch();
    if bot.name.value != tuned.name.value {
        return vec![(bot, launch)];
    }
    Tune::both_sides(&launch).map(|side| (bot, side)).into()
}

fn check_terms(overrides: &Overrides, format: &At<Format>) -> Read<()> {
    if overrides.slice == Slice::WHOLE {
        return Ok(());
    }
    let label =
        "expected another format with `--slice`: what is played depends on all games before";
    Err(format.mistake("a tuning cannot be played in slices", label))
}

fn parameters(found: Found<'_>) -> Read<Vec<Written>> {
    let expected = "a table of parameters, as in `{ depth = { min = 1, max = 9, start = 4 } }`";
    let entries = found.entries().ok_or_else(|| found.refuse(expected))?;
    match entries.len() {
        0 => Err(found.mistake(
            "a tuning without parameters",
            "expected one parameter at least",
        )),
        1..=MOST_PARAMETERS => entries.into_iter().map(parameter).collect(),
        count => {
            let label = format!("expected {MOST_PARAMETERS} at most, found {count}");
            Err(found
                .mistake("too many parameters", label)
                .help("tune those first that cost most"))
        }
    }
}

fn parameter(entry: Found<'_>) -> Read<Written> {
    let name = name(entry, "tuned")?;
    let ends = entry.entries().ok_or_else(|| {
        let mistake = entry.refuse("a range, as in `{ min = 0, max = 40, start = 10 }`");
        mistake.help("`min` and `max` are where to look, `start` is the value that it has now")
    })?;
    let mut table = Table::new("a range", entry.span(), ends);
    let [min, max, start] = ["min", "max", "start"].map(|key| table.need(key, number));
    let step = table.at("step", number);
    let scale = table.at("scale", Found::choice::<Scale>);
    table.end()?;
    let ends = [min.value, max.value, start.value];
    let range = range(
        ends,
        step.as_ref().map(|step| step.value.0),
        scale.as_ref().map(|scale| scale.value),
    );
    if let Some(problem) = range_problem(&range) {
        let place = match problem.key {
            "min" => Some(&min.span),
            "max" => Some(&max.span),
            "start" => Some(&start.span),
            _ => step.as_ref().map(|step| &step.span),
        };
        let place = place.cloned().unwrap_or(entry.span());
        let mistake = Mistake::new(
            format!("`{}`: {}", name.value, problem.title),
            &place,
            problem.label,
        );
        return Err(if problem.help.is_empty() {
            mistake
        } else {
            mistake.help(problem.help)
        });
    }
    Ok(Written { name, range })
}

/// A range from its least and greatest value and its start, each with whether it is written as an integer.
fn range(ends: [(f64, bool); 3], step: Option<f64>, scale: Option<Scale>) -> Parameter {
    let is_whole = ends.iter().all(|(_, is_integer)| *is_integer);
    let [min, max, start] = ends.map(|(value, _)| value);
    Parameter {
        min,
        max,
        start,
        step: step.or(is_whole.then_some(1.0)),
        scale: scale.unwrap_or_default(),
    }
}

/// A number, and whether it is written as an integer.
fn number(found: Found<'_>) -> Read<(f64, bool)> {
    let number = found.number_that("a finite number", |number| number.is_finite())?;
    Ok((number, matches!(found.value(), DeValue::Integer(_))))
}

/// Why a range cannot be tuned.
struct RangeProblem {
    /// The part of it that is at fault: `min`, `max`, `start` or `step`.
    key: &'static str,
    title: String,
    label: String,
    help: String,
}

/// What is wrong with a range, if anything.
fn range_problem(range: &Parameter) -> Option<RangeProblem> {
    let Parameter {
        min,
        max,
        start,
        step,
        scale,
    } = *range;
    let problem = |key, title: &str, label: String, help: &str| {
        Some(RangeProblem {
            key,
            title: title.to_owned(),
            label,
            help: help.to_owned(),
        })
    };
    if min >= max {
        let label = format!("expected a number above `min`, which is {min}");
        return problem(
            "max",
            "an empty range",
            label,
            "a parameter with one value needs no tuning: write the value",
        );
    }
    if scale == Scale::Log && min <= 0.0 {
        let help = "on a scale of logarithms steps are shares of the value; without `scale` the range may begin anywhere";
        return problem(
            "min",
            "a logarithmic scale begins above 0",
            "expected a number above 0".to_owned(),
            help,
        );
    }
    if !(min..=max).contains(&start) {
        let label = format!("expected a number from {min} to {max}");
        return problem(
            "start",
            "the start is outside of the range",
            label,
            "a wider range costs little",
        );
    }
    let step = step?;
    if step <= 0.0 {
        return problem(
            "step",
            "bad value for `step`",
            "expected a number above 0".to_owned(),
            "",
        );
    }
    let steps = |value: f64| (value - min) / step;
    if steps(max) < FEWEST_STEPS - 1e-9 {
        let label = format!("expected {FEWEST_STEPS} steps or more from `min` to `max`");
        return problem(
            "step",
            "too few values to be tuned",
            label,
            "a sweep compares a few values: docs/sweep.md",
        );
    }
    let misses = |value: f64| (steps(value) - steps(value).round()).abs() > 1e-6;
    for (key, value) in [("max", max), ("start", start)] {
        if misses(value) {
            let before = range.rounded(min + step * steps(value).floor());
            let label = format!("steps of {step} from {min} have {before}, and not {value}");
            return problem(
                key,
                "steps that miss a value",
                label,
                "`min`, `max` and `start` are whole steps apart",
            );
        }
    }
    None
}
