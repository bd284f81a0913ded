//! Drawings of any game, in a small vocabulary: external referees send each as a line of JSON, see
//! `docs/how-to/referees.md`.
//!
//! They are one of the pictures that viewers know, beside those of the games of this crate, and
//! become text in the same way. So they live here, and the programs that send them don't.
//!
//! Text is cut to its limit, because a bot may have written it. Counts, sizes and seats come from
//! the referee alone, so [`Drawing::parse`] rejects those that are too large.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use super::{MAX_SEATS, Seat};
use crate::frame::{beside, name, spaced};

/// The longest line that [`Drawing::parse`] reads, in bytes.
pub const LONGEST: usize = 64 * 1024;
/// The maximum number of rows, and of columns.
const SIDE: usize = 100;
/// The maximum number of cells in a row that is written with spaces between them.
const SPACED: usize = 40;

/// A position of any game. A missing key draws nothing, and unknown keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Drawing {
    /// The rows of a board from the top, one character per cell.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "grid")]
    pub grid: Vec<String>,
    /// The look of the cells with a character. `.` and a space are plain unless they are listed
    /// here. Any other unlisted character is written into its cells.
    #[serde(skip_serializing_if = "is_default")]
    pub legend: BTreeMap<char, Look>,
    /// The columns and rows of a field without cells; a grid has its own size.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "size")]
    pub size: Option<[usize; 2]>,
    /// The tokens on the grid or field. Later ones cover earlier ones.
    #[serde(skip_serializing_if = "is_default")]
    pub tokens: Vec<Token>,
    /// Cards on the table and in hands.
    #[serde(skip_serializing_if = "is_default")]
    pub cards: Vec<DrawnCard>,
    /// Numbers with names.
    #[serde(skip_serializing_if = "is_default")]
    pub bars: Vec<Bar>,
    /// Lines of text.
    #[serde(skip_serializing_if = "is_default")]
    pub text: Vec<Text<200>>,
}

/// The look of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// A seat, for a paler shade of the colour of its tokens.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "seat")]
    pub seat: Option<Seat>,
    /// A colour that is no seat's.
    #[serde(skip_serializing_if = "is_default")]
    pub colour: Option<Colour>,
    /// The text in the cells.
    #[serde(skip_serializing_if = "is_default")]
    pub text: Text<12>,
}

/// A colour. The viewer decides the exact shade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "colours")]
pub enum Colour {
    Light,
    Grey,
    Dark,
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Brown,
}

/// A token on the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The column of its centre, from 0 at the left; a fraction is between two columns.
    pub x: Number,
    /// The row of its centre, from 0 at the top.
    pub y: Number,
    /// The owner, whose colour it has.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "seat")]
    pub seat: Option<Seat>,
    /// A colour that is no seat's.
    #[serde(default, skip_serializing_if = "is_default")]
    pub colour: Option<Colour>,
    /// Its shape.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shape: Shape,
    /// Its width in cells, by default 0.8.
    #[serde(default, skip_serializing_if = "is_default")]
    pub size: Option<Number>,
    /// The text on it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub label: Text<12>,
}

/// The shape of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "shapes")]
pub enum Shape {
    #[default]
    Circle,
    Square,
    Diamond,
    Triangle,
    Cross,
    /// A circle that isn't filled.
    Ring,
    /// The label alone.
    None,
}

/// A card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DrawnCard {
    /// The seat that holds it. Without a seat, it lies on the table.
    #[serde(skip_serializing_if = "is_default", deserialize_with = "seat")]
    pub seat: Option<Seat>,
    /// Its title.
    #[serde(skip_serializing_if = "is_default")]
    pub title: Text<40>,
    /// Its text.
    #[serde(skip_serializing_if = "is_default")]
    pub text: Text<200>,
}

/// A number with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// The owner, if it has one.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "seat")]
    pub seat: Option<Seat>,
    /// Its name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Text<40>,
    /// The number.
    pub value: Number,
    /// The maximum, for a bar beside the number.
    #[serde(default, skip_serializing_if = "is_default")]
    pub max: Option<Number>,
}

/// A text of at most `MOST` characters. A longer one is cut, and control characters become spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Cow<'_, str>")]
pub struct Text<const MOST: usize>(String);

/// A number from -1,000,000 to 1,000,000, as a count of thousandths, so that it is written as it
/// was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Number(i32);

/// A mistake in a line that should be a drawing: its place, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DrawingError(String);

impl Drawing {
    /// Reads a line of JSON.
    ///
    /// # Errors
    /// [`DrawingError`]
    pub fn parse(line: &str) -> Result<Drawing, DrawingError> {
        if line.len() > LONGEST {
            return Err(DrawingError(format!(
                "it has {} bytes: expected at most {LONGEST}",
                line.len()
            )));
        }
        if !line.trim_start().starts_with('{') {
            return Err(DrawingError(
                "expected a JSON object, for instance {\"grid\":[\"X.\",\".O\"]}".to_owned(),
            ));
        }
        let mut reader = serde_json::Deserializer::from_str(line);
        let drawing: Drawing = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            DrawingError(match error.path().to_string().as_str() {
                "." | "?" => error.into_inner().to_string(),
                path => format!("{path}: {}", error.inner()),
            })
        })?;
        reader
            .end()
            .map_err(|error| DrawingError(error.to_string()))?;
        drawing.check()?;
        Ok(drawing)
    }

    /// Checks the limits of counts, and that tokens have a place.
    fn check(&self) -> Result<(), DrawingError> {
        for (key, count, most) in [
            ("legend", self.legend.len(), 128),
            ("tokens", self.tokens.len(), 2000),
            ("cards", self.cards.len(), 200),
            ("bars", self.bars.len(), 64),
            ("text", self.text.len(), 50),
        ] {
            if count > most {
                return Err(DrawingError(format!(
                    "{key}: it has {count} entries: expected at most {most}"
                )));
            }
        }
        if !self.tokens.is_empty() && self.size() == [0, 0] {
            return Err(DrawingError(
                "tokens: expected a grid or a size beside them, for instance \"size\":[8,8]"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Returns the number of columns and rows.
    fn size(&self) -> [usize; 2] {
        match self.grid.first() {
            Some(row) => [row.chars().count(), self.grid.len()],
            None => self.size.unwrap_or_default(),
        }
    }

    /// Returns the grid with its tokens, the bars beside it, and cards and text below.
    pub(crate) fn text(&self, names: &[String]) -> String {
        let board = self.board();
        let notes: Vec<String> = self.bars.iter().map(|bar| bar.note(names)).collect();
        let mut text = beside(&board, &notes);
        let mut below: Vec<String> = self.cards.iter().map(|card| card.note(names)).collect();
        below.extend(self.text.iter().map(|text| text.0.clone()));
        if !text.is_empty() && !below.is_empty() {
            text.push('\n');
        }
        text.extend(below.iter().map(|line| format!("  {line}\n")));
        text
    }

    fn board(&self) -> Vec<String> {
        let [columns, rows] = self.size();
        let characters = |row: &String| row.chars().collect();
        let mut cells: Vec<Vec<char>> = self.grid.iter().map(characters).collect();
        cells.resize_with(rows, || vec!['.'; columns]);
        for token in &self.tokens {
            if let (Some(row), Some(column)) = (token.y.cell(), token.x.cell())
                && let Some(row) = cells.get_mut(row)
                && let Some(cell) = row.get_mut(column)
            {
                *cell = token.letter().unwrap_or(*cell);
            }
        }
        cells
            .into_iter()
            .map(|row| match columns {
                ..=SPACED => spaced(row),
                _ => row.into_iter().collect(),
            })
            .collect()
    }
}

impl Token {
    /// Returns the first character of its label, else its seat, else a symbol for its shape. A ring
    /// shows what is under it.
    fn letter(&self) -> Option<char> {
        let shape = match self.shape {
            _ if !self.label.0.is_empty() => return self.label.0.chars().next(),
            Shape::Circle => 'o',
            Shape::Square => '#',
            Shape::Diamond => '*',
            Shape::Triangle => '^',
            Shape::Cross => 'x',
            Shape::Ring | Shape::None => return None,
        };
        match self.seat {
            Some(seat) => seat.to_string().chars().next(),
            None => Some(shape),
        }
    }
}

/// Returns the owner, as the beginning of a line.
fn owner(seat: Option<Seat>, names: &[String]) -> String {
    match seat {
        Some(seat) => format!("{seat}  {}  ", name(names, seat)),
        None => String::new(),
    }
}

impl DrawnCard {
    fn note(&self, names: &[String]) -> String {
        let (title, text) = (&self.title.0, &self.text.0);
        let has_both = !title.is_empty() && !text.is_empty();
        let gap = if has_both { ": " } else { "" };
        format!("{}[{title}{gap}{text}]", owner(self.seat, names))
    }
}

impl Bar {
    fn note(&self, names: &[String]) -> String {
        let (name, value) = (&self.name.0, self.value.shown());
        let gap = if name.is_empty() { "" } else { " " };
        let max = self.max.map(|max| format!("/{}", max.shown()));
        let (of, max) = (owner(self.seat, names), max.unwrap_or_default());
        format!("{of}{name}{gap}{value}{max}")
    }
}

impl<const MOST: usize> From<Cow<'_, str>> for Text<MOST> {
    fn from(text: Cow<'_, str>) -> Text<MOST> {
        let text = text.replace(char::is_control, " ");
        if text.chars().nth(MOST).is_none() {
            return Text(text);
        }
        Text(text.chars().take(MOST - 1).chain(['…']).collect())
    }
}

impl Number {
    /// Returns the cell that contains the coordinate.
    fn cell(self) -> Option<usize> {
        usize::try_from((self.0 + 500).div_euclid(1000)).ok()
    }

    fn shown(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 1000 {
            0 => serializer.serialize_i32(self.0 / 1000),
            _ => serializer.serialize_f64(self.shown()),
        }
    }
}

impl TryFrom<f64> for Number {
    type Error = DrawingError;

    fn try_from(number: f64) -> Result<Number, DrawingError> {
        if number.abs() > 1_000_000.0 {
            return Err(DrawingError(format!(
                "{number} is too large: expected -1000000 to 1000000"
            )));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is below 2^30")]
        let thousandths = (number * 1000.0).round() as i32;
        Ok(Number(thousandths))
    }
}

/// Returns true if a key can be left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Fails because of a value.
fn refused<T, E: Error>(why: String) -> Result<T, E> {
    Err(E::custom(why))
}

/// The rows of a grid, all of the same length.
fn grid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let mut rows = Vec::<String>::deserialize(deserializer)?;
    let count = rows.len();
    if count > SIDE {
        return refused(format!("it has {count} rows: expected at most {SIDE}"));
    }
    let columns = rows.first().map_or(1, |row| row.chars().count());
    if !(1..=SIDE).contains(&columns) {
        return refused(format!(
            "its rows have {columns} characters: expected 1 to {SIDE}"
        ));
    }
    for (number, row) in rows.iter_mut().enumerate() {
        let found = row.chars().count();
        if found != columns {
            return refused(format!(
                "row {number} has {found} characters: expected {columns}, as many as row 0"
            ));
        }
        *row = row.replace(char::is_control, " ");
    }
    Ok(rows)
}

fn seat<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Seat>, D::Error> {
    let most = MAX_SEATS - 1;
    match Option::<Seat>::deserialize(deserializer)? {
        Some(seat @ MAX_SEATS..) => refused(format!("seat {seat}: expected 0 to {most}")),
        seat => Ok(seat),
    }
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[usize; 2]>, D::Error> {
    let size = Option::<[usize; 2]>::deserialize(deserializer)?;
    match size {
        Some([1..=SIDE, 1..=SIDE]) | None => Ok(size),
        Some(_) => refused(format!("expected columns and rows, each 1 to {SIDE}")),
    }
}

#[cfg(test)]
mod tests;
