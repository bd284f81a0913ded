//! Positions in SFEN, shogi's usual notation: ranks from the top, side to move, hands, move number.

use std::fmt;

use crate::TextError;

use super::{Bitboard, Board, Color, Hand, Piece, Position, Role};

impl Position {
    /// Parses a position. The move number is optional and ignored. Hands keep the given order as
    /// that of capture.
    ///
    /// # Errors
    /// [`TextError`] with the mistake and its place.
    pub fn from_sfen(text: &str) -> Result<Position, TextError> {
        let position = Position::read(text)?;
        let waiting = position.side.opponent();
        if position.is_attacked(waiting) {
            return Err(TextError(format!(
                "accept the position: {waiting} is in check, but it is the other side's turn"
            )));
        }
        Ok(position)
    }

    /// Parses a position, even if it lets a king be captured.
    pub(super) fn read(text: &str) -> Result<Position, TextError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let ([board, side, hands] | [board, side, hands, _]) = fields[..] else {
            return Err(TextError(format!(
                "read the position: expected board, side, hands and perhaps a move number, found {} fields",
                fields.len()
            )));
        };
        let side = match side {
            "b" => Color::Black,
            "w" => Color::White,
            _ => {
                return Err(TextError(format!(
                    "read the side to move: expected `b` or `w`, found `{side}`"
                )));
            }
        };
        let mut position = Position {
            board: read_board(board)?,
            hands: [Hand::EMPTY; 2],
            side,
        };
        if hands != "-" {
            position.read_hands(hands)?;
        }
        Ok(position)
    }

    fn read_hands(&mut self, text: &str) -> Result<(), TextError> {
        for token in text.split_inclusive(|symbol: char| !symbol.is_ascii_digit()) {
            let (count, letter) = match digit(token) {
                Some(count @ 1..) => (count, &token[1..]),
                _ => (1, token),
            };
            let problem = format!("read the hands `{text}`: `{token}` is no piece to drop");
            let Piece { color, role } = Piece::parse(letter)
                .filter(|piece| piece.role != Role::King)
                .ok_or(TextError(problem))?;
            for _ in 0..count {
                let held: usize = self.hands.iter().map(|hand| hand.count(role)).sum();
                if held + on_board(&self.board, role) >= 2 {
                    return Err(too_many(role));
                }
                self.hands[color.index()].push(role);
            }
        }
        Ok(())
    }
}

fn read_board(text: &str) -> Result<Board, TextError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 5 {
        return Err(TextError(format!(
            "read the board: expected 5 ranks separated by `/`, found {}",
            ranks.len()
        )));
    }
    let mut board = Board::EMPTY;
    for (rank, text) in (1..).zip(ranks) {
        read_rank(rank, text, &mut board)?;
    }
    check_pieces(&board)?;
    Ok(board)
}

fn read_rank(rank: u8, text: &str, board: &mut Board) -> Result<(), TextError> {
    let wrong_width = TextError(format!(
        "read the board: rank {rank}, `{text}`, does not fill exactly 5 squares"
    ));
    let mut squares = Bitboard::rank(rank).into_iter();
    for token in text.split_inclusive(|symbol| symbol != '+') {
        if let Some(count @ 1..) = digit(token) {
            squares.nth(count - 1).ok_or(wrong_width.clone())?;
            continue;
        }
        let problem = format!("read the board: rank {rank}, `{text}`: `{token}` is no piece");
        let piece = Piece::parse(token).ok_or(TextError(problem))?;
        board.put(piece, squares.next().ok_or(wrong_width.clone())?);
    }
    squares.next().map_or(Ok(()), |_| Err(wrong_width))
}

/// Returns the digit at the start of a text.
fn digit(text: &str) -> Option<usize> {
    Some(text.chars().next()?.to_digit(10)? as usize)
}

fn check_pieces(board: &Board) -> Result<(), TextError> {
    for color in Color::ALL {
        let kings = board.piece(Piece::new(color, Role::King)).len();
        if kings != 1 {
            return Err(TextError(format!(
                "accept the position: {color} has {kings} kings on the board instead of one"
            )));
        }
        let pawns = board.piece(Piece::new(color, Role::Pawn));
        if let Some(pawn) = (pawns & Bitboard::promotion_zone(color)).first() {
            return Err(TextError(format!(
                "accept the position: the pawn on {pawn} is on its furthest rank"
            )));
        }
        if let Some(file) = (1..=5).find(|&file| (pawns & Bitboard::file(file)).len() > 1) {
            return Err(TextError(format!(
                "accept the position: {color} has two unpromoted pawns on file {file}"
            )));
        }
    }
    for role in Role::IN_HAND {
        if on_board(board, role) > 2 {
            return Err(too_many(role));
        }
    }
    Ok(())
}

fn too_many(role: Role) -> TextError {
    TextError(format!(
        "accept the position: there are more than two pieces of the kind `{}`",
        role.letter()
    ))
}

/// Returns the number of pieces of an unpromoted kind on the board, including promoted ones.
fn on_board(board: &Board, role: Role) -> usize {
    (board.role(role) | board.role(role.promoted())).len() as usize
}

impl fmt::Display for Position {
    /// Writes the position as SFEN with the move number 1 and the hands in the order of capture.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut board = self.board.to_string().trim_end().replace('\n', "/");
        for count in (1..=5).rev() {
            board = board.replace(&".".repeat(count), &count.to_string());
        }
        let side = ['b', 'w'][self.side.index()];
        write!(f, "{board} {side} ")?;
        write_hands(self, f)?;
        f.write_str(" 1")
    }
}

fn write_hands(position: &Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if position.hands.iter().all(|hand| hand.is_empty()) {
        return f.write_str("-");
    }
    for color in Color::ALL {
        let mut pieces = position.hand(color).iter().peekable();
        while let Some(role) = pieces.next() {
            if pieces.next_if_eq(&role).is_some() {
                f.write_str("2")?;
            }
            write!(f, "{}", Piece { color, role })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_written_as_they_are_read() {
        for text in [
            "rbsgk/4p/5/P4/KGSBR b - 1",
            "+P2+Sb/2g2/1ksp1/R1b2/K4 w gr 1",
            "1sk2/rp1r1/4g/1G3/4K w BSbp 1",
            "2sR1/4k/2PR1/2GG1/2K2 b 2BPs 1",
            "4k/5/5/5/K4 b PBPrgsrgs 1",
        ] {
            assert_eq!(Position::from_sfen(text).unwrap().to_string(), text);
        }
        assert_eq!(
            Position::from_sfen("rbsgk/4p/5/P4/KGSBR b -"),
            Ok(Position::start())
        );
    }

    /// Texts that are no positions, and what is said about each.
    const WRONG: &str = "\
=> read the position: expected board, side, hands and perhaps a move number, found 0 fields
4k/5/5/K4 b - => read the board: expected 5 ranks separated by `/`, found 4
4k/5/6/5/K4 b - => read the board: rank 3, `6`, does not fill exactly 5 squares
4k/5/4/5/K4 b - => read the board: rank 3, `4`, does not fill exactly 5 squares
4k/4pp/5/5/K4 b - => read the board: rank 2, `4pp`, does not fill exactly 5 squares
4k/5/2x2/5/K4 b - => read the board: rank 3, `2x2`: `x` is no piece
4k/5/2+g2/5/K4 b - => read the board: rank 3, `2+g2`: `+g` is no piece
4k/5/5+/5/K4 b - => read the board: rank 3, `5+`: `+` is no piece
4k/5/+5/5/K4 b - => read the board: rank 3, `+5`: `+5` is no piece
4k/5/5/5/K4 x - => read the side to move: expected `b` or `w`, found `x`
4k/5/5/5/K4 b Pk => read the hands `Pk`: `k` is no piece to drop
4k/5/5/5/K4 b P2 => read the hands `P2`: `2` is no piece to drop
5/5/5/5/K4 b - => accept the position: white has 0 kings on the board instead of one
4k/5/4K/5/K4 b - => accept the position: black has 2 kings on the board instead of one
4k/5/2g2/5/KGG2 b - => accept the position: there are more than two pieces of the kind `G`
4k/5/2+p2/5/K4 b 2p => accept the position: there are more than two pieces of the kind `P`
4k/5/5/5/K4 b 9G => accept the position: there are more than two pieces of the kind `G`
P3k/5/5/5/K4 b - => accept the position: the pawn on 51 is on its furthest rank
4k/5/2P2/2P2/K4 b - => accept the position: black has two unpromoted pawns on file 3
4k/4R/5/5/K4 b - => accept the position: white is in check, but it is the other side's turn
";

    #[test]
    fn what_is_wrong_is_told() {
        for case in WRONG.lines() {
            let (text, expected) = case.split_once("=> ").unwrap();
            let found = Position::from_sfen(text).unwrap_err().to_string();
            assert_eq!(found, format!("can't {expected}"), "{text}");
        }
    }
}
