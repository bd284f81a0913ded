//! Reads TOML with its places kept: tables that refuse what nobody asked for, and one reader per type of value.

mod decimal;
pub(super) mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde_json::Value;
use strum::VariantNames;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{Mistake, listed, quoted};
use arena_games::{GameSpec, Games};

/// How messages call the whole file.
const ROOT: &str = "the config";

/// What reading gives.
pub(super) type Read<T> = Result<T, Mistake>;

/// A table that is being read. The keys it knows are those that were asked for.
pub(super) struct Table<'t> {
    name: Cow<'t, str>,
    header: Range<usize>,
    entries: DeTable<'t>,
    known: Vec<&'t str>,
}

impl<'t> Table<'t> {
    /// The whole file.
    pub(super) fn root(entries: DeTable<'t>) -> Table<'t> {
        Table { name: ROOT.into(), header: 0..0, entries, known: Vec::new() }
    }

    /// Takes the value of `key`, if there is one, and reads it with `read`.
    pub(super) fn take<T>(&mut self, key: &'t str, read: impl FnOnce(&Found<'_, 't>) -> Read<T>) -> Read<Option<T>> {
        self.known.push(key);
        let value = self.entries.remove(key);
        value.map(|value| read(&Found { key, span: value.span(), value: value.get_ref() })).transpose()
    }

    /// Takes the table `key`; one that is not there is empty. `name` is how messages call it.
    pub(super) fn table(&mut self, key: &'t str, name: impl Into<Cow<'t, str>>) -> Read<Table<'t>> {
        let name = name.into();
        self.known.push(key);
        match self.entries.remove_entry(key) {
            None => Ok(Table { name, header: 0..0, entries: DeTable::new(), known: Vec::new() }),
            Some((key_found, value)) => Table::of(key, name, key_found.span(), value),
        }
    }

    /// Takes the tables `[[key]]`, in their order.
    pub(super) fn tables(&mut self, key: &'static str, name: &'static str) -> Read<Vec<Table<'t>>> {
        self.known.push(key);
        let Some(value) = self.entries.remove(key) else { return Ok(Vec::new()) };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => {
                items.into_iter().map(|item| Table::of(key, name.into(), item.span(), item)).collect()
            }
            value => Err(Found { key, span, value: &value }.refuse(&format!("tables that begin with `{name}`"))),
        }
    }

    fn of(key: &'t str, name: Cow<'t, str>, header: Range<usize>, value: Spanned<DeValue<'t>>) -> Read<Table<'t>> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(entries) => Ok(Table { name, header, entries, known: Vec::new() }),
            value => Err(Found { key, span, value: &value }.refuse(&format!("a table that begins with `{name}`"))),
        }
    }

    /// Where the table begins.
    pub(super) fn header(&self) -> Range<usize> {
        self.header.clone()
    }

    /// Refuses the first key that nobody asked for. Comes before [`Table::required`], so that a misspelt key
    /// is called misspelt and not missing.
    pub(super) fn finish(&self) -> Read<()> {
        let Some((key, value)) = self.entries.iter().min_by_key(|(key, _)| key.span().start) else { return Ok(()) };
        let help = format!("{} takes {}", self.name, listed(&self.known, "and"));
        let what = match value.get_ref() {
            value if value.is_table() || is_tables(value) => "table",
            _ if self.name == ROOT => "key outside every table:",
            _ => "key",
        };
        Err(Mistake::unknown(what, key.get_ref(), key.span(), &self.known, help))
    }

    /// The value of a key that has no default.
    pub(super) fn required<T>(&self, key: &'static str, value: Option<T>, example: &str) -> Read<T> {
        value.ok_or_else(|| {
            let title = format!("{} has no `{key}`", self.name);
            Mistake::new(title, self.header(), format!("`{key}` is missing")).help(format!("add `{example}`"))
        })
    }
}

/// A value and where it was found.
#[derive(Clone, Debug)]
pub(super) struct Found<'v, 't> {
    key: &'v str,
    span: Range<usize>,
    value: &'v DeValue<'t>,
}

impl<'v, 't> Found<'v, 't> {
    /// The value is not what it should be.
    pub(super) fn refuse(&self, expected: &str) -> Mistake {
        self.wrong(format!("expected {expected}, found {}", self.described()))
    }

    /// The value is of the right type, but wrong for the reason given.
    pub(super) fn wrong(&self, label: impl Into<String>) -> Mistake {
        Mistake::new(format!("bad value for `{}`", self.key), self.span.clone(), label)
    }

    fn text(&self) -> Option<&'v str> {
        match self.value {
            DeValue::String(text) => Some(text),
            _ => None,
        }
    }

    fn items(&self) -> Option<Vec<Found<'v, 't>>> {
        let DeValue::Array(items) = self.value else { return None };
        let found = |item: &'v Spanned<DeValue<'t>>| Found { key: self.key, span: item.span(), value: item.get_ref() };
        Some(items.iter().map(found).collect())
    }

    fn described(&self) -> String {
        match self.value {
            DeValue::String(text) if text.is_empty() => "an empty text".into(),
            DeValue::String(text) => format!("the text {}", quoted(text)),
            DeValue::Integer(number) => format!("the whole number {}", quoted(&number.to_string())),
            DeValue::Float(number) => format!("the decimal number {}", quoted(number.as_str())),
            DeValue::Boolean(truth) => format!("`{truth}` without quotes"),
            DeValue::Datetime(_) => "a date or time".into(),
            DeValue::Array(items) if items.is_empty() => "an empty list".into(),
            list if is_tables(list) => "a list of tables".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        }
    }
}

fn is_tables(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()))
}

/// Reads with `read` and keeps the place.
pub(super) fn spanned<'t, T>(
    read: impl FnOnce(&Found<'_, 't>) -> Read<T>,
) -> impl FnOnce(&Found<'_, 't>) -> Read<Spanned<T>> {
    move |found| Ok(Spanned::new(found.span.clone(), read(found)?))
}

/// `true` or `false`.
pub(super) fn boolean(found: &Found<'_, '_>) -> Read<bool> {
    match found.value {
        DeValue::Boolean(truth) => Ok(*truth),
        _ => Err(found.refuse("`true` or `false` without quotes")),
    }
}

/// A whole number within `range`.
pub(super) fn whole_number(range: RangeInclusive<u64>) -> impl FnOnce(&Found<'_, '_>) -> Read<u64> {
    move |found| in_range(found, &range).ok_or_else(|| found.refuse(&number_within(&range)))
}

/// A time in milliseconds, a whole number within `range`.
pub(super) fn milliseconds(range: RangeInclusive<u64>) -> impl FnOnce(&Found<'_, '_>) -> Read<Duration> {
    move |found| whole_number(range)(found).map(Duration::from_millis)
}

/// An even whole number within `range`.
pub(super) fn even_number(range: RangeInclusive<u64>) -> impl FnOnce(&Found<'_, '_>) -> Read<u64> {
    move |found| {
        let number = in_range(found, &range).filter(|number| number % 2 == 0);
        number.ok_or_else(|| found.refuse(&format!("an even number from {} to {}", range.start(), range.end())))
    }
}

/// A whole number within `range`, or `None` for the text `auto`.
pub(super) fn number_or_auto(range: RangeInclusive<u64>) -> impl FnOnce(&Found<'_, '_>) -> Read<Option<u64>> {
    move |found| match found.text() {
        Some("auto") => Ok(None),
        _ => in_range(found, &range)
            .map(Some)
            .ok_or_else(|| found.refuse(&format!("`\"auto\"` or {}", number_within(&range)))),
    }
}

/// How messages call a whole number within `range`.
pub(super) fn number_within(range: &RangeInclusive<u64>) -> String {
    format!("a whole number from {} to {}", range.start(), range.end())
}

fn in_range(found: &Found<'_, '_>, range: &RangeInclusive<u64>) -> Option<u64> {
    let DeValue::Integer(digits) = found.value else { return None };
    u64::from_str_radix(digits.as_str(), digits.radix()).ok().filter(|number| range.contains(number))
}

/// A number within `range`, with or without decimals.
pub(super) fn decimal(range: RangeInclusive<f64>) -> impl FnOnce(&Found<'_, '_>) -> Read<f64> {
    move |found| {
        let digits = match found.value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => "",
        };
        let number = digits.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| found.refuse(&format!("a number from {} to {}", range.start(), range.end())))
    }
}

/// One of the names of `T`.
pub(super) fn choice<T: FromStr + VariantNames>(found: &Found<'_, '_>) -> Read<T> {
    let expected = listed(T::VARIANTS, "or");
    let Some(word) = found.text() else { return Err(found.refuse(&expected)) };
    let help = format!("`{}` is {expected}", found.key);
    word.parse().map_err(|_| Mistake::unknown(found.key, word, found.span.clone(), T::VARIANTS, help))
}

/// A name for which `problem` has nothing to say.
pub(super) fn name(problem: fn(&str) -> Option<&'static str>) -> impl FnOnce(&Found<'_, '_>) -> Read<String> {
    move |found| {
        let Some(name) = found.text() else { return Err(found.refuse("a name in quotes")) };
        problem(name).map_or_else(|| Ok(name.to_owned()), |problem| Err(found.wrong(problem)))
    }
}

/// A value that a game reads.
pub(super) fn option(found: &Found<'_, '_>) -> Read<GameOption> {
    let deserializer = Spanned::new(found.span.clone(), found.value.clone()).into_deserializer();
    let value = Value::deserialize(deserializer).map_err(|error| found.wrong(error.message()))?;
    Ok(GameOption { span: found.span.clone(), described: found.described(), value })
}

/// An option of a game as it was written.
#[derive(Debug)]
pub(super) struct GameOption {
    pub(super) span: Range<usize>,
    /// What was found, for messages.
    pub(super) described: String,
    pub(super) value: Value,
}

/// One game id or several, all different.
pub(super) fn game_ids<'t>(known: &Games) -> impl FnOnce(&Found<'_, 't>) -> Read<Vec<Spanned<Arc<GameSpec>>>> {
    const EXPECTED: &str = "a game id or a list of game ids";
    move |found| {
        let mut games: Vec<Spanned<Arc<GameSpec>>> = Vec::new();
        let (items, expected) = match found.items() {
            Some(items) if items.is_empty() => return Err(found.refuse(EXPECTED)),
            Some(items) => (items, "a game id"),
            None => (vec![found.clone()], EXPECTED),
        };
        for item in items {
            let spec = game_id(&item, expected, known)?;
            if let Some(first) = games.iter().find(|game| game.get_ref().id == spec.id) {
                return Err(item
                    .wrong(format!("`{}` for the second time", spec.id))
                    .related(first.span(), "first here"));
            }
            games.push(Spanned::new(item.span.clone(), spec));
        }
        Ok(games)
    }
}

fn game_id(item: &Found<'_, '_>, expected: &str, known: &Games) -> Read<Arc<GameSpec>> {
    let Some(id) = item.text() else { return Err(item.refuse(expected)) };
    known.find(id).cloned().ok_or_else(|| {
        let ids = known.ids();
        let help = format!("the games are {}", listed(&ids, "and"));
        Mistake::unknown("game", id, item.span.clone(), &ids, help)
    })
}

/// A program with its arguments.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// The program and its arguments; not empty.
    pub(super) words: Vec<String>,
    /// Where the program is named.
    pub(super) program: Range<usize>,
    /// Where all of it stands.
    pub(super) whole: Range<usize>,
}

/// A program and its arguments: a list, or one text that is split as a shell would.
pub(super) fn command(found: &Found<'_, '_>) -> Read<Command> {
    let (words, program) = match (found.text(), found.items()) {
        (Some(line), _) => (split(found, line)?, found.span.clone()),
        (None, Some(items)) => {
            let program = items.first().map_or(found.span.clone(), |item| item.span.clone());
            (items.iter().map(plain_text).collect::<Read<_>>()?, program)
        }
        _ => return Err(found.refuse("a program with its arguments, as one text or as a list")),
    };
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        let title = format!("bad value for `{}`", found.key);
        return Err(Mistake::new(title, program, "expected the name of a program, found none"));
    }
    Ok(Command { words, program, whole: found.span.clone() })
}

fn split(found: &Found<'_, '_>, line: &str) -> Read<Vec<String>> {
    without_nul(found, line)?;
    shlex::split(line).ok_or_else(|| {
        let problem = if line.ends_with('\\') { "nothing follows the last backslash" } else { "a quote is not closed" };
        found.wrong(problem).help("a list needs no quotes: `[\"program\", \"first argument\", \"second argument\"]`")
    })
}

fn plain_text(found: &Found<'_, '_>) -> Read<String> {
    let text = found.text().ok_or_else(|| found.refuse("text in quotes"))?;
    without_nul(found, text)?;
    Ok(text.to_owned())
}

/// No operating system takes a NUL in an argument or in an environment variable.
fn without_nul(found: &Found<'_, '_>, text: &str) -> Read<()> {
    if text.contains('\0') { Err(found.wrong("a NUL character cannot be handed to a program")) } else { Ok(()) }
}

/// Paths of folders or files.
pub(super) fn paths(found: &Found<'_, '_>) -> Read<Vec<PathBuf>> {
    let Some(items) = found.items() else { return Err(found.refuse("a list of paths")) };
    let path = |item: &Found<'_, '_>| match plain_text(item)? {
        empty if empty.is_empty() => Err(item.refuse("the path of a folder or file")),
        path => Ok(PathBuf::from(path)),
    };
    items.iter().map(path).collect()
}

/// Environment variables.
pub(super) fn environment(found: &Found<'_, '_>) -> Read<BTreeMap<String, String>> {
    let DeValue::Table(entries) = found.value else { return Err(found.refuse("a table of texts")) };
    let read = |(name, value): (&Spanned<_>, &Spanned<_>)| variable(found.key, name, value);
    entries.iter().map(read).collect()
}

fn variable(key: &str, name: &Spanned<toml::de::DeString<'_>>, value: &Spanned<DeValue<'_>>) -> Read<(String, String)> {
    if name.get_ref().is_empty() || name.get_ref().contains(['=', '\0']) {
        let title = format!("bad name of a variable in `{key}`");
        return Err(Mistake::new(title, name.span(), "expected a name that is not empty and without `=` or NUL"));
    }
    let value = plain_text(&Found { key, span: value.span(), value: value.get_ref() })?;
    Ok((name.get_ref().to_string(), value))
}
