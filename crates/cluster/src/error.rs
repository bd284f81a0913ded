//! Errors that a user can do something about.

use thiserror::Error;

/// Why a server, its workers or a file can't be used. Errors of another type are mistakes in the
/// program, or come from the system.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ClusterError(pub(crate) String);

/// Why an answer can't be right.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct WrongAnswer(pub String);
