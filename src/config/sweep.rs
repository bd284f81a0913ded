//! `[sweep]`: one bot becomes many, which differ in the values of its parameters.

mod decimal;
mod values;

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;

use serde::Deserialize;
use strum::{EnumString, VariantNames};

use self::values::{Parameter, Parameters, Set, Sets, is_name};
use super::document::missing;
use super::mistake::{Mistake, Read, quoted};
use super::values::{At, BotNames, Choice, Given, Integer, Kind, Positive};
use super::{Bot, Config, Overrides};
use crate::plan::{MOST_VARIANTS, Sweep, SweepMode, Variant};
use crate::process::Launch;
use crate::schedule::{Design, Format};

const DEFAULT_BLOCK: u64 = 16;
const DEFAULT_MAX_UNITS: u64 = 1600;
const DEFAULT_ALPHA: f64 = 0.05;
/// The name that stands for a bot's own seed, everywhere.
const SEED: &str = "seed";

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
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SweepTable {
    bot: At<String>,
    values: Option<At<Parameters>>,
    combine: Option<At<Choice<Combine>>>,
    sets: Option<At<Sets>>,
    mode: Option<At<Choice<SweepMode>>>,
    against: Option<At<BotNames>>,
    /// The units between two looks.
    block: Option<At<Integer<1, 100_000>>>,
    /// The units of a variant, before they are rounded up to whole blocks.
    max_units: Option<At<Integer<1, 1_000_000_000>>>,
    alpha: Option<At<Positive<true>>>,
    indifference: Option<At<Positive>>,
}

/// The values that are tried: the names of parameters, where they are written, and a value for each in every set.
#[derive(Default)]
struct Tried<'c> {
    names: Vec<&'c str>,
    places: Vec<&'c Range<usize>>,
    sets: Vec<Vec<String>>,
}

/// What a sweep makes of the bots of a config.
pub(super) struct Swept {
    pub(super) sweep: Sweep,
    /// All bots, the variants in the place of the bot that is swept.
    pub(super) bots: Vec<Launch>,
}

impl Swept {
    /// The programs of the variants; the same one again and again, unless its name has a placeholder.
    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        let is_variant = |bot: &&Launch| self.sweep.variants.iter().any(|variant| variant.bot == bot.name);
        let variants = self.bots.iter().filter(is_variant);
        let mut programs: Vec<&str> = variants.filter_map(|bot| Some(bot.command.first()?.as_str())).collect();
        programs.dedup();
        programs.into_iter()
    }
}

/// What the sweep of a config comes to; `None` if it has none.
pub(super) fn resolve(config: &Config<'_>, overrides: &Overrides) -> Read<Option<Swept>> {
    let Some(table) = table(config)? else { return Ok(None) };
    check_run(config, table)?;
    let swept = find_bot(config, &table.bot)?;
    let opponents = opponents(config, table, swept)?;
    let tried = tried(config, table)?;
    check_placeholders(swept, &tried)?;
    opponents.iter().try_for_each(|bot| check_opponent(bot, &tried, table))?;
    let (mut bots, mut variants) = (Vec::new(), Vec::new());
    for bot in config.bots() {
        if bot.name.value != swept.name.value {
            bots.push(bot.launch());
            continue;
        }
        for set in &tried.sets {
            let values = tried.names.iter().map(|name| (*name).to_owned()).zip(set.iter().cloned()).collect();
            let bot = variant(bot, &tried.names, set);
            variants.push(Variant { bot: bot.name.clone(), values });
            bots.push(bot);
        }
    }
    check_unique(config, &bots, table)?;
    let (block, max_units) = length(config, table, overrides)?;
    let sweep = Sweep {
        bot: swept.name.value.clone(),
        parameters: tried.names.iter().map(|name| (*name).to_owned()).collect(),
        against: opponents.into_iter().map(|bot| bot.name.value.clone()).collect(),
        mode: table.mode.value().unwrap_or_default(),
        block,
        max_units,
        alpha: table.alpha.value().unwrap_or(DEFAULT_ALPHA),
        indifference: table.indifference.value(),
        variants,
    };
    Ok(Some(Swept { sweep, bots }))
}

/// The table, which there is if and only if the format says so.
fn table<'c>(config: &'c Config<'_>) -> Read<Option<&'c SweepTable>> {
    let header = |table| config.document.header(table);
    match (&config.tables.sweep, config.format() == Format::Sweep) {
        (Some(table), true) => Ok(Some(table)),
        (None, false) => Ok(None),
        (Some(_), false) => {
            let title = "`[sweep]` is for runs whose format is `sweep`";
            let mistake = Mistake::new(title, &header("sweep"), "expected no such table in this run");
            Err(mistake.help("add `format = \"sweep\"` to `[run]`, or leave this table out"))
        }
        (None, true) => {
            let title = "a run whose format is `sweep` needs a table `[sweep]`";
            let mistake = Mistake::new(title, &header("run"), "`[sweep]` is missing");
            Err(mistake.help("add `[sweep]` with `bot` and `values`, as in docs/sweep.md"))
        }
    }
}

/// What `[run]` cannot say where there is a sweep, and what only races take.
fn check_run(config: &Config<'_>, table: &SweepTable) -> Read<()> {
    let run = &config.tables.run;
    if let [_, second, ..] = &run.game.value[..] {
        let mistake = second.mistake("a sweep plays one game", "expected one game, found more");
        return Err(mistake.help("what is best in one game need not be in another: give each a config of its own"));
    }
    if let Some(design) = run.design.as_ref().filter(|design| design.value != Design::Mirror) {
        let label = "expected `\"mirror\"`, which is the default here: a variant and one opponent share the seats";
        return Err(design.mistake("a sweep divides the seats between two bots", label));
    }
    if let Some(games) = &run.games {
        let help = "`max_units` in `[sweep]` says how long a sweep is at most; a unit is two games or more";
        return Err(games.mistake("`games` is not for sweeps", "expected no `games`").help(help));
    }
    let only_races = [("alpha", table.alpha.place()), ("indifference", table.indifference.place())];
    match only_races.into_iter().find_map(|(key, place)| Some((key, place?))) {
        Some((key, place)) if table.mode.value() == Some(SweepMode::Fixed) => {
            let label = format!("expected no `{key}` with `mode = \"fixed\"`, which plays all units");
            Err(Mistake::new(format!("`{key}` is for races"), place, label))
        }
        _ => Ok(()),
    }
}

fn find_bot<'c>(config: &'c Config<'_>, name: &At<String>) -> Read<&'c Bot> {
    config.bots().find(|bot| bot.name.value == name.value).ok_or_else(|| {
        let known: Vec<&str> = config.bots().map(|bot| bot.name.value.as_str()).collect();
        let mistake = Mistake::unknown_here("bot", &name.value, &name.span, &known);
        mistake.help("each bot has a table `[[bot]]` of its own")
    })
}

/// The bots that the variants meet, each once; all others, unless the table says which.
fn opponents<'c>(config: &'c Config<'_>, table: &SweepTable, swept: &Bot) -> Read<Vec<&'c Bot>> {
    let others = config.bots().filter(|bot| bot.name.value != swept.name.value);
    let Some(names) = &table.against else {
        let others: Vec<&Bot> = others.collect();
        if others.is_empty() {
            let mistake = table.bot.mistake("the variants have nobody to play against", "the only bot of this config");
            return Err(mistake.help("add a `[[bot]]` as a baseline"));
        }
        return Ok(others);
    };
    let mut found: Vec<&Bot> = Vec::new();
    for name in &names.value {
        let bot = find_bot(config, name)?;
        let is_named = found.iter().any(|found| found.name.value == name.value);
        if is_named || name.value == swept.name.value {
            let title = format!("the variants cannot play against {}", quoted(&name.value));
            let label = if is_named { "named for the second time" } else { "this is the bot that is swept" };
            return Err(name.mistake(title, label));
        }
        found.push(bot);
    }
    for Bot { name, .. } in others {
        if !found.iter().any(|found| found.name.value == name.value) {
            let title = format!("bot {} plays no game of this run", quoted(&name.value));
            let mistake = name.mistake(title, "neither swept nor played against");
            return Err(mistake.help("add it to `against` in `[sweep]`, or leave it out"));
        }
    }
    Ok(found)
}

fn tried<'c>(config: &Config<'_>, table: &'c SweepTable) -> Read<Tried<'c>> {
    match (&table.values, &table.sets) {
        (Some(values), Some(sets)) => {
            let mistake = sets.mistake("both `values` and `sets`", "expected one of the two");
            Err(mistake.related(&values.span, "the values of each parameter"))
        }
        (None, None) => Err(missing("[sweep]", &config.document.header("sweep"), "values")),
        (Some(values), None) => combined(values, table.combine.value().unwrap_or_default()),
        (None, Some(sets)) => match &table.combine {
            Some(combine) => {
                Err(combine.mistake("`combine` is for `values`", "expected none: `sets` says which values go together"))
            }
            None => explicit(&sets.value),
        },
    }
}

/// The names of parameters, and where they are written.
fn names<'c>(names: impl Iterator<Item = &'c At<String>>) -> (Vec<&'c str>, Vec<&'c Range<usize>>) {
    names.map(|name| (name.value.as_str(), &name.span)).unzip()
}

fn combined(values: &At<Parameters>, combine: Combine) -> Read<Tried<'_>> {
    let sets = match combine {
        Combine::Grid => grid(values)?,
        Combine::Zip => zip(&values.value)?,
    };
    check_count(values, sets.len())?;
    if let Some((_, set)) = repeated(sets.iter()) {
        return Err(values.mistake(same_values(set), "used again here"));
    }
    let (names, places) = names(values.value.iter().map(|parameter| &parameter.name));
    Ok(Tried { names, places, sets })
}

/// Each value with each; the first parameter changes slowest.
fn grid(values: &At<Parameters>) -> Read<Vec<Vec<String>>> {
    let lists = values.value.iter().map(|parameter| parameter.values.value.len());
    let count = lists.fold(1, usize::saturating_mul);
    if count > MOST_VARIANTS {
        let label = format!("expected {MOST_VARIANTS} variants at most, found {count}");
        let help = "a grid has a variant for every combination; `combine = \"zip\"` or `sets` gives fewer";
        return Err(values.mistake("too many variants", label).help(help));
    }
    let mut sets: Vec<Vec<String>> = vec![Vec::new()];
    for Parameter { name, values } in &values.value {
        if let Some((_, value)) = repeated(values.value.iter()) {
            let title = format!("`{}` has the value {} twice", name.value, quoted(value));
            return Err(values.mistake(title, "expected different values"));
        }
        let longer =
            |set: Vec<String>| values.value.iter().map(move |value| [&set[..], std::slice::from_ref(value)].concat());
        sets = sets.into_iter().flat_map(longer).collect();
    }
    Ok(sets)
}

fn zip(parameters: &[Parameter]) -> Read<Vec<Vec<String>>> {
    let Some(Parameter { values: first, .. }) = parameters.first() else { return Ok(Vec::new()) };
    let count = first.value.len();
    for Parameter { values, .. } in parameters {
        if values.value.len() != count {
            let label = format!("expected a list of {count}, found one of {}", values.value.len());
            let mistake = values.mistake("values that cannot be zipped", label);
            return Err(mistake.related(&first.span, "the first list"));
        }
    }
    let set = |at: usize| parameters.iter().map(|parameter| parameter.values.value[at].clone()).collect();
    Ok((0..count).map(set).collect())
}

/// Sets as they are written, all of the same parameters.
fn explicit(written: &[At<Set>]) -> Read<Tried<'_>> {
    let Some(first) = written.first() else { return Ok(Tried::default()) };
    let (names, places) = names(first.value.iter().map(|(name, _)| name));
    let mut sets = Vec::new();
    for set in written {
        let value = |name: &&str| Some(set.value.iter().find(|(own, _)| own.value == *name)?.1.clone());
        match names.iter().map(value).collect::<Option<Vec<String>>>() {
            Some(values) if values.len() == set.value.len() => sets.push(values),
            _ => {
                let mistake = set.mistake("sets of different parameters", "expected those of the first set");
                return Err(mistake.related(&first.span, "the first set"));
            }
        }
    }
    check_count(first, sets.len())?;
    match repeated(sets.iter()) {
        Some((at, set)) => {
            let first = sets.iter().position(|other| other == set).unwrap_or_default();
            let mistake = written[at].mistake(same_values(set), "used again here");
            Err(mistake.related(&written[first].span, "first used here"))
        }
        None => Ok(Tried { names, places, sets }),
    }
}

fn check_count<K: Kind>(place: &At<K>, count: usize) -> Read<()> {
    let title = match count {
        0 | 1 => "one variant is no sweep",
        2..=MOST_VARIANTS => return Ok(()),
        _ => "too many variants",
    };
    Err(place.mistake(title, format!("expected 2 to {MOST_VARIANTS} variants, found {count}")))
}

/// The first item that there was before, and its number.
fn repeated<T: Copy + Hash + Eq>(items: impl Iterator<Item = T>) -> Option<(usize, T)> {
    let mut seen = HashSet::new();
    items.enumerate().find(|(_, item)| !seen.insert(*item))
}

fn same_values(set: &[String]) -> String {
    format!("two variants with the values {}", quoted(&set.join(", ")))
}

/// A text cut at its placeholders: what stands before each, its name, and at the end the rest without a name.
fn placeholders(text: &str) -> Vec<(&str, Option<&str>)> {
    let (mut parts, mut rest, mut searched) = (Vec::new(), text, 0);
    while let Some(open) = rest[searched..].find('{').map(|at| searched + at) {
        match rest[open + 1..].find('}').map(|length| &rest[open + 1..open + 1 + length]) {
            Some(name) if is_name(name) => {
                parts.push((&rest[..open], Some(name)));
                (rest, searched) = (&rest[open + name.len() + 2..], 0);
            }
            Some(_) => searched = open + 1,
            None => break,
        }
    }
    parts.push((rest, None));
    parts
}

/// The names in braces of a bot: the key that has it, the name, and where it stands.
fn places(bot: &Bot) -> impl Iterator<Item = (&'static str, &str, &Range<usize>)> {
    let own = &bot.name.span;
    let command = bot.command.value.words.iter().map(|word| ("command", word, &bot.command.span));
    let env = bot.env.iter().flat_map(|env| &env.value).map(move |(_, value)| ("env", value, own));
    let build = bot.build.iter().flat_map(|build| build.value.words.iter().map(|word| ("build", word, &build.span)));
    let read = bot.read.iter().flat_map(|read| &read.value).map(move |path| ("read", path, own));
    command.chain(env).chain(build).chain(read).flat_map(|(key, text, span)| {
        placeholders(text).into_iter().filter_map(move |(_, name)| Some((key, name?, span)))
    })
}

/// Every parameter has a placeholder, and every placeholder a parameter; what variants share has none.
fn check_placeholders(bot: &Bot, tried: &Tried<'_>) -> Read<()> {
    let called = quoted(&bot.name.value);
    for (key, name, span) in places(bot) {
        let is_shared = matches!(key, "build" | "read");
        if is_shared && tried.names.contains(&name) {
            let title = format!("`{key}` of bot {called} has the placeholder `{{{name}}}`");
            let mistake = Mistake::new(title, span, format!("expected none in `{key}`, which all variants share"));
            return Err(mistake.help("variants differ in `command` and `env`"));
        }
        if !is_shared && name != SEED && !tried.names.contains(&name) {
            let what = format!("placeholder of bot {called}:");
            let help = "`values` or `sets` in `[sweep]` give every name in braces its values; only `{seed}` needs none";
            return Err(Mistake::unknown_here(&what, name, span, &tried.names).help(help));
        }
    }
    for (name, span) in tried.names.iter().zip(&tried.places) {
        if !places(bot).any(|(_, placed, _)| placed == *name) {
            let title = format!("bot {called} does not use the parameter `{name}`");
            let mistake = Mistake::new(title, span, format!("expected `{{{name}}}` in the bot's `command` or `env`"));
            return Err(mistake.related(&bot.name.span, "the bot"));
        }
    }
    Ok(())
}

/// Nobody fills in the parameters of the bot that is swept where another bot has them.
fn check_opponent(bot: &Bot, tried: &Tried<'_>, table: &SweepTable) -> Read<()> {
    let Some((key, name, span)) = places(bot).find(|(_, name, _)| tried.names.contains(name)) else { return Ok(()) };
    let title = format!("bot {} is not swept, but has the placeholder `{{{name}}}`", quoted(&bot.name.value));
    let label = match key {
        "env" | "read" => "expected a value in its `env` or `read`",
        _ => "expected a value",
    };
    Err(Mistake::new(title, span, label).related(&table.bot.span, "only this bot is given values"))
}

/// The bot with its placeholders filled in.
fn variant(bot: &Bot, names: &[&str], set: &[String]) -> Launch {
    let fill = |text: &String| {
        let mut filled = String::new();
        for (before, name) in placeholders(text) {
            filled += before;
            match name.map(|name| (name, names.iter().position(|known| *known == name))) {
                Some((_, Some(at))) => filled += &set[at],
                Some((name, None)) => filled.extend(["{", name, "}"]),
                None => {}
            }
        }
        filled
    };
    let shown: Vec<String> = names.iter().zip(set).map(|(name, value)| format!("{name}={value}")).collect();
    let planned = bot.launch();
    Launch {
        name: format!("{}[{}]", planned.name, shown.join(",")),
        command: planned.command.iter().map(fill).collect(),
        env: planned.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
        ..planned
    }
}

/// Names that are made from values may be those of other bots, or the same where values hold commas.
fn check_unique(config: &Config<'_>, bots: &[Launch], table: &SweepTable) -> Read<()> {
    let Some((_, twice)) = repeated(bots.iter().map(|bot| &bot.name)) else { return Ok(()) };
    let title = format!("two bots would be called {}", quoted(twice));
    let mistake = table.bot.mistake(title, "its variants are named after their values");
    match config.bots().find(|bot| bot.name.value == *twice) {
        Some(other) => Err(mistake.related(&other.name.span, "this name is taken")),
        None => Err(mistake),
    }
}

/// The units of a block, and the most units of a variant.
fn length(config: &Config<'_>, table: &SweepTable, overrides: &Overrides) -> Read<(u64, u64)> {
    let block = table.block.value().unwrap_or(DEFAULT_BLOCK);
    let max_units = table.max_units.value().unwrap_or(DEFAULT_MAX_UNITS);
    if block <= max_units {
        let units = overrides.games.map_or(max_units, |games| games.div_ceil(2));
        return Ok((block, units.next_multiple_of(block)));
    }
    let title = "a block that is longer than the sweep";
    if let Some(block) = &table.block {
        let mistake = block.mistake(title, format!("expected {max_units} at most, which is `max_units`"));
        return Err(match &table.max_units {
            Some(units) => mistake.related(&units.span, "the whole sweep"),
            None => mistake.help("add `max_units` to `[sweep]`"),
        });
    }
    let place = table.max_units.place().cloned().unwrap_or_else(|| config.document.header("sweep"));
    let mistake = Mistake::new(title, &place, format!("expected {block} at least, which is the default of `block`"));
    Err(mistake.help("a smaller `block` in `[sweep]` allows fewer units"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_braces_are_placeholders() {
        let cases = [
            ("", vec![("", None)]),
            ("plain", vec![("plain", None)]),
            ("{a}", vec![("", Some("a")), ("", None)]),
            ("x={a},y={b-2}!", vec![("x=", Some("a")), (",y=", Some("b-2")), ("!", None)]),
            ("{\"a\": {b}}", vec![("{\"a\": ", Some("b")), ("}", None)]),
            ("{}{1}{ a }{é}{a", vec![("{}{1}{ a }{é}{a", None)]),
            ("{{a}}", vec![("{", Some("a")), ("}", None)]),
        ];
        for (text, parts) in cases {
            assert_eq!(placeholders(text), parts, "{text}");
        }
    }
}
