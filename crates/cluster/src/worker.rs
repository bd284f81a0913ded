//! A worker: plays for one session after the other.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;

use anyhow::{Context as _, anyhow};
use arena_process::lock;

use crate::access::{Access, Tell};
use crate::files::Cache;
use crate::link::{BROKEN, link};
use crate::protocol::{Outcome, Task, random_id};
use connection::{Connection, PlayEvent};
pub use connection::{Host, Leaves, Session};

mod active;
mod connection;
mod search;

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
    let machine = fs::read_to_string("/proc/sys/kernel/hostname")
        .context("can't read the name of this machine")?;
    let machine = machine.trim().to_owned();
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
