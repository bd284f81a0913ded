//! The outer process.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, geteuid, getpid, kill_process, set_child_subreaper};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tempfile::Builder;

use super::{GuardError, INNER, OURSELVES, namespaces, unless_ignored};
use crate::{orphans, scratch};

/// The beginning of the names of folders for runs.
const FOLDER: &str = "arena-scratch-";
/// How many names to try for a folder.
const ATTEMPTS: u32 = 100;

/// Starts the inner process, waits for its end, removes what is left of it, and returns the exit
/// status to end with.
pub(super) fn run() -> Result<u8, GuardError> {
    fs::metadata(OURSELVES).map_err(GuardError::Proc)?;
    // Descriptors that our parent left open aren't meant for bots.
    close_fds::set_fds_cloexec(3, &[]);
    let has_namespace = namespaces::are_available();
    let folder = RunFolder::new().map_err(|source| GuardError::Temporary {
        folder: env::temp_dir(),
        source,
    })?;
    // The inner process starts with the default handlers, but signals that are ignored now stay
    // ignored there too.
    let heeded = unless_ignored(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]);
    let mut signals = Signals::new(heeded.chain([SIGCHLD]))?;
    if has_namespace {
        namespaces::enter()?;
    } else {
        set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
    }
    let (ours, theirs) = UnixStream::pair()?;
    let mut inner = start(&folder.path, theirs)?;
    // The first process of a namespace gets no signals that it has no handler for. So hold signals
    // back until it has handlers.
    let _ = (&ours).read_exact(&mut [0]);
    let status = wait(&mut inner, &mut signals, &ours)?;
    if !has_namespace {
        orphans::kill_all();
    }
    Ok(exit_code(status))
}

fn start(folder: &Path, socket: UnixStream) -> io::Result<Child> {
    let mut name = OsString::from(INNER);
    name.push(folder);
    let mut command = Command::new(OURSELVES);
    command
        .arg0(name)
        .args(env::args_os().skip(1))
        .process_group(0)
        .stdin(OwnedFd::from(socket))
        .spawn()
}

fn wait(
    inner: &mut Child,
    signals: &mut Signals,
    mut socket: &UnixStream,
) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(inner);
    for signal in signals.forever() {
        if let Some(status) = inner.try_wait()? {
            return Ok(status);
        }
        // It isn't reaped, so its number is its own.
        match signal {
            SIGCHLD => {}
            SIGTSTP => {
                // Its bots keep running. The arena doesn't blame them for the time that it was
                // stopped.
                let _ = kill_process(pid, Signal::STOP);
                let _ = emulate_default_handler(SIGTSTP);
                let _ = kill_process(pid, Signal::CONT);
            }
            SIGCONT => drop(kill_process(pid, Signal::CONT)),
            // The write only fails if the inner process is about to end.
            signal => drop(u8::try_from(signal).map(|signal| socket.write_all(&[signal]))),
        }
    }
    inner.wait()
}

/// The exit code that a shell would report: 128 plus the signal for a process that was killed.
fn exit_code(status: ExitStatus) -> u8 {
    let code = match (status.code(), status.signal()) {
        (None, Some(signal)) => 128 + signal,
        (code, _) => code.unwrap_or(i32::MAX),
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// A folder that exists as long as this process.
struct RunFolder {
    path: PathBuf,
    /// Locked, so that other runs see that it is in use.
    _lock: File,
}

impl RunFolder {
    /// Creates a folder, and removes folders of runs that were killed by SIGKILL.
    fn new() -> io::Result<RunFolder> {
        let parent = fs::canonicalize(env::temp_dir())?;
        for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(FOLDER.as_bytes()) {
                remove_if_unused(&entry.path());
            }
        }
        for _ in 0..ATTEMPTS {
            let ours_alone = Permissions::from_mode(0o700);
            let path = Builder::new()
                .prefix(FOLDER)
                .permissions(ours_alone)
                .tempdir_in(&parent)?
                .keep();
            if let Some(lock) = locked(&path) {
                return Ok(RunFolder { path, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Locks a folder that was just made; `None` if another run has removed it, because until then it
/// looks like one that was left behind.
fn locked(path: &Path) -> Option<File> {
    let lock = File::open(path).ok()?;
    lock.try_lock().ok()?;
    let named = fs::symlink_metadata(path).ok()?;
    let ours = lock.metadata().ok()?;
    (named.ino() == ours.ino()).then_some(lock)
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let _ = scratch::remove(&self.path);
    }
}

fn remove_if_unused(path: &Path) {
    let is_ours = fs::symlink_metadata(path)
        .is_ok_and(|meta| meta.is_dir() && meta.uid() == geteuid().as_raw());
    if is_ours
        && let Ok(lock) = File::open(path)
        && lock.try_lock().is_ok()
    {
        let _ = scratch::remove(path);
    }
}
