//! Types of the values in a config. Each checks its value while serde reads it.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, SeqAccess, Visitor};
use strum::VariantNames;

use super::mistake::listed;
use arena_process::split_command;

/// How [`Form`] describes what it expects. A document knows more from the key.
pub(super) const ONE_OR_MORE: &str = "one or more";
const EXPECTED: &str = "expected one or more";

/// Reads a value that fits. The error names the expected value.
pub(super) fn expect<'de, D, T, U>(
    from: D,
    expected: &str,
    fit: impl FnOnce(T) -> Option<U>,
) -> Result<U, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    match T::deserialize(from).map(fit) {
        Ok(Some(value)) => Ok(value),
        // serde also reads a required key that is missing.
        Err(error) if error.to_string().starts_with("missing field") => Err(error),
        _ => Err(D::Error::custom(format!("expected {expected}"))),
    }
}

/// An integer within bounds, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer<const MIN: u64, const MAX: u64>(pub(crate) u64);

impl<const MIN: u64, const MAX: u64> Integer<MIN, MAX> {
    pub(crate) const RANGE: RangeInclusive<u64> = MIN..=MAX;
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Integer<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let expected = format!("an integer from {MIN} to {MAX}");
        expect(from, &expected, |number| {
            Self::RANGE.contains(&number).then_some(Integer(number))
        })
    }
}

/// A word that names a `T`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice<T>(pub(crate) T);

impl<'de, T: FromStr + VariantNames> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word: String = expect(from, &listed(T::VARIANTS, "or"), Some)?;
        match word.parse() {
            Ok(value) => Ok(Choice(value)),
            Err(_) => Err(D::Error::unknown_variant(&word, T::VARIANTS)),
        }
    }
}

/// The precision of a match, in Elo.
pub(crate) const PRECISION: RangeInclusive<f64> = 0.1..=1000.0;

/// Defines types of checked values, with a description of the expected value.
macro_rules! checked {
    ($($name:ident($of:ty): $expected:literal, $fits:expr;)*) => {$(
        #[doc = concat!("A value of a config: ", $expected, ".")]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct $name(pub(crate) $of);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let fits: fn(&$of) -> bool = $fits;
                expect(from, $expected, |value| Some(value).filter(fits).map($name))
            }
        }
    )*};
}

checked! {
    Plies(u32): "an even integer from 0 to 100", |plies| *plies <= 100 && plies % 2 == 0;
    Elo(f64): "a number from -2000 to 2000", |elo| elo.abs() <= 2000.0;
    Chance(f64): "a number above 0 and below 1", |chance| *chance > 0.0 && *chance < 1.0;
    Precision(f64): "a number from 0.1 to 1000", |elo| PRECISION.contains(elo);
    DropBelow(f64): "a number from 0.1 to 50", |percent| (0.1..=50.0).contains(percent);
    Positive(f64): "a number above 0", |number| *number > 0.0 && number.is_finite();
    Finite(f64): "a finite number", |number| number.is_finite();
}

/// One value, or a list of at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Form<T>", bound = "T: Deserialize<'de>")]
pub(crate) struct OneOrMore<T>(pub(crate) Vec<T>);

impl<T> TryFrom<Form<T>> for OneOrMore<T> {
    type Error = &'static str;

    fn try_from(form: Form<T>) -> Result<Self, &'static str> {
        match form {
            Form::One(one) => Ok(OneOrMore(vec![one])),
            Form::List(list) if list.is_empty() => Err(EXPECTED),
            Form::List(list) => Ok(OneOrMore(list)),
        }
    }
}

/// A program with its arguments: a list, or one string that is split as a shell would.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Form<String>")]
pub(crate) struct Command(pub(crate) Vec<String>);

impl TryFrom<Form<String>> for Command {
    type Error = &'static str;

    fn try_from(form: Form<String>) -> Result<Self, &'static str> {
        let words = match form {
            Form::List(words) => words,
            Form::One(line) => split_command(&line).ok_or(
                "a quote is not closed, or nothing follows a backslash; in a list, as in `[\"program\", \"argument\"]`, neither is special",
            )?,
        };
        match words.first() {
            Some(program) if !program.trim().is_empty() => Ok(Command(words)),
            _ => Err("the name of a program is missing"),
        }
    }
}

/// One value or a list, as written.
enum Form<T> {
    One(T),
    List(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Form<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Either(PhantomData))
    }
}

struct Either<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = Form<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(ONE_OR_MORE)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Form<T>, E> {
        T::deserialize(text.into_deserializer()).map(Form::One)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Form<T>, E> {
        match T::deserialize(IntoDeserializer::<E>::into_deserializer(number)) {
            Ok(one) => Ok(Form::One(one)),
            Err(_) => Err(E::custom(EXPECTED)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Form<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(Form::List)
    }
}
