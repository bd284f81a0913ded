//! `[sweep]`: one bot becomes many, which differ in the values of its parameters.

mod values;

use std::collections::{BTreeMap, HashMap, HashSet};

use strum::{EnumString, VariantNames};

use self::values::{Parameter, Set, parameters, sets, too_many};
use super::document::{At, Found, Table, missing};
use super::mistake::{Mistake, Read, quoted};
use super::parameters::{Kind, against_named, check_placeholders, check_unique, find_bot, names};
use super::values::Integer;
use super::{Bot, Config, Overrides, Player};
use crate::plan::{MOST_VARIANTS, Sweep, SweepMode, Variant};
use crate::schedule::Format;
use arena_process::Launch;

const DEFAULT_BLOCK: u64 = 16;
const DEFAULT_MAX_UNITS: u64 = 1600;
const DEFAULT_ALPHA: f64 = 0.05;

/// How messages call it.
const KIND: Kind = Kind {
    players: "the variants",
    done: "swept",
    table: "[sweep]",
    names: "`values` or `sets` in `[sweep]` give every name in braces its values; only `{seed}` needs none",
    made: "its variants are named after their values",
};

/// How the values of several parameters go together.
#[derive(Clone, Copy, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
enum Combine {
    /// Each with each.
    #[default]
    Grid,
    /// The first with the first, the second with the second.
    Zip,
}

/// `[sweep]`.
struct SweepTable {
    bot: At<String>,
    values: Option<At<Vec<Parameter>>>,
    combine: Option<At<Combine>>,
    sets: Option<At<Vec<At<Set>>>>,
    mode: SweepMode,
    against: Option<Vec<At<String>>>,
    /// The units between two looks.
    block: Option<At<u64>>,
    /// The units of a variant, before they are rounded up to whole blocks.
    max_units: Option<At<u64>>,
    alpha: Option<At<f64>>,
    indifference: Option<At<f64>>,
}

/// What the sweep of a config comes to, and all bots, the variants in the place of the bot that is swept; `None` if it has
/// none.
pub(super) fn resolve<'c>(
    config: &'c Config<'_>,
    mut table: Table<'_>,
    overrides: &Overrides,
) -> Read<Option<(Sweep, Vec<Player<'c>>)>> {
    let Some(format) = config.has_format(Format::Sweep, &table)? else {
        return Ok(None);
    };
    if !table.is_there() {
        let mistake = format.mistake(
            "a run whose format is `sweep` needs a table `[sweep]`",
            "`[sweep]` is missing",
        );
        return Err(mistake.help("add `[sweep]` with `bot` and `values`, as in docs/sweep.md"));
    }
    let above_0 =
        |found: Found| found.number_that("a number above 0", |n| *n > 0.0 && n.is_finite());
    let below_1 =
        |found: Found| found.number_that("a number above 0 and below 1", |n| *n > 0.0 && *n < 1.0);
    let written = SweepTable {
        bot: table.need("bot", Found::string),
        values: table.at("values", parameters),
        combine: table.at("combine", Found::choice),
        sets: table.at("sets", sets),
        mode: table.value("mode", Found::choice).unwrap_or_default(),
        against: table.value("against", names),
        block: table.at("block", Integer::<1, 100_000>::read),
        max_units: table.at("max_units", Integer::<1, 1_000_000_000>::read),
        alpha: table.at("alpha", below_1),
        indifference: table.at("indifference", above_0),
    };
    table.end()?;
    for (key, given) in [
        ("alpha", &written.alpha),
        ("indifference", &written.indifference),
    ] {
        if let (SweepMode::Fixed, Some(given)) = (written.mode, given) {
            let label =
                format!("expected no `{key}` with `mode = \"fixed\"`, which plays all units");
            return Err(given.mistake(format!("`{key}` is for races"), label));
        }
    }
    let swept = find_bot(config, &written.bot)?;
    let against = opponents(config, &written, swept)?;
    let sets = tried(&written, &table)?;
    let parameters: Vec<At<String>> = sets
        .iter()
        .take(1)
        .flat_map(|set| &set.value)
        .map(|(name, _)| name.clone())
        .collect();
    check_placeholders(config, swept, &parameters, &KIND)?;
    let (mut bots, mut variants) = (Vec::new(), Vec::new());
    for bot in &config.bots {
        if bot.name.value != swept.name.value {
            bots.push((bot, bot.launch()));
            continue;
        }
        for set in &sets {
            let values = set
                .value
                .iter()
                .map(|(name, value)| (name.value.clone(), value.clone()))
                .collect();
            let launch = variant(bot, &set.value, &values);
            variants.push(Variant {
                bot: launch.name.clone(),
                values,
            });
            bots.push((bot, launch));
        }
    }
    check_unique(&bots, &written.bot, &KIND)?;
    let (block, max_units) = length(&written, overrides)?;
    let sweep = Sweep {
        bot: swept.name.value.clone(),
        parameters: parameters.into_iter().map(|name| name.value).collect(),
        against,
        mode: written.mode,
        block,
        max_units,
        alpha: written.alpha.map_or(DEFAULT_ALPHA, |alpha| alpha.value),
        indifference: written.indifference.map(|elo| elo.value),
        variants,
    };
    Ok(Some((sweep, bots)))
}

/// The bots that the variants meet, each once; all others, unless the table says which.
fn opponents(config: &Config<'_>, table: &SweepTable, swept: &Bot) -> Read<Vec<String>> {
    let others = config
        .bots
        .iter()
        .map(|bot| &bot.name)
        .filter(|name| name.value != swept.name.value);
    let Some(names) = &table.against else {
        let others: Vec<String> = others.map(|name| name.value.clone()).collect();
        if others.is_empty() {
            let mistake = table.bot.mistake(
                "the variants have no opponent",
                "the only bot of this config",
            );
            return Err(mistake.help("add a `[[bot]]` as a baseline"));
        }
        return Ok(others);
    };
    against_named(config, names, swept, &KIND)
}

/// The sets of values that are tried, two at least, all with the same parameters in the same order.
fn tried(written: &SweepTable, table: &Table<'_>) -> Read<Vec<At<Set>>> {
    let combine = written.combine.as_ref();
    let (sets, place) = match (&written.values, &written.sets) {
        (Some(values), Some(sets)) => {
            let mistake = sets.mistake("both `values` and `sets`", "expected one of the two");
            return Err(mistake.related(&values.span, "the values of each parameter"));
        }
        (None, None) => return Err(missing("[sweep]", &table.place, "values")),
        (Some(values), None) => {
            let sets = match combine.map_or(Combine::Grid, |combine| combine.value) {
                Combine::Grid => grid(values)?,
                Combine::Zip => zip(&values.value)?,
            };
            let sets: Vec<At<Set>> = sets
                .into_iter()
                .map(|value| At {
                    value,
                    span: values.span.clone(),
                })
                .collect();
            (sets, &values.span)
        }
        (None, Some(sets)) => match combine {
            Some(combine) => {
                let label = "expected none: `sets` says which values go together";
                return Err(combine.mistake("`combine` is for `values`", label));
            }
            None => (explicit(&sets.value)?, &sets.span),
        },
    };
    match sets.len() {
        count @ (0 | 1) => {
            let label = format!("expected 2 to {MOST_VARIANTS} variants, found {count}");
            return Err(Mistake::new(
                "a sweep needs two variants or more",
                place,
                label,
            ));
        }
        2..=MOST_VARIANTS => {}
        count => return Err(too_many(place, count)),
    }
    let mut seen = HashMap::new();
    for At { value: set, span } in &sets {
        let values: Vec<&str> = set.iter().map(|(_, value)| value.as_str()).collect();
        let title = format!(
            "two variants with the values {}",
            quoted(&values.join(", "))
        );
        if let Some(first) = seen.insert(values, span) {
            let mistake = Mistake::new(title, span, "used again here");
            return Err(if first == span {
                mistake
            } else {
                mistake.related(first, "first used here")
            });
        }
    }
    Ok(sets)
}

/// Each value with each; the first parameter changes slowest.
fn grid(values: &At<Vec<Parameter>>) -> Read<Vec<Set>> {
    let lists = values
        .value
        .iter()
        .map(|parameter| parameter.values.value.len());
    let count = lists.fold(1, usize::saturating_mul);
    if count > MOST_VARIANTS {
        let help =
            "a grid has a variant for every combination; `combine = \"zip\"` or `sets` gives fewer";
        return Err(too_many(&values.span, count).help(help));
    }
    let mut sets: Vec<Set> = vec![Vec::new()];
    for Parameter { name, values } in &values.value {
        let mut seen = HashSet::new();
        if let Some(twice) = values.value.iter().find(|value| !seen.insert(*value)) {
            let title = format!("`{}` has the value {} twice", name.value, quoted(twice));
            return Err(values.mistake(title, "expected different values"));
        }
        let longer = |set: Set| {
            values
                .value
                .iter()
                .map(move |value| [&set[..], &[(name.clone(), value.clone())]].concat())
        };
        sets = sets.into_iter().flat_map(longer).collect();
    }
    Ok(sets)
}

/// The first values of all parameters, then the second ones.
fn zip(parameters: &[Parameter]) -> Read<Vec<Set>> {
    let Some(Parameter { values: first, .. }) = parameters.first() else {
        return Ok(Vec::new());
    };
    let count = first.value.len();
    if let Some(Parameter { values, .. }) = parameters
        .iter()
        .find(|parameter| parameter.values.value.len() != count)
    {
        let label = format!(
            "expected a list of {count}, found one of {}",
            values.value.len()
        );
        let mistake = values.mistake("values that cannot be zipped", label);
        return Err(mistake.related(&first.span, "the first list"));
    }
    let value = |Parameter { name, values }: &Parameter, at: usize| {
        (name.clone(), values.value[at].clone())
    };
    Ok((0..count)
        .map(|at| {
            parameters
                .iter()
                .map(|parameter| value(parameter, at))
                .collect()
        })
        .collect())
}

/// Sets as they are written, in the order of the first.
fn explicit(written: &[At<Set>]) -> Read<Vec<At<Set>>> {
    let Some(first) = written.first() else {
        return Ok(Vec::new());
    };
    let ordered = |At { value: set, span }: &At<Set>| {
        let value = |(name, _): &(At<String>, String)| {
            set.iter().find(|(own, _)| own.value == name.value).cloned()
        };
        match first.value.iter().map(value).collect::<Option<Set>>() {
            Some(value) if value.len() == set.len() => Ok(At {
                value,
                span: span.clone(),
            }),
            _ => {
                let mistake = Mistake::new(
                    "sets of different parameters",
                    span,
                    "expected those of the first set",
                );
                Err(mistake.related(&first.span, "the first set"))
            }
        }
    };
    written.iter().map(ordered).collect()
}

/// The bot with its placeholders filled in.
fn variant(bot: &Bot, set: &Set, values: &BTreeMap<String, String>) -> Launch {
    let shown: Vec<String> = set
        .iter()
        .map(|(name, value)| format!("{}={value}", name.value))
        .collect();
    let planned = bot.launch();
    Launch {
        name: format!("{}[{}]", planned.name, shown.join(",")),
        ..planned.filled(values)
    }
}

/// The units of a block, and the most units of a variant.
fn length(table: &SweepTable, overrides: &Overrides) -> Read<(u64, u64)> {
    let given =
        |units: &Option<At<u64>>, default| units.as_ref().map_or(default, |units| units.value);
    let block = given(&table.block, DEFAULT_BLOCK);
    let max_units = given(&table.max_units, DEFAULT_MAX_UNITS);
    if block <= max_units {
        let units = overrides.games.map_or(max_units, |games| games.div_ceil(2));
        return Ok((block, units.next_multiple_of(block)));
    }
    let title = "a block that is longer than the sweep";
    Err(match (&table.block, &table.max_units) {
        (Some(block), units) => {
            let mistake = block.mistake(
                title,
                format!("expected {max_units} at most, which is `max_units`"),
            );
            units.iter().fold(mistake, |mistake, units| {
                mistake.related(&units.span, "the whole sweep")
            })
        }
        (None, units) => {
            let place = units
                .as_ref()
                .map(|units| units.span.clone())
                .unwrap_or_default();
            Mistake::new(
                title,
                &place,
                format!("expected {block} at least, which is the default of `block`"),
            )
        }
    })
}
