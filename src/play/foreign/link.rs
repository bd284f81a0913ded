//! The process of a referee, and the lines between it and arena.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{RefereeError, wrong};
use crate::play::Abort;
use arena_process::{Bot, Failure, Interrupt, Launcher};

/// Maximum number of bytes of a line. Lines for viewers of the site have some ten thousand.
const LONGEST_LINE: usize = 4 << 20;
/// Maximum number of bytes between two questions.
const MOST_BYTES: usize = 32 << 20;
/// Why a referee that failed sends nothing.
const FAILED_BEFORE: &str = "it has failed before";

/// A running referee.
pub(super) struct Link {
    /// `None` after a failure.
    process: Option<Bot>,
    /// Text to send with the next read.
    unsent: String,
    /// Limit for its next question.
    patience: Duration,
    /// Deadline of its next question.
    until: Instant,
    /// Number of bytes that it may still send before its next question.
    left: usize,
    /// The last lines that it sent.
    said: String,
}

impl Link {
    /// Starts a process.
    pub(super) fn start(
        launcher: &Arc<Launcher>,
        patience: Duration,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Link, RefereeError> {
        // The seed of its game is sent later.
        let mut process = Bot::start_in(launcher, 0, interrupt)
            .map_err(|error| RefereeError::Other(error.to_string()))?
            .with_lines_of(LONGEST_LINE);
        // Games with a failed referee are tried again in any case.
        process.excuses = false;
        Ok(Link {
            process: Some(process),
            unsent: String::new(),
            patience,
            until: Instant::now() + patience,
            left: MOST_BYTES,
            said: String::new(),
        })
    }

    /// Queues a text to send with the next [`Link::read`], and restarts the referee's time.
    pub(super) fn send(&mut self, text: String) {
        self.unsent = text;
        self.until = Instant::now() + self.patience;
        self.left = MOST_BYTES;
    }

    /// Waits for this number of lines. It takes them one by one to keep the memory of a flood
    /// bounded.
    pub(super) fn read(&mut self, lines: usize) -> Result<&str, RefereeError> {
        self.said.clear();
        for number in 0..lines {
            let (now, least) = (Instant::now(), Duration::from_millis(1));
            let left = self.until.saturating_duration_since(now);
            let Some(process) = &mut self.process else {
                return wrong(FAILED_BEFORE.to_owned());
            };
            let text = std::mem::take(&mut self.unsent);
            let reply = match process.ask(&text, 1, left.max(least), &mut |_| {}) {
                Ok(answer) => answer.reply,
                Err(error) => return wrong(Abort::from(error).to_string()),
            };
            match reply {
                Ok(line) if line.len() < self.left => {
                    self.left -= line.len() + 1;
                    if number > 0 {
                        self.said.push('\n');
                    }
                    self.said.push_str(line);
                }
                Ok(_) => {
                    let most = MOST_BYTES >> 20;
                    return wrong(format!("it says more than {most} MB without a question"));
                }
                Err(failure) => return Err(self.end(failure)),
            }
        }
        Ok(&self.said)
    }

    /// Stops the process after a failure.
    fn end(&mut self, failure: Failure) -> RefereeError {
        let Some(exit) = self.process.take().map(Bot::stop) else {
            return RefereeError::Other(FAILED_BEFORE.to_owned());
        };
        let what = match failure {
            Failure::Timeout => format!("it asks nothing for {} ms", self.patience.as_millis()),
            Failure::TooLong => format!("a line of it has more than {} MB", LONGEST_LINE >> 20),
            Failure::OutOfMemory => {
                format!("it ran out of memory ({exit}); `memory_mb` gives it more")
            }
            Failure::Crashed => format!("it ended before the game did ({exit})"),
        };
        let said = match exit.stderr_tail.trim_end() {
            "" => String::new(),
            tail => format!("\nits standard error ends with:\n{tail}"),
        };
        match failure {
            Failure::Crashed => RefereeError::Ended(what + &said),
            _ => RefereeError::Other(what + &said),
        }
    }
}
