//! What people see of a run. A run emits events; reporters show them. The files for people and programs are pure
//! functions of what is known of the run, see [`export`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::plan::Plan;
use crate::store::{GameRow, RemoteWorker};
use crate::summary::metrics::MetricTally;
use crate::summary::sprt::{AfterUnit, SprtSummary};
use crate::summary::sweep::SweepSummary;
use crate::summary::tune::TuneSummary;
use crate::summary::{GameSummary, Summary};
use faults::Blame;
use replays::Embedded;

pub(crate) mod chart;
pub(crate) mod export;
mod facts;
pub(crate) mod faults;
pub(crate) mod html;
mod junit;
mod layout;
mod markdown;
pub(crate) mod outcome;
pub(crate) mod replays;
pub(crate) mod screen;
pub(crate) mod standings;
mod sweep;
pub(crate) mod table;
pub(crate) mod terminal;
#[cfg(test)]
pub(crate) mod tests;
mod tune;
pub(crate) mod verdict;
pub(crate) mod workers;

/// Something that happened in a run.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    /// A bot is being built.
    Building { command: String },
    /// Play begins.
    Started(RunHeader),
    /// A game ended and is written.
    Played { row: GameRow, progress: Progress },
    /// A bot failed in the game that is reported next.
    Fault(Blame),
    /// A game could not be played, through no fault of a bot.
    Aborted { number: u64, why: String },
    /// No more games are begun, and so many are still played, the longest for so long.
    Waiting { games: usize, longest: Duration },
    /// The run ended, and its files are written.
    Ended {
        summary: Box<Summary>,
        plan: Box<Plan>,
        out: PathBuf,
    },
}

/// What is known when play begins.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunHeader {
    pub(crate) name: String,
    pub(crate) out: PathBuf,
    pub(crate) bots: usize,
    pub(crate) jobs: usize,
    pub(crate) cores: usize,
    /// The address of the server whose workers play, if it is not this machine.
    pub(crate) workers: Option<String>,
    /// For each game of a gauntlet, its id and the bot whose standing is shown while the games go on. In any other
    /// game it is the leader's.
    pub(crate) challengers: BTreeMap<String, String>,
    /// Of each game in groups of more than two, who meets how often.
    pub(crate) groups: Vec<String>,
    /// What the bots are kept apart by; empty where nothing is to be said.
    pub(crate) sandbox: String,
    /// What is odd about the plan but hinders nothing.
    pub(crate) warnings: Vec<String>,
    /// The games of the run before it was extended, if it was.
    pub(crate) grown_from: Option<u64>,
    /// Whether it was by bots that joined, since when there are no more games of the others.
    pub(crate) bots_joined: bool,
    /// The seed, if it follows from the bots.
    pub(crate) derived_seed: Option<u64>,
    /// What was played before, and what is to be played.
    pub(crate) progress: Progress,
}

/// How far a run has come.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Progress {
    /// The games that have a result, those of earlier sessions included.
    pub(crate) played: u64,
    /// The games of the run (of this slice of it); of a test or a race the most that it may take.
    pub(crate) planned: u64,
    /// Games per second in this session.
    pub(crate) per_second: f64,
    /// How the run stands; only when play begins, and where a reporter wants to know.
    pub(crate) standing: Option<Standing>,
    /// The workers of other machines that play; only where the standing is there.
    pub(crate) workers: Vec<RemoteWorker>,
}

/// How a run stands.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    Games(Vec<GameSummary>),
    Sprt(Box<SprtSummary>),
    Sweep(Box<SweepSummary>),
    Tune(Box<TuneSummary>),
}

/// All that the reports of a run are made of.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    pub(crate) summary: Summary,
    pub(crate) plan: Plan,
    /// The faults to show in full, in the order of the games.
    pub(crate) faults: Vec<Blame>,
    /// The sequential test after each of its units; empty without a test.
    pub(crate) history: Vec<AfterUnit>,
    pub(crate) metrics: MetricTally,
    pub(crate) replays: Embedded,
}

impl RunReport {
    /// Whether the run is about this bot of a game, so that its faults are failures; those of others are only told.
    fn is_about(&self, game: &str, bot: &String) -> bool {
        self.plan
            .games
            .iter()
            .find(|planned| planned.id == game)
            .is_none_or(|planned| self.plan.is_about(planned, bot))
    }
}

/// Shows a run to somebody.
pub(crate) trait Reporter {
    /// Whether the next game is to be reported with [`Progress::standing`], which takes a while to compute.
    fn wants_standing(&self, _progress: &Progress) -> bool {
        false
    }

    /// Called for every event, in order, on the thread that writes the files.
    fn event(&mut self, event: &Event);
}

/// A command as one would type it.
pub(crate) fn command_line(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}
