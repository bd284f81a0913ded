//! The workers of other machines that a run saw.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{WORKERS, read_if_present};

/// A worker of another machine, as it was seen last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RemoteWorker {
    pub(crate) name: String,
    /// The games that it plays at the same time.
    pub(crate) jobs: usize,
    pub(crate) games_per_second: f64,
    /// For how many seconds nothing was heard of it.
    pub(crate) silent: f64,
    /// Whether it is there.
    pub(crate) plays: bool,
}

/// The workers that a run has seen. They are for people: where nothing can be read there are none.
pub(crate) fn read_workers(run: &Path) -> Vec<RemoteWorker> {
    let text = read_if_present(&run.join(WORKERS)).ok().flatten();
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}
