//! Merges the slices of a run.

use std::path::{Path, PathBuf};

use super::lines::{GameReader, Lines, StoredGame};
use super::reading::known_plan;
use super::{Existing, GameRow, PLAN, PlanFile, RECORDS, RunDir, StoreError};
use crate::play::record::Record;
use arena_schedule::Slice;

/// Runs that are slices of one plan, see [`common_plan`].
#[derive(Debug)]
pub(crate) struct Slices<'a> {
    /// The run directories.
    pub(crate) runs: &'a [PathBuf],
    /// The number of games of the plan.
    pub(crate) total: u64,
}

impl Slices<'_> {
    /// Calls `found` for every game, in order. An error of `found` says why a game doesn't belong
    /// there. Returns the number of the first missing game.
    pub(crate) fn read(
        &self,
        found: &mut dyn FnMut(&GameRow, &Record) -> Result<(), String>,
    ) -> Result<Option<u64>, StoreError> {
        self.each(&mut |run, game| {
            found(game.row, game.record).map_err(|reason| {
                let name = run.join(RECORDS);
                StoreError::Merge(format!("{}: {reason}", name.display()))
            })
        })
    }

    /// Writes the slices as one run.
    pub(crate) fn join(
        &self,
        plan: &PlanFile,
        out: &Path,
        existing: Existing,
    ) -> Result<RunDir, StoreError> {
        for run in self.runs {
            if let (Ok(one), Ok(other)) = (run.canonicalize(), out.canonicalize())
                && one == other
            {
                let run = run.display();
                return Err(StoreError::Merge(format!(
                    "{run} would be overwritten\nhint: --out DIR writes elsewhere"
                )));
            }
        }
        let mut merged = RunDir::open(out, plan, existing, &mut |_, _| Ok(()))?;
        self.each(&mut |_, game| merged.append_line(game.row, game.line))?;
        Ok(merged)
    }

    /// Visits the games in the order of their numbers, which every complete run has them in.
    /// Returns the first missing number.
    fn each(
        &self,
        found: &mut dyn FnMut(&Path, StoredGame<'_>) -> Result<(), StoreError>,
    ) -> Result<Option<u64>, StoreError> {
        let mut parts = Vec::new();
        for run in self.runs {
            parts.push((run, GameReader::open(run)?));
        }
        let mut due = 0..self.total;
        let mut missing = None;
        let mut last: Option<(u64, &Path)> = None;
        loop {
            // A slice that can't be read comes first, to report the error.
            let next = parts
                .iter_mut()
                .filter_map(|(run, games)| Some((games.next_number()?, run, games)));
            let Some((number, run, games)) = next.min_by_key(|(number, ..)| *number) else {
                break;
            };
            let Some(game) = games.next()? else {
                break;
            };
            if let Some((_, other)) = last.filter(|(last, _)| *last == number) {
                let (a, b) = (other.display(), run.display());
                return Err(StoreError::Merge(format!(
                    "game {number} is both in {a} and in {b}"
                )));
            }
            missing = missing.or_else(|| due.next().filter(|&due| due != number));
            found(run, game)?;
            last = Some((number, run));
        }
        Ok(missing.or_else(|| due.next()))
    }

    /// Makes the error that the run needs the game of this number.
    pub(crate) fn missing(&self, number: u64) -> Result<StoreError, StoreError> {
        let mut have = 0;
        for run in self.runs {
            have += Lines::count(&run.join(RECORDS))?;
        }
        let of = self.total;
        let why = if have < of {
            "a slice is missing or unfinished"
        } else {
            "a slice is not in order: --resume ends it"
        };
        Ok(StoreError::Merge(format!(
            "{have} of {of} games were found, and the first missing one is {number}: {why}"
        )))
    }
}

/// Returns the plan of the whole run if all these runs are its slices. Games are looked up in
/// `known`.
pub(crate) fn common_plan(
    runs: &[PathBuf],
    known: &arena_games::Games,
) -> Result<PlanFile, StoreError> {
    let mut common: Option<PlanFile> = None;
    for run in runs {
        let Some(mut plan) = known_plan(run, known)? else {
            let run = run.display();
            let why = format!("{run} is not a run directory: it has no {PLAN}");
            return Err(StoreError::Merge(why));
        };
        // An estimate for the whole run from a slice.
        for games in &mut plan.grown_from {
            *games = games.saturating_mul(plan.total_games) / plan.games.max(1);
        }
        let Some(first) = &mut common else {
            plan.slice = Slice::WHOLE;
            plan.games = plan.total_games;
            plan.go_on = None;
            common = Some(plan);
            continue;
        };
        if first.grown_from.is_empty() {
            first.grown_from.clone_from(&plan.grown_from);
        }
        if let Some(difference) = first.difference(&plan) {
            let (a, b) = (runs[0].display(), run.display());
            return Err(StoreError::Merge(format!(
                "{a} and {b} are not slices of one run: {difference}"
            )));
        }
    }
    common.ok_or_else(|| StoreError::Merge("no run was named".into()))
}
