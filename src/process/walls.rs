//! What stands between bots and everything else: which walls the config asks for, and which of them the system gives.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{DumpableBehavior, geteuid, set_dumpable_behavior};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use seccompiler::BpfProgram;

use super::Rung;
use super::jail::{calls, rules};
use super::limits::{self, Limits};

/// How much of the sandbox a run wants.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Mode {
    /// As much as the system gives.
    #[default]
    Auto,
    /// All of it, or nothing is run.
    Strict,
    /// None of it, and no limits.
    Off,
}

/// Which walls the system gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each wall; any of them may be missing")]
pub(super) struct Held {
    /// Files outside the bot's own folders are closed to it (landlock).
    pub(super) files: bool,
    /// Other processes get no signals from it (landlock from Linux 6.12 on).
    pub(super) signals: bool,
    /// Calls that no bot needs are refused, among them network sockets (seccomp).
    pub(super) calls: bool,
    /// Memory, open files and core dumps are limited.
    pub(super) limits: bool,
}

/// A wall that `strict` asks for and the system does not give.
#[derive(Debug, thiserror::Error)]
#[error("put up the sandbox: this system gives no {0}; `mode = \"auto\"` in `[sandbox]` does with what there is")]
pub(crate) struct Missing(String);

/// The walls of a run.
#[derive(Debug)]
pub(crate) struct Walls {
    mode: Mode,
    guard: Rung,
    held: Held,
    isolated: AtomicBool,
    /// Whether the threads that start bots are behind the filter of calls themselves, and have given up root's rights.
    closed: AtomicBool,
    /// Where the folders are that bots may write to.
    pub(super) folder: PathBuf,
    /// The filter of calls, compiled.
    filter: BpfProgram,
    /// The limits of every bot.
    pub(super) limits: Option<Limits>,
}

/// The rights that bots keep where the arena runs as root: those over files, which landlock takes back.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);

impl Walls {
    /// Finds out which walls there are. `memory` is the limit in bytes, `folder` an empty folder for what bots write.
    pub(crate) fn new(mode: Mode, memory: u64, guard: Rung, folder: PathBuf) -> Result<Walls, Missing> {
        let filter = calls::filter().unwrap_or_default();
        let limits = (mode != Mode::Off).then(|| Limits::new(memory));
        let held = if mode == Mode::Off { Held::default() } else { try_out(&filter) };
        let walls = Walls {
            mode,
            guard,
            held,
            isolated: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            folder,
            filter,
            limits,
        };
        let missing = walls.missing();
        if mode == Mode::Strict && !missing.is_empty() { Err(Missing(missing.join(", no "))) } else { Ok(walls) }
    }

    /// What is not there of what `strict` asks for.
    fn missing(&self) -> Vec<&'static str> {
        let Held { files, signals, calls, limits } = self.held;
        let all = [
            (files, "landlock (files; Linux 5.13 with the lsm enabled)"),
            (signals, "landlock signal scope (Linux 6.12)"),
            (calls, "seccomp filter (system calls, network)"),
            (limits, "resource limits"),
            (self.guard == Rung::PidNamespace, "pid namespace (unprivileged user namespaces, or root)"),
        ];
        all.into_iter().filter(|(held, _)| !held).map(|(_, name)| name).collect()
    }

    /// Takes from this thread, and those it starts from now on, what neither they nor bots need, the network first of
    /// all. Comes after the builds, which may need it, and on the thread from which all threads that start bots are
    /// started: what is the same for every bot costs nothing at its start then.
    pub(crate) fn close(&self) {
        if self.mode == Mode::Off || self.guard == Rung::None {
            return;
        }
        self.isolated.store(unshare(CloneFlags::CLONE_NEWNET).is_ok(), Ordering::Relaxed);
        give_up_rights();
        if self.held.calls {
            self.closed.store(seccompiler::apply_filter(&self.filter).is_ok(), Ordering::Relaxed);
        }
        limits::no_core_dumps();
        // Our memory, which holds what all the bots said, is nobody's to look at.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }

    /// Puts up those walls round this thread that are the same for every bot, unless [`Walls::close`] has.
    pub(super) fn enter(&self) -> io::Result<()> {
        if self.closed.load(Ordering::Relaxed) {
            return Ok(());
        }
        give_up_rights();
        if self.held.calls {
            seccompiler::apply_filter(&self.filter).map_err(as_io)?;
        }
        Ok(())
    }

    /// Which walls bots are behind.
    pub(super) fn held(&self) -> Held {
        self.held
    }
}

impl fmt::Display for Walls {
    /// For instance `files, signals, network, system calls, memory 768 MB; pid namespace`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Held { files, signals, calls, limits } = self.held;
        let network = calls || self.isolated.load(Ordering::Relaxed);
        let walls = [(files, "files"), (signals, "signals"), (network, "network"), (calls, "system calls")];
        let mut walls: Vec<String> =
            walls.into_iter().filter(|(held, _)| *held).map(|(_, name)| name.to_owned()).collect();
        walls.extend(self.limits.filter(|_| limits).map(|limits| format!("memory {} MB", limits.memory >> 20)));
        let walls = match self.mode {
            Mode::Off => "off".to_owned(),
            _ if walls.is_empty() => "nothing of it on this system".to_owned(),
            _ => walls.join(", "),
        };
        write!(f, "{walls}; {}", self.guard)
    }
}

/// Takes from all programs that this thread starts the rights of root, where it has them, but for those over files.
/// Some of them go through walls: with `CAP_PERFMON` the environment of every process can be read, and with
/// `CAP_SYS_RESOURCE` limits are none.
fn give_up_rights() {
    if geteuid().is_root() {
        for right in CapabilitySet::all().difference(KEPT).iter() {
            // Where the right to do so is missing there is nothing to take away.
            let _ = remove_capability_from_bounding_set(right);
        }
    }
}

/// Puts up each wall round a thread that ends with it.
fn try_out(filter: &BpfProgram) -> Held {
    let tried = thread::scope(|scope| {
        let walls = || {
            let (files, signals) = rules::try_out();
            Held { files, signals, calls: seccompiler::apply_filter(filter).is_ok(), limits: limits::try_out() }
        };
        thread::Builder::new().spawn_scoped(scope, walls).ok().and_then(|thread| thread.join().ok())
    });
    tried.unwrap_or_default()
}

/// An error of another crate as one of the system.
pub(super) fn as_io(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}
