//! A tournament: the resolved plan, and the one function that joins plan, executor, store and reporter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::games::GameSpec;
use crate::play::Clock;
use crate::schedule::Format;

/// A tournament with every default decided: what a config becomes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name of the run.
    pub name: String,
    /// The run directory.
    pub out: PathBuf,
    /// Who meets whom.
    pub format: Format,
    /// The seed from which all unit seeds derive.
    pub seed: u64,
    /// Games per pairing and game; rounded up to whole units by the schedule.
    pub games_per_pairing: u64,
    /// The games to play, each with its own standings.
    pub games: Vec<PlannedGame>,
    /// The bots, the challenger of a gauntlet first.
    pub bots: Vec<PlannedBot>,
    /// The number of games played at the same time.
    pub jobs: usize,
    /// Whether a worker and its bots share one core when there are two workers or more.
    pub pin: bool,
    /// Whether records carry every prompt.
    pub trace: bool,
}

/// One game of a plan.
#[derive(Clone, Debug)]
pub struct PlannedGame {
    /// The game.
    pub spec: &'static GameSpec,
    /// Its time limits in this run.
    pub clock: Clock,
    /// Turns played from the unit's seed before the bots start; even.
    pub opening_plies: u32,
    /// The bots that play it, as indices into [`Plan::bots`], in the plan's order; two at least.
    pub bots: Vec<usize>,
}

/// One bot of a plan.
#[derive(Clone, Debug)]
pub struct PlannedBot {
    /// Its unique name.
    pub name: String,
    /// The program and its arguments; `{seed}` stands for the seat's own seed.
    pub command: Vec<String>,
    /// Environment variables set for the bot; `{seed}` as in the command.
    pub env: BTreeMap<String, String>,
    /// The command that builds it, run once before the first game.
    pub build: Option<Vec<String>>,
}
