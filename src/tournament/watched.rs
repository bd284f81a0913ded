//! A run of another process, read while it continues.

use std::path::Path;

use super::reading::Reading;
use super::{RunError, header_of};
use crate::report::RunReport;
use crate::report::replays::{self, Selection};
use crate::store::{self, Follower, PlanFile, RECORDS, StoredGames, refused};

/// A run and the games read so far.
pub(crate) struct Watched<'p> {
    file: &'p PlanFile,
    run: &'p Path,
    reading: Reading<'p>,
    follower: Follower,
}

impl<'p> Watched<'p> {
    /// Returns a run without games.
    pub(crate) fn new(file: &'p PlanFile, run: &'p Path) -> Result<Watched<'p>, RunError> {
        let reading = Reading::new(&file.plan, file.slice, run).map_err(|why| refused(run, why))?;
        Ok(Watched {
            file,
            run,
            reading,
            follower: Follower::new(run),
        })
    }

    /// Reads new games.
    pub(crate) fn read_on(&mut self) -> Result<(), RunError> {
        let reading = &mut self.reading;
        self.follower
            .read_on(&mut |row, record| reading.add(row, record))?;
        Ok(())
    }

    /// Returns whether the directory now holds another run, or the same one in another order.
    pub(crate) fn is_replaced(&self) -> bool {
        self.follower.is_replaced()
    }

    /// Returns the report of the run, without games: [`Watched::game`] has them.
    pub(crate) fn report(&self) -> Result<RunReport, RunError> {
        let mut report = self.reading.report(header_of(self.file));
        report.is_played = store::is_in_use(self.run);
        report.replays = self.reading.replays(&Selection::None)?;
        Ok(report)
    }

    /// Returns a game as JSON for the viewer, or why it doesn't exist.
    pub(crate) fn game(&self, number: u64) -> Result<Vec<u8>, String> {
        let picked = store::pick_record(&self.run.join(RECORDS), number);
        let record = picked
            .map_err(|error| error.to_string())?
            .ok_or_else(|| format!("there is no game {number}"))?;
        let games = self.file.plan.known_games();
        replays::game_json(record, &mut StoredGames::new(&games))
    }
}
