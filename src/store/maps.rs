//! The maps of the games of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::read_folder;
use crate::plan::PlannedGame;
use crate::results::GameResult;
use arena_games::GameSpec;

/// The games with maps of a run, by id, with their options; `None` if the folder of maps is gone or
/// has changed.
#[derive(Debug)]
pub(crate) struct RunMaps(BTreeMap<String, Option<Arc<GameSpec>>>);

impl RunMaps {
    /// Returns those of the games of a plan.
    pub(crate) fn of(games: &[PlannedGame]) -> RunMaps {
        let mut maps = BTreeMap::new();
        for game in games {
            if let Some(spec) = &game.spec
                && !spec.rules.boards().is_empty()
            {
                maps.insert(game.id.clone(), game.configured(&read_folder).ok());
            }
        }
        RunMaps(maps)
    }

    /// Whether no game has maps.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of a game's map, which is empty if the game has no maps; `None` if unknown.
    pub(crate) fn name(&self, result: &GameResult) -> Option<String> {
        let Some(spec) = self.0.get(&result.game) else {
            return Some(String::new());
        };
        Some(spec.as_ref()?.board(result.seed).unwrap_or_default())
    }
}
