//! Processes whose parents have ended.
//!
//! In the inner process of a [guard](super::guard) they become children of its first thread, which
//! does nothing but reap them when they end. Those that left the group of their bot are orphans:
//! they are killed at the next check of the limits, and at the end of a game.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, waitpid,
};

use crate::lock::lock;
use crate::sys::pipe::is_ready;
use crate::sys::proc::{KernelFile, Stat, all_processes, group_of, numbers, stat};

/// How long to kill at a time, in case processes each start the next one and end. The rest is
/// killed after the next game, or ends with the arena.
const KILL_TIME: Duration = Duration::from_millis(100);
/// How long to kill at the end of the arena. Usually milliseconds; on a busy machine it took more
/// than three seconds. Processes left after this keep running.
const FINAL_KILL_TIME: Duration = Duration::from_secs(20);
/// How long to wait for the death of one killed process.
const DEATH: Duration = Duration::from_millis(100);

/// How often the first thread looks for processes to reap: more often if it has just found some. A
/// signal for each end would wake it after every game.
const LOOK: Duration = Duration::from_millis(10);
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// The stack of the thread that does the work: what the system gives the first thread.
const STACK: usize = 8 << 20;

/// Whether orphans become our children.
static ADOPTING: AtomicBool = AtomicBool::new(false);
/// The pids of the bots in play. A pid may appear twice: it can be reused before it is taken out.
static BOTS: Mutex<Vec<i32>> = Mutex::new(Vec::new());
/// Shared by bots that are being started: their processes may exist before their numbers are known.
static STARTS: RwLock<()> = RwLock::new(());
/// Set once the arena kills everything. No bot starts after that.
static ENDING: AtomicBool = AtomicBool::new(false);
/// Set once threads other than the first may have children that aren't bots in play.
static SCATTERED: AtomicBool = AtomicBool::new(false);
/// Held while killing or reaping: another thread could reap a process and so free its number in
/// between.
static KILLING: Mutex<()> = Mutex::new(());
/// How many processes without a parent ended, by the bot in play whose group they were in.
pub(crate) static ENDED: Mutex<BTreeMap<i32, usize>> = Mutex::new(BTreeMap::new());

/// User namespaces in which nothing runs, one for each bot that plays.
///
/// The kernel counts processes, queued signals and timers for each user, and refuses more than the
/// user's limit. In a namespace of its own a bot has limits of its own, so it can't use up what
/// others need. Root's processes have no limit.
///
/// Making a namespace takes milliseconds, and entering one a few microseconds. So namespaces are
/// kept for the next bot, once nothing can be left in them.
pub(crate) static FREE_USERS: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());
/// Namespaces of bots that have ended, but may have left processes.
pub(crate) static LEFT_USERS: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Notes that orphans become children of this process, and should be killed.
pub(crate) fn adopt() {
    ADOPTING.store(true, Ordering::SeqCst);
}

/// Notes that threads that play nothing may have children that aren't bots in play.
///
/// Orphans become children of the first thread. But a bot is a child of the thread that started it,
/// and so is what it starts with `CLONE_PARENT`, unless its calls are filtered. That thread finds
/// them at the end of the game; no thread finds a bot that couldn't be reaped.
pub(crate) fn search_all_threads() {
    SCATTERED.store(true, Ordering::SeqCst);
}

/// A bot that is being started.
pub(crate) struct Starting(RwLockReadGuard<'static, ()>);

impl Starting {
    /// Notes that a bot is about to start. Blocks forever once the arena kills everything.
    pub(crate) fn begin() -> Starting {
        let starting = STARTS.read().unwrap_or_else(PoisonError::into_inner);
        if !ENDING.load(Ordering::SeqCst) {
            return Starting(starting);
        }
        drop(starting);
        loop {
            thread::park();
        }
    }

    /// Notes that the bot has started.
    pub(crate) fn started(self, pid: Pid) -> Registration {
        let pid = pid.as_raw_pid();
        lock(&BOTS).push(pid);
        drop(self.0);
        Registration(pid)
    }
}

/// Keeps a bot from being taken for an orphan. Drop it after the bot was reaped.
pub(crate) struct Registration(i32);

impl Drop for Registration {
    fn drop(&mut self) {
        let mut bots = lock(&BOTS);
        if let Some(at) = bots.iter().position(|pid| *pid == self.0) {
            bots.swap_remove(at);
        }
    }
}

/// Kills and reaps orphans, and returns whether there were any.
///
/// Call it when the bots of a game have ended, and when an orphan could be working for a bot.
/// Without orphans it costs one look at the list of processes.
pub fn reap_orphans() -> bool {
    if !ADOPTING.load(Ordering::Relaxed) || find_orphans().is_empty() {
        return false;
    }
    kill_and_reap(KILL_TIME, find_orphans);
    true
}

/// Stops new bots from starting, then kills all children and the orphans that this process adopts.
/// Gives up after [`FINAL_KILL_TIME`].
pub(crate) fn kill_all() {
    ENDING.store(true, Ordering::SeqCst);
    // Bots in play are killed, too.
    search_all_threads();
    let start = Instant::now();
    loop {
        // A start in progress may not have created its process yet.
        let is_last = STARTS.try_write().is_ok();
        let time_left = FINAL_KILL_TIME.saturating_sub(start.elapsed());
        kill_and_reap(time_left, || {
            children(&[]).into_iter().map(|(pid, _)| pid).collect()
        });
        if is_last || start.elapsed() > FINAL_KILL_TIME {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Kills and reaps until `find` finds nothing more, for `time` at most.
fn kill_and_reap(time: Duration, find: impl Fn() -> Vec<Pid>) {
    let start = Instant::now();
    while start.elapsed() <= time {
        let killing = lock(&KILLING);
        let mut found = find();
        if found.is_empty() {
            return;
        }
        // Kill all of them before reaping the first: each may be starting the next.
        for pid in &found {
            let _ = kill_process(*pid, Signal::KILL);
        }
        found.retain(|&pid| matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)));
        let dying = found.pop().map(|pid| pidfd_open(pid, PidfdFlags::empty()));
        drop(killing);
        if let Some(Ok(dying)) = dying {
            is_ready(&dying, DEATH.min(time.saturating_sub(start.elapsed())));
        }
    }
}

/// Does `work` on another thread. Meanwhile this one, which has to be the first of the process,
/// reaps the processes that lost their parents soon after they end.
///
/// The system makes the first thread their parent. It starts no processes, so it never reaps one
/// that another thread waits for.
pub(crate) fn reap_during<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    let (first, is_done) = (thread::current(), AtomicBool::new(false));
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("arena".into());
        let other = thread.stack_size(STACK).spawn_scoped(scope, || {
            let done = catch_unwind(AssertUnwindSafe(work));
            is_done.store(true, Ordering::SeqCst);
            first.unpark();
            done
        })?;
        while !is_done.load(Ordering::SeqCst) {
            thread::park_timeout(if reap_ended() { LOOK_AGAIN } else { LOOK });
        }
        other.join().flatten().or_else(|panic| resume_unwind(panic))
    })
}

/// Reaps the children of the first thread that have ended, and returns whether there were any.
fn reap_ended() -> bool {
    let of_thread = WaitOptions::from_bits_retain(libc::__WNOTHREAD.cast_unsigned());
    let ended = WaitOptions::NOHANG | of_thread;
    let children = of_first_thread().unwrap_or_else(all_processes);
    let _killing = lock(&KILLING);
    let bots = lock(&BOTS).clone();
    let mut has_reaped = false;
    for pid in children {
        // A bot becomes a child of the first thread when the thread that started it has ended.
        let group = group_of(pid);
        if !bots.contains(&pid)
            && let Ok(Some(_)) = waitpid(Pid::from_raw(pid), ended)
        {
            has_reaped = true;
            if bots.contains(&group) {
                *lock(&ENDED).entry(group).or_default() += 1;
            }
        }
    }
    has_reaped
}

/// Returns our children that aren't bots and don't belong to one.
fn find_orphans() -> Vec<Pid> {
    // While this is held, no bot starts.
    let quiet = STARTS.try_write();
    // The state of a process is expensive to read, and that of bots in play isn't needed.
    let bots = lock(&BOTS).clone();
    let mut left = mem::take(&mut *lock(&LEFT_USERS));
    let mut children = children(&bots);
    if children.is_empty() {
        lock(&FREE_USERS).append(&mut left);
        return Vec::new();
    }
    lock(&LEFT_USERS).append(&mut left);
    let session = stat("self").map_or(0, |own| own.session);
    let bots = lock(&BOTS);
    children.retain(|(pid, stat)| {
        // A process in the group of a bot in play is the bot's, and ends with it.
        let is_of_bot = bots.contains(&pid.as_raw_pid()) || bots.contains(&stat.group);
        // A bot that is being started isn't listed yet. It is in our session.
        !is_of_bot && (quiet.is_ok() || stat.session != session)
    });
    children.into_iter().map(|(pid, _)| pid).collect()
}

/// Returns our children except those `known`.
fn children(known: &[i32]) -> Vec<(Pid, Stat)> {
    let mut children = Vec::new();
    for pid in numbers_of_children() {
        if !known.contains(&pid)
            && let Some(stat) = stat(pid)
            && stat.parent == getpid().as_raw_pid()
        {
            children.extend(Pid::from_raw(pid).map(|pid| (pid, stat)));
        }
    }
    children
}

/// Returns the numbers of our children, among others.
///
/// Unless [threads other than the first](search_all_threads) may have orphans, it leaves out the
/// children of all threads but the first and this one, because a look at all processes would slow
/// down every game.
fn numbers_of_children() -> Vec<i32> {
    if ADOPTING.load(Ordering::Relaxed)
        && !SCATTERED.load(Ordering::SeqCst)
        && let Some(mut children) = of_first_thread()
        && let Some(own) = of_this_thread()
    {
        children.extend(own);
        return children;
    }
    all_processes()
}

/// The children of the first thread; `None` if the kernel doesn't list them.
fn of_first_thread() -> Option<Vec<i32>> {
    static LIST: LazyLock<Option<KernelFile>> = LazyLock::new(|| {
        let own = getpid().as_raw_pid();
        KernelFile::open(format!("/proc/{own}/task/{own}/children"))
    });
    Some(numbers(&LIST.as_ref()?.read()?))
}

/// The children of this thread: bots that it started, and what they start with `CLONE_PARENT` where
/// no filter refuses that.
fn of_this_thread() -> Option<Vec<i32>> {
    thread_local! {
        static LIST: Option<KernelFile> = KernelFile::open("/proc/thread-self/children");
    }
    LIST.with(|file| Some(numbers(&file.as_ref()?.read()?)))
}

/// Returns the processes that a bot left in its group when their parents ended.
pub(crate) fn left_in_group(group: i32) -> Vec<i32> {
    let mut pids = numbers_of_children();
    pids.retain(|&pid| pid != group && group_of(pid) == group);
    pids
}
