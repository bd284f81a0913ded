//! A config as TOML: values that know their keys and places, and tables whose keys are read one by one.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::mistake::{Mistake, Read, listed, quoted};

/// What may stand where a key is missing.
const EXAMPLES: &[&str] = &[
    "game = \"minishogi\"",
    "name = \"my-bot\"",
    "command = [\"path/to/my-bot\"]",
    "bot = \"my-bot\"",
    "values = { depth = [2, 3, 4] }",
    "min = 1",
    "max = 5",
    "step = 1",
];

/// How messages call the table of all tables.
const ROOT: &str = "the config";

/// Something that was read, and where it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

impl<T> At<T> {
    /// There is a mistake here.
    pub(super) fn mistake(&self, title: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake::new(title, &self.span, label)
    }
}

/// A value as it is written, under the key that it has or that the list has which it is in.
#[derive(Clone, Copy)]
pub(super) struct Found<'d> {
    key: &'d Spanned<DeString<'d>>,
    value: &'d Spanned<DeValue<'d>>,
    /// The key by which messages call it: that of a config, whose value it is or belongs to.
    called: &'d str,
}

impl<'d> Found<'d> {
    pub(super) fn key(self) -> At<String> {
        At {
            value: self.key.get_ref().to_string(),
            span: self.key.span(),
        }
    }

    pub(super) fn value(self) -> &'d DeValue<'d> {
        self.value.get_ref()
    }

    pub(super) fn span(self) -> Range<usize> {
        self.value.span()
    }

    /// The items of a list.
    pub(super) fn items(self) -> Option<Vec<Found<'d>>> {
        let item = |value| Found { value, ..self };
        Some(self.value().as_array()?.iter().map(item).collect())
    }

    /// The entries of a table, in the order in which they are written.
    pub(super) fn entries(self) -> Option<Vec<Found<'d>>> {
        self.value()
            .as_table()
            .map(|table| entries(table, self.called))
    }

    /// What is read here, with its place.
    pub(super) fn at<T>(self, read: impl FnOnce(Found<'d>) -> Read<T>) -> Read<At<T>> {
        Ok(At {
            value: read(self)?,
            span: self.span(),
        })
    }

    pub(super) fn mistake(self, title: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake::new(title, &self.span(), label)
    }

    /// The value is wrong for the reason given.
    pub(super) fn wrong(self, label: impl Into<String>) -> Mistake {
        self.mistake(format!("bad value for `{}`", self.called), label)
    }

    /// The value is not what it should be.
    pub(super) fn refuse(self, expected: &str) -> Mistake {
        let found = match self.value() {
            DeValue::String(text) if text.is_empty() => "an empty string".into(),
            DeValue::String(text) => format!("the string {}", quoted(text)),
            DeValue::Integer(number) => format!("the integer {}", quoted(&number.to_string())),
            DeValue::Float(number) => format!("the float {}", quoted(number.as_str())),
            DeValue::Boolean(truth) => format!("the boolean `{truth}`"),
            DeValue::Datetime(_) => "a date or time".into(),
            DeValue::Array(items) if items.is_empty() => "an empty list".into(),
            DeValue::Array(_) if self.has_tables() => "a list of tables".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        };
        self.wrong(format!("expected {expected}, found {found}"))
    }

    fn has_tables(self) -> bool {
        self.value()
            .as_array()
            .is_some_and(|items| items.iter().any(|item| item.get_ref().is_table()))
    }

    /// The value as a table with a header.
    pub(super) fn table(self, name: &str) -> Read<Table<'d>> {
        let entries = self
            .entries()
            .ok_or_else(|| self.refuse(&format!("a table that begins with `{name}`")))?;
        Ok(Table::new(name, self.key.span(), entries))
    }
}

fn entries<'d>(table: &'d DeTable<'d>, called: &'d str) -> Vec<Found<'d>> {
    let mut entries: Vec<Found> = table
        .iter()
        .map(|(key, value)| Found { key, value, called })
        .collect();
    entries.sort_by_key(|found| found.key.span().start);
    entries
}

/// A table whose keys are read one by one. [`Table::end`] tells of the first mistake.
#[derive(Clone, Default)]
pub(super) struct Table<'d> {
    /// How messages call it.
    name: String,
    /// Where it is named; the start of the config where it is not there.
    pub(super) place: Range<usize>,
    /// What was not read yet.
    rest: Vec<Found<'d>>,
    /// The keys that were asked for.
    known: Vec<&'d str>,
    mistake: Option<Mistake>,
    missing: Option<Mistake>,
}

impl<'d> Table<'d> {
    pub(super) fn root(table: &'d DeTable<'d>) -> Table<'d> {
        Table::new(ROOT, 0..0, entries(table, ""))
    }

    pub(super) fn new(name: &str, place: Range<usize>, rest: Vec<Found<'d>>) -> Table<'d> {
        Table {
            name: name.to_owned(),
            place,
            rest,
            ..Table::default()
        }
    }

    pub(super) fn is_there(&self) -> bool {
        !self.place.is_empty()
    }

    /// What is written for a key.
    pub(super) fn take(&mut self, key: &'d str) -> Option<Found<'d>> {
        self.known.push(key);
        let at = self
            .rest
            .iter()
            .position(|found| found.key.get_ref() == key)?;
        Some(Found {
            called: key,
            ..self.rest.remove(at)
        })
    }

    /// All that is of some kind, under whatever key.
    pub(super) fn take_all(&mut self, is_wanted: impl Fn(&Found<'d>) -> bool) -> Vec<Found<'d>> {
        self.rest.extract_if(.., |found| is_wanted(found)).collect()
    }

    /// The value of a key, with its place.
    pub(super) fn at<T>(
        &mut self,
        key: &'d str,
        read: impl FnOnce(Found<'d>) -> Read<T>,
    ) -> Option<At<T>> {
        let read = self.take(key)?.at(read);
        read.map_err(|mistake| self.mistake.get_or_insert(mistake))
            .ok()
    }

    /// The value of a key.
    pub(super) fn value<T>(
        &mut self,
        key: &'d str,
        read: impl FnOnce(Found<'d>) -> Read<T>,
    ) -> Option<T> {
        self.at(key, read).map(|at| at.value)
    }

    /// The value of a key that has no default.
    pub(super) fn need<T: Default>(
        &mut self,
        key: &'d str,
        read: impl FnOnce(Found<'d>) -> Read<T>,
    ) -> At<T> {
        self.at(key, read).unwrap_or_else(|| {
            self.missing
                .get_or_insert_with(|| missing(&self.name, &self.place, key));
            At::default()
        })
    }

    /// The table with this key, which is empty where it is not there.
    pub(super) fn table(&mut self, key: &'d str) -> Table<'d> {
        let name = format!("[{key}]");
        let table = self.value(key, |found| found.table(&name));
        table.unwrap_or_else(|| Table::new(&name, 0..0, Vec::new()))
    }

    /// All keys are read: says what is wrong with them.
    pub(super) fn end(&mut self) -> Read<()> {
        let unknown = self.rest.first().map(|found| self.unknown(*found));
        unknown
            .or(self.mistake.take())
            .or(self.missing.take())
            .map_or(Ok(()), Err)
    }

    fn unknown(&self, found: Found<'_>) -> Mistake {
        let what = match found.value() {
            value if value.is_table() || found.has_tables() => "table",
            _ if self.name == ROOT => "key outside every table:",
            _ => "key",
        };
        let key = found.key();
        let help = format!("{} takes {}", self.name, listed(&self.known, "and"));
        Mistake::unknown(what, &key.value, &key.span, &self.known).help(help)
    }
}

/// A table has no value for a key that has no default.
pub(super) fn missing(table: &str, place: &Range<usize>, key: &str) -> Mistake {
    let mistake = Mistake::new(
        format!("{table} has no `{key}`"),
        place,
        format!("`{key}` is missing"),
    );
    match EXAMPLES
        .iter()
        .find(|example| example.split(' ').next() == Some(key))
    {
        Some(example) => mistake.help(format!("add `{example}`")),
        None => mistake,
    }
}
