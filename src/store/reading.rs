//! Reading a run without changing anything, whether it has ended or not.

use std::path::Path;

use super::lines::Games;
use super::{GAMES, GameRow, PLAN, PlanFile, RECORDS, SUMMARY, StoreError, read_if_present, refused};
use crate::record::Record;

/// What a run directory holds beside its games.
#[derive(Clone, Debug)]
pub(crate) struct RunFiles {
    /// What is played.
    pub(crate) plan: PlanFile,
    /// `summary.json` of the last session that came to an orderly end.
    pub(crate) summary: Option<String>,
}

/// Reads all but the games of a run.
pub(crate) fn read_run_files(run: &Path) -> Result<RunFiles, StoreError> {
    let text = read_if_present(&run.join(PLAN))?.ok_or_else(|| {
        refused(run, format!("it has no {PLAN}, so it is not a run directory; name the folder that a run wrote"))
    })?;
    let plan = PlanFile::parse(&text).map_err(|why| refused(run, format!("its {PLAN} cannot be used: {why}")))?;
    Ok(RunFiles { plan, summary: read_if_present(&run.join(SUMMARY))? })
}

/// Reads the games of a run, as far as they are written. `found` may say why a game does not belong there.
pub(crate) fn read_run(
    run: &Path,
    found: &mut dyn FnMut(&GameRow, &Record) -> Result<(), String>,
) -> Result<(), StoreError> {
    let Some(mut games) = Games::open(&run.join(GAMES), &run.join(RECORDS))? else { return Ok(()) };
    while let Some(game) = games.next()? {
        let found = found(&game.row, &game.record);
        found.map_err(|reason| games.rows.corrupt(reason))?;
    }
    Ok(())
}
