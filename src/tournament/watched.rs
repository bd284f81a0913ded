//! A run that somebody else plays, read while it goes on.

use std::path::Path;

use super::reading::Reading;
use super::{RunError, header_of};
use crate::report::RunReport;
use crate::report::replays::{self, Selection};
use crate::store::{self, Follower, PlanFile, RECORDS, StoredGames, refused};

/// The games of a run as far as they were read.
pub(crate) struct Watched<'p> {
    file: &'p PlanFile,
    run: &'p Path,
    reading: Reading<'p>,
    follower: Follower,
}

impl<'p> Watched<'p> {
    /// A run of which nothing is read yet.
    pub(crate) fn new(file: &'p PlanFile, run: &'p Path) -> Result<Watched<'p>, RunError> {
        let reading = Reading::new(&file.plan, file.slice, run).map_err(|why| refused(run, why))?;
        Ok(Watched {
            file,
            run,
            reading,
            follower: Follower::new(run),
        })
    }

    /// Reads the games that came since the last time.
    pub(crate) fn read_on(&mut self) -> Result<(), RunError> {
        let reading = &mut self.reading;
        self.follower
            .read_on(&mut |row, record| reading.add(row, record))?;
        Ok(())
    }

    /// Whether the directory holds another run by now, or the same one in another order.
    pub(crate) fn is_replaced(&self) -> bool {
        self.follower.is_replaced()
    }

    /// Whether somebody plays.
    pub(crate) fn goes_on(&self) -> bool {
        store::is_in_use(self.run)
    }

    /// What is known of it. No game is embedded: [`Watched::game`] has them.
    pub(crate) fn report(&self) -> Result<RunReport, RunError> {
        let mut report = self.reading.report(header_of(self.file));
        let findings = &self.reading.findings;
        report.replays = findings.replays(&Selection::None)?;
        Ok(report)
    }

    /// A game as JSON for the viewer, or why there is none.
    pub(crate) fn game(&self, number: u64) -> Result<Vec<u8>, String> {
        let picked = store::pick_records(&self.run.join(RECORDS), &[number].into());
        let mut picked = picked.map_err(|error| error.to_string())?;
        let record = picked
            .pop()
            .ok_or_else(|| format!("there is no game {number}"))?;
        let games = self.file.plan.known_games();
        replays::game_json(&record, &mut StoredGames::new(&games))
    }
}
