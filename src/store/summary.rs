//! `summary.json` as the last session left it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{SUMMARY, StoreError, read_if_present};
use crate::plan::StudyPlan;

/// Facts about a run and its last session.
#[derive(Clone, Debug, Default, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Header {
    /// Version of the files of a run.
    pub(crate) version: u32,
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    pub(crate) name: String,
    /// Digest of the plan.
    pub(crate) digest: String,
    /// Seed of the run, as text, because it has up to 64 bits.
    pub(crate) seed: String,
    /// Games of the plan; the most if the run may end early.
    pub(crate) games_planned: u64,
    /// Whether nothing is left to play.
    pub(crate) finished: bool,
    /// Whether games were added after all planned ones were played.
    #[serde(default)]
    pub(crate) extended: bool,
    /// The command that continues the run, if it is known. The plan file holds it.
    #[serde(skip)]
    pub(crate) go_on: Option<String>,
    /// Games that couldn't be played. They have no result, and `--resume` tries them again.
    pub(crate) games_aborted: u64,
    /// Why the first of `games_aborted` couldn't be played; null without any.
    pub(crate) first_abort: Option<String>,
    /// Games repeated in the last session, through no fault of a bot.
    pub(crate) games_voided: u64,
    /// Why a game was first repeated; null if none was, or the machine was overloaded.
    pub(crate) first_replay: Option<String>,
    /// Games of the last session that were started too early and don't count.
    pub(crate) games_unused: u64,
    /// Speed of the last session; null if it played no game.
    pub(crate) games_per_second: Option<f64>,
    /// Sandbox of the last session; null if it played no game on this machine.
    pub(crate) sandbox: Option<String>,
    /// End of the last session in Unix seconds; null if unknown.
    pub(crate) ended_at: Option<u64>,
    /// How long the games of the last session took; null if it played none.
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
