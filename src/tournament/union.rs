//! Runs and tables of counts, read to be rated together.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{RunError, checked};
use crate::results::{CountRow, Source, Union};
use crate::store::{self, RunFiles, StoreError};
use arena_games::Games;

/// A path that was read as far as its head.
enum Named {
    Run(PathBuf, Box<RunFiles>),
    Table(Vec<CountRow>),
}

/// Reads runs and tables, and checks that the files of each run agree: its games are those of its
/// plan, and `games.csv` and the summary follow from the records. Any file may be changed or from
/// another run. With `by_name`, bots of one name are one bot, whatever their programs.
pub(crate) fn union(
    paths: &[impl AsRef<Path>],
    by_name: bool,
    games: &Games,
) -> Result<Union, RunError> {
    let (mut named, mut sources) = (Vec::new(), Vec::new());
    let (mut known, mut twice) = (BTreeMap::new(), Vec::new());
    for path in paths.iter().map(AsRef::as_ref) {
        let name = path.display().to_string();
        let run = store::run_of(path);
        if let Ok(place) = dunce::canonicalize(run.as_deref().unwrap_or(path)) {
            let at = *known.entry(place).or_insert(named.len());
            if at < named.len() {
                twice.push((name, at));
                continue;
            }
        }
        let (head, source) = head(run, path, name, games)?;
        named.push(head);
        sources.push(source);
    }
    let mut order: Vec<usize> = (0..named.len()).collect();
    // What a shorter run shares with a longer one is said of the shorter one.
    order.sort_by_key(|&at| Reverse(sources[at].games));
    let mut union = Union::new(sources, by_name);
    union.twice = twice;
    for at in order {
        match &named[at] {
            Named::Run(run, files) => add(&mut union, at, run, files)?,
            Named::Table(rows) => rows
                .iter()
                .try_for_each(|row| union.add_counted(at, row))
                .with_context(|| format!("can't read {}", union.sources[at].name))
                .map_err(RunError::Input)?,
        }
    }
    union.finish();
    Ok(union)
}

/// Reads the plan of a run, or a table.
fn head(
    run: Option<PathBuf>,
    path: &Path,
    name: String,
    games: &Games,
) -> Result<(Named, Source), StoreError> {
    let Some(run) = run else {
        let rows = store::read_table(path)?;
        return Ok((Named::Table(rows), Source::new(name, 0, Default::default())));
    };
    let files = store::read_run_files(&run, games)?;
    let programs = (files.plan.digests().collect(), files.plan.alike());
    let source = Source::new(name, store::count_games(&run)?, programs);
    Ok((Named::Run(run, Box::new(files)), source))
}

/// Adds the games of a run.
fn add(union: &mut Union, at: usize, run: &Path, files: &RunFiles) -> Result<(), RunError> {
    let file = &files.plan;
    union.begin_run(at, &file.plan);
    let reading = checked(run, files, &mut |line| {
        union.add(&line.game.result, line.text)
    })?;
    let stop = reading.stop(file.games, !file.grown_from.is_empty());
    union.end_run(reading.count, stop);
    Ok(())
}
