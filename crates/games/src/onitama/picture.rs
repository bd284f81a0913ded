//! Positions of Onitama as viewers show them.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Card, Color, Position};
use crate::frame::{name, row, squares};
use crate::{Seat, Setting};

/// A position of Onitama.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The seat to move, even after the end.
    pub side: Seat,
    /// Five rows as in prompts: `w` and `b` are students, `W` and `B` masters.
    pub board: Vec<String>,
    /// The two cards of each seat.
    pub hands: [[Card; 2]; 2],
    /// The fifth card, which `side` gets.
    pub centre: Card,
    /// The last action, in the notation of replies.
    pub last: Option<String>,
}

/// A card.
#[derive(Clone, Debug, Serialize)]
pub struct CardSetting {
    /// Its id.
    pub id: Card,
    /// Its name.
    pub name: &'static str,
    /// Its moves for seat 0, in columns to the right and rows upwards. They are reversed for seat
    /// 1.
    pub moves: Vec<(i8, i8)>,
}

/// Returns the cards of a game.
pub(super) fn setting(position: &Position) -> Setting {
    let mut cards = position.hands.concat();
    cards.push(position.centre);
    cards.sort_unstable();
    let cards = cards.into_iter().map(|id| CardSetting {
        id,
        name: id.name(),
        moves: id.offsets(Color::White).collect(),
    });
    Setting::Onitama {
        cards: cards.collect(),
    }
}

/// The width of a card, and of the name over the two cards of a side.
const CARD: usize = 14;
const HOLDER: usize = 2 * CARD + 2;

impl Picture {
    pub(super) fn new(position: &Position, last: Option<String>) -> Picture {
        let rows = position.to_string();
        Picture {
            side: position.side.index(),
            board: rows.lines().take(5).map(str::to_owned).collect(),
            hands: position.hands,
            centre: position.centre,
            last,
        }
    }

    /// Returns the board, and below it every card as its holder uses it; the centre card is shown
    /// for the side to move.
    pub(crate) fn text(&self, names: &[String]) -> String {
        let mut text = String::new();
        let action = self.last.as_deref().and_then(|last| last.split(' ').nth(1));
        for (number, pieces) in (1..=5).rev().zip(&self.board) {
            let cells = ('A'..)
                .zip(pieces.chars())
                .map(|(column, piece)| (format!("{column}{number}"), piece.to_string()));
            let row = row(cells, 1, squares(action));
            let _ = writeln!(text, "  {number} {}", row.trim_end());
        }
        text.push_str("     A B C D E\n\n");
        for seat in 0..2 {
            let _ = write!(text, "  {:HOLDER$.HOLDER$}", name(names, seat));
        }
        text.push_str("  centre\n");
        let [[a, b], [c, d]] = self.hands;
        let [white, black] = Color::ALL;
        let centre = (self.centre, Color::ALL[self.side]);
        let cards = [(a, white), (b, white), (c, black), (d, black), centre];
        text += &line(cards.map(|(card, _)| format!("{card} {}", card.name())));
        for dy in (-2..=2).rev() {
            text += &line(cards.map(|(card, color)| card_row(card, color, dy)));
        }
        text
    }
}

fn line(cells: [String; 5]) -> String {
    let cells = cells.map(|cell| format!("  {cell:CARD$}"));
    cells.concat().trim_end().to_owned() + "\n"
}

/// Returns a row of a card: `O` is the piece, `x` a target.
fn card_row(card: Card, color: Color, dy: i8) -> String {
    let symbols = [-2, -1, 0, 1, 2].map(|dx| match (dx, dy) {
        (0, 0) => "O",
        _ if card.offsets(color).any(|offset| offset == (dx, dy)) => "x",
        _ => ".",
    });
    symbols.join(" ")
}
