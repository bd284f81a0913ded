//! Folders that are removed with the process that made them, or later if it was killed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::input::entries;
use crate::os::{self, open_folder};

/// How many names to try for a folder.
const ATTEMPTS: u32 = 100;

/// A new folder. Dropping it removes the folder.
#[derive(Debug)]
pub struct OwnFolder {
    path: PathBuf,
    /// Locked, so that other processes see that the folder is in use. `None` once it is removed.
    lock: Option<File>,
}

impl OwnFolder {
    /// Creates a folder whose name begins with `prefix`, and removes those that killed processes of
    /// this user left.
    ///
    /// # Errors
    /// If no folder can be created.
    pub fn new(parent: &Path, prefix: &str) -> io::Result<OwnFolder> {
        for entry in entries(parent) {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(prefix.as_bytes()) {
                remove_if_unused(&entry.path());
            }
        }
        for _ in 0..ATTEMPTS {
            let mut folder = os::private_builder();
            let path = folder.prefix(prefix).tempdir_in(parent)?.keep();
            let lock = locked(&path);
            if lock.is_some() {
                return Ok(OwnFolder { path, lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Locks a folder that was just made; `None` if another process has removed it, because until then
/// it looks like one that was left behind.
fn locked(path: &Path) -> Option<File> {
    let lock = open_folder(path).ok()?;
    lock.try_lock().ok()?;
    os::is_at(&lock, &os::lock_of(path)).then_some(lock)
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            let _ = os::remove_locked(&self.path, lock);
        }
    }
}

fn remove_if_unused(path: &Path) {
    let is_ours = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir() && os::is_ours(&meta));
    if is_ours
        && let Ok(lock) = open_folder(path)
        && lock.try_lock().is_ok()
    {
        let _ = os::remove_locked(path, lock);
    }
}
