//! Where games run: workers that pull fixtures in order, start the bots and play.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::play::{Abort, Clock, Played, play};
use crate::process::{self, Bot, Exit, Interrupt, Jail, Launch, StartError, Walls};
use crate::schedule::Fixture;
use arena_games::{Fate, GameSpec, Options, Seat};

/// How often a game is tried before it is given up.
const ATTEMPTS: u32 = 3;
/// How often a game in which the machine was too busy to be fair is thrown away and played again. After that it is
/// played once more, and its time-outs count: a bot that never answers must not hold up a run.
pub(crate) const REPLAYS: u32 = 5;

/// What workers need to know to play any fixture.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The games of the plan.
    pub(crate) games: Vec<GameSetup>,
    /// The bots of the plan.
    pub(crate) bots: Vec<Launch>,
    /// Whether prompts are kept.
    pub(crate) trace: bool,
}

/// How one game of the plan is played.
#[derive(Clone, Debug)]
pub(crate) struct GameSetup {
    /// The game.
    pub(crate) spec: &'static GameSpec,
    /// What it is started with.
    pub(crate) options: Options,
    /// Its time limits.
    pub(crate) clock: Clock,
}

/// What became of a fixture.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The fixture.
    pub(crate) fixture: Fixture,
    /// The game, or why there is none.
    pub(crate) outcome: Result<Played, Abort>,
    /// What the bots that failed left behind.
    pub(crate) postmortems: Vec<Postmortem>,
    /// How often it was thrown away and played again, because the machine was too busy to be fair to a bot; at most
    /// [`REPLAYS`] times.
    pub(crate) voided: u32,
}

/// What a bot that did not come through its game left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Postmortem {
    /// Its seat.
    pub(crate) seat: Seat,
    /// How its process ended, if it did so by itself.
    pub(crate) exit: Option<String>,
    /// Whether that was a signal which may have been meant for the arena, see [`crate::process::Exit::by_group_signal`].
    pub(crate) by_group_signal: bool,
    /// The beginning of a line that it wrote without ending it, where that cost it its answer.
    pub(crate) unfinished: Option<String>,
    /// The end of what it wrote to standard error.
    pub(crate) stderr_tail: String,
}

/// Why games cannot be run at all.
#[derive(Debug, thiserror::Error)]
#[error("start {jobs} workers")]
pub(crate) struct ExecuteError {
    jobs: usize,
    source: rayon::ThreadPoolBuildError,
}

/// Runs games.
pub(crate) trait Executor {
    /// Gets ready to play, after the bots are built, and tries whether they start: what cannot be run is better known
    /// before the first game than in every game. Says what the bots are kept apart by, if there is anything to say.
    fn prepare(&self) -> Result<String, StartError> {
        Ok(String::new())
    }

    /// Pulls fixtures in order until there are no more, and hands results to `done` on the calling thread, in any
    /// order. Whoever wants an early end ends the fixtures; those in flight are still delivered.
    fn execute(
        &self,
        fixtures: &mut (dyn Iterator<Item = Fixture> + Send),
        done: &mut dyn FnMut(Finished),
    ) -> Result<(), ExecuteError>;
}

/// Plays games on this machine, one at a time per worker.
#[derive(Debug)]
pub(crate) struct LocalPool {
    /// What is played.
    pub(crate) setup: Setup,
    /// The number of workers.
    pub(crate) jobs: usize,
    /// Whether a worker and its bots stay on one core. A single worker runs free all the same.
    pub(crate) pin: bool,
    /// Ends all games at once when raised.
    pub(crate) interrupt: Arc<Interrupt>,
    /// What the bots are kept in by.
    pub(crate) walls: Arc<Walls>,
    /// The walls of each bot of the setup.
    pub(crate) jails: Vec<Arc<Jail>>,
}

impl Executor for LocalPool {
    fn prepare(&self) -> Result<String, StartError> {
        self.walls.close();
        for (bot, jail) in self.setup.bots.iter().zip(&self.jails) {
            Bot::start_in(Some(jail), bot, 0, &self.interrupt)?;
        }
        process::sweep();
        Ok(self.walls.to_string())
    }

    fn execute(
        &self,
        fixtures: &mut (dyn Iterator<Item = Fixture> + Send),
        done: &mut dyn FnMut(Finished),
    ) -> Result<(), ExecuteError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs).thread_name(|n| format!("worker-{n}"));
        let pool = pool.build().map_err(|source| ExecuteError { jobs: self.jobs, source })?;
        let cores = if self.pin && self.jobs > 1 { allowed_cores() } else { Vec::new() };
        let fixtures = Mutex::new(fixtures);
        let next = || fixtures.lock().unwrap_or_else(PoisonError::into_inner).next();
        let (sender, receiver) = mpsc::channel();
        pool.in_place_scope(|scope| {
            let (cores, next) = (&cores, &next);
            scope.spawn_broadcast(move |_, worker| {
                if !cores.is_empty() {
                    pin_to(cores[worker.index() % cores.len()]);
                }
                self.work(next, &sender);
            });
            receiver.into_iter().for_each(done);
        });
        Ok(())
    }
}

impl LocalPool {
    fn work(&self, next: &(dyn Fn() -> Option<Fixture> + Sync), results: &Sender<Finished>) {
        while let Some(fixture) = next() {
            // The receiver outlives every worker.
            let _ = results.send(self.play_fixture(fixture));
        }
    }

    /// Plays a fixture, again when it fails through no fault of a bot: a failed start may be a matter of the moment.
    fn play_fixture(&self, fixture: Fixture) -> Finished {
        let (mut failed, mut voided) = (0, 0);
        loop {
            let mut postmortems = Vec::new();
            let excuses = voided < REPLAYS;
            let attempted = catch_unwind(AssertUnwindSafe(|| self.attempt(&fixture, excuses, &mut postmortems)));
            // Its bots have ended; what they left behind must not trouble the next game.
            process::sweep();
            let outcome = attempted.unwrap_or_else(|panic| Err(Abort::Failed(panic_text(panic.as_ref()))));
            match outcome {
                Err(Abort::Busy) => voided += 1,
                Err(Abort::Failed(_)) if failed + 1 < ATTEMPTS => failed += 1,
                _ => return Finished { fixture, outcome, postmortems, voided },
            }
        }
    }

    /// Plays a fixture once; with `excuses`, a time-out on a busy machine is none.
    fn attempt(&self, fixture: &Fixture, excuses: bool, postmortems: &mut Vec<Postmortem>) -> Result<Played, Abort> {
        let GameSetup { spec, options, clock } = &self.setup.games[fixture.game];
        let failed = |error: &dyn std::error::Error| Abort::Failed(chain(error));
        let mut game = (spec.start)(fixture.seed, options).map_err(|error| failed(&error))?;
        let mut bots = Vec::with_capacity(spec.seats);
        for (seat, &bot) in fixture.seating.iter().enumerate() {
            let jail = self.jails.get(bot);
            let bot = Bot::start_in(jail, &self.setup.bots[bot], fixture.bot_seed(seat), &self.interrupt);
            let mut bot = bot.map_err(|error| failed(&error))?;
            bot.excuses = excuses;
            bots.push(bot);
        }
        let played = play(game.as_mut(), &mut bots, *clock, self.setup.trace)?;
        for (seat, bot) in bots.into_iter().enumerate().filter(|(seat, _)| played.standings[*seat].fate != Fate::Ok) {
            let exit = bot.stop();
            let by_group_signal = exit.by_group_signal();
            let status = exit.status.is_some().then(|| exit.to_string());
            let Exit { stderr_tail, unfinished, .. } = exit;
            postmortems.push(Postmortem { seat, exit: status, by_group_signal, unfinished, stderr_tail });
        }
        Ok(played)
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the referee failed: {}", text.unwrap_or("no message"))
}

fn allowed_cores() -> Vec<usize> {
    sched_getaffinity(None)
        .map(|set| (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
        .unwrap_or_default()
}

/// Keeps this thread, and the bots it starts, on one core: a turn's round trip is several times faster there than
/// across two. Where the system refuses, games are played unpinned.
fn pin_to(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
}
