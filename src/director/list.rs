//! A list of games that is known beforehand: all of them are played, in a slice or whole.

use super::{Cursor, Director, Heard, Next, count};
use crate::contest::Contest;
use crate::record::Record;
use crate::schedule::{Fixture, Schedule, Slice};
use crate::store::GameRow;
use crate::summary::Found;

pub(super) struct List {
    pub(super) schedule: Schedule,
    pub(super) slice: Slice,
    pub(super) cursor: Cursor,
    /// The sweep in which all variants play to the end, if the list is one.
    pub(super) contest: Option<Contest>,
}

impl Director for List {
    fn next(&mut self) -> Next {
        while let Some(number) = self.cursor.advance(self.schedule.len()) {
            if self.schedule.is_in(self.slice, number) {
                return Next::Play(self.schedule.fixture(number));
            }
        }
        Next::Done
    }

    fn tell(&mut self, row: &GameRow, _: &Record) -> Heard {
        if !self.cursor.tell(row.number) {
            return Heard::Discard;
        }
        if let Some(contest) = &mut self.contest {
            count(contest, row);
        }
        Heard::Count
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        let is_listed = number < self.schedule.len() && self.schedule.is_in(self.slice, number);
        is_listed.then(|| self.schedule.fixture(number))
    }

    fn is_sequential(&self) -> bool {
        false
    }

    fn found(&self) -> Found<'_> {
        Found { sweep: self.contest.as_ref(), ..Found::default() }
    }
}
