//! What the keys of a config take: each kind of value says what it expects and what it is read into.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Number, Value};
use strum::VariantNames;
use toml::de::DeValue;

use super::document::{At, Found};
use super::mistake::{Mistake, Read, listed};
use arena_games::{GameSpec, Games};
use arena_process::languages::NAMES;

/// An integer within bounds, both included.
pub(crate) struct Integer<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Integer<MIN, MAX> {
    pub(crate) const RANGE: RangeInclusive<u64> = MIN..=MAX;

    pub(super) fn read(found: Found<'_>) -> Read<u64> {
        found.integer_that(&format!("an integer from {MIN} to {MAX}"), |number| {
            Self::RANGE.contains(number)
        })
    }

    /// The same, or `auto`.
    pub(super) fn or_auto(found: Found<'_>) -> Read<Option<u64>> {
        if found.value().as_str() == Some("auto") {
            return Ok(None);
        }
        let expected = format!("`\"auto\"` or an integer from {MIN} to {MAX}");
        found
            .integer_that(&expected, |number| Self::RANGE.contains(number))
            .map(Some)
    }
}

impl<'d> Found<'d> {
    pub(super) fn boolean(self) -> Read<bool> {
        self.value()
            .as_bool()
            .ok_or_else(|| self.refuse("a boolean"))
    }

    pub(super) fn string(self) -> Read<String> {
        self.string_that("a string")
    }

    fn string_that(self, expected: &str) -> Read<String> {
        self.value()
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.refuse(expected))
    }

    pub(super) fn integer(self) -> Option<i128> {
        let number = self.value().as_integer()?;
        i128::from_str_radix(number.as_str(), number.radix()).ok()
    }

    pub(super) fn integer_that(self, expected: &str, fits: impl Fn(&u64) -> bool) -> Read<u64> {
        let number = self.integer().and_then(|number| u64::try_from(number).ok());
        number.filter(fits).ok_or_else(|| self.refuse(expected))
    }

    pub(super) fn number(self) -> Option<f64> {
        match self.value() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => self.integer()?.to_string().parse().ok(),
        }
    }

    pub(super) fn number_that(self, expected: &str, fits: impl Fn(&f64) -> bool) -> Read<f64> {
        self.number()
            .filter(fits)
            .ok_or_else(|| self.refuse(expected))
    }

    /// One of the names of `T`.
    pub(super) fn choice<T: FromStr + VariantNames>(self) -> Read<T> {
        let expected = listed(T::VARIANTS, "or");
        let word = self
            .value()
            .as_str()
            .ok_or_else(|| self.refuse(&expected))?;
        let key = self.key().value;
        let unknown = |_| {
            Mistake::unknown(&key, word, &self.span(), T::VARIANTS)
                .help(format!("`{key}` is {expected}"))
        };
        word.parse().map_err(unknown)
    }

    /// A string that is handed to the operating system, which takes no NUL.
    pub(super) fn argument(self) -> Read<String> {
        match self.string()? {
            text if text.contains('\0') => {
                Err(self.wrong("a NUL character cannot be handed to a program"))
            }
            text => Ok(text),
        }
    }

    /// The ends of file names.
    pub(super) fn extensions(self) -> Read<Vec<String>> {
        let extension = |item: Found| match item.string()? {
            end if end.trim_start_matches('.').is_empty() => {
                Err(item.refuse("the end of a file name, as in \"zig\""))
            }
            end => Ok(end.trim_start_matches('.').to_owned()),
        };
        self.items()
            .ok_or_else(|| self.refuse("a list of ends of file names"))?
            .into_iter()
            .map(extension)
            .collect()
    }

    /// Paths of folders or files.
    pub(super) fn paths(self) -> Read<Vec<String>> {
        let path = |item: Found| match item.argument()? {
            path if path.is_empty() => Err(item.refuse("the path of a folder or file")),
            path => Ok(path),
        };
        self.items()
            .ok_or_else(|| self.refuse("a list of paths"))?
            .into_iter()
            .map(path)
            .collect()
    }

    /// Environment variables.
    pub(super) fn environment(self) -> Read<Vec<(String, String)>> {
        let variable = |found: Found| {
            let name = found.key();
            if name.value.is_empty() || name.value.contains(['=', '\0']) {
                let label = "expected a name that is not empty and without `=` or NUL";
                return Err(name.mistake("bad name of a variable in `env`", label));
            }
            Ok((name.value, found.argument()?))
        };
        self.entries()
            .ok_or_else(|| self.refuse("a table of strings"))?
            .into_iter()
            .map(variable)
            .collect()
    }

    /// A program with its arguments: a list, or one string that is split as a shell would.
    pub(super) fn command(self) -> Read<Command> {
        let (words, program): (Vec<String>, _) = match self.items() {
            Some(items) => (
                items
                    .iter()
                    .map(|item| item.argument())
                    .collect::<Read<_>>()?,
                items.first().copied(),
            ),
            None if self.value().is_str() => (split(self)?, None),
            None => {
                return Err(self.refuse("a program with its arguments, as one string or as a list"));
            }
        };
        let program = program.unwrap_or(self);
        match words.first().filter(|word| !word.trim().is_empty()) {
            Some(word) => Ok(Command {
                program: At {
                    value: word.clone(),
                    span: program.span(),
                },
                words,
            }),
            None => Err(program.wrong("expected the name of a program, found none")),
        }
    }

    /// A command in which names in braces are replaced when a source file is compiled or started.
    pub(super) fn template(self) -> Read<Vec<String>> {
        let words = self.command()?.words;
        for name in words
            .iter()
            .flat_map(|word| word.split('{').skip(1))
            .filter_map(|part| part.split_once('}'))
        {
            if !NAMES.contains(&name.0) {
                let known = NAMES.map(|name| format!("{{{name}}}"));
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                return Err(Mistake::unknown(
                    "name",
                    &format!("{{{}}}", name.0),
                    &self.span(),
                    &known,
                ));
            }
        }
        Ok(words)
    }

    /// A value that a game reads. What it cannot be is null.
    pub(super) fn json(self) -> Read<Value> {
        Ok(match self.value() {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Integer(_) => {
                let number = self.integer().and_then(Number::from_i128);
                number
                    .map(Value::Number)
                    .ok_or_else(|| self.wrong("this number is too large"))?
            }
            DeValue::Float(_) => self.number().into(),
            DeValue::Boolean(truth) => (*truth).into(),
            // As serde hands it over: a table.
            DeValue::Datetime(_) => Value::Object(serde_json::Map::new()),
            DeValue::Array(_) => self
                .items()
                .into_iter()
                .flatten()
                .map(Found::json)
                .collect::<Read<_>>()?,
            DeValue::Table(_) => {
                let entry = |found: Found| Ok((found.key().value, found.json()?));
                Value::Object(
                    self.entries()
                        .into_iter()
                        .flatten()
                        .map(entry)
                        .collect::<Read<_>>()?,
                )
            }
        })
    }

    /// One game or several, all different.
    pub(super) fn games(self, known: &Games) -> Read<Vec<At<Arc<GameSpec>>>> {
        let mut games: Vec<At<Arc<GameSpec>>> = Vec::new();
        for item in self.one_or_more("a game id or a list of game ids")? {
            for game in item.games_called(known)? {
                if let Some(first) = games.iter().find(|first| first.value.id == game.id) {
                    let label = format!("`{}` for the second time", game.id);
                    return Err(item.wrong(label).related(&first.span, "first here"));
                }
                games.push(At {
                    value: game,
                    span: item.span(),
                });
            }
        }
        Ok(games)
    }

    /// The game with this name, or all games `NAME-SEATS` of a referee with several numbers of seats.
    fn games_called(self, known: &Games) -> Read<Vec<Arc<GameSpec>>> {
        let id = self.string_that("a game id")?;
        if let Some(game) = known.search(&id) {
            return Ok(vec![Arc::clone(game)]);
        }
        let is_of_referee =
            |game: &&Arc<GameSpec>| game.id == format!("{id}-{}", game.default_seats());
        let of_referee: Vec<_> = known.iter().filter(is_of_referee).cloned().collect();
        if of_referee.is_empty() {
            let ids = known.ids();
            let unknown = Mistake::unknown("game", &id, &self.span(), &ids);
            return Err(unknown.help(format!("the games are {}", listed(&ids, "and"))));
        }
        Ok(of_referee)
    }

    /// The items of a list that is not empty, or a string alone.
    pub(super) fn one_or_more(self, expected: &str) -> Read<Vec<Found<'d>>> {
        match self.items() {
            Some(items) if !items.is_empty() => Ok(items),
            None if self.value().is_str() => Ok(vec![self]),
            _ => Err(self.refuse(expected)),
        }
    }
}

/// A program, its arguments, and where the program is named. One word at least.
#[derive(Default)]
pub(super) struct Command {
    pub(super) words: Vec<String>,
    pub(super) program: At<String>,
}

fn split(found: Found<'_>) -> Read<Vec<String>> {
    let line = found.argument()?;
    shlex::split(&line).ok_or_else(|| {
        let problem = if line.ends_with('\\') {
            "nothing follows the last backslash"
        } else {
            "a quote is not closed"
        };
        found.wrong(problem).help(
            "a list needs no quotes: `[\"program\", \"first argument\", \"second argument\"]`",
        )
    })
}
