//! The maps that the games of a run are played on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{GameRow, read_folder};
use crate::plan::PlannedGame;
use arena_games::GameSpec;

/// The games of a run that have maps, by id, under their options. A folder of maps that is gone or has changed since gives
/// none.
#[derive(Debug)]
pub(super) struct RunMaps(BTreeMap<String, Option<Arc<GameSpec>>>);

impl RunMaps {
    /// Those of the games of a plan.
    pub(super) fn of(games: &[PlannedGame]) -> RunMaps {
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

    /// Whether no game has any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of the map that a game was played on; empty where that is not known, and in a game without maps.
    pub(super) fn name(&self, row: &GameRow) -> String {
        let spec = self.0.get(&row.game).and_then(Option::as_ref);
        spec.and_then(|spec| spec.board(row.seed))
            .unwrap_or_default()
    }
}
