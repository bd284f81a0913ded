//! Folders that bots may write to: making them, and removing whatever bots put there.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread;

use rustix::fs::{
    AtFlags, CWD, Dir, Mode, OFlags, chmod, fchmod, fstat, openat, renameat, stat, unlinkat,
    utimensat,
};
use rustix::fs::{Timespec, Timestamps};
use rustix::io::Errno;
use rustix::path::Arg;
use tempfile::Builder;

/// The most folders that are removed within one. A process that still runs may make them faster
/// than they are removed.
const FOLDERS_MAX: u64 = 1 << 20;

/// The most folders that are removed at the same time while games continue.
const REMOVALS_MAX: usize = 16;

/// Work for another thread.
type Work = Box<dyn FnOnce() + Send>;

/// The thread that does what the filter of system calls refuses to other threads.
static UNFILTERED: OnceLock<Sender<Work>> = OnceLock::new();

/// Owned by each background thread that removes a folder, too.
static REMOVALS: LazyLock<Arc<()>> = LazyLock::new(Arc::default);

/// Starts the thread that does what the filter of system calls refuses. Call it before a thread
/// puts the filter on.
pub(crate) fn start_unfiltered_thread() {
    UNFILTERED.get_or_init(|| {
        let (sender, work) = mpsc::channel::<Work>();
        // Without the thread no folder can be made, and the game reports that.
        let unfiltered = thread::Builder::new().name("unfiltered".into());
        let _ = unfiltered.spawn(|| work.into_iter().for_each(|work| work()));
        sender
    });
}

/// Does some work, on the other thread if it runs.
pub(crate) fn on_unfiltered_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let Some(unfiltered) = UNFILTERED.get() else {
        return work();
    };
    let (sender, done) = mpsc::channel();
    let _ = unfiltered.send(Box::new(move || drop(sender.send(work()))));
    // Without an answer, the system has refused the thread.
    done.recv().map_err(|_| Errno::AGAIN)?
}

/// Makes a folder, so that [`is_untouched`] shows whether it was used. Its name reveals nothing:
/// neither the names of other folders nor how many there were.
pub(crate) fn make(parent: &Path) -> io::Result<PathBuf> {
    let parent = parent.to_owned();
    on_unfiltered_thread(move || {
        let ours_alone = fs::Permissions::from_mode(0o700);
        let mut folder = Builder::new();
        folder.prefix("").rand_bytes(12).permissions(ours_alone);
        let path = folder.tempdir_in(parent)?.keep();
        let times = Timestamps {
            last_access: Timespec::default(),
            last_modification: Timespec::default(),
        };
        utimensat(CWD, &path, &times, AtFlags::empty())?;
        Ok(path)
    })
}

/// Returns whether nothing was ever made in a folder, and no program has listed it. A bot can't
/// reset the times that show it.
pub(crate) fn is_untouched(path: &Path) -> bool {
    stat(path).is_ok_and(|stat| {
        (stat.st_atime, stat.st_mtime) == (0, 0) && stat.st_mode & 0o7777 == 0o700
    })
}

/// Removes a folder on a background thread, so that no game waits for the files of another one. If
/// it can't be removed now, it is removed when the run ends.
///
/// Returns at once unless [`REMOVALS_MAX`] folders are being removed. Then it waits for its own, so
/// that bots can't make folders faster than they are removed.
pub(crate) fn remove_later(path: PathBuf) {
    let (sender, done) = mpsc::channel::<()>();
    // One is the static's own.
    let are_too_many = Arc::strong_count(&REMOVALS) > REMOVALS_MAX;
    let removal = Arc::clone(&REMOVALS);
    let thread = thread::Builder::new().name("remover".into());
    let work = move || {
        let _ = remove(&path);
        drop((removal, sender));
    };
    // The new thread is under no filter, because the one that starts it isn't.
    let _ = on_unfiltered_thread(move || thread.spawn(work).map(drop));
    if are_too_many {
        // Fails once the removal has ended.
        let _ = done.recv();
    }
}

/// Removes a folder with its content, even if a bot has taken away our own permissions. Links are
/// removed, never followed.
///
/// Bots nest folders as deep as they like. To avoid deep recursion, many descriptors and ever
/// longer paths, nested folders are moved up into the top one, until nothing is left.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let top = open(CWD, path)?;
    let mut moved = 0;
    loop {
        let names = remove_files(&top)?;
        if names.is_empty() {
            return fs::remove_dir(path);
        }
        for name in names {
            let folder = open(&top, &name)?;
            for nested in remove_files(&folder)? {
                move_up(&folder, &nested, &top, &mut moved)?;
            }
            match unlinkat(&top, &name, AtFlags::REMOVEDIR) {
                // Some systems skip entries of a folder that changes while it is read.
                Err(Errno::NOTEMPTY) => moved += 1,
                done => done?,
            }
            if moved > FOLDERS_MAX {
                return Err(io::Error::other("there are too many folders in it"));
            }
        }
    }
}

/// Removes the files in a folder, and returns the names of its folders.
fn remove_files(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR) => folders.push(name.to_owned()),
            done => done?,
        }
    }
    Ok(folders)
}

/// Moves a folder into another one, under an unused name.
fn move_up(from: &OwnedFd, name: &CString, to: &OwnedFd, moved: &mut u64) -> io::Result<()> {
    // Only a folder that we may write to can be moved.
    open(from, name)?;
    loop {
        *moved += 1;
        match renameat(from, name, to, moved.to_string()) {
            Err(Errno::EXIST | Errno::NOTEMPTY) if *moved <= FOLDERS_MAX => {}
            done => return Ok(done?),
        }
    }
}

/// Opens a folder, but not through a link, and gives us all permissions on it.
fn open(at: impl AsFd, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(&at, name, flags | OFlags::RDONLY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            let closed = openat(&at, name, flags | OFlags::PATH, Mode::empty())?;
            let path = format!("/proc/self/fd/{}", closed.as_raw_fd());
            chmod(path, Mode::RWXU)?;
            openat(&closed, c".", flags | OFlags::RDONLY, Mode::empty())?
        }
        opened => opened?,
    };
    if fstat(&folder)?.st_mode & 0o700 != 0o700 {
        fchmod(&folder, Mode::RWXU)?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use rustix::fs::mkdirat;

    use super::*;
    use crate::tests::eventually;

    /// Makes a folder with a chain of folders in it. The last one has a file and is closed to us.
    fn nested(levels: usize) -> PathBuf {
        let path = tempfile::tempdir().unwrap().keep();
        let mut at = open(CWD, &path).unwrap();
        for _ in 0..levels {
            mkdirat(&at, "folder", Mode::RWXU).unwrap();
            at = open(&at, "folder").unwrap();
        }
        openat(&at, "file", OFlags::CREATE, Mode::RUSR).unwrap();
        fchmod(&at, Mode::empty()).unwrap();
        path
    }

    /// The longest chain has a longer path than the system allows, and more folders than a process
    /// may open.
    #[test]
    fn nested_folders_are_removed() {
        for levels in [0, 1, 2, 5, 70, 2000] {
            let path = nested(levels);
            remove(&path).unwrap();
            assert!(!path.exists(), "{levels} levels");
        }
    }

    #[test]
    fn a_folder_does_not_wait_for_the_removal_of_others() {
        let endless = vec![Arc::clone(&REMOVALS); 2 * REMOVALS_MAX];
        let path = nested(3);
        remove_later(path.clone());
        assert!(!path.exists(), "it waits for its own removal");
        drop(endless);
        let path = nested(3);
        remove_later(path.clone());
        eventually("removed", || !path.exists());
    }
}
