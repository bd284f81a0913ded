//! Everything there is to say about a run, whatever its kind.

use serde::Serialize;

use crate::standings::workers::WorkerSummary;
use crate::standings::{Game, Stop, Tally};
use crate::store::Header;
use arena_games::Fate;

/// Everything there is to say about a run, whatever its kind.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// The run.
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// Why bots failed, the most frequent cause first.
    pub(crate) fault_causes: Vec<FaultCause>,
    /// The workers of other machines that played.
    pub(crate) workers: Vec<WorkerSummary>,
    /// Each game's standings.
    pub(crate) games: Vec<Game>,
}

/// Faults of a bot that have the same cause, as far as can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FaultCause {
    /// The id of the game.
    pub(crate) game: String,
    /// The bot.
    pub(crate) bot: String,
    /// How it failed.
    pub(crate) fate: Fate,
    /// What the first of them tells.
    pub(crate) cause: String,
    /// How many there are.
    pub(crate) count: u64,
    /// The number of the first game.
    pub(crate) first: u64,
}

impl Summary {
    /// What these games say. A rule of the run may have stopped them.
    pub(crate) fn new(header: Header, tally: &Tally, stop: Option<Stop>) -> Summary {
        let games_played = tally.games_played();
        let stop = stop.unwrap_or(if header.came_to_its_end(games_played) {
            Stop::Announced
        } else {
            Stop::Watched
        });
        Summary {
            run: header,
            games_played,
            fault_causes: Vec::new(),
            workers: tally.workers(),
            games: tally.standings(stop),
        }
    }

    /// The name of a game for people.
    pub(crate) fn title<'a>(&'a self, id: &'a str) -> &'a str {
        self.games
            .iter()
            .find(|game| game.game == id)
            .map_or(id, |game| &game.title)
    }
}

#[cfg(test)]
mod tests;
