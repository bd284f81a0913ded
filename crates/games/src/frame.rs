//! Positions for those who draw them: values that are written as JSON, and drawn as text.

use serde::{Deserialize, Serialize};

use super::drawing::Drawing;
use super::{Seat, kutulu, onitama, shogi};

/// A position. As JSON, the keys of its picture stand beside those here.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    /// As [`Game::turn`](crate::Game::turn).
    pub turn: u32,
    /// The seats that must reply now.
    pub due: Vec<Seat>,
    /// By seat.
    pub scores: Vec<i32>,
    /// Why the game ended, if it did.
    pub reason: Option<String>,
    /// What is to be seen.
    #[serde(flatten)]
    pub picture: Picture,
}

/// What is to be seen of a position.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Picture {
    /// Of `MiniShogi` and Dice Shogi.
    Shogi(shogi::Picture),
    /// Of Onitama.
    Onitama(onitama::Picture),
    /// Of Code of Kutulu.
    Kutulu(kutulu::Picture),
    /// Of a game whose referee is another program.
    Drawing(Drawing),
}

/// What pictures leave out because it stays as it is for the whole game.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// Nothing.
    None {},
    /// Of Onitama.
    Onitama {
        /// The five cards, by their ids.
        cards: Vec<onitama::CardSetting>,
    },
    /// Of Code of Kutulu.
    Kutulu {
        /// The rows of the map, as [`Maze::new`](kutulu::Maze::new) reads them.
        map: Vec<String>,
        /// What was drawn for the game.
        #[serde(flatten)]
        constants: kutulu::Constants,
        /// How far plans reach, in steps.
        plan_radius: u32,
        /// How far lights reach, in steps.
        light_radius: u32,
    },
}

/// What a referee that is another program told viewers before a question, or at the end of the game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shown {
    /// The position. Most answers have none, so that it is kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<Box<Drawing>>,
    /// What it said in words, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Shown {
    /// Whether nothing was shown.
    pub fn is_empty(&self) -> bool {
        self.frame.is_none() && self.notes.is_empty()
    }
}

impl Frame {
    /// The position as lines of text; `names` are those of the players, by seat. Nothing for a game that is not drawn.
    pub fn text(&self, names: &[String]) -> String {
        match &self.picture {
            Picture::Shogi(picture) => picture.text(names, self.reason.is_some()),
            Picture::Onitama(picture) => picture.text(names),
            Picture::Kutulu(picture) => picture.text(names),
            Picture::Drawing(drawing) => drawing.text(names),
        }
    }
}

/// The name of a player.
pub(crate) fn name(names: &[String], seat: Seat) -> &str {
    names.get(seat).map_or("?", String::as_str)
}

/// A board, with lines of text beside it.
pub(crate) fn beside(board: &[String], notes: &[String]) -> String {
    let width = board.first().map_or(0, |row| row.chars().count());
    let mut text = String::new();
    for line in 0..board.len().max(notes.len()) {
        let row = board.get(line).map_or("", String::as_str);
        let note = notes.get(line).map_or("", String::as_str);
        text += format!("  {row:width$}   {note}").trim_end();
        text.push('\n');
    }
    text
}

/// Each symbol behind a blank.
pub(crate) fn spaced(symbols: impl IntoIterator<Item = char>) -> String {
    symbols
        .into_iter()
        .flat_map(|symbol| [' ', symbol])
        .collect()
}
