//! `summary.json` as the last session left it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{SUMMARY, StoreError, read_if_present};
use crate::plan::StudyPlan;

/// Facts about a run and its last session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The version of the files of a run.
    pub(crate) version: u32,
    /// The name of the run.
    pub(crate) name: String,
    /// The digest of its plan.
    pub(crate) digest: String,
    /// The seed of the run, as text, because it has up to 64 bits.
    pub(crate) seed: String,
    /// The number of games of the plan, for a sequential test the maximum.
    pub(crate) games_planned: u64,
    /// Whether the run is complete.
    pub(crate) finished: bool,
    /// Whether games were added after all planned ones were played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) extended: bool,
    /// The command that continues the run, if it is known. The plan file holds it.
    #[serde(skip)]
    pub(crate) go_on: Option<String>,
    /// Games that failed through no fault of a bot. They have no result, and `--resume` tries them
    /// again.
    pub(crate) games_aborted: u64,
    /// Why the first of them failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first_abort: Option<String>,
    /// Number of times in the last session that a game was replayed, through no fault of a bot.
    pub(crate) games_voided: u64,
    /// Why a game was first replayed. An overloaded host isn't named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first_replay: Option<String>,
    /// Games of the last session that were started too early and discarded.
    pub(crate) games_unused: u64,
    /// Games per second of the last session; `None` if it played none.
    pub(crate) games_per_second: Option<f64>,
    /// Description of the sandbox of the last session; `None` if it played no game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sandbox: Option<String>,
    /// End of the last session in Unix seconds; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<u64>,
    /// Duration of its games in seconds; `None` if it played none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
}

/// The parts of `summary.json` that arena reads again.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SavedSummary {
    pub(crate) run: Header,
    /// Number of games with a result.
    pub(crate) games_played: u64,
    /// What only some runs have, such as the finding of their kind.
    #[serde(flatten)]
    found: Map<String, Value>,
}

impl SavedSummary {
    /// Reads the summary of a run directory; `None` if no session ended in order, or if it can't be
    /// read.
    pub(crate) fn read(run: &Path) -> Result<Option<SavedSummary>, StoreError> {
        Ok(read_if_present(&run.join(SUMMARY))?
            .and_then(|summary| serde_json::from_str(&summary).ok()))
    }

    /// Whether a complete run of this study could grow: it played all its games, and they didn't
    /// decide it. A match that showed enough can ask for more.
    pub(super) fn may_grow(&self, study: &StudyPlan) -> bool {
        let is_full = self.games_played >= self.run.games_planned;
        study.stopping().is_some() || is_full && !study.is_decided(&self.found)
    }
}

#[cfg(test)]
mod tests {
    /// `--resume` of a finished run writes `summary.json` again, from numbers that it read there.
    #[test]
    fn numbers_are_read_as_they_were_written() {
        for written in ["51.80661987579104", "0.30000000000000004", "1.5"] {
            let read: f64 = serde_json::from_str(written).unwrap();
            assert_eq!(read.to_string(), written);
        }
    }
}
