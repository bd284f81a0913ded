//! What the other modules ask Linux, about files, errors and ends of processes. Each system has
//! these functions. They use no other module of this crate.

use std::ffi::CString;
use std::fs::{self, DirBuilder, File, FileType, Metadata, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _,
};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::fs::{
    Access, AtFlags, CWD, Dir, Mode, OFlags, StatVfsMountFlags, access, chmod, fchmod, fstat,
    openat, renameat, statvfs, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::process::geteuid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// The name of the system.
pub const SYSTEM: &str = "Linux";

/// How this system differs from Linux, for `arena doctor`; empty if it doesn't.
pub const UNLIKE_LINUX: &str = "";

/// The extensions that the name of a program may leave out, without the dot.
pub(crate) const PROGRAM_EXTENSIONS: &[&str] = &[];
/// Whether a script starts by the interpreter that it names.
pub(crate) const STARTS_SCRIPTS: bool = true;

/// Folders that belong to root on every system. In a user namespace, the owner of a folder isn't
/// known.
const OF_ROOT: [&str; 5] = ["/", "/home", "/media", "/mnt", "/srv"];

/// The user that owns files of unknown users, as the system shows them.
const UNKNOWN: u32 = 65534;

/// The most folders that are removed within one. A process that still runs may make them faster
/// than they are removed.
const FOLDERS_MAX: u64 = 1 << 20;

/// Returns what would help if an error says that the machine lacks something.
pub fn advice(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        Errno::MFILE | Errno::NFILE => Some("raise `ulimit -n`, or play fewer games at a time"),
        Errno::AGAIN | Errno::NOMEM => {
            Some("raise `ulimit -u`, free some memory, or play fewer games at a time")
        }
        _ => None,
    }
}

/// Returns whether something is a pipe.
pub(crate) fn is_pipe(kind: FileType) -> bool {
    kind.is_fifo()
}

/// Returns whether programs can't be started where this file is.
pub(crate) fn is_mounted_noexec(path: &Path) -> bool {
    statvfs(path).is_ok_and(|mount| mount.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

/// Returns whether we may start this program.
pub(crate) fn may_start(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok()
}

/// Returns whether a file is a program, for anyone.
pub fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

/// Makes a file executable for those who may read it, and removes the bits that would let others
/// run it as this user.
pub(crate) fn make_executable(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    let executable = Permissions::from_mode(mode | (mode & 0o444) >> 2);
    fs::set_permissions(path, executable)
}

/// Lets everyone read and start a file, and nobody change it.
///
/// # Errors
/// If the system refuses that.
pub fn seal_program(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o555))
}

/// Returns the permissions of a file, as a number that differs if they do.
pub(crate) fn mode_of(path: &Path) -> io::Result<u32> {
    Ok(fs::metadata(path)?.permissions().mode())
}

/// Creates a folder that only this user may open, with those above it, unless it exists.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Returns a builder of temporary folders that only this user may open.
pub(crate) fn private_builder() -> tempfile::Builder<'static, 'static> {
    let mut folder = tempfile::Builder::new();
    folder.permissions(Permissions::from_mode(0o700));
    folder
}

/// Returns what stands for a folder in locks: the folder.
pub fn lock_of(path: &Path) -> PathBuf {
    // With the dot, anything but a folder is an error, and no pipe is waited for.
    path.join(".")
}

/// Opens a folder, to lock it.
///
/// # Errors
/// If it isn't a folder or can't be opened.
pub fn open_folder(path: &Path) -> io::Result<File> {
    File::open(lock_of(path))
}

/// Writes a file down to the disk.
///
/// # Errors
/// The system's.
pub fn flush(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Returns whether an open file or folder is the one at a path.
pub fn is_at(open: &File, path: &Path) -> bool {
    let found = [open.metadata(), fs::metadata(path)];
    let [ours, there] = found.map(|found| found.ok().map(|found| (found.dev(), found.ino())));
    ours == there
}

/// Returns whether a file belongs to this user.
pub(crate) fn is_ours(file: &Metadata) -> bool {
    file.uid() == geteuid().as_raw()
}

/// Returns whether only root makes entries in a folder: it is `/` or lies directly in it, as `/srv`
/// does, and others may not write to it.
pub(crate) fn is_of_administrator(folder: &Path) -> bool {
    let is_known = || OF_ROOT.iter().any(|known| folder == Path::new(known));
    fs::metadata(folder).is_ok_and(|found| {
        let is_of_root =
            found.uid() == 0 || found.uid() == UNKNOWN && !geteuid().is_root() && is_known();
        folder.components().count() <= 2 && is_of_root && found.mode() & 0o022 == 0
    })
}

/// Returns how a process ended, as in `exit code 101` and `killed by signal 11 (SIGSEGV)`.
pub(crate) fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (_, Some(signal)) => match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("killed by signal {signal} ({name})"),
            None => format!("killed by signal {signal}"),
        },
        _ => status.to_string(),
    }
}

/// Returns whether a signal ended a process that a terminal or a service manager sends to a whole
/// group.
pub(crate) fn is_by_group_signal(status: ExitStatus) -> bool {
    matches!(status.signal(), Some(SIGINT | SIGHUP | SIGQUIT | SIGTERM))
}

/// Returns the exit code that a shell would report: 128 plus the signal for a process that was
/// killed.
pub(crate) fn shell_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| code.try_into().ok())
        .unwrap_or(u8::MAX)
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

/// Removes a folder that is locked, with its content, and then gives back the lock.
pub(crate) fn remove_locked(path: &Path, _lock: File) -> io::Result<()> {
    remove(path)
}

/// Removes a folder if it is empty.
///
/// # Errors
/// If it isn't, or the system refuses that.
pub fn remove_empty(path: &Path) -> io::Result<()> {
    fs::remove_dir(path)
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

/// Returns the numbers of the cores that this thread may use; none if the system doesn't say.
pub fn allowed_cores() -> Vec<usize> {
    let set = sched_getaffinity(None).unwrap_or_default();
    (0..CpuSet::MAX_CPU).filter(|it| set.is_set(*it)).collect()
}

/// Keeps this thread, and the bots it starts, on one core: a turn's round trip is several times
/// faster there than across two. If the system refuses, the thread runs on any core.
pub fn pin_to(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
}

/// Returns the name of this machine.
///
/// # Errors
/// If the system doesn't say.
pub fn host_name() -> io::Result<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname")?;
    Ok(name.trim().to_owned())
}

/// Returns the version of the system.
pub fn kernel() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    kernel.trim_end().to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use rustix::fs::mkdirat;

    use super::*;

    /// Makes a folder with a chain of folders in it. The last one has a file and is closed to us.
    pub(crate) fn nested(levels: usize) -> PathBuf {
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
}
