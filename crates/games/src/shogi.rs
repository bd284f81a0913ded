//! Shogi on five by five squares: board, hands, moves and perft, for the referees of MiniShogi and
//! Dice Shogi and for bots.
//!
//! ```
//! use arena_games::shogi::{Color, Move, Position};
//!
//! let mut position = Position::start();
//! let mut moves = Vec::new();
//! position.legal_moves(&mut moves);
//! assert_eq!(moves.len(), 14);
//!
//! let bishop_out = Move::parse("2543", Color::Black).unwrap();
//! assert!(moves.contains(&bishop_out));
//! position.play(bishop_out);
//! assert_eq!(position.to_string(), "rbsgk/4p/1B3/P4/KGS1R w - 1");
//! ```
//!
//! This file defines colours, roles, moves and their notation. The modules, in reading order:
//! `bitboard` (ranks and files), `attacks` (how pieces move), `hand`, `board`, `position`, `moves`
//! (the legal ones, and counting them), `sfen` (positions as text), `referee` (the common part of
//! the two games), `picture` (positions for viewers), `text` (a program that reads typed moves).

mod attacks;
mod bitboard;
mod board;
mod hand;
mod moves;
mod picture;
mod position;
pub mod referee;
mod sfen;
pub mod text;

use std::fmt::{self, Display, Write};

use strum::VariantArray;

use crate::squares;

pub use attacks::attacks;
pub use board::Board;
pub use hand::Hand;
pub use moves::{Batch, MAX_MOVES, perft, perft_split};
pub use picture::Picture;
pub use position::{Key, Position};

/// A side. Black is player 0, moves first and upwards, and has upper-case letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Color {
    /// Player 0, upper case, starts at the bottom.
    Black,
    /// Player 1, lower case, starts at the top.
    White,
}

impl Color {
    /// Both sides, the first player first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// Returns 0 for black and 1 for white, which is also the seat.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the other side.
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

/// The type of a piece, including promotion.
///
/// The number of a promoted role is that of its unpromoted kind plus 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, VariantArray)]
#[repr(u8)]
pub enum Role {
    /// `K`
    King = 0,
    /// `G`
    Gold = 1,
    /// `S`
    Silver = 2,
    /// `B`
    Bishop = 3,
    /// `R`
    Rook = 4,
    /// `P`
    Pawn = 5,
    /// `+S`
    PromotedSilver = 10,
    /// `+B`
    PromotedBishop = 11,
    /// `+R`
    PromotedRook = 12,
    /// `+P`
    PromotedPawn = 13,
}

impl Role {
    /// The roles that a piece in hand can have.
    pub const IN_HAND: [Role; 5] = {
        use Role::{Bishop, Gold, Pawn, Rook, Silver};
        [Gold, Silver, Bishop, Rook, Pawn]
    };

    /// The difference between the numbers of promoted and unpromoted roles.
    const PROMOTION: u8 = 8;

    /// Returns the role with the low four bits of this number, or the king if there is none.
    #[inline]
    const fn from_number(number: u8) -> Role {
        const ROLES: [Role; 16] = {
            let mut table = [Role::King; 16];
            let mut index = 0;
            while index < Role::VARIANTS.len() {
                table[Role::VARIANTS[index] as usize] = Role::VARIANTS[index];
                index += 1;
            }
            table
        };
        ROLES[(number & 0b1111) as usize]
    }

    /// Returns true for promoted roles.
    pub const fn is_promoted(self) -> bool {
        self as u8 & Role::PROMOTION != 0
    }

    /// Returns true if the piece can promote: silver, bishop, rook and pawn.
    pub const fn can_promote(self) -> bool {
        matches!(self, Role::Silver | Role::Bishop | Role::Rook | Role::Pawn)
    }

    /// Returns the promoted role; the same role if it can't promote.
    #[must_use]
    pub const fn promoted(self) -> Role {
        if self.can_promote() {
            Role::from_number(self as u8 | Role::PROMOTION)
        } else {
            self
        }
    }

    /// Returns the role after a capture; the same role if it isn't promoted.
    #[must_use]
    pub const fn unpromoted(self) -> Role {
        Role::from_number(self as u8 & !Role::PROMOTION)
    }

    /// Returns true if the piece slides along ranks and files: the rook and the promoted rook.
    pub const fn slides_straight(self) -> bool {
        matches!(self, Role::Rook | Role::PromotedRook)
    }

    /// Returns true if the piece slides along diagonals: the bishop and the promoted bishop.
    pub const fn slides_diagonally(self) -> bool {
        matches!(self, Role::Bishop | Role::PromotedBishop)
    }

    /// Returns the letter of the unpromoted kind, in upper case.
    pub const fn letter(self) -> char {
        b"KGSBRP"[self.unpromoted() as usize] as char
    }

    /// Returns the unpromoted role with this letter, in either case.
    pub fn from_letter(letter: char) -> Option<Role> {
        let letter = letter.to_ascii_uppercase();
        Role::VARIANTS
            .iter()
            .copied()
            .find(|role| !role.is_promoted() && role.letter() == letter)
    }
}

/// A piece on the board or in hand. Its notation is a letter, after a `+` if it is promoted, in
/// upper case for black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// The side that owns it.
    pub color: Color,
    /// Its role.
    pub role: Role,
}

impl Piece {
    /// Returns a piece.
    pub const fn new(color: Color, role: Role) -> Piece {
        Piece { color, role }
    }

    /// Returns the letter without the `+` of a promoted piece.
    pub const fn letter(self) -> char {
        match self.color {
            Color::Black => self.role.letter(),
            Color::White => self.role.letter().to_ascii_lowercase(),
        }
    }

    /// Parses a piece.
    pub fn parse(text: &str) -> Option<Piece> {
        let letter = text.strip_prefix('+').unwrap_or(text);
        let [byte] = *letter.as_bytes() else {
            return None;
        };
        let color = Color::ALL[usize::from(byte.is_ascii_lowercase())];
        let role = Role::from_letter(char::from(byte))?;
        if letter == text {
            return Some(Piece { color, role });
        }
        role.can_promote()
            .then_some(Piece::new(color, role.promoted()))
    }

    // Prompts consist of many small items, which these functions write faster than formatting does.
    fn write(self, out: &mut impl Write) -> fmt::Result {
        if self.role.is_promoted() {
            out.write_char('+')?;
        }
        out.write_char(self.letter())
    }
}

impl Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// The notation of squares: file and rank. `51` is the top left corner as printed, `15` the bottom
/// right.
///
/// Squares are ordered by row from the bottom up, and from left to right within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileRank;

/// A square of shogi.
pub type Square = squares::Square<FileRank>;
/// A set of squares of shogi.
pub type Bitboard = squares::Bitboard<FileRank>;

impl Square {
    /// Returns the square on this file (5 is leftmost) and rank (1 is topmost), both from 1 to 5.
    pub const fn new(file: u8, rank: u8) -> Option<Square> {
        if matches!((file, rank), (1..=5, 1..=5)) {
            Some(Square::at((5 - rank) * 5 + (5 - file)))
        } else {
            None
        }
    }

    /// Returns the file, from 5 on the left to 1 on the right.
    pub const fn file(self) -> u8 {
        5 - self.0 % 5
    }

    /// Returns the rank, from 1 at the top to 5 at the bottom.
    pub const fn rank(self) -> u8 {
        5 - self.0 / 5
    }

    /// Parses the two digits of a square.
    fn from_digits(file: u8, rank: u8) -> Option<Square> {
        Square::new(file.wrapping_sub(b'0'), rank.wrapping_sub(b'0'))
    }

    fn write(self, out: &mut impl Write) -> fmt::Result {
        out.write_char(char::from(b'0' + self.file()))?;
        out.write_char(char::from(b'0' + self.rank()))
    }
}

impl Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// A move. Its notation is `5453`, `4321+` with a promotion, or `P*43` and `p*24` for a drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A piece moves on the board.
    Board {
        /// Its square.
        from: Square,
        /// The target, with a capture if it is occupied.
        to: Square,
        /// True if it promotes.
        promote: bool,
    },
    /// A piece is dropped from the hand.
    Drop {
        /// The piece; its colour decides the case of its letter.
        piece: Piece,
        /// The empty target square.
        to: Square,
    },
}

impl Move {
    /// Returns the square where the piece ends up.
    pub const fn to(self) -> Square {
        match self {
            Move::Board { to, .. } | Move::Drop { to, .. } => to,
        }
    }

    /// Parses a move of `mover`. The letter of a drop can be in either case.
    pub fn parse(text: &str, mover: Color) -> Option<Move> {
        match *text.as_bytes() {
            [letter, b'*', file, rank] => {
                let role =
                    Role::from_letter(char::from(letter)).filter(|&role| role != Role::King)?;
                let piece = Piece::new(mover, role);
                let to = Square::from_digits(file, rank)?;
                Some(Move::Drop { piece, to })
            }
            [a, b, c, d] | [a, b, c, d, b'+'] => Some(Move::Board {
                from: Square::from_digits(a, b)?,
                to: Square::from_digits(c, d)?,
                promote: text.len() == 5,
            }),
            _ => None,
        }
    }

    fn write(self, out: &mut impl Write) -> fmt::Result {
        match self {
            Move::Board { from, to, promote } => {
                from.write(out)?;
                to.write(out)?;
                if promote { out.write_char('+') } else { Ok(()) }
            }
            Move::Drop { piece, to } => {
                piece.write(out)?;
                out.write_char('*')?;
                to.write(out)
            }
        }
    }
}

impl Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_by_row_then_column_and_written_by_file_and_rank() {
        let written: Vec<String> = Bitboard::ALL
            .into_iter()
            .map(|square| square.to_string())
            .collect();
        assert_eq!(written[..6], ["55", "45", "35", "25", "15", "54"]);
        assert_eq!(written[24], "11");
        for square in Bitboard::ALL {
            assert_eq!(
                square.to_string(),
                format!("{}{}", square.file(), square.rank())
            );
            assert_eq!(Square::new(square.file(), square.rank()), Some(square));
        }
        for [file, rank] in [*b"05", *b"50", *b"56", *b"60", *b"5a", *b"\xc3\xa9", *b"/5"] {
            assert_eq!(Square::from_digits(file, rank), None, "{file} {rank}");
        }
    }

    /// Returns the side of a drop, from the case of its letter.
    fn mover(text: &str) -> Color {
        if text.starts_with(|first: char| first.is_ascii_lowercase()) {
            Color::White
        } else {
            Color::Black
        }
    }

    #[test]
    fn moves_are_read_as_they_are_written() {
        for text in ["5453", "4321+", "P*43", "p*24", "g*11", "R*55"] {
            assert_eq!(Move::parse(text, mover(text)).unwrap().to_string(), text);
        }
        assert_eq!(
            Move::parse("P*43", Color::White).unwrap().to_string(),
            "p*43"
        );
        for text in [
            "", "54", "545", "54534", "5453-", "5453++", "+P*33", "K*33", "x*33", "P*60", "P*3",
            "5403", " 5453", "5\u{e9}4",
        ] {
            assert!(Move::parse(text, mover(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn pieces_are_read_as_they_are_written() {
        for text in ["K", "g", "+s", "+P", "b", "+R"] {
            assert_eq!(Piece::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "+", "++s", "+k", "+G", "x", "s+", "sp", "1", "\u{e9}"] {
            assert_eq!(Piece::parse(text), None, "{text}");
        }
    }

    #[test]
    fn promotion_and_capture_undo_each_other() {
        for &role in Role::VARIANTS {
            assert_eq!(Role::from_number(role as u8), role);
            assert_eq!(role.promoted().unpromoted(), role.unpromoted());
            assert_eq!(role.can_promote(), role.promoted() != role);
            assert_eq!(Role::from_letter(role.letter()), Some(role.unpromoted()));
        }
    }
}
