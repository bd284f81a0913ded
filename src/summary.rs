//! Everything there is to say about a run; `summary.json`.

use serde::Serialize;

use crate::contest::Contest;
use crate::standings::workers::WorkerSummary;
use crate::standings::{FailedBot, Failures, GameSummary, Tally};
use crate::store::Header;
use crate::tuner::{TuneEnd, Tuner};
use arena_games::Fate;
use arena_stats::sprt::too_repetitive;

pub(crate) mod sprt;
pub(crate) mod sweep;
pub(crate) mod tune;

use sprt::{SprtSummary, Test};
use sweep::SweepSummary;
use tune::TuneSummary;

/// Everything there is to say about a run; `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// The run.
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// Of a match of two bots, those that failed in most units, so that nothing was measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) no_verdict: Vec<FailedBot>,
    /// Why bots failed, the most frequent cause first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fault_causes: Vec<FaultCause>,
    /// The sequential test that the run was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sprt: Option<SprtSummary>,
    /// The sweep that the run was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sweep: Option<SweepSummary>,
    /// The tuning that the run was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tune: Option<TuneSummary>,
    /// The workers of other machines that played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) workers: Vec<WorkerSummary>,
    /// Each game's standings.
    pub(crate) games: Vec<GameSummary>,
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
    /// The sweep that it is.
    pub(crate) sweep: Option<&'a Contest>,
    /// The tuning that it is.
    pub(crate) tuner: Option<&'a Tuner>,
    /// Of a match of two bots without a test.
    pub(crate) failures: Option<&'a Failures>,
}

impl Found<'_> {
    /// The bots that failed in most units, so that nothing was measured.
    fn no_verdict(&self) -> Vec<FailedBot> {
        if let Some(tuner) = self
            .tuner
            .filter(|tuner| tuner.end == Some(TuneEnd::Failing))
        {
            return tuner.failures.at_first();
        }
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
        let is_open = match found.test {
            Some(test) => !test.has_ended(),
            None => !header.came_to_its_end(games_played),
        };
        let mut games = tally.standings();
        for game in &mut games {
            game.anytime &= is_open;
        }
        let sprt = found.test.map(Test::summary);
        if let ([game], Some(test)) = (&mut games[..], &sprt) {
            game.after_test = test.estimate();
        }
        let too_repetitive = games
            .iter()
            .any(|game| too_repetitive(game.distinct_units, game.units));
        Summary {
            run: header,
            games_played,
            no_verdict: found.no_verdict(),
            fault_causes: Vec::new(),
            sprt,
            sweep: found.sweep.map(|sweep| SweepSummary {
                too_repetitive,
                ..SweepSummary::of(sweep)
            }),
            tune: found.tuner.map(TuneSummary::of),
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
