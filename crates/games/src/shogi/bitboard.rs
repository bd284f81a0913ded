//! Sets of the squares of a shogi board.

#![expect(
    clippy::cast_possible_truncation,
    reason = "squares are numbers below 25"
)]

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use super::{Color, Square};

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

    /// Returns the squares of a rank, from 1 (topmost) to 5.
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard(0b11111 << (5 * (5 - rank)))
    }

    /// Returns the squares of a file, from 5 (leftmost) to 1.
    pub const fn file(file: u8) -> Bitboard {
        Bitboard(0b00001_00001_00001_00001_00001 << (5 - file))
    }

    /// Returns the rank on which the pieces of `color` promote, the one farthest from its own camp.
    pub const fn promotion_zone(color: Color) -> Bitboard {
        match color {
            Color::Black => Bitboard::rank(1),
            Color::White => Bitboard::rank(5),
        }
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

    /// Returns the number of squares in two sets together, counting common ones twice.
    pub(super) const fn len_with(self, other: Bitboard) -> u32 {
        (self.0 as u64 | (other.0 as u64) << 32).count_ones()
    }

    /// Returns the set moved one rank forward as `color` sees it, dropping squares that leave the
    /// board.
    #[must_use]
    pub const fn forward(self, color: Color) -> Bitboard {
        match color {
            Color::Black => Bitboard(self.0 << 5 & Bitboard::ALL.0),
            Color::White => Bitboard(self.0 >> 5),
        }
    }

    /// Returns the set moved one file to either side, dropping squares that leave the board.
    #[must_use]
    pub const fn sideways(self) -> Bitboard {
        let right = (self.0 & !Bitboard::file(1).0) << 1;
        let left = (self.0 & !Bitboard::file(5).0) >> 1;
        Bitboard(left | right)
    }

    /// Returns the lowest square of the set.
    pub const fn first(self) -> Option<Square> {
        if self.is_empty() {
            None
        } else {
            Some(Square(self.0.trailing_zeros() as u8))
        }
    }

    /// Returns the highest square of the set.
    pub const fn last(self) -> Option<Square> {
        if self.is_empty() {
            None
        } else {
            Some(Square(self.0.ilog2() as u8))
        }
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;

    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;

    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl Not for Bitboard {
    type Output = Bitboard;

    /// Returns the squares of the board that aren't in the set.
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Bitboard::ALL.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    /// Iterates over the squares of the set, in ascending order.
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// An iterator over the squares of a [`Bitboard`], in ascending order.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }
}

impl DoubleEndedIterator for Squares {
    fn next_back(&mut self) -> Option<Square> {
        let square = self.0.last()?;
        self.0.0 ^= Bitboard::of(square).0;
        Some(square)
    }
}
