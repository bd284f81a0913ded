//! The games that a worker holds: its threads take them as those of any other executor.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::protocol::{Answered, Answers, Batch};
use crate::pool::{Finished, Fixtures};
use crate::schedule::Fixture;
use arena_process::Interrupt;

/// What is to be played for a session, shared by the thread that fetches it and those that play.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Ends the games under way when raised.
    pub(super) kill: Arc<Interrupt>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Fixture>,
    /// Those that are played, and since when.
    begun: BTreeMap<u64, Instant>,
    /// Not to be begun.
    skipped: BTreeSet<u64>,
    /// Of each batch the games that are not answered, and what became of the others.
    batches: BTreeMap<u64, (BTreeSet<u64>, Vec<Answered>)>,
    /// Whether nothing more is begun.
    drains: bool,
    /// Whether nothing more comes.
    closed: bool,
}

impl Queue {
    pub(super) fn new(kill: Arc<Interrupt>) -> Queue {
        Queue {
            state: Mutex::default(),
            changed: Condvar::new(),
            kill,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a batch. `false` if all of its games are here already: it was delivered twice.
    pub(super) fn push(&self, batch: Batch) -> bool {
        let mut state = self.lock();
        let held = |number: &u64| {
            state
                .batches
                .values()
                .any(|(open, _)| open.contains(number))
        };
        let new: Vec<Fixture> = batch
            .fixtures
            .into_iter()
            .filter(|fixture| !held(&fixture.number))
            .collect();
        if new.is_empty() {
            return false;
        }
        let numbers = new.iter().map(|fixture| fixture.number).collect();
        state.batches.insert(batch.number, (numbers, Vec::new()));
        state.waiting.extend(new);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Takes what became of a game. Gives the batch with all its answers if that was the last of them.
    pub(super) fn finish(&self, worker: &str, finished: Finished) -> Option<(u64, Answers)> {
        let mut state = self.lock();
        let number = finished.fixture.number;
        let seconds = state
            .begun
            .remove(&number)
            .map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        let (&batch, (open, answered)) = state
            .batches
            .iter_mut()
            .find(|(_, (open, _))| open.contains(&number))?;
        open.remove(&number);
        answered.push(Answered {
            number,
            seconds,
            outcome: finished.outcome,
        });
        let is_whole = open.is_empty();
        let (_, games) = if is_whole {
            state.batches.remove(&batch)?
        } else {
            return None;
        };
        Some((
            batch,
            Answers {
                worker: worker.to_owned(),
                games,
            },
        ))
    }

    /// These games are not to be begun.
    pub(super) fn skip(&self, numbers: Vec<u64>) {
        self.lock().skipped.extend(numbers);
    }

    /// Nothing more is begun; what waits is answered as not played.
    pub(super) fn drain(&self) {
        self.lock().drains = true;
    }

    /// Everything ends at once.
    pub(super) fn end(&self) {
        self.drain();
        self.close();
        self.kill.raise();
    }
}

impl Fixtures for Queue {
    fn next(&self) -> Option<Fixture> {
        let mut state = self.lock();
        loop {
            if let Some(fixture) = state.waiting.pop_front() {
                state.begun.insert(fixture.number, Instant::now());
                return Some(fixture);
            }
            if state.closed {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_wanted(&self, fixture: &Fixture) -> bool {
        let state = self.lock();
        !state.drains && !state.skipped.contains(&fixture.number)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}
