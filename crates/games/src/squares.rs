//! Squares of a board of five by five, and sets of them.

#![expect(
    clippy::cast_possible_truncation,
    reason = "squares are numbers below 25"
)]

use std::marker::PhantomData;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// One of the 25 squares, in the order and the notation `N` of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square<N>(pub(crate) u8, PhantomData<N>);

impl<N: Copy> Square<N> {
    /// The number of squares.
    pub const COUNT: usize = 25;

    /// Returns the square with this index, from 0 to 24.
    pub(crate) const fn at(index: u8) -> Square<N> {
        Square(index, PhantomData)
    }

    /// Returns the index in the order of squares, from 0 to 24.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of squares, one bit each: the bit of its [`Square::index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bitboard<N>(pub(crate) u32, PhantomData<N>);

impl<N: Copy> Bitboard<N> {
    /// No square.
    pub const EMPTY: Bitboard<N> = Bitboard::from_bits(0);

    /// Every square.
    pub const ALL: Bitboard<N> = Bitboard::from_bits((1 << Square::<N>::COUNT) - 1);

    pub(crate) const fn from_bits(bits: u32) -> Bitboard<N> {
        Bitboard(bits, PhantomData)
    }

    /// Returns the set of one square.
    pub const fn of(square: Square<N>) -> Bitboard<N> {
        Bitboard::from_bits(1 << square.0)
    }

    /// Returns true if `square` belongs to the set.
    pub const fn contains(self, square: Square<N>) -> bool {
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
    pub fn first(self) -> Option<Square<N>> {
        (!self.is_empty()).then(|| Square::at(self.0.trailing_zeros() as u8))
    }
}

impl<N: Copy> BitAnd for Bitboard<N> {
    type Output = Bitboard<N>;

    fn bitand(self, other: Bitboard<N>) -> Bitboard<N> {
        Bitboard::from_bits(self.0 & other.0)
    }
}

impl<N> BitAndAssign for Bitboard<N> {
    fn bitand_assign(&mut self, other: Bitboard<N>) {
        self.0 &= other.0;
    }
}

impl<N: Copy> BitOr for Bitboard<N> {
    type Output = Bitboard<N>;

    fn bitor(self, other: Bitboard<N>) -> Bitboard<N> {
        Bitboard::from_bits(self.0 | other.0)
    }
}

impl<N> BitOrAssign for Bitboard<N> {
    fn bitor_assign(&mut self, other: Bitboard<N>) {
        self.0 |= other.0;
    }
}

impl<N: Copy> Not for Bitboard<N> {
    type Output = Bitboard<N>;

    /// Returns the squares of the board that aren't in the set.
    fn not(self) -> Bitboard<N> {
        Bitboard::from_bits(!self.0 & Bitboard::<N>::ALL.0)
    }
}

/// Iterates over the squares of the set, in ascending order.
impl<N: Copy> IntoIterator for Bitboard<N> {
    type Item = Square<N>;
    type IntoIter = Squares<N>;

    fn into_iter(self) -> Squares<N> {
        Squares(self)
    }
}

/// An iterator over the squares of a [`Bitboard`], in ascending order.
#[derive(Clone, Debug)]
pub struct Squares<N>(Bitboard<N>);

impl<N: Copy> Iterator for Squares<N> {
    type Item = Square<N>;

    #[inline]
    fn next(&mut self) -> Option<Square<N>> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(square)
    }
}

impl<N: Copy> DoubleEndedIterator for Squares<N> {
    #[inline]
    fn next_back(&mut self) -> Option<Square<N>> {
        let square = Square::at(self.0.0.checked_ilog2()? as u8);
        self.0.0 ^= Bitboard::of(square).0;
        Some(square)
    }
}
