//! The guard where arena is one process.

use std::env;
use std::ffi::OsString;
use std::io;
use std::process;
use std::sync::Arc;

use crate::lack::Left;
use crate::mode::Inner;
use crate::sys::Interrupt;

/// Has no helper processes.
pub fn serve_probe() {}

/// Returns the arguments of this program, without its name.
pub fn arguments() -> Vec<OsString> {
    env::args_os().skip(1).collect()
}

/// Returns how many processes may still start: there is no limit.
pub fn processes_left() -> Left {
    Left {
        count: u64::MAX,
        limit: String::new(),
    }
}

/// Returns the number of this process.
pub fn process() -> u32 {
    process::id()
}

/// Leaves the priority of this process as it is.
pub fn lower_priority() {}

impl Inner {
    /// Does `work`.
    ///
    /// # Errors
    /// Never.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        Ok(work())
    }

    /// Asks for nothing: no signal was held back.
    ///
    /// # Errors
    /// Never.
    pub fn ready(&self, _: &Arc<Interrupt>) -> io::Result<()> {
        Ok(())
    }
}
