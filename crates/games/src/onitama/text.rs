//! Positions as the lines of a prompt.

use std::fmt::{self, Display, Write};

use crate::TextError;

use super::{Bitboard, Card, Color, Position, Square};

impl Display for Position {
    /// Writes the ten lines of the position in a prompt: the board, the top row first, and the
    /// cards.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_lines(f)
    }
}

impl Position {
    pub(super) fn write_lines(&self, out: &mut impl Write) -> fmt::Result {
        for y in (0..5).rev() {
            for square in (0..5).filter_map(|x| Square::new(x, y)) {
                out.write_char(self.symbol(square))?;
            }
            out.write_char('\n')?;
        }
        let [[a, b], [c, d]] = self.hands;
        let (white, black) = (Color::White, Color::Black);
        for (owner, card, orientation) in [
            ("0", a, white),
            ("0", b, white),
            ("1", c, black),
            ("1", d, black),
            ("-1", self.centre, self.side),
        ] {
            for part in [owner, card.line(orientation), "\n"] {
                out.write_str(part)?;
            }
        }
        Ok(())
    }

    fn symbol(&self, square: Square) -> char {
        match Color::ALL
            .into_iter()
            .find(|&color| self.pieces(color).contains(square))
        {
            Some(color) if self.masters.contains(square) => color.letter().to_ascii_uppercase(),
            Some(color) => color.letter(),
            None => '.',
        }
    }

    /// Parses the ten lines of a position in a prompt. The centre card shows the side to move,
    /// since no card looks the same from both sides.
    ///
    /// ```
    /// # use arena_games::onitama::Position;
    /// let lines = "bbBbb\n.....\n.....\n.....\nwwWww\n\
    ///     0 8 -1 0 1 1 1 -1 0 0\n0 6 -2 0 0 1 2 0 0 0\n1 0 1 -1 1 1 -1 0 0 0\n\
    ///     1 12 1 -1 1 0 -1 0 -1 1\n-1 9 -1 -1 1 1 2 0 0 0\n";
    /// let lines: Vec<&str> = lines.lines().collect();
    /// assert_eq!(Position::from_lines(lines.try_into().unwrap())?, Position::deal(1));
    /// # Ok::<(), arena_games::TextError>(())
    /// ```
    ///
    /// # Errors
    /// [`TextError`] with the mistake and its place.
    pub fn from_lines(lines: [&str; 10]) -> Result<Position, TextError> {
        let lines = lines.map(str::trim_end);
        let [board @ .., a, b, c, d, centre] = lines;
        let [a, b, c, d, centre] = [a, b, c, d, centre].map(read_card);
        let cards = [a?, b?, c?, d?, centre?];
        if let Some(at) = (1..5).find(|&at| cards[..at].contains(&cards[at])) {
            return Err(TextError(format!(
                "accept the cards: card {} appears twice",
                cards[at]
            )));
        }
        let mut position = Position::start(cards);
        (position.pieces, position.masters) = read_board(board)?;
        for side in Color::ALL {
            position.side = side;
            if position.to_string().lines().eq(lines) {
                return Ok(position);
            }
        }
        let written = position.to_string();
        let (expected, line) = written
            .lines()
            .zip(lines)
            .find(|(expected, line)| expected != line)
            .unwrap_or_default();
        Err(TextError(format!(
            "read the line `{line}`: expected `{expected}`"
        )))
    }
}

/// Parses the rows of the board from the top. Returns the pieces by side and the masters. Other
/// symbols count as empty squares.
fn read_board(rows: [&str; 5]) -> Result<([Bitboard; 2], Bitboard), TextError> {
    let (mut pieces, mut masters) = ([Bitboard::EMPTY; 2], Bitboard::EMPTY);
    for square in Bitboard::ALL {
        let row = rows[4 - usize::from(square.y())];
        let symbol = row.chars().nth(square.x().into()).unwrap_or('.');
        for color in Color::ALL {
            if symbol.to_ascii_lowercase() == color.letter() {
                pieces[color.index()] |= Bitboard::of(square);
                if symbol.is_ascii_uppercase() {
                    masters |= Bitboard::of(square);
                }
            }
        }
    }
    for color in Color::ALL {
        let own = pieces[color.index()];
        let (masters, pieces) = ((own & masters).len(), own.len());
        if masters != 1 || pieces > 5 {
            return Err(TextError(format!(
                "accept the board: expected 1 master and at most 5 pieces of {color}, found {masters} and {pieces}"
            )));
        }
    }
    Ok((pieces, masters))
}

/// Parses the id in the line of a card.
fn read_card(line: &str) -> Result<Card, TextError> {
    if let Some(id) = line.split(' ').nth(1)
        && let Ok(id) = id.parse()
        && let Some(card) = Card::new(id)
    {
        return Ok(card);
    }
    Err(TextError(format!(
        "read the card line `{line}`: expected an owner, a card from 0 to 15 and its offsets"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 10] = [
        "bbBbb",
        ".....",
        ".....",
        ".....",
        "wwWww",
        "0 8 -1 0 1 1 1 -1 0 0",
        "0 6 -2 0 0 1 2 0 0 0",
        "1 0 1 -1 1 1 -1 0 0 0",
        "1 12 1 -1 1 0 -1 0 -1 1",
        "-1 9 -1 -1 1 1 2 0 0 0",
    ];

    #[test]
    fn lines_may_keep_their_ends() {
        let lines = LINES.map(|line| line.to_owned() + "\r\n");
        assert_eq!(
            Position::from_lines(lines.each_ref().map(String::as_str)),
            Ok(Position::deal(1))
        );
    }

    /// The index of a wrong line in [`LINES`], the line, and what is said about it.
    const WRONG: &str = "\
0 bbBb => read the line `bbBb`: expected `bbBb.`
4 wwWww. => read the line `wwWww.`: expected `wwWww`
2 ..x.. => read the line `..x..`: expected `.....`
2 ...\u{e9} => read the line `...\u{e9}`: expected `.....`
0 bbbbb => accept the board: expected 1 master and at most 5 pieces of black, found 0 and 5
1 B.... => accept the board: expected 1 master and at most 5 pieces of black, found 2 and 6
3 ..w.. => accept the board: expected 1 master and at most 5 pieces of white, found 1 and 6
5  => read the card line ``: expected an owner, a card from 0 to 15 and its offsets
5 0 16 0 0 0 0 0 0 0 0 => read the card line `0 16 0 0 0 0 0 0 0 0`: expected an owner, a card from 0 to 15 and its offsets
6 0 8 -1 0 1 1 1 -1 0 0 => accept the cards: card 8 appears twice
6 1 6 -2 0 0 1 2 0 0 0 => read the line `1 6 -2 0 0 1 2 0 0 0`: expected `0 6 -2 0 0 1 2 0 0 0`
8 1 12 -1 1 -1 0 1 0 1 -1 => read the line `1 12 -1 1 -1 0 1 0 1 -1`: expected `1 12 1 -1 1 0 -1 0 -1 1`
9 -1 9 => read the line `-1 9`: expected `-1 9 1 1 -1 -1 -2 0 0 0`
";

    #[test]
    fn what_is_no_position_is_refused_where_it_is_wrong() {
        for case in WRONG.lines() {
            let (wrong, message) = case.split_once(" => ").unwrap();
            let (at, line) = wrong.split_once(' ').unwrap();
            let mut lines = LINES;
            lines[at.parse::<usize>().unwrap()] = line;
            let found = Position::from_lines(lines).unwrap_err().to_string();
            assert_eq!(found, format!("can't {message}"));
        }
    }
}
