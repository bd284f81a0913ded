//! Metrics: numbers that a bot writes to standard error while it thinks, in the formats of other
//! arenas for the same games. Anything else, or too much of it, is ignored without an error.
//! docs/reference/metrics.md has the rules.

use std::collections::{BTreeMap, BTreeSet};

use arena_process::Stderr;

/// Maximum number of names of a bot in a game.
pub(crate) const MOST_NAMES: usize = 16;
/// Maximum number of bytes of a name.
const LONGEST_NAME: usize = 32;
/// Maximum number of values to keep with an answer.
const MOST_VALUES: usize = 64;
/// Maximum number of bytes to parse with an answer.
const MOST_BYTES: usize = 16 * 1024;
/// The highest turn that a bot can name.
const LAST_TURN: u32 = 9_999;

/// The metrics of an answer: values by name. A value for another turn has the key `name@turn`.
pub(crate) type Metrics = BTreeMap<String, f64>;

/// Returns the turn and the name of a key, in an answer of this turn.
pub(crate) fn place(key: &str, turn: u32) -> (u32, &str) {
    if let Some((name, number)) = key.rsplit_once('@')
        && let Ok(turn) = number.parse()
    {
        return (turn, name);
    }
    (turn, key)
}

/// Limits metrics from another machine to those that a [`MetricsReader`] would have kept. `names`
/// are the names that the bot used before.
#[cfg(feature = "workers")]
pub(crate) fn bounded(mut metrics: Metrics, names: &mut BTreeSet<String>) -> Metrics {
    let mut values = 0;
    metrics.retain(|key, value| {
        let (turn, name) = place(key, 0);
        let is_new = !names.contains(name);
        let has_room = values < MOST_VALUES && !(is_new && names.len() == MOST_NAMES);
        let is_kept = has_room && is_name(name) && turn <= LAST_TURN && value.is_finite();
        if is_kept {
            values += 1;
            names.insert(name.to_owned());
        }
        is_kept
    });
    metrics
}

/// A value in a line.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MetricValue<'a> {
    name: &'a str,
    /// The turn, if the bot named one.
    turn: Option<u32>,
    value: f64,
    /// Whether to add it to the previous value.
    adds: bool,
}

/// Returns the values in a line: the one after a tag, or else all words `name=value`.
fn values(line: &str) -> Vec<MetricValue<'_>> {
    let line = line.trim();
    if line.starts_with('[') {
        return tagged(line).into_iter().collect();
    }
    line.split_whitespace()
        .filter_map(|word| pair(word.trim_end_matches([',', ';'])))
        .collect()
}

/// Parses `[TDATA] name = value`. `[PDATA]` is the same, `[PDATA+]` adds the value to the previous
/// one, and a turn may follow in brackets.
fn tagged(line: &str) -> Option<MetricValue<'_>> {
    let (tag, rest) = line.strip_prefix('[')?.split_once(']')?;
    let known = ["TDATA", "PDATA", "PDATA+"];
    if !known.iter().any(|known| tag.eq_ignore_ascii_case(known)) {
        return None;
    }
    let (turn, rest) = match rest.strip_prefix('[') {
        None => (None, rest),
        Some(rest) => {
            let (turn, rest) = rest.split_once(']')?;
            let turn = turn.trim().parse().ok();
            (Some(turn.filter(|turn| *turn <= LAST_TURN)?), rest)
        }
    };
    Some(MetricValue {
        turn,
        adds: tag.ends_with('+'),
        ..pair(rest)?
    })
}

/// Parses a name and its value, which is the first word after `=`.
fn pair(text: &str) -> Option<MetricValue<'_>> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    let value: f64 = value.split_whitespace().next()?.parse().ok()?;
    if !is_name(name) || !value.is_finite() {
        return None;
    }
    Some(MetricValue {
        name,
        turn: None,
        value,
        adds: false,
    })
}

/// Whether a text can be a name.
fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    (1..=LONGEST_NAME).contains(&text.len())
        && bytes.all(|c| c.is_ascii_alphanumeric() || b"_.-".contains(&c))
}

/// A reader of the metrics of one bot in one game. It holds at most [`MOST_BYTES`].
#[derive(Debug, Default)]
pub(crate) struct MetricsReader {
    /// The beginning of an unfinished line.
    unfinished: Vec<u8>,
    /// Whether the beginning of the next line is lost.
    is_torn: bool,
    names: BTreeSet<String>,
}

impl MetricsReader {
    /// Reads the lines that the bot completed with an answer. The last value of a name counts.
    pub(crate) fn read(&mut self, written: &Stderr) -> Metrics {
        let mut metrics = Metrics::new();
        let is_cut = written.cut > 0;
        let mut bytes = &written.bytes[..];
        if self.is_torn {
            let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else {
                self.is_torn = !(is_cut && written.ends_line);
                return metrics;
            };
            bytes = &bytes[end + 1..];
        }
        let room = MOST_BYTES - self.unfinished.len();
        let is_full = is_cut || bytes.len() > room;
        self.unfinished
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.is_torn = is_full && !written.ends_line;
        let last = self.unfinished.iter().rposition(|&byte| byte == b'\n');
        let rest = self.unfinished.split_off(last.map_or(0, |last| last + 1));
        let lines = std::mem::replace(&mut self.unfinished, rest);
        if is_full {
            self.unfinished.clear();
        }
        for line in lines.split(|&byte| byte == b'\n') {
            for told in values(&String::from_utf8_lossy(line)) {
                self.keep(&mut metrics, told);
            }
        }
        metrics
    }

    fn keep(&mut self, metrics: &mut Metrics, told: MetricValue<'_>) {
        let MetricValue { name, turn, .. } = told;
        let key = turn.map_or_else(|| name.to_owned(), |turn| format!("{name}@{turn}"));
        let before = metrics.get(&key).copied();
        let has_room = metrics.len() < MOST_VALUES || before.is_some();
        let is_named = self.names.len() < MOST_NAMES || self.names.contains(name);
        let value = match before {
            Some(before) if told.adds => before + told.value,
            _ => told.value,
        };
        if !has_room || !is_named || !value.is_finite() {
            return;
        }
        self.names.insert(name.to_owned());
        metrics.insert(key, value);
    }
}

#[cfg(test)]
mod tests;
