//! Reading a run without changing anything, whether it has ended or not.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::lines::{Games, Lines};
use super::{
    GameRow, LeftSummary, PLAN, PlanFile, RECORDS, StoreError, lost_games, read_if_present, refused,
};
use crate::record::Record;

/// What a run directory holds beside its games.
#[derive(Clone, Debug)]
pub(crate) struct RunFiles {
    /// What is played.
    pub(crate) plan: PlanFile,
    /// `summary.json` of the last session that came to an orderly end.
    pub(crate) summary: Option<LeftSummary>,
}

impl RunFiles {
    /// The summary, if it is of this plan. A run is refused of whose games only so many are `there` where the summary tells of more.
    pub(crate) fn left(&self, run: &Path, there: u64) -> Result<Option<&LeftSummary>, StoreError> {
        let left = self
            .summary
            .as_ref()
            .filter(|left| left.run.digest == self.plan.digest);
        let lost = left.and_then(|left| lost_games(left.games_played, there));
        lost.map_or(Ok(left), |reason| Err(refused(run, reason)))
    }
}

/// A run directory.
#[derive(Clone, Debug)]
pub(crate) struct StoredRun {
    pub(crate) path: PathBuf,
    /// What is played.
    pub(crate) plan: PlanFile,
    /// When its last session ended, or else its plan was written, in seconds since 1970 began in Greenwich.
    pub(crate) time: u64,
}

/// Reads all but the games of a run, of one of the `known` games.
pub(crate) fn read_run_files(
    run: &Path,
    known: &arena_games::Games,
) -> Result<RunFiles, StoreError> {
    let plan = read_plan(run)?.ok_or_else(|| {
        refused(
            run,
            format!(
                "it has no {PLAN}, so it is not a run directory; name the folder that a run wrote"
            ),
        )
    })?;
    let plan = plan.looked_up(known).map_err(|why| StoreError::Plan {
        path: run.join(PLAN),
        why,
    })?;
    Ok(RunFiles {
        plan,
        summary: LeftSummary::read(run)?,
    })
}

/// The number of games that a run directory holds.
pub(crate) fn count_games(run: &Path) -> Result<u64, StoreError> {
    Lines::count(&run.join(RECORDS))
}

/// The plan of a run directory, if it has one.
pub(crate) fn read_plan(run: &Path) -> Result<Option<PlanFile>, StoreError> {
    let path = run.join(PLAN);
    let Some(text) = read_if_present(&path)? else {
        return Ok(None);
    };
    PlanFile::parse(&text)
        .map(Some)
        .map_err(|why| StoreError::Plan { path, why })
}

/// Returns the runs in the folders of a folder that can be read, the oldest first.
pub(crate) fn runs_in(folder: &Path) -> Vec<StoredRun> {
    let folders = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let mut runs = Vec::new();
    for path in folders {
        if let Ok(Some(plan)) = read_plan(&path) {
            runs.push(StoredRun {
                time: time_of(&path),
                plan,
                path,
            });
        }
    }
    runs.sort_by(|one, other| (one.time, &one.path).cmp(&(other.time, &other.path)));
    runs
}

/// The time of a [`StoredRun`].
fn time_of(run: &Path) -> u64 {
    let written = || {
        fs::metadata(run.join(PLAN))
            .ok()?
            .modified()
            .ok()?
            .duration_since(UNIX_EPOCH)
            .ok()
    };
    let ended = LeftSummary::read(run)
        .ok()
        .flatten()
        .and_then(|left| left.run.ended_at);
    ended
        .or_else(|| written().map(|since| since.as_secs()))
        .unwrap_or_default()
}

/// The file that a user names: itself, or the one of this name in a run directory, whose plan must be as it was written.
pub(crate) fn named_file(path: &Path, name: &str) -> Result<PathBuf, StoreError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    read_plan(path)?;
    Ok(path.join(name))
}

/// Reads the games of a run, as far as they are written. `found` may say why a game does not belong there.
pub(crate) fn read_run(
    run: &Path,
    found: &mut dyn FnMut(&GameRow, &Record) -> Result<(), String>,
) -> Result<(), StoreError> {
    let mut games = Games::open(run)?;
    while let Some(game) = games.next()? {
        found(game.row, game.record).map_err(|reason| games.corrupt(reason))?;
    }
    Ok(())
}
