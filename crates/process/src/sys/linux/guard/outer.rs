//! The outer process.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{self, Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{GuardError, INNER, OURSELVES, namespaces, unless_ignored};
use crate::environment::temporary_folder;
use crate::lack::Left;
use crate::os::{advice, shell_code};
use crate::own_folder::OwnFolder;
use crate::sys::orphans;

/// The beginning of the names of folders for runs.
const FOLDER: &str = "arena-scratch-";

/// Starts the inner process, waits for its end, removes what is left of it, and returns the exit
/// status to end with.
pub(super) fn run() -> Result<u8, GuardError> {
    fs::metadata(OURSELVES).map_err(GuardError::Proc)?;
    // Descriptors that our parent left open aren't meant for bots.
    close_fds::set_fds_cloexec(3, &[]);
    // Namespaces hide other processes of the user.
    let left = Left::measure();
    let has_namespace = namespaces::are_available();
    let temporary = temporary_folder();
    let folder = fs::canonicalize(&temporary)
        .and_then(|parent| OwnFolder::new(&parent, FOLDER))
        .map_err(|source| match advice(&source) {
            Some(_) => GuardError::Refused(source),
            None => GuardError::Temporary(temporary, source),
        })?;
    // The inner process starts with the default handlers, but signals that are ignored now stay
    // ignored there too.
    let mut heeded = unless_ignored(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]);
    heeded.push(SIGCHLD);
    let mut signals = Signals::new(heeded)?;
    if has_namespace {
        namespaces::enter()?;
    } else {
        set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
    }
    let (ours, theirs) = UnixStream::pair()?;
    let mut name = OsString::from(INNER);
    name.push(folder.path());
    let mut inner = Command::new(OURSELVES)
        .arg0(name)
        .process_group(0)
        .stdin(OwnedFd::from(theirs))
        .spawn()?;
    // This fails only if the inner process has ended, which is noticed below.
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let told = serde_json::to_vec(&(left, arguments, process::id())).map_err(io::Error::from)?;
    let _ = (&ours).write_all(&told);
    // The first process of a namespace gets no signals that it has no handler for. So hold signals
    // back until it has handlers.
    let _ = (&ours).read_exact(&mut [0]);
    let status = wait(&mut inner, &mut signals, &ours)?;
    if !has_namespace {
        orphans::kill_all();
    }
    Ok(shell_code(status))
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
