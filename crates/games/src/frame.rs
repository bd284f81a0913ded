//! Positions as viewers show them, written as JSON or drawn as text.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::drawing::Drawing;
use super::{Seat, kutulu, onitama, shogi};

/// A position. As JSON, the keys of its picture are at the same level.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    /// As [`Game::turn`](crate::Game::turn).
    pub turn: u32,
    /// The seats that must reply now.
    pub due: Vec<Seat>,
    /// The scores by seat.
    #[serde(serialize_with = "exact_scores")]
    pub scores: Vec<i64>,
    /// The reason why the game ended, if it did.
    pub reason: Option<String>,
    /// The visible position.
    #[serde(flatten)]
    pub picture: Picture,
}

/// Serializes scores as numbers if every reader of JSON keeps them exactly (below 2^53), else as
/// strings.
///
/// # Errors
/// Those of the serializer.
pub fn exact_scores<S: Serializer>(scores: &[i64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(scores.iter().map(|score| match score.unsigned_abs() >> 53 {
        0 => Value::from(*score),
        _ => Value::from(score.to_string()),
    }))
}

/// The visible position of a game.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Picture {
    /// `MiniShogi` or Dice Shogi.
    Shogi(shogi::Picture),
    /// Onitama.
    Onitama(onitama::Picture),
    /// Code of Kutulu.
    Kutulu(kutulu::Picture),
    /// A game that the program adds.
    Drawing(Drawing),
}

/// The parts of a position that stay the same for the whole game.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// Nothing.
    None {},
    /// Onitama.
    Onitama {
        /// The five cards, by their ids.
        cards: Vec<onitama::CardSetting>,
    },
    /// Code of Kutulu.
    Kutulu {
        /// The rows of the map, in the format of [`Maze::new`](kutulu::Maze::new).
        map: Vec<String>,
        /// The constants drawn for the game.
        #[serde(flatten)]
        constants: kutulu::Constants,
        /// The reach of plans, in steps.
        plan_radius: u32,
        /// The reach of lights, in steps.
        light_radius: u32,
    },
}

impl Frame {
    /// Returns the position as lines of text; empty for a game without a drawing. `names` are the
    /// players by seat.
    pub fn text(&self, names: &[String]) -> String {
        match &self.picture {
            Picture::Shogi(picture) => picture.text(names, self.reason.is_some()),
            Picture::Onitama(picture) => picture.text(names),
            Picture::Kutulu(picture) => picture.text(names),
            Picture::Drawing(drawing) => drawing.text(names),
        }
    }
}

/// Returns the name of a player.
pub(crate) fn name(names: &[String], seat: Seat) -> &str {
    names.get(seat).map_or("?", String::as_str)
}

/// Returns a board with lines of text beside it.
pub(crate) fn beside(board: &[String], notes: &[String]) -> String {
    let width = board.first().map_or(0, |row| row.chars().count());
    let mut text = String::new();
    for line in 0..board.len().max(notes.len()) {
        let [row, note] = [board, notes].map(|lines| lines.get(line).map_or("", String::as_str));
        text += format!("  {row:width$}   {note}").trim_end();
        text.push('\n');
    }
    text
}

/// Returns a row of a board: each symbol with a space before it, aligned to the right in `width`
/// columns, and a space after the last.
///
/// A cell is its square and its symbol. The square that the last move left has a `*`, and the
/// piece that it moved is in brackets: `. *[w]. . `.
pub(crate) fn row<S: AsRef<str>>(
    cells: impl IntoIterator<Item = (String, S)>,
    width: usize,
    [from, to]: [&str; 2],
) -> String {
    let mut row = " ".to_owned();
    for (square, symbol) in cells {
        let symbol = match symbol.as_ref() {
            "." if square == from => "*",
            symbol => symbol,
        };
        let before = row.len() + width - symbol.len();
        let _ = write!(row, "{symbol:>width$} ");
        if square == to {
            row.replace_range(before - 1..before, "[");
            row.replace_range(row.len() - 1.., "]");
        }
    }
    row
}

/// Returns the squares of a move: its first four characters. A drop comes from nowhere.
pub(crate) fn squares(action: Option<&str>) -> [&str; 2] {
    let action = action.unwrap_or_default();
    [0..2, 2..4].map(|place| action.get(place).unwrap_or_default())
}

/// Puts a space before each symbol.
pub(crate) fn spaced(symbols: impl IntoIterator<Item = char>) -> String {
    symbols
        .into_iter()
        .flat_map(|symbol| [' ', symbol])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_marks_the_move() {
        let row = |symbols: [&'static str; 3], width, action| {
            let cells = ["A1", "B1", "C1"]
                .map(str::to_owned)
                .into_iter()
                .zip(symbols);
            row(cells, width, squares(action))
        };
        assert_eq!(row([".", "w", "b"], 1, None), " . w b ");
        assert_eq!(row([".", "w", "b"], 1, Some("A1B1")), " *[w]b ");
        assert_eq!(row(["W", ".", "."], 1, Some("B1A1")), "[W]* . ");
        assert_eq!(row([".", ".", "w"], 1, Some("A2C1")), " . .[w]");
        assert_eq!(row([".", "w", "b"], 1, Some("PASS")), " . w b ");
        assert_eq!(row([".", "+S", "b"], 2, Some("A1B1+")), "  *[+S] b ");
        assert_eq!(row([".", ".", "G"], 2, Some("G*C1")), "  .  . [G]");
        // What was captured there came back before the board was drawn.
        assert_eq!(row(["b", "w", "."], 1, Some("A1B1")), " b[w]. ");
    }
}
