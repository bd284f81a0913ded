//! Joining the slices of a run.

use std::path::{Path, PathBuf};

use super::lines::{Games, StoredGame};
use super::reading::read_plan;
use super::{Existing, GAMES, GameRow, PLAN, PlanFile, RECORDS, RunDir, StoreError, VERSION};
use crate::record::Record;
use crate::schedule::Slice;

/// Runs that are slices of one plan, and which of them holds each game.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    runs: &'a [PathBuf],
    /// The run of each game, in the order of the games' numbers.
    sources: Vec<usize>,
}

impl<'a> Parts<'a> {
    /// Looks into runs that are slices of `plan`, see [`common_plan`], and are to be joined in `out`. Games may be missing if
    /// they `decide` which others are played.
    pub(crate) fn new(runs: &'a [PathBuf], plan: &PlanFile, out: &Path, decide: bool) -> Result<Parts<'a>, StoreError> {
        let same = |run: &&PathBuf| run.canonicalize().is_ok_and(|run| out.canonicalize().is_ok_and(|out| out == run));
        if let Some(run) = runs.iter().find(same) {
            return Err(StoreError::Merge(format!(
                "{} would be overwritten; name another folder with --out",
                run.display()
            )));
        }
        Ok(Parts { runs, sources: who_holds_what(runs, plan.total_games, decide)? })
    }

    /// The number of games.
    pub(crate) fn count(&self) -> usize {
        self.sources.len()
    }

    /// Calls `found` for every game, in order; it may say why a game does not belong there.
    pub(crate) fn read(
        &self,
        found: &mut dyn FnMut(&GameRow, &Record) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        self.each(&mut |run, game| {
            let name = || run.join(GAMES).display().to_string();
            found(&game.row, &game.record).map_err(|reason| StoreError::Merge(format!("{}: {reason}", name())))
        })
    }

    /// Writes them as the whole run.
    pub(crate) fn join(&self, plan: &PlanFile, out: &Path, existing: Existing) -> Result<RunDir, StoreError> {
        let mut merged = RunDir::open(out, plan, existing, &mut |_, _| Ok(()))?;
        self.each(&mut |_, game| {
            let row = [game.row_line, b"\n"].concat();
            merged.append_lines(game.row.number, game.record_line.to_vec(), &row)
        })?;
        Ok(merged)
    }

    fn each(&self, found: &mut dyn FnMut(&Path, StoredGame<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let open = |run: &PathBuf| Games::open(&run.join(GAMES), &run.join(RECORDS));
        let mut games = self.runs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        for &source in &self.sources {
            let run = &self.runs[source];
            let game = games[source].as_mut().map_or(Ok(None), Games::next)?;
            found(run, game.ok_or_else(|| StoreError::Merge(format!("{} changed meanwhile", run.display())))?)?;
        }
        Ok(())
    }
}

/// The plan of the whole run of which all these runs are slices, of one of the `known` games.
pub(crate) fn common_plan(runs: &[PathBuf], known: &arena_games::Games) -> Result<PlanFile, StoreError> {
    let mut common: Option<PlanFile> = None;
    for run in runs {
        let plan = read_plan(run)?
            .ok_or_else(|| StoreError::Merge(format!("{} is no run directory: it has no {PLAN}", run.display())))?;
        let plan = plan.looked_up(known).map_err(|why| StoreError::Plan { path: run.join(PLAN), why })?;
        let Some(first) = &common else {
            common = Some(PlanFile { version: VERSION, slice: Slice::WHOLE, games: plan.total_games, ..plan });
            continue;
        };
        if let Some(difference) = first.difference(&plan) {
            let (a, b) = (runs[0].display(), run.display());
            return Err(StoreError::Merge(format!("{a} and {b} are not slices of one run: {difference}")));
        }
    }
    common.ok_or_else(|| StoreError::Merge("no run was named".into()))
}

/// Which of the runs holds each game, in the order of the games' numbers; of all games unless `may_lack` some.
fn who_holds_what(runs: &[PathBuf], total: u64, may_lack: bool) -> Result<Vec<usize>, StoreError> {
    let mut holders: Vec<(u64, usize)> = Vec::new();
    for (source, run) in runs.iter().enumerate() {
        let Some(mut games) = Games::open(&run.join(GAMES), &run.join(RECORDS))? else { continue };
        while let Some(game) = games.next()? {
            holders.push((game.row.number, source));
        }
    }
    holders.sort_unstable();
    for pair in holders.windows(2) {
        if pair[0].0 == pair[1].0 {
            let (a, b) = (runs[pair[0].1].display(), runs[pair[1].1].display());
            return Err(StoreError::Merge(format!("game {} is both in {a} and in {b}", pair[0].0)));
        }
    }
    let gap = (0..total).zip(holders.iter().map(|holder| Some(holder.0)).chain(std::iter::repeat(None)));
    if let Some((missing, _)) = { gap }.find(|&(number, held)| held != Some(number)).filter(|_| !may_lack) {
        let (have, of) = (holders.len(), total);
        return Err(StoreError::Merge(format!(
            "game {missing} is in none of them ({have} of {of} games are there): a slice is missing or unfinished"
        )));
    }
    Ok(holders.into_iter().map(|(_, source)| source).collect())
}
