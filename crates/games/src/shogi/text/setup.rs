//! Files of the text program: a position, then actions.
//!
//! ```text
//! k a1
//! K e5
//! +p c4
//!
//! [P R]
//! []
//!
//! move a1 a2
//! ```
//!
//! One piece per line, then the pieces captured by UPPER and by lower, then the actions, lower's
//! first. Blanks around a line are ignored, and so is a byte order mark (U+FEFF) before the text.

use crate::TextError;

use super::super::{Board, Color, Hand, Piece, Position, Role, Square};
use super::{TextGame, letter, name, read_square};

const PIECE: &str = "a piece and its square, such as `k a1` or `+B c4`";
const END_OF_PIECES: &str = "an empty line after the pieces, then what each player has captured";
const UPPER_LIST: &str =
    "the pieces captured by UPPER, of G S B R P in square brackets, such as `[P R]` or `[]`";
const LOWER_LIST: &str =
    "the pieces captured by lower, of g s b r p in square brackets, such as `[p r]` or `[]`";
const BLANK: &str = "an empty line between the captured pieces and the actions";

/// The maximum number of characters of a line in a message.
const QUOTED: usize = 60;

/// Plays the actions in a text. Returns the game after the last one, or after the one that ended
/// it, with a final line feed.
///
/// # Errors
/// [`TextError`] if the text doesn't contain a position. An illegal action isn't an error: it loses
/// the game.
pub fn replay(text: &str) -> Result<String, TextError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Lines {
        rest: text.lines(),
        number: 0,
    };
    let board = read_board(&mut lines)?;
    let upper = read_captures(&mut lines, Color::White, UPPER_LIST)?;
    let lower = read_captures(&mut lines, Color::Black, LOWER_LIST)?;
    if let Some(line) = lines.next()
        && !line.is_empty()
    {
        return Err(lines.mistake(line, BLANK));
    }
    let position = Position {
        board,
        hands: [Hand::EMPTY; 2],
        side: Color::Black,
    };
    let mut game = TextGame::new(position, [lower, upper]);
    while game.ending().is_none()
        && let Some(action) = lines.next()
    {
        game.play(action);
    }
    Ok(format!("{game}\n"))
}

/// The lines of a text, trimmed.
struct Lines<'a> {
    rest: std::str::Lines<'a>,
    /// The number of the last line read, from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let line = self.rest.next()?.trim_ascii();
        self.number += 1;
        Some(line)
    }

    /// Returns the next line that isn't blank.
    fn next_filled(&mut self, expected: &str) -> Result<&'a str, TextError> {
        loop {
            match self.next() {
                Some("") => {}
                Some(line) => return Ok(line),
                None => return Err(self.short(expected)),
            }
        }
    }

    fn mistake(&self, text: &str, expected: &str) -> TextError {
        let (number, line) = (self.number, quotable(text));
        TextError(format!("read line {number}, `{line}`: expected {expected}"))
    }

    fn short(&self, expected: &str) -> TextError {
        let number = self.number;
        TextError(format!(
            "read on after line {number}, the last one: expected {expected}"
        ))
    }
}

/// Returns a line for a message, without its control characters and cut, because a wrong file may
/// consist of one very long line.
fn quotable(line: &str) -> String {
    let mut text = String::new();
    for symbol in line.chars().take(QUOTED) {
        if symbol.is_control() {
            text.extend(symbol.escape_default());
        } else {
            text.push(symbol);
        }
    }
    if line.chars().nth(QUOTED).is_some() {
        text.push_str("...");
    }
    text
}

/// Parses the pieces on the board, up to a blank line.
fn read_board(lines: &mut Lines) -> Result<Board, TextError> {
    let mut board = Board::EMPTY;
    let mut line = lines.next_filled(PIECE)?;
    while !line.is_empty() {
        let (piece, square) = read_piece(line).ok_or_else(|| lines.mistake(line, PIECE))?;
        if board.occupied().contains(square) {
            return Err(lines.mistake(line, "a free square, but another line has a piece there"));
        }
        board.put(piece, square);
        line = lines.next().ok_or_else(|| lines.short(END_OF_PIECES))?;
    }
    for color in Color::ALL {
        let found = board.piece(Piece::new(color, Role::King)).len();
        if found != 1 {
            return Err(TextError(format!(
                "accept the pieces that end at line {}: {} has {found} kings, expected one (`{}`)",
                lines.number - 1,
                name(color),
                letter(color, Role::King)
            )));
        }
    }
    Ok(board)
}

/// Parses a piece and its square.
fn read_piece(line: &str) -> Option<(Piece, Square)> {
    let (piece, square) = line.split_once(|c: char| c.is_ascii_whitespace())?;
    let Piece { color, role } = Piece::parse(piece)?;
    let square = read_square(square.trim_ascii_start())?;
    Some((Piece::new(color.opponent(), role), square))
}

/// Parses the list of pieces that one player captured.
fn read_captures(lines: &mut Lines, color: Color, expected: &str) -> Result<Vec<Role>, TextError> {
    let line = lines.next_filled(expected)?;
    let mistake = || lines.mistake(line, expected);
    let list = line.strip_prefix('[').ok_or_else(mistake)?;
    let list = list.strip_suffix(']').ok_or_else(mistake)?;
    let mut captured = Vec::new();
    for text in list.split_ascii_whitespace() {
        let role = Role::IN_HAND
            .into_iter()
            .find(|&role| text.chars().eq([letter(color, role)]));
        captured.push(role.ok_or_else(mistake)?);
    }
    Ok(captured)
}
