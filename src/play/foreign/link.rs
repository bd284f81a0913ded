//! The process of a referee, and lines to and from it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::play::Abort;
use arena_process::{Bot, Failure, Interrupt, Launcher};

/// The most bytes of a line. Those that viewers read have some ten thousand.
const LONGEST_LINE: usize = 4 << 20;
/// The most bytes between two questions.
const MOST_BYTES: usize = 32 << 20;

/// A referee that runs.
pub(super) struct Link {
    /// Gone once it has failed.
    process: Option<Bot>,
    /// What it will be sent before it is asked for the next line.
    unsent: String,
    /// What it may take for its next question.
    patience: Duration,
    /// When that will be over.
    until: Instant,
    /// What it may still say before its next question, in bytes.
    left: usize,
    /// What it said last.
    said: String,
}

/// Why a referee does not answer.
pub(super) struct Silence {
    /// What happened, for people.
    pub(super) why: String,
    /// Whether its process ended, by itself.
    pub(super) has_ended: bool,
}

impl From<Silence> for String {
    fn from(silence: Silence) -> String {
        silence.why
    }
}

impl Link {
    /// Starts a process.
    pub(super) fn start(
        launcher: &Arc<Launcher>,
        patience: Duration,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Link, String> {
        // What it draws follows from the seed of its game.
        let process = Bot::start_in(launcher, 0, interrupt).map_err(|error| error.to_string())?;
        let mut process = process.with_lines_of(LONGEST_LINE);
        // Its games are tried again in any case.
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

    /// Says a text, which is sent with the next [`Link::read`]. The time of the referee begins.
    pub(super) fn send(&mut self, text: String) {
        self.unsent = text;
        self.until = Instant::now() + self.patience;
        self.left = MOST_BYTES;
    }

    /// Waits for so many lines, which are taken one by one: what a flood says must not be held.
    pub(super) fn read(&mut self, lines: usize) -> Result<&str, Silence> {
        self.said.clear();
        for number in 0..lines {
            let limit = self.until.saturating_duration_since(Instant::now());
            let limit = limit.max(Duration::from_millis(1));
            let process = self
                .process
                .as_mut()
                .ok_or_else(|| silence("it has failed before"))?;
            let text = std::mem::take(&mut self.unsent);
            let reply = match process.ask(&text, 1, limit, &mut || {}) {
                Ok(answer) => answer.reply,
                Err(error) => return Err(silence(Abort::from(error).to_string())),
            };
            match reply {
                Ok(line) if line.len() < self.left => {
                    self.left -= line.len() + 1;
                    self.said.extend((number > 0).then_some('\n'));
                    self.said.push_str(line);
                }
                Ok(_) => {
                    let most = MOST_BYTES >> 20;
                    let why = format!("it says more than {most} MB without a question");
                    return Err(silence(why));
                }
                Err(failure) => return Err(self.silence(failure)),
            }
        }
        Ok(&self.said)
    }

    fn silence(&mut self, failure: Failure) -> Silence {
        let Some(exit) = self.process.take().map(Bot::stop) else {
            return silence("it has failed before");
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
        Silence {
            why: what + &said,
            has_ended: failure == Failure::Crashed,
        }
    }
}

fn silence(why: impl Into<String>) -> Silence {
    Silence {
        why: why.into(),
        has_ended: false,
    }
}
