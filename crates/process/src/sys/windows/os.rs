//! What the other modules ask Windows, about files, errors and ends of processes. They use no other
//! module of this crate.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

use same_file::Handle;

pub use self::plain::*;

#[path = "../plain.rs"]
mod plain;

/// The name of the system.
pub const SYSTEM: &str = "Windows";

/// How this system differs from Linux, for `arena doctor`; empty if it doesn't.
pub const UNLIKE_LINUX: &str = "bots can open any file and use the network; a late answer is late by the wall clock, even on a busy machine; bots also run while others are to move; memory and processes are limited";

/// The extensions that the name of a program may leave out, without the dot.
pub(crate) const PROGRAM_EXTENSIONS: &[&str] = &["exe", "com", "bat", "cmd"];
/// Whether a script starts by the interpreter that it names.
pub(crate) const STARTS_SCRIPTS: bool = false;

/// `STATUS_CONTROL_C_EXIT`.
const CTRL_C: u32 = 0xC000_013A;
/// The codes with which Windows ends programs, and what they mean.
const CODES: [(u32, &str); 11] = [
    (0xC000_0005, "access violation"),
    (0xC000_0017, "out of memory"),
    (0xC000_001D, "illegal instruction"),
    (0xC000_0094, "division by zero"),
    (0xC000_00FD, "stack overflow"),
    (0xC000_0135, "a DLL is missing"),
    (CTRL_C, "ended by Ctrl-C"),
    (0xC000_0374, "heap corruption"),
    (0xC000_0409, "aborted"),
    (0xE043_4352, ".NET exception"),
    (0xE06D_7363, "C++ exception"),
];
/// The codes of errors that say that memory or handles are lacking: `ERROR_TOO_MANY_OPEN_FILES`,
/// `ERROR_NOT_ENOUGH_MEMORY`, `ERROR_OUTOFMEMORY`, `ERROR_NO_SYSTEM_RESOURCES` and
/// `ERROR_COMMITMENT_LIMIT`.
const LACKS: [i32; 5] = [4, 8, 14, 1450, 1455];

/// How often to try to remove a folder, and the pause between: a virus scanner may hold a file.
const REMOVALS: usize = 3;
const PAUSE: Duration = Duration::from_millis(50);

/// Returns what would help if an error says that the machine lacks something.
pub fn advice(error: &io::Error) -> Option<&'static str> {
    let is_lack = LACKS.contains(&error.raw_os_error()?);
    is_lack.then_some("free some memory, or play fewer games at a time")
}

/// Returns whether the system can start this file: scripts need their interpreter.
pub(crate) fn may_start(path: &Path) -> bool {
    is_executable(path)
}

/// Returns whether a file is a program, by its name.
pub fn is_executable(path: &Path) -> bool {
    let end = path.extension().unwrap_or_default();
    PROGRAM_EXTENSIONS
        .iter()
        .any(|known| end.eq_ignore_ascii_case(known))
}

/// Returns the file to lock in place of a folder, which can't be locked.
pub fn lock_of(path: &Path) -> PathBuf {
    path.join(".lock")
}

/// Opens what stands for a folder, to lock it.
///
/// # Errors
/// If it isn't a folder or can't be written to.
pub fn open_folder(path: &Path) -> io::Result<File> {
    let mut lock = OpenOptions::new();
    lock.read(true).write(true).create(true).truncate(false);
    lock.open(lock_of(path))
}

/// Writes a file down to the disk, if it may be written to: only then the system does it.
///
/// # Errors
/// The system's.
pub fn flush(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        file => file?.sync_all(),
    }
}

/// Returns whether an open file is the one at a path.
pub fn is_at(open: &File, path: &Path) -> bool {
    let ours = open.try_clone().and_then(Handle::from_file);
    matches!((ours, Handle::from_path(path)), (Ok(ours), Ok(there)) if ours == there)
}

/// Returns how a process ended, as in `exit code 101` and `access violation (exit code
/// 0xC0000005)`.
pub(crate) fn words(status: ExitStatus) -> String {
    let Some(code) = status.code() else {
        return status.to_string();
    };
    let number = code.cast_unsigned();
    match CODES.iter().find(|(known, _)| *known == number) {
        Some((_, meaning)) => format!("{meaning} (exit code 0x{number:X})"),
        // Windows writes its own codes like this.
        None if code < 0 => format!("exit code 0x{number:X}"),
        None => format!("exit code {code}"),
    }
}

/// Returns whether Ctrl-C ended a process.
pub(crate) fn is_by_group_signal(status: ExitStatus) -> bool {
    status.code() == Some(CTRL_C.cast_signed())
}

/// Returns the exit code, or 255 if it doesn't fit.
pub(crate) fn shell_code(status: ExitStatus) -> u8 {
    let code = status.code().and_then(|code| code.try_into().ok());
    code.unwrap_or(u8::MAX)
}

/// Removes a folder that is locked, with its content, and then gives back the lock. Another arena
/// that gets the lock sees that its file isn't [there](is_at) any more.
pub(crate) fn remove_locked(path: &Path, lock: File) -> io::Result<()> {
    let is_lock = |entry: &fs::DirEntry| entry.path() == lock_of(path);
    for entry in fs::read_dir(path)?.flatten().filter(|it| !is_lock(it)) {
        remove(&entry.path())?;
    }
    fs::remove_file(lock_of(path))?;
    fs::remove_dir(path).or_else(|_| {
        // Before Windows 10, a file that is open still counts, but can't be opened any more.
        drop(lock);
        fs::remove_dir(path)
    })
}

/// Removes a file or a folder with its content.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let attempt = || match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    for _ in 1..REMOVALS {
        if attempt().is_ok() {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
    attempt()
}

/// Removes a folder if it is empty, apart from its lock.
///
/// # Errors
/// If it isn't, or the system refuses that.
pub fn remove_empty(path: &Path) -> io::Result<()> {
    if fs::read_dir(path)?.count() == 1 {
        fs::remove_file(lock_of(path))?;
    }
    fs::remove_dir(path)
}

/// Returns the name of this machine.
///
/// # Errors
/// If its variable isn't set.
pub fn host_name() -> io::Result<String> {
    env::var("COMPUTERNAME").map_err(io::Error::other)
}
