//! The tasks that a worker holds, shared by the thread that fetches them and those that play.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::protocol::{Answered, Batch, Outcome, Task};

/// The tasks of a session.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Task>,
    /// When each task began that is being played.
    begun: BTreeMap<u64, Instant>,
    /// Tasks that are not to be begun.
    skipped: BTreeSet<u64>,
    batches: BTreeMap<u64, Held>,
    /// Whether nothing more is to be begun.
    drains: bool,
    /// Whether nothing more comes.
    closed: bool,
}

/// A batch that is not played to its end.
#[derive(Debug)]
struct Held {
    open: BTreeSet<u64>,
    answered: Vec<Answered>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a batch. Returns false if all of its tasks are here already, because it was delivered twice.
    pub(super) fn push(&self, batch: Batch) -> bool {
        let mut state = self.lock();
        let mut tasks = batch.tasks;
        tasks.retain(|task| !state.holds(task.number));
        if tasks.is_empty() {
            return false;
        }
        let held = Held {
            open: tasks.iter().map(|task| task.number).collect(),
            answered: Vec::new(),
        };
        state.batches.insert(batch.number, held);
        state.waiting.extend(tasks);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Returns the next task. Waits for it until nothing more comes.
    pub(super) fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop_front() {
                state.begun.insert(task.number, Instant::now());
                return Some(task);
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

    /// Takes what became of a task. Returns its batch with all answers if that was the last one.
    pub(super) fn finish(&self, number: u64, outcome: Outcome) -> Option<(u64, Vec<Answered>)> {
        let mut state = self.lock();
        let begun = state.begun.remove(&number);
        let (&batch, held) = state
            .batches
            .iter_mut()
            .find(|(_, held)| held.open.contains(&number))?;
        held.open.remove(&number);
        held.answered.push(Answered {
            number,
            seconds: begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64()),
            outcome,
        });
        if !held.open.is_empty() {
            return None;
        }
        let held = state.batches.remove(&batch)?;
        Some((batch, held.answered))
    }

    /// Returns whether a task may be begun.
    pub(super) fn wants(&self, number: u64) -> bool {
        let state = self.lock();
        !state.drains && !state.skipped.contains(&number)
    }

    /// Begins none of these tasks.
    pub(super) fn skip(&self, numbers: Vec<u64>) {
        self.lock().skipped.extend(numbers);
    }

    /// Begins nothing more: what waits is given back.
    pub(super) fn drain(&self) {
        self.lock().drains = true;
    }

    /// Takes nothing more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl State {
    fn holds(&self, number: u64) -> bool {
        self.batches
            .values()
            .any(|held| held.open.contains(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(number: u64, tasks: &[u64]) -> Batch {
        let mut batch = Batch {
            number,
            tasks: Vec::new(),
        };
        for &number in tasks {
            batch.tasks.push(Task {
                number,
                unit: number,
                unit_size: 1,
                bytes: Vec::new(),
            });
        }
        batch
    }

    fn played() -> Outcome {
        Outcome::Played(Vec::new())
    }

    #[test]
    fn a_batch_is_answered_as_a_whole() {
        let queue = Queue::default();
        assert!(queue.push(batch(1, &[5, 6])));
        for number in [5, 6] {
            assert_eq!(queue.next().map(|task| task.number), Some(number));
        }
        assert!(queue.finish(6, played()).is_none());
        let (number, answered) = queue.finish(5, played()).unwrap();
        let numbers: Vec<u64> = answered.iter().map(|answered| answered.number).collect();
        assert_eq!((number, numbers), (1, vec![6, 5]));
        assert!(queue.finish(5, played()).is_none(), "it is gone");
    }

    #[test]
    fn a_task_that_is_delivered_twice_is_played_once() {
        let queue = Queue::default();
        assert!(queue.push(batch(1, &[5, 6])));
        assert!(!queue.push(batch(2, &[5, 6])));
        assert!(queue.push(batch(3, &[6, 7])));
        queue.close();
        let tasks: Vec<u64> = std::iter::from_fn(|| Some(queue.next()?.number)).collect();
        assert_eq!(tasks, [5, 6, 7]);
        assert!(queue.finish(7, played()).is_some());
    }

    #[test]
    fn what_is_skipped_or_drained_is_not_wanted() {
        let queue = Queue::default();
        queue.push(batch(1, &[5, 6]));
        queue.skip(vec![5]);
        assert_eq!([5, 6].map(|number| queue.wants(number)), [false, true]);
        queue.drain();
        assert!(!queue.wants(6));
        assert!(queue.next().is_some(), "somebody must give it back");
    }
}
