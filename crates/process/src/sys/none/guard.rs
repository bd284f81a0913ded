//! The guard of a system without bots: one process, and nothing to kill.

use std::env;
use std::ffi::OsString;
use std::io;
use std::iter;
use std::process;
use std::sync::Arc;

use super::Interrupt;
use crate::lack::Left;
pub use crate::mode::{Inner, Side};

/// Why the program can't play.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The system refused something.
    #[error("can't start the process that plays")]
    Refused(#[from] io::Error),
}

/// Starts nothing.
///
/// # Errors
/// Always.
pub fn enter() -> Result<Side, GuardError> {
    Err(io::Error::new(io::ErrorKind::Unsupported, super::unsupported()).into())
}

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

/// Returns no signals.
///
/// # Errors
/// Never.
pub fn signals() -> io::Result<impl Iterator<Item = i32> + Send + use<>> {
    Ok(iter::empty())
}

impl Inner {
    /// Does `work`.
    ///
    /// # Errors
    /// Never.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        Ok(work())
    }

    /// Asks for nothing.
    ///
    /// # Errors
    /// Never.
    pub fn ready(&self, _: &Arc<Interrupt>) -> io::Result<()> {
        Ok(())
    }
}
