//! The folders that a bot is made of, beside its program: what it may read, and what its arguments name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::sources;
use super::{Languages, language_of};
use crate::sandbox::files::is_too_wide;

/// How deep folders are looked into.
const DEPTH: usize = 32;
/// What a folder may hold and be hashed, in bytes; it may have as many files as [`sources::list`] looks at.
const SIZE: u64 = 1 << 30;
/// What belongs to the system, and changes with it.
const SYSTEM: [&str; 14] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/run", "/sbin",
    "/snap", "/sys", "/usr",
];
/// What an interpreter writes beside sources.
const WRITTEN: &str = "__pycache__";
/// The ends of the names of programs and libraries that are no sources.
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
    /// All: nobody else needs them.
    Whole,
    /// Programs and sources: others may work there, too.
    Programs,
}

/// Whether a path belongs to the system.
pub fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// What is found in a folder: none of it for what belongs to the system. An error says why it cannot be told whether it has
/// changed.
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
    let wanted = |file: &PathBuf| {
        let is_program = || {
            file.extension()
                .is_some_and(|end| PROGRAMS.iter().any(|program| end == *program))
        };
        let is_whole = part == Part::Whole && !holds_start;
        is_whole || is_program() || language_of(known, file).is_some()
    };
    let mut files = Vec::new();
    if is_too_wide(path) || !sources::list(path, DEPTH, &mut files) {
        return Err(format!(
            "`{}` holds more files than a bot has",
            path.display()
        ));
    }
    files.retain(|file| wanted(file) && !file.iter().any(|part| part == WRITTEN));
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
    let files: BTreeSet<PathBuf> = files
        .iter()
        .filter_map(|file| file.strip_prefix(path).ok())
        .map(Path::to_owned)
        .collect();
    Ok(Some(Folder {
        path: path.to_owned(),
        files: files.into_iter().collect(),
    }))
}
