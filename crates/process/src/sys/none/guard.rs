//! The guard of a system without bots: one process, and nothing to kill.

use std::io;
use std::iter;

pub use crate::mode::{Inner, Side};
pub use crate::sys::single::*;

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

/// Returns no signals.
///
/// # Errors
/// Never.
pub fn signals() -> io::Result<impl Iterator<Item = i32> + Send + use<>> {
    Ok(iter::empty())
}
