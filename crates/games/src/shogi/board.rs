//! The pieces on the board.

use std::fmt::{self, Display, Write};

use super::{Bitboard, Color, Piece, Role, Square};

/// The 25 squares and the pieces on them.
///
/// It displays as in prompts: five lines, the top rank first, `.` for an empty square.
// Six bit sets: one per owner, and one per bit of the role's number. So a board is small to copy
// and compare, and it finds the piece on a square or all pieces of a role in a few instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    colors: [Bitboard; 2],
    numbers: [Bitboard; 4],
}

impl Board {
    /// The empty board.
    pub const EMPTY: Board = Board {
        colors: [Bitboard::EMPTY; 2],
        numbers: [Bitboard::EMPTY; 4],
    };

    /// Returns the piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.color(color).contains(square))?;
        Some(Piece::new(color, self.role_at(square)))
    }

    /// Returns the squares occupied by one side.
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// Returns the squares with a piece of this role, of either side.
    #[inline]
    pub fn role(&self, role: Role) -> Bitboard {
        self.among(self.occupied(), role)
    }

    /// Returns the squares with this piece.
    #[inline]
    pub fn piece(&self, piece: Piece) -> Bitboard {
        self.among(self.color(piece.color), piece.role)
    }

    /// Returns the occupied `squares` that have this role.
    #[inline]
    fn among(&self, mut squares: Bitboard, role: Role) -> Bitboard {
        for (bit, &set) in self.numbers.iter().enumerate() {
            let has_bit = role as u8 >> bit & 1 == 1;
            squares &= if has_bit { set } else { !set };
        }
        squares
    }

    /// Returns the occupied squares.
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Returns the role on an occupied square; the king for an empty one.
    #[inline]
    pub(super) fn role_at(&self, square: Square) -> Role {
        let mut number = 0;
        for (bit, &set) in self.numbers.iter().enumerate() {
            number |= u8::from(set.contains(square)) << bit;
        }
        Role::from_number(number)
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.colors[piece.color.index()] |= Bitboard::of(square);
        for (bit, set) in self.numbers.iter_mut().enumerate() {
            set.0 |= u32::from(piece.role as u8 >> bit & 1) << square.0;
        }
    }

    /// Empties a square.
    #[inline]
    pub(super) fn clear(&mut self, square: Square) {
        let others = !Bitboard::of(square);
        for set in self.colors.iter_mut().chain(&mut self.numbers) {
            *set &= others;
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> fmt::Result {
        for rank in 1..=5 {
            for square in Bitboard::rank(rank) {
                match self.piece_at(square) {
                    Some(piece) => piece.write(out)?,
                    None => out.write_char('.')?,
                }
            }
            out.write_char('\n')?;
        }
        Ok(())
    }
}

impl Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}
