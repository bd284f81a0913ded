//! The tasks that workers have. The queue may deliver a batch twice or lose it, so the coordinator keeps each task until the first
//! good answer to it. Knows neither server nor clock.

use std::collections::BTreeMap;
use std::mem;

use crate::protocol::{Batch, Task};

/// A batch keeps a worker busy for about so many seconds, unless one unit takes longer.
const BATCH: f64 = 0.1;
/// The most units of a batch.
const MOST_UNITS: usize = 64;
/// The weight of the last task in the mean duration.
const NEWEST: f64 = 0.02;
/// How often workers try a task before it is given up.
const TRIES: u32 = 3;

/// The tasks that have no accepted answer yet.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// Those that are not sent yet, in order.
    gathered: Vec<Task>,
    /// Those that are, by number.
    sent: BTreeMap<u64, Sent>,
    last_batch: u64,
    /// The number of tasks of the largest unit.
    unit_size: usize,
    /// The mean duration of a task, in seconds, once there is an answer.
    seconds: Option<f64>,
}

#[derive(Debug)]
struct Sent {
    task: Task,
    /// How often a worker could not play it.
    failed: u32,
}

impl InFlight {
    /// Adds a task, to be sent with the others of its unit.
    pub(super) fn gather(&mut self, task: Task) {
        self.unit_size = self.unit_size.max(task.unit_size);
        self.gathered.push(task);
    }

    /// Returns the next batch, if there is a full one, or if workers have less than `most` batches of work. Set `is_dry` if no
    /// task is added until some of these have answers.
    pub(super) fn batch(&mut self, is_dry: bool, most: usize) -> Option<Batch> {
        let ends = self.unit_ends();
        let units = self.units_per_batch();
        let end = match ends.get(units - 1) {
            Some(end) => *end,
            None if is_dry && self.sent.is_empty() => self.gathered.len(),
            None if is_dry && self.sent.len() < most * units * self.unit_size => *ends.last()?,
            None => return None,
        };
        let rest = self.gathered.split_off(end);
        let tasks = mem::replace(&mut self.gathered, rest);
        (!tasks.is_empty()).then(|| self.send(tasks))
    }

    /// Returns the places in the list after which a unit ends: it is complete, or another begins.
    fn unit_ends(&self) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut size = 0;
        for (place, task) in self.gathered.iter().enumerate() {
            size += 1;
            let next = self.gathered.get(place + 1);
            if size >= task.unit_size || next.is_some_and(|next| next.unit != task.unit) {
                ends.push(place + 1);
                size = 0;
            }
        }
        ends
    }

    fn send(&mut self, tasks: Vec<Task>) -> Batch {
        self.last_batch += 1;
        for task in &tasks {
            self.sent.entry(task.number).or_insert_with(|| Sent {
                task: task.clone(),
                failed: 0,
            });
        }
        Batch {
            number: self.last_batch,
            tasks,
        }
    }

    /// Returns everything that was sent in new batches: the old ones are lost.
    pub(super) fn again(&mut self) -> Vec<Batch> {
        let mut units: Vec<Vec<Task>> = Vec::new();
        for Sent { task, .. } in self.sent.values() {
            match units.last_mut() {
                Some(unit) if unit[0].unit == task.unit => unit.push(task.clone()),
                _ => units.push(vec![task.clone()]),
            }
        }
        let mut batches = Vec::new();
        for units in units.chunks(self.units_per_batch()) {
            batches.push(self.send(units.concat()));
        }
        batches
    }

    /// Returns one task that was sent in a new batch.
    pub(super) fn once_more(&mut self, number: u64) -> Option<Batch> {
        let task = self.sent.get(&number)?.task.clone();
        Some(self.send(vec![task]))
    }

    /// Removes tasks, sent or not, and returns their numbers.
    pub(super) fn cancel(&mut self, is_unwanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut cancelled: Vec<u64> = self.sent.keys().copied().collect();
        cancelled.retain(|&number| is_unwanted(number));
        for &number in &cancelled {
            self.sent.remove(&number);
        }
        let gathered = self
            .gathered
            .extract_if(.., |task| is_unwanted(task.number));
        cancelled.extend(gathered.map(|task| task.number));
        cancelled
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.gathered.is_empty()
    }

    /// Returns whether a task was sent and has no accepted answer.
    pub(super) fn has(&self, number: u64) -> bool {
        self.sent.contains_key(&number)
    }

    /// Removes a task, and returns whether it was in flight.
    pub(super) fn take(&mut self, number: u64) -> bool {
        self.sent.remove(&number).is_some()
    }

    /// Takes note of how long a task took.
    pub(super) fn took(&mut self, seconds: f64) {
        if seconds.is_finite() && seconds > 0.0 {
            let seconds = seconds.min(3600.0);
            let mean = self.seconds.unwrap_or(seconds);
            self.seconds = Some(mean + NEWEST * (seconds - mean));
        }
    }

    /// Takes note that a worker could not play a task. Returns whether it was tried often enough.
    pub(super) fn failed(&mut self, number: u64) -> bool {
        let Some(sent) = self.sent.get_mut(&number) else {
            return true;
        };
        sent.failed += 1;
        sent.failed >= TRIES
    }

    /// Returns how many units a batch has, going by the tasks so far.
    pub(super) fn units_per_batch(&self) -> usize {
        let Some(seconds) = self.seconds else {
            return 1;
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is bounded"
        )]
        #[expect(clippy::cast_precision_loss, reason = "a unit has few tasks")]
        let units = (BATCH / (seconds * self.unit_size.max(1) as f64)) as usize;
        units.clamp(1, MOST_UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More batches than any test has.
    const MANY: usize = 3;

    /// A task of units of two.
    fn task(number: u64) -> Task {
        Task {
            number,
            unit: number / 2,
            unit_size: 2,
            bytes: vec![7],
        }
    }

    fn numbers(batch: &Batch) -> Vec<u64> {
        batch.tasks.iter().map(|task| task.number).collect()
    }

    /// A unit is in flight.
    fn busy() -> InFlight {
        let mut in_flight = InFlight::default();
        for number in [0, 1] {
            in_flight.gather(task(number));
        }
        let sent = in_flight.batch(false, MANY);
        assert_eq!(sent.as_ref().map(numbers), Some(vec![0, 1]));
        in_flight
    }

    #[test]
    fn units_stay_whole() {
        let mut in_flight = busy();
        in_flight.gather(task(2));
        assert_eq!(in_flight.batch(true, MANY), None, "half a unit waits");
        in_flight.gather(task(3));
        let sent = in_flight.batch(false, MANY);
        assert_eq!(sent.as_ref().map(numbers), Some(vec![2, 3]));
        // Half of a unit was played before: another unit follows, or nothing else is in flight.
        for number in [5, 6] {
            in_flight.gather(task(number));
        }
        let sent = in_flight.batch(false, MANY);
        assert_eq!(sent.as_ref().map(numbers), Some(vec![5]));
        assert_eq!(in_flight.batch(true, MANY), None);
        for number in [0, 1, 2, 3, 5] {
            assert!(in_flight.take(number));
        }
        let sent = in_flight.batch(true, MANY);
        assert_eq!(sent.as_ref().map(numbers), Some(vec![6]));
    }

    #[test]
    fn small_batches_are_sent_only_to_workers_that_have_too_few() {
        let mut in_flight = busy();
        in_flight.took(0.01);
        for number in [2, 3] {
            in_flight.gather(task(number));
        }
        assert_eq!(in_flight.batch(false, 2), None, "more may come");
        assert_eq!(in_flight.batch(true, 0), None, "the workers have enough");
        let sent = in_flight.batch(true, 1);
        assert_eq!(sent.as_ref().map(numbers), Some(vec![2, 3]));
    }

    #[test]
    fn the_first_answer_counts() {
        let mut in_flight = busy();
        assert!(in_flight.has(1));
        assert!(in_flight.take(1));
        assert!(!in_flight.has(1));
        assert!(!in_flight.take(1), "the second one is late");
        assert!(!in_flight.take(77), "it was never sent");
    }

    #[test]
    fn what_was_lost_is_sent_again() {
        let mut in_flight = busy();
        for number in [2, 3, 4] {
            in_flight.gather(task(number));
        }
        in_flight.batch(false, MANY).unwrap();
        in_flight.take(0);
        let again: Vec<Vec<u64>> = in_flight.again().iter().map(numbers).collect();
        assert_eq!(again, [vec![1], vec![2, 3]]);
        assert_eq!(in_flight.once_more(3).as_ref().map(numbers), Some(vec![3]));
        assert_eq!(in_flight.once_more(0), None);
        for number in [1, 2, 3] {
            in_flight.take(number);
        }
        assert!(!in_flight.is_empty(), "one is gathered");
        assert_eq!(in_flight.cancel(|_| true), [4]);
        assert!(in_flight.is_empty());
    }

    #[test]
    fn unwanted_tasks_are_cancelled_wherever_they_are() {
        let mut in_flight = busy();
        for number in [2, 3, 4] {
            in_flight.gather(task(number));
        }
        assert_eq!(in_flight.cancel(|number| number % 2 == 1), [1, 3]);
        assert!(!in_flight.take(1));
        let sent = in_flight.batch(false, MANY);
        assert_eq!(sent.as_ref().map(numbers), Some(vec![2]));
    }

    #[test]
    fn a_task_is_tried_three_times() {
        let mut in_flight = busy();
        assert!(!in_flight.failed(0));
        in_flight.once_more(0).unwrap();
        assert!(!in_flight.failed(0));
        assert!(!in_flight.failed(1));
        assert!(in_flight.failed(0));
        assert!(in_flight.failed(77), "it is not in flight");
    }

    #[test]
    fn batches_last_a_fraction_of_a_second() {
        let mut in_flight = busy();
        assert_eq!(in_flight.units_per_batch(), 1);
        in_flight.took(0.005);
        assert_eq!(in_flight.units_per_batch(), 10);
        for _ in 0..1000 {
            in_flight.took(2.0);
        }
        assert_eq!(in_flight.units_per_batch(), 1);
        for nonsense in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            in_flight.took(nonsense);
        }
        assert_eq!(in_flight.units_per_batch(), 1);
    }
}
