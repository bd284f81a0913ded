//! What no program may read, although it may read the folder that holds it: the run, its config,
//! and other runs.

use std::io::{self, Read as _};
use std::path::{self, Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::input::open_input;
use crate::lock::lock;

/// The plan of a run, a file in its folder.
pub const PLAN: &str = "plan.toml";

/// The beginning of every plan. A bot may have another file of that name.
pub const PLAN_BEGIN: &str = "checksum = \"";

/// The settings of a pool, a file in its folder.
pub const POOL: &str = "pool.toml";

/// The folder of a pool that holds its bots.
pub const BOTS: &str = "bots";

/// Files and folders that no program may read, even if it may read a folder that holds them. Clones
/// share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden(Arc<Mutex<Vec<PathBuf>>>);

impl Hidden {
    /// Adds a file or folder, which need not exist yet. Fails if the current folder is unknown.
    pub(crate) fn hide(&self, path: &Path) -> io::Result<()> {
        let mut real = PathBuf::new();
        for part in path::absolute(path)?.components() {
            if part == Component::ParentDir {
                real.pop();
            } else {
                real.push(part);
                // A path that doesn't exist yet isn't a link.
                real = dunce::canonicalize(&real).unwrap_or(real);
            }
        }
        let mut hidden = lock(&self.0);
        if !hidden.contains(&real) {
            hidden.push(real);
        }
        Ok(())
    }

    /// Returns whether a path leads to something that no program may read.
    pub(crate) fn hides(&self, path: &Path) -> bool {
        let hidden = self.list();
        dunce::canonicalize(path)
            .is_ok_and(|real| hidden.iter().any(|hidden| real.starts_with(hidden)))
    }

    /// Returns the files and folders that no program may read.
    pub(crate) fn list(&self) -> Vec<PathBuf> {
        lock(&self.0).clone()
    }
}

/// Returns whether this is the folder of a run.
pub fn is_run(folder: &Path) -> bool {
    let mut begin = [0; PLAN_BEGIN.len()];
    let plan = open_input(&folder.join(PLAN));
    plan.is_ok_and(|mut plan| plan.read_exact(&mut begin).is_ok()) && begin == PLAN_BEGIN.as_bytes()
}

/// Returns whether this is the folder of a pool.
pub fn is_pool(folder: &Path) -> bool {
    folder.join(POOL).is_file() && folder.join(BOTS).is_dir()
}

/// Returns whether a path is that of a run, or leads into one.
pub(crate) fn is_in_run(path: &Path) -> bool {
    path.ancestors().any(is_run)
}
