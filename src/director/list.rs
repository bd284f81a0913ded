//! A list of games that is known beforehand: all of them are played, in a slice or whole. Only in a race of variants, those
//! that are significantly worse than the leader play no further blocks.

use super::{Cursor, Director, Heard, Next};
use crate::contest::{Contest, Turn};
use crate::plan::SweepMode;
use crate::record::Record;
use crate::schedule::{Fixture, Schedule, Slice};
use crate::store::GameRow;
use crate::summary::Found;

pub(super) struct List {
    pub(super) schedule: Schedule,
    pub(super) slice: Slice,
    pub(super) cursor: Cursor,
    /// The sweep that the list is, if it is one.
    pub(super) contest: Option<Contest>,
}

impl List {
    fn turn(&self, number: u64) -> Turn {
        self.contest.as_ref().map_or(Turn::Play, |contest| contest.turn(number))
    }
}

impl Director for List {
    /// While a block of a race is not complete, workers go on with the next one for whoever remains: they have nothing better
    /// to do.
    fn next(&mut self) -> Next {
        while !self.has_ended()
            && let Some(number) = self.cursor.advance(self.schedule.len())
        {
            if self.schedule.is_in(self.slice, number) && self.turn(number) != Turn::Skip {
                return Next::Play(self.schedule.fixture(number));
            }
        }
        Next::Done
    }

    fn tell(&mut self, row: &GameRow, _: &Record) -> Heard {
        if self.turn(row.number) != Turn::Play || !self.cursor.tell(row.number) {
            return Heard::Discard;
        }
        if let Some(contest) = &mut self.contest {
            // The score of a unit cannot be above its full score.
            let counted = contest.add(row.number, row.seats.iter().map(|seat| seat.score));
            debug_assert!(counted.is_ok(), "{counted:?}");
        }
        Heard::Count
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        let is_listed = number < self.schedule.len() && self.schedule.is_in(self.slice, number);
        is_listed.then(|| self.schedule.fixture(number))
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        self.turn(fixture.number) != Turn::Skip
    }

    fn has_ended(&self) -> bool {
        self.is_sequential() && self.contest.as_ref().is_some_and(|contest| contest.race().end().is_some())
    }

    fn is_sequential(&self) -> bool {
        self.contest.as_ref().is_some_and(|contest| contest.sweep().mode == SweepMode::Race)
    }

    fn found(&self) -> Found<'_> {
        Found { sweep: self.contest.as_ref(), ..Found::default() }
    }
}
