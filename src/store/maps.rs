//! The maps that the games of a run are played on.

use std::collections::HashMap;
use std::sync::Arc;

use super::{GameRow, read_folder};
use crate::plan::PlannedGame;
use arena_games::GameSpec;

/// The games of a run that have maps, by id, with the names of these. A folder of maps that is gone or has changed since has
/// no names.
#[derive(Debug)]
pub(super) struct RunMaps(HashMap<String, (Arc<GameSpec>, Vec<String>)>);

impl RunMaps {
    /// Those of the games of a plan.
    pub(super) fn of(games: &[PlannedGame]) -> RunMaps {
        let has_maps = |game: &&PlannedGame| game.spec.as_ref().is_some_and(|spec| !spec.rules.boards().is_empty());
        let with_names = |game: &PlannedGame| {
            let (spec, names) = match game.configured(&read_folder) {
                Ok(spec) => (spec.clone(), spec.rules.boards()),
                Err(_) => (game.spec.clone()?, Vec::new()),
            };
            Some((game.id.clone(), (spec, names)))
        };
        RunMaps(games.iter().filter(has_maps).filter_map(with_names).collect())
    }

    /// Whether no game has any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of the map that a game was played on; empty where that is not known, and in a game without maps.
    pub(super) fn name(&self, row: &GameRow) -> &str {
        let name = || {
            let (spec, names) = self.0.get(&row.game)?;
            names.get(spec.rules.board(row.seed)?)
        };
        name().map_or("", String::as_str)
    }
}
