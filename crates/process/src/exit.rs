//! How a bot ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::limits::ExceededLimit;

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
        let signal = self.status.and_then(|status| status.signal());
        matches!(signal, Some(SIGINT | SIGHUP | SIGQUIT | SIGTERM))
    }
}

impl fmt::Display for Exit {
    /// For instance `exit code 101`, `killed by signal 11 (SIGSEGV)` or `stopped by the arena`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(exceeded) = self.exceeded {
            return exceeded.fmt(f);
        }
        let Some(status) = self.status else {
            return f.write_str("stopped by the arena");
        };
        match (status.code(), status.signal()) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (_, Some(signal)) => match signal_hook::low_level::signal_name(signal) {
                Some(name) => write!(f, "killed by signal {signal} ({name})"),
                None => write!(f, "killed by signal {signal}"),
            },
            _ => write!(f, "{status}"),
        }
    }
}
