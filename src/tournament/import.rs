//! Writes a run of games that were played elsewhere.

use super::reading::Reading;
use super::{RunError, close, header_of, internal};
use crate::plan::Plan;
use crate::play::record::Record;
use crate::report::RunReport;
use crate::results::StoredGame;
use crate::store::{PlanFile, RunFolder};

/// Writes an import into a run folder. `records` are its games in the order of their numbers.
pub(crate) fn import(
    plan: &Plan,
    records: &[Record],
    folder: RunFolder,
) -> Result<RunReport, RunError> {
    let out = &folder.path.clone();
    let mut file = PlanFile::new(plan.clone());
    let mut reading = Reading::new(plan, out, &[])?;
    let mut run_dir = folder.open(&mut file, &mut |game| reading.add(game).map(drop))?;
    for record in records {
        let game = StoredGame::new(record.clone()).map_err(internal)?;
        reading.add(&game).map_err(internal)?;
        run_dir.append(&game)?;
    }
    close(run_dir, &reading, header_of(&file))
}
