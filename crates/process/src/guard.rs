//! No process outlives the arena, however it ends.
//!
//! A verb that starts bots runs as two processes. The outer one starts the program again, as the inner one, and does
//! nothing but wait for it, hand signals on to it and end with its exit status. The inner one does the work. There are
//! two kinds of supervision:
//!
//! * [`Supervision::PidNamespace`]: the inner process is the first of a pid namespace. When it ends, for whatever reason, the
//!   kernel kills everything in the namespace before the outer process hears of it. When the outer process ends, the
//!   kernel kills the inner one. A user namespace comes first where it takes one, and a mount namespace with a `/proc`
//!   of its own, without which run delays cannot be read and some interpreters do not start.
//! * [`Supervision::Subreaper`], where the system refuses namespaces: what loses its parent becomes a child of the inner process, or
//!   of the outer one once the inner one is gone. Whichever is left kills the rest. Only a SIGKILL that hits both at once
//!   leaves bots behind.
//!
//! With both orphans become children of the inner process, so what a bot left behind is found and killed when
//! its game ends (`orphans`).
//!
//! The inner process leads its own process group, so that a terminal's Ctrl-C reaches it once, through the outer one.
//! Its standard input is a socket to the outer process, which tells either of the other's end, and the inner one of signals:
//! one that is sent to it otherwise comes from a bot and means nothing.

mod namespaces;
mod outer;

use std::ffi::OsStr;
use std::io::{self, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, process, thread};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use strum::Display;

use crate::interrupt::Interrupt;
use crate::orphans;

/// This program, even if its file has been replaced meanwhile.
pub(super) const OURSELVES: &str = "/proc/self/exe";
/// What the inner process is called, before the path of the folder that the outer one made for it.
const INNER: &str = "arena-inner:";
/// What the two processes that try out namespaces are called.
const PROBE: &str = "arena-probe";
const PROBE_INNER: &str = "arena-probe-inner";

/// How long workers are given to see that the run is over before their bots are killed, which they would otherwise
/// take for crashes.
const HEED: Duration = Duration::from_millis(20);

/// How the death of all processes is made sure of.
#[derive(Clone, Copy, Debug, PartialEq, Display)]
pub enum Supervision {
    /// The kernel kills everything.
    #[strum(to_string = "pid namespace")]
    PidNamespace,
    /// The outer process kills what the inner one left, and the other way round.
    #[strum(to_string = "subreaper, no pid namespace")]
    Subreaper,
    /// Nothing but the process groups of the bots: this process was not started by [`enter`].
    #[strum(to_string = "process groups only")]
    None,
}

/// Which of the two processes this is.
#[derive(Debug)]
pub enum Side {
    /// The outer one, once the inner one has ended; with the exit status to end with.
    Outer(u8),
    /// The inner one.
    Inner(Inner),
}

/// The inner process.
#[derive(Debug)]
pub struct Inner {
    /// What the system gives.
    pub supervision: Supervision,
    /// An empty folder that the outer process removes when all is over.
    pub folder: PathBuf,
}

/// Why the program cannot be split in two.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// There is no folder for what bots write.
    #[error("use {} as folder for temporary files: set TMPDIR to one that may be written to", .folder.display())]
    Temporary {
        /// Where it should be.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system shows no processes.
    #[error("read /proc/self/exe: /proc must be mounted, with the processes of the system")]
    Proc(#[source] io::Error),
    /// The system refuses something else.
    #[error(transparent)]
    Refused(#[from] io::Error),
}

/// Splits the program in two; comes before the first thread. In the inner process it returns at once, in the outer
/// one when the inner one has ended.
pub fn enter() -> Result<Side, GuardError> {
    let name = env::args_os().next().unwrap_or_default();
    match name.as_bytes().strip_prefix(INNER.as_bytes()) {
        Some(folder) => Ok(Side::Inner(become_inner(PathBuf::from(
            OsStr::from_bytes(folder),
        ))?)),
        None => outer::run().map(Side::Outer),
    }
}

/// Does what a process that only tries something out was started for; any other returns. Comes first of all.
pub fn serve_probe() {
    match env::args_os().next().as_deref().and_then(OsStr::to_str) {
        Some(PROBE) => process::exit(namespaces::probe()),
        Some(PROBE_INNER) => process::exit(i32::from(namespaces::own_proc().is_err())),
        _ => {}
    }
}

/// Whether this is the inner process.
pub fn is_inner() -> bool {
    env::args_os()
        .next()
        .is_some_and(|name| name.as_bytes().starts_with(INNER.as_bytes()))
}

/// From now on this process has less of a core than others that want it.
pub fn give_way() {
    // Where it may not, it takes its share.
    let _ = rustix::process::nice(5);
}

fn become_inner(folder: PathBuf) -> io::Result<Inner> {
    let supervision = if getpid().is_init() {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        namespaces::own_proc()?;
        Supervision::PidNamespace
    } else {
        set_child_subreaper(Some(getpid()))?;
        Supervision::Subreaper
    };
    if outer_is_gone(Duration::ZERO) {
        // It ended before the kernel was asked to tell.
        process::exit(128 + Signal::KILL.as_raw());
    }
    orphans::adopt();
    Ok(Inner {
        supervision,
        folder,
    })
}

/// Waits until the outer process is gone, or whoever has the other end of standard input, at most for `patience`.
pub fn outer_is_gone(patience: Duration) -> bool {
    let input = io::stdin();
    let mut set = [PollFd::from_borrowed_fd(input.as_fd(), PollFlags::empty())];
    let timeout = rustix::event::Timespec::try_from(patience).ok();
    matches!(poll(&mut set, timeout.as_ref()), Ok(1))
        && set[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

impl Inner {
    /// Says that signals are heeded from now on: until then the outer process keeps them. If the outer process ends and
    /// the kernel does not see to the rest, `kill` is raised, everything is killed, and the program ends.
    pub fn ready(&self, kill: &Arc<Interrupt>) -> io::Result<()> {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        // If nobody reads it any more, the outer process is gone, which the watch notices.
        let _ = (&socket).write_all(&[1]);
        if self.supervision == Supervision::PidNamespace {
            return Ok(());
        }
        let kill = Arc::clone(kill);
        let watch = move || {
            while !outer_is_gone(Duration::MAX) {}
            kill.raise();
            thread::sleep(HEED);
            orphans::kill_all();
            process::exit(128 + Signal::KILL.as_raw());
        };
        thread::Builder::new()
            .name("guard".into())
            .spawn(watch)
            .map(drop)
    }
}

/// The signals that the outer process was sent, without end; for the inner one.
pub fn signals() -> io::Result<impl Iterator<Item = i32> + Send + use<>> {
    for signal in deadly_signals() {
        // What is handled ends nobody, and what this process starts has no handler.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    Ok(BufReader::new(socket)
        .bytes()
        .map_while(Result::ok)
        .map(i32::from))
}

/// The signals that are to end this process, but those that were ignored when it was started.
pub(super) fn deadly_signals() -> impl Iterator<Item = i32> {
    let ignored = ignored_signals();
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        .into_iter()
        .filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// From now on this process is told to end when the one that started it has ended.
pub fn end_with_parent() {
    // Where that cannot be had, it ends by Ctrl-C.
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
}

/// The signals that were ignored when the program was started, as `nohup` and shells do for background jobs: bit n - 1
/// for signal n. They stay ignored.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
