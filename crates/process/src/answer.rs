//! Answers, other output, failures and times of programs.

use std::time::Duration;

/// A program's answer, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The lines, with an LF between them, or why they are missing.
    pub reply: Result<&'a str, Failure>,
    /// The time from sending the prompt to the last full line.
    pub elapsed: Duration,
    /// Whether that was more than the limit, but others kept the program from its core.
    pub late: bool,
}

impl Answer<'_> {
    /// No answer.
    pub(crate) fn failed(failure: Failure, elapsed: Duration) -> Self {
        Answer {
            reply: Err(failure),
            elapsed,
            late: false,
        }
    }
}

/// Why a program gave no answer: its own failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No full line before the time limit.
    Timeout,
    /// The process ended or closed its output without a full line.
    Crashed,
    /// More than the longest accepted line without an end of line.
    TooLong,
    /// The process ended because it used more memory than it was given.
    OutOfMemory,
}

/// Why a program could not be asked, although it did not fail.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The [interrupt](super::Interrupt) was raised.
    #[error("interrupted")]
    Interrupted,
    /// The program ran out of time while other programs had the cores.
    #[error("host overloaded")]
    Busy,
    /// The system refused something.
    #[error("{0}")]
    Failed(String),
}

/// Output of a bot that was not asked.
#[derive(PartialEq)]
pub enum Output {
    /// A full line.
    Line(String),
    /// An unfinished line that is longer than a line may be.
    TooLong,
    /// Nothing more will come: the bot ended, or closed its output.
    Ended,
    /// No full line in time.
    Nothing,
}

/// The times of all processes of a bot, added up.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime {
    /// Time on a core.
    pub ran: Duration,
    /// Time in the queue for one.
    pub waited: Duration,
}

impl CpuTime {
    /// Returns the times after an earlier measurement.
    #[must_use]
    pub fn since(self, before: CpuTime) -> CpuTime {
        CpuTime {
            ran: self.ran.saturating_sub(before.ran),
            waited: self.waited.saturating_sub(before.waited),
        }
    }
}
