//! What the referee sends: the board, the hands, in Dice Shogi the die, the opponent's last move and the moves on offer.

use std::io::{self, BufRead, Lines};

use arena::games::shogi::{Color, Move, Position, SfenError};

/// The games that the bots of this crate play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Game {
    /// Mini Shogi.
    MiniShogi,
    /// Dice Shogi.
    DiceShogi,
}

/// One turn, as it is put before a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The position, with the bot to move.
    pub position: Position,
    /// The die, from 1 to 6, in Dice Shogi.
    pub die: Option<u8>,
    /// The opponent's last move; `None` on the first turn of the game.
    pub last: Option<Move>,
    /// The moves on offer: at least one, and all of them legal.
    pub moves: Vec<Move>,
}

/// Why there is no further turn.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The input ended, which is how a game ends for a bot.
    #[error("read the prompt: the input ended")]
    End,
    /// The input cannot be read, or is no UTF-8.
    #[error("read the prompt: {0}")]
    Input(io::Error),
    /// The answer cannot be written.
    #[error("write the answer: {0}")]
    Output(io::Error),
    /// A line that the protocol does not allow in its place.
    #[error("read line {line} of the input: expected {expected}, found `{found}`")]
    Line {
        /// The number of the line, from 1, over all turns.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// The line.
        found: String,
    },
    /// Board and hands that are no position.
    #[error("read the position above line {line} of the input: {source}")]
    Position {
        /// The number of the line below the hands.
        line: usize,
        /// What is wrong.
        source: SfenError,
    },
}

/// Reads turns from the referee.
#[derive(Debug)]
pub struct Reader<R> {
    game: Game,
    lines: Lines<R>,
    /// The number of lines read so far.
    read: usize,
    /// The side that the bot plays; known once the first prompt told.
    side: Option<Color>,
}

impl<R: BufRead> Reader<R> {
    /// A reader of one game.
    pub fn new(game: Game, input: R) -> Reader<R> {
        Reader { game, lines: input.lines(), read: 0, side: None }
    }

    /// Waits for the next turn.
    ///
    /// # Errors
    /// [`PromptError`], which is [`PromptError::End`] once the game is over.
    pub fn turn(&mut self) -> Result<Turn, PromptError> {
        let side = match self.side {
            Some(side) => side,
            None => self.greeting()?,
        };
        self.side = Some(side);
        let position = self.position(side)?;
        let die = match self.game {
            Game::MiniShogi => None,
            Game::DiceShogi => {
                Some(self.parse("a die from 1 to 6", |text| text.parse().ok().filter(|die| (1..=6).contains(die)))?)
            }
        };
        let last = self.parse("the last move or `none`", |text| match text {
            "none" => Some(None),
            _ => Move::parse(text, side.opponent()).map(Some),
        })?;
        let count: usize =
            self.parse("the number of moves, at least 1", |text| text.parse().ok().filter(|&count| count > 0))?;
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        let mut moves = Vec::new();
        for _ in 0..count {
            moves.push(
                self.parse("a legal move", |text| Move::parse(text, side).filter(|action| legal.contains(action)))?,
            );
        }
        Ok(Turn { position, die, last, moves })
    }

    /// The two lines that come before the first turn: the player's number and the size of the board.
    fn greeting(&mut self) -> Result<Color, PromptError> {
        let side = self.parse("the player, 0 or 1", |text| match text {
            "0" => Some(Color::Black),
            "1" => Some(Color::White),
            _ => None,
        })?;
        self.parse("the size of the board, 5", |text| (text == "5").then_some(side))
    }

    /// Five lines of the board and one for each hand. They differ from SFEN only in how they are put together.
    fn position(&mut self, side: Color) -> Result<Position, PromptError> {
        let mut ranks = Vec::new();
        for _ in 0..5 {
            ranks.push(self.line()?.replace('.', "1"));
        }
        let hands = [self.line()?, self.line()?].concat().replace('-', "");
        let hands = if hands.is_empty() { "-" } else { &hands };
        let side = match side {
            Color::Black => 'b',
            Color::White => 'w',
        };
        let sfen = format!("{} {side} {hands}", ranks.join("/"));
        Position::from_sfen(&sfen).map_err(|source| PromptError::Position { line: self.read + 1, source })
    }

    /// The next line as `read` understands it.
    fn parse<T>(&mut self, expected: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, PromptError> {
        let found = self.line()?;
        read(&found).ok_or(PromptError::Line { line: self.read, expected, found })
    }

    fn line(&mut self) -> Result<String, PromptError> {
        let line = self.lines.next().ok_or(PromptError::End)?.map_err(PromptError::Input)?;
        self.read += 1;
        Ok(line)
    }
}
