//! The program that a command names: where it is, and what is peculiar about it.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf, is_separator};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use crate::os;

/// The value of `PATH` if it isn't set: the default of the C library's `execvp`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The first word of a command that means this program, even if `PATH` has another program of that
/// name.
const ITSELF: &str = "arena";

/// The path of this program. The inner process reads it before it gets mounts of its own: in a
/// chroot, Linux counts the path of a program on a mount that it left from outside of the chroot.
pub(crate) static OWN_PATH: LazyLock<io::Result<PathBuf>> = LazyLock::new(env::current_exe);

/// The pauses between attempts to start a program that is still open for writing, in milliseconds.
///
/// Half a second in all: it is held open by a process that another thread has just forked, which
/// closes it when it executes its own program.
const BUSY_PAUSES_MS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Why a program or its source can't be started, compiled or run to its end.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProgramError(pub(crate) String);

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub(crate) String);

/// Returns the first word of a command; an empty one if there is none.
pub(crate) fn program_of(command: &[String]) -> &str {
    command.first().map_or("", String::as_str)
}

/// Finds the program that `command`, the first word of a command, names, by the rules of `execvp`.
///
/// A name with a slash is a path, relative to the current folder. Any other name is looked for in
/// the folders of `PATH`, passing over files that can't be run. But `arena` is this program.
///
/// # Errors
/// If there is no such program, or we may not execute it.
pub fn find_program(command: &str) -> Result<PathBuf, ProgramError> {
    match command {
        "" => Err(ProgramError(
            "can't find the program of an empty command: write the program first, then its arguments"
                .to_owned(),
        )),
        ITSELF => match &*OWN_PATH {
            Ok(path) => Ok(path.clone()),
            Err(error) => Err(ProgramError(format!("can't find this program: {error}"))),
        },
        path if path.contains(is_separator) => find_at(Path::new(path)),
        name => find_in_path(name),
    }
}

fn find_at(path: &Path) -> Result<PathBuf, ProgramError> {
    let file = program_file(path.to_owned(), os::PROGRAM_EXTENSIONS);
    if is_executable(&file)? {
        return Ok(file);
    }
    let start = env::current_dir().unwrap_or_default();
    let folder = match path.ancestors().last() {
        Some(root) if path.is_absolute() => root,
        _ => &start,
    };
    Err(ProgramError(format!(
        "can't find the program `{}`: there is no such file in {}",
        path.display(),
        folder.display()
    )))
}

/// Finds a program in the folders of `PATH`.
pub(crate) fn find_in_path(name: &str) -> Result<PathBuf, ProgramError> {
    let folders = env::var_os("PATH").unwrap_or_else(|| OsString::from(DEFAULT_PATH));
    let mut unfit = None;
    for folder in env::split_paths(&folders) {
        // An empty entry of PATH is the current folder.
        let path = Path::new(".").join(folder).join(name);
        let path = program_file(path, os::PROGRAM_EXTENSIONS);
        match is_executable(&path) {
            Ok(true) => return Ok(path),
            Ok(false) => {}
            Err(error) => unfit = unfit.or(Some(error)),
        }
    }
    let here = program_file(PathBuf::from(name), os::PROGRAM_EXTENSIONS);
    let advice = if here.is_file() {
        &format!(
            "the file of the current folder is `./{name}`, and a script needs its interpreter in front"
        )
    } else if cfg!(windows) && name == "python3" {
        "on Windows write `py -3`, or begin the command with the .py file"
    } else {
        "check its spelling, and that it is installed"
    };
    Err(unfit.unwrap_or_else(|| {
        ProgramError(format!(
            "can't find the program `{name}` in a folder of PATH: {advice}"
        ))
    }))
}

/// Returns the path with the first of these extensions for which a file exists, or unchanged.
fn program_file(path: PathBuf, extensions: &[&str]) -> PathBuf {
    extensions
        .iter()
        .map(|extension| PathBuf::from(format!("{}.{extension}", path.display())))
        .find(|file| metadata(file).is_ok_and(|file| file.is_file()))
        .unwrap_or(path)
}

/// Returns whether there is a file at `path`. If it isn't one that we may execute, that is an
/// error.
fn is_executable(path: &Path) -> Result<bool, ProgramError> {
    let shown = path.display();
    let why = match metadata(path) {
        Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(false),
        Err(error) => &error.to_string(),
        Ok(file) if file.is_dir() => "it is a folder; name the program inside",
        Ok(file) if !file.is_file() => "it is not a regular file",
        Ok(_) if os::is_mounted_noexec(path) => {
            "its folder is mounted with `noexec`; move it, or name its interpreter first"
        }
        Ok(_) if !os::may_start(path) => &format!(
            "it may not be executed; try {}, or put its interpreter in front",
            what_starts(&shown)
        ),
        Ok(_) => return Ok(true),
    };
    Err(ProgramError(format!("can't run `{shown}`: {why}")))
}

/// Returns what is known of a file. The aliases of the Microsoft Store can be started, but not
/// followed.
fn metadata(path: &Path) -> io::Result<fs::Metadata> {
    fs::metadata(path).or_else(|error| match fs::symlink_metadata(path) {
        Ok(alias) if alias.is_file() => Ok(alias),
        _ => Err(error),
    })
}

/// Returns what lets the system start a file.
pub(crate) fn what_starts(path: &dyn Display) -> String {
    match os::PROGRAM_EXTENSIONS {
        [] => format!("`chmod +x {path}`"),
        known => format!("one of the extensions .{}", known.join(" .")),
    }
}

/// Returns the first line of a file, without its line feed; at most 256 bytes. It is empty if the
/// file can't be read.
pub(crate) fn first_line(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(file) = File::open(path)
        && file.take(256).read_to_end(&mut head).is_ok()
        && let Some(end) = head.iter().position(|&byte| byte == b'\n')
    {
        head.truncate(end);
    }
    head
}

/// Returns what to do about the line ends of a script that was written on Windows.
pub fn line_ends(path: &Path) -> Option<String> {
    let shown = path.display();
    first_line(path).ends_with(b"\r").then(|| {
        format!("`{shown}` ends its lines with CRLF, as on Windows: `dos2unix {shown}`, or `sed -i 's/\\r$//' {shown}`, makes them those of Linux")
    })
}

/// Starts a program. Waits for a while if another process is still writing it.
pub(crate) fn retry_while_busy<T>(start: impl Fn() -> io::Result<T>) -> io::Result<T> {
    for pause in BUSY_PAUSES_MS {
        match start() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(pause));
            }
            outcome => return outcome,
        }
    }
    start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_leave_out_its_extension() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bot.exe", "run.cmd", "run", "old.com", "old.exe"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        for (typed, meant) in [
            ("bot", "bot.exe"),
            ("bot.exe", "bot.exe"),
            ("run", "run.cmd"),
            ("old", "old.exe"),
            ("missing", "missing"),
        ] {
            let found = |extensions| program_file(folder.path().join(typed), extensions);
            let on_windows = found(&["exe", "com", "bat", "cmd"]);
            assert_eq!(on_windows, folder.path().join(meant));
            assert_eq!(found(&[]), folder.path().join(typed));
        }
    }
}
