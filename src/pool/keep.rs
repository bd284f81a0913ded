//! Copies what a bot consists of into a pool, so that it plays for ever as it was submitted.
//!
//! A copy is complete or doesn't exist: it is made beside the kept bots, and then renamed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf, is_separator};

use sha2::{Digest as _, Sha256};

use crate::plan::samples;
use crate::store::{StoreError, hash_file, io_error};
use arena_process::languages::{self, Languages, is_of_system};
use arena_process::{
    BOTS, Launch, find_program, flush, hex, is_executable, is_pool, is_run, open_input, slashed,
};

/// The most megabytes of a kept bot.
pub(crate) const MOST_MB: u64 = 200;
/// How many files to name if a bot is larger.
const LARGEST: usize = 3;
/// Folders of a project that no bot needs.
const LEFT_OUT: [&str; 3] = [".git", "target", WRITTEN];
/// A folder that an interpreter writes next to sources.
const WRITTEN: &str = "__pycache__";
/// Names of the program in a folder, without their extension.
const PROGRAMS: [&str; 3] = ["main", "bot", "Player"];
/// The folder of a copy that isn't complete, in the folder of the pool. No bot lies there.
const HALF: &str = ".half";

/// Why a bot can't be kept, or a kept bot can't be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    #[error("`{}` is a folder, and arena can't tell which file is the bot: name that file", .0.display())]
    NoProgram(PathBuf),
    #[error("`{}` contains the pool or your current folder: name a smaller folder", .0.display())]
    TooWide(PathBuf),
    #[error("`{}` is a link to a folder, or to a file outside the bot's folder: replace it by a copy", .0.display())]
    Link(PathBuf),
    #[error("it is {} MB, and the limit is {MOST_MB} MB; the largest files: {}", megabytes(*.size), listed(.largest))]
    TooLarge {
        size: u64,
        largest: Vec<(u64, PathBuf)>,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

fn listed(files: &[(u64, PathBuf)]) -> String {
    let shown =
        |(size, path): &(u64, PathBuf)| format!("`{}` ({} MB)", path.display(), megabytes(*size));
    files.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// A kept bot.
#[derive(Debug)]
pub(crate) struct Kept {
    /// How it is started. Its paths are relative to the pool.
    pub(crate) launch: Launch,
    /// A digest of its files and its command. The same bot under another name, or from another
    /// folder, has the same digest.
    pub(crate) digest: String,
}

/// Copies what a bot consists of into a folder of the pool that has the name of the bot. The paths
/// of the bot are relative to the folder `from`. A bot that is only named, such as a sample bot,
/// has no folder.
///
/// Its name must be that of a file, and nobody else may keep a bot in the pool at the same time.
pub(crate) fn copy(
    languages: &Languages,
    bot: &Launch,
    from: &Path,
    pool: &Path,
) -> Result<Kept, KeepError> {
    let own = Path::new(BOTS).join(&bot.name);
    let place = pool.join(&own);
    let mut launch = bot.clone();
    let found = Found::look(languages, &mut launch, from, pool)?;
    found.move_paths(&mut launch, &own);
    if found.files.is_empty() {
        // A killed process may have left a copy that isn't listed.
        let _ = fs::remove_dir_all(&place);
        let digest = digest(&launch, pool)?;
        return Ok(Kept { launch, digest });
    }
    found.check()?;
    launch.folder = Some(own);
    let half = pool.join(HALF);
    let digest = found
        .copy_to(&half)
        .and_then(|()| rename(&half, &place))
        .map_err(KeepError::from)
        .and_then(|()| digest(&launch, pool));
    if digest.is_err() {
        for folder in [half, place] {
            let _ = fs::remove_dir_all(folder);
        }
    }
    Ok(Kept {
        launch,
        digest: digest?,
    })
}

/// Returns the digest of a kept bot as it is now. Another one than before means that somebody has
/// changed the copy.
pub(crate) fn digest(launch: &Launch, pool: &Path) -> Result<String, KeepError> {
    let mut general = launch.clone();
    general.name.clear();
    if let Some(own) = general.folder.take() {
        general.replace_paths(0, &mut |path| {
            let inner = path.strip_prefix(&own).ok()?;
            Some(Path::new(BOTS).join(inner))
        });
    }
    let place = pool.join(launch.folder.as_deref().unwrap_or(Path::new("")));
    let mut text = serde_json::to_string(&general)
        .map_err(|error| io_error("write down the command of", &place)(error.into()))?;
    let mut files = BTreeSet::new();
    if launch.folder.is_some() {
        list(&place, &|folder| folder.ends_with(WRITTEN), &mut files)?;
    }
    for file in &files {
        let is_executable = is_executable(file);
        let name = slashed(file.strip_prefix(&place).unwrap_or(file));
        let _ = write!(text, "\n{name}\n{is_executable} {}", hash_file(file)?);
    }
    Ok(hex(&Sha256::digest(text)))
}

/// What a bot consists of.
struct Found<'a> {
    languages: &'a Languages,
    /// The folder that its paths are relative to.
    from: PathBuf,
    pool: PathBuf,
    /// The number of words at the beginning of its command that are no paths.
    skipped: usize,
    /// The deepest folder that holds all files; none before the first is found.
    base: Option<PathBuf>,
    files: BTreeSet<PathBuf>,
}

impl<'a> Found<'a> {
    /// Finds the files of a bot. A folder in the place of its program is replaced by the program in
    /// it.
    fn look(
        languages: &'a Languages,
        bot: &mut Launch,
        from: &Path,
        pool: &Path,
    ) -> Result<Found<'a>, KeepError> {
        let real = |path: &Path| dunce::canonicalize(path).map_err(io_error("find", path));
        let mut found = Found {
            languages,
            from: real(from)?,
            pool: real(pool)?,
            skipped: 0,
            base: None,
            files: BTreeSet::new(),
        };
        found.add_program(bot)?;
        let mut named = Vec::new();
        bot.clone().replace_paths(found.skipped, &mut |path| {
            let real = found.real(path)?;
            named.push(real.clone());
            Some(real)
        });
        for path in named {
            if !found.is_of_system(&path) {
                found.add(&path)?;
            }
        }
        Ok(found)
    }

    /// Finds out whether the program is a file or folder of the user. If it is a folder, adds it
    /// and names the program in it.
    fn add_program(&mut self, bot: &mut Launch) -> Result<(), KeepError> {
        if samples::of(&bot.command).is_some() {
            self.skipped = bot.command.len();
            return Ok(());
        }
        // A folder without arguments is more likely meant than a program of its name.
        let is_alone = bot.command.len() == 1;
        let Some(word) = bot.command.first_mut() else {
            return Ok(());
        };
        let Some(path) = self.real(Path::new(word)) else {
            return Ok(());
        };
        // A source file comes before a program in PATH.
        let is_source = || path.is_file() && languages::parts(self.languages, &path).is_some();
        let is_in_path = !word.contains(is_separator) && find_program(word).is_ok();
        if is_in_path && !is_alone && !is_source() {
            self.skipped = 1;
        } else if path.is_dir() {
            self.add(&path)?;
            *word = slashed(&self.program_in(path)?);
        } else if is_in_path && !is_source() {
            self.skipped = 1;
        }
        Ok(())
    }

    /// Returns the program of a folder: of a Rust project, or the only source with one of
    /// [these names](PROGRAMS).
    fn program_in(&self, folder: PathBuf) -> Result<PathBuf, KeepError> {
        let mut programs = Vec::new();
        if folder.join("Cargo.toml").is_file() {
            programs.push(folder.join("src/main.rs"));
        } else {
            for file in &self.files {
                if file.parent() == Some(&folder)
                    && PROGRAMS
                        .iter()
                        .any(|name| file.file_stem() == Some(name.as_ref()))
                    && languages::parts(self.languages, file).is_some()
                {
                    programs.push(file.clone());
                }
            }
        }
        match &programs[..] {
            [program] if program.is_file() => Ok(program.clone()),
            _ => Err(KeepError::NoProgram(folder)),
        }
    }

    /// Returns the path of an existing file in its real folder, or the real path of a folder.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let path = self.from.join(path);
        if path.is_file() {
            let folder = dunce::canonicalize(path.parent()?).ok()?;
            return Some(folder.join(path.file_name()?));
        }
        dunce::canonicalize(path).ok().filter(|real| real.is_dir())
    }

    /// Returns whether a path is one of the system, or a link to it, as in virtual environments.
    /// What lies in the user's own folder isn't, even below `/usr`.
    fn is_of_system(&self, path: &Path) -> bool {
        dunce::canonicalize(path)
            .is_ok_and(|real| is_of_system(&real) && !real.starts_with(&self.from))
    }

    /// Adds a file, with its parts if it is a source, or a folder.
    fn add(&mut self, path: &Path) -> Result<(), KeepError> {
        let mut root = path.parent().unwrap_or(path).to_owned();
        if path.is_dir() {
            if self.from.starts_with(path) || self.pool.starts_with(path) {
                return Err(KeepError::TooWide(path.to_owned()));
            }
            let is_left_out = |folder: &Path| {
                LEFT_OUT.iter().any(|name| folder.ends_with(name))
                    || is_run(folder)
                    || is_pool(folder)
            };
            list(path, &is_left_out, &mut self.files)?;
            path.clone_into(&mut root);
        } else if let Some(parts) = languages::parts(self.languages, path) {
            // The pool itself may be the folder of the source.
            let others = self.pool.join(BOTS);
            let is_own = |part: &PathBuf| path.starts_with(&others) || !part.starts_with(&others);
            self.files.extend(parts.files.into_iter().filter(is_own));
            root = parts.root;
        } else {
            self.files.insert(path.to_owned());
        }
        let base = self.base.take().unwrap_or_else(|| root.clone());
        let mut above = base.ancestors();
        self.base = above
            .find(|base| root.starts_with(base))
            .map(Path::to_owned);
        Ok(())
    }

    /// Checks that all files can be read, lie in the folder of the bot, and aren't too large.
    fn check(&self) -> Result<(), KeepError> {
        let mut sizes = Vec::new();
        for path in &self.files {
            let real = dunce::canonicalize(path).map_err(io_error("read", path))?;
            if !self
                .base
                .as_ref()
                .is_some_and(|base| real.starts_with(base))
            {
                return Err(KeepError::Link(path.clone()));
            }
            let file = open_input(path).and_then(|file| file.metadata());
            sizes.push((file.map_err(io_error("read", path))?.len(), path.clone()));
        }
        let size = sizes.iter().map(|(size, _)| size).sum();
        if size > MOST_MB << 20 {
            sizes.sort();
            let largest = sizes.into_iter().rev().take(LARGEST).collect();
            return Err(KeepError::TooLarge { size, largest });
        }
        Ok(())
    }

    /// Makes the paths of the bot lead to its copies in the folder `own`, and those of the system
    /// absolute.
    fn move_paths(&self, bot: &mut Launch, own: &Path) {
        bot.replace_paths(self.skipped, &mut |path| {
            let real = self.real(path)?;
            if self.is_of_system(&real) {
                return Some(self.from.join(path));
            }
            let inner = real.strip_prefix(self.base.as_ref()?).ok()?;
            // `join` would end the path of the folder itself in a slash.
            Some(own.iter().chain(inner).collect())
        });
    }

    /// Copies all files into an empty folder, down to the disk: the user may overwrite them at
    /// once.
    fn copy_to(&self, folder: &Path) -> Result<(), StoreError> {
        if folder.exists() {
            // A killed arena has left it.
            fs::remove_dir_all(folder).map_err(io_error("remove", folder))?;
        }
        for file in &self.files {
            let inner = self
                .base
                .as_ref()
                .and_then(|base| file.strip_prefix(base).ok());
            let copy = folder.join(inner.unwrap_or(file));
            fs::create_dir_all(copy.parent().unwrap_or(folder))
                .and_then(|()| fs::copy(file, &copy))
                .and_then(|_| flush(&copy))
                .map_err(io_error("copy", file))?;
        }
        Ok(())
    }
}

/// Adds the files below a folder, except in folders to leave out.
fn list(
    folder: &Path,
    is_left_out: &dyn Fn(&Path) -> bool,
    files: &mut BTreeSet<PathBuf>,
) -> Result<(), KeepError> {
    for entry in fs::read_dir(folder).map_err(io_error("read", folder))? {
        let entry = entry.map_err(io_error("read", folder))?;
        let path = entry.path();
        if !path.is_dir() {
            files.insert(path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            return Err(KeepError::Link(path));
        } else if !is_left_out(&path) {
            list(&path, is_left_out, files)?;
        }
    }
    Ok(())
}

/// Gives a complete copy its name.
fn rename(half: &Path, place: &Path) -> Result<(), StoreError> {
    // A killed process may have left one that isn't listed.
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place.parent().unwrap_or(place))
        .and_then(|()| arena_process::rename(half, place))
        .map_err(io_error("create", place))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
