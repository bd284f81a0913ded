//! How a bot ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::Signal;

use crate::sums::Excess;

/// How a bot ended.
#[derive(Clone, Debug)]
pub struct Exit {
    /// How the process ended, if it did so by itself; `None` if it had to be killed.
    pub status: Option<ExitStatus>,
    /// What it took too much of, if it was killed for that.
    pub(super) excess: Option<Excess>,
    /// The last 4 KiB that it wrote to its error output.
    pub stderr_tail: String,
    /// The beginning of a line that it wrote without ending it, where that cost it its answer.
    pub unfinished: Option<String>,
}

impl Exit {
    /// Whether a signal ended the process that a terminal or a service manager sends to a whole group. A bot that is
    /// only just being started is still in the arena's group, and is hit by what was meant for the arena.
    pub fn by_group_signal(&self) -> bool {
        let signal = self
            .status
            .and_then(|status| status.signal())
            .and_then(Signal::from_named_raw);
        matches!(
            signal,
            Some(Signal::INT | Signal::HUP | Signal::QUIT | Signal::TERM)
        )
    }
}

impl fmt::Display for Exit {
    /// For instance `exit code 101`, `killed by signal 11 (SIGSEGV)` or `stopped by the arena`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(excess) = self.excess {
            return excess.fmt(f);
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
