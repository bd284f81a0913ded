//! What the other modules ask about files, errors and ends of processes, as far as the standard
//! library knows it. They use no other module of this crate.

use std::env::consts::OS;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The name of the system.
pub const SYSTEM: &str = OS;

/// What bots may do here, and clocks don't, unlike on Linux; empty if it is the same.
pub const UNLIKE_LINUX: &str = "";

/// The extensions that the name of a program may leave out, without the dot.
pub(crate) const PROGRAM_EXTENSIONS: &[&str] = &[];
/// Whether a script starts by the interpreter that it names.
pub(crate) const STARTS_SCRIPTS: bool = true;

/// Returns what would help if an error says that the machine lacks something.
pub fn advice(_: &io::Error) -> Option<&'static str> {
    None
}

/// Returns whether something is a pipe.
pub(crate) fn is_pipe(_: FileType) -> bool {
    false
}

/// Returns whether programs can't be started where this file is.
pub(crate) fn is_mounted_noexec(_: &Path) -> bool {
    false
}

/// Returns whether we may start this program.
pub(crate) fn may_start(_: &Path) -> bool {
    true
}

/// Returns whether a file is a program, for anyone.
pub fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Leaves a file as it is, if it exists.
pub(crate) fn make_executable(path: &Path) -> io::Result<()> {
    fs::metadata(path).map(drop)
}

/// Leaves a file as it is.
///
/// # Errors
/// Never.
pub fn seal_program(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the same for each file that exists.
pub(crate) fn mode_of(path: &Path) -> io::Result<u32> {
    fs::metadata(path).map(|_| 0)
}

/// Creates a folder, with those above it, unless it exists.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Returns a builder of temporary folders.
pub(crate) fn private_builder() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
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

/// Returns whether an open file or folder is the one at a path, as far as their times show.
pub fn is_at(open: &File, path: &Path) -> bool {
    let found = [open.metadata(), fs::metadata(path)];
    let [ours, there] = found.map(|found| found.and_then(|found| found.created()).ok());
    ours == there
}

/// Returns whether a file belongs to this user.
pub(crate) fn is_ours(_: &Metadata) -> bool {
    true
}

/// Returns whether only the administrator makes entries in a folder.
pub(crate) fn is_of_administrator(_: &Path) -> bool {
    false
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

/// Returns no cores: threads aren't pinned.
pub fn allowed_cores() -> Vec<usize> {
    Vec::new()
}

/// Leaves the thread on all cores.
pub fn pin_to(_: usize) {}

/// Returns the name of this machine.
///
/// # Errors
/// Always.
pub fn host_name() -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the version of the system, which isn't known.
pub fn kernel() -> String {
    String::new()
}
