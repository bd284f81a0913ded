//! How a bot ended.

use std::fmt;
use std::process::ExitStatus;

use crate::limits::ExceededLimit;
use crate::os;

/// How a bot ended.
#[derive(Clone, Debug)]
pub struct Exit {
    /// How the process ended, if it did so by itself; `None` if it had to be killed.
    pub status: Option<ExitStatus>,
    /// The limit that it exceeded, if it was killed for that.
    pub(crate) exceeded: Option<ExceededLimit>,
    /// The last 4 KiB of its standard error.
    pub stderr_tail: String,
    /// The beginning of an unfinished line, if the bot failed to answer because of it.
    pub unfinished: Option<String>,
}

impl Exit {
    /// Returns whether the process was ended by a signal that a terminal or a service manager sends
    /// to a whole group.
    ///
    /// A bot that is being started is still in the arena's group, so a signal that was meant for
    /// the arena hits it, too.
    pub fn by_group_signal(&self) -> bool {
        self.status.is_some_and(os::is_by_group_signal)
    }
}

impl fmt::Display for Exit {
    /// For instance `exit code 101`, `killed by signal 11 (SIGSEGV)` or `stopped by the arena`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(exceeded) = self.exceeded {
            return exceeded.fmt(f);
        }
        match self.status {
            Some(status) => f.write_str(&os::words(status)),
            None => f.write_str("stopped by the arena"),
        }
    }
}
