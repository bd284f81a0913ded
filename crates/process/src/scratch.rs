//! Folders that bots may write to, and what it takes to be rid of them.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Sender};
use std::thread;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmod, fchmod, fstat, openat, renameat, stat,
    statat, unlinkat, utimensat,
};
use rustix::fs::{Timespec, Timestamps};
use rustix::io::Errno;
use rustix::path::Arg;
use tempfile::Builder;

/// The most folders in a folder that is removed. What still runs may make them faster than they are removed.
const FOLDERS_MAX: u64 = 1 << 20;

/// Something to be done by another thread.
type Work = Box<dyn FnOnce() + Send>;

/// The thread that does for those under the filter of calls what that refuses.
static KEEPER: OnceLock<Sender<Work>> = OnceLock::new();

/// Starts the thread that does what threads under the filter cannot; comes before a thread goes under it.
pub(super) fn start_keeper() {
    KEEPER.get_or_init(|| {
        let (sender, work) = mpsc::channel::<Work>();
        let keep = move || work.into_iter().for_each(|work| work());
        // Without it no folder can be made, and the game says so.
        let _ = thread::Builder::new().name("keeper".into()).spawn(keep);
        sender
    });
}

/// Does some work, in the other thread where there is one.
fn by_keeper<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let Some(keeper) = KEEPER.get() else {
        return work();
    };
    let (sender, done) = mpsc::channel();
    let _ = keeper.send(Box::new(move || drop(sender.send(work()))));
    done.recv()
        .map_err(|_| io::Error::other("the thread that keeps folders has ended"))?
}

/// Makes a folder in which [`is_untouched`] can tell whether it was used. Its name tells nothing, neither how many there
/// were before it nor those of others.
pub(super) fn make(parent: &Path) -> io::Result<PathBuf> {
    let parent = parent.to_owned();
    by_keeper(move || make_here(&parent))
}

fn make_here(parent: &Path) -> io::Result<PathBuf> {
    let ours_alone = fs::Permissions::from_mode(0o700);
    let path = Builder::new()
        .prefix("")
        .rand_bytes(12)
        .permissions(ours_alone)
        .tempdir_in(parent)?
        .keep();
    let never = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    utimensat(
        CWD,
        &path,
        &Timestamps {
            last_access: never,
            last_modification: never,
        },
        AtFlags::empty(),
    )?;
    Ok(path)
}

/// Whether nothing was ever made in a folder, and nobody has listed it. A bot cannot set times back.
pub(super) fn is_untouched(path: &Path) -> bool {
    stat(path).is_ok_and(|stat| {
        (stat.st_atime, stat.st_mtime) == (0, 0) && stat.st_mode & 0o7777 == 0o700
    })
}

/// Removes a folder with all that is in it, also where a bot has taken away our own permissions. Links are removed,
/// never followed.
///
/// Bots nest folders as deep as they like. So there is no recursion, nor a path that gets longer: what is in the folders
/// of the folder is moved up into it until nothing is left.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let path = path.to_owned();
    by_keeper(move || remove_here(&path))
}

fn remove_here(path: &Path) -> io::Result<()> {
    let top = open(CWD, path)?;
    let mut moved = 0;
    loop {
        let folders = remove_files(&top)?;
        if folders.is_empty() {
            return fs::remove_dir(path);
        }
        for name in &folders {
            let folder = open(&top, name)?;
            for inner in remove_files(&folder)? {
                move_up(&folder, &inner, &top, &mut moved)?;
            }
            match unlinkat(&top, name, AtFlags::REMOVEDIR) {
                // Some systems leave out entries of a folder that changes while it is read.
                Err(Errno::NOTEMPTY) => moved += 1,
                done => done?,
            }
            if moved > FOLDERS_MAX {
                return Err(io::Error::other("there are too many folders in it"));
            }
        }
    }
}

/// Removes the files in a folder, and gives the names of its folders.
fn remove_files(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => {
                FileType::from_raw_mode(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)
            }
            kind => kind,
        };
        if kind.is_dir() {
            folders.push(name.to_owned());
        } else {
            unlinkat(folder, name, AtFlags::empty())?;
        }
    }
    Ok(folders)
}

/// Moves a folder into another one, under a name that is free there.
fn move_up(from: &OwnedFd, name: &CString, to: &OwnedFd, moved: &mut u64) -> io::Result<()> {
    // It can only be moved by who may write to it.
    open(from, name)?;
    loop {
        *moved += 1;
        match renameat(from, name, to, moved.to_string()) {
            Err(Errno::EXIST | Errno::NOTEMPTY) if *moved <= FOLDERS_MAX => {}
            done => return Ok(done?),
        }
    }
}

/// Opens a folder, which may be no link, and gives us all permissions on it.
fn open(at: impl AsFd, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(&at, name, flags | OFlags::RDONLY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            let closed = openat(&at, name, flags | OFlags::PATH, Mode::empty())?;
            chmod(
                format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&closed)),
                Mode::RWXU,
            )?;
            openat(&closed, c".", flags | OFlags::RDONLY, Mode::empty())?
        }
        opened => opened?,
    };
    if fstat(&folder)?.st_mode & 0o700 != 0o700 {
        fchmod(&folder, Mode::RWXU)?;
    }
    Ok(folder)
}
