//! What tests do by other means on Windows. Tests that need what it lacks are in `windows.md`.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Nothing: there are no signals to inherit.
pub(super) fn reset_signals() {}

/// `PATH`.
pub(crate) fn search_path() -> String {
    std::env::var("PATH").unwrap()
}

/// Writes a program for a test to start.
pub(crate) fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

/// Copies a program for a test to start.
pub(crate) fn copy_program(from: impl AsRef<Path>, to: &Path) {
    fs::copy(from, to).unwrap();
}

/// Windows doesn't show the environment of other processes.
pub(crate) fn living(_: &str, _: impl AsRef<Path>) -> Vec<String> {
    unimplemented!("a test for Linux")
}

/// Has a command start in a new process group. A test of signals needs Linux.
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    command
}

/// Sends a signal to a process, which is for Linux.
pub(crate) fn signal(_: &str, _: u32) {
    unimplemented!("a test for Linux")
}
