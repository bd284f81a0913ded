//! `[sweep]`: one bot becomes many, which differ in the values of its parameters.

mod values;

use std::collections::{BTreeMap, HashSet};

use self::values::{Parameter, parameters, too_many};
use super::document::{At, Found, Table};
use super::mistake::{Mistake, Read, quoted};
use super::parameters::{Kind, against_named, check_placeholders, check_unique, find_bot, names};
use super::values::Integer;
use super::{Bot, Config, Overrides, Player};
use crate::plan::{MOST_VARIANTS, Sweep, Variant};
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
    names: "`values` in `[sweep]` gives every name in braces its values; only `{seed}` needs none",
    made: "its variants are named after their values",
};

/// A value for each parameter, in the order of the config.
type Set = Vec<(String, String)>;

/// `[sweep]`.
struct SweepTable {
    bot: At<String>,
    values: At<Vec<Parameter>>,
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
        values: table.need("values", parameters),
        against: table.value("against", names),
        block: table.at("block", Integer::<1, 100_000>::read),
        max_units: table.at("max_units", Integer::<1, 1_000_000_000>::read),
        alpha: table.at("alpha", below_1),
        indifference: table.at("indifference", above_0),
    };
    table.end()?;
    let swept = find_bot(config, &written.bot)?;
    let against = opponents(config, &written, swept)?;
    let sets = grid(&written.values)?;
    let parameters: Vec<At<String>> = written
        .values
        .value
        .iter()
        .map(|parameter| parameter.name.clone())
        .collect();
    check_placeholders(config, swept, &parameters, &KIND)?;
    let (mut bots, mut variants) = (Vec::new(), Vec::new());
    for bot in &config.bots {
        if bot.name.value != swept.name.value {
            bots.push((bot, bot.launch()));
            continue;
        }
        for set in &sets {
            let launch = variant(bot, set);
            variants.push(Variant {
                bot: launch.name.clone(),
                values: set.iter().cloned().collect(),
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

/// Each value with each, two variants at least; the first parameter changes slowest.
fn grid(values: &At<Vec<Parameter>>) -> Read<Vec<Set>> {
    let lists = values
        .value
        .iter()
        .map(|parameter| parameter.values.value.len());
    let count = lists.fold(1, usize::saturating_mul);
    if count > MOST_VARIANTS {
        let help = "there is a variant for every combination: try fewer values at a time";
        return Err(too_many(&values.span, count).help(help));
    }
    if count < 2 {
        let label = format!("expected 2 to {MOST_VARIANTS} variants, found {count}");
        return Err(values.mistake("a sweep needs two variants or more", label));
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
                .map(move |value| [&set[..], &[(name.value.clone(), value.clone())]].concat())
        };
        sets = sets.into_iter().flat_map(longer).collect();
    }
    Ok(sets)
}

/// The bot with its placeholders filled in.
fn variant(bot: &Bot, set: &Set) -> Launch {
    let shown: Vec<String> = set
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let values: BTreeMap<String, String> = set.iter().cloned().collect();
    let planned = bot.launch();
    Launch {
        name: format!("{}[{}]", planned.name, shown.join(",")),
        ..planned.filled(&values)
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
