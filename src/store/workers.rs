//! The workers of other machines: what a run saw of them, and which of them played a game.

use std::io;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::{GAMES, RECORDS, StoreError, WORKERS, named_file, read_if_present};

/// A worker of another machine, as it was seen last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RemoteWorker {
    pub(crate) name: String,
    /// The games that it plays at the same time.
    pub(crate) jobs: usize,
    /// How fast a core of it is, that of the arena being 1.
    pub(crate) speed: f64,
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

/// Which worker of another machine played each game of a run, which is given as its folder or its `games.csv`. Only records say that.
pub(crate) fn workers_of(path: &Path) -> Result<FxHashMap<u64, String>, StoreError> {
    #[derive(Deserialize)]
    struct Line {
        number: Option<u64>,
        worker: Option<String>,
    }
    let records = named_file(path, GAMES)?.with_file_name(RECORDS);
    if !records.is_file() {
        let why = "no file beside it names the workers that played: give the folder of the run";
        return Err(StoreError::Unreadable {
            path: path.to_owned(),
            source: io::Error::other(why),
        });
    }
    let (mut lines, mut line) = (Lines::open(&records)?, 0);
    let mut workers = FxHashMap::default();
    while let Some(record) = lines.next()? {
        line += 1;
        let corrupt = |error: serde_json::Error| StoreError::Corrupt {
            path: records.clone(),
            line,
            reason: error.to_string(),
        };
        if let Line {
            number: Some(game),
            worker: Some(worker),
        } = serde_json::from_slice(record).map_err(corrupt)?
        {
            workers.insert(game, worker);
        }
    }
    Ok(workers)
}
