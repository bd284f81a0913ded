//! Everything there is to say about a run; `summary.json`.

use serde::Serialize;

use crate::standings::workers::WorkerSummary;
use crate::standings::{FailedBot, Failures, Game, Stop, Tally};
use crate::store::Header;
use arena_games::Fate;

pub(crate) mod sprt;

use sprt::{SprtSummary, Test};

/// Everything there is to say about a run beside its kind.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// The run.
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// Of a match of two bots, those that failed in most units, so that nothing was measured.
    pub(crate) no_verdict: Vec<FailedBot>,
    /// Why bots failed, the most frequent cause first.
    pub(crate) fault_causes: Vec<FaultCause>,
    /// The sequential test that the run was for.
    pub(crate) sprt: Option<SprtSummary>,
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

/// What a run finds out beside standings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found<'a> {
    /// The sequential test that ends it.
    pub(crate) test: Option<&'a Test>,
    /// Of a match of two bots without a test.
    pub(crate) failures: Option<&'a Failures>,
}

impl Found<'_> {
    /// The bots that failed in most units, so that nothing was measured.
    fn no_verdict(&self) -> Vec<FailedBot> {
        let of_test = self.test.map(Test::failed);
        of_test
            .or_else(|| self.failures.map(Failures::in_most))
            .unwrap_or_default()
    }
}

impl Summary {
    /// What these games and the findings say.
    pub(crate) fn new(header: Header, tally: &Tally, found: Found<'_>) -> Summary {
        let games_played = tally.games_played();
        let sprt = found.test.map(Test::summary);
        let games = tally.standings(match &sprt {
            Some(test) => test.stop(),
            None if header.came_to_its_end(games_played) => Stop::Announced,
            None => Stop::Watched,
        });
        Summary {
            run: header,
            games_played,
            no_verdict: found.no_verdict(),
            fault_causes: Vec::new(),
            sprt,
            workers: tally.workers(),
            games,
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
