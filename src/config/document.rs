//! A config as a TOML document that knows the place of every value and explains serde's errors.
//!
//! A path names a place in it: keys with dots between them, as in `run.games` or `bot.0.name`.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Error, ValueDeserializer};

use super::mistake::{Mistake, Read, header, quoted};
use super::settings::is_within;
use super::values::ONE_OR_MORE;

/// Examples to suggest for missing keys.
const EXAMPLES: &str = r#"
name = "my-bot"
command = ["path/to/my-bot"]
bot = "my-bot"
values = { depth = [2, 3, 4] }
parameters = { depth = { min = 1, max = 9, start = 4 } }
extensions = ["zig"]
run = ["{out}"]
min = 1
max = 9
start = 4"#;

const COMMAND: &str = "a program with its arguments, as one string or as a list";
const GAME_TABLES: &str = "`[run]` above it, or a table that begins with `[game.NAME]`";

/// Expected values of keys. serde only reports that it expected a list or table.
const SHAPES: &[(&str, &str)] = &[
    ("run.game games", "a game id or a list of game ids"),
    ("game", GAME_TABLES),
    ("bot", "tables that begin with `[[bot]]`"),
    ("language", "tables that begin with `[language.NAME]`"),
    ("command build referee compile run", COMMAND),
    ("env options", "a table of strings"),
    ("read", "a list of paths"),
    ("extensions", "a list of ends of file names"),
    ("seats", "an integer from 1 to 8 or a list of such integers"),
    ("jar", "a path or a list of paths"),
    ("against", "the name of a bot or a list of names"),
    ("values parameters", "a table of parameters"),
];

/// A value of a document.
struct Place<'e, 'd> {
    path: String,
    /// The span of its key. An item of a list has none.
    key: Option<Range<usize>>,
    value: &'e Spanned<DeValue<'d>>,
}

/// A document.
#[derive(Debug)]
pub(super) struct Document<'d>(Spanned<DeValue<'d>>);

impl Default for Document<'_> {
    fn default() -> Self {
        Document(Spanned::new(0..0, DeValue::Table(DeTable::new())))
    }
}

impl<'d> Document<'d> {
    pub(super) fn parse(text: &'d str) -> Read<Document<'d>> {
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(text.len()..text.len());
            Mistake::in_text(span, error.message())
        })?;
        let span = table.span();
        let table = DeValue::Table(table.into_inner());
        Ok(Document(Spanned::new(span, table)))
    }

    /// Sets the key at a path to a value, which is TOML. Both have their places from `place` on, as
    /// the text `KEY=VALUE` there would have.
    pub(super) fn set(&mut self, path: &str, value: &'d str, place: usize) {
        // What isn't TOML was quoted before.
        let Ok(value) = DeValue::parse(value) else {
            return;
        };
        let mut start = place;
        let mut keys = Vec::new();
        for key in path.split('.') {
            let end = start + key.len();
            keys.push(Spanned::new(start..end, Cow::Owned(key.trim().to_owned())));
            start = end + 1;
        }
        put(&mut self.0, &keys, moved(value, start));
    }

    /// Puts something valid in the place of a mistake, so that the next one can be found: a missing
    /// key gets its example, and another key is removed. Returns false if that isn't possible.
    pub(super) fn mend(&mut self, mistake: &Mistake) -> bool {
        if let Some((path, value)) = mistake.missing() {
            self.set(&path, value, usize::MAX / 2);
            return true;
        }
        // Items of lists keep their numbers, which are in the paths of other mistakes.
        let mut path = mistake.path();
        while let Some((list, item)) = path.rsplit_once('.')
            && item.parse::<usize>().is_ok()
            && !is_table(path)
        {
            path = list;
        }
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        match self.value_mut(table).map(Spanned::get_mut) {
            Some(DeValue::Table(table)) => table.remove(key).is_some(),
            _ => false,
        }
    }

    fn value_mut(&mut self, path: &str) -> Option<&mut Spanned<DeValue<'d>>> {
        let mut value = &mut self.0;
        for key in path.split('.').filter(|key| !key.is_empty()) {
            value = match value.get_mut() {
                DeValue::Table(table) => table.get_mut(key)?,
                DeValue::Array(items) => items.get_mut(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Reads the value at a path. The empty path is the whole document.
    pub(super) fn read<T: DeserializeOwned>(&self, path: &str) -> Read<T> {
        for Place { path, value, .. } in self.places() {
            let value = value.get_ref();
            if value.is_datetime() {
                return Err(Mistake::new(path, "no key takes a date or time"));
            }
            if path.contains('\0') || value.as_str().is_some_and(|text| text.contains('\0')) {
                let problem = "a NUL character cannot be handed to a program";
                return Err(Mistake::new(path, problem));
            }
            if is_table(&path) && !value.is_table() {
                return Err(Mistake::expected(&*path, &table_at(&path)));
            }
        }
        T::deserialize(ValueDeserializer::from(self.value(path).clone()))
            .map_err(|error| self.explain(&error))
    }

    /// Returns the keys of the table at a path.
    pub(super) fn keys(&self, path: &str) -> Vec<String> {
        let mut keys = Vec::new();
        if let Some(place) = self.nearest(path)
            && place.path == path
            && let DeValue::Table(table) = place.value.get_ref()
        {
            keys.extend(table.keys().map(|key| key.get_ref().to_string()));
        }
        keys
    }

    /// Returns the span of a value, or of the name in the header of a table.
    pub(super) fn span(&self, path: &str) -> Range<usize> {
        let Some(place) = self.nearest(path) else {
            return 0..0;
        };
        match place.key {
            Some(name) if place.path == path && place.value.get_ref().is_table() => name,
            _ => place.value.span(),
        }
    }

    /// Returns the span of the last key of a path.
    pub(super) fn key_span(&self, path: &str) -> Range<usize> {
        let place = self.nearest(path);
        place.and_then(|place| place.key).unwrap_or_default()
    }

    fn value(&self, path: &str) -> &Spanned<DeValue<'d>> {
        match self.nearest(path) {
            Some(place) => place.value,
            None => &self.0,
        }
    }

    /// Returns the value at a path, or the innermost one around it that has a path.
    fn nearest(&self, path: &str) -> Option<Place<'_, 'd>> {
        let mut around = self.places();
        around.retain(|place| !place.path.is_empty() && is_within(path, &place.path));
        around.pop()
    }

    /// Lists all values in document order, each before what is in it.
    fn places(&self) -> Vec<Place<'_, 'd>> {
        places(String::new(), None, &self.0)
    }

    /// Describes a value in a few words.
    pub(super) fn description(&self, path: &str) -> String {
        match self.value(path).get_ref() {
            DeValue::String(text) if text.is_empty() => "an empty string".into(),
            DeValue::String(text) => format!("the string {}", quoted(text)),
            DeValue::Integer(number) => format!("the integer `{number}`"),
            DeValue::Float(number) => format!("the float {}", quoted(number.as_str())),
            DeValue::Boolean(truth) => format!("the boolean `{truth}`"),
            DeValue::Datetime(_) => "a date or time".into(),
            DeValue::Array(items) if items.is_empty() => "an empty list".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        }
    }

    /// Explains an error of serde in terms of the config.
    fn explain(&self, error: &Error) -> Mistake {
        let span = error.span().unwrap_or_default();
        let message = error.message();
        let mut places = self.places();
        places.retain(|place| place.key.as_ref() == Some(&span) || place.value.span() == span);
        if message.starts_with("missing ") {
            // A list of one table has the span of the table, which lacks the field.
            places.retain(|place| place.value.get_ref().is_table());
        }
        let place = places.into_iter().next();
        let path = place.map(|place| place.path).unwrap_or_default();
        if let Some(key) = message.strip_prefix("missing field `") {
            let key = key.trim_end_matches('`');
            let is_of_key = |example: &&str| example.split(" = ").next() == Some(key);
            let example = EXAMPLES.lines().find(is_of_key).unwrap_or_default();
            return Mistake::missing_key(&path, key, example);
        }
        let Some((problem, expected)) = message.rsplit_once("expected ") else {
            return Mistake::new(path, message);
        };
        let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        if problem.starts_with("unknown field ") {
            return Mistake::unknown_key(&path, &known);
        }
        if problem.starts_with("unknown variant ") {
            let key = path.rsplit('.').next().unwrap_or_default();
            let word = problem.split('`').nth(1).unwrap_or_default();
            return Mistake::unknown(&path, key, word, &known);
        }
        let is_of_path = |key: &str| ends_with(&path, key);
        let is_shape = |(keys, _): &&(&str, _)| keys.split(' ').any(is_of_path);
        let shape = SHAPES.iter().find(is_shape);
        let expected = match (expected, shape) {
            ("a sequence" | "a map" | ONE_OR_MORE, Some((_, shape))) => shape,
            ("path string", _) => "a path",
            ("a map", None) => &table_at(&path),
            _ => expected,
        };
        Mistake::expected(path, expected)
    }
}

/// Puts a value at a path of keys. Whatever is in the way of its tables is replaced.
fn put<'d>(
    base: &mut Spanned<DeValue<'d>>,
    keys: &[Spanned<DeString<'d>>],
    value: Spanned<DeValue<'d>>,
) {
    let Some((key, rest)) = keys.split_first() else {
        *base = value;
        return;
    };
    if let DeValue::Array(items) = base.get_mut()
        && let Ok(item) = key.get_ref().parse::<usize>()
        && let Some(item) = items.get_mut(item)
    {
        return put(item, rest, value);
    }
    let table = || Spanned::new(key.span(), DeValue::Table(DeTable::new()));
    if !base.get_ref().is_table() {
        *base = table();
    }
    if let DeValue::Table(entries) = base.get_mut() {
        let entry = entries.entry(key.clone());
        put(entry.or_insert_with(table), rest, value);
    }
}

/// Adds `by` to the places of a value and of everything in it.
fn moved(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let shifted = |span: Range<usize>| span.start + by..span.end + by;
    let span = shifted(value.span());
    let value = match value.into_inner() {
        DeValue::Table(table) => {
            let mut there = DeTable::new();
            for (key, value) in table {
                let key = Spanned::new(shifted(key.span()), key.into_inner());
                there.insert(key, moved(value, by));
            }
            DeValue::Table(there)
        }
        DeValue::Array(items) => {
            DeValue::Array(items.into_iter().map(|item| moved(item, by)).collect())
        }
        plain => plain,
    };
    Spanned::new(span, value)
}

/// Lists a value and everything in it, in document order.
fn places<'e, 'd>(
    path: String,
    key: Option<Range<usize>>,
    value: &'e Spanned<DeValue<'d>>,
) -> Vec<Place<'e, 'd>> {
    let mut within = Vec::new();
    match value.get_ref() {
        DeValue::Table(table) => {
            for (key, value) in table {
                within.extend(places(join(&path, key.get_ref()), Some(key.span()), value));
            }
        }
        DeValue::Array(items) => {
            for (item, value) in items.iter().enumerate() {
                within.extend(places(join(&path, item), None, value));
            }
        }
        _ => {}
    }
    within.insert(0, Place { path, key, value });
    within
}

pub(super) fn join(path: &str, key: impl Display) -> String {
    match path {
        "" => key.to_string(),
        path => format!("{path}.{key}"),
    }
}

fn ends_with(path: &str, keys: &str) -> bool {
    path.strip_suffix(keys)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a value has to be a table. serde would accept a list, too.
fn is_table(path: &str) -> bool {
    let keys: Vec<&str> = path.split('.').collect();
    match keys[..] {
        ["run" | "clock" | "limits" | "sandbox" | "workers" | "sprt" | "sweep" | "tune"]
        | ["language", _]
        | ["tune", "parameters", _] => true,
        ["bot", item] => item.parse::<usize>().is_ok(),
        _ => false,
    }
}

fn table_at(path: &str) -> String {
    if path.starts_with("tune.parameters.") {
        return "a range, as in `{ min = 0, max = 40, start = 10 }`".to_owned();
    }
    format!("a table that begins with `{}`", header(path))
}
