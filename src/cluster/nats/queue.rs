//! The games that a worker holds, which its threads take one by one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::protocol::{Answered, Answers, Batch};
use crate::plan::schedule::Fixture;
use crate::pool::{Finished, Ticket, TicketState};
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
    /// Those that threads took.
    begun: BTreeMap<u64, Arc<TicketState>>,
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
        let begun = state.begun.remove(&number);
        let seconds = begun
            .and_then(|game| game.begun().map(Instant::elapsed))
            .unwrap_or_default()
            .as_secs_f64();
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
        let mut state = self.lock();
        state.skipped.extend(numbers);
        state.cancel();
    }

    /// Nothing more is begun; what waits is answered as not played.
    pub(super) fn drain(&self) {
        let mut state = self.lock();
        state.drains = true;
        state.cancel();
    }

    /// Everything ends at once.
    pub(super) fn end(&self) {
        self.drain();
        self.close();
        self.kill.raise();
    }

    /// Returns the next game, cancelled if it is not to be begun. Waits for one until nothing more comes.
    pub(super) fn next(&self) -> Option<Ticket> {
        let mut state = self.lock();
        loop {
            if let Some(fixture) = state.waiting.pop_front() {
                let number = fixture.number;
                let (ticket, begun) = Ticket::new(fixture);
                state.begun.insert(number, begun);
                state.cancel();
                return Some(ticket);
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

    /// Nothing more comes.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl State {
    /// Cancels games that are not to be begun.
    fn cancel(&mut self) {
        for (number, game) in &self.begun {
            if self.drains || self.skipped.contains(number) {
                game.cancel();
            }
        }
    }
}
