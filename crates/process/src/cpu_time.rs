//! How long the processes of a bot ran, and how long they waited for a core.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{Add, Sub};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_getaffinity;

use crate::family::{Family, Member};
use crate::proc::after_name;

/// The unit of the kernel's times in `stat`: 100 ticks a second, whatever its clock does.
const TICK: Duration = Duration::from_millis(10);
/// How much of a time in ticks may be rounding.
const ROUNDED: Duration = Duration::from_millis(20);

/// The processes of a bot, and what the scheduler had counted for them at the last look.
#[derive(Debug)]
pub(crate) struct Account {
    /// Whether the bot has thought since the last look between two questions.
    pub(crate) has_thought: bool,
    family: Family,
    last: Counts,
}

/// What the scheduler has counted for all threads of a bot and for our own thread, up to some moment.
///
/// The kernel shows it in `schedstat`: nanoseconds on a core, and in the queue for one. If the kernel has no such file, no delay
/// is known. Processes and threads that have ended are counted for their process or parent, in ticks.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    moment: Instant,
    /// How long each process was on a core, with all threads and children that have ended, in whole ticks.
    processes: BTreeMap<i32, Duration>,
    threads: BTreeMap<i32, Thread>,
    /// How long our own thread was in the queue.
    own: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    ran: Duration,
    /// Time in the queue, without the current wait.
    waited: Duration,
    /// Since when it is known to be in the queue; `None` if it isn't.
    queued: Option<Instant>,
}

/// What happened between two moments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Since {
    /// How long the bot ran: at least as long as its longest thread, and as all of them together on the cores that they may use.
    pub(crate) ran: Duration,
    /// How long its threads were in the queue, added up, because threads that wait for each other are in it one after the
    /// other. The bot can't have lost more than the time in which it didn't run.
    pub(crate) waited: Duration,
    /// How long our own thread was in the queue.
    pub(crate) own: Duration,
    /// How long one of its threads has been in the queue until now, as far as that is known.
    pub(crate) queued: Option<Duration>,
}

/// The times of all processes of a bot, added up.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// Time on a core.
    pub ran: Duration,
    /// Time in the queue for one.
    pub waited: Duration,
}

impl Sub for Spent {
    type Output = Spent;

    fn sub(self, before: Spent) -> Spent {
        Spent {
            ran: self.ran.saturating_sub(before.ran),
            waited: self.waited.saturating_sub(before.waited),
        }
    }
}

impl Since {
    /// Limits it to what can happen in `time`.
    pub(crate) fn at_most(self, time: Duration) -> Since {
        Since {
            ran: self.ran.min(time),
            waited: self.waited.min(time),
            own: self.own.min(time),
            queued: self.queued,
        }
    }
}

impl Add for Since {
    type Output = Since;

    /// Adds what happened in two periods, of which the second one ends now.
    fn add(self, second: Since) -> Since {
        Since {
            ran: self.ran + second.ran,
            waited: self.waited + second.waited,
            own: self.own + second.own,
            queued: second.queued,
        }
    }
}

impl Account {
    /// Opens the account of a process that was just started.
    pub(crate) fn open(root: Pid) -> Account {
        let last = Counts {
            moment: Instant::now(),
            processes: BTreeMap::new(),
            threads: BTreeMap::new(),
            own: own_wait(),
        };
        Account {
            has_thought: false,
            family: Family::of(root),
            last,
        }
    }

    /// Returns the time of the last look.
    pub(crate) fn moment(&self) -> Instant {
        self.last.moment
    }

    /// Updates the counts, and returns what happened since the last look. Doesn't search for new processes.
    pub(crate) fn look(&mut self) -> Since {
        let members = self.family.again();
        self.take(&members)
    }

    /// Like [`Account::look`], but searches for new processes.
    pub(crate) fn look_around(&mut self) -> Since {
        let members = self.family.near();
        self.take(&members)
    }

    fn take(&mut self, members: &[Member]) -> Since {
        let now = Counts::now(members, &self.last, false);
        let since = now.since(&self.last);
        self.last = now;
        since
    }

    /// Returns the counts of the last look.
    pub(crate) fn counts(&self) -> Counts {
        self.last.clone()
    }

    /// Takes a close look, and returns what happened since `then` to all processes.
    pub(crate) fn since(&mut self, then: &Counts) -> Since {
        self.last = Counts::now(&self.family.all(), &self.last, true);
        self.last.since(then)
    }

    /// Returns the times of all processes since the bot was started, including those that have ended.
    pub(crate) fn total(&mut self) -> Spent {
        let counts = Counts::now(&self.family.all(), &self.last, true);
        let none = Counts {
            processes: BTreeMap::new(),
            threads: BTreeMap::new(),
            ..counts.clone()
        };
        Spent {
            ran: counts.ran(&none),
            waited: counts.since(&none).waited,
        }
    }

    /// Returns the processes of the bot.
    pub(crate) fn family(&mut self) -> &mut Family {
        &mut self.family
    }
}

impl Counts {
    /// Takes the counts as they are now; `last` are those of an earlier look. Only with `closely` it is checked whether a thread
    /// is in the queue that isn't the first of its process.
    fn now(members: &[Member], last: &Counts, closely: bool) -> Counts {
        let moment = Instant::now();
        let (mut processes, mut threads) = (BTreeMap::new(), BTreeMap::new());
        for member in members {
            let Some(stat) = Stat::read(&format!("/proc/{}/stat", member.pid)) else {
                continue;
            };
            processes.insert(member.pid, stat.ran);
            for &id in &member.threads {
                let path = format!("/proc/{}/task/{id}", member.pid);
                let Some([ran, waited]) = schedstat(&format!("{path}/schedstat")) else {
                    continue;
                };
                let is_ready = if id == member.pid {
                    stat.is_ready
                } else {
                    closely && Stat::read(&format!("{path}/stat")).is_some_and(|stat| stat.is_ready)
                };
                // A thread that was in it and has not run since has not left it.
                let since = match last.threads.get(&id) {
                    Some(then) if then.ran == ran => then.queued.unwrap_or(moment),
                    _ => moment,
                };
                let queued = is_ready.then_some(since);
                let thread = Thread {
                    ran,
                    waited,
                    queued,
                };
                threads.insert(id, thread);
            }
        }
        Counts {
            moment,
            processes,
            threads,
            own: own_wait(),
        }
    }

    /// Returns what happened since `then`.
    fn since(&self, then: &Counts) -> Since {
        let (mut longest, mut waited, mut queued) = (Duration::ZERO, Duration::ZERO, None);
        for (id, thread) in &self.threads {
            let before = then.threads.get(id).copied().unwrap_or_default();
            longest = longest.max(thread.ran.saturating_sub(before.ran));
            waited += thread.waited.saturating_sub(before.waited);
            if let Some(since) = thread.queued {
                let since = since.max(then.moment);
                let queue = self.moment.saturating_duration_since(since);
                waited += queue;
                queued = queued.max(Some(queue));
            }
        }
        let cores = sched_getaffinity(None).map_or(1, |cores| cores.count().max(1));
        Since {
            ran: longest.max(self.ran(then) / cores),
            waited,
            own: self.own.saturating_sub(then.own),
            queued,
        }
    }

    /// Returns how long all threads ran since `then`, added up, including those that have ended.
    fn ran(&self, then: &Counts) -> Duration {
        let (mut in_ticks, mut exact) = (Duration::ZERO, Duration::ZERO);
        for (pid, ran) in &self.processes {
            let before = then.processes.get(pid).copied().unwrap_or_default();
            in_ticks += ran.saturating_sub(before);
        }
        for (id, thread) in &self.threads {
            let before = then.threads.get(id).copied().unwrap_or_default();
            exact += thread.ran.saturating_sub(before.ran);
        }
        exact.max(in_ticks.saturating_sub(ROUNDED))
    }
}

/// Some fields of a file `stat`.
struct Stat {
    /// It runs or is in the queue. Here that is the same, because our core runs us.
    is_ready: bool,
    ran: Duration,
}

impl Stat {
    fn read(path: &str) -> Option<Stat> {
        let text = fs::read_to_string(path).ok()?;
        // After the state come ten numbers, and then times on a core: the process's own, as user and system, and those of
        // children that it has waited for.
        let fields = after_name(&text)?;
        let times = fields.split(' ').skip(11).take(4);
        let ticks: u32 = times.map_while(|ticks| ticks.parse::<u32>().ok()).sum();
        Some(Stat {
            is_ready: fields.starts_with('R'),
            ran: TICK * ticks,
        })
    }
}

/// Reads the time of a thread on a core, and in the queue for one.
fn schedstat(path: &str) -> Option<[Duration; 2]> {
    let text = fs::read_to_string(path).ok()?;
    let mut counts = text
        .split_whitespace()
        .map_while(|count| count.parse().ok().map(Duration::from_nanos));
    Some([counts.next()?, counts.next()?])
}

fn own_wait() -> Duration {
    schedstat("/proc/thread-self/schedstat").map_or(Duration::ZERO, |[_, waited]| waited)
}
