//! Sets of the squares of a board of five by five.

#![expect(
    clippy::cast_possible_truncation,
    reason = "squares are numbers below 25"
)]

use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

/// A square of a board of five by five. Games number and name their squares differently.
pub trait BoardSquare: Copy {
    /// Returns the square with this number, from 0 to 24.
    fn from_number(number: u8) -> Self;

    /// Returns the number of the square.
    fn number(self) -> u8;
}

/// A set of squares, one bit each: the bit of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bitboard<S>(pub(crate) u32, PhantomData<S>);

impl<S: BoardSquare> Bitboard<S> {
    /// No square.
    pub const EMPTY: Bitboard<S> = Bitboard::new(0);

    /// Every square.
    pub const ALL: Bitboard<S> = Bitboard::new((1 << 25) - 1);

    pub(crate) const fn new(bits: u32) -> Bitboard<S> {
        Bitboard(bits, PhantomData)
    }

    /// Returns the set of one square.
    pub fn of(square: S) -> Bitboard<S> {
        Bitboard::new(1 << square.number())
    }

    /// Returns true if `square` belongs to the set.
    pub fn contains(self, square: S) -> bool {
        self.0 >> square.number() & 1 == 1
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
    pub fn first(self) -> Option<S> {
        (self.0 != 0).then(|| S::from_number(self.0.trailing_zeros() as u8))
    }

    /// Returns the highest square of the set.
    pub fn last(self) -> Option<S> {
        (self.0 != 0).then(|| S::from_number(self.0.ilog2() as u8))
    }

    /// Iterates over the squares of the set, in ascending order.
    pub fn iter(mut self) -> impl Iterator<Item = S> {
        std::iter::from_fn(move || {
            let square = self.first()?;
            self.0 &= self.0 - 1;
            Some(square)
        })
    }
}

impl<S: BoardSquare> BitAnd for Bitboard<S> {
    type Output = Bitboard<S>;

    fn bitand(self, other: Bitboard<S>) -> Bitboard<S> {
        Bitboard::new(self.0 & other.0)
    }
}

impl<S: BoardSquare> BitOr for Bitboard<S> {
    type Output = Bitboard<S>;

    fn bitor(self, other: Bitboard<S>) -> Bitboard<S> {
        Bitboard::new(self.0 | other.0)
    }
}

impl<S: BoardSquare> Not for Bitboard<S> {
    type Output = Bitboard<S>;

    /// Returns the squares of the board that aren't in the set.
    fn not(self) -> Bitboard<S> {
        Bitboard::new(!self.0 & Bitboard::<S>::ALL.0)
    }
}
