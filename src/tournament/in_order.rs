//! Sorts results, which come in any order, into the order of their fixtures.

use std::collections::VecDeque;

use crate::worker::pool::Finished;

/// The games that were handed out and are not written yet, in order, with their results.
#[derive(Default)]
pub(super) struct InOrder(VecDeque<(u64, Option<Finished>)>);

impl InOrder {
    /// Notes a game that is handed out.
    pub(super) fn hand_out(&mut self, number: u64) {
        self.0.push_back((number, None));
    }

    /// Takes the result of a game that was handed out.
    pub(super) fn insert(&mut self, finished: Finished) {
        let number = finished.fixture.number;
        if let Some((_, place)) = self.0.iter_mut().find(|game| game.0 == number) {
            *place = Some(finished);
        }
    }

    /// Returns the next result in order, if it has come.
    pub(super) fn next(&mut self) -> Option<Finished> {
        let (_, finished) = self.0.front_mut()?;
        let finished = finished.take()?;
        self.0.pop_front();
        Some(finished)
    }

    /// Returns how many games were handed out and are not written.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
