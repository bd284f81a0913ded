//! Sides, squares and sets of squares.

use std::fmt::{self, Write};
use std::ops::{BitAnd, BitOr, Not};

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
            Color::White => Square(10),
            Color::Black => Square(14),
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

/// One of the 25 squares. Its notation is column and row: `A1` is the bottom left corner as
/// printed, `E5` the top right.
///
/// Squares are ordered by column from the left, and from the bottom up within a column, as in the
/// list of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub(super) u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 25;

    /// Returns the square in this column (0 is leftmost) and row (0 is lowest), both from 0 to 4.
    pub const fn new(x: u8, y: u8) -> Option<Square> {
        if x < 5 && y < 5 {
            Some(Square(5 * x + y))
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

    /// Returns the index in the order of squares, from 0 to 24.
    pub const fn index(self) -> usize {
        self.0 as usize
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

/// A set of squares, one bit each: the bit of its [`Square::index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub(super) u32);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// Every square.
    pub const ALL: Bitboard = Bitboard((1 << Square::COUNT) - 1);

    /// Returns the set of one square.
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.0)
    }

    /// Returns true if `square` belongs to the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 & Bitboard::of(square).0 != 0
    }

    /// Returns true if the set has no squares.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of squares in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the lowest square of the set.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "squares are numbers below 25"
    )]
    pub const fn first(self) -> Option<Square> {
        if self.is_empty() {
            None
        } else {
            Some(Square(self.0.trailing_zeros() as u8))
        }
    }

    /// Iterates over the squares of the set, in ascending order.
    #[inline]
    pub fn iter(mut self) -> impl Iterator<Item = Square> {
        std::iter::from_fn(move || {
            let square = self.first()?;
            self.0 &= self.0 - 1;
            Some(square)
        })
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;

    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;

    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;

    /// Returns the squares of the board that aren't in the set.
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Bitboard::ALL.0)
    }
}
