//! The values of a sweep's parameters: lists and ranges.

use std::fmt::Display;
use std::ops::Range;

use toml::de::DeValue;

use crate::config::document::{At, Found, Table};
use crate::config::mistake::{Mistake, Read};
use crate::config::parameters::name;
use crate::plan::MOST_VARIANTS;
use crate::text::is_hidden;

/// So many digits of a number with a point are kept by every double.
const EXACT_DIGITS: usize = 15;
/// The digits that a number may have; more are no parameter of a bot.
const MOST_DIGITS: usize = 18;

/// A parameter and its values, as they will stand in a command.
pub(super) struct Parameter {
    pub(super) name: At<String>,
    pub(super) values: At<Vec<String>>,
}

/// A table from the names of parameters to their values, in the order in which they stand there.
pub(super) fn parameters(found: Found<'_>) -> Read<Vec<Parameter>> {
    let parameter = |entry: Found<'_>| {
        Ok(Parameter {
            name: name(entry, "swept")?,
            values: entry.at(values)?,
        })
    };
    let entries = found
        .entries()
        .ok_or_else(|| found.refuse("a table of parameters"))?;
    if entries.is_empty() {
        return Err(found.mistake(
            "a sweep without parameters",
            "expected one parameter at least",
        ));
    }
    entries.into_iter().map(parameter).collect()
}

/// The values of a parameter.
fn values(found: Found<'_>) -> Read<Vec<String>> {
    match (found.items(), found.entries()) {
        (Some(items), _) if items.is_empty() => {
            Err(found.refuse("one value at least, as in `[2, 3]`"))
        }
        (Some(items), _) => items.into_iter().map(literal).collect(),
        (_, Some(ends)) => between(found, ends),
        _ => {
            Err(found.refuse("a list of values, or a range as in `{ min = 1, max = 5, step = 1 }`"))
        }
    }
}

/// One value as it will stand in a command.
fn literal(found: Found<'_>) -> Read<String> {
    match found.value() {
        DeValue::Boolean(truth) => Ok(truth.to_string()),
        DeValue::Integer(_) | DeValue::Float(_) => decimal(found),
        DeValue::String(_) => match found.argument()? {
            text if text.contains(is_hidden) => Err(found.wrong(
                "a value cannot contain line ends, tabs or other characters that are not shown",
            )),
            text => Ok(text),
        },
        _ => Err(found.refuse("a number, a string or a boolean")),
    }
}

/// A number as people write it: digits, perhaps with a point.
fn decimal(found: Found<'_>) -> Read<String> {
    let digits = match found.value() {
        DeValue::Integer(_) => found.integer().map(|number| number.to_string()),
        // Minus zero becomes zero. More digits would not come out as they were written.
        DeValue::Float(text) => {
            let number = found
                .number()
                .filter(|number| number.is_finite() && digits_in(text.as_str()) <= EXACT_DIGITS);
            number.map(|number| (number + 0.0).to_string())
        }
        _ => return Err(found.refuse("a number")),
    };
    let digits = digits.filter(|digits| digits_in(digits) <= MOST_DIGITS);
    digits.ok_or_else(|| found.refuse("a finite number of at most 18 digits, 15 with a point"))
}

fn digits_in(decimal: &str) -> usize {
    decimal
        .trim_start_matches(['-', '0'])
        .bytes()
        .filter(u8::is_ascii_digit)
        .count()
}

/// The values of `{ min = .., max = .., step = .. }`, both ends included. They are counted in the smallest decimal unit, so
/// that steps of 0.1 never become 0.30000000000000004.
fn between(range: Found<'_>, ends: Vec<Found<'_>>) -> Read<Vec<String>> {
    let mut table = Table::new("a range", range.span(), ends);
    let ends = ["min", "max", "step"].map(|key| table.need(key, decimal));
    table.end()?;
    let places = ends.iter().map(|end| {
        end.value
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len())
    });
    let places = places.max().unwrap_or_default();
    let [min, max, step] = [0, 1, 2].map(|end: usize| in_units(&ends[end].value, places));
    let [at_min, at_max, at_step] = &ends;
    if step <= 0 {
        let label = format!("expected a number above 0, found `{}`", at_step.value);
        return Err(at_step.mistake("bad value for `step`", label));
    }
    if min > max {
        let mistake = at_max.mistake(
            "an empty range",
            format!("expected {} at least", at_min.value),
        );
        return Err(mistake.related(&at_min.span, "`min` is above `max`"));
    }
    let count = (max - min) / step + 1;
    if count > MOST_VARIANTS as i128 {
        return Err(too_many(&range.span(), count).help("a larger `step` gives fewer"));
    }
    let numbers: Vec<String> = (0..count)
        .map(|steps| from_units(min + step * steps, places))
        .collect();
    if !numbers
        .iter()
        .all(|number| MOST_DIGITS >= digits_in(number))
    {
        return Err(range.refuse("steps of at most 18 digits"));
    }
    match numbers.last() {
        Some(last) if (max - min) % step != 0 => {
            let label = format!("the last step before is at {last}");
            let help = format!("`max = {last}` ends the range there; a list has any values");
            Err(at_max
                .mistake("a range whose steps miss its end", label)
                .help(help))
        }
        _ => Ok(numbers),
    }
}

pub(super) fn too_many(place: &Range<usize>, count: impl Display) -> Mistake {
    Mistake::new(
        "too many variants",
        place,
        format!("expected {MOST_VARIANTS} variants at most, found {count}"),
    )
}

/// A decimal number in units of the last of so many places behind the point.
fn in_units(decimal: &str, places: usize) -> i128 {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    format!("{whole}{fraction:0<places$}")
        .parse()
        .unwrap_or_default()
}

fn from_units(units: i128, places: usize) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0width$}", units.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let decimal = format!("{sign}{whole}.{fraction}");
    decimal
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn units_are_exact(units in -1_000_000_000_000_000_000..1_000_000_000_000_000_000_i128, places in 0..19_usize) {
            let decimal = from_units(units, places);
            prop_assert_eq!(in_units(&decimal, places), units, "{}", decimal);
            prop_assert!(MOST_DIGITS >= digits_in(&decimal), "{}", decimal);
            prop_assert!(!decimal.contains('.') || !decimal.ends_with(['0', '.']), "{}", decimal);
        }
    }
}
