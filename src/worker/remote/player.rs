//! Plays the games of runs at a worker.

use std::sync::Arc;

use anyhow::{anyhow, bail};
use arena_cluster::{Outcome, Player, Session};

use super::super::Worker;
use super::super::pool::{Executor as _, LocalPool};
use super::{Started, files};
use crate::plan::Plan;
use crate::play::Abort;
use arena_games::{Games, Wanted};
use arena_process::{Interrupt, Sandbox};
use arena_schedule::Fixture;

/// Plays the games of one run after the other.
pub(crate) struct GamePlayer<'g> {
    /// The games that this program knows.
    pub(crate) games: &'g Games,
    /// The number of games played at the same time.
    pub(crate) jobs: usize,
    /// Whether a thread and its bots stay on one core.
    pub(crate) pin: bool,
    pub(crate) sandbox: Arc<Sandbox>,
    /// Returns whether the worker should leave.
    pub(crate) leaves: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Raised before this process kills its bots and ends.
    pub(crate) kill: Arc<Interrupt>,
}

impl Player for GamePlayer<'_> {
    type Ready = LocalPool;

    fn prepare(&self, session: &Session) -> anyhow::Result<LocalPool> {
        let Session { job, place, .. } = session;
        let (mut plan, mut started): (Plan, Started) = serde_json::from_str(&job.description)?;
        plan.look_up(self.games);
        plan.check().map_err(|why| anyhow!("play: {why}"))?;
        let read = |wanted: Wanted<'_>| files::read_moved(wanted, place);
        let games = plan.configured(&read)?;
        if started.bots.len() != plan.bots.len() {
            bail!("play: bots are missing in what the arena sent");
        }
        for launch in started.launches_mut() {
            files::localize(launch, place, &job.folder)?;
        }
        let sandbox = self.sandbox.with_memory(plan.memory_mb << 20);
        let sandbox = Arc::new(sandbox.confined(vec![place.root()?]));
        let pool = LocalPool {
            worker: Worker::new(&plan, games, &sandbox, &session.stop),
            jobs: self.jobs,
            pin: self.pin,
            sandbox,
            stop: Arc::clone(&session.stop),
        };
        // This comes before the first foreign program.
        pool.sandbox.close();
        pool.prepare(started, &mut |_, _| {})?;
        Ok(pool)
    }

    fn start_thread(&self, pool: &LocalPool, number: usize) {
        pool.enter(number);
    }

    fn play(&self, pool: &LocalPool, task: &str, is_wanted: &dyn Fn() -> bool) -> Outcome {
        let fixture: Fixture = match serde_json::from_str(task) {
            Ok(fixture) => fixture,
            Err(error) => return Outcome::Failed(format!("can't read a game: {error}")),
        };
        let outcome = pool.worker.play(&fixture, is_wanted);
        if self.kill.is_raised() || outcome.hit_by_signal && (self.leaves)() {
            // The signal or kill was meant for this worker, so the bot didn't crash.
            return Outcome::GivenBack;
        }
        match &outcome.game {
            Ok(_) => match serde_json::to_string(&outcome) {
                Ok(text) => Outcome::Played(text),
                Err(error) => Outcome::Failed(format!("send a game: {error}")),
            },
            Err(Abort::Failed(why)) => Outcome::Failed(why.clone()),
            Err(_) => Outcome::GivenBack,
        }
    }
}
