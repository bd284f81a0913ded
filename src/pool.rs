//! Where games run: workers that pull fixtures, each playing one game at a time.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context as _;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::schedule::Fixture;
use crate::store::RemoteWorker;
use crate::worker::{Outcome, Started, Worker};
use arena_process::Sandbox;

/// After so long without a result that is told.
const WHILE: Duration = Duration::from_secs(1);

/// A fixture that was played, or could not be.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) fixture: Fixture,
    pub(crate) outcome: Outcome,
    /// Which worker of another machine played it.
    pub(crate) worker: Option<String>,
}

/// Where an executor gets its fixtures from.
pub(crate) trait Fixtures: Sync {
    /// The next fixture to be played, in order. Waits while that depends on games under way; `None` when there are no
    /// more. Whoever wants an early end ends the fixtures.
    fn next(&self) -> Option<Fixture>;

    /// Whether somebody still wants the game: what was handed out too soon need not be played to its end.
    fn is_wanted(&self, fixture: &Fixture) -> bool;

    /// Nothing more is handed out: `next` gives what is there already at most, and never waits.
    fn close(&self);
}

/// Runs games.
pub(crate) trait Executor: Sync {
    /// Gets ready to play, after the bots are built, and tries whether they and the referees start. Says which sandbox features they have, if there is anything to say.
    fn prepare(&self, _: Started) -> anyhow::Result<String> {
        Ok(String::new())
    }

    /// How many games it plays at the same time; units that workers of other machines hold. That may change while it runs.
    fn width(&self) -> usize;

    /// The workers of other machines that played or play, in the order in which they came.
    fn workers(&self) -> Vec<RemoteWorker> {
        Vec::new()
    }

    /// Pulls fixtures until there are no more, and hands results to `done` on the calling thread, in any order; `None` where for
    /// a while there was no result. Those in flight at the end are still delivered.
    fn execute(
        &self,
        fixtures: &dyn Fixtures,
        done: &mut dyn FnMut(Option<Finished>),
    ) -> anyhow::Result<()>;
}

/// Plays games on this machine.
#[derive(Debug)]
pub(crate) struct LocalPool {
    /// Plays for all threads.
    pub(crate) worker: Worker,
    /// The number of threads.
    pub(crate) jobs: usize,
    /// Whether a thread and its bots stay on one core. A single one runs free all the same.
    pub(crate) pin: bool,
    /// What the bots are kept in by.
    pub(crate) sandbox: Arc<Sandbox>,
}

impl LocalPool {
    fn threads(&self) -> anyhow::Result<ThreadPool> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.jobs)
            .thread_name(|number| format!("worker-{number}"));
        pool.build()
            .with_context(|| format!("start {} workers", self.jobs))
    }
}

impl Executor for LocalPool {
    fn prepare(&self, started: Started) -> anyhow::Result<String> {
        self.threads()?.install(|| self.worker.prepare(started))?;
        self.sandbox.close();
        Ok(self.sandbox.to_string())
    }

    fn width(&self) -> usize {
        self.jobs
    }

    fn execute(
        &self,
        fixtures: &dyn Fixtures,
        done: &mut dyn FnMut(Option<Finished>),
    ) -> anyhow::Result<()> {
        let pool = self.threads()?;
        let cores = if self.pin && self.jobs > 1 {
            allowed_cores()
        } else {
            Vec::new()
        };
        let (sender, receiver) = mpsc::channel();
        pool.in_place_scope(|scope| {
            let cores = &cores;
            scope.spawn_broadcast(move |_, thread| {
                self.sandbox.enter();
                if !cores.is_empty() {
                    pin_to(cores[thread.index() % cores.len()]);
                }
                while let Some(fixture) = fixtures.next() {
                    let outcome = self.worker.play(&fixture, &|| fixtures.is_wanted(&fixture));
                    // The receiver outlives every thread.
                    let _ = sender.send(Finished {
                        fixture,
                        outcome,
                        worker: None,
                    });
                }
            });
            loop {
                match receiver.recv_timeout(WHILE) {
                    Ok(finished) => done(Some(finished)),
                    Err(RecvTimeoutError::Timeout) => done(None),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        Ok(())
    }
}

fn allowed_cores() -> Vec<usize> {
    sched_getaffinity(None)
        .map(|set| {
            (0..CpuSet::MAX_CPU)
                .filter(|&core| set.is_set(core))
                .collect()
        })
        .unwrap_or_default()
}

/// Keeps this thread, and the bots it starts, on one core: a turn's round trip is several times faster there than
/// across two. Where the system refuses, games are played unpinned.
fn pin_to(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
}
