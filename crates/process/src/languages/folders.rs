//! The folders that a bot consists of besides its program: what it may read, and what its arguments name.

use std::fs;
use std::path::{Path, PathBuf};

use super::text;
use super::{Languages, language_of};
use crate::sandbox::files::is_too_wide;

/// How deep to look into folders.
const DEPTH: usize = 32;
/// The most bytes of a folder that is hashed. It may have as many files as [`text::list`] looks at.
const SIZE: u64 = 1 << 30;
/// Folders that belong to the system, and change with it.
const SYSTEM: [&str; 14] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/run", "/sbin",
    "/snap", "/sys", "/usr",
];
/// A folder that an interpreter writes next to sources.
const WRITTEN: &str = "__pycache__";
/// Extensions of programs and libraries that aren't sources.
const PROGRAMS: [&str; 6] = ["class", "dll", "jar", "pyd", "so", "wasm"];

/// A folder of a bot.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// Its files, in order; their paths begin in the folder.
    pub files: Vec<PathBuf>,
}

/// Which files of a folder belong to a bot.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// All files: only the bot needs them.
    Whole,
    /// Programs and sources: other people may work there, too.
    Programs,
}

/// Returns whether a path belongs to the system.
pub fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Lists a folder; `None` if it belongs to the system. An error says why changes in it can't be noticed.
pub(super) fn look_into(
    known: &Languages,
    path: &Path,
    part: Part,
) -> Result<Option<Folder>, String> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if is_of_system(&real) {
        return Ok(None);
    }
    let holds_start = std::env::current_dir().is_ok_and(|start| start.starts_with(&real));
    let mut files = Vec::new();
    if is_too_wide(path) || !text::list(path, DEPTH, &mut files) {
        return Err(format!(
            "`{}` holds more files than a bot has",
            path.display()
        ));
    }
    let wants_all = part == Part::Whole && !holds_start;
    files.retain(|file| {
        let is_written = file.iter().any(|part| part == WRITTEN);
        let is_wanted = wants_all || is_program(file) || language_of(known, file).is_some();
        is_wanted && !is_written
    });
    let sizes = files
        .iter()
        .map(|file| fs::metadata(file).map_or(0, |metadata| metadata.len()));
    if sizes.sum::<u64>() > SIZE {
        return Err(format!(
            "`{}` holds more than {} MB",
            path.display(),
            SIZE >> 20
        ));
    }
    let mut inside: Vec<PathBuf> = Vec::new();
    for file in &files {
        inside.extend(file.strip_prefix(path).map(Path::to_owned));
    }
    inside.sort();
    inside.dedup();
    Ok(Some(Folder {
        path: path.to_owned(),
        files: inside,
    }))
}

/// Returns whether a file has the extension of a program or a library.
fn is_program(file: &Path) -> bool {
    file.extension()
        .is_some_and(|end| PROGRAMS.iter().any(|program| end == *program))
}
