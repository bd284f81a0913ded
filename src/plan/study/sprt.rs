//! The sequential test of a plan.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Kind;
use crate::plan::{Plan, PlannedGame, Unsound, is_default, unsound};
use arena_stats::sprt::Hypotheses;

/// A sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SprtPlan {
    #[serde(flatten)]
    pub(crate) hypotheses: Hypotheses,
    /// Whether clear cases end the test early.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) early: bool,
    /// Maximum number of units. The test then ends undecided.
    pub(crate) max_units: u64,
}

impl SprtPlan {
    /// The file with the state of the test after every unit.
    pub(crate) const TABLE: &str = "sprt.csv";
}

impl Kind for SprtPlan {
    fn word(&self) -> &'static str {
        "test"
    }

    fn check(&self, _: &Plan) -> Result<(), Unsound> {
        self.hypotheses.check().map_err(unsound)
    }

    /// The candidate.
    fn is_about(&self, game: &PlannedGame, bot: &str) -> bool {
        game.bots.first().map(String::as_str) == Some(bot)
    }

    fn max_units(&self) -> Option<u64> {
        Some(self.max_units)
    }

    fn hypotheses(&self) -> Option<&Hypotheses> {
        Some(&self.hypotheses)
    }

    fn is_decided(&self, summary: &Map<String, Value>) -> bool {
        let Some(test) = summary.get("sprt") else {
            return false;
        };
        !matches!(test["obstacle"].as_str(), Some("max_units" | "same_moves"))
    }
}
