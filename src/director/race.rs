//! A race of variants: those that are significantly worse than the leader play no further blocks.

use super::{Cursor, Director, Heard, Next, count};
use crate::contest::{Contest, Turn};
use crate::record::Record;
use crate::schedule::{Fixture, Schedule};
use crate::store::GameRow;
use crate::summary::Found;

pub(super) struct RaceOfVariants {
    pub(super) schedule: Schedule,
    pub(super) cursor: Cursor,
    pub(super) contest: Contest,
}

impl Director for RaceOfVariants {
    /// While a block is not complete, workers go on with the next one for whoever remains: they have nothing better to do.
    fn next(&mut self) -> Next {
        while self.contest.end().is_none() {
            let Some(number) = self.cursor.advance(self.schedule.len()) else { return Next::Done };
            if self.contest.turn(number) != Turn::Skip {
                return Next::Play(self.schedule.fixture(number));
            }
        }
        Next::Done
    }

    fn tell(&mut self, row: &GameRow, _: &Record) -> Heard {
        if self.contest.turn(row.number) != Turn::Play || !self.cursor.tell(row.number) {
            return Heard::Discard;
        }
        count(&mut self.contest, row);
        Heard::Count
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        (number < self.schedule.len()).then(|| self.schedule.fixture(number))
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        self.contest.turn(fixture.number) != Turn::Skip
    }

    fn has_ended(&self) -> bool {
        self.contest.end().is_some()
    }

    fn found(&self) -> Found<'_> {
        Found { sweep: Some(&self.contest), ..Found::default() }
    }
}
