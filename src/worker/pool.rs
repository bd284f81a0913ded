//! Executors play games: the main thread feeds them with fixtures and takes the results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use super::{GameOutcome, Show, Started, Worker};
use arena_process::{Interrupt, Sandbox, allowed_cores, cant_start, lock, pin_to};
use arena_schedule::{Fixture, Next};
use arena_section::words::count;

/// A feed is idle after this time without a result.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// A fixture with its outcome.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) fixture: Fixture,
    pub(crate) outcome: GameOutcome,
    /// The worker of another machine that played it.
    pub(crate) worker: Option<String>,
}

/// The games in progress.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnderWay {
    pub(crate) games: usize,
    /// How long the first of them has been in progress.
    pub(crate) longest: Duration,
}

impl Finished {
    /// Returns a fixture that no worker of another machine played.
    pub(crate) fn here(fixture: Fixture, outcome: GameOutcome) -> Finished {
        Finished {
            fixture,
            outcome,
            worker: None,
        }
    }
}

impl UnderWay {
    /// Returns how many games began, and how long ago the first of them did.
    pub(crate) fn since<'a>(begun: impl Iterator<Item = &'a Instant>) -> UnderWay {
        let mut under_way = UnderWay::default();
        for begun in begun {
            under_way.games += 1;
            under_way.longest = under_way.longest.max(begun.elapsed());
        }
        under_way
    }
}

/// Supplies an executor with games and takes their results. Only the thread that called
/// [`Executor::execute`] calls a feed, so no worker waits while it counts, writes or draws.
pub(crate) trait Feed {
    /// Returns the next game to play. To end early, a feed says that it is done.
    fn next(&mut self) -> Next;

    /// Takes a result. Results come in any order.
    fn take(&mut self, finished: Finished);

    /// Does what is due after [`PAUSE`] without a result, with the games in progress.
    fn idle(&mut self, under_way: UnderWay);

    /// Returns whether the result of a game is still of use. Workers don't begin games that aren't.
    fn wants(&self, number: u64) -> bool;
}

/// What [`Executor::prepare`] found.
#[derive(Default)]
pub(crate) struct Setup {
    /// A description of the sandbox; empty if workers of other machines play.
    pub(crate) sandbox: String,
    pub(crate) warnings: Vec<String>,
    /// The titles that external referees give their games, by id.
    pub(crate) titles: BTreeMap<String, String>,
}

/// Runs games.
pub(crate) trait Executor {
    /// Gets ready to play once the bots are built: asks each bot and referee once, and may show how
    /// far it is.
    fn prepare(&self, _: Started, _: &mut Show<'_>) -> anyhow::Result<Setup> {
        Ok(Setup::default())
    }

    /// Returns how many games it plays at the same time; for workers of other machines, how many
    /// units keep them busy. The number may change during a run.
    fn width(&self) -> usize;

    /// Plays games until the feed has no more, and hands it the result of every game that it gave.
    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()>;
}

/// A game for a thread of this machine.
#[derive(Debug)]
struct Ticket {
    fixture: Fixture,
    state: Arc<TicketState>,
}

/// The state of a ticket, shared by the main thread and the thread that plays it.
#[derive(Debug, Default)]
struct TicketState {
    /// Whether the game must not begin or be tried again. A game in progress ends by itself.
    is_cancelled: AtomicBool,
    /// When a thread took the ticket.
    begun: OnceLock<Instant>,
}

/// Plays games on this machine.
#[derive(Debug)]
pub(crate) struct LocalPool {
    /// The worker of all threads.
    pub(crate) worker: Worker,
    /// The number of threads.
    pub(crate) jobs: usize,
    /// Whether a thread and its bots stay on one core, if there are two threads or more.
    pub(crate) pin: bool,
    /// The sandbox of the bots.
    pub(crate) sandbox: Arc<Sandbox>,
    /// Cancels all tickets when raised, before the feed hears of it.
    pub(crate) stop: Arc<Interrupt>,
}

impl LocalPool {
    /// Puts the calling thread under the restrictions of bots, and on one core. Threads have
    /// numbers from 0.
    pub(crate) fn enter(&self, number: usize) {
        let cores = allowed_cores();
        self.sandbox.enter();
        if self.pin && self.jobs > 1 && !cores.is_empty() {
            pin_to(cores[number % cores.len()]);
        }
    }

    /// Plays one ticket after the other, until the queue or the channel for results is closed.
    fn work(&self, number: usize, tickets: &Mutex<Receiver<Ticket>>, done: &Sender<Finished>) {
        self.enter(number);
        loop {
            let ticket = lock(tickets).recv();
            let Ok(Ticket { fixture, state }) = ticket else {
                return;
            };
            let _ = state.begun.set(Instant::now());
            let outcome = self.worker.play(&fixture, &|| {
                !state.is_cancelled.load(Ordering::Relaxed) && !self.stop.is_raised()
            });
            if done.send(Finished::here(fixture, outcome)).is_err() {
                return;
            }
        }
    }
}

/// Gives threads the games of a feed until it is done and every game has its result.
#[expect(
    clippy::needless_pass_by_value,
    reason = "threads end once the queue is dropped"
)]
fn supply(
    jobs: usize,
    feed: &mut dyn Feed,
    queue: SyncSender<Ticket>,
    results: &Receiver<Finished>,
) {
    // Each thread plays one game and has one ready, so no thread waits while a result is taken.
    let most = 2 * jobs;
    let mut given: BTreeMap<u64, Arc<TicketState>> = BTreeMap::new();
    let mut is_done = false;
    loop {
        while !is_done && given.len() < most {
            match feed.next() {
                Next::Play(fixture) => {
                    let state = Arc::default();
                    given.insert(fixture.number, Arc::clone(&state));
                    // The receiver outlives the threads.
                    let _ = queue.send(Ticket { fixture, state });
                }
                Next::Wait => break,
                Next::Done => is_done = true,
            }
        }
        if is_done && given.is_empty() {
            return;
        }
        match results.recv_timeout(PAUSE) {
            Ok(finished) => {
                given.remove(&finished.fixture.number);
                feed.take(finished);
            }
            Err(RecvTimeoutError::Timeout) => {
                let begun = given.values().filter_map(|game| game.begun.get());
                feed.idle(UnderWay::since(begun));
            }
            // All threads panicked.
            Err(RecvTimeoutError::Disconnected) => return,
        }
        for (&number, game) in &given {
            if !feed.wants(number) {
                game.is_cancelled.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Executor for LocalPool {
    fn prepare(&self, started: Started, show: &mut Show<'_>) -> anyhow::Result<Setup> {
        let setup = self.worker.prepare(started, self.jobs, show)?;
        self.sandbox.close();
        Ok(Setup {
            sandbox: self.sandbox.to_string(),
            ..setup
        })
    }

    fn width(&self) -> usize {
        self.jobs
    }

    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()> {
        // Sending never blocks: `supply` gives no more games at a time.
        let (queue, tickets) = mpsc::sync_channel(2 * self.jobs);
        let tickets = Mutex::new(tickets);
        thread::scope(|scope| {
            let (done, results) = mpsc::channel();
            for number in 0..self.jobs {
                let (tickets, done) = (&tickets, done.clone());
                let workers = || count(self.jobs as u64, "worker", "workers");
                thread::Builder::new()
                    .name(format!("worker-{number}"))
                    .spawn_scoped(scope, move || self.work(number, tickets, &done))
                    .map_err(|error| cant_start(workers(), error))?;
            }
            drop(done);
            supply(self.jobs, feed, queue, &results);
            Ok(())
        })
    }
}
