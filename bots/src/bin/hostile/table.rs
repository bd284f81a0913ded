//! A minimal player of every game: it finds the end of a prompt and gives one legal answer.

use std::io::{self, BufRead, Error, ErrorKind};

/// The game, recognized by its first prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Game {
    /// Mini Shogi or Dice Shogi.
    Shogi,
    Onitama,
    Kutulu,
}

/// A place at the table of one game.
pub(crate) struct Table<R> {
    lines: io::Lines<R>,
    game: Option<Game>,
}

impl<R: BufRead> Table<R> {
    pub(crate) fn new(input: R) -> Table<R> {
        Table {
            lines: input.lines(),
            game: None,
        }
    }

    /// Reads a prompt and returns a legal answer; `None` at the end of the input.
    pub(crate) fn legal_answer(&mut self) -> io::Result<Option<String>> {
        let Some(first) = self.lines.next().transpose()? else {
            return Ok(None);
        };
        let mut unread = Some(first);
        if self.game.is_none() {
            let (game, line) = self.greeting(&unread.take().unwrap_or_default())?;
            (self.game, unread) = (Some(game), line);
        }
        // The first line of the board is already read, unless the greeting ended with its own line.
        let read = usize::from(unread.is_some());
        match self.game {
            Some(Game::Onitama) => {
                self.skip(5 - read + 5)?;
                self.first_action().map(Some)
            }
            Some(Game::Kutulu) => {
                let count = unread.map_or_else(|| self.line(), Ok)?;
                self.skip(number(&count)?)?;
                Ok(Some("WAIT".into()))
            }
            _ => {
                self.skip(5 - read + 2)?;
                // The die of Dice Shogi comes before the last action, which is longer.
                if self.line()?.len() == 1 {
                    self.skip(1)?;
                }
                let count = self.line()?;
                self.skip(number(&count)?)?;
                Ok(Some("random".into()))
            }
        }
    }

    /// Reads the rest of the greeting after its first line. Returns the line after it if it had to
    /// be read.
    fn greeting(&mut self, first: &str) -> io::Result<(Game, Option<String>)> {
        let second = self.line()?;
        Ok(match (first, second.as_str()) {
            ("0" | "1", "5") => (Game::Shogi, None),
            ("0" | "1", _) => (Game::Onitama, Some(second)),
            // The size of the maze; the maze and the four numbers follow.
            _ => {
                self.skip(number(&second)? + 1)?;
                (Game::Kutulu, None)
            }
        })
    }

    fn first_action(&mut self) -> io::Result<String> {
        let count = self.line()?;
        let action = self.line()?;
        self.skip(number(&count)?.saturating_sub(1))?;
        Ok(action)
    }

    fn skip(&mut self, count: usize) -> io::Result<()> {
        (0..count).try_for_each(|_| self.line().map(drop))
    }

    fn line(&mut self) -> io::Result<String> {
        self.lines
            .next()
            .unwrap_or_else(|| Err(Error::new(ErrorKind::UnexpectedEof, "a prompt is cut off")))
    }
}

fn number(line: &str) -> io::Result<usize> {
    line.parse().map_err(|_| {
        Error::new(
            ErrorKind::InvalidData,
            format!("expected a number, found `{line}`"),
        )
    })
}
