//! A sequential test: its units are played until it is decided, then those of its check.

use super::{Cursor, Director, Heard, Next};
use crate::record::Record;
use crate::schedule::{Fixture, Schedule};
use crate::store::GameRow;
use crate::summary::Found;
use crate::summary::sprt::Test;

pub(super) struct SequentialTest {
    pub(super) schedule: Schedule,
    /// The games before those of the check.
    pub(super) test_games: u64,
    pub(super) cursor: Cursor,
    pub(super) test: Test,
}

impl Director for SequentialTest {
    fn next(&mut self) -> Next {
        if self.test.has_ended() {
            self.cursor.next = self.cursor.next.max(self.test_games);
        }
        if let Some(number) = self.cursor.advance(self.test_games) {
            return Next::Play(self.schedule.fixture(number));
        }
        if !self.test.has_ended() && self.test_games < self.schedule.len() {
            return Next::Wait;
        }
        let number = self.cursor.advance(self.schedule.len());
        number.map_or(Next::Done, |number| Next::Play(self.schedule.fixture(number)))
    }

    fn tell(&mut self, row: &GameRow, record: &Record) -> Heard {
        if self.test.is_check(row.unit) != self.test.has_ended() || !self.cursor.tell(row.number) {
            return Heard::Discard;
        }
        self.test.add(row, record);
        Heard::Count
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        (number < self.schedule.len()).then(|| self.schedule.fixture(number))
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        self.test.is_check(fixture.unit) == self.test.has_ended()
    }

    fn has_ended(&self) -> bool {
        self.test.is_complete()
    }

    fn is_rated(&self, row: &GameRow) -> bool {
        !self.test.is_check(row.unit)
    }

    fn found(&self) -> Found<'_> {
        Found { test: Some(&self.test), ..Found::default() }
    }
}
