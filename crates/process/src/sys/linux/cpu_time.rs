//! How long the processes of a bot ran, and how long they waited for a core.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_getaffinity;

use crate::answer::CpuTime;
use crate::sys::proc::{KernelFile, stat};
use crate::sys::process_tree::ProcessTree;

/// How much of a time in the kernel's ticks may be rounding.
const ROUNDED: Duration = Duration::from_millis(20);

/// Measures the CPU time of a bot's processes.
pub(crate) struct CpuMeter {
    /// Whether the bot has thought since the last sample between two questions.
    pub(crate) has_thought: bool,
    /// Whether the bot has answered nothing yet, and so may be starting.
    pub(crate) is_starting: bool,
    /// Whether the bot started processes while it thought, after its first answer.
    pub(crate) has_forked: bool,
    pub(crate) processes: ProcessTree,
    pub(crate) last: Sample,
}

/// The scheduler's counts for all threads of a bot and for our own thread, up to some moment.
///
/// The kernel shows them in `schedstat`: nanoseconds on a core, and in the queue for one. If the
/// kernel has no such file, no delay is known. Processes and threads that have ended are counted
/// for their process or parent, in ticks.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) moment: Instant,
    /// How long each process was on a core, with all threads and children that have ended, in whole
    /// ticks.
    processes: BTreeMap<i32, Duration>,
    threads: BTreeMap<i32, Thread>,
    /// When the youngest process was started, except the first, as time since boot.
    pub(crate) youngest: Duration,
    /// How long our own thread was in the queue.
    own: Duration,
}

#[derive(Clone, Copy, Default)]
struct Thread {
    ran: Duration,
    /// Time in the queue, without the current wait.
    waited: Duration,
    /// Since when it is known to be in the queue; `None` if it isn't.
    queued: Option<Instant>,
}

/// The difference between two samples.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delta {
    /// How long the bot ran: at least as long as its longest thread, and as all of them together on
    /// the cores that they may use.
    pub(crate) ran: Duration,
    /// How long all of its threads ran, added up.
    pub(crate) used: Duration,
    /// How long its threads were in the queue, added up, because threads that wait for each other
    /// are in it one after the other. The bot can't have lost more than the time during which it
    /// didn't run.
    pub(crate) waited: Duration,
    /// How long our own thread was in the queue.
    pub(crate) own: Duration,
    /// How long one of its threads has been in the queue until now, as far as that is known.
    pub(crate) queued: Option<Duration>,
    /// Whether a process is gone, and with it the time that it ran.
    pub(crate) vanished: bool,
}

impl Delta {
    /// Limits it to what can happen in `time`.
    pub(crate) fn at_most(self, time: Duration) -> Delta {
        Delta {
            ran: self.ran.min(time),
            used: self.used.min(time),
            waited: self.waited.min(time),
            own: self.own.min(time),
            ..self
        }
    }

    /// Adds a later period, which ends now.
    pub(crate) fn plus(self, later: Delta) -> Delta {
        Delta {
            ran: self.ran + later.ran,
            used: self.used + later.used,
            waited: self.waited + later.waited,
            own: self.own + later.own,
            queued: later.queued,
            vanished: self.vanished || later.vanished,
        }
    }
}

impl CpuMeter {
    /// Creates the meter of a process that was just started.
    pub(crate) fn new(root: Pid) -> CpuMeter {
        CpuMeter {
            has_thought: false,
            is_starting: true,
            has_forked: false,
            processes: ProcessTree::new(root),
            last: Sample {
                own: own_wait(),
                ..Sample::empty()
            },
        }
    }

    /// Takes a sample of what was found last, and returns the difference from the last one.
    pub(crate) fn sample(&mut self) -> Delta {
        let now = Sample::now(&self.processes, &self.last, false);
        let delta = now.since(&self.last);
        self.last = now;
        delta
    }

    /// Like [`CpuMeter::sample`], but searches for new processes and threads.
    pub(crate) fn search(&mut self) -> Delta {
        self.processes.search();
        self.sample()
    }

    /// Takes a close sample of all processes, and returns the difference from an earlier one.
    pub(crate) fn since(&mut self, then: &Sample) -> Delta {
        self.processes.search();
        self.last = Sample::now(&self.processes, &self.last, true);
        self.last.since(then)
    }

    /// Returns the times of all processes since the bot was started, including those that have
    /// ended.
    pub(crate) fn total(&mut self) -> CpuTime {
        let Delta { used, waited, .. } = self.since(&Sample::empty());
        CpuTime { ran: used, waited }
    }
}

impl Sample {
    /// Creates a sample without processes.
    fn empty() -> Sample {
        Sample {
            moment: Instant::now(),
            processes: BTreeMap::new(),
            threads: BTreeMap::new(),
            youngest: Duration::ZERO,
            own: Duration::ZERO,
        }
    }

    /// Takes a sample; `last` is an earlier one. Only with `closely` it checks whether a thread is
    /// in the queue that isn't the first of its process.
    fn now(processes: &ProcessTree, last: &Sample, closely: bool) -> Sample {
        let mut now = Sample::empty();
        for (pid, threads) in &processes.found {
            let Some(process) = stat(pid) else { continue };
            now.processes.insert(*pid, process.cpu_time);
            if *pid != processes.root {
                now.youngest = now.youngest.max(process.started);
            }
            for id in threads {
                let path = format!("{pid}/task/{id}");
                let Some([ran, waited]) = schedstat(&path) else {
                    continue;
                };
                // It runs or is in the queue. Here that is the same, because our core runs us.
                let is_ready = if id == pid {
                    process.is_runnable
                } else {
                    closely && matches!(stat(&path), Some(thread) if thread.is_runnable)
                };
                let queued = match last.threads.get(id) {
                    _ if !is_ready => None,
                    // A thread that was in the queue and has not run since has not left it.
                    Some(then) if then.ran == ran => then.queued.or(Some(now.moment)),
                    _ => Some(now.moment),
                };
                let thread = Thread {
                    ran,
                    waited,
                    queued,
                };
                now.threads.insert(*id, thread);
            }
        }
        now.own = own_wait();
        now
    }

    /// Returns the difference from an earlier sample.
    fn since(&self, then: &Sample) -> Delta {
        let [mut longest, mut exact, mut waited, mut in_ticks] = [Duration::ZERO; 4];
        let mut queued = None;
        for (id, thread) in &self.threads {
            let before = then.threads.get(id).copied().unwrap_or_default();
            let ran = thread.ran.saturating_sub(before.ran);
            longest = longest.max(ran);
            exact += ran;
            waited += thread.waited.saturating_sub(before.waited);
            if let Some(since) = thread.queued {
                let since = since.max(then.moment);
                let queue = self.moment.saturating_duration_since(since);
                waited += queue;
                queued = queued.max(Some(queue));
            }
        }
        // Only these include threads that have ended.
        for (pid, ran) in &self.processes {
            let before = then.processes.get(pid).copied().unwrap_or_default();
            in_ticks += ran.saturating_sub(before);
        }
        let used = exact.max(in_ticks.saturating_sub(ROUNDED));
        let is_gone = |pid| !self.processes.contains_key(pid);
        // Only threads that ran side by side need the number of cores.
        let mut cores = 1;
        if used > longest {
            cores = sched_getaffinity(None).map_or(1, |cores| cores.count().max(1));
        }
        Delta {
            ran: longest.max(used / cores),
            used,
            waited,
            own: self.own.saturating_sub(then.own),
            queued,
            vanished: then.processes.keys().any(is_gone),
        }
    }
}

/// Reads the time of a thread on a core, and in the queue for one.
fn schedstat(thread: &str) -> Option<[Duration; 2]> {
    times(&KernelFile::open(format!("/proc/{thread}/schedstat"))?.read()?)
}

fn times(text: &str) -> Option<[Duration; 2]> {
    let mut counts = text.split_whitespace();
    let mut next = || counts.next()?.parse().ok().map(Duration::from_nanos);
    Some([next()?, next()?])
}

/// Reads how long this thread was in the queue.
fn own_wait() -> Duration {
    thread_local! {
        static OWN: Option<KernelFile> = KernelFile::open("/proc/thread-self/schedstat");
    }
    let own = OWN.with(|file| times(&file.as_ref()?.read()?));
    own.unwrap_or_default()[1]
}
