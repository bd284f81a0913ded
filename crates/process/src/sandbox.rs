//! What keeps bots apart from everything else: the features of a sandbox that the config asks for, and those that the system
//! has.

pub(super) mod calls;
pub(super) mod files;
pub(super) mod limits;

use std::cell::Cell;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{DumpableBehavior, geteuid, set_dumpable_behavior};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use seccompiler::BpfProgram;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use self::limits::Limits;
use crate::guard::Supervision;
use crate::scratch;
use crate::spawn::Walls;

/// How much of the sandbox a run wants.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Display,
    EnumString,
    VariantNames,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// As much as the system gives.
    #[default]
    Auto,
    /// All of it, or nothing is run.
    Strict,
    /// None of it, and no limits.
    Off,
}

/// What of a sandbox is left away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relaxed {
    /// That files are closed.
    Files,
    /// Everything.
    All,
}

/// Which features of a sandbox the system has.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each feature; any of them may be missing"
)]
pub(super) struct Features {
    /// Files outside the bot's own folders are closed to it (landlock).
    pub(super) files: bool,
    /// Other processes get no signals from it (landlock from Linux 6.12 on).
    signals: bool,
    /// Calls that no bot needs are refused, among them network sockets (seccomp).
    calls: bool,
    /// Memory, open files and core dumps are limited.
    pub(super) limits: bool,
}

/// What `strict` asks for and the system does not have.
#[derive(Debug, thiserror::Error)]
#[error(
    "set up the sandbox: required feature unavailable: {0}; `mode = \"auto\"` in `[sandbox]` uses what there is"
)]
pub struct Unavailable(String);

/// The sandbox of a run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    mode: Mode,
    supervision: Supervision,
    pub(super) features: Features,
    /// Whether the threads that start bots have no network.
    isolated: Arc<AtomicBool>,
    /// Whether they have given up root's rights.
    closed: Arc<AtomicBool>,
    /// Where the folders are that bots may write to.
    pub(super) folder: PathBuf,
    /// The filter of calls, compiled.
    filter: Arc<BpfProgram>,
    /// The limits of every bot; `None` where the sandbox is off.
    pub(super) limits: Option<Limits>,
    /// The same as the system has them, where it has them.
    resources: Vec<(i32, u64)>,
    /// Of programs that others sent: the only folders in which their commands open anything, beside what is part of the system.
    pub(super) within: Option<Vec<PathBuf>>,
}

thread_local! {
    /// Whether this thread is under the filter itself.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

/// The rights that bots keep where the arena runs as root: those over files, which landlock takes back.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);

impl Sandbox {
    /// Finds out which features there are. `memory` is the limit in bytes, `folder` an empty folder for what bots write.
    pub fn new(
        mode: Mode,
        memory: u64,
        supervision: Supervision,
        folder: PathBuf,
    ) -> Result<Sandbox, Unavailable> {
        let filter = Arc::new(calls::filter().unwrap_or_default());
        let features = if mode == Mode::Off {
            Features::default()
        } else {
            Features::of_system(&filter)
        };
        let sandbox = Sandbox {
            mode,
            supervision,
            features,
            isolated: Arc::default(),
            closed: Arc::default(),
            folder,
            filter,
            limits: None,
            resources: Vec::new(),
            within: None,
        };
        let sandbox = sandbox.limited((mode != Mode::Off).then_some(Limits { memory }));
        match sandbox.missing() {
            Some(missing) if mode == Mode::Strict => Err(Unavailable(missing)),
            _ => Ok(sandbox),
        }
    }

    /// The features that the system does not have; of a sandbox that is off none is missed.
    fn missing(&self) -> Option<String> {
        let Features {
            files,
            signals,
            calls,
            limits,
        } = self.features;
        let missing = there(&[
            (!files, "landlock (files; Linux 5.13 with the lsm enabled)"),
            (!signals, "landlock signal scope (Linux 6.12)"),
            (!calls, "seccomp filter (system calls, network)"),
            (!limits, "resource limits"),
            (
                self.supervision != Supervision::PidNamespace,
                "pid namespace (unprivileged user namespaces, or root)",
            ),
        ]);
        (self.mode != Mode::Off && !missing.is_empty()).then(|| missing.join(", "))
    }

    /// What bots can do because the system has not every feature, to be said once.
    pub fn warning(&self) -> Option<String> {
        let missing = self.missing()?;
        Some(format!(
            "the sandbox is incomplete, unavailable: {missing}; docs/config.md lists what bots can do without, and `mode = \"strict\"` refuses to run"
        ))
    }

    /// The same with less of it; `None` where it is off or wanted whole, or where this thread has given up rights already, or for
    /// programs that others sent.
    pub(super) fn relaxed(&self, relaxed: Relaxed) -> Option<Sandbox> {
        if self.mode != Mode::Auto || self.within.is_some() || self.closed.load(Ordering::Relaxed) {
            return None;
        }
        let files_open = Features {
            files: false,
            signals: false,
            ..self.features
        };
        let all = relaxed == Relaxed::All;
        let sandbox = Sandbox {
            mode: if all { Mode::Off } else { self.mode },
            features: if all { Features::default() } else { files_open },
            ..self.clone()
        };
        Some(sandbox.limited(self.limits.filter(|_| !all)))
    }

    /// The same with another memory limit, in bytes, where there are limits.
    pub fn with_memory(&self, memory: u64) -> Sandbox {
        self.clone().limited(self.limits.map(|_| Limits { memory }))
    }

    /// The same for programs that others sent, whose files are in these folders, given without links.
    pub fn confined(self, folders: Vec<PathBuf>) -> Sandbox {
        Sandbox {
            within: Some(folders),
            ..self
        }
    }

    /// The same with these limits.
    fn limited(self, limits: Option<Limits>) -> Sandbox {
        let resources = limits
            .filter(|_| self.features.limits)
            .map(Limits::resources);
        Sandbox {
            limits,
            resources: resources.into_iter().flatten().collect(),
            ..self
        }
    }

    /// Takes from this thread, and those it starts from now on, what neither they nor bots need, the network first of
    /// all. Comes after the builds, which may need it, and on the thread from which all threads that start bots are
    /// started: what is the same for every bot costs nothing at its start then. A second run finds it done.
    pub fn close(&self) {
        let is_closed = self.closed.load(Ordering::Relaxed);
        if is_closed || self.mode == Mode::Off || self.supervision == Supervision::None {
            return;
        }
        self.isolated
            .store(unshare(CloneFlags::CLONE_NEWNET).is_ok(), Ordering::Relaxed);
        give_up_rights();
        self.closed.store(true, Ordering::Relaxed);
        limits::no_core_dumps();
        // Our memory, which holds what all the bots said, is nobody's to look at.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }

    /// Puts this thread under what is the same for every bot, which costs nothing at their starts then. For a thread that does nothing
    /// but play, from now on.
    pub fn enter(&self) {
        if self.features.calls && !ENTERED.get() {
            scratch::start_keeper();
            give_up_rights();
            // What it is not under, bots put on themselves.
            ENTERED.set(seccompiler::apply_filter(&self.filter).is_ok());
        }
    }

    /// What a bot that this thread starts has to put on itself, but for its own rules.
    pub(super) fn walls(&self) -> Walls<'_> {
        if self.mode == Mode::Off {
            return Walls::default();
        }
        let is_missing = !ENTERED.get();
        Walls {
            rights: if is_missing { rights() } else { &[] },
            limits: &self.resources,
            rules: None,
            filter: Some(&*self.filter).filter(|_| is_missing && self.features.calls),
        }
    }
}

impl fmt::Display for Sandbox {
    /// For instance `files, signals, network, system calls, memory 768 MB; pid namespace`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Features {
            files,
            signals,
            calls,
            limits,
        } = self.features;
        let network = calls || self.isolated.load(Ordering::Relaxed);
        let mut names = there(&[
            (files, "files"),
            (signals, "signals"),
            (network, "network"),
            (calls, "system calls"),
        ]);
        let memory = self
            .limits
            .filter(|_| limits)
            .map(|limits| format!("memory {} MB", limits.memory >> 20));
        names.extend(memory.as_deref());
        let names = match self.mode {
            Mode::Off => "off".to_owned(),
            _ if names.is_empty() => "nothing of it on this system".to_owned(),
            _ => names.join(", "),
        };
        write!(f, "{names}; {}", self.supervision)
    }
}

/// The names of those that are there.
fn there<'a>(all: &[(bool, &'a str)]) -> Vec<&'a str> {
    all.iter()
        .filter(|(is_there, _)| *is_there)
        .map(|(_, name)| *name)
        .collect()
}

/// The rights of root, where we have them, that all programs started here are to be without: all but those over files.
/// Some of them get round the sandbox: with `CAP_PERFMON` the environment of every process can be read, and with
/// `CAP_SYS_RESOURCE` limits are none.
fn rights() -> &'static [i32] {
    static RIGHTS: OnceLock<Vec<i32>> = OnceLock::new();
    RIGHTS.get_or_init(|| {
        let all = if geteuid().is_root() {
            CapabilitySet::all().difference(KEPT)
        } else {
            CapabilitySet::empty()
        };
        (0..64)
            .filter(|right| all.bits() >> right & 1 == 1)
            .collect()
    })
}

/// Takes them from all programs that this thread starts.
fn give_up_rights() {
    for right in rights() {
        // Where the right to do so is missing there is nothing to take away.
        let _ = remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << right));
    }
}

impl Features {
    /// Tries each of them in a thread that ends with it.
    fn of_system(filter: &BpfProgram) -> Features {
        let try_out = || {
            let limits = limits::try_out();
            let (files, signals) = files::try_out();
            // Comes last: what it refuses cannot be tried any more.
            Features {
                files,
                signals,
                calls: seccompiler::apply_filter(filter).is_ok(),
                limits,
            }
        };
        let tried = thread::scope(|scope| {
            thread::Builder::new()
                .spawn_scoped(scope, try_out)
                .ok()?
                .join()
                .ok()
        });
        tried.unwrap_or_default()
    }
}
