//! What no program may read, although it may read the folder that holds it: the run, its config,
//! and other runs.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::input::{entries, open_input};

/// The plan of a run, a file in its folder.
pub const PLAN: &str = "plan.toml";

/// The beginning of every plan. A bot may have another file of that name.
pub const PLAN_BEGIN: &str = "checksum = \"";

/// The settings of a pool, a file in its folder.
pub const POOL: &str = "pool.toml";

/// The folder of a pool that holds its bots.
pub const BOTS: &str = "bots";

/// How deep to look for other runs.
pub(crate) const DEPTH: usize = 32;
/// The most folders to look into.
pub(crate) const FOLDERS: usize = 10_000;

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

/// Removes a `hidden` path, and all runs that lie in a folder beside the way to it: they may share
/// its seed. Folders that are taken apart for that are added to those that are only `listed`.
pub(super) fn without(
    hidden: &Path,
    readable: &[PathBuf],
    listed: &mut Vec<PathBuf>,
) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for path in apart_from(hidden, readable.to_vec(), listed) {
        if readable.contains(&path) || !path.is_dir() {
            open.push(path);
            continue;
        }
        let mut left = FOLDERS;
        // There may be runs in a folder that is too large to search, so it stays closed.
        if let Some(runs) = runs_in(&path, DEPTH, &mut left) {
            let mut parts = vec![path];
            for run in runs {
                parts = apart_from(&run, parts, listed);
            }
            open.extend(parts);
        }
    }
    open
}

/// Removes paths that lead into the `hidden` one. Replaces folders that hold it by their entries,
/// except for that which leads to it and for runs, and adds them to the folders that are only
/// `listed`.
pub(super) fn apart_from(
    hidden: &Path,
    readable: Vec<PathBuf>,
    listed: &mut Vec<PathBuf>,
) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for path in readable {
        let Ok(real) = fs::canonicalize(&path) else {
            continue;
        };
        if real.starts_with(hidden) {
            continue;
        }
        if !hidden.starts_with(&real) {
            open.push(path);
            continue;
        }
        let mut inner = Vec::new();
        for entry in entries(&real) {
            // A rule for a link would open its target. A target in this folder gets its own rule.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let path = entry.path();
            if !is_link && !is_run(&path) {
                inner.push(path);
            }
        }
        open.extend(apart_from(hidden, inner, listed));
        listed.push(real);
    }
    open
}

/// Returns the runs below a folder, or `None` if there is too much to search. Links are not
/// followed: what they lead to isn't opened with the folder.
fn runs_in(folder: &Path, depth: usize, left: &mut usize) -> Option<Vec<PathBuf>> {
    let mut runs = Vec::new();
    for entry in entries(folder) {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        *left = left.checked_sub(1)?;
        let path = entry.path();
        if is_run(&path) {
            runs.push(path);
        } else {
            runs.extend(runs_in(&path, depth.checked_sub(1)?, left)?);
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    /// A bot could hide a run behind folders.
    #[test]
    fn a_folder_that_is_too_large_to_search_stays_closed() {
        let folder = tempfile::tempdir().unwrap();
        let start = folder.path().canonicalize().unwrap();
        let at = |path: &str| start.join(path);
        let deep = format!("deep{}", "/x".repeat(DEPTH + 2));
        for place in ["hidden", "plain/x", "runs/x/run", "runs/x/other", &deep] {
            fs::create_dir_all(at(place)).unwrap();
        }
        for number in 0..=FOLDERS {
            fs::create_dir_all(at("wide").join(number.to_string())).unwrap();
        }
        fs::write(at("runs/x/run").join(PLAN), PLAN_BEGIN).unwrap();
        fs::write(at("plain/x").join(PLAN), "").unwrap();
        let mut listed = Vec::new();
        let mut open = without(&at("hidden"), slice::from_ref(&start), &mut listed);
        open.sort();
        assert_eq!(open, [at("plain"), at("runs/x/other")]);
        listed.sort();
        assert_eq!(listed, [start.clone(), at("runs"), at("runs/x")]);
    }
}
