//! A worker: plays for one session after the other.

use std::collections::BTreeSet;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use arena_process::{Interrupt, host_name, lock};
use async_nats::Client;
use tokio::sync::mpsc::UnboundedSender;

use crate::access::{Access, Tell};
use crate::files::{Cache, Place};
use crate::link::{BROKEN, link};
use crate::protocol::{Announcement, Heartbeat, Job, Outcome, State, Task, random_id, subject};

mod active;
mod search;

/// How often a worker sends a heartbeat, and tells the queue that it still plays its units.
const BEAT: Duration = Duration::from_secs(1);

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
struct Connection {
    client: Client,
    /// Different from that of any other worker.
    id: String,
    /// With a name.
    host: Host,
    cache: Cache,
    leaves: Leaves,
    /// For the thread that plays.
    sessions: Sender<Session>,
    tell: Tell,
}

impl Connection {
    async fn beat(&self, session: &str, state: State) {
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
fn read(payload: &[u8]) -> Option<Announcement> {
    let announced: Announcement = serde_json::from_slice(payload).ok()?;
    let session = &announced.session;
    let is_plain = !session.is_empty() && session.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { Some(announced) } else { None }
}

/// A session at a worker.
pub struct Session {
    /// What to play.
    pub job: Job,
    /// The folder with its files.
    pub place: Place,
    /// Raised when tasks in progress should end at once.
    pub stop: Arc<Interrupt>,
    wanted: Arc<Wanted>,
    /// The tasks to play, with their units.
    tasks: Mutex<Receiver<(u64, Task)>>,
    /// For the thread of the connection.
    events: UnboundedSender<PlayEvent>,
}

impl Session {
    fn say(&self, event: PlayEvent) {
        let _ = self.events.send(event);
    }
}

/// Which tasks may begin.
#[derive(Default)]
struct Wanted {
    /// Tasks that must not begin.
    skipped: Mutex<BTreeSet<u64>>,
    /// Whether no task may begin.
    drains: AtomicBool,
}

impl Wanted {
    fn wants(&self, number: u64) -> bool {
        !self.drains.load(Ordering::Relaxed) && !lock(&self.skipped).contains(&number)
    }
}

/// An event from the threads that play.
enum PlayEvent {
    /// They can play.
    Ready,
    /// They can't play, for this reason.
    Unfit(String),
    /// A task ended: its unit, its number and its outcome.
    Finished(u64, u64, Outcome),
}

/// Plays the tasks of jobs at a worker.
pub trait Player {
    /// What is needed to play the tasks of a job.
    type Ready: Sync;

    /// Gets ready for a job, in the folder of the job. Runs on the thread that called [`serve`].
    ///
    /// # Errors
    /// If this worker can't play the job. It then waits for another one.
    fn prepare(&self, session: &Session) -> anyhow::Result<Self::Ready>;

    /// Runs first on each thread that plays. Threads have numbers from 0.
    fn start_thread(&self, _ready: &Self::Ready, _number: usize) {}

    /// Plays a task, as long as it `is_wanted`.
    fn play(&self, ready: &Self::Ready, task: &str, is_wanted: &dyn Fn() -> bool) -> Outcome;
}

/// Plays for the sessions at a server until the worker `leaves`, or was idle for too long. Changes
/// the current folder of the program.
///
/// # Errors
/// If the server or the cache can't be used.
pub fn serve<P: Player + Sync>(
    access: Access,
    mut host: Host,
    player: &P,
    leaves: Leaves,
    tell: &Tell,
) -> anyhow::Result<()> {
    let machine = host_name().context("can't read the name of this machine")?;
    let cache = Cache::new(&host.cache, &machine)?;
    host.name.get_or_insert(machine);
    let (sender, sessions) = mpsc::channel();
    let (jobs, teller) = (host.jobs, Arc::clone(tell));
    let thread = link(
        "worker",
        move || async move {
            Ok(Connection {
                client: access.connect(Arc::clone(&teller)).await?,
                id: random_id(),
                host,
                cache,
                leaves,
                sessions: sender,
                tell: teller,
            })
        },
        |connection| async move {
            if let Err(error) = connection.work().await {
                (connection.tell)(&format!("{error:#}"));
            }
        },
    )?;
    while let Ok(session) = sessions.recv() {
        if let Err(why) = play(player, &session, jobs, tell) {
            session.say(PlayEvent::Unfit(format!("{why:#}")));
        }
        // The folder of the session is removed now.
        let _ = env::set_current_dir("/");
    }
    thread
        .join()
        .map_err(|_| anyhow!("can't talk to the server: {BROKEN}"))
}

/// Plays for a session until no more tasks can come.
fn play<P: Player + Sync>(
    player: &P,
    session: &Session,
    jobs: usize,
    tell: &Tell,
) -> anyhow::Result<()> {
    let Session { job, place, .. } = session;
    let folder = place.of(&job.folder)?;
    env::set_current_dir(&folder).with_context(|| format!("can't go to {}", folder.display()))?;
    let ready = player.prepare(session)?;
    tell(&format!("{}: {jobs} at a time", job.name));
    session.say(PlayEvent::Ready);
    thread::scope(|scope| {
        for number in 0..jobs {
            let ready = &ready;
            thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn_scoped(scope, move || work(player, ready, session, number))
                // The threads that run end once the session does.
                .inspect_err(|error| {
                    session.say(PlayEvent::Unfit(format!("start a thread: {error}")));
                })?;
        }
        Ok(())
    })
}

/// Plays one task after the other.
fn work<P: Player>(player: &P, ready: &P::Ready, session: &Session, number: usize) {
    player.start_thread(ready, number);
    loop {
        let task = lock(&session.tasks).recv();
        let Ok((unit, Task { number, text, .. })) = task else {
            return;
        };
        let is_wanted = || session.wanted.wants(number);
        let outcome = if is_wanted() {
            // The coordinator waits for an answer, even from a player that panics.
            catch_unwind(AssertUnwindSafe(|| player.play(ready, &text, &is_wanted)))
                .unwrap_or_else(|_| Outcome::Failed("the worker panicked".into()))
        } else {
            Outcome::GivenBack
        };
        session.say(PlayEvent::Finished(unit, number, outcome));
    }
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
