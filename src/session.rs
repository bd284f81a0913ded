//! A session: how, where and by whom a plan is played on this machine.

use std::path::PathBuf;

use crate::plan::Plan;
use crate::plan::schedule::Slice;
use crate::store::Existing;
use arena_process::Mode;

/// How a plan is played here: what does not decide results.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The run directory.
    pub(crate) out: PathBuf,
    /// The part of the run that is played.
    pub(crate) slice: Slice,
    /// What to do if the directory holds a run.
    pub(crate) existing: Existing,
    /// The number of games played at the same time.
    pub(crate) jobs: usize,
    /// The address of the server whose workers play; otherwise this machine does.
    pub(crate) workers: Option<String>,
    /// Whether a worker and its bots share one core when there are two workers or more.
    pub(crate) pin: bool,
    /// Whether the seed was chosen by somebody; otherwise it follows from the bots.
    pub(crate) seed_is_given: bool,
    /// How bots are built before the first game.
    pub(crate) builds: Vec<Build>,
    /// What is odd about the plan but hinders nothing, for people: sentences without a full stop.
    pub(crate) warnings: Vec<String>,
    /// Whether the answer of a tuning is tested against its start when it has ended.
    pub(crate) confirm: bool,
}

impl Session {
    /// How much of the sandbox this machine needs: where workers play it starts no bots.
    pub(crate) fn sandbox(&self, plan: &Plan) -> Mode {
        if self.workers.is_some() {
            Mode::Off
        } else {
            plan.sandbox
        }
    }
}

/// The command that builds a bot.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// The name of the bot.
    pub(crate) bot: String,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
}
