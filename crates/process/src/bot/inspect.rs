//! A closer look at a bot than a game needs: what it leaves unread, what it writes unasked, and what it does once its
//! time is up.

use std::time::{Duration, Instant};

use rustix::io::ioctl_fionread;

use super::{Bot, Found};
use crate::answer::{AskError, Failure};
use crate::delay::Spent;
use crate::pipe::is_ready;

/// The most characters that are shown of a line without an end.
const UNFINISHED_MAX: usize = 160;

/// What was heard of a bot that nobody had asked.
#[derive(PartialEq)]
pub enum Heard {
    /// A full line.
    Line(String),
    /// More than the longest accepted line, without an end.
    TooLong,
    /// It ended, or closed its output, and no full line is left.
    Ended,
    /// Nothing, or no full line.
    Nothing,
}

impl Bot {
    /// The bytes of its prompts that the bot has not read. 0 if it closed its input.
    pub fn unread(&self) -> u64 {
        let in_pipe = self
            .stdin
            .as_ref()
            .and_then(|stdin| ioctl_fionread(stdin).ok());
        in_pipe.unwrap_or(0) + self.unsent.len() as u64
    }

    /// What its processes have taken of the cores so far.
    pub fn spent(&mut self) -> Spent {
        self.account.total()
    }

    /// The beginning of a line that the bot wrote without ending it, cut to be shown; `None` if there is none.
    pub fn unfinished(&self) -> Option<String> {
        let rest = self.lines.rest();
        if rest.is_empty() || rest.iter().any(|byte| b"\r\n".contains(byte)) {
            return None;
        }
        Some(
            String::from_utf8_lossy(rest)
                .chars()
                .take(UNFINISHED_MAX)
                .collect(),
        )
    }

    /// Waits, at most for `wait`, for what the bot writes without being asked.
    pub fn listen(&mut self, wait: Duration) -> Result<Heard, AskError> {
        let deadline = Instant::now() + wait;
        if let Some(found) = self.lines.next() {
            return Ok(self.heard(found));
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let has_ended = self.wait(left)?;
            match self.look()? {
                Some(found) => return Ok(self.heard(found)),
                None if has_ended => return Ok(Heard::Ended),
                None if left.is_zero() => return Ok(Heard::Nothing),
                None => {}
            }
        }
    }

    fn heard(&mut self, found: Found) -> Heard {
        match found {
            Ok(line) => Heard::Line(self.text(line).to_owned()),
            Err(Failure::TooLong) => Heard::TooLong,
            Err(_) => Heard::Ended,
        }
    }

    /// Closes the bot's input: it reads what is in the pipe, and then the end.
    pub fn hang_up(&mut self) {
        self.stdin = None;
        self.unsent.clear();
    }

    /// Whether the process ends within `wait`, whatever it writes meanwhile.
    pub fn ends_within(&mut self, wait: Duration) -> Result<bool, AskError> {
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !matches!(self.listen(left)?, Heard::Line(_)) {
                return Ok(is_ready(
                    &self.process,
                    deadline.saturating_duration_since(Instant::now()),
                ));
            }
        }
    }
}
