//! Writes a run of games that were played elsewhere.

use std::path::Path;

use anyhow::anyhow;

use super::reading::Reading;
use super::{RunError, close, header_of};
use crate::plan::Plan;
use crate::play::record::Record;
use crate::report::RunReport;
use crate::store::{Existing, GameRow, PlanFile, RunDir, refused};

/// Writes the run folder of an import. `records` are its games in the order of their numbers.
pub(crate) fn import(
    plan: &Plan,
    records: &[Record],
    out: &Path,
    existing: Existing,
) -> Result<RunReport, RunError> {
    let file = PlanFile::new(plan.clone());
    let mut reading = Reading::new(plan, out).map_err(|why| refused(out, why))?;
    let mut run_dir = RunDir::open(out, &file, existing, &mut |row, record| {
        reading.add(row, record)
    })?;
    for record in records {
        let row = GameRow::of(record).map_err(|why| RunError::Internal(anyhow!(why)))?;
        reading
            .add(&row, record)
            .map_err(|why| RunError::Internal(anyhow!(why)))?;
        run_dir.append(&row, record)?;
    }
    close(run_dir, &reading, header_of(&file))
}
