//! The files of a job: listed at the coordinator, and laid out at a worker in the same places below a folder of its own. A worker
//! must have files that are part of the system itself.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf, absolute};
use std::time::SystemTime;

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::protocol::Job;

/// The most bytes that a worker's cache keeps when a session begins.
const CACHE: u64 = 4 << 30;

/// A file that a job needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct File {
    /// Its absolute path at the coordinator.
    path: PathBuf,
    /// Its SHA-256, in hexadecimal.
    digest: String,
    of_system: bool,
}

impl File {
    /// Reads a file. One `of_system` is not sent: every worker must have it, at the same path or elsewhere.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn new(path: &Path, of_system: bool) -> anyhow::Result<File> {
        Ok(File {
            path: clean(path)?,
            digest: hash_file(path).with_context(|| format!("read {}", path.display()))?,
            of_system,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn is_sent(&self) -> bool {
        !self.of_system
    }

    /// Returns whether a path leads to a file with the same bytes.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        // Reading a pipe would wait for ever.
        path.is_file() && hash_file(path).is_ok_and(|digest| digest == self.digest)
    }
}

/// Returns the absolute path without `.` and `..`.
///
/// # Errors
/// If the path is empty, or there is no current folder.
pub fn clean(path: &Path) -> io::Result<PathBuf> {
    let mut cleaned = PathBuf::new();
    for part in absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(cleaned.pop()),
            part => cleaned.push(part),
        }
    }
    Ok(cleaned)
}

/// Returns the SHA-256 of a file, in hexadecimal.
fn hash_file(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 18, fs::File::open(path)?);
    let mut hasher = Sha256::new();
    loop {
        let chunk = file.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        hasher.update(chunk);
        let read = chunk.len();
        file.consume(read);
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Where a worker keeps files by their digests, and lays them out for its sessions.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    files: PathBuf,
    /// Named after this machine. In a shared folder, locks that other machines hold cannot be seen.
    sessions: PathBuf,
}

impl Cache {
    /// Opens a cache in a folder. Removes what killed processes of this machine left.
    pub(crate) fn new(folder: &Path, machine: &str) -> anyhow::Result<Cache> {
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
            let path = entry.path();
            if fs::File::open(&path).is_ok_and(|folder| folder.try_lock().is_ok()) {
                let _ = fs::remove_dir_all(path);
            }
        }
        Ok(cache)
    }

    /// While this is held, no other process creates or removes folders of sessions. A new one is not locked yet.
    fn alone(&self) -> io::Result<fs::File> {
        let folder = fs::File::open(&self.sessions)?;
        folder.lock()?;
        Ok(folder)
    }

    /// Creates an empty folder for a session.
    fn place(&self) -> io::Result<Place> {
        let _alone = self.alone()?;
        let folder = tempfile::tempdir_in(&self.sessions)?;
        let lock = fs::File::open(folder.path())?;
        lock.try_lock()?;
        Ok(Place {
            folder,
            _lock: lock,
        })
    }

    /// Returns where a file is kept, or is to be.
    fn kept(&self, file: &File) -> anyhow::Result<PathBuf> {
        let digest = &file.digest;
        if digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(self.files.join(digest))
        } else {
            bail!("`{digest}` is not a SHA-256")
        }
    }

    /// Returns whether a file is here: in the cache, or at the same path as at the coordinator.
    pub(crate) fn has(&self, file: &File) -> anyhow::Result<bool> {
        let kept = self.kept(file)?;
        if file.is_at(&kept) {
            // Makes it the last one that `shrink` removes.
            let _ = fs::File::open(&kept).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(true);
        }
        if file.is_at(&file.path) {
            self.keep(file, &file.path)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Creates a file to download into.
    pub(crate) fn pending(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::NamedTempFile::with_prefix_in("pending-", &self.files)
    }

    /// Keeps a copy of a file whose digest was checked.
    pub(crate) fn keep(&self, file: &File, from: &Path) -> anyhow::Result<()> {
        let kept = self.kept(file)?;
        self.copy(from, &kept)
            .with_context(|| format!("write to {}", self.files.display()))
    }

    fn copy(&self, from: &Path, to: &Path) -> io::Result<()> {
        let pending = self.pending()?;
        fs::copy(from, pending.path())?;
        fs::set_permissions(pending.path(), fs::Permissions::from_mode(0o555))?;
        pending.persist(to)?;
        Ok(())
    }

    /// Removes the files that were not used for longest, until the rest is small enough.
    pub(crate) fn shrink(&self) {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.files).into_iter().flatten().flatten() {
            if let Ok(metadata) = entry.metadata()
                && let Ok(used) = metadata.modified()
            {
                files.push((used, metadata.len(), entry.path()));
            }
        }
        files.sort_by(|one, other| other.cmp(one));
        let mut sum = 0;
        for (_, bytes, path) in files {
            sum += bytes;
            if sum > CACHE {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Lays out the files of a job.
    pub(crate) fn lay_out(&self, job: &Job) -> anyhow::Result<Place> {
        let place = self.place().context("create a folder for the session")?;
        fs::create_dir_all(place.of(&job.folder)?)?;
        for file in job.files.iter().filter(|file| file.is_sent()) {
            let (from, to) = (self.kept(file)?, place.of(&file.path)?);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            // Links cannot cross file systems.
            fs::hard_link(&from, &to)
                .or_else(|_| fs::copy(&from, &to).map(drop))
                .with_context(|| format!("write {}", to.display()))?;
        }
        Ok(place)
    }
}

/// The folder with the files of a job at a worker. Dropping it removes the folder.
#[derive(Debug)]
pub struct Place {
    folder: TempDir,
    /// Keeps other processes from removing the folder.
    _lock: fs::File,
}

impl Place {
    /// Returns the folder that has all files, without symbolic links in its path.
    ///
    /// # Errors
    /// If the folder is gone.
    pub fn root(&self) -> io::Result<PathBuf> {
        self.folder.path().canonicalize()
    }

    /// Returns where an absolute path of the coordinator is here.
    ///
    /// # Errors
    /// If the path is not absolute, or has `..` in it.
    pub fn of(&self, path: &Path) -> anyhow::Result<PathBuf> {
        let is_plain =
            |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
        if !path.is_absolute() || !path.components().all(is_plain) {
            return Err(anyhow!("`{}` is not a plain absolute path", path.display()));
        }
        Ok(self.folder.path().join(path.strip_prefix("/")?))
    }

    /// Returns where a path is here, if the job has a file or folder there. Paths of one part, such as `/tmp`, are never moved.
    pub fn moved(&self, path: &str) -> Option<String> {
        let is_deep = Path::new(path).components().count() > 2;
        let here = self.of(Path::new(path)).ok()?;
        (is_deep && here.exists()).then(|| here.to_string_lossy().into_owned())
    }

    /// Returns a word of a command with the paths in it moved. They may stand alone, or in lists as in `-cp=/a/b:/c/*`.
    pub fn moved_in(&self, word: &str) -> String {
        if let Some(moved) = self.moved(word) {
            return moved;
        }
        let mut text = String::new();
        for piece in word.split_inclusive([':', '=', ',']) {
            let path = piece.trim_end_matches([':', '=', ',']);
            let folder = path.strip_suffix("/*").unwrap_or(path);
            match self.moved(folder) {
                Some(here) => text += &(here + &piece[folder.len()..]),
                None => text += piece,
            }
        }
        text
    }
}

/// Returns a sentence for each file of the system that differs here. If it is missing or elsewhere, the job finds that out itself.
pub(crate) fn remarks(job: &Job) -> Vec<String> {
    let mut remarks = Vec::new();
    for file in job.files.iter().filter(|file| file.of_system) {
        if file.path.is_file() && !file.is_at(&file.path) {
            let path = file.path.display();
            remarks.push(format!("another {path} than at the arena"));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn place() -> (TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let place = Cache::new(folder.path(), "here").unwrap().place().unwrap();
        (folder, place)
    }

    #[test]
    fn every_path_is_below_the_folder_of_the_session() {
        let (_folder, place) = place();
        let here = |path: &str| place.folder.path().join(path);
        for (path, inside) in [
            ("/usr/../home/u/.ssh", "home/u/.ssh"),
            ("/../../etc/passwd", "etc/passwd"),
            ("/proc/self/root", "proc/self/root"),
        ] {
            let path = clean(Path::new(path)).unwrap();
            assert_eq!(place.of(&path).unwrap(), here(inside));
        }
        for path in ["maps", "/home/../etc", ""] {
            assert!(place.of(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn paths_in_words_are_moved_if_the_job_has_them() {
        let (_folder, place) = place();
        fs::create_dir_all(place.of(Path::new("/home/arena/classes")).unwrap()).unwrap();
        let root = place.folder.path().display();
        for (word, moved) in [
            ("/home/arena/classes", format!("{root}/home/arena/classes")),
            ("/home/arena/other", "/home/arena/other".to_owned()),
            ("/home", "/home".to_owned()),
            (
                "-cp=/home/arena/classes/*:/usr/share/java,x",
                format!("-cp={root}/home/arena/classes/*:/usr/share/java,x"),
            ),
        ] {
            assert_eq!(place.moved_in(word), moved);
        }
    }

    #[test]
    fn a_file_comes_from_its_own_place_or_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(&folder.path().join("cache"), "here").unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "one").unwrap();
        let file = File::new(&path, false).unwrap();
        assert!(cache.has(&file).unwrap(), "this machine has it");
        fs::write(&path, "another").unwrap();
        assert!(cache.has(&file).unwrap(), "the cache has kept it");
        let job = Job {
            files: vec![file.clone()],
            folder: folder.path().to_owned(),
            ..Job::default()
        };
        let place = cache.lay_out(&job).unwrap();
        let here = place.of(file.path()).unwrap();
        assert_eq!(fs::read_to_string(here).unwrap(), "one");
        fs::remove_file(cache.kept(&file).unwrap()).unwrap();
        assert!(!cache.has(&file).unwrap());
        let file = File {
            digest: "../escape".into(),
            ..file
        };
        assert!(cache.has(&file).is_err());
    }

    /// Folders of killed workers are removed. Those of running workers and other machines stay.
    #[test]
    fn the_folder_of_a_session_goes_with_its_worker() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "here").unwrap();
        let left = ["here", "there"]
            .map(|machine| folder.path().join("sessions").join(machine).join("left"));
        for left in &left {
            fs::create_dir_all(left).unwrap();
        }
        let places = thread::scope(|scope| {
            let comers = scope.spawn(|| {
                for _ in 0..200 {
                    Cache::new(folder.path(), "here").unwrap();
                }
            });
            let places: Vec<Place> = (0..200).map(|_| cache.place().unwrap()).collect();
            comers.join().unwrap();
            places
        });
        assert!(places.iter().all(|place| place.folder.path().exists()));
        assert_eq!(left.map(|left| left.exists()), [false, true]);
    }
}
