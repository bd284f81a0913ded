//! A session: how to play a plan on this machine. It decides no result.

use std::path::PathBuf;

use serde::Deserialize;

use crate::plan::Plan;
use crate::store::Existing;
use arena_process::Mode;

/// How to play a plan on this machine.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent setting"
)]
pub(crate) struct Session {
    /// The run directory.
    pub(crate) out: PathBuf,
    /// What to do if the directory holds a run.
    pub(crate) existing: Existing,
    /// The number of games played at the same time.
    pub(crate) jobs: usize,
    /// The address of the server of workers. Without it, this machine plays.
    pub(crate) workers: Option<String>,
    /// How to reach that server.
    pub(crate) server: Server,
    /// Whether a worker and its bots share one core when there are two workers or more.
    pub(crate) pin: bool,
    /// Whether to play even if a bot ends before its first answer.
    pub(crate) start_anyway: bool,
    /// Whether the user chose the seed. Otherwise it was drawn at random.
    pub(crate) seed_is_given: bool,
    /// How bots are built before the first game.
    pub(crate) builds: Vec<Build>,
    /// Warnings about the plan: sentences without a full stop.
    pub(crate) warnings: Vec<String>,
    /// The command that continues the run; `None` before it is known.
    pub(crate) go_on: Option<String>,
    /// Whether to test the values of a finished tuning against its start.
    pub(crate) confirm: bool,
}

impl Session {
    /// How much of the sandbox this machine needs: none if workers play.
    pub(crate) fn sandbox(&self, plan: &Plan) -> Mode {
        if self.workers.is_some() {
            Mode::Off
        } else {
            plan.sandbox
        }
    }
}

/// How to reach a server of workers: `[workers]` of a config, or flags of `arena worker`. See
/// docs/how-to/cluster.md.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Server {
    /// A file with NATS credentials or a token.
    /// Default: no login. Example: `"arena-login"`.
    pub(crate) login: Option<PathBuf>,
    /// A file with certificates of the server's authority. They require an encrypted connection.
    /// Default: the system's. Example: `"ca.pem"`.
    pub(crate) ca: Option<PathBuf>,
}

/// The command that builds a bot.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// The name of the bot.
    pub(crate) bot: String,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
}
