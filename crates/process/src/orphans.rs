//! Processes that left the group of their bot and outlive it.
//!
//! In the inner process of a [guard](crate::guard) they become our children. Every child that isn't a bot is killed and reaped
//! at the end of the next game.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, waitpid,
};

use crate::lock::lock;
use crate::pipe::is_ready;
use crate::proc::{Relatives, all_processes, children_of, relatives};

/// How long to hunt at a time for a chain of processes that each start the next one and end. The rest is found after the next
/// game, or ends with the arena.
const HUNT: Duration = Duration::from_millis(100);
/// How long the last hunt takes. Processes that are left after it keep running.
const LAST_HUNT: Duration = Duration::from_secs(3);
/// How long to wait for the death of one killed process.
const DEATH: Duration = Duration::from_millis(100);
/// The pause between searches if all processes of the machine have to be looked at.
const SEARCH_PAUSE: Duration = Duration::from_millis(50);

/// Whether orphans become our children.
static ADOPTING: AtomicBool = AtomicBool::new(false);
/// The pids of the bots in play. A pid may appear twice: it can be reused before it is taken out.
static BOTS: Mutex<Vec<i32>> = Mutex::new(Vec::new());
/// The number of bots whose start has begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// The number of bots whose start has ended, well or not.
static DONE: AtomicU64 = AtomicU64::new(0);
/// Held while killing: another thread could reap a process and so free its number in between.
static HUNTING: Mutex<()> = Mutex::new(());

/// Notes that orphans become children of this process, and should be killed.
pub(crate) fn adopt() {
    ADOPTING.store(true, Ordering::SeqCst);
}

/// A bot that is being started. Its process may exist before its number is known.
pub(crate) struct Starting(());

impl Starting {
    pub(crate) fn begin() -> Starting {
        BEGUN.fetch_add(1, Ordering::SeqCst);
        Starting(())
    }

    /// Notes that the bot has started.
    pub(crate) fn started(self, pid: Pid) -> InPlay {
        let pid = pid.as_raw_nonzero().get();
        lock(&BOTS).push(pid);
        drop(self);
        InPlay(pid)
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        DONE.fetch_add(1, Ordering::SeqCst);
    }
}

/// Keeps a bot from being taken for an orphan. Drop it after the bot was reaped.
#[derive(Debug)]
pub(crate) struct InPlay(i32);

impl Drop for InPlay {
    fn drop(&mut self) {
        let mut bots = lock(&BOTS);
        if let Some(at) = bots.iter().position(|pid| *pid == self.0) {
            bots.swap_remove(at);
        }
    }
}

/// Kills and reaps orphans, and returns whether there were any.
///
/// Call it when the bots of a game have ended, and when an orphan could be working for a bot. Without orphans it costs one look
/// at the list of processes.
pub fn reap_strays() -> bool {
    if !ADOPTING.load(Ordering::Relaxed) || find_orphans().is_empty() {
        return false;
    }
    hunt(HUNT, find_orphans);
    true
}

/// Kills all children, and their children as they become ours, for a few seconds at most.
pub(crate) fn kill_all() {
    hunt(LAST_HUNT, || {
        children(false, &[])
            .into_iter()
            .map(|child| child.pid)
            .collect()
    });
}

/// Kills and reaps until `find` finds nothing more, for `time` at most.
fn hunt(time: Duration, find: impl Fn() -> Vec<Pid>) {
    let _hunting = lock(&HUNTING);
    let start = Instant::now();
    while start.elapsed() <= time {
        let found = find();
        if found.is_empty() {
            return;
        }
        // Kill all of them before waiting for the first: each may be starting the next.
        for pid in &found {
            let _ = kill_process(*pid, Signal::KILL);
        }
        for pid in found {
            if let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) {
                is_ready(&process, DEATH);
            }
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

/// Our children that aren't bots and don't belong to one.
fn find_orphans() -> Vec<Pid> {
    let begun = BEGUN.load(Ordering::SeqCst);
    let quiet = DONE.load(Ordering::SeqCst) == begun;
    // The state of a process is expensive to read, and that of bots in play isn't needed.
    let bots = lock(&BOTS).clone();
    let children = children(true, &bots);
    let quiet = quiet && BEGUN.load(Ordering::SeqCst) == begun;
    if children.is_empty() {
        return Vec::new();
    }
    let session = relatives("self").map_or(0, |own| own.session);
    let bots = lock(&BOTS);
    let mut orphans = Vec::new();
    for Child { pid, relatives } in children {
        // A process in the group of a bot in play is the bot's, and ends with it.
        let is_of_bot =
            bots.contains(&pid.as_raw_nonzero().get()) || bots.contains(&relatives.group);
        // A bot that is being started isn't listed yet. It is in our session.
        if !is_of_bot && (quiet || relatives.session != session) {
            orphans.push(pid);
        }
    }
    orphans
}

struct Child {
    pid: Pid,
    relatives: Relatives,
}

/// The children of this process except those `known`. With `seldom`, the result is empty if the kernel can't list them and the
/// last look at all processes of the machine was not long ago.
fn children(seldom: bool, known: &[i32]) -> Vec<Child> {
    let own = getpid();
    let parent = own.as_raw_nonzero().get();
    // Orphans become children of the first thread. Not every kernel has this list.
    let pids = match children_of(parent, parent) {
        Some(children) => children,
        None if seldom && !own.is_init() && !search_is_due() => return Vec::new(),
        None => all_processes(),
    };
    let mut children = Vec::new();
    for pid in pids {
        if pid == parent || known.contains(&pid) {
            continue;
        }
        if let Some(relatives) = relatives(&pid.to_string())
            && relatives.parent == parent
            && let Some(pid) = Pid::from_raw(pid)
        {
            children.push(Child { pid, relatives });
        }
    }
    children
}

/// What is left of a bot after a parent has ended: processes in one of these groups or sessions that weren't started as bots. If
/// orphans become our children, only those are searched.
pub(crate) fn left_in_groups(groups: &[i32]) -> Vec<i32> {
    let own = getpid().as_raw_nonzero().get();
    let adopted = if ADOPTING.load(Ordering::Relaxed) {
        children_of(own, own)
    } else {
        None
    };
    let mut pids = adopted.unwrap_or_else(all_processes);
    let mut bots = lock(&BOTS).clone();
    bots.sort_unstable();
    pids.retain(|pid| {
        bots.binary_search(pid).is_err()
            && relatives(&pid.to_string())
                .is_some_and(|own| groups.contains(&own.group) || groups.contains(&own.session))
    });
    pids
}

fn search_is_due() -> bool {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = lock(&LAST);
    let is_due = last.is_none_or(|last| last.elapsed() > SEARCH_PAUSE);
    if is_due {
        *last = Some(Instant::now());
    }
    is_due
}
