//! Kills all bots when the arena ends, however it ends. Without a pid namespace, they survive a
//! SIGKILL that hits both of its processes at once.
//!
//! A verb that starts bots runs as two processes. The outer process starts this program again, as
//! the inner process. Then it only waits, forwards signals, and ends with the inner process's exit
//! status. The inner process does the work. How the death of everything else is ensured depends on
//! the system:
//!
//! * [`Supervision::PidNamespace`]: the inner process is the first of a pid namespace. When it
//!   ends, for whatever reason, the kernel kills everything in the namespace before the outer
//!   process hears of it. When the outer process ends, the kernel kills the inner one. A user
//!   namespace comes first if a pid namespace needs one, and then a mount namespace with its own
//!   `/proc`: without that, run delays can't be read and some interpreters don't start.
//! * [`Supervision::Subreaper`], if the system refuses namespaces: a process that loses its parent
//!   becomes a child of the inner process, or of the outer one once the inner one is gone.
//!   Whichever is left kills the rest. Only a SIGKILL that hits both at once leaves bots behind.
//!
//! With both, processes that lose their parents become children of the inner process. Its first
//! thread [reaps them](Inner::run) when they end.
//!
//! The inner process leads its own process group, so that Ctrl-C in a terminal reaches it once,
//! through the outer one. Its standard input is a socket to the outer process. Through it each
//! learns of the other's end, and the inner one of its arguments and of signals. A signal that
//! reaches the inner process otherwise comes from a bot and is ignored.

pub(crate) mod namespaces;
mod outer;

use std::ffi::{OsStr, OsString};
use std::io::{self, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{env, process, thread};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};
use serde::Deserialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};

use crate::lack::{self, Left};
use crate::mode::Supervision;
pub use crate::mode::{Inner, Side};
use crate::program;
use crate::sys::interrupt::Interrupt;
use crate::sys::orphans;
use crate::sys::proc::line_of;

/// This program, even if its file has been replaced meanwhile.
pub(crate) const OURSELVES: &str = "/proc/self/exe";
/// The name of the inner process (`argv[0]`), before the path of the folder that the outer one made
/// for it.
const INNER: &str = "arena-inner:";
/// The names of the processes that try out namespaces.
const PROBE: &str = "arena-probe";
const PROBE_INNER: &str = "arena-probe-inner";
/// The name of a process that makes a user namespace.
const USERS: &str = "arena-users";

/// What the outer process told the inner one, through the socket that is its standard input: what
/// processes were left, the arguments, and its own number. `None` in other processes.
static TOLD: LazyLock<Option<(Left, Vec<OsString>, u32)>> = LazyLock::new(|| {
    inner_folder()?;
    // Signals follow only once this process is ready.
    let mut told = serde_json::Deserializer::from_reader(io::stdin().lock());
    // It fails if the outer process is gone.
    Deserialize::deserialize(&mut told).unwrap_or_else(|_| process::exit(128 + SIGKILL))
});

/// How long workers have to notice that the run is over before their bots are killed. Otherwise
/// they would take it for crashes.
const GRACE: Duration = Duration::from_millis(20);

/// Why the program can't run as two processes.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// There is no folder that bots could write to.
    #[error("can't use {} as folder for temporary files: set TMPDIR to one that may be written to", .0.display())]
    Temporary(PathBuf, #[source] io::Error),
    /// `/proc` shows no processes.
    #[error("can't read /proc/self/exe: /proc must be mounted, with the processes of the system")]
    Proc(#[source] io::Error),
    /// The system refused something else.
    #[error("can't start the process that plays{}", lack::words(.0))]
    Refused(#[from] io::Error),
}

/// Splits the program into two processes. Call it before the first thread starts. It returns at
/// once in the inner process, and in the outer one when the inner one has ended.
///
/// # Errors
/// If there is no folder for temporary files or no `/proc`, or the system refuses a process.
pub fn enter() -> Result<Side, GuardError> {
    serve_probe();
    match inner_folder() {
        Some(folder) => Ok(Side::Inner(become_inner(folder)?)),
        None => outer::run().map(Side::Outer),
    }
}

/// Does the work of a helper process and ends it, if this process was started as one: to try out
/// namespaces, or to make one. Call it first in `main`.
pub fn serve_probe() {
    match env::args_os().next().as_deref().and_then(OsStr::to_str) {
        Some(PROBE) => process::exit(namespaces::probe()),
        Some(USERS) => process::exit(i32::from(namespaces::hold_users().is_err())),
        Some(PROBE_INNER) => process::exit(i32::from(namespaces::own_proc().is_err())),
        _ => {}
    }
}

/// Returns the arguments of this program, without its name. Ask for them here and not the system:
/// the inner process has none on its command line, which bots can read.
pub fn arguments() -> Vec<OsString> {
    match &*TOLD {
        Some((_, arguments, _)) => arguments.clone(),
        None => env::args_os().skip(1).collect(),
    }
}

/// Returns how many processes and threads may still start. The inner process can't measure that, so
/// it returns what the outer one measured.
pub fn processes_left() -> Left {
    TOLD.as_ref()
        .map_or_else(Left::measure, |(left, ..)| left.clone())
}

/// Returns the number of the process that the user started. The inner process has another one, and
/// perhaps in another namespace.
pub fn process() -> u32 {
    TOLD.as_ref()
        .map_or_else(process::id, |(.., process)| *process)
}

/// Returns the folder in the name of the inner process; `None` in others.
fn inner_folder() -> Option<PathBuf> {
    let name = env::args_os().next()?;
    let folder = name.as_bytes().strip_prefix(INNER.as_bytes())?;
    Some(OsStr::from_bytes(folder).into())
}

/// Lowers the priority of this process.
pub fn lower_priority() {
    // If the system refuses, it keeps its priority.
    let _ = rustix::process::nice(5);
}

fn become_inner(folder: PathBuf) -> io::Result<Inner> {
    let supervision = if getpid().is_init() {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        LazyLock::force(&program::OWN_PATH);
        namespaces::own_proc()?;
        Supervision::PidNamespace
    } else {
        set_child_subreaper(Some(getpid()))?;
        Supervision::Subreaper
    };
    if outer_is_gone(Duration::ZERO) {
        // It ended before the kernel was asked to kill this one.
        process::exit(128 + SIGKILL);
    }
    orphans::adopt();
    Ok(Inner {
        supervision,
        folder,
    })
}

/// Waits at most for `patience` until the outer process, which has the other end of standard input,
/// is gone.
fn outer_is_gone(patience: Duration) -> bool {
    let input = io::stdin();
    let mut set = [PollFd::from_borrowed_fd(input.as_fd(), PollFlags::empty())];
    let timeout = rustix::event::Timespec::try_from(patience).ok();
    matches!(poll(&mut set, timeout.as_ref()), Ok(1))
        && set[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

impl Inner {
    /// Does `work`, which may start bots. The first thread of this process only reaps what they
    /// leave.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        orphans::reap_during(work)
    }

    /// Asks for signals, which the outer process holds back until now. If the outer process ends
    /// and the kernel doesn't kill this one, `kill` is raised, everything is killed, and the
    /// program ends.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn ready(&self, kill: &Arc<Interrupt>) -> io::Result<()> {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        // The write only fails if the outer process is gone, which the watch notices.
        let _ = (&socket).write_all(&[1]);
        if self.supervision == Supervision::PidNamespace {
            return Ok(());
        }
        let kill = Arc::clone(kill);
        let watch = thread::Builder::new().name("guard".into());
        watch.spawn(move || {
            while !outer_is_gone(Duration::MAX) {}
            kill.raise();
            thread::sleep(GRACE);
            orphans::kill_all();
            process::exit(128 + SIGKILL)
        })?;
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The outer process is gone, so kill what is left. The watching thread may not have noticed
        // yet.
        if self.supervision == Supervision::Subreaper && outer_is_gone(Duration::ZERO) {
            orphans::kill_all();
        }
    }
}

/// The signals that this process may handle.
pub(crate) const HANDLED: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// Returns the signals that were sent to the outer process, as they come; for the inner process.
///
/// # Errors
/// If the system refuses a handler or a descriptor.
pub fn signals() -> io::Result<impl Iterator<Item = i32> + Send + use<>> {
    for signal in unless_ignored(&HANDLED) {
        // A handled signal doesn't end this process, and processes that it starts have no handler.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    Ok(BufReader::new(socket)
        .bytes()
        .map_while(Result::ok)
        .map(i32::from))
}

/// Leaves out signals that were ignored when the program was started, as by `nohup` or as
/// background jobs of shells. They stay ignored.
fn unless_ignored(signals: &[i32]) -> Vec<i32> {
    let mut heeded = signals.to_vec();
    if let Some(mask) = line_of("/proc/self/status", "SigIgn:")
        && let Ok(ignored) = u64::from_str_radix(&mask, 16)
    {
        // Bit n - 1 is for signal n.
        heeded.retain(|signal| ignored >> (signal - 1) & 1 == 0);
    }
    heeded
}
