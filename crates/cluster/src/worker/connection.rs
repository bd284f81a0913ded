//! A worker's connection, and what it shares with the threads that play. All asynchronous code runs
//! on a thread of its own.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arena_process::{Interrupt, lock};
use async_nats::Client;
use tokio::sync::mpsc::UnboundedSender;

use crate::access::Tell;
use crate::files::{Cache, Place};
use crate::protocol::{Announcement, Heartbeat, Job, Outcome, State, Task, subject};

/// How often a worker sends a heartbeat, and tells the queue that it still plays its units.
pub(super) const BEAT: Duration = Duration::from_secs(1);

/// Returns whether the worker should leave.
pub type Leaves = Box<dyn Fn() -> bool + Send + Sync>;

/// The machine of a worker, and how much of it to use.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// The name for people; by default, the name of the machine.
    pub name: Option<String>,
    /// The program that plays, with its version, see [`Job::program`].
    pub program: String,
    /// How many tasks it plays at the same time.
    pub jobs: usize,
    /// The folder in which the worker caches files of runs.
    pub cache: PathBuf,
    /// Ends the worker after this time without a session.
    pub idle: Option<Duration>,
}

/// The connection of a worker.
pub(super) struct Connection {
    pub(super) client: Client,
    /// Different from that of any other worker.
    pub(super) id: String,
    /// With a name.
    pub(super) host: Host,
    pub(super) cache: Cache,
    pub(super) leaves: Leaves,
    /// For the thread that plays.
    pub(super) sessions: Sender<Session>,
    pub(super) tell: Tell,
}

impl Connection {
    pub(super) async fn beat(&self, session: &str, state: State) {
        let beat = Heartbeat {
            worker: self.id.clone(),
            name: self.host.name.clone().unwrap_or_default(),
            jobs: self.host.jobs,
            state,
        };
        if let Ok(payload) = serde_json::to_vec(&beat) {
            let subject = subject("beat", session);
            let _ = self.client.publish(subject, payload.into()).await;
        }
    }
}

/// Reads an announcement whose session can be part of a subject.
pub(super) fn read(payload: &[u8]) -> Option<Announcement> {
    let announced: Announcement = serde_json::from_slice(payload).ok()?;
    let session = &announced.session;
    if session.is_empty() || !session.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    Some(announced)
}

/// A session at a worker.
pub struct Session {
    /// What to play.
    pub job: Job,
    /// The folder with its files.
    pub place: Place,
    /// Raised when tasks in progress should end at once.
    pub stop: Arc<Interrupt>,
    pub(super) wanted: Arc<Wanted>,
    /// The tasks to play, with their units.
    pub(super) tasks: Mutex<Receiver<(u64, Task)>>,
    /// For the thread of the connection.
    pub(super) events: UnboundedSender<PlayEvent>,
}

impl Session {
    pub(super) fn say(&self, event: PlayEvent) {
        let _ = self.events.send(event);
    }
}

/// Which tasks may begin.
#[derive(Default)]
pub(super) struct Wanted {
    /// Tasks that must not begin.
    pub(super) skipped: Mutex<BTreeSet<u64>>,
    /// Whether no task may begin.
    pub(super) drains: AtomicBool,
}

impl Wanted {
    pub(super) fn wants(&self, number: u64) -> bool {
        !self.drains.load(Ordering::Relaxed) && !lock(&self.skipped).contains(&number)
    }
}

/// An event from the threads that play.
pub(super) enum PlayEvent {
    /// They can play.
    Ready,
    /// They can't play, for this reason.
    Unfit(String),
    /// A task ended: its unit, its number and its outcome.
    Finished(u64, u64, Outcome),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_and_drained_tasks_are_not_wanted() {
        let wanted = Wanted::default();
        lock(&wanted.skipped).insert(5);
        assert_eq!([5, 6].map(|number| wanted.wants(number)), [false, true]);
        wanted.drains.store(true, Ordering::Relaxed);
        assert!(!wanted.wants(6));
    }
}
