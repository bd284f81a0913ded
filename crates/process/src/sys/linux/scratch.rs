//! Folders that bots may write to: making them, and removing them while games continue.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, stat, utimensat};
use rustix::io::Errno;

use crate::os;

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
        let mut folder = os::private_builder();
        folder.prefix("").rand_bytes(12);
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
        let _ = os::remove(&path);
        drop((removal, sender));
    };
    // The new thread is under no filter, because the one that starts it isn't.
    let _ = on_unfiltered_thread(move || thread.spawn(work).map(drop));
    if are_too_many {
        // Fails once the removal has ended.
        let _ = done.recv();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::tests::nested;
    use crate::sys::tests::eventually;

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
