//! Writes a run of games that were played elsewhere.

use std::path::Path;

use super::reading::Reading;
use super::{RunError, close, header_of, internal};
use crate::plan::Plan;
use crate::play::record::Record;
use crate::report::RunReport;
use crate::results::StoredGame;
use crate::store::{Existing, PlanFile, RunDir, refused};

/// Writes the run folder of an import. `records` are its games in the order of their numbers.
pub(crate) fn import(
    plan: &Plan,
    records: &[Record],
    out: &Path,
    existing: Existing,
) -> Result<RunReport, RunError> {
    let file = PlanFile::new(plan.clone());
    let mut reading = Reading::new(plan, out).map_err(|why| refused(out, why))?;
    let mut run_dir = RunDir::open(out, &file, existing, &mut |game| reading.add(game))?;
    for record in records {
        let game = StoredGame::new(record.clone()).map_err(internal)?;
        reading.add(&game).map_err(internal)?;
        run_dir.append(&game)?;
    }
    close(run_dir, &reading, header_of(&file))
}
