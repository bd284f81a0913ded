//! What bots leave behind: processes that left the group of their bot and outlive it.
//!
//! In the inner process of a [`super::guard`] they become our children. Whichever child is no bot is killed and reaped at
//! the end of the next game.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, waitpid,
};

use crate::lock::lock;
use crate::pipe::is_ready;
use crate::proc::{Relatives, all_processes, children_of, relatives};

/// A chain of processes that start the next one and end is hunted for so long at a time. Whatever is left is found after
/// the next game, or ends with the arena.
const HUNT: Duration = Duration::from_millis(100);
/// Whatever is left after the last hunt goes on without us.
const LAST_HUNT: Duration = Duration::from_secs(3);
/// How long the death of one killed process is waited for.
const DEATH: Duration = Duration::from_millis(100);
/// How often processes are looked for where all of the machine have to be looked through.
const SEARCH_PAUSE: Duration = Duration::from_millis(50);

/// Whether orphans become our children.
static ADOPTING: AtomicBool = AtomicBool::new(false);
/// The pids of the bots in play. One may be there twice: a pid may be another's by the time it is taken out.
static BOTS: Mutex<Vec<i32>> = Mutex::new(Vec::new());
/// Starts of bots that were begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// Starts of bots that came to their end, one way or the other.
static DONE: AtomicU64 = AtomicU64::new(0);
/// Only one thread kills at a time: another could reap a process and so free its number in between.
static HUNTING: Mutex<()> = Mutex::new(());

/// Says that orphans become children of this process, and are to be killed.
pub(super) fn adopt() {
    ADOPTING.store(true, Ordering::SeqCst);
}

/// A start of a bot that is under way: its process may be there before anybody knows its number.
pub(super) struct Starting(());

impl Starting {
    pub(super) fn begin() -> Starting {
        BEGUN.fetch_add(1, Ordering::SeqCst);
        Starting(())
    }

    /// The bot is there.
    pub(super) fn started(self, pid: Pid) -> InPlay {
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

/// A bot that is no orphan until this is dropped, which must come after it was reaped.
#[derive(Debug)]
pub(super) struct InPlay(i32);

impl Drop for InPlay {
    fn drop(&mut self) {
        let mut bots = lock(&BOTS);
        if let Some(at) = bots.iter().position(|pid| *pid == self.0) {
            bots.swap_remove(at);
        }
    }
}

/// Kills and reaps the orphans there are, and says whether there were any. Called when the bots of a game have ended, and
/// where an orphan could work for a bot; without orphans it costs one look at the list of processes.
pub fn reap_strays() -> bool {
    if !ADOPTING.load(Ordering::Relaxed) || find_orphans().is_empty() {
        return false;
    }
    hunt(HUNT, find_orphans);
    true
}

/// Kills all children, and theirs as they become ours, as far as that comes to an end.
pub(super) fn kill_all() {
    hunt(LAST_HUNT, || {
        children(false, &[])
            .into_iter()
            .map(|child| child.pid)
            .collect()
    });
}

/// Kills and reaps until there are no more, for so long at most.
fn hunt(time: Duration, find: impl Fn() -> Vec<Pid>) {
    let _hunting = lock(&HUNTING);
    let start = Instant::now();
    while start.elapsed() <= time {
        let found = find();
        if found.is_empty() {
            return;
        }
        // All of them before the first is waited for: each may be starting the next.
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

/// Our children that are no bots, and belong to none.
fn find_orphans() -> Vec<Pid> {
    let begun = BEGUN.load(Ordering::SeqCst);
    let quiet = DONE.load(Ordering::SeqCst) == begun;
    // The state of a process is expensive to read, and that of bots in play is of no use.
    let bots = lock(&BOTS).clone();
    let children = children(true, &bots);
    let quiet = quiet && BEGUN.load(Ordering::SeqCst) == begun;
    if children.is_empty() {
        return Vec::new();
    }
    let session = relatives("self").map_or(0, |own| own.session);
    let bots = lock(&BOTS);
    let is_orphan = |child: &Child| {
        // What is in the group of a bot in play is the bot's, and ends with it.
        let is_of_bot = bots.contains(&child.pid.as_raw_nonzero().get())
            || bots.contains(&child.relatives.group);
        // A bot that is just being started is a child that nobody knows yet. It is in our session.
        !is_of_bot && (quiet || child.relatives.session != session)
    };
    children
        .into_iter()
        .filter(is_orphan)
        .map(|child| child.pid)
        .collect()
}

/// What is to be known of a child.
struct Child {
    pid: Pid,
    relatives: Relatives,
}

/// The children of this process but for those `known`; with `seldom`, none at all if it takes a look at all processes of a
/// machine and the last one is not long ago.
fn children(seldom: bool, known: &[i32]) -> Vec<Child> {
    let own = getpid();
    let parent = own.as_raw_nonzero().get();
    // Orphans become children of the first thread. Not every kernel has this list.
    let pids = match children_of(parent, parent) {
        Some(children) => children,
        None if seldom && !own.is_init() && !search_is_due() => return Vec::new(),
        None => all_processes(),
    };
    let unknown = pids
        .into_iter()
        .filter(|pid| *pid != parent && !known.contains(pid));
    let child = |pid: i32| {
        let relatives = relatives(&pid.to_string())?;
        let pid = Pid::from_raw(pid)?;
        (relatives.parent == parent).then_some(Child { pid, relatives })
    };
    unknown.filter_map(child).collect()
}

/// The processes that were started as no bot, are in one of these groups or sessions and, where orphans become our
/// children, are that: what is left of a bot when a parent has ended.
pub(super) fn strays(groups: &[i32]) -> Vec<i32> {
    let adopted = ADOPTING
        .load(Ordering::Relaxed)
        .then(getpid)
        .map(|own| own.as_raw_nonzero().get());
    let mut pids = adopted
        .and_then(|own| children_of(own, own))
        .unwrap_or_else(all_processes);
    let mut bots = lock(&BOTS).clone();
    bots.sort_unstable();
    pids.retain(|pid| bots.binary_search(pid).is_err());
    let is_in = |pid: &i32| {
        relatives(&pid.to_string())
            .is_some_and(|own| groups.contains(&own.group) || groups.contains(&own.session))
    };
    pids.retain(is_in);
    pids
}

fn search_is_due() -> bool {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = lock(&LAST);
    let due = last.is_none_or(|last| last.elapsed() > SEARCH_PAUSE);
    if due {
        *last = Some(Instant::now());
    }
    due
}
