//! Input files, which are opened without waiting and read to an end that exists.

use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use crate::os::is_pipe;

/// Opens a regular file, or a pipe that this process was started with, such as `/dev/stdin` or
/// `/dev/fd/63`. Opening a named pipe could wait forever for a writer, and a device may
/// have no end.
///
/// # Errors
/// If it is anything else or can't be opened.
pub fn open_input(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() || is_pipe(kind) && is_descriptor(path) {
        return File::open(path);
    }
    let what = if kind.is_dir() {
        "a folder"
    } else if is_pipe(kind) {
        "a named pipe"
    } else {
        "a device or socket"
    };
    let why = format!("it is {what}, not a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

fn is_descriptor(path: &Path) -> bool {
    path == "/dev/stdin" || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

/// Returns the entries of a folder; none if it can't be read.
pub(crate) fn entries(folder: impl AsRef<Path>) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Returns a path without `..`, as if no part of it were a link.
pub fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Reads such a file.
///
/// # Errors
/// If it can't be opened or read.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_input(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads such a file as text.
///
/// # Errors
/// As [`read_input`], and if it isn't UTF-8.
pub fn read_input_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_input(path)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
