//! Units back in the order of the schedule.

use std::collections::BTreeMap;

/// Holds back units that end before their turn.
///
/// Only the units up to the first that is missing may be counted. Counting units as they end favours whatever ends
/// quickly: if wins are short and losses long, a worthless change passes.
#[derive(Debug, Clone)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> InOrder<T> {
    /// The first unit to be counted is number `first`.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self { next: first, waiting: BTreeMap::new() }
    }

    /// Takes unit `number`, and returns those whose turn has come. A unit that was taken before is ignored.
    pub fn add(&mut self, number: u64, unit: T) -> Vec<T> {
        if number >= self.next {
            self.waiting.entry(number).or_insert(unit);
        }
        let mut ready = Vec::new();
        while let Some(unit) = self.waiting.remove(&self.next) {
            ready.push(unit);
            self.next += 1;
        }
        ready
    }

    /// The unit that is waited for.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Units that wait for it.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
