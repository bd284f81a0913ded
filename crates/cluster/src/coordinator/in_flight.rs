//! The tasks that workers have. The queue may deliver a unit twice or lose it, so the coordinator
//! keeps each task until the first good answer to it.

use std::collections::{BTreeMap, VecDeque};

use crate::protocol::Task;

/// The coordinator gives up a task after so many failures.
const TRIES: u32 = 3;

/// The tasks without an accepted answer.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// Tasks that aren't sent yet, in order.
    waiting: VecDeque<Task>,
    /// Tasks in the queue or at workers, by number.
    sent: BTreeMap<u64, Sent>,
}

#[derive(Debug)]
struct Sent {
    task: Task,
    /// How often a worker couldn't play it.
    failed: u32,
}

impl InFlight {
    /// Adds a task. It is sent together with its unit.
    pub(super) fn add(&mut self, task: Task) {
        self.waiting.push_back(task);
    }

    /// Returns the tasks of the next unit to send: one that is complete, that another unit follows,
    /// or the only one.
    pub(super) fn next_unit(&mut self) -> Option<Vec<Task>> {
        let first = self.waiting.front()?;
        let rest = self.waiting.iter().position(|task| task.unit != first.unit);
        let size = rest.unwrap_or(self.waiting.len());
        if size < first.unit_size && rest.is_none() && !self.sent.is_empty() {
            return None;
        }
        let unit: Vec<Task> = self.waiting.drain(..size).collect();
        for task in &unit {
            let task = task.clone();
            self.sent.insert(task.number, Sent { task, failed: 0 });
        }
        Some(unit)
    }

    /// Returns all tasks that were sent, by unit, to send them again.
    pub(super) fn units(&self) -> Vec<Vec<Task>> {
        let tasks: Vec<Task> = self.sent.values().map(|sent| sent.task.clone()).collect();
        tasks
            .chunk_by(|one, next| one.unit == next.unit)
            .map(<[Task]>::to_vec)
            .collect()
    }

    /// Returns a task that was sent, unless it has an accepted answer.
    pub(super) fn get(&self, number: u64) -> Option<&Task> {
        self.sent.get(&number).map(|sent| &sent.task)
    }

    /// Removes tasks, sent or not, and returns their numbers.
    pub(super) fn cancel(&mut self, is_unwanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut cancelled: Vec<u64> = self.sent.keys().copied().collect();
        cancelled.extend(self.waiting.iter().map(|task| task.number));
        cancelled.retain(|&number| is_unwanted(number));
        self.sent.retain(|&number, _| !is_unwanted(number));
        self.waiting.retain(|task| !is_unwanted(task.number));
        cancelled
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.waiting.is_empty()
    }

    /// Removes a task that has an answer.
    pub(super) fn take(&mut self, number: u64) {
        self.sent.remove(&number);
    }

    /// Counts a failure of a task. Returns whether to give it up.
    pub(super) fn failed(&mut self, number: u64) -> bool {
        self.sent.get_mut(&number).is_none_or(|sent| {
            sent.failed += 1;
            sent.failed >= TRIES
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks in units of two.
    fn add(in_flight: &mut InFlight, numbers: std::ops::Range<u64>) {
        for number in numbers {
            in_flight.add(Task {
                number,
                unit: number / 2,
                unit_size: 2,
                text: "7".into(),
            });
        }
    }

    fn numbers(unit: &[Task]) -> Vec<u64> {
        unit.iter().map(|task| task.number).collect()
    }

    fn next(in_flight: &mut InFlight) -> Option<Vec<u64>> {
        in_flight.next_unit().map(|unit| numbers(&unit))
    }

    #[test]
    fn units_are_sent_whole() {
        let mut in_flight = InFlight::default();
        add(&mut in_flight, 0..3);
        assert_eq!(next(&mut in_flight), Some(vec![0, 1]));
        assert_eq!(next(&mut in_flight), None, "the rest of it may come");
        add(&mut in_flight, 3..4);
        assert_eq!(next(&mut in_flight), Some(vec![2, 3]));
        // Task 5 is missing, and so is 9.
        add(&mut in_flight, 4..5);
        add(&mut in_flight, 6..9);
        assert_eq!(next(&mut in_flight), Some(vec![4]));
        assert_eq!(next(&mut in_flight), Some(vec![6, 7]));
        assert_eq!(next(&mut in_flight), None);
        for number in [0, 1, 2, 3, 4, 6, 7] {
            assert!(in_flight.get(number).is_some());
            in_flight.take(number);
            assert!(in_flight.get(number).is_none());
        }
        assert!(!in_flight.is_empty());
        assert_eq!(next(&mut in_flight), Some(vec![8]), "nothing else can come");
        in_flight.take(8);
        assert!(in_flight.is_empty());
    }

    #[test]
    fn lost_tasks_are_sent_again() {
        let mut in_flight = InFlight::default();
        add(&mut in_flight, 0..5);
        while in_flight.next_unit().is_some() {}
        in_flight.take(0);
        let again: Vec<Vec<u64>> = in_flight.units().iter().map(|unit| numbers(unit)).collect();
        assert_eq!(again, [vec![1], vec![2, 3]]);
        for number in [1, 2, 3] {
            in_flight.take(number);
        }
        assert!(!in_flight.is_empty(), "one waits for its unit");
        assert_eq!(in_flight.cancel(|_| true), [4]);
        assert!(in_flight.is_empty());
    }

    #[test]
    fn unwanted_tasks_are_cancelled_wherever_they_are() {
        let mut in_flight = InFlight::default();
        add(&mut in_flight, 0..6);
        in_flight.next_unit().unwrap();
        assert_eq!(in_flight.cancel(|number| number % 2 == 1), [1, 3, 5]);
        assert!(in_flight.get(1).is_none());
        assert_eq!(next(&mut in_flight), Some(vec![2]));
    }

    #[test]
    fn a_task_is_tried_three_times() {
        let mut in_flight = InFlight::default();
        add(&mut in_flight, 0..2);
        in_flight.next_unit().unwrap();
        assert!(!in_flight.failed(0));
        assert!(!in_flight.failed(0));
        assert!(!in_flight.failed(1));
        assert!(in_flight.failed(0));
        assert!(in_flight.failed(77), "it is not in flight");
    }
}
