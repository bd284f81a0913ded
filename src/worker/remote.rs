//! An executor with workers on other machines.
//!
//! The transport, `arena_cluster`, carries text. This module turns a plan into a job, a fixture
//! into a task, and an answer into a game. The main machine replays every built-in game with the
//! answers of the bots, so a worker can't claim a score. With an external referee, it only checks
//! that the game can be stored, and trusts the result.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use arena_cluster::{Access, Answer, Coordinator, Job, Task, Tell, WrongAnswer};

use super::pool::{Executor, Feed, Finished, PAUSE, Setup, UnderWay};
use super::{GameOutcome, Show, Started};
use crate::plan::Plan;
use crate::plan::samples;
use crate::play::Abort;
use crate::play::record::Mismatch;
use arena_games::GameSpec;
use arena_process::{Interrupt, SYSTEM};
use arena_schedule::{Fixture, Next, Schedule};
use arena_section::text::harmless_lines;

mod files;
mod judge;
mod player;

pub(crate) use player::GamePlayer;

/// Plays games with the workers of a server.
pub(crate) struct RemotePool {
    plan: Plan,
    /// The games of the plan, under their options.
    games: Vec<Arc<GameSpec>>,
    access: Access,
    /// Begin no more games when raised.
    drain: Arc<Interrupt>,
    /// End the games in progress, too.
    kill: Arc<Interrupt>,
    tell: Tell,
    /// The session, until [`Executor::execute`] takes it.
    coordinator: RefCell<Option<Coordinator>>,
    width: Cell<usize>,
}

/// Returns this program with its version, and its system if that isn't Linux: one system
/// can't use the programs and paths of another. Sample bots are part of the program.
pub(crate) fn program() -> String {
    let (_, samples) = samples::identity();
    let version = env!("CARGO_PKG_VERSION");
    let system = match SYSTEM {
        "Linux" => String::new(),
        other => format!(" on {other}"),
    };
    format!("arena {version}{system} with sample bots {samples}")
}

impl RemotePool {
    /// Returns the workers of a server, for a plan with these games under their options.
    pub(crate) fn new(
        plan: &Plan,
        games: Vec<Arc<GameSpec>>,
        access: Access,
        [drain, kill]: [&Arc<Interrupt>; 2],
        tell: Tell,
    ) -> RemotePool {
        RemotePool {
            plan: plan.clone(),
            games,
            access,
            drain: Arc::clone(drain),
            kill: Arc::clone(kill),
            tell,
            coordinator: RefCell::default(),
            width: Cell::new(2),
        }
    }

    fn job(&self, started: Started) -> anyhow::Result<Job> {
        let files = files::of(&self.plan, &started)?;
        Ok(Job {
            name: self.plan.name.clone(),
            program: program(),
            // The bots and referees are as the main machine would start them.
            description: serde_json::to_string(&(&self.plan, started))?,
            files,
            folder: env::current_dir().context("can't find the current folder")?,
        })
    }

    /// Returns the game of an answer, or why the answer can't be right.
    fn judged(&self, fixture: Fixture, answer: Answer) -> Result<Finished, WrongAnswer> {
        let outcome = match answer.outcome {
            arena_cluster::Outcome::Played(text) => {
                let (planned, spec) = (&self.plan.games[fixture.game], &self.games[fixture.game]);
                serde_json::from_str(&text)
                    .map_err(|why| Mismatch(why.to_string()))
                    .and_then(|game| judge::judged(planned, spec, &fixture, game, self.plan.kept()))
                    .map_err(|why| {
                        let number = fixture.number;
                        WrongAnswer(format!("its game {number} is none by the rules: {why}"))
                    })?
            }
            arena_cluster::Outcome::GivenBack => GameOutcome::new(Err(Abort::Unwanted)),
            arena_cluster::Outcome::Failed(why) => {
                let why = format!("{} (on worker {})", harmless_lines(&why), answer.worker);
                GameOutcome::new(Err(Abort::Failed(why)))
            }
        };
        Ok(Finished {
            worker: outcome.game.is_ok().then_some(answer.worker),
            fixture,
            outcome,
        })
    }
}

impl Executor for RemotePool {
    fn prepare(&self, started: Started, _: &mut Show<'_>) -> anyhow::Result<Setup> {
        let job = self.job(started)?;
        let mut coordinator = Coordinator::open(self.access.clone(), job, Arc::clone(&self.tell))?;
        coordinator
            .first_worker(&|| self.drain.is_raised() || self.kill.is_raised())
            .map_err(|why| anyhow!(harmless_lines(&format!("{why:#}"))))?;
        self.width.set(coordinator.width());
        self.coordinator.replace(Some(coordinator));
        Ok(Setup::default())
    }

    fn width(&self) -> usize {
        self.width.get()
    }

    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()> {
        let coordinator = self.coordinator.take();
        let round = Round {
            pool: self,
            coordinator: coordinator.context("play: no session is open")?,
            feed,
            schedule: self.plan.schedule(),
            given: BTreeMap::new(),
            is_complete: false,
            heard: Instant::now(),
        };
        round.play()
    }
}

/// One call of [`Executor::execute`].
struct Round<'r> {
    pool: &'r RemotePool,
    coordinator: Coordinator,
    feed: &'r mut dyn Feed,
    schedule: Schedule,
    /// The games without a result, and when the feed gave them.
    given: BTreeMap<u64, (Fixture, Instant)>,
    /// Whether the feed has no more games.
    is_complete: bool,
    /// When the feed last got a result, or was idle.
    heard: Instant,
}

impl Round<'_> {
    fn play(mut self) -> anyhow::Result<()> {
        while !(self.is_complete && self.coordinator.is_empty()) {
            self.gather()?;
            self.poll()?;
            self.look();
            if self.heard.elapsed() >= PAUSE {
                self.heard = Instant::now();
                let given = self.given.values().map(|(_, since)| since);
                self.feed.idle(UnderWay::since(given));
            }
        }
        Ok(())
    }

    /// Takes all games that the feed has at the moment.
    fn gather(&mut self) -> anyhow::Result<()> {
        while !self.is_complete {
            match self.feed.next() {
                Next::Play(fixture) => {
                    let unit_size = self.schedule.games_per_unit(fixture.game);
                    self.coordinator.add(Task {
                        number: fixture.number,
                        unit: fixture.unit,
                        unit_size: usize::try_from(unit_size).unwrap_or(1),
                        text: serde_json::to_string(&fixture)?,
                    });
                    self.given.insert(fixture.number, (fixture, Instant::now()));
                }
                Next::Wait => break,
                Next::Done => self.is_complete = true,
            }
        }
        Ok(())
    }

    fn poll(&mut self) -> anyhow::Result<()> {
        let Round {
            pool, feed, given, ..
        } = self;
        self.coordinator.poll(&mut |answer| {
            let number = answer.number;
            let Some((fixture, _)) = given.get(&number) else {
                return Ok(());
            };
            let finished = pool.judged(fixture.clone(), answer)?;
            given.remove(&number);
            self.heard = Instant::now();
            feed.take(finished);
            Ok(())
        })
    }

    /// Gives up games that the feed no longer wants.
    fn look(&mut self) {
        self.pool.width.set(self.coordinator.width());
        let drains = self.pool.drain.is_raised();
        if self.pool.kill.is_raised() || (drains && self.coordinator.is_alone()) {
            let numbers = self.coordinator.cancel(|_| true);
            self.give_up(&numbers, || Abort::Interrupted);
        } else if drains {
            self.coordinator.drain();
        } else {
            let feed = &*self.feed;
            let numbers = self.coordinator.cancel(|number| !feed.wants(number));
            self.give_up(&numbers, || Abort::Unwanted);
        }
    }

    fn give_up(&mut self, numbers: &[u64], why: impl Fn() -> Abort) {
        for number in numbers {
            if let Some((fixture, _)) = self.given.remove(number) {
                let outcome = GameOutcome::new(Err(why()));
                self.feed.take(Finished::here(fixture, outcome));
            }
        }
    }
}
