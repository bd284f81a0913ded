//! The folders that a bot consists of besides its program: what it may read, and what its arguments
//! name.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::text;
use super::{Languages, language_of};
use crate::environment::folder;
use crate::files::is_too_wide;
use crate::program::ProgramError;

/// How deep to look into folders.
const DEPTH: usize = 32;
/// The most bytes that are hashed. A folder may have as many files as [`text::list`] looks at.
pub(super) const SIZE: u64 = 1 << 30;
/// Folders that belong to the system, and change with it.
const SYSTEM: [&str; 14] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/proc", "/run", "/sbin",
    "/snap", "/sys", "/usr",
];
/// Variables of Windows that name such folders.
const SYSTEM_OF_WINDOWS: [&str; 3] = ["SystemRoot", "ProgramFiles", "ProgramFiles(x86)"];
/// A folder that an interpreter writes next to sources.
const WRITTEN: &str = "__pycache__";
/// Extensions of programs and libraries that aren't sources.
const PROGRAMS: [&str; 6] = ["class", "dll", "jar", "pyd", "so", "wasm"];

/// A folder of a bot.
#[derive(Debug)]
pub struct Folder {
    /// Its path.
    pub path: PathBuf,
    /// Its files, in order; their paths begin in the folder.
    pub files: Vec<PathBuf>,
}

/// Returns whether a path belongs to the system.
pub fn is_of_system(path: &Path) -> bool {
    if cfg!(windows) {
        let mut folders = SYSTEM_OF_WINDOWS.iter().filter_map(|name| {
            // Variables may name them in capitals.
            dunce::canonicalize(folder(name)?).ok()
        });
        return folders.any(|system| path.starts_with(system));
    }
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Lists a folder: if it `is_whole`, with all files, or else with programs and sources. `None` if
/// it belongs to the system. Fails if it is too large to notice changes in it.
pub(super) fn list_folder(
    known: &Languages,
    path: &Path,
    is_whole: bool,
) -> Result<Option<Folder>, ProgramError> {
    let real = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if is_of_system(&real) {
        return Ok(None);
    }
    let shown = path.display();
    let too_large = |most: &str| ProgramError(format!("`{shown}` holds more {most}"));
    let mut found = Vec::new();
    if is_too_wide(path) || !text::list(path, DEPTH, &mut found) {
        return Err(too_large("files than a bot has"));
    }
    let holds_start = env::current_dir().is_ok_and(|start| start.starts_with(&real));
    let wants_all = is_whole && !holds_start;
    let (mut files, mut size) = (Vec::new(), 0);
    for file in found {
        let is_wanted = wants_all
            || text::has_extension(&file, &PROGRAMS)
            || language_of(known, &file).is_some();
        if is_wanted && !file.iter().any(|part| part == WRITTEN) {
            size += fs::metadata(&file).map_or(0, |metadata| metadata.len());
            files.extend(file.strip_prefix(path).map(Path::to_owned));
        }
    }
    if size > SIZE {
        return Err(too_large(&format!("than {} MB", SIZE >> 20)));
    }
    files.sort();
    Ok(Some(Folder {
        path: path.to_owned(),
        files,
    }))
}
