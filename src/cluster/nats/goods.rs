//! The files that bots and referees are made of: listed at the arena, laid out at a worker in the same places below a folder of
//! the session. What is part of the system every worker must have itself.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf, absolute};
use std::time::SystemTime;

use anyhow::{Context as _, anyhow, bail};
use tempfile::TempDir;

use super::protocol::{Item, Spec};
use crate::store::{hash_file, read_folder};
use crate::worker::Started;
use arena_games::{Folder, Wanted};
use arena_process::languages::is_of_system;
use arena_process::{Launch, find_program};

/// What the cache of a worker holds at most, in bytes, once a session has begun.
const CACHE: u64 = 4 << 30;

/// The path from the root on, without `.` and `..`.
fn cleaned(path: &Path) -> io::Result<PathBuf> {
    let mut cleaned = PathBuf::new();
    for part in absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(cleaned.pop()),
            part => cleaned.push(part),
        }
    }
    Ok(cleaned)
}

/// The files that these are made of, and `others` that games read.
pub(super) fn pack(started: &Started, others: &BTreeSet<PathBuf>) -> anyhow::Result<Vec<Item>> {
    let launches = started.launches();
    let of_path = |name: &String| {
        if name.contains('/') {
            None
        } else {
            find_program(name).ok()
        }
    };
    // Another machine may have them elsewhere.
    let found: BTreeSet<PathBuf> = launches
        .filter_map(|launch| of_path(launch.command.first()?))
        .collect();
    let mut items = Vec::new();
    for path in started.files.iter().chain(others) {
        let item = Item {
            path: cleaned(path)?,
            digest: hash_file(path)?,
            of_system: found.contains(path) || is_of_system(path),
        };
        if !items.contains(&item) {
            items.push(item);
        }
    }
    Ok(items)
}

/// Where a worker keeps files by their digests, and those of sessions in their places.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    files: PathBuf,
    /// Of this machine: what others have locked in a shared folder does not look so here.
    sessions: PathBuf,
}

/// The files of a session, in their places below a folder, which goes with it.
#[derive(Debug)]
pub(super) struct Place {
    folder: TempDir,
    /// Held so that nobody removes the folder.
    _lock: File,
}

impl Cache {
    /// A cache in a folder, without what processes of this machine left that were killed.
    pub(super) fn new(folder: &Path, machine: &str) -> anyhow::Result<Cache> {
        let cache = Cache {
            files: folder.join("files"),
            sessions: folder.join("sessions").join(machine),
        };
        for folder in [&cache.files, &cache.sessions] {
            fs::create_dir_all(folder)
                .with_context(|| format!("create the folder {}", folder.display()))?;
        }
        let _alone = cache.alone()?;
        for entry in fs::read_dir(&cache.sessions)?.flatten() {
            if File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(cache)
    }

    /// As long as this is held nobody else makes or removes folders of sessions: one that is new is not locked yet.
    fn alone(&self) -> io::Result<File> {
        let folder = File::open(&self.sessions)?;
        folder.lock()?;
        Ok(folder)
    }

    /// An empty folder for a session.
    fn place(&self) -> io::Result<Place> {
        let _alone = self.alone()?;
        let folder = tempfile::tempdir_in(&self.sessions)?;
        let lock = File::open(folder.path())?;
        lock.try_lock()?;
        Ok(Place {
            folder,
            _lock: lock,
        })
    }

    /// Where the file of a digest is, or is to be.
    pub(super) fn file(&self, item: &Item) -> anyhow::Result<PathBuf> {
        let is_digest =
            item.digest.len() == 64 && item.digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_digest {
            Ok(self.files.join(&item.digest))
        } else {
            bail!("`{}` is no SHA-256", item.digest)
        }
    }

    /// Whether the file is there: kept, or as one of this machine's own in its place.
    pub(super) fn has(&self, item: &Item) -> anyhow::Result<bool> {
        let kept = self.file(item)?;
        let is_it = |path: &Path| {
            path.is_file() && hash_file(path).is_ok_and(|digest| digest == item.digest)
        };
        if is_it(&kept) {
            // Has it kept for longer.
            let _ = File::open(&kept).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(true);
        }
        if is_it(&item.path) {
            self.keep(item, &item.path)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// A file for what is fetched.
    pub(super) fn pending(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::NamedTempFile::with_prefix_in("pending-", &self.files)
    }

    /// Keeps a copy of a file whose digest was tested.
    pub(super) fn keep(&self, item: &Item, from: &Path) -> anyhow::Result<()> {
        let pending = self.pending()?;
        let copied = fs::copy(from, pending.path()).and_then(|_| {
            fs::set_permissions(pending.path(), fs::Permissions::from_mode(0o555))?;
            Ok(pending.persist(self.file(item).map_err(io::Error::other)?)?)
        });
        copied
            .with_context(|| format!("write to {}", self.files.display()))
            .map(drop)
    }

    /// Removes what was not used for longest, until the rest is small enough.
    pub(super) fn shrink(&self) {
        let entries = fs::read_dir(&self.files).into_iter().flatten().flatten();
        let of = |entry: fs::DirEntry| {
            Some((
                entry.metadata().ok()?.modified().ok()?,
                entry.metadata().ok()?.len(),
                entry.path(),
            ))
        };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries.filter_map(of).collect();
        files.sort_by(|one, other| other.cmp(one));
        let mut sum = 0;
        for (_, bytes, path) in files {
            sum += bytes;
            if sum > CACHE {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Lays the files of a session out.
    pub(super) fn lay_out(&self, spec: &Spec) -> anyhow::Result<Place> {
        let place = self.place().context("create a folder for the session")?;
        fs::create_dir_all(place.of(&spec.folder)?)?;
        for item in spec.goods.iter().filter(|item| !item.of_system) {
            let (from, to) = (self.file(item)?, place.of(&item.path)?);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            // Between file systems there are no links.
            fs::hard_link(&from, &to)
                .or_else(|_| fs::copy(&from, &to).map(drop))
                .with_context(|| format!("write {}", to.display()))?;
        }
        Ok(place)
    }
}

impl Place {
    /// The folder that has all of it, without links.
    pub(super) fn root(&self) -> io::Result<PathBuf> {
        self.folder.path().canonicalize()
    }

    /// Where a path of the arena, from the root on, is here.
    pub(super) fn of(&self, path: &Path) -> anyhow::Result<PathBuf> {
        let is_plain =
            |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
        if !path.is_absolute() || !path.components().all(is_plain) {
            bail!("`{}` is no path from the root on", path.display());
        }
        Ok(self.folder.path().join(path.strip_prefix("/")?))
    }

    /// Where a path is here, if it is one of those that are laid out.
    fn moved(&self, path: &str) -> Option<String> {
        let is_deep = Path::new(path).components().count() > 2;
        let here = self
            .of(Path::new(path))
            .ok()
            .filter(|here| is_deep && here.exists())?;
        Some(here.to_string_lossy().into_owned())
    }

    /// A word of a command with the paths in it, alone or in lists, moved.
    fn moved_in(&self, word: &str) -> String {
        let part = |part: &str| {
            let (path, end) = part
                .strip_suffix("/*")
                .map_or((part, ""), |path| (path, "/*"));
            self.moved(path)
                .map_or_else(|| part.to_owned(), |here| here + end)
        };
        let separators = |c: char| ":=,".contains(c);
        let parts = word.split_inclusive(separators).map(|piece| {
            let path = piece.trim_end_matches(separators);
            part(path) + &piece[path.len()..]
        });
        self.moved(word).unwrap_or_else(|| parts.collect())
    }

    /// The same bot or referee, with all paths as they are here, and folders for what it may read.
    pub(super) fn launch(&self, launch: &Launch, folder: &Path) -> anyhow::Result<Launch> {
        let mut read = Vec::new();
        for path in &launch.read {
            let path = cleaned(&folder.join(path))?;
            // It is open as far as it may be.
            if is_of_system(&path) {
                continue;
            }
            let here = self.of(&path)?;
            if !here.exists() {
                fs::create_dir_all(&here)?;
            }
            read.push(here);
        }
        Ok(Launch {
            command: launch
                .command
                .iter()
                .map(|word| self.moved_in(word))
                .collect(),
            env: launch
                .env
                .iter()
                .map(|(name, text)| (name.clone(), self.moved_in(text)))
                .collect(),
            read,
            ..launch.clone()
        })
    }

    /// A folder that a game reads.
    pub(super) fn read_folder(&self, wanted: Wanted<'_>) -> Result<Folder, String> {
        let moved = self.moved(wanted.folder);
        read_folder(Wanted {
            folder: moved.as_deref().unwrap_or(wanted.folder),
            ..wanted
        })
    }
}

/// What differs of the system's files, for people. Those that are elsewhere, or not there, the bots will find or miss.
pub(super) fn remarks(spec: &Spec) -> Vec<String> {
    let of_system = spec.goods.iter().filter(|item| item.of_system);
    // Nobody writes to a pipe that somebody names.
    let differs = |item: &&Item| {
        item.path.is_file() && hash_file(&item.path).is_ok_and(|digest| digest != item.digest)
    };
    of_system
        .filter(differs)
        .map(|item| format!("another {} than at the arena", item.path.display()))
        .collect()
}

/// The folder of the cache of workers.
pub(super) fn cache_folder() -> anyhow::Result<PathBuf> {
    let named = |variable: &str| {
        std::env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let cache = cache.ok_or_else(|| {
        anyhow!("find the folder for programs: set XDG_CACHE_HOME or HOME, or give --cache")
    })?;
    Ok(cache.join("arena").join("worker"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_is_to_be_read_is_below_the_folder_of_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let place = Cache::new(folder.path(), "here").unwrap().place().unwrap();
        let read = [
            "/usr/../home/u/.ssh",
            "/usr/share/games",
            "maps",
            "/proc/self/root",
        ]
        .map(PathBuf::from)
        .to_vec();
        let launch = Launch {
            name: "a".into(),
            command: vec!["a".into()],
            env: BTreeMap::new(),
            read,
        };
        let read = place
            .launch(&launch, Path::new("/home/arena"))
            .unwrap()
            .read;
        let here = |path: &str| place.folder.path().join(path);
        assert_eq!(read, [here("home/u/.ssh"), here("home/arena/maps")]);
    }

    /// Folders of workers that were killed go, those of workers that live or are on other machines stay.
    #[test]
    fn the_folder_of_a_session_goes_with_its_worker() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "here").unwrap();
        let left = ["here", "there"]
            .map(|machine| folder.path().join("sessions").join(machine).join("left"));
        for left in &left {
            fs::create_dir_all(left).unwrap();
        }
        let places = std::thread::scope(|scope| {
            let comers = scope
                .spawn(|| (0..200).for_each(|_| drop(Cache::new(folder.path(), "here").unwrap())));
            let places: Vec<Place> = (0..200).map(|_| cache.place().unwrap()).collect();
            comers.join().unwrap();
            places
        });
        assert!(places.iter().all(|place| place.folder.path().exists()));
        assert_eq!(left.map(|left| left.exists()), [false, true]);
    }
}
