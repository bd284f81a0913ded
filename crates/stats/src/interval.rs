//! What stands beside intervals and numbers: which looks an interval is valid for, and on which
//! side an infinite number lies.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use strum::IntoStaticStr;

/// The looks that an interval is valid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Holds {
    /// A single look, at an end that was fixed before the first game.
    #[default]
    Once,
    /// Every look, whenever play stops.
    EveryLook,
    /// The look after a sequential test. The interval allows for the stop, and has the error rates
    /// of the test.
    Test,
}

/// The side on which an infinite number lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Above every number.
    Above,
    /// Below every number.
    Below,
}

/// The side of each infinite number, by its key.
pub type Beyond = BTreeMap<&'static str, Side>;

/// Returns the sides of those of these numbers that are infinite. JSON writes them as null.
pub fn beyond(numbers: impl IntoIterator<Item = (&'static str, Option<f64>)>) -> Beyond {
    let infinite = numbers.into_iter().filter_map(|(key, number)| {
        let number = number.filter(|number| number.is_infinite())?;
        let side = if number > 0.0 {
            Side::Above
        } else {
            Side::Below
        };
        Some((key, side))
    });
    infinite.collect()
}
