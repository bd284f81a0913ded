//! `[sweep]`: variants of a bot that differ in the values of its parameters.

mod values;

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::Deserialize;

use self::values::{Values, too_many};
use super::mistake::{Mistake, Read, quoted};
use super::parameters::{BotLaunch, Subject, name_problem};
use super::values::{Chance, Integer, OneOrMore, Positive};
use super::{Bot, Config, Overrides};
use crate::plan::{MOST_VARIANTS, Sweep, Variant};
use arena_process::Launch;

type Block = Integer<1, 100_000>;
type MaxUnits = Integer<1, 1_000_000_000>;

const DEFAULT_BLOCK: Block = Integer(16);
const DEFAULT_MAX_UNITS: MaxUnits = Integer(1600);
const DEFAULT_ALPHA: Chance = Chance(0.05);

/// Variants of a bot, for `format = "sweep"`, see docs/how-to/sweep.md.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepTable {
    /// The bot to vary.
    /// Example: `"search"`.
    bot: String,
    /// The values of each parameter: lists, or ranges whose steps meet `max`. They replace `{NAME}`
    /// in the bot's `command` and `env`.
    /// Example: `{ depth = [2, 3, 4], width = { min = 0.2, max = 0.6, step = 0.1 } }`.
    values: IndexMap<String, Values>,
    /// The opponents of every variant.
    /// Default: all other bots. Example: `["baseline"]`.
    against: Option<OneOrMore<String>>,
    /// Units between two evaluations, at most `max_units`.
    /// Default: `16`. Example: `32`.
    block: Option<Block>,
    /// Maximum units of each variant, rounded up to whole blocks.
    /// Default: `1600`. Example: `800`.
    max_units: Option<MaxUnits>,
    /// Maximum chance of eliminating a variant as strong as the best.
    /// Default: `0.05`. Example: `0.01`.
    alpha: Option<Chance>,
    /// End when all variants are significantly within this many Elo of the leader.
    /// Default: none. Example: `5`.
    indifference: Option<Positive>,
}

/// Returns the sweep of a config and all bots, with the variants in the place of the swept bot.
pub(super) fn resolve(
    config: &Config,
    table: &SweepTable,
    overrides: &Overrides,
) -> Read<(Sweep, Vec<BotLaunch>)> {
    let subject = Subject::new(config, ["sweep", "values", "swept"], &table.bot)?;
    let against = match &table.against {
        Some(names) => subject.against(names)?,
        None => subject.others(),
    };
    if against.is_empty() {
        let mistake = Mistake::new("sweep.bot", "the only bot of this config has no opponent");
        return Err(mistake.help("add a `[[bot]]` as a baseline"));
    }
    let variants = variants(subject.bot, &table.values)?;
    let names: Vec<&str> = table.values.keys().map(String::as_str).collect();
    subject.check_placeholders(&names)?;
    let (block, max_units) = length(table, overrides)?;
    let launch = subject.bot.launch();
    let players = subject.players(variants.iter().map(|variant| Launch {
        name: variant.bot.clone(),
        ..launch.filled(&variant.values)
    }));
    let sweep = Sweep {
        bot: table.bot.clone(),
        parameters: table.values.keys().cloned().collect(),
        against,
        block,
        max_units,
        alpha: table.alpha.unwrap_or(DEFAULT_ALPHA).0,
        indifference: table.indifference.map(|elo| elo.0),
        variants,
    };
    Ok((sweep, players))
}

/// Combines all values into at least two variants. The first parameter changes slowest.
fn variants(bot: &Bot, table: &IndexMap<String, Values>) -> Read<Vec<Variant>> {
    let mut sets: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (name, values) in table {
        let path = format!("sweep.values.{name}");
        if let Some(problem) = name_problem(name) {
            return Err(Mistake::new(path, problem));
        }
        let values = values.read(&path)?;
        let mut seen = HashSet::new();
        if let Some(twice) = values.iter().find(|value| !seen.insert(*value)) {
            let problem = format!("expected different values, found {} twice", quoted(twice));
            return Err(Mistake::new(path, problem));
        }
        let count = sets.len().saturating_mul(values.len());
        if count > MOST_VARIANTS {
            let help = "there is a variant for every combination: try fewer values at a time";
            return Err(too_many("sweep.values", count).help(help));
        }
        let with = |set: &[_], value: &String| [set, &[(name.clone(), value.clone())]].concat();
        sets = sets
            .iter()
            .flat_map(|set| values.iter().map(|value| with(set, value)))
            .collect();
    }
    if sets.len() < 2 {
        let found = ["1", "no parameter"][usize::from(table.is_empty())];
        let expected = format!("expected 2 to {MOST_VARIANTS}, found {found}");
        let problem = format!("a sweep needs two variants or more: {expected}");
        return Err(Mistake::new("sweep.values", problem));
    }
    let variant = |values: Vec<(String, String)>| {
        let shown = values.iter().map(|(name, value)| format!("{name}={value}"));
        Variant {
            bot: format!("{}[{}]", bot.name, shown.collect::<Vec<_>>().join(",")),
            values: values.into_iter().collect(),
        }
    };
    Ok(sets.into_iter().map(variant).collect())
}

/// Returns the units of a block and the maximum of units of a variant.
fn length(table: &SweepTable, overrides: &Overrides) -> Read<(u64, u64)> {
    let block = table.block.unwrap_or(DEFAULT_BLOCK).0;
    let max_units = table.max_units.unwrap_or(DEFAULT_MAX_UNITS).0;
    if block > max_units {
        let key = table.block.map_or("sweep.max_units", |_| "sweep.block");
        let expected = "expected a `max_units` of one `block` at least";
        let problem = format!("{expected}, found {max_units} and {block}");
        return Err(Mistake::new(key, problem));
    }
    let units = match overrides.games {
        Some(games) => games.div_ceil(2),
        None => max_units,
    };
    Ok((block, units.next_multiple_of(block)))
}
