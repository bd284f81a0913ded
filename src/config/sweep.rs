//! `[sweep]`: one bot becomes many, which differ in the values of its parameters.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use strum::{Display, EnumString, IntoStaticStr, VariantNames};
use toml::Spanned;

use super::mistake::{Mistake, quoted};
use super::plan::planned_bot;
use super::reader::values::{Parameter, SEED, is_name, names, parameters, positive, sets};
use super::reader::{Read, Table, choice, name, spanned, whole_number};
use super::{Bot, Overrides, Tables, bot_name_problem};
use crate::plan::{MOST_VARIANTS, Sweep, SweepMode, Variant};
use crate::process::Launch;
use crate::schedule::{Design, Format};

/// The units between two looks.
const BLOCK: RangeInclusive<u64> = 1..=100_000;
/// The units of a variant, before they are rounded up to whole blocks.
const UNITS: RangeInclusive<u64> = 1..=1_000_000_000;
const DEFAULT_BLOCK: u64 = 16;
const DEFAULT_MAX_UNITS: u64 = 1600;
const DEFAULT_ALPHA: f64 = 0.05;

/// How the values of several parameters go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Combine {
    /// Each with each.
    #[default]
    Grid,
    /// The first with the first, the second with the second.
    Zip,
}

/// `[sweep]`.
#[derive(Debug)]
pub(super) struct SweepTable {
    header: Range<usize>,
    bot: Spanned<String>,
    choice: Choice,
    mode: Option<SweepMode>,
    against: Option<Vec<Spanned<String>>>,
    block: Option<Spanned<u64>>,
    max_units: Option<Spanned<u64>>,
    alpha: Option<Spanned<f64>>,
    indifference: Option<Spanned<f64>>,
}

/// Where the values come from.
#[derive(Debug)]
enum Choice {
    Values(Spanned<Vec<Parameter>>, Combine),
    Sets(Vec<Spanned<Vec<Parameter>>>),
}

/// A value for each parameter, in their order.
type Set = Vec<String>;

/// The parameters, and the sets of their values with the place of each.
type Sets<'t> = (Vec<&'t Parameter>, Vec<(Set, Range<usize>)>);

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

/// Reads `[sweep]`; `None` if there is no such table.
pub(super) fn read_sweep(mut sweep: Table<'_>) -> Read<Option<SweepTable>> {
    let bot = sweep.take("bot", spanned(name(bot_name_problem)))?;
    let values = sweep.take("values", spanned(parameters))?;
    let combine = sweep.take("combine", spanned(choice))?;
    let sets = sweep.take("sets", spanned(sets))?;
    let mode = sweep.take("mode", choice)?;
    let against = sweep.take("against", names)?;
    let block = sweep.take("block", spanned(whole_number(BLOCK)))?;
    let max_units = sweep.take("max_units", spanned(whole_number(UNITS)))?;
    let alpha = sweep.take("alpha", spanned(positive(Some(1.0))))?;
    let indifference = sweep.take("indifference", spanned(positive(None)))?;
    sweep.finish()?;
    if sweep.header().is_empty() {
        return Ok(None);
    }
    let bot = sweep.required("bot", bot, "bot = \"my-bot\"")?;
    let choice = choose(&sweep, values, combine, sets)?;
    let header = sweep.header();
    Ok(Some(SweepTable { header, bot, choice, mode, against, block, max_units, alpha, indifference }))
}

fn choose(
    sweep: &Table<'_>,
    values: Option<Spanned<Vec<Parameter>>>,
    combine: Option<Spanned<Combine>>,
    sets: Option<Spanned<Vec<Spanned<Vec<Parameter>>>>>,
) -> Read<Choice> {
    match (values, sets) {
        (Some(values), Some(sets)) => {
            let mistake = Mistake::new("both `values` and `sets`", sets.span(), "expected one of the two");
            Err(mistake.related(values.span(), "the values of each parameter"))
        }
        (None, Some(sets)) => match combine {
            Some(combine) => {
                let label = "expected none: `sets` says which values go together";
                Err(Mistake::new("`combine` is for `values`", combine.span(), label))
            }
            None => Ok(Choice::Sets(sets.into_inner())),
        },
        (values, None) => {
            let values = sweep.required("values", values, "values = { depth = [2, 3, 4] }")?;
            Ok(Choice::Values(values, combine.map(Spanned::into_inner).unwrap_or_default()))
        }
    }
}

/// What the sweep of a config comes to; `None` if it has none.
pub(super) fn resolve(config: &Tables, overrides: &Overrides) -> Read<Option<Swept>> {
    let Some(table) = table(config)? else { return Ok(None) };
    check_run(config, table)?;
    let swept = find_bot(config, &table.bot)?;
    let opponents = opponents(config, table, swept)?;
    let (parameters, sets) = table.choice.sets()?;
    check_placeholders(&config.bots[swept], &parameters)?;
    opponents.iter().try_for_each(|&bot| check_opponent(&config.bots[bot], &parameters, &table.bot))?;
    let sets = distinct(table, sets)?;
    let mut bots = Vec::new();
    let mut variants = Vec::new();
    for (index, bot) in config.bots.iter().enumerate() {
        if index != swept {
            bots.push(planned_bot(bot));
            continue;
        }
        for set in &sets {
            let bot = variant(bot, &parameters, set);
            let values = names_of(&parameters).zip(set.iter().cloned()).collect();
            variants.push(Variant { bot: bot.name.clone(), values });
            bots.push(bot);
        }
    }
    check_unique(config, &bots, &table.bot)?;
    let (block, max_units) = length(table, overrides)?;
    let sweep = Sweep {
        bot: table.bot.get_ref().clone(),
        parameters: names_of(&parameters).collect(),
        against: opponents.into_iter().map(|bot| config.bots[bot].name.get_ref().clone()).collect(),
        mode: table.mode.unwrap_or_default(),
        block,
        max_units,
        alpha: table.alpha.as_ref().map_or(DEFAULT_ALPHA, |alpha| *alpha.get_ref()),
        indifference: table.indifference.as_ref().map(|indifference| *indifference.get_ref()),
        variants,
    };
    Ok(Some(Swept { sweep, bots }))
}

/// The table, which there is if and only if the format says so.
fn table(config: &Tables) -> Read<Option<&SweepTable>> {
    match (&config.sweep, config.run.format.as_ref().is_some_and(|format| *format.get_ref() == Format::Sweep)) {
        (Some(table), true) => Ok(Some(table)),
        (None, false) => Ok(None),
        (Some(table), false) => {
            let title = "`[sweep]` is for runs whose format is `sweep`";
            let mistake = Mistake::new(title, table.header.clone(), "expected no such table in this run");
            Err(mistake.help("add `format = \"sweep\"` to `[run]`, or leave this table out"))
        }
        (None, true) => {
            let title = "a run whose format is `sweep` needs a table `[sweep]`";
            let help = "add `[sweep]` with `bot` and `values`, as in docs/sweep.md";
            Err(Mistake::new(title, config.run.header.clone(), "`[sweep]` is missing").help(help))
        }
    }
}

/// What `[run]` cannot say where there is a sweep.
fn check_run(config: &Tables, table: &SweepTable) -> Read<()> {
    let run = &config.run;
    if let [_, second, ..] = &run.game[..] {
        let mistake = Mistake::new("a sweep plays one game", second.span(), "expected one game, found more");
        return Err(mistake.help("what is best in one game need not be in another: give each a config of its own"));
    }
    if let Some(design) = run.design.as_ref().filter(|design| *design.get_ref() != Design::Mirror) {
        let label = "expected `\"mirror\"`, which is the default here: each variant shares a table with one opponent";
        return Err(Mistake::new("a sweep divides the seats between two bots", design.span(), label));
    }
    if let Some(games) = &run.games {
        let mistake = Mistake::new("`games` is not for sweeps", games.span(), "expected no `games`");
        return Err(
            mistake.help("`max_units` in `[sweep]` says how long a sweep is at most; a unit is two games or more")
        );
    }
    let only_race = [("alpha", &table.alpha), ("indifference", &table.indifference)];
    let fixed = table.mode == Some(SweepMode::Fixed);
    match only_race.into_iter().find_map(|(key, value)| value.as_ref().filter(|_| fixed).map(|value| (key, value))) {
        Some((key, value)) => {
            let label = format!("expected no `{key}` with `mode = \"fixed\"`, which plays all units");
            Err(Mistake::new(format!("`{key}` is for races"), value.span(), label))
        }
        None => Ok(()),
    }
}

fn find_bot(config: &Tables, name: &Spanned<String>) -> Read<usize> {
    config.bots.iter().position(|bot| bot.name.get_ref() == name.get_ref()).ok_or_else(|| {
        let known: Vec<&str> = config.bots.iter().map(|bot| bot.name.get_ref().as_str()).collect();
        let help = "each bot has a table `[[bot]]` of its own";
        Mistake::unknown_here("bot", name.get_ref(), name.span(), &known, help)
    })
}

/// The bots that the variants meet, each once; all others, unless the table says which.
fn opponents(config: &Tables, table: &SweepTable, swept: usize) -> Read<Vec<usize>> {
    let Some(names) = &table.against else {
        let others: Vec<usize> = (0..config.bots.len()).filter(|&bot| bot != swept).collect();
        let mistake = || {
            let label = "the only bot of this config";
            Mistake::new("the variants have nobody to play against", table.bot.span(), label)
                .help("add a `[[bot]]` as a baseline")
        };
        return if others.is_empty() { Err(mistake()) } else { Ok(others) };
    };
    let mut found: Vec<usize> = Vec::new();
    for name in names {
        let bot = find_bot(config, name)?;
        if bot == swept || found.contains(&bot) {
            let label = if bot == swept { "this is the bot that is swept" } else { "named for the second time" };
            let title = format!("the variants cannot play against {}", quoted(name.get_ref()));
            return Err(Mistake::new(title, name.span(), label));
        }
        found.push(bot);
    }
    match (0..config.bots.len()).find(|bot| *bot != swept && !found.contains(bot)) {
        Some(idle) => {
            let name = &config.bots[idle].name;
            let title = format!("bot {} plays no game of this run", quoted(name.get_ref()));
            let mistake = Mistake::new(title, name.span(), "neither swept nor played against");
            Err(mistake.help("add it to `against` in `[sweep]`, or leave it out"))
        }
        None => Ok(found),
    }
}

impl Choice {
    fn sets(&self) -> Read<Sets<'_>> {
        match self {
            Choice::Values(values, combine) => {
                let parameters: Vec<&Parameter> = values.get_ref().iter().collect();
                if parameters.is_empty() {
                    let label = "expected one parameter at least";
                    return Err(Mistake::new("a sweep without parameters", values.span(), label));
                }
                let sets = match combine {
                    Combine::Grid => grid(&parameters, values.span())?,
                    Combine::Zip => zip(&parameters)?,
                };
                Ok((parameters, sets.into_iter().map(|set| (set, values.span())).collect()))
            }
            Choice::Sets(sets) => explicit(sets),
        }
    }
}

/// Each value with each; the first parameter changes slowest.
fn grid(parameters: &[&Parameter], span: Range<usize>) -> Read<Vec<Set>> {
    let sizes = parameters.iter().map(|parameter| parameter.values.get_ref().len());
    let count = sizes.fold(1, usize::saturating_mul);
    if count > MOST_VARIANTS {
        let label = format!("expected {MOST_VARIANTS} variants at most, found {count}");
        return Err(Mistake::new("too many variants", span, label)
            .help("a grid has a variant for every combination; `combine = \"zip\"` or `sets` gives fewer"));
    }
    let mut sets: Vec<Set> = vec![Vec::new()];
    for parameter in parameters {
        let values = parameter.values.get_ref();
        if let Some((_, value)) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            let title = format!("`{}` has the value {} twice", parameter.name.get_ref(), quoted(value));
            return Err(Mistake::new(title, parameter.values.span(), "expected different values"));
        }
        let with = |set: Set| {
            let values = parameter.values.get_ref().iter();
            values.map(move |value| [set.clone(), vec![value.clone()]].concat()).collect::<Vec<Set>>()
        };
        sets = sets.into_iter().flat_map(with).collect();
    }
    Ok(sets)
}

fn zip(parameters: &[&Parameter]) -> Read<Vec<Set>> {
    let Some(first) = parameters.first() else { return Ok(Vec::new()) };
    let count = first.values.get_ref().len();
    if let Some(other) = parameters.iter().find(|parameter| parameter.values.get_ref().len() != count) {
        let label = format!("expected a list of {count}, found one of {}", other.values.get_ref().len());
        let mistake = Mistake::new("values that cannot be zipped", other.values.span(), label);
        return Err(mistake.related(first.values.span(), "the first list"));
    }
    let set =
        |at: usize| parameters.iter().filter_map(|parameter| parameter.values.get_ref().get(at).cloned()).collect();
    Ok((0..count).map(set).collect())
}

/// Sets as they are written, all of the same parameters.
fn explicit(sets: &[Spanned<Vec<Parameter>>]) -> Read<Sets<'_>> {
    let Some(first) = sets.first() else { return Ok((Vec::new(), Vec::new())) };
    let parameters: Vec<&Parameter> = first.get_ref().iter().collect();
    if parameters.is_empty() {
        return Err(Mistake::new("a sweep without parameters", first.span(), "expected one parameter at least"));
    }
    let mut found = Vec::new();
    for set in sets {
        let value = |parameter: &&Parameter| {
            let own = set.get_ref().iter().find(|own| own.name.get_ref() == parameter.name.get_ref());
            own.and_then(|own| own.values.get_ref().first().cloned())
        };
        let values: Option<Set> = parameters.iter().map(value).collect();
        let Some(values) = values.filter(|values| values.len() == set.get_ref().len()) else {
            let mistake = Mistake::new("sets of different parameters", set.span(), "expected those of the first set");
            return Err(mistake.related(first.span(), "the first set"));
        };
        found.push((values, set.span()));
    }
    Ok((parameters, found))
}

/// The sets, if they are two or more, not too many, and all different.
fn distinct(table: &SweepTable, sets: Vec<(Set, Range<usize>)>) -> Read<Vec<Set>> {
    let place = sets.first().map_or(table.header.clone(), |(_, span)| span.clone());
    if sets.len() < 2 || sets.len() > MOST_VARIANTS {
        let label = format!("expected 2 to {MOST_VARIANTS} variants, found {}", sets.len());
        let title = if sets.len() < 2 { "one variant is no sweep" } else { "too many variants" };
        return Err(Mistake::new(title, place, label));
    }
    let mut seen: HashMap<&Set, &Range<usize>> = HashMap::new();
    for (set, span) in &sets {
        if let Some(first) = seen.insert(set, span) {
            let title = format!("two variants with the values {}", quoted(&set.join(", ")));
            let mistake = Mistake::new(title, span.clone(), "used again here");
            return Err(if first == span { mistake } else { mistake.related(first.clone(), "first used here") });
        }
    }
    Ok(sets.into_iter().map(|(set, _)| set).collect())
}

fn names_of<'p>(parameters: &'p [&Parameter]) -> impl Iterator<Item = String> + 'p {
    parameters.iter().map(|parameter| parameter.name.get_ref().clone())
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

/// The names in braces of a bot, and where they stand.
fn named_places(bot: &Bot) -> impl Iterator<Item = (&str, Range<usize>)> {
    let names = |text| placeholders(text).into_iter().filter_map(|(_, name)| name);
    let in_command = bot.command.words.iter().flat_map(move |text| names(text));
    let in_env = bot.env.values().flat_map(move |text| names(text));
    in_command.map(|name| (name, bot.command.whole.clone())).chain(in_env.map(|name| (name, bot.name.span())))
}

/// Every parameter has a placeholder, and every placeholder a parameter.
fn check_placeholders(bot: &Bot, parameters: &[&Parameter]) -> Read<()> {
    let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name.get_ref().as_str()).collect();
    if let Some((unknown, span)) = named_places(bot).find(|(name, _)| *name != SEED && !known.contains(name)) {
        let what = format!("placeholder of bot {}:", quoted(bot.name.get_ref()));
        let help = "`values` or `sets` in `[sweep]` give every name in braces its values; only `{seed}` needs none";
        return Err(Mistake::unknown_here(&what, unknown, span, &known, help));
    }
    check_shared(bot, &known)?;
    let is_used = |parameter: &Parameter| named_places(bot).any(|(name, _)| name == parameter.name.get_ref());
    match parameters.iter().find(|parameter| !is_used(parameter)) {
        Some(unused) => {
            let name = unused.name.get_ref();
            let title = format!("bot {} does not use the parameter `{name}`", quoted(bot.name.get_ref()));
            let label = format!("expected `{{{name}}}` in the bot's `command` or `env`");
            Err(Mistake::new(title, unused.name.span(), label).related(bot.name.span(), "the bot"))
        }
        None => Ok(()),
    }
}

/// The names in braces of what is the same for all variants of a bot: the key, the name, and where it stands.
fn shared_places(bot: &Bot) -> impl Iterator<Item = (&'static str, &str, Range<usize>)> {
    let build =
        bot.build.iter().flat_map(|build| build.words.iter().map(|word| ("build", word.as_str(), &build.whole)));
    let build = build.map(|(key, text, span)| (key, text, span.clone()));
    let read = bot.read.iter().filter_map(|path| Some(("read", path.to_str()?, bot.name.span())));
    build.chain(read).flat_map(|(key, text, span)| {
        placeholders(text).into_iter().filter_map(move |(_, name)| Some((key, name?, span.clone())))
    })
}

/// What all variants have in common cannot depend on their values.
fn check_shared(bot: &Bot, known: &[&str]) -> Read<()> {
    match shared_places(bot).find(|(_, name, _)| known.contains(name)) {
        Some((key, name, span)) => {
            let title = format!("`{key}` of bot {} has the placeholder `{{{name}}}`", quoted(bot.name.get_ref()));
            let mistake = Mistake::new(title, span, format!("expected none in `{key}`, which all variants share"));
            Err(mistake.help("variants differ in `command` and `env`"))
        }
        None => Ok(()),
    }
}

/// Nobody fills in the parameters of the bot that is swept where another bot has them.
fn check_opponent(bot: &Bot, parameters: &[&Parameter], swept: &Spanned<String>) -> Read<()> {
    let mut places = named_places(bot).chain(shared_places(bot).map(|(_, name, span)| (name, span)));
    match places.find(|(name, _)| parameters.iter().any(|parameter| parameter.name.get_ref() == name)) {
        Some((name, span)) => {
            let title =
                format!("bot {} is not swept, but has the placeholder `{{{name}}}`", quoted(bot.name.get_ref()));
            let place =
                if span == bot.name.span() { "expected a value in its `env` or `read`" } else { "expected a value" };
            let mistake = Mistake::new(title, span, place);
            Err(mistake.related(swept.span(), "only this bot is given values"))
        }
        None => Ok(()),
    }
}

/// The bot with its placeholders filled in.
fn variant(bot: &Bot, parameters: &[&Parameter], set: &Set) -> Launch {
    let values: BTreeMap<&str, &str> = parameters
        .iter()
        .map(|parameter| parameter.name.get_ref().as_str())
        .zip(set.iter().map(String::as_str))
        .collect();
    let fill = |text: &String| {
        let mut filled = String::new();
        for (before, name) in placeholders(text) {
            filled += before;
            match name.map(|name| (name, values.get(name))) {
                Some((_, Some(value))) => filled += value,
                Some((name, None)) => filled.extend(["{", name, "}"]),
                None => {}
            }
        }
        filled
    };
    let shown = parameters.iter().zip(set).map(|(parameter, value)| format!("{}={value}", parameter.name.get_ref()));
    let planned = planned_bot(bot);
    Launch {
        name: format!("{}[{}]", planned.name, shown.collect::<Vec<_>>().join(",")),
        command: planned.command.iter().map(fill).collect(),
        env: planned.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
        ..planned
    }
}

/// Names that are made from values may be those of other bots, or the same where values hold commas.
fn check_unique(config: &Tables, bots: &[Launch], swept: &Spanned<String>) -> Read<()> {
    let mut seen = HashSet::new();
    for bot in bots {
        if !seen.insert(&bot.name) {
            let title = format!("two bots would be called {}", quoted(&bot.name));
            let mistake = Mistake::new(title, swept.span(), "its variants are named after their values");
            let other = config.bots.iter().find(|other| *other.name.get_ref() == bot.name);
            return Err(match other {
                Some(other) => mistake.related(other.name.span(), "this name is taken"),
                None => mistake,
            });
        }
    }
    Ok(())
}

/// The units of a block, and the most units of a variant.
fn length(table: &SweepTable, overrides: &Overrides) -> Read<(u64, u64)> {
    let block = table.block.as_ref().map_or(DEFAULT_BLOCK, |block| *block.get_ref());
    let max_units = table.max_units.as_ref().map_or(DEFAULT_MAX_UNITS, |units| *units.get_ref());
    if block > max_units {
        let title = "a block that is longer than the sweep";
        let label = format!("expected {max_units} at most, which is `max_units`");
        let block_span = table.block.as_ref().map(Spanned::span);
        return Err(match (block_span, table.max_units.as_ref().map(Spanned::span)) {
            (Some(block), Some(units)) => Mistake::new(title, block, label).related(units, "the whole sweep"),
            (Some(block), None) => Mistake::new(title, block, label).help("add `max_units` to `[sweep]`"),
            (None, units) => {
                let label = format!("expected {block} at least, which is the default of `block`");
                Mistake::new(title, units.unwrap_or_else(|| table.header.clone()), label)
                    .help("a smaller `block` in `[sweep]` allows fewer units")
            }
        });
    }
    let units = overrides.games.map_or(max_units, |games| games.div_ceil(2));
    Ok((block, units.next_multiple_of(block)))
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
