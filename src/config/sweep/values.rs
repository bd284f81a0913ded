//! The values of a sweep's parameters: lists and ranges.

use std::fmt::Display;

use serde::Deserialize;
use toml::Value;

use crate::config::mistake::{Mistake, Read};
use crate::plan::MOST_VARIANTS;
use arena_section::text::is_hidden;

/// Number of decimal digits that every double keeps.
const MOST_DIGITS: usize = 15;

/// The values of a parameter as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of values, or a range as in `{ min = 1, max = 5, step = 1 }`"
)]
pub(super) enum Values {
    List(Vec<Value>),
    Range(Box<SweepRange>),
}

/// From `min` to `max`, both included.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SweepRange {
    min: Value,
    max: Value,
    step: Value,
}

impl Values {
    /// Returns at least one value as text for a command. `path` leads to the values.
    pub(super) fn read(&self, path: &str) -> Read<Vec<String>> {
        match self {
            Values::List(values) if values.is_empty() => Err(Mistake::expected(
                path,
                "one value at least, as in `[2, 3]`",
            )),
            Values::List(values) => values
                .iter()
                .enumerate()
                .map(|(item, value)| literal(&format!("{path}.{item}"), value))
                .collect(),
            Values::Range(range) => range.read(path),
        }
    }
}

/// Converts a value to text for a command.
fn literal(path: &str, value: &Value) -> Read<String> {
    match value {
        Value::Boolean(truth) => Ok(truth.to_string()),
        Value::Integer(_) | Value::Float(_) => Ok(number(path, value)?.to_string()),
        Value::String(text) if text.contains(is_hidden) => {
            let problem = "a value has no line ends, tabs or other hidden characters";
            Err(Mistake::new(path, problem))
        }
        Value::String(text) => Ok(text.clone()),
        _ => Err(Mistake::expected(path, "a number, a string or a boolean")),
    }
}

/// Reads a number that prints as it was written.
fn number(path: &str, value: &Value) -> Read<f64> {
    let number = match value {
        Value::Integer(number) => number.to_string().parse().unwrap_or(f64::NAN),
        // Minus zero becomes zero.
        Value::Float(number) => number + 0.0,
        _ => f64::NAN,
    };
    if number.is_finite() && digits_in(&number.to_string()) <= MOST_DIGITS {
        return Ok(number);
    }
    let expected = "a finite number of at most 15 digits";
    Err(Mistake::expected(path, expected))
}

fn digits_in(decimal: &str) -> usize {
    let digits = decimal.trim_start_matches(['-', '0']);
    digits.len() - usize::from(digits.contains('.'))
}

impl SweepRange {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "values have at most 15 digits"
    )]
    /// Lists the values, rounded to the decimal places of the ends and the step: steps of 0.1 never
    /// become 0.30000000000000004.
    fn read(&self, path: &str) -> Read<Vec<String>> {
        let [min_path, max_path, step_path] =
            ["min", "max", "step"].map(|key| format!("{path}.{key}"));
        let min = number(&min_path, &self.min)?;
        let max = number(&max_path, &self.max)?;
        let step = number(&step_path, &self.step)?;
        if step <= 0.0 {
            return Err(Mistake::expected(step_path, "a number above 0"));
        }
        if min > max {
            let problem = format!("an empty range: expected {min} at least");
            return Err(Mistake::new(max_path, problem).related(min_path, "`min` is above `max`"));
        }
        let places = places_in(min).max(places_in(max)).max(places_in(step));
        let unit = 10_f64.powi(places);
        if min.abs().max(max.abs()) * unit >= 1e15 {
            return Err(Mistake::new(path, "expected values of at most 15 digits"));
        }
        let [first, last, step] = [min, max, step].map(|number| (number * unit).round() as i64);
        let count = (last - first) / step + 1;
        if count > MOST_VARIANTS as i64 {
            return Err(too_many(path, count).help("a larger `step` gives fewer"));
        }
        let value = |place: i64| ((first + place * step) as f64 / unit).to_string();
        let values: Vec<String> = (0..count).map(value).collect();
        match values.last() {
            Some(last) if *last != max.to_string() => {
                let problem = format!(
                    "the steps miss the end of the range: the last one before is at {last}"
                );
                let help = format!("`max = {last}` ends the range there; a list has any values");
                Err(Mistake::new(max_path, problem).help(help))
            }
            _ => Ok(values),
        }
    }
}

/// Counts the digits after the decimal point.
fn places_in(number: f64) -> i32 {
    let decimal = number.to_string();
    let (_, places) = decimal.split_once('.').unwrap_or_default();
    i32::try_from(places.len()).unwrap_or(i32::MAX)
}

pub(super) fn too_many(path: &str, count: impl Display) -> Mistake {
    let expected = format!("expected {MOST_VARIANTS} at most, found {count}");
    Mistake::new(path, format!("too many variants: {expected}"))
}
