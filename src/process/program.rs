//! Finding the program that a command names, and starting it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use rustix::fs::{Access, access};

/// Where programs are looked for when `PATH` is not set: the default of the C library's `execvp`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The pauses between attempts to start a program that is still open for writing, in milliseconds. Half a second
/// in all: whoever holds it is a process that another thread has just forked, and lets go as soon as it executes
/// its own program.
const BUSY_PAUSES_MS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Why a program cannot be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FindError {
    /// The command is empty.
    #[error("find the program of an empty command: write the program first, then its arguments")]
    Empty,
    /// There is no file at this path, which starts from this folder.
    #[error("find the program `{}`: there is no such file in {}", path.display(), folder.display())]
    NoFile { path: PathBuf, folder: PathBuf },
    /// No folder of `PATH` has such a program.
    #[error(
        "find the program `{name}` in a folder of PATH ({searched}): for a file of the current folder write `./{name}`"
    )]
    NotInPath { name: String, searched: String },
    /// The path leads to a folder.
    #[error("run `{}`: it is a folder; name the program inside", .0.display())]
    Folder(PathBuf),
    /// The path leads to a device, a socket or the like.
    #[error("run `{}`: it is no regular file", .0.display())]
    NotRegular(PathBuf),
    /// The file has no execute permission for us.
    #[error("run `{}`: it may not be executed; try `chmod +x {}`, or put its interpreter in front", .0.display(), .0.display())]
    NotExecutable(PathBuf),
    /// The file cannot be looked at.
    #[error("look at the program `{}`", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

/// Finds the program that `command`, the first word of a command, names, by the rules of `execvp`: a name with a
/// slash is a path, relative to the current folder; any other is looked for in the folders of `PATH`, passing over
/// what cannot be run.
pub(crate) fn find_program(command: &str) -> Result<PathBuf, FindError> {
    if command.is_empty() {
        return Err(FindError::Empty);
    }
    if command.contains('/') {
        let path = PathBuf::from(command);
        return check_executable(&path).map(|()| path);
    }
    let folders = env::var_os("PATH").unwrap_or_else(|| OsString::from(DEFAULT_PATH));
    let mut unfit = None;
    for folder in env::split_paths(&folders) {
        // An empty entry of PATH is the current folder.
        let path = if folder.as_os_str().is_empty() { Path::new(".").join(command) } else { folder.join(command) };
        match check_executable(&path) {
            Ok(()) => return Ok(path),
            Err(FindError::NoFile { .. }) => {}
            Err(error) => {
                unfit.get_or_insert(error);
            }
        }
    }
    Err(unfit.unwrap_or_else(|| FindError::NotInPath {
        name: command.to_owned(),
        searched: folders.to_string_lossy().into_owned(),
    }))
}

/// Checks that `path` is a regular file that we may execute.
fn check_executable(path: &Path) -> Result<(), FindError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            let folder = if path.is_absolute() { PathBuf::from("/") } else { env::current_dir().unwrap_or_default() };
            return Err(FindError::NoFile { path: path.to_owned(), folder });
        }
        Err(source) => return Err(FindError::Unreadable { path: path.to_owned(), source }),
    };
    match path.to_owned() {
        path if metadata.is_dir() => Err(FindError::Folder(path)),
        path if !metadata.is_file() => Err(FindError::NotRegular(path)),
        path if access(&path, Access::EXEC_OK).is_err() => Err(FindError::NotExecutable(path)),
        _ => Ok(()),
    }
}

/// Starts a program. Waits for a while where somebody is still writing it.
pub(super) fn spawn_patiently(command: &mut Command) -> io::Result<Child> {
    for pause in BUSY_PAUSES_MS {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(pause));
            }
            outcome => return outcome,
        }
    }
    command.spawn()
}
