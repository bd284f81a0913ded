//! The common part of the protocols: turns, and the parsing of prompts.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufRead};
use std::time::Duration;

/// One turn.
pub trait Turn {
    /// A position of the game.
    type Position;
    /// An action. It displays as the referee reads it.
    type Action: Copy + Display;

    /// Returns the offered actions: at least one, all legal.
    fn actions(&self) -> &[Self::Action];

    /// Returns the position after a legal action.
    fn after(&self, action: Self::Action) -> Self::Position;
}

/// The protocol of a game.
pub trait Protocol {
    /// The knowledge from earlier prompts, at first from the head of the first one.
    type Known;
    /// The content of a prompt.
    type Turn: Turn;

    /// Returns the time limit of a turn other than the first.
    fn time_limit(&self) -> Duration;

    /// Parses the lines before the first turn.
    ///
    /// # Errors
    /// [`PromptError`]
    fn greeting(&self, lines: &mut Lines<impl BufRead>) -> Result<Self::Known, PromptError>;

    /// Parses one turn, and remembers what later ones don't show.
    ///
    /// # Errors
    /// [`PromptError`]
    fn turn(
        &self,
        known: &mut Self::Known,
        lines: &mut Lines<impl BufRead>,
    ) -> Result<Self::Turn, PromptError>;
}

/// The reason why there is no further turn.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The input ended, which ends the game for a bot.
    #[error("read the prompt: the input ended")]
    End,
    /// The input can't be read or isn't UTF-8.
    #[error("read the prompt: {0}")]
    Input(io::Error),
    /// The answer can't be written.
    #[error("write the answer: {0}")]
    Output(io::Error),
    /// A line that the protocol doesn't allow in this place.
    #[error("read line {line} of the input: expected {expected}, found `{found}`")]
    Line {
        /// The number of the line over all turns, from 1.
        line: usize,
        /// The expected content.
        expected: &'static str,
        /// The line.
        found: String,
    },
    /// Lines that aren't a position.
    #[error("read the position above line {line} of the input: {source}")]
    Position {
        /// The number of the line after the position.
        line: usize,
        /// The mistake.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The lines from the referee.
#[derive(Debug)]
pub struct Lines<R> {
    lines: io::Lines<R>,
    /// The number of lines read so far.
    read: usize,
}

impl<R: BufRead> Lines<R> {
    /// Reads the next line.
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

    /// Reads the next line and parses it with `read`.
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

    /// Parses the end of most prompts: the number of actions, and that many lines, each with
    /// `read`.
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

    /// Returns the error for an unexpected last line.
    pub fn unexpected(&self, expected: &'static str, found: String) -> PromptError {
        PromptError::Line {
            line: self.read,
            expected,
            found,
        }
    }

    /// Returns the error for last lines that aren't a position.
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
    /// `None` before the first prompt.
    known: Option<P::Known>,
}

impl<P: Protocol, R: BufRead> Reader<P, R> {
    /// Returns a reader for one game.
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
