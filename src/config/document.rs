//! A config as TOML: reads its tables, and says where what is wrong.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

use super::mistake::{FOUND, KEY, Mistake, Read, listed, quoted};

/// What may stand where a key is missing.
const EXAMPLES: &[&str] = &[
    "game = \"minishogi\"",
    "name = \"my-bot\"",
    "command = [\"path/to/my-bot\"]",
    "bot = \"my-bot\"",
    "values = { depth = [2, 3, 4] }",
];

/// A config as TOML.
pub(super) struct Document<'t> {
    text: &'t str,
    root: DeTable<'t>,
}

/// A key or a value of a config.
struct Site<'d> {
    /// The keys on the way to it, its own included.
    path: Vec<&'d str>,
    key: Range<usize>,
    value: &'d DeValue<'d>,
}

impl<'t> Document<'t> {
    /// The document; a table `[run]` that it has not is empty.
    pub(super) fn parse(text: &'t str) -> Read<Document<'t>> {
        let parsed = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(text.len()..text.len());
            Mistake::new("the config is not valid TOML", &span, error.message())
        })?;
        let mut root = parsed.into_inner();
        if !root.contains_key("run") {
            root.insert(Spanned::new(0..0, "run".into()), Spanned::new(0..0, DeValue::Table(DeTable::new())));
        }
        Ok(Document { text, root })
    }

    /// All that it says.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Read<T> {
        let root = Spanned::new(0..self.text.len(), self.root.clone());
        let tables = T::deserialize(Deserializer::from(root)).map_err(|error| self.explain(&error))?;
        // A list with a value for each key would do for serde.
        for (key, value) in &self.root {
            let is_right = match value.get_ref() {
                DeValue::Table(_) => key.get_ref() != "bot",
                DeValue::Array(items) => key.get_ref() == "bot" && items.iter().all(|item| item.get_ref().is_table()),
                _ => false,
            };
            if !is_right {
                return Err(no_table(key.get_ref(), &value.span()));
            }
        }
        Ok(tables)
    }

    /// Where a table is named; the start of the config where it is not.
    pub(super) fn header(&self, table: &str) -> Range<usize> {
        self.root.get_key_value(table).map(|(key, _)| key.span()).unwrap_or_default()
    }

    /// The mistake with the key and value at its place, where it tells of them.
    pub(super) fn complete(&self, mistake: Mistake) -> Mistake {
        match self.site(mistake.span()) {
            Some(site) => mistake.of(site.name(), &described(site.value)),
            None => mistake,
        }
    }

    /// What is wrong: serde tells of unknown and missing keys, kinds of values tell of values.
    fn explain(&self, error: &Error) -> Mistake {
        let (message, told) = (error.message(), Mistake::from_json(error.message()));
        let span = told.as_ref().map(Mistake::span).cloned().or(error.span()).unwrap_or_default();
        let Some(site) = self.site(&span) else { return Mistake::new(message, &span, "") };
        if let Some(field) = message.strip_prefix("missing field ") {
            let place = if site.path == ["bot"] || span.is_empty() || site.path.len() > 2 { &span } else { &site.key };
            return missing(&table_name(&site.path), place, field.trim_matches('`'));
        }
        if site.key == span && message.starts_with("unknown field ") {
            let known = message.rsplit_once(", expected ").unwrap_or_default().1;
            return site.unknown_key(&known.split('`').skip(1).step_by(2).collect::<Vec<_>>());
        }
        match told {
            _ if site.path.len() == 1 => no_table(site.path[0], &span),
            Some(mistake) => mistake,
            None => Mistake::new(format!("bad value for `{KEY}`"), &span, format!("{message}: found {FOUND}")),
        }
    }

    fn site(&self, span: &Range<usize>) -> Option<Site<'_>> {
        find(&self.root, span, &mut Vec::new())
    }
}

impl Site<'_> {
    /// How messages call the key whose value this is or belongs to.
    fn name(&self) -> &str {
        match self.path[..] {
            ["game", _, key, ..] | ["sweep", "values", _, key] | [_, key, ..] | [key] => key,
            [] => "",
        }
    }

    /// This is a key that its table does not take.
    fn unknown_key(mut self, known: &[&str]) -> Mistake {
        let word = self.path.pop().unwrap_or_default();
        let what = match self.value {
            value if value.is_table() || is_tables(value) => "table",
            _ if self.path.is_empty() => "key outside every table:",
            _ => "key",
        };
        let help = format!("{} takes {}", table_name(&self.path), listed(known, "and"));
        Mistake::unknown(what, word, &self.key, known).help(help)
    }
}

/// How messages call a table.
fn table_name(path: &[&str]) -> String {
    match path {
        [] => "the config".to_owned(),
        ["bot"] => "[[bot]]".to_owned(),
        _ => format!("[{}]", path.join(".")),
    }
}

/// What should be tables or a table is none.
fn no_table(key: &str, span: &Range<usize>) -> Mistake {
    let tables = if key == "bot" { "tables that begin" } else { "a table that begins" };
    let label = format!("expected {tables} with `{}`, found {FOUND}", table_name(&[key]));
    Mistake::new(format!("bad value for `{KEY}`"), span, label)
}

/// A table has no value for a key that has no default.
pub(super) fn missing(table: &str, place: &Range<usize>, key: &str) -> Mistake {
    let mistake = Mistake::new(format!("{table} has no `{key}`"), place, format!("`{key}` is missing"));
    match EXAMPLES.iter().find(|example| example.split(' ').next() == Some(key)) {
        Some(example) => mistake.help(format!("add `{example}`")),
        None => mistake,
    }
}

/// The key or value that stands there. Pushes the keys on the way to it.
fn find<'d>(table: &'d DeTable<'d>, wanted: &Range<usize>, path: &mut Vec<&'d str>) -> Option<Site<'d>> {
    for (key, value) in table {
        path.push(key.get_ref());
        let mut values = vec![value];
        while let Some(value) = values.pop() {
            if key.span() == *wanted || value.span() == *wanted {
                return Some(Site { path: path.clone(), key: key.span(), value: value.get_ref() });
            }
            match value.get_ref() {
                DeValue::Table(table) => {
                    if let Some(site) = find(table, wanted, path) {
                        return Some(site);
                    }
                }
                DeValue::Array(items) => values.extend(items),
                _ => {}
            }
        }
        path.pop();
    }
    None
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.is_empty() => "an empty string".into(),
        DeValue::String(text) => format!("the string {}", quoted(text)),
        DeValue::Integer(number) => format!("the integer {}", quoted(&number.to_string())),
        DeValue::Float(number) => format!("the float {}", quoted(number.as_str())),
        DeValue::Boolean(truth) => format!("the boolean `{truth}`"),
        DeValue::Datetime(_) => "a date or time".into(),
        DeValue::Array(items) if items.is_empty() => "an empty list".into(),
        list if is_tables(list) => "a list of tables".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

fn is_tables(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()))
}
