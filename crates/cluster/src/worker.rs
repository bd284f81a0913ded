//! A worker: plays for one session after the other.

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use tokio::sync::mpsc::UnboundedSender;

use crate::files::{self, Cache, Place};
use crate::link::link;
use crate::protocol::{Fitness, Job, Outcome};
use crate::{Access, Leaves, Tell};
use connection::Connection;
use queue::Queue;

mod connection;
mod queue;
mod session;

/// What plays at a worker.
pub trait Player {
    /// What is needed to play the tasks of a job.
    type Ready: Sync;

    /// Gets ready for a job, in the folder of the job. Runs on the thread that called [`serve`].
    ///
    /// # Errors
    /// If this worker cannot play the job. It then waits for another one.
    fn prepare(&self, session: &Session) -> anyhow::Result<(Self::Ready, Fitness)>;

    /// Runs first on each thread that plays. Threads have numbers from 0.
    fn start_thread(&self, ready: &Self::Ready, number: usize) {
        let _ = (ready, number);
    }

    /// Plays a task. Tries it only as long as it `is_wanted`.
    fn play(&self, ready: &Self::Ready, task: &[u8], is_wanted: &dyn Fn() -> bool) -> Outcome;
}

/// The machine of a worker, and how much of it may be used.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// What people call it; without one, the name of the machine.
    pub name: Option<String>,
    /// The program that plays, with its version, see [`Job::program`].
    pub program: String,
    /// How many tasks it plays at the same time.
    pub jobs: usize,
    /// How many cores the machine has, for people.
    pub cores: usize,
    /// Where files are kept; without one, `arena/worker` in the user's cache folder.
    pub cache: Option<PathBuf>,
    /// Ends the worker if there was no session for so long.
    pub idle: Option<Duration>,
}

/// A session of a coordinator, at a worker.
pub struct Session {
    /// What is to be played.
    pub job: Job,
    /// Where its files are.
    pub place: Place,
    /// Raised when the session ends at once.
    pub stop: Arc<Stop>,
    queue: Arc<Queue>,
    /// Back to the thread with the connection.
    events: UnboundedSender<Event>,
}

/// Ends what is under way.
#[derive(Default)]
pub struct Stop(Mutex<Stopping>);

#[derive(Default)]
struct Stopping {
    is_raised: bool,
    actions: Vec<Box<dyn FnOnce() + Send>>,
}

impl Stop {
    /// Runs `action` when this is raised, now if it is already.
    pub fn then(&self, action: impl FnOnce() + Send + 'static) {
        let mut stopping = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if stopping.is_raised {
            drop(stopping);
            action();
        } else {
            stopping.actions.push(Box::new(action));
        }
    }

    fn raise(&self) {
        let mut stopping = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stopping.is_raised = true;
        for action in stopping.actions.drain(..) {
            action();
        }
    }
}

/// What the threads that play say.
enum Event {
    /// They can play.
    Ready(Fitness),
    /// They cannot, for this reason.
    Unfit(String),
    /// A task has ended.
    Finished(u64, Outcome),
    /// They have ended.
    Left,
}

/// Plays for the sessions at a server until the worker `leaves`, or was idle for too long. Changes the current folder of the
/// program.
///
/// # Errors
/// If the server or the cache cannot be used.
pub fn serve<P: Player + Sync>(
    access: Access,
    host: Host,
    player: &P,
    leaves: Leaves,
    tell: &Tell,
) -> anyhow::Result<()> {
    let folder = host.cache.clone().map_or_else(cache_folder, Ok)?;
    let cache = Cache::new(&folder, &name_of_machine())?;
    let (sender, sessions) = mpsc::channel();
    let (jobs, teller) = (host.jobs, Arc::clone(tell));
    let thread = link(
        "worker",
        move || async move {
            Ok(Connection {
                client: access.connect(Arc::clone(&teller)).await?,
                name: host.name.clone().unwrap_or_else(name_of_machine),
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
        play(player, &session, jobs, tell);
        // The folder of the session is removed now.
        let _ = env::set_current_dir("/");
    }
    thread.join().map_err(|_| {
        anyhow!(
            "talk to the server: the thread for it has ended, which is a mistake in this program"
        )
    })
}

/// Plays for a session until its queue is closed.
fn play<P: Player + Sync>(player: &P, session: &Session, jobs: usize, tell: &Tell) {
    let name = &session.job.name;
    let ready = match prepare(player, session) {
        Ok((ready, fitness)) => {
            tell(&format!("{name}: {jobs} at a time"));
            session.say(Event::Ready(fitness));
            ready
        }
        Err(why) => return session.say(Event::Unfit(format!("{why:#}"))),
    };
    let started = thread::scope(|scope| {
        for number in 0..jobs {
            let ready = &ready;
            thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn_scoped(scope, move || work(player, ready, session, number))
                .inspect_err(|_| session.queue.close())?;
        }
        anyhow::Ok(())
    });
    if let Err(error) = started {
        tell(&format!("{name}: start a thread: {error:#}"));
    }
    session.say(Event::Left);
}

fn prepare<P: Player>(player: &P, session: &Session) -> anyhow::Result<(P::Ready, Fitness)> {
    let Session { job, place, .. } = session;
    let folder = place.of(&job.folder)?;
    env::set_current_dir(&folder).with_context(|| format!("go to {}", folder.display()))?;
    let (ready, fitness) = player.prepare(session)?;
    let remarks = [files::remarks(job), fitness.remarks].concat();
    Ok((ready, Fitness { remarks, ..fitness }))
}

/// Plays one task after the other.
fn work<P: Player>(player: &P, ready: &P::Ready, session: &Session, number: usize) {
    let queue = &session.queue;
    player.start_thread(ready, number);
    while let Some(task) = queue.next() {
        let outcome = if queue.wants(task.number) {
            // The coordinator waits for an answer, even from a player that panics.
            catch_unwind(AssertUnwindSafe(|| {
                player.play(ready, &task.bytes, &|| queue.wants(task.number))
            }))
            .unwrap_or_else(|_| Outcome::Failed("the worker panicked".into()))
        } else {
            Outcome::GivenBack
        };
        session.say(Event::Finished(task.number, outcome));
    }
}

impl Session {
    fn say(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

/// Returns the name of this machine.
fn name_of_machine() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "worker".to_owned(),
        name => name.to_owned(),
    }
}

fn cache_folder() -> anyhow::Result<PathBuf> {
    for (variable, folder) in [("XDG_CACHE_HOME", ""), ("HOME", ".cache")] {
        if let Some(root) = env::var_os(variable).map(PathBuf::from)
            && root.is_absolute()
        {
            return Ok(root.join(folder).join("arena").join("worker"));
        }
    }
    bail!("find the folder for programs: set XDG_CACHE_HOME or HOME, or give --cache");
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_stop_runs_actions_before_and_after_it_is_raised() {
        let (stop, ran) = (Stop::default(), Arc::new(AtomicU32::new(0)));
        for expected in [0, 2] {
            let ran_here = Arc::clone(&ran);
            stop.then(move || {
                ran_here.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(ran.load(Ordering::Relaxed), expected);
            stop.raise();
        }
        assert_eq!(ran.load(Ordering::Relaxed), 2);
    }
}
