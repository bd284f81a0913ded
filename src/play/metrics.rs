//! Bots' metrics: numbers that a bot tells of itself on standard error while it thinks, as other arenas for the same games
//! read them. Whatever is no such number, or is too much, is left out; nothing here is an error. docs/metrics.md has the rules.

use std::collections::{BTreeMap, BTreeSet};

use arena_process::Stderr;

/// The most names of a bot in a game.
pub(crate) const MOST_NAMES: usize = 16;
/// The most bytes of a name.
const LONGEST_NAME: usize = 32;
/// The most values that are kept with an answer.
const MOST_VALUES: usize = 64;
/// The most bytes that are looked at for an answer.
const MOST_BYTES: usize = 16 * 1024;
/// The highest turn that can be named.
const LAST_TURN: u32 = 9_999;

/// What a bot told with one answer: values by name. One that the bot gave to a turn of its own has the key `name@turn`.
pub(crate) type Metrics = BTreeMap<String, f64>;

/// The turn and the name that a key stands for, in an answer of this turn.
pub(crate) fn place(key: &str, turn: u32) -> (u32, &str) {
    let named = key
        .rsplit_once('@')
        .and_then(|(name, turn)| Some((turn.parse().ok()?, name)));
    named.unwrap_or((turn, key))
}

/// What another machine says that a bot told with one answer, of a bot that told these `names` before: as much of it as
/// [`Listener`] would have kept.
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

/// One value in a line.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told<'a> {
    name: &'a str,
    /// The turn that it is said to belong to.
    turn: Option<u32>,
    value: f64,
    /// Whether it is added to what is there.
    adds: bool,
}

/// The values in a line: that of a tag, or else all words `name=value` where there is none.
fn values(line: &str) -> Vec<Told<'_>> {
    let line = line.trim();
    if line.starts_with('[') {
        return tagged(line).into_iter().collect();
    }
    let mut told = Vec::new();
    for word in line.split_whitespace() {
        if let Some((name, value)) = pair(word.trim_end_matches([',', ';'])) {
            told.push(Told {
                name,
                turn: None,
                value,
                adds: false,
            });
        }
    }
    told
}

/// `[TDATA] name = value`, and the same with `[PDATA]`, which is added up with `+`; a turn may follow in brackets of its own.
fn tagged(line: &str) -> Option<Told<'_>> {
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
    let (name, value) = pair(rest)?;
    Some(Told {
        name,
        turn,
        value,
        adds: tag.ends_with('+'),
    })
}

/// A name and its number, which is the first word behind `=`.
fn pair(text: &str) -> Option<(&str, f64)> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    if !is_name(name) {
        return None;
    }
    let value: f64 = value.split_whitespace().next()?.parse().ok()?;
    value.is_finite().then_some((name, value))
}

/// Whether a text can name a value.
fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    (1..=LONGEST_NAME).contains(&text.len())
        && bytes.all(|c| c.is_ascii_alphanumeric() || b"_.-".contains(&c))
}

/// Reads the standard error of one bot in one game. It holds [`MOST_BYTES`] at most.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    /// The beginning of a line that the bot hasn't ended yet.
    unfinished: Vec<u8>,
    /// Whether the beginning of the next line is lost.
    is_torn: bool,
    names: BTreeSet<String>,
}

impl Listener {
    /// Reads the lines that the bot ended by an answer. The last value of a name counts.
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

    fn keep(&mut self, metrics: &mut Metrics, told: Told<'_>) {
        let Told { name, turn, .. } = told;
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
