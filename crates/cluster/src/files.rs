//! The files of a job. The coordinator lists them, and a worker lays them out at the same paths
//! below a folder of the session.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf, Prefix, absolute};

use anyhow::Context as _;
use arena_process::{
    LIST, OwnFolder, folder_of_jars, hash_file, persist, seal_program, without_parents,
};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::error::ClusterError;

/// The size limit of a worker's cache when a session begins, in bytes.
const CACHE: u64 = 4 << 30;

/// A file that a job needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct File {
    /// Its absolute path at the coordinator.
    pub(crate) path: PathBuf,
    /// Its SHA-256, in hexadecimal.
    pub(crate) digest: String,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn new(path: &Path) -> anyhow::Result<File> {
        Ok(File {
            path: clean(path)?,
            digest: hash_file(path).with_context(|| format!("can't read {}", path.display()))?,
        })
    }

    /// Returns whether a path leads to a file with the same bytes.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        // Reading a pipe would wait forever.
        path.is_file() && hash_file(path).is_ok_and(|digest| digest == self.digest)
    }
}

/// Returns the absolute path without `.` and `..`.
///
/// # Errors
/// If the path is empty, or the current folder doesn't exist.
pub fn clean(path: &Path) -> io::Result<PathBuf> {
    Ok(without_parents(&absolute(path)?))
}

/// A worker's files by their digests, and the folders of its sessions.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    files: PathBuf,
    /// Has the name of this machine: in a shared folder, locks of other machines may be invisible.
    sessions: PathBuf,
}

impl Cache {
    /// Opens a cache in a folder.
    pub(crate) fn new(folder: &Path, machine: &str) -> anyhow::Result<Cache> {
        let cache = Cache {
            files: folder.join("files"),
            sessions: folder.join("sessions").join(machine),
        };
        for folder in [&cache.files, &cache.sessions] {
            fs::create_dir_all(folder)
                .with_context(|| format!("can't create the folder {}", folder.display()))?;
        }
        Ok(cache)
    }

    /// Returns the path of a file in the cache, whether it exists or not.
    fn path_of(&self, file: &File) -> Result<PathBuf, ClusterError> {
        let digest = &file.digest;
        if digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(self.files.join(digest))
        } else {
            Err(ClusterError(format!("`{digest}` is not a SHA-256")))
        }
    }

    /// Returns whether a file is in the cache.
    pub(crate) fn has(&self, file: &File) -> Result<bool, ClusterError> {
        Ok(file.is_at(&self.path_of(file)?))
    }

    /// Creates a file to download into.
    pub(crate) fn pending(&self) -> io::Result<NamedTempFile> {
        NamedTempFile::with_prefix_in("pending-", &self.files)
    }

    /// Adds a downloaded file.
    pub(crate) fn add(&self, file: &File, pending: NamedTempFile) -> anyhow::Result<()> {
        if !file.is_at(pending.path()) {
            return Err(ClusterError("the server has another file".to_owned()).into());
        }
        seal_program(pending.path())?;
        Ok(persist(pending, &self.path_of(file)?)?)
    }

    /// Empties the cache if it is too large. Running sessions have links to their files.
    pub(crate) fn shrink(&self) {
        let entries = || fs::read_dir(&self.files).into_iter().flatten().flatten();
        let size = |entry: fs::DirEntry| entry.metadata().map_or(0, |metadata| metadata.len());
        if entries().map(size).sum::<u64>() > CACHE {
            for entry in entries() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Lays out the files of a job, and its current folder.
    pub(crate) fn lay_out(&self, folder: &Path, files: &[File]) -> anyhow::Result<Place> {
        let own = OwnFolder::new(&self.sessions, "");
        let place = Place(own.context("can't create a folder for the session")?);
        fs::create_dir_all(place.of(folder)?)?;
        for file in files {
            let (from, to) = (self.path_of(file)?, place.of(&file.path)?);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent)?;
            }
            // Links can't cross file systems.
            fs::hard_link(&from, &to)
                .or_else(|_| fs::copy(&from, &to).map(drop))
                .with_context(|| format!("can't write {}", to.display()))?;
        }
        Ok(place)
    }
}

/// The folder with the files of a job at a worker. Dropping it removes the folder.
#[derive(Debug)]
pub struct Place(OwnFolder);

impl Place {
    /// Returns the folder that has all files, without symbolic links in its path.
    ///
    /// # Errors
    /// If the folder is gone.
    pub fn root(&self) -> io::Result<PathBuf> {
        dunce::canonicalize(self.0.path())
    }

    /// Returns where an absolute path of the coordinator is on this machine. A drive of Windows is
    /// a folder of its letter.
    ///
    /// # Errors
    /// If the path isn't absolute, or has `..` in it.
    pub fn of(&self, path: &Path) -> Result<PathBuf, ClusterError> {
        let unfit = || ClusterError(format!("`{}` is not a plain absolute path", path.display()));
        if !path.is_absolute() {
            return Err(unfit());
        }
        let mut here = self.0.path().to_owned();
        for part in path.components() {
            match part {
                Component::RootDir => {}
                Component::Normal(name) => here.push(name),
                Component::Prefix(drive) => match drive.kind() {
                    Prefix::Disk(letter) => here.push(char::from(letter).to_string()),
                    _ => return Err(unfit()),
                },
                Component::CurDir | Component::ParentDir => return Err(unfit()),
            }
        }
        Ok(here)
    }

    /// Returns where a path is on this machine, if the job has a file or folder there. Paths of one
    /// part, such as `/tmp`, never move.
    pub fn moved(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let is_deep = path.parent().and_then(Path::parent).is_some();
        let here = self.of(path).ok()?;
        (is_deep && here.exists()).then(|| here.to_string_lossy().into_owned())
    }

    /// Returns a word of a command with its paths moved. They may be in a list, as in
    /// `-cp=/a/b:/c/*`.
    pub fn moved_in(&self, word: &str) -> String {
        if let Some(moved) = self.moved(word) {
            return moved;
        }
        let mut text = String::new();
        let is_between = |c: char| c == '=' || c == ',' || LIST.contains(c);
        for piece in word.split_inclusive(is_between) {
            let path = piece.trim_end_matches(is_between);
            let folder = folder_of_jars(path).unwrap_or(path);
            match self.moved(folder) {
                Some(here) => text += &(here + &piece[folder.len()..]),
                None => text += piece,
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tempfile::TempDir;

    use super::*;

    fn place() -> (TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(OwnFolder::new(folder.path(), "").unwrap());
        (folder, place)
    }

    #[test]
    fn a_cache_is_emptied_above_the_size_of_the_document() {
        let document = include_str!("../../../docs/how-to/cluster.md");
        let (_, most) = document.split_once("A worker keeps up to ").unwrap();
        let (most, _) = most.split_once(" GB in").unwrap();
        let most = most.parse::<u64>().unwrap() << 30;
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "machine").unwrap();
        // A file with a hole takes no room on the disk.
        let file = fs::File::create(cache.files.join("large")).unwrap();
        for (size, files) in [(most, 1), (most + 1, 0)] {
            file.set_len(size).unwrap();
            cache.shrink();
            assert_eq!(fs::read_dir(&cache.files).unwrap().count(), files);
        }
    }

    #[test]
    fn every_path_is_below_the_folder_of_the_session() {
        let (_folder, place) = place();
        let here = |path: &str| place.0.path().join(path);
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
        let root = place.0.path().display();
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
    fn a_file_comes_from_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(&folder.path().join("cache"), "here").unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "one").unwrap();
        let file = File::new(&path).unwrap();
        assert!(!cache.has(&file).unwrap());
        for (content, is_added) in [("another", false), ("one", true)] {
            let pending = cache.pending().unwrap();
            fs::write(pending.path(), content).unwrap();
            assert_eq!(cache.add(&file, pending).is_ok(), is_added);
            assert_eq!(cache.has(&file).unwrap(), is_added);
        }
        let files = [file.clone()];
        let place = cache.lay_out(folder.path(), &files).unwrap();
        let here = place.of(&file.path).unwrap();
        assert_eq!(fs::read_to_string(here).unwrap(), "one");
        let file = File {
            digest: "../escape".into(),
            ..file
        };
        assert!(cache.has(&file).is_err());
    }

    /// Folders of killed workers are removed. Folders of running workers and of other machines
    /// stay.
    #[test]
    fn the_folder_of_a_session_goes_with_its_worker() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path(), "here").unwrap();
        let left = ["here", "there"]
            .map(|machine| folder.path().join("sessions").join(machine).join("left"));
        for left in &left {
            fs::create_dir_all(left).unwrap();
        }
        let lay_out = || cache.lay_out(Path::new("/"), &[]).unwrap();
        let places = thread::scope(|scope| {
            let comers = scope.spawn(|| {
                for _ in 0..200 {
                    lay_out();
                }
            });
            let places: Vec<Place> = (0..200).map(|_| lay_out()).collect();
            comers.join().unwrap();
            places
        });
        assert!(places.iter().all(|place| place.0.path().exists()));
        assert_eq!(left.map(|left| left.exists()), [false, true]);
    }
}
