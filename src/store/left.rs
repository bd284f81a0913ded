//! What a session left of a run beside its games, and what of it is read again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{SUMMARY, StoreError, read_if_present};

/// What is known of a run apart from its games.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The version of the files of a run.
    pub(crate) version: u32,
    /// The name of the run.
    pub(crate) name: String,
    /// The digest of its plan.
    pub(crate) digest: String,
    /// The seed from which those of all units derive, as text: it has up to 64 bits.
    pub(crate) seed: String,
    /// The slice of the plan that was played.
    pub(crate) slice: String,
    /// The number of games of that slice; of a sequential test the most that it may take.
    pub(crate) games_planned: u64,
    /// Whether nothing is left to be played.
    pub(crate) finished: bool,
    /// Whether games were added after all that had been planned were played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) extended: bool,
    /// Games that could not be played, through no fault of a bot. They have no result, and `--resume` tries again.
    pub(crate) games_aborted: u64,
    /// How often, in the last session, a game was discarded and replayed because the host was
    /// overloaded to a bot.
    pub(crate) games_voided: u64,
    /// Games of the last session that were started before it was known that they would not count, and thrown away.
    pub(crate) games_unused: u64,
    /// Games played per second in the last session; `None` where none was played.
    pub(crate) games_per_second: Option<f64>,
    /// What the bots of the last session were kept apart by, for people; `None` where none played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sandbox: Option<String>,
    /// When the last session ended, in seconds since 1970 began in Greenwich; `None` where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<u64>,
    /// How long its games took, in seconds; `None` where none was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
}

impl Header {
    /// Whether so many games are all that were announced before the first. Otherwise somebody may have ended the run, or let it
    /// go on, because of what he saw.
    pub(crate) fn came_to_its_end(&self, played: u64) -> bool {
        !self.extended && played >= self.games_planned
    }
}

/// The part of `summary.json` that is read again.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LeftSummary {
    pub(crate) run: Header,
    /// The number of games that had a result.
    pub(crate) games_played: u64,
    sprt: Option<LeftTest>,
    pub(super) games: Vec<LeftGame>,
}

/// A sequential test.
#[derive(Clone, Debug, Deserialize)]
struct LeftTest {
    /// Why it ended without an answer.
    obstacle: Option<String>,
}

/// One game of a run.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct LeftGame {
    #[serde(rename = "game")]
    pub(super) id: String,
    pub(super) games: u64,
    pub(super) repeated_games: u64,
}

impl LeftSummary {
    /// Reads that of a run directory; `None` where no session came to an orderly end, or left what cannot be read.
    pub(crate) fn read(run: &Path) -> Result<Option<LeftSummary>, StoreError> {
        Ok(read_if_present(&run.join(SUMMARY))?
            .and_then(|summary| serde_json::from_str(&summary).ok()))
    }

    /// Whether a run that has come to its end would go on with more games: it has played all that it had, and is no test that
    /// was decided by them.
    pub(super) fn may_grow(&self) -> bool {
        let mut tests = self.sprt.iter();
        let is_decided = tests.any(|test| test.obstacle.as_deref() != Some("max_units"));
        self.games_played >= self.run.games_planned && !is_decided
    }
}
