//! A run game by game, as it is played or read: which games belong to it, and what they show.

use std::path::Path;

use super::findings::Findings;
use crate::plan::Plan;
use crate::plan::schedule::{Fixture, Slice};
use crate::play::record::Record;
use crate::report::RunReport;
use crate::store::{GameRow, Header};
use crate::study::{Live, Study, Verdict, begin};

/// The games of a run so far.
pub(super) struct Reading<'p> {
    plan: &'p Plan,
    pub(super) study: Box<dyn Study>,
    pub(super) findings: Findings<'p>,
    /// The number of games.
    pub(super) count: u64,
}

impl<'p> Reading<'p> {
    /// Returns a slice of a plan without games, or says why it can't be played. `out` is its run
    /// directory.
    pub(super) fn new(plan: &'p Plan, slice: Slice, out: &'p Path) -> Result<Reading<'p>, String> {
        Ok(Reading {
            plan,
            study: begin(plan, slice)?,
            findings: Findings::new(plan, out),
            count: 0,
        })
    }

    /// Adds a stored game, or says why it doesn't belong to the run.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) -> Result<(), String> {
        let number = row.number;
        let fixture = self.study.recall(number);
        let Some(fixture) = fixture.filter(|fixture| self.is_row_of(fixture, row)) else {
            return Err(format!("game {number} is not as planned"));
        };
        match self.take(&fixture, row, record) {
            Verdict::Keep { .. } => Ok(()),
            Verdict::Discard => Err(format!(
                "game {number} is there twice, or was not to be played after those before it"
            )),
        }
    }

    /// Adds the game of a fixture, unless the study discards it.
    pub(super) fn take(&mut self, fixture: &Fixture, row: &GameRow, record: &Record) -> Verdict {
        let verdict = self.study.record(row, record);
        if let Verdict::Keep { is_rated } = verdict {
            self.count += 1;
            self.findings.add(fixture, row, record, is_rated);
        }
        verdict
    }

    /// Returns whether a stored row is a game of this fixture.
    fn is_row_of(&self, fixture: &Fixture, row: &GameRow) -> bool {
        let bots = fixture.seating.iter().map(|&bot| &self.plan.bots[bot].name);
        (row.unit, row.seed) == (fixture.unit, fixture.seed)
            && row.game == self.plan.games[fixture.game].id
            && row.seats.iter().map(|seat| &seat.bot).eq(bots)
    }

    /// Returns how the run stands.
    pub(super) fn live(&self) -> Live {
        self.findings.live(self.study.as_ref())
    }

    /// Returns the report of the run, without games to watch: [`Findings::replays`] reads those.
    pub(super) fn report(&self, mut header: Header) -> RunReport {
        header.finished |= self.study.has_ended() || self.count >= header.games_planned;
        self.findings.report(self.study.as_ref(), header)
    }
}
