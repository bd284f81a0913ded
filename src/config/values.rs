//! What the keys of a config take: each kind of value says what it expects and what it is read into.

use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use strum::VariantNames;
use toml::Spanned;

use super::mistake::{FOUND, KEY, Mistake, Read, listed};

/// A kind of value.
pub(super) trait Kind: Sized {
    /// What it is read into.
    type Value;

    fn read(found: &Found) -> Read<Self::Value>;
}

/// A value of one kind, and where it stands.
pub(super) struct At<K: Kind> {
    pub(super) value: K::Value,
    pub(super) span: Range<usize>,
}

/// Any value, and where it stands.
pub(super) type Found = At<Raw>;

/// Any value. Its digits are where it stands.
pub(super) enum Raw {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Date,
    List(Vec<Found>),
    /// In the order in which it is written.
    Table(Vec<(At<String>, Found)>),
}

impl<K: Kind> At<K> {
    /// There is a mistake here.
    pub(super) fn mistake(&self, title: impl Into<String>, label: impl Into<String>) -> Mistake {
        Mistake::new(title, &self.span, label)
    }

    /// The value is wrong for the reason given.
    pub(super) fn wrong(&self, label: impl Into<String>) -> Mistake {
        self.mistake(format!("bad value for `{KEY}`"), label)
    }

    /// The value is not what it should be.
    pub(super) fn refuse(&self, expected: &str) -> Mistake {
        self.wrong(format!("expected {expected}, found {FOUND}"))
    }
}

impl Found {
    pub(super) fn to<K: Kind>(&self) -> Read<At<K>> {
        Ok(At { value: K::read(self)?, span: self.span.clone() })
    }

    fn number(&self) -> Option<f64> {
        match self.value {
            Raw::Integer(number) => number.to_string().parse().ok(),
            Raw::Float(number) => Some(number),
            _ => None,
        }
    }
}

impl<'de, K: Kind> Deserialize<'de> for At<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<At<K>, D::Error> {
        let found = Spanned::<Raw>::deserialize(deserializer)?;
        placed(found).to().map_err(|mistake| D::Error::custom(mistake.to_json()))
    }
}

fn placed<K: Kind>(found: Spanned<K::Value>) -> At<K> {
    At { span: found.span(), value: found.into_inner() }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Raw, E> {
        Ok(Raw::Integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Raw, E> {
        Ok(Raw::Integer(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Raw, E> {
        Ok(Raw::Integer(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Raw, E> {
        Ok(Raw::Float(number))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Raw, E> {
        Ok(Raw::Boolean(truth))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(placed(item));
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        let mut table: Vec<(At<String>, Found)> = Vec::new();
        loop {
            match entries.next_key() {
                Ok(Some(key)) => table.push((placed(key), placed(entries.next_value()?))),
                Ok(None) => break,
                // A date is handed over as a table whose key has no place.
                Err(_) => return Ok(Raw::Date),
            }
        }
        table.sort_by_key(|(key, _)| key.span.start);
        Ok(Raw::Table(table))
    }
}

/// What was given for a key, or not.
pub(super) trait Given<K: Kind> {
    fn value(&self) -> Option<K::Value>;

    fn place(&self) -> Option<&Range<usize>>;
}

impl<K: Kind<Value: Copy>> Given<K> for Option<At<K>> {
    fn value(&self) -> Option<K::Value> {
        self.as_ref().map(|given| given.value)
    }

    fn place(&self) -> Option<&Range<usize>> {
        self.as_ref().map(|given| &given.span)
    }
}

impl Kind for Raw {
    type Value = Raw;

    fn read(found: &Found) -> Read<Raw> {
        Err(found.refuse("a value of some kind"))
    }
}

impl Kind for bool {
    type Value = bool;

    fn read(found: &Found) -> Read<bool> {
        if let Raw::Boolean(truth) = found.value { Ok(truth) } else { Err(found.refuse("a boolean")) }
    }
}

impl Kind for String {
    type Value = String;

    fn read(found: &Found) -> Read<String> {
        if let Raw::Text(text) = &found.value { Ok(text.clone()) } else { Err(found.refuse("a string")) }
    }
}

/// An integer within bounds, both included.
pub(crate) struct Integer<const MIN: u64, const MAX: u64, const IS_EVEN: bool = false>;

impl<const MIN: u64, const MAX: u64, const IS_EVEN: bool> Integer<MIN, MAX, IS_EVEN> {
    pub(crate) const RANGE: RangeInclusive<u64> = MIN..=MAX;
}

impl<const MIN: u64, const MAX: u64, const IS_EVEN: bool> Kind for Integer<MIN, MAX, IS_EVEN> {
    type Value = u64;

    fn read(found: &Found) -> Read<u64> {
        let number = if let Raw::Integer(number) = found.value { u64::try_from(number).ok() } else { None };
        let fits = |number: &u64| Self::RANGE.contains(number) && (!IS_EVEN || number.is_multiple_of(2));
        let even = if IS_EVEN { "even " } else { "" };
        number.filter(fits).ok_or_else(|| found.refuse(&format!("an {even}integer from {MIN} to {MAX}")))
    }
}

/// A kind, or `auto`.
pub(super) struct Auto<K>(PhantomData<K>);

impl<K: Kind> Kind for Auto<K> {
    type Value = Option<K::Value>;

    fn read(found: &Found) -> Read<Option<K::Value>> {
        match &found.value {
            Raw::Text(text) if text == "auto" => Ok(None),
            _ => K::read(found).map(Some).map_err(|mistake| mistake.or("`\"auto\"`")),
        }
    }
}

/// A number within bounds, both included.
pub(super) struct Number<const MIN: i32, const MAX: i32>;

impl<const MIN: i32, const MAX: i32> Kind for Number<MIN, MAX> {
    type Value = f64;

    fn read(found: &Found) -> Read<f64> {
        let number = found.number().filter(|number| (MIN.into()..=MAX.into()).contains(number));
        number.ok_or_else(|| found.refuse(&format!("a number from {MIN} to {MAX}")))
    }
}

/// A number above 0, and below 1 where that is the limit.
pub(super) struct Positive<const BELOW_1: bool = false>;

impl<const BELOW_1: bool> Kind for Positive<BELOW_1> {
    type Value = f64;

    fn read(found: &Found) -> Read<f64> {
        let limit = if BELOW_1 { 1.0 } else { f64::INFINITY };
        let number = found.number().filter(|number| *number > 0.0 && *number < limit);
        let and_below = if BELOW_1 { " and below 1" } else { "" };
        number.ok_or_else(|| found.refuse(&format!("a number above 0{and_below}")))
    }
}

/// One of the names of `T`.
pub(super) struct Choice<T>(PhantomData<T>);

impl<T: FromStr + VariantNames> Kind for Choice<T> {
    type Value = T;

    fn read(found: &Found) -> Read<T> {
        let expected = listed(T::VARIANTS, "or");
        let Raw::Text(word) = &found.value else { return Err(found.refuse(&expected)) };
        word.parse()
            .map_err(|_| Mistake::unknown(KEY, word, &found.span, T::VARIANTS).help(format!("`{KEY}` is {expected}")))
    }
}

/// A string that is handed to the operating system, which takes no NUL.
pub(super) struct Argument;

impl Kind for Argument {
    type Value = String;

    fn read(found: &Found) -> Read<String> {
        match String::read(found)? {
            text if text.contains('\0') => Err(found.wrong("a NUL character cannot be handed to a program")),
            text => Ok(text),
        }
    }
}

/// Paths of folders or files.
pub(super) struct Paths;

impl Kind for Paths {
    type Value = Vec<String>;

    fn read(found: &Found) -> Read<Vec<String>> {
        let Raw::List(items) = &found.value else { return Err(found.refuse("a list of paths")) };
        let path = |item: &Found| match Argument::read(item)? {
            path if path.is_empty() => Err(item.refuse("the path of a folder or file")),
            path => Ok(path),
        };
        items.iter().map(path).collect()
    }
}

/// Environment variables.
pub(super) struct Environment;

impl Kind for Environment {
    type Value = Vec<(String, String)>;

    fn read(found: &Found) -> Read<Self::Value> {
        let Raw::Table(entries) = &found.value else { return Err(found.refuse("a table of strings")) };
        let mut variables = Vec::new();
        for (name, value) in entries {
            if name.value.is_empty() || name.value.contains(['=', '\0']) {
                let label = "expected a name that is not empty and without `=` or NUL";
                return Err(name.mistake("bad name of a variable in `env`", label));
            }
            variables.push((name.value.clone(), Argument::read(value)?));
        }
        Ok(variables)
    }
}

/// A program with its arguments: a list, or one string that is split as a shell would. One word at least.
pub(super) struct Command;

/// A program, its arguments, and where the program is named.
pub(super) struct Words {
    pub(super) words: Vec<String>,
    pub(super) program: At<Argument>,
}

impl Kind for Command {
    type Value = Words;

    fn read(found: &Found) -> Read<Words> {
        let (words, program) = match &found.value {
            Raw::Text(_) => (split(found)?, &found.span),
            Raw::List(items) => {
                let words = items.iter().map(Argument::read).collect::<Read<Vec<String>>>()?;
                (words, items.first().map_or(&found.span, |program| &program.span))
            }
            _ => return Err(found.refuse("a program with its arguments, as one string or as a list")),
        };
        let program: At<Argument> = At { value: words.first().cloned().unwrap_or_default(), span: program.clone() };
        match program.value.trim() {
            "" => Err(program.wrong("expected the name of a program, found none")),
            _ => Ok(Words { words, program }),
        }
    }
}

fn split(found: &Found) -> Read<Vec<String>> {
    let line = Argument::read(found)?;
    shlex::split(&line).ok_or_else(|| {
        let problem = if line.ends_with('\\') { "nothing follows the last backslash" } else { "a quote is not closed" };
        found.wrong(problem).help("a list needs no quotes: `[\"program\", \"first argument\", \"second argument\"]`")
    })
}

/// A value that a game reads.
pub(super) struct Json;

impl Kind for Json {
    type Value = Value;

    fn read(found: &Found) -> Read<Value> {
        Ok(match &found.value {
            Raw::Text(text) => text.as_str().into(),
            Raw::Integer(number) => {
                let number = serde_json::Number::from_i128(*number);
                number.map(Value::Number).ok_or_else(|| found.wrong("this number is too large"))?
            }
            Raw::Float(number) => (*number).into(),
            Raw::Boolean(truth) => (*truth).into(),
            // As serde hands it over: a table.
            Raw::Date => Value::Object(serde_json::Map::new()),
            Raw::List(items) => Value::Array(items.iter().map(Json::read).collect::<Read<_>>()?),
            Raw::Table(entries) => {
                let entry = |(key, value): &(At<String>, Found)| Ok((key.value.clone(), Json::read(value)?));
                Value::Object(entries.iter().map(entry).collect::<Read<_>>()?)
            }
        })
    }
}

/// One game id or several, all different. Which games there are is not known here.
pub(super) struct GameIds;

/// The id of a game.
pub(super) struct GameId;

impl Kind for GameId {
    type Value = String;

    fn read(found: &Found) -> Read<String> {
        if let Raw::Text(id) = &found.value { Ok(id.clone()) } else { Err(found.refuse("a game id")) }
    }
}

impl Kind for GameIds {
    type Value = Vec<At<GameId>>;

    fn read(found: &Found) -> Read<Vec<At<GameId>>> {
        let mut games: Vec<At<GameId>> = Vec::new();
        for item in one_or_more(found).ok_or_else(|| found.refuse("a game id or a list of game ids"))? {
            let game: At<GameId> = item.to()?;
            if let Some(first) = games.iter().find(|first| first.value == game.value) {
                let label = format!("`{}` for the second time", game.value);
                return Err(game.wrong(label).related(&first.span, "first here"));
            }
            games.push(game);
        }
        Ok(games)
    }
}

/// The name of a bot or several.
pub(super) struct BotNames;

impl Kind for BotNames {
    type Value = Vec<At<String>>;

    fn read(found: &Found) -> Read<Vec<At<String>>> {
        let names = one_or_more(found).ok_or_else(|| found.refuse("the name of a bot or a list of names"))?;
        names.iter().map(Found::to).collect()
    }
}

fn one_or_more(found: &Found) -> Option<&[Found]> {
    match &found.value {
        Raw::List(items) if !items.is_empty() => Some(items),
        Raw::Text(_) => Some(std::slice::from_ref(found)),
        _ => None,
    }
}
