//! What a bot is asked, in any game, and how it is read: the parts that the games share.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufRead};
use std::time::Duration;

/// One turn, as it is put before a bot.
pub trait Turn {
    /// A position of the game.
    type Position;
    /// What the bot may do in a turn. Written as the referee reads it.
    type Action: Copy + Display;

    /// The actions on offer: at least one, and all of them legal.
    fn actions(&self) -> &[Self::Action];

    /// The position after a legal action.
    fn after(&self, action: Self::Action) -> Self::Position;
}

/// How the referee of a game tells a bot its turns.
pub trait Protocol {
    /// What is known from the prompts before: at first, what the head of the first one tells.
    type Known;
    /// What each prompt tells.
    type Turn: Turn;

    /// The time that the game allows for a turn other than the first.
    fn time_limit(&self) -> Duration;

    /// Reads what stands before the first turn.
    ///
    /// # Errors
    /// [`PromptError`]
    fn greeting(&self, lines: &mut Lines<impl BufRead>) -> Result<Self::Known, PromptError>;

    /// Reads one turn, and takes note of what later ones do not tell.
    ///
    /// # Errors
    /// [`PromptError`]
    fn turn(
        &self,
        known: &mut Self::Known,
        lines: &mut Lines<impl BufRead>,
    ) -> Result<Self::Turn, PromptError>;
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
    /// Lines that are no position together.
    #[error("read the position above line {line} of the input: {source}")]
    Position {
        /// The number of the line below the position.
        line: usize,
        /// What is wrong.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The lines that the referee sends.
#[derive(Debug)]
pub struct Lines<R> {
    lines: io::Lines<R>,
    /// The number of lines read so far.
    read: usize,
}

impl<R: BufRead> Lines<R> {
    /// The next line.
    ///
    /// # Errors
    /// [`PromptError`] when there is none.
    pub fn line(&mut self) -> Result<String, PromptError> {
        let line = self
            .lines
            .next()
            .ok_or(PromptError::End)?
            .map_err(PromptError::Input)?;
        self.read += 1;
        Ok(line)
    }

    /// The next line as `read` understands it.
    ///
    /// # Errors
    /// [`PromptError`] when there is none, or `read` does not understand it.
    pub fn parse<T>(
        &mut self,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, PromptError> {
        let found = self.line()?;
        read(&found).ok_or_else(|| self.unexpected(expected, found))
    }

    /// The end of most prompts: the number of actions, and that many lines, each as `read` understands it.
    ///
    /// # Errors
    /// As for [`Lines::parse`].
    pub fn parse_counted<T>(
        &mut self,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, PromptError> {
        let count: usize = self.parse("the number of moves, at least 1", |text| {
            text.parse().ok().filter(|&count| count > 0)
        })?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(self.parse(expected, &read)?);
        }
        Ok(list)
    }

    /// The error that tells that the line read last is not what was expected.
    pub fn unexpected(&self, expected: &'static str, found: String) -> PromptError {
        PromptError::Line {
            line: self.read,
            expected,
            found,
        }
    }

    /// The error that tells that the lines read last are no position.
    pub fn no_position(&self, source: impl Error + Send + Sync + 'static) -> PromptError {
        PromptError::Position {
            line: self.read + 1,
            source: Box::new(source),
        }
    }
}

/// Reads turns from the referee.
#[derive(Debug)]
pub struct Reader<P: Protocol, R> {
    protocol: P,
    lines: Lines<R>,
    /// Nothing before the first prompt.
    known: Option<P::Known>,
}

impl<P: Protocol, R: BufRead> Reader<P, R> {
    /// A reader of one game.
    pub fn new(protocol: P, input: R) -> Reader<P, R> {
        Reader {
            protocol,
            lines: Lines {
                lines: input.lines(),
                read: 0,
            },
            known: None,
        }
    }

    /// Waits for the next turn.
    ///
    /// # Errors
    /// [`PromptError`], which is [`PromptError::End`] once the game is over.
    pub fn turn(&mut self) -> Result<P::Turn, PromptError> {
        let known = match &mut self.known {
            Some(known) => known,
            unknown => unknown.insert(self.protocol.greeting(&mut self.lines)?),
        };
        self.protocol.turn(known, &mut self.lines)
    }
}
