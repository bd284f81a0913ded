//! The values of a sweep's parameters: lists, ranges, whole sets.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::decimal::Decimal;
use super::{Found, Read, Table, plain_text};
use crate::config::mistake::{Mistake, quoted};
use crate::plan::MOST_VARIANTS;

/// The name that stands for a bot's own seed, everywhere.
pub(in crate::config) const SEED: &str = "seed";

/// A parameter and its values, as text.
#[derive(Clone, Debug)]
pub(in crate::config) struct Parameter {
    pub(in crate::config) name: Spanned<String>,
    pub(in crate::config) values: Spanned<Vec<String>>,
}

/// A table from the names of parameters to their values, in the order in which they stand there.
pub(in crate::config) fn parameters(found: &Found<'_, '_>) -> Read<Vec<Parameter>> {
    let DeValue::Table(entries) = found.value else { return Err(found.refuse("a table of parameters")) };
    in_order(found.key, entries, |item| match item.value {
        DeValue::Table(range) => between(item, range),
        DeValue::Array(list) if list.is_empty() => Err(item.refuse("one value at least, as in `[2, 3]`")),
        _ => match item.items() {
            Some(items) => items.iter().map(value).collect(),
            None => Err(item.refuse("a list of values, or a range as in `{ min = 1, max = 5, step = 1 }`")),
        },
    })
}

/// A list of tables from the names of parameters to one value each.
pub(in crate::config) fn sets(found: &Found<'_, '_>) -> Read<Vec<Spanned<Vec<Parameter>>>> {
    const EXPECTED: &str = "a list of sets, as in `[{ depth = 2 }, { depth = 4 }]`";
    let items = found.items().filter(|items| !items.is_empty()).ok_or_else(|| found.refuse(EXPECTED))?;
    let set = |item: &Found<'_, '_>| {
        let DeValue::Table(entries) = item.value else { return Err(item.refuse("a set, as in `{ depth = 2 }`")) };
        Ok(Spanned::new(item.span.clone(), in_order(item.key, entries, |item| Ok(vec![value(item)?]))?))
    };
    items.iter().map(set).collect()
}

fn in_order(
    key: &str,
    entries: &DeTable<'_>,
    read: impl Fn(&Found<'_, '_>) -> Read<Vec<String>>,
) -> Read<Vec<Parameter>> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let parameter = |(name, found): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name = Spanned::new(name.span(), AsRef::<str>::as_ref(name.get_ref()).to_owned());
        check_name(&name)?;
        let item = Found { key, span: found.span(), value: found.get_ref() };
        Ok(Parameter { name, values: Spanned::new(found.span(), read(&item)?) })
    };
    entries.into_iter().map(parameter).collect()
}

/// Whether this can stand between braces as the name of a parameter.
pub(in crate::config) fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
}

fn check_name(name: &Spanned<String>) -> Read<()> {
    let text = name.get_ref();
    if text == SEED {
        let mistake =
            Mistake::new("`seed` cannot be swept", name.span(), "`{seed}` is the seed that each bot is given");
        return Err(mistake.help("choose another name"));
    }
    if is_name(text) {
        return Ok(());
    }
    let label = "expected letters, digits, `_` and `-`, beginning with a letter or `_`";
    Err(Mistake::new(format!("{} cannot name a parameter", quoted(text)), name.span(), label))
}

/// One value as it will stand in a command.
fn value(found: &Found<'_, '_>) -> Read<String> {
    match found.value {
        DeValue::Boolean(truth) => Ok(truth.to_string()),
        DeValue::Integer(_) | DeValue::Float(_) => Ok(decimal(found)?.to_string()),
        DeValue::String(_) => {
            let text = plain_text(found)?;
            if text.contains(char::is_control) {
                return Err(found.wrong("a value cannot contain line ends, tabs or other control characters"));
            }
            Ok(text)
        }
        _ => Err(found.refuse("a number, a text, `true` or `false`")),
    }
}

fn decimal(found: &Found<'_, '_>) -> Read<Decimal> {
    let number = match found.value {
        DeValue::Integer(digits) if digits.radix() == 10 => Decimal::parse(digits.as_str()),
        DeValue::Integer(digits) => {
            i64::from_str_radix(digits.as_str(), digits.radix()).ok().and_then(|n| Decimal::parse(&n.to_string()))
        }
        DeValue::Float(digits) => Decimal::parse(digits.as_str()),
        _ => return Err(found.refuse("a number")),
    };
    number.ok_or_else(|| found.refuse("a finite number of at most 18 digits"))
}

/// The values of `{ min = .., max = .., step = .. }`, both ends included.
fn between(found: &Found<'_, '_>, range: &DeTable<'_>) -> Read<Vec<String>> {
    let mut table =
        Table { name: "a range".into(), header: found.span.clone(), entries: range.clone(), known: Vec::new() };
    let mut end = |key| table.take(key, |found| Ok((decimal(found)?, found.span.clone())));
    let (min, max, step) = (end("min")?, end("max")?, end("step")?);
    table.finish()?;
    let (min, min_span) = table.required("min", min, "min = 1")?;
    let (max, max_span) = table.required("max", max, "max = 5")?;
    let (step, step_span) = table.required("step", step, "step = 1")?;
    if !step.is_positive() {
        return Err(Mistake::new(
            "bad value for `step`",
            step_span,
            format!("expected a number above 0, found `{step}`"),
        ));
    }
    let count = min.count_to(max, step);
    if count == 0 {
        let mistake = Mistake::new("an empty range", max_span, format!("expected {min} at least"));
        return Err(mistake.related(min_span, "`min` is above `max`"));
    }
    let count = u32::try_from(count).ok().filter(|&count| count as usize <= MOST_VARIANTS).ok_or_else(|| {
        let label = format!("expected {MOST_VARIANTS} values at most, found {count}");
        Mistake::new("too many variants", found.span.clone(), label).help("a larger `step` gives fewer")
    })?;
    let numbers: Option<Vec<Decimal>> = (0..count).map(|steps| min.plus(step, steps)).collect();
    let numbers = numbers.ok_or_else(|| found.refuse("steps of at most 18 digits"))?;
    if let Some(last) = numbers.last().filter(|last| **last != max) {
        let mistake =
            Mistake::new("a range whose steps miss its end", max_span, format!("the last step before is at {last}"));
        return Err(mistake.help(format!("`max = {last}` ends the range there; a list has any values")));
    }
    Ok(numbers.iter().map(ToString::to_string).collect())
}

/// A number above 0, and below `limit` if there is one.
pub(in crate::config) fn positive(limit: Option<f64>) -> impl FnOnce(&Found<'_, '_>) -> Read<f64> {
    move |found| {
        let number: Option<f64> = match found.value {
            DeValue::Integer(digits) if digits.radix() == 10 => digits.as_str().parse().ok(),
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            _ => None,
        };
        let fits = |number: &f64| *number > 0.0 && number.is_finite() && limit.is_none_or(|limit| *number < limit);
        number.filter(fits).ok_or_else(|| match limit {
            Some(limit) => found.refuse(&format!("a number above 0 and below {limit}")),
            None => found.refuse("a number above 0"),
        })
    }
}

/// One name in quotes or a list of names.
pub(in crate::config) fn names(found: &Found<'_, '_>) -> Read<Vec<Spanned<String>>> {
    const EXPECTED: &str = "the name of a bot or a list of names";
    let items = match found.items() {
        Some(items) if items.is_empty() => return Err(found.refuse(EXPECTED)),
        Some(items) => items,
        None if found.text().is_some() => vec![found.clone()],
        None => return Err(found.refuse(EXPECTED)),
    };
    let name = |item: &Found<'_, '_>| {
        let text = item.text().ok_or_else(|| item.refuse("the name of a bot"))?;
        Ok(Spanned::new(item.span.clone(), text.to_owned()))
    };
    items.iter().map(name).collect()
}
