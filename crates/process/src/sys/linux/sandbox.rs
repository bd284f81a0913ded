//! The sandbox that keeps bots apart from everything else: what a run asks for, and which features
//! the system has.

pub(crate) mod calls;
pub(crate) mod resources;
pub(crate) mod rules;

use std::cell::Cell;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use anyhow::Context as _;
use nix::sched::{CloneFlags, unshare};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use seccompiler::BpfProgram;

use crate::hidden::Hidden;
use crate::lack;
use crate::limits::{COMPILER_MEMORY, THREADS};
use crate::lock::lock;
use crate::mode::{Mode, Part, Supervision};
use crate::os::advice;
use crate::program::ProgramError;
use crate::sys::guard::{self, namespaces};
use crate::sys::left;
use crate::sys::orphans::FREE_USERS;
use crate::sys::scratch::{self, on_unfiltered_thread};
use crate::sys::spawn::{Restrictions, drop_capabilities};

/// Which features of a sandbox the system has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Features {
    /// A bot can't open files outside its own folders (landlock).
    pub(crate) files: bool,
    /// A bot can't signal other processes (landlock since Linux 6.12).
    signals: bool,
    /// System calls that no bot needs are refused, among them network sockets (seccomp).
    pub(crate) calls: bool,
}

/// The sandbox of a run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    mode: Mode,
    supervision: Supervision,
    pub(crate) features: Features,
    /// Whether a bot has its own limits of processes, signals and timers (user namespaces).
    has_users: bool,
    /// Set by `close`: whether threads that start bots have no network.
    closed: Arc<OnceLock<bool>>,
    /// Holds the folders that bots may write to.
    pub(crate) folder: PathBuf,
    /// The compiled filter of system calls.
    filter: Arc<BpfProgram>,
    /// The memory limit of every bot, in bytes; `None` if the sandbox is off.
    pub(crate) memory: Option<u64>,
    /// The most threads of a bot.
    pub(crate) threads: Arc<AtomicUsize>,
    /// For programs that others sent: the only folders that their commands open, besides the
    /// system's.
    pub(crate) within: Option<Vec<PathBuf>>,
    pub(crate) hidden: Hidden,
    /// For compilers: further folders that they may write to.
    pub(crate) outputs: Vec<PathBuf>,
    /// Whether the thread that starts a program traces it.
    pub(crate) is_traced: bool,
}

thread_local! {
    /// Whether this thread is under the filter itself.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

impl Sandbox {
    /// Creates a sandbox with the features that the system has. `memory` is the limit in bytes,
    /// `folder` an empty folder that holds what bots write.
    ///
    /// # Errors
    /// If [`Mode::Strict`] asks for a feature that the system does not have, or it lacks threads.
    pub fn new(
        mode: Mode,
        memory: u64,
        supervision: Supervision,
        folder: PathBuf,
    ) -> anyhow::Result<Sandbox> {
        // Only refusals from now on matter.
        left::has_refused();
        let filter = Arc::new(calls::filter(&[]).unwrap_or_default());
        let (mut features, mut has_users) = Default::default();
        if mode != Mode::Off {
            // Each feature is tried on a throwaway thread, which is restricted from then on.
            features = on_another_thread(|| {
                let mut features = rules::try_out();
                // The filter comes last, because it refuses what the others need.
                features.calls = seccompiler::apply_filter(&filter).is_ok();
                features
            })
            .context("set up the sandbox")?;
            // The first bot gets it.
            has_users = supervision == Supervision::PidNamespace
                && namespaces::of_users()
                    .map(|users| lock(&FREE_USERS).push(users))
                    .is_ok();
        }
        let sandbox = Sandbox {
            mode,
            supervision,
            features,
            has_users,
            closed: Arc::default(),
            folder,
            filter,
            memory: (mode != Mode::Off).then_some(memory),
            threads: Arc::new(AtomicUsize::new(THREADS)),
            within: None,
            hidden: Hidden::default(),
            outputs: Vec::new(),
            is_traced: false,
        };
        match sandbox.missing() {
            Some(missing) if mode == Mode::Strict => Err(ProgramError(format!(
                "set up the sandbox: required feature unavailable: {missing}; `mode = \"auto\"` in `[sandbox]` uses what there is"
            ))
            .into()),
            _ => Ok(sandbox),
        }
    }

    /// Returns the parts of a sandbox, and which of them the system has.
    pub fn parts(&self) -> [Part; 5] {
        let had = self.features;
        [
            Part {
                name: "files",
                ensures: "a bot opens no files but its own",
                needs: "landlock (files; Linux 5.13 with the lsm enabled)",
                is_here: had.files,
            },
            Part {
                name: "signals",
                ensures: "a bot signals no processes but its own",
                needs: "landlock signal scope (Linux 6.12)",
                is_here: had.signals,
            },
            Part {
                name: "system calls",
                ensures: "a bot has no network, and keeps to its limits",
                needs: "seccomp filter (system calls, network)",
                is_here: had.calls,
            },
            Part {
                name: "processes",
                ensures: "nothing outlives a run, even one killed by SIGKILL",
                needs: "pid namespace (unprivileged user namespaces, or root)",
                // A single process without a supervisor needs no namespace.
                is_here: self.supervision != Supervision::Subreaper,
            },
            Part {
                name: "users",
                ensures: "a bot takes no processes, signals or timers from others",
                needs: "user namespaces (sysctl user.max_user_namespaces)",
                is_here: self.has_users || self.supervision == Supervision::None,
            },
        ]
    }

    /// Returns the features that are missing, unless the sandbox is off.
    fn missing(&self) -> Option<String> {
        let mut missing = Vec::new();
        for part in self.parts() {
            if !part.is_here {
                missing.push(part.needs);
            }
        }
        (self.mode != Mode::Off && !missing.is_empty()).then(|| missing.join(", "))
    }

    /// Returns a warning about missing features.
    pub fn warning(&self) -> Option<String> {
        let missing = self.missing()?;
        Some(format!(
            "the sandbox is incomplete, unavailable: {missing}; docs/explanation/sandbox.md lists what bots can do without, and `mode = \"strict\"` refuses to run"
        ))
    }

    /// Returns a sandbox with another memory limit, in bytes, if it has limits.
    #[must_use]
    pub fn with_memory(&self, memory: u64) -> Sandbox {
        Sandbox {
            memory: self.memory.map(|_| memory),
            ..self.clone()
        }
    }

    /// Returns a sandbox that asks for as much as `mode` does.
    ///
    /// # Errors
    /// If [`Mode::Strict`] asks for a feature that the system does not have.
    pub fn in_mode(&self, mode: Mode) -> anyhow::Result<Sandbox> {
        if mode == self.mode {
            return Ok(self.clone());
        }
        let memory = self.memory.unwrap_or_default();
        let sandbox = Sandbox::new(mode, memory, self.supervision, self.folder.clone())?;
        Ok(Sandbox {
            hidden: self.hidden.clone(),
            threads: Arc::clone(&self.threads),
            ..sandbox
        })
    }

    /// Returns whether a program can't open files that aren't its own.
    pub(crate) fn closes_files(&self) -> bool {
        self.features.files
    }

    /// Hides the folder of a run or its config from programs that start from now on: it tells the
    /// seed, and what others answered. It need not exist yet.
    ///
    /// # Errors
    /// If the current folder is unknown.
    pub fn hide(&self, path: &Path) -> io::Result<()> {
        self.hidden.hide(path)
    }

    /// Returns a sandbox for a compiler that may write to `outputs`, too.
    pub(crate) fn for_compiler(&self, outputs: Vec<PathBuf>) -> Sandbox {
        Sandbox {
            memory: self.memory.map(|memory| memory.max(COMPILER_MEMORY)),
            filter: Arc::new(calls::filter(calls::MODES).unwrap_or_default()),
            outputs,
            ..self.clone()
        }
    }

    /// Returns a sandbox for programs that others sent, whose files are in these folders. Give
    /// their paths without links.
    #[must_use]
    pub fn confined(self, folders: Vec<PathBuf>) -> Sandbox {
        Sandbox {
            within: Some(folders),
            ..self
        }
    }

    /// Drops what neither this thread nor bots need, above all the network. Threads that it starts
    /// later inherit that.
    ///
    /// Call it after the builds, which may need the network, on the thread that starts all threads
    /// that start bots: restrictions that are the same for every bot then cost nothing when one
    /// starts. A second call does nothing.
    pub fn close(&self) {
        let is_closed = self.closed.get().is_some();
        if is_closed || self.mode == Mode::Off || self.supervision == Supervision::None {
            return;
        }
        let _ = self.closed.set(unshare(CloneFlags::CLONE_NEWNET).is_ok());
        drop_capabilities();
        resources::no_core_dumps();
        // Our memory holds what all bots said, so no other process may read it.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }

    /// Puts this thread under restrictions that are the same for every bot, which then cost nothing
    /// when one starts. From now on the thread can only play.
    pub fn enter(&self) {
        if self.features.calls && !ENTERED.get() {
            scratch::start_unfiltered_thread();
            drop_capabilities();
            // If that fails, bots put the filter on themselves.
            ENTERED.set(seccompiler::apply_filter(&self.filter).is_ok());
        }
    }

    /// Shares the processes that this user may still start among bots that play at the same time.
    /// Returns a warning if each of them gets less than usual.
    pub fn share_processes(&self, bots: usize) -> Option<String> {
        let left = guard::processes_left();
        let share = usize::try_from(left.count).unwrap_or(usize::MAX) / bots.max(1);
        if self.memory.is_none() || share >= THREADS {
            return None;
        }
        self.threads.store(share, Ordering::Relaxed);
        Some(format!(
            "only {} more processes may start here, so each of {bots} programs gets {share} instead of {THREADS}: raise {}, or play fewer games at a time",
            left.count, left.limit
        ))
    }

    /// Returns a user namespace for a bot, if the system has them.
    pub(crate) fn users(&self) -> io::Result<Option<OwnedFd>> {
        match lock(&FREE_USERS).pop() {
            None if self.has_users => on_unfiltered_thread(namespaces::of_users)
                .map(Some)
                .map_err(|error| match advice(&error) {
                    Some(_) => error,
                    None => io::Error::other(format!(
                        "can't make a user namespace; raise user.max_user_namespaces: {error}"
                    )),
                }),
            free => Ok(free),
        }
    }

    /// Returns what a bot that this thread starts has to put on itself, except its own rules.
    pub(crate) fn restrictions(&self) -> Restrictions<'_> {
        // Programs inherit what the thread has put on by `enter`.
        let is_open = self.mode != Mode::Off && !ENTERED.get();
        let threads = self.threads.load(Ordering::Relaxed);
        let threads = self.has_users.then_some(threads as u64);
        let limits = self
            .memory
            .map(|memory| resources::resources(memory, threads));
        Restrictions {
            drops_capabilities: is_open,
            limits: limits.unwrap_or_default(),
            users: None,
            is_traced: self.is_traced,
            rules: None,
            filter: (is_open && self.features.calls).then_some(&*self.filter),
        }
    }
}

impl fmt::Display for Sandbox {
    /// For instance `files, signals, network, system calls, memory 768 MB; pid namespace`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = self.features;
        let network = has.calls || self.closed.get() == Some(&true);
        for (is_set, name) in [
            (has.files, "files, "),
            (has.signals, "signals, "),
            (network, "network, "),
            (has.calls, "system calls, "),
        ] {
            f.write_str(if is_set { name } else { "" })?;
        }
        match self.memory {
            Some(memory) => write!(f, "memory {} MB; ", memory >> 20)?,
            None => f.write_str("off; ")?,
        }
        self.supervision.fmt(f)
    }
}

/// Runs something on another thread, which ends with it, because the restrictions of a thread can't
/// be lifted.
pub(crate) fn on_another_thread<T: Send>(run: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, run);
        let thread = thread.map_err(|error| lack::cant_start("a thread", error))?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
