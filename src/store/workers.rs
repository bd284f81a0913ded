//! The workers of other machines.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{WORKERS, read_if_present};

/// A worker of another machine, as last seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RemoteWorker {
    pub(crate) name: String,
    /// Number of games that it plays at the same time.
    pub(crate) jobs: usize,
    pub(crate) games_per_second: f64,
    /// Seconds since its last message.
    pub(crate) silent: f64,
    /// Whether it is connected.
    pub(crate) plays: bool,
}

/// Reads the workers of a run; none if they can't be read.
pub(crate) fn read_workers(run: &Path) -> Vec<RemoteWorker> {
    let text = read_if_present(&run.join(WORKERS)).ok().flatten();
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}
