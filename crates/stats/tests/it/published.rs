//! The published numbers that the statistics are held to.
//!
//! `golden/stats.json.gz` holds results of fastchess, fishtest, Ordo, choix, statsmodels, scipy and
//! others, and of the formulas themselves computed independently ("spec"). Null is a number that
//! isn't finite.

use std::io::Read;

use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The entries of a section.
pub(crate) fn golden(section: &str) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(&include_bytes!("../golden/stats.json.gz")[..])
        .read_to_string(&mut text)
        .unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    all[section].as_array().unwrap().clone()
}

/// The program or the formula that gave the entry.
pub(crate) fn source(entry: &Value) -> &str {
    entry["source"].as_str().unwrap()
}

/// A value of the entry in any form.
pub(crate) fn get<T: DeserializeOwned>(entry: &Value, key: &str) -> T {
    serde_json::from_value(entry[key].clone())
        .unwrap_or_else(|error| panic!("{key}: {error} in {entry}"))
}

pub(crate) fn close(actual: f64, expected: f64, tolerance: f64, place: &Value) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{actual} instead of {expected} in {place}"
    );
}
