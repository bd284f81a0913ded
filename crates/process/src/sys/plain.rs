//! What systems answer that have neither permissions of files nor cores for threads.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::Path;

/// Returns whether something is a pipe: none has a path here.
pub(crate) fn is_pipe(_: FileType) -> bool {
    false
}

/// Returns whether programs can't be started where this file is.
pub(crate) fn is_mounted_noexec(_: &Path) -> bool {
    false
}

/// Leaves a file as it is, if it exists: its name makes it a program.
pub(crate) fn make_executable(path: &Path) -> io::Result<()> {
    fs::metadata(path).map(drop)
}

/// Leaves a file as it is: one that can't be changed can't be removed either.
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

/// Creates a folder, with those above it, unless it exists. Those of a user are private anyway.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Returns a builder of temporary folders.
pub(crate) fn private_builder() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}

/// Returns whether a file belongs to this user, who alone uses these folders.
pub(crate) fn is_ours(_: &Metadata) -> bool {
    true
}

/// Returns whether only the administrator makes entries in a folder.
pub(crate) fn is_of_administrator(_: &Path) -> bool {
    false
}

/// Returns no cores: bots would not stay on the core of the thread that starts them.
pub fn allowed_cores() -> Vec<usize> {
    Vec::new()
}

/// Leaves the thread on all cores.
pub fn pin_to(_: usize) {}

/// Returns no version of the system: none was asked for.
pub fn kernel() -> String {
    String::new()
}
