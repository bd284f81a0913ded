//! Positions of shogi as viewers show them.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use super::{Bitboard, Board, Color, Hand, Piece, Position};
use crate::Seat;
use crate::frame::{name, row, spaced, squares};

/// A position of `MiniShogi` or Dice Shogi.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The seat to move, even after the end.
    pub side: Seat,
    /// True if its king is attacked.
    pub check: bool,
    /// The board; as JSON, five rows as in prompts.
    #[serde(serialize_with = "rows")]
    pub board: Board,
    /// The letters of the captured pieces in the order of their capture, by seat.
    pub hands: [String; 2],
    /// The last move in the notation of prompts.
    pub last: Option<String>,
    /// The roll of the turn, in Dice Shogi.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub die: Option<u32>,
}

fn rows<S: Serializer>(board: &Board, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(board.to_string().lines())
}

impl Picture {
    pub(super) fn new(position: &Position, last: Option<String>, die: Option<u32>) -> Picture {
        Picture {
            side: position.side().index(),
            check: position.in_check(),
            board: *position.board(),
            hands: Color::ALL.map(|color| letters(position.hand(color), color).collect()),
            last,
            die,
        }
    }

    /// Returns the board with the files and ranks of moves, the hands beside the camps, and remarks
    /// beside the middle.
    pub(crate) fn text(&self, names: &[String], is_over: bool) -> String {
        let mut text = "      5  4  3  2  1\n".to_owned();
        for rank in 1..=5 {
            let cells = Bitboard::rank(rank).into_iter().map(|square| {
                let piece = self.board.piece_at(square);
                let symbol = piece.map_or_else(|| ".".to_owned(), |piece| piece.to_string());
                (square.to_string(), symbol)
            });
            let row = row(cells, 2, squares(self.last.as_deref()));
            let beside = match rank {
                1 => self.hand(1, names),
                3 => self.remarks(is_over),
                5 => self.hand(0, names),
                _ => String::new(),
            };
            let line = format!("  {rank} {row}  {beside}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    fn hand(&self, seat: Seat, names: &[String]) -> String {
        let letters = match self.hands[seat].as_str() {
            "" => "-",
            letters => letters,
        };
        format!("{}:{}", name(names, seat), spaced(letters.chars()))
    }

    fn remarks(&self, is_over: bool) -> String {
        match (self.die, self.check) {
            (Some(die), true) if !is_over => format!("die {die}, check"),
            (Some(die), false) if !is_over => format!("die {die}"),
            (_, true) => "check".to_owned(),
            (_, false) => String::new(),
        }
    }
}

/// Returns the letters of captured pieces.
pub(super) fn letters(hand: Hand, color: Color) -> impl Iterator<Item = char> {
    hand.iter().map(move |role| Piece { color, role }.letter())
}
