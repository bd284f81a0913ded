//! What the program says to workers and hears of them, whether it was built with them or not.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use arena_process::Sandbox;

/// Tells people something, a line without a full stop.
pub(crate) type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether a worker is to leave.
pub(crate) type Leaves = Box<dyn Fn() -> bool + Send + Sync>;

/// Where the server is, and what is needed to use it.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// For instance `nats://lab.example:4222`, or `tls://..`.
    pub(crate) url: String,
    /// A file with a token, `user:password`, the seed of an nkey, or credentials.
    pub(crate) login: Option<PathBuf>,
    /// Certificates of the authority that the server has its own from.
    pub(crate) ca: Option<PathBuf>,
    /// Whether a server that anybody may use will do, off this machine too.
    pub(crate) insecure: bool,
}

/// Whether games are to be begun, and whether those under way are to end at once.
pub(crate) struct Stops {
    pub(crate) drains: Box<dyn Fn() -> bool + Sync>,
    pub(crate) kills: Box<dyn Fn() -> bool + Sync>,
}

/// The machine of a worker, and how much of it may be used.
pub(crate) struct Host {
    /// What people call it.
    pub(crate) name: String,
    /// The games that it plays at the same time.
    pub(crate) jobs: usize,
    /// Whether a thread and its bots stay on one core.
    pub(crate) pin: bool,
    pub(crate) cores: usize,
    pub(crate) sandbox: Arc<Sandbox>,
    /// Where programs are kept; `None` for the user's cache folder.
    pub(crate) cache: Option<PathBuf>,
    /// How long there may be no session before the worker ends, if it does.
    pub(crate) idle: Option<Duration>,
}

/// Who was heard.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Present {
    pub(crate) runs: Vec<PresentRun>,
    pub(crate) workers: Vec<PresentWorker>,
}

/// A run that is played there.
#[derive(Debug, Serialize)]
pub(crate) struct PresentRun {
    pub(crate) name: String,
    pub(crate) session: String,
    /// The games that are played for it at the same time.
    pub(crate) jobs: usize,
}

/// A worker that is there.
#[derive(Debug, Serialize)]
pub(crate) struct PresentWorker {
    pub(crate) name: String,
    pub(crate) jobs: usize,
    pub(crate) cores: usize,
    /// Games since it was started.
    pub(crate) games: u64,
    /// What it does, for people.
    pub(crate) state: String,
}

/// What this machine is called.
pub(crate) fn name_of_machine() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() {
        "worker".to_owned()
    } else {
        name.to_owned()
    }
}
