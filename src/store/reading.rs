//! Reads a run, complete or not, without changing anything.

use std::path::{Path, PathBuf};

use super::lines::Lines;
use super::{
    PLAN, PlanFault, PlanFile, RECORDS, SUMMARY, SavedSummary, StoreError, read_if_present, refused,
};

/// The plan and the summary of a run directory.
#[derive(Clone, Debug)]
pub(crate) struct RunFiles {
    pub(crate) plan: PlanFile,
    /// `summary.json` of the last session that ended in order.
    pub(crate) summary: Option<SavedSummary>,
}

impl RunFiles {
    /// Returns the summary, if it is of this plan. It is an error if the summary counts more games
    /// than are `there`.
    pub(crate) fn left(&self, run: &Path, there: u64) -> Result<Option<&SavedSummary>, StoreError> {
        let is_of_plan = |left: &&SavedSummary| left.run.digest == self.plan.digest;
        let left = self.summary.as_ref().filter(is_of_plan);
        match left.and_then(|left| lost_games(left.games_played, there)) {
            Some(lost) => Err(refused(run, lost)),
            None => Ok(left),
        }
    }

    /// Checks that the summary, if there is one, is of this plan and counts the games that are
    /// `there`.
    pub(crate) fn agree(&self, run: &Path, there: u64) -> Result<(), StoreError> {
        let what = match self.left(run, there)? {
            Some(left) if left.games_played == there => return Ok(()),
            Some(_) => RECORDS,
            None if self.summary.is_some() => PLAN,
            None => return Ok(()),
        };
        let shown = run.display();
        let again = format!("write {SUMMARY} again with `arena report {shown}`");
        let hint = format!("bring back the file that was replaced, or {again}");
        let reason = format!("its {SUMMARY} is not of its {what}\nhint: {hint}");
        Err(refused(run, reason))
    }
}

/// Describes how many of the games that the summary counts are missing.
pub(super) fn lost_games(played: u64, there: u64) -> Option<String> {
    match played.saturating_sub(there) {
        0 => None,
        lost => Some(format!("{RECORDS} lacks {lost} of the games in {SUMMARY}")),
    }
}

/// Reads the plan and the summary of a run of `known` games.
pub(crate) fn read_run_files(
    run: &Path,
    known: &arena_games::Games,
) -> Result<RunFiles, StoreError> {
    let Some(plan) = known_plan(run, known)? else {
        let why = "so it is not a run directory\nhint: name the folder that a run wrote";
        return Err(refused(run, format!("it has no {PLAN}, {why}")));
    };
    let summary = SavedSummary::read(run)?;
    Ok(RunFiles { plan, summary })
}

/// Returns the number of games in a run directory.
pub(crate) fn count_games(run: &Path) -> Result<u64, StoreError> {
    Lines::count(&run.join(RECORDS))
}

/// Reads the plan of a run directory, if it has one.
pub(crate) fn read_plan(run: &Path) -> Result<Option<PlanFile>, StoreError> {
    let Some(text) = read_if_present(&run.join(PLAN))? else {
        return Ok(None);
    };
    PlanFile::parse(&text).map(Some).map_err(unusable(run))
}

/// Reads the plan of a run directory, if it has one, and looks up its games in `known`.
pub(crate) fn known_plan(
    run: &Path,
    known: &arena_games::Games,
) -> Result<Option<PlanFile>, StoreError> {
    let Some(plan) = read_plan(run)? else {
        return Ok(None);
    };
    plan.looked_up(known).map(Some).map_err(unusable(run))
}

fn unusable(run: &Path) -> impl FnOnce(PlanFault) -> StoreError {
    let path = run.join(PLAN);
    |why| StoreError::Plan(path, why)
}

/// Returns the file that a user names: the path itself, or the file of this name in a run
/// directory, whose plan must be unchanged.
pub(crate) fn named_file(path: &Path, name: &str) -> Result<PathBuf, StoreError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    read_plan(path)?;
    Ok(path.join(name))
}
