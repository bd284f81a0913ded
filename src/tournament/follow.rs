//! The page of a run, written again and again while another process plays the run.

use std::path::Path;
use std::time::{Duration, Instant};

use super::reading::Reading;
use super::{RunError, header_of, report};
use crate::report::replays::Selection;
use crate::report::{RunReport, html};
use crate::store::{self, Follower, PlanFile};
use arena_games::Games;

/// The pause between two pages.
const PAUSE: Duration = Duration::from_secs(5);
/// The least pause, as a multiple of the time that a page takes.
const SHARE: u32 = 10;

/// Keeps the page of a run up to date until the run has ended, and returns its last report. Games
/// that are `asked` for can be watched in the page.
pub(crate) fn follow(run: &Path, asked: &Selection, games: &Games) -> Result<RunReport, RunError> {
    while store::is_in_use(run) {
        match store::known_plan(run, games)? {
            Some(file) => follow_records(run, &file, asked)?,
            // Its bots are still being built.
            None => store::wait_for_end(run, PAUSE),
        }
    }
    let report = report(run, asked, false, games)?;
    store::replace_page(run, &html::page(&report))?;
    Ok(report)
}

/// Writes pages until the run has ended, or its plan or its file of records is replaced. A run may
/// grow after its bots were built, or sort its records at its end, and a new run may have begun.
fn follow_records(run: &Path, file: &PlanFile, asked: &Selection) -> Result<(), RunError> {
    let mut reading = Reading::new(&file.plan, run, &file.alike())?;
    let mut follower = Follower::new(run);
    loop {
        let begun = Instant::now();
        let read = follower.read_on(&mut |line| reading.add(line.game).map(drop));
        let plan = store::read_plan(run)?;
        if follower.is_replaced() || plan.is_none_or(|plan| plan.digest != file.digest) {
            return Ok(());
        }
        read?;
        let mut report = reading.report(header_of(file));
        report.is_played = true;
        report.replays = reading.replays(asked, &report.summary)?;
        let page = html::page(&report);
        // The last page of the run stays.
        if !store::is_in_use(run) {
            return Ok(());
        }
        store::replace_page(run, &page)?;
        store::wait_for_end(run, PAUSE.max(SHARE * begun.elapsed()));
    }
}
