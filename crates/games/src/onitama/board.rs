//! Sides, squares and sets of squares.

use std::fmt::{self, Write};

use crate::squares;

/// A side. White is player 0, moves first, and starts at the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Color {
    /// Player 0, with the letters `W` and `w`.
    White,
    /// Player 1, with the letters `B` and `b`.
    Black,
}

impl Color {
    /// Both sides, the first player first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// Returns 0 for white and 1 for black, which is also the seat.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the other side.
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// Returns the square where this side's master starts and the other side's master wins.
    pub const fn shrine(self) -> Square {
        match self {
            Color::White => Square::at(10),
            Color::Black => Square::at(14),
        }
    }

    /// Returns the letter of this side's students. Masters have it in upper case.
    pub(super) const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }
}

/// The notation of squares: column and row. `A1` is the bottom left corner as printed, `E5` the top
/// right.
///
/// Squares are ordered by column from the left, and from the bottom up within a column, as in the
/// list of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnRow;

/// A square of Onitama.
pub type Square = squares::Square<ColumnRow>;
/// A set of squares of Onitama.
pub type Bitboard = squares::Bitboard<ColumnRow>;

impl Square {
    /// Returns the square in this column (0 is leftmost) and row (0 is lowest), both from 0 to 4.
    pub const fn new(x: u8, y: u8) -> Option<Square> {
        if x < 5 && y < 5 {
            Some(Square::at(5 * x + y))
        } else {
            None
        }
    }

    /// Returns the column, from 0 on the left to 4 on the right.
    pub const fn x(self) -> u8 {
        self.0 / 5
    }

    /// Returns the row, from 0 at the bottom to 4 at the top.
    pub const fn y(self) -> u8 {
        self.0 % 5
    }

    /// Parses a letter, in either case, and a digit.
    pub(super) fn from_bytes(letter: u8, digit: u8) -> Option<Square> {
        Square::new(
            letter.to_ascii_uppercase().wrapping_sub(b'A'),
            digit.wrapping_sub(b'1'),
        )
    }

    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        out.write_char(char::from(b'A' + self.x()))?;
        out.write_char(char::from(b'1' + self.y()))
    }
}
