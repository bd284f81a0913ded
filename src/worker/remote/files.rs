//! The files of bots, referees and maps, and where they are at a worker.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use arena_cluster::{File, Place, clean};

use super::Started;
use crate::plan::Plan;
use crate::store::read_folder;
use arena_games::{Folder, TextError, Wanted};
use arena_process::languages::is_of_system;
use arena_process::{Launch, lock};

/// Returns the files that workers need. Files of the system must be there already.
pub(super) fn of(plan: &Plan, started: &Started) -> anyhow::Result<Vec<File>> {
    let mut paths = read_by_games(plan)?;
    paths.extend(started.files.iter().cloned());
    paths.retain(|path| !is_of_system(path));
    paths.iter().map(|path| File::new(path)).collect()
}

/// Returns the files that games read, such as maps.
fn read_by_games(plan: &Plan) -> anyhow::Result<BTreeSet<PathBuf>> {
    let read = Mutex::new(BTreeSet::new());
    plan.configured(&|wanted: Wanted<'_>| {
        let folder = read_folder(wanted)?;
        lock(&read).extend(folder.files.iter().map(|file| file.path.clone()));
        Ok(folder)
    })?;
    Ok(read.into_inner().unwrap_or_default())
}

/// Adapts a bot or referee to a worker: moves the paths in its command and variables, and the
/// folders that it may read. `folder` is the current folder of the main machine.
pub(super) fn localize(launch: &mut Launch, place: &Place, folder: &Path) -> anyhow::Result<()> {
    let mut read = Vec::new();
    for path in &launch.read {
        let path = clean(&folder.join(path))?;
        // The sandbox opens these by itself.
        if is_of_system(&path) {
            continue;
        }
        let here = place.of(&path)?;
        if !here.exists() {
            fs::create_dir_all(&here)?;
        }
        read.push(here);
    }
    launch.read = read;
    if let Some(start) = &mut launch.folder {
        *start = place.of(&clean(&folder.join(&start))?)?;
    }
    for word in launch.command.iter_mut().chain(launch.env.values_mut()) {
        *word = place.moved_in(word);
    }
    Ok(())
}

/// Reads a folder for a game at a worker.
pub(super) fn read_moved(wanted: Wanted<'_>, place: &Place) -> Result<Folder, TextError> {
    let moved = place.moved(wanted.folder);
    let folder = moved.as_deref().unwrap_or(wanted.folder);
    read_folder(Wanted { folder, ..wanted })
}
