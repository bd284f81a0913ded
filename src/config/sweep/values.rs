//! The values of a sweep's parameters: lists, ranges, whole sets.

use super::SEED;
use super::decimal::Decimal;
use crate::config::mistake::{Mistake, Read, listed, quoted};
use crate::config::values::{Argument, At, Found, Kind, Raw};
use crate::plan::MOST_VARIANTS;

/// A parameter and its values, as they will stand in a command.
pub(super) struct Parameter {
    pub(super) name: At<String>,
    pub(super) values: At<Values>,
}

/// A table from the names of parameters to their values, in the order in which they stand there.
pub(super) struct Parameters;

impl Kind for Parameters {
    type Value = Vec<Parameter>;

    fn read(found: &Found) -> Read<Vec<Parameter>> {
        let Raw::Table(entries) = &found.value else { return Err(found.refuse("a table of parameters")) };
        if entries.is_empty() {
            return Err(found.mistake("a sweep without parameters", "expected one parameter at least"));
        }
        let parameter = |(name, values): &_| Ok(Parameter { name: checked(name)?, values: Found::to(values)? });
        entries.iter().map(parameter).collect()
    }
}

/// A list of tables from the names of parameters to one value each.
pub(super) struct Sets;

/// One of them.
pub(super) struct Set;

impl Kind for Sets {
    type Value = Vec<At<Set>>;

    fn read(found: &Found) -> Read<Vec<At<Set>>> {
        match &found.value {
            Raw::List(items) if !items.is_empty() => items.iter().map(Found::to).collect(),
            _ => Err(found.refuse("a list of sets, as in `[{ depth = 2 }, { depth = 4 }]`")),
        }
    }
}

impl Kind for Set {
    type Value = Vec<(At<String>, String)>;

    fn read(found: &Found) -> Read<Self::Value> {
        let Raw::Table(entries) = &found.value else { return Err(found.refuse("a set, as in `{ depth = 2 }`")) };
        if entries.is_empty() {
            return Err(found.mistake("a sweep without parameters", "expected one parameter at least"));
        }
        entries.iter().map(|(name, value)| Ok((checked(name)?, literal(value)?))).collect()
    }
}

/// Whether this can stand between braces as the name of a parameter.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
}

fn checked(name: &At<String>) -> Read<At<String>> {
    if name.value == SEED {
        let mistake = name.mistake("`seed` cannot be swept", "`{seed}` is the seed that each bot is given");
        return Err(mistake.help("choose another name"));
    }
    if is_name(&name.value) {
        return Ok(At { value: name.value.clone(), span: name.span.clone() });
    }
    let title = format!("{} cannot name a parameter", quoted(&name.value));
    Err(name.mistake(title, "expected letters, digits, `_` and `-`, beginning with a letter or `_`"))
}

/// The values of a parameter.
pub(super) struct Values;

impl Kind for Values {
    type Value = Vec<String>;

    fn read(found: &Found) -> Read<Vec<String>> {
        match &found.value {
            Raw::List(items) if items.is_empty() => Err(found.refuse("one value at least, as in `[2, 3]`")),
            Raw::List(items) => items.iter().map(literal).collect(),
            Raw::Table(ends) => between(found, ends),
            _ => Err(found.refuse("a list of values, or a range as in `{ min = 1, max = 5, step = 1 }`")),
        }
    }
}

/// One value as it will stand in a command.
fn literal(found: &Found) -> Read<String> {
    match &found.value {
        Raw::Boolean(truth) => Ok(truth.to_string()),
        Raw::Integer(_) | Raw::Float(_) => Ok(decimal(found)?.to_string()),
        Raw::Text(_) => match Argument::read(found)? {
            text if text.contains(char::is_control) => {
                Err(found.wrong("a value cannot contain line ends, tabs or other control characters"))
            }
            text => Ok(text),
        },
        _ => Err(found.refuse("a number, a string or a boolean")),
    }
}

fn decimal(found: &Found) -> Read<Decimal> {
    let digits = match &found.value {
        Raw::Integer(number) => number.to_string(),
        Raw::Float(number) => number.to_string(),
        _ => return Err(found.refuse("a number")),
    };
    Decimal::parse(&digits).ok_or_else(|| found.refuse("a finite number of at most 18 digits"))
}

/// The values of `{ min = .., max = .., step = .. }`, both ends included.
fn between(range: &Found, ends: &[(At<String>, Found)]) -> Read<Vec<String>> {
    const KEYS: [&str; 3] = ["min", "max", "step"];
    if let Some((key, _)) = ends.iter().find(|(key, _)| !KEYS.contains(&key.value.as_str())) {
        let help = format!("a range takes {}", listed(&KEYS, "and"));
        return Err(Mistake::unknown("key", &key.value, &key.span, &KEYS).help(help));
    }
    let end = |key: &str| match ends.iter().find(|(name, _)| name.value == key) {
        Some((_, found)) => Ok((decimal(found)?, found)),
        None => Err(range
            .mistake(format!("a range has no `{key}`"), format!("`{key}` is missing"))
            .help(format!("add `{key} = {}`", if key == "max" { 5 } else { 1 }))),
    };
    let ((min, at_min), (max, at_max), (step, at_step)) = (end("min")?, end("max")?, end("step")?);
    if !step.is_positive() {
        return Err(at_step.wrong(format!("expected a number above 0, found `{step}`")));
    }
    let count = min.count_to(max, step);
    if count == 0 {
        let mistake = at_max.mistake("an empty range", format!("expected {min} at least"));
        return Err(mistake.related(&at_min.span, "`min` is above `max`"));
    }
    let Some(count) = u32::try_from(count).ok().filter(|&count| count as usize <= MOST_VARIANTS) else {
        let label = format!("expected {MOST_VARIANTS} values at most, found {count}");
        return Err(range.mistake("too many variants", label).help("a larger `step` gives fewer"));
    };
    let numbers: Option<Vec<Decimal>> = (0..count).map(|steps| min.plus(step, steps)).collect();
    let numbers = numbers.ok_or_else(|| range.refuse("steps of at most 18 digits"))?;
    match numbers.last() {
        Some(last) if *last != max => {
            let label = format!("the last step before is at {last}");
            let help = format!("`max = {last}` ends the range there; a list has any values");
            Err(at_max.mistake("a range whose steps miss its end", label).help(help))
        }
        _ => Ok(numbers.iter().map(ToString::to_string).collect()),
    }
}
