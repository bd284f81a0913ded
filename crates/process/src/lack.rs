//! What the machine refuses arena: processes, memory or open files. It is nobody's failure.

use std::fmt::Display;
use std::io;
use std::sync::Mutex;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::lock::lock;
use crate::os::advice;

/// What is left of the narrowest limit on processes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Left {
    /// Number of processes and threads that may still start.
    pub count: u64,
    /// The name of the limit, for advice to raise it.
    pub limit: String,
}

/// When the machine last refused something, and what would help.
static REFUSED: Mutex<Option<(Instant, &'static str)>> = Mutex::new(None);

/// Returns the advice in brackets, to follow what failed; empty if there is none.
pub(crate) fn words(error: &io::Error) -> String {
    advice(error).map_or_else(String::new, |advice| format!(" ({advice})"))
}

/// Describes what couldn't be started, with what would help.
pub fn cant_start(what: impl Display, error: io::Error) -> anyhow::Error {
    let words = words(&error);
    anyhow::Error::new(error).context(format!("can't start {what}{words}"))
}

/// Remembers that the machine lacks something, if an error says so.
pub(crate) fn note(error: &io::Error) {
    if let Some(advice) = advice(error) {
        *lock(&REFUSED) = Some((Instant::now(), advice));
    }
}

/// Returns what would help if the machine has refused something since then.
pub(crate) fn noted(since: Instant) -> Option<&'static str> {
    let (at, advice) = (*lock(&REFUSED))?;
    (at >= since).then_some(advice)
}
