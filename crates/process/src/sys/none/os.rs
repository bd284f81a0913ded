//! What the other modules ask about files, errors and ends of processes, as far as the standard
//! library knows it. They use no other module of this crate.

use std::env::consts::OS;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub use self::plain::*;

#[path = "../plain.rs"]
mod plain;

/// The name of the system.
pub const SYSTEM: &str = OS;

/// How this system differs from Linux, for `arena doctor`; empty if it doesn't.
pub const UNLIKE_LINUX: &str = "";

/// The extensions that the name of a program may leave out, without the dot.
pub(crate) const PROGRAM_EXTENSIONS: &[&str] = &[];
/// Whether a script starts by the interpreter that it names.
pub(crate) const STARTS_SCRIPTS: bool = true;

/// Returns what would help if an error says that the machine lacks something.
pub fn advice(_: &io::Error) -> Option<&'static str> {
    None
}

/// Returns whether we may start this program.
pub(crate) fn may_start(_: &Path) -> bool {
    true
}

/// Returns whether a file is a program, for anyone.
pub fn is_executable(path: &Path) -> bool {
    path.is_file()
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

/// Returns whether an open file or folder is the one at a path, as far as their times show.
pub fn is_at(open: &File, path: &Path) -> bool {
    let found = [open.metadata(), fs::metadata(path)];
    let [ours, there] = found.map(|found| found.and_then(|found| found.created()).ok());
    ours == there
}

/// Returns how a process ended.
pub(crate) fn words(status: ExitStatus) -> String {
    status.to_string()
}

/// Returns whether a signal to a whole group ended a process.
pub(crate) fn is_by_group_signal(_: ExitStatus) -> bool {
    false
}

/// Removes a folder with its content.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

/// Removes a folder that is locked, with its content.
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

/// Returns the name of this machine.
///
/// # Errors
/// Always.
pub fn host_name() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}
