//! Sets of the squares of a shogi board.

use super::{Bitboard, Color};

impl Bitboard {
    /// Returns the squares of a rank, from 1 (topmost) to 5.
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard::from_bits(0b11111 << (5 * (5 - rank)))
    }

    /// Returns the squares of a file, from 5 (leftmost) to 1.
    pub const fn file(file: u8) -> Bitboard {
        Bitboard::from_bits(0b00001_00001_00001_00001_00001 << (5 - file))
    }

    /// Returns the rank on which the pieces of `color` promote, the one farthest from its own camp.
    pub const fn promotion_zone(color: Color) -> Bitboard {
        match color {
            Color::Black => Bitboard::rank(1),
            Color::White => Bitboard::rank(5),
        }
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
            Color::Black => Bitboard::from_bits(self.0 << 5 & Bitboard::ALL.0),
            Color::White => Bitboard::from_bits(self.0 >> 5),
        }
    }

    /// Returns the set moved one file to either side, dropping squares that leave the board.
    #[must_use]
    pub const fn sideways(self) -> Bitboard {
        let right = (self.0 & !Bitboard::file(1).0) << 1;
        let left = (self.0 & !Bitboard::file(5).0) >> 1;
        Bitboard::from_bits(left | right)
    }
}
