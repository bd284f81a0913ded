//! How long the processes of a bot ran, and how long they were ready to run and did not get to.

use std::fs;
use std::ops::{Add, Sub};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_getaffinity;

use crate::family::{Family, Member};
use crate::proc::after_name;

/// How long the kernel's own accounts in ticks go on. It has 100 a second in what it shows, whatever its clock does.
const TICK: Duration = Duration::from_millis(10);
/// So much of a time in ticks may be rounding.
const ROUNDED: Duration = Duration::from_millis(20);

/// The processes of a bot, and what the scheduler had counted for them when it was last looked at.
#[derive(Debug)]
pub(super) struct Account {
    /// Whether the bot has thought since the last look that was taken between two questions.
    pub(super) has_thought: bool,
    family: Family,
    last: Counts,
}

/// What the scheduler has counted for all threads of a bot and for our own thread, up to some moment.
///
/// The kernel shows it in `schedstat`: nanoseconds on a core, and in the queue for one. Where it does not, nothing was
/// ever delayed. Processes and threads that have ended are in the account of their process or parent, in ticks.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    moment: Instant,
    processes: Vec<Process>,
    threads: Vec<Thread>,
    /// The time that our own thread stood in the queue.
    own: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Process {
    id: i32,
    /// On a core, with all threads and children that have ended, in whole ticks.
    ran: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    id: i32,
    ran: Duration,
    /// In the queue, without the time in it that has not ended.
    waited: Duration,
    /// It stands in the queue, and is known to since then.
    queued: Option<Instant>,
}

/// What happened between two moments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Since {
    /// The time in which the bot ran: as long as its longest thread, and as all of them on the cores that they may use.
    pub(super) ran: Duration,
    /// The times in the queue of all its threads. Threads that wait for each other stand in it one after the other; more
    /// than the time in which the bot did not run cannot have been lost.
    pub(super) waited: Duration,
    /// The time that our own thread stood in the queue.
    pub(super) own: Duration,
    /// How long one of its threads has been standing in the queue for now, as far as that is known.
    pub(super) queued: Option<Duration>,
}

/// The time of all processes of a bot, added up.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// On a core.
    pub ran: Duration,
    /// In the queue for one.
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
    /// The same where it happened in so much time.
    pub(super) fn at_most(self, time: Duration) -> Since {
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

    /// What happened in both; only in the second one does anybody stand in the queue now.
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
    /// The account of a process that was just started.
    pub(super) fn open(root: Pid) -> Account {
        let last = Counts {
            moment: Instant::now(),
            processes: Vec::new(),
            threads: Vec::new(),
            own: own_wait(),
        };
        Account {
            has_thought: false,
            family: Family::of(root),
            last,
        }
    }

    /// When the last look was.
    pub(super) fn moment(&self) -> Instant {
        self.last.moment
    }

    /// Takes the counts as they are now, and says what happened since the last look. Processes that it did not know then are
    /// not looked for.
    pub(super) fn look(&mut self) -> Since {
        let members = self.family.again();
        self.take(&members)
    }

    /// The same with all processes that there are.
    pub(super) fn look_around(&mut self) -> Since {
        let members = self.family.near();
        self.take(&members)
    }

    fn take(&mut self, members: &[Member]) -> Since {
        let now = Counts::now(members, &self.last, false);
        let since = now.since(&self.last);
        self.last = now;
        since
    }

    /// The counts of the last look.
    pub(super) fn counts(&self) -> Counts {
        self.last.clone()
    }

    /// A close look: what happened since `then` to all processes.
    pub(super) fn since(&mut self, then: &Counts) -> Since {
        self.last = Counts::now(&self.family.all(), &self.last, true);
        self.last.since(then)
    }

    /// What all processes of the bot have run and waited since it was started, those that ended included.
    pub(super) fn total(&mut self) -> Spent {
        let counts = Counts::now(&self.family.all(), &self.last, true);
        let none = Counts {
            processes: Vec::new(),
            threads: Vec::new(),
            ..counts.clone()
        };
        Spent {
            ran: counts.ran(&none),
            waited: counts.since(&none).waited,
        }
    }

    /// The processes of the bot.
    pub(super) fn family(&mut self) -> &mut Family {
        &mut self.family
    }
}

impl Counts {
    /// The counts as they are now; `last` are those of an earlier look. Whether a thread stands in the queue is only
    /// looked for where it is the first of its process, unless `closely`.
    fn now(members: &[Member], last: &Counts, closely: bool) -> Counts {
        let moment = Instant::now();
        let (mut processes, mut threads) = (Vec::new(), Vec::new());
        for member in members {
            let Some(stat) = Stat::read(&format!("/proc/{}/stat", member.pid)) else {
                continue;
            };
            processes.push(Process {
                id: member.pid,
                ran: stat.ran,
            });
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
                let then = last.thread(id);
                // Who stood in it and has not run since has not left it.
                let since = then
                    .filter(|then| then.ran == ran)
                    .and_then(|then| then.queued)
                    .unwrap_or(moment);
                threads.push(Thread {
                    id,
                    ran,
                    waited,
                    queued: is_ready.then_some(since),
                });
            }
        }
        Counts {
            moment,
            processes,
            threads,
            own: own_wait(),
        }
    }

    fn thread(&self, id: i32) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.id == id)
    }

    /// What happened since `then`.
    fn since(&self, then: &Counts) -> Since {
        let ran = |thread: &Thread| {
            thread.ran.saturating_sub(
                then.thread(thread.id)
                    .map_or(Duration::ZERO, |then| then.ran),
            )
        };
        let stands = |thread: &Thread| {
            thread.queued.map(|since| {
                self.moment
                    .saturating_duration_since(since.max(then.moment))
            })
        };
        let waited = |thread: &Thread| {
            let before = then
                .thread(thread.id)
                .map_or(Duration::ZERO, |then| then.waited);
            thread.waited.saturating_sub(before) + stands(thread).unwrap_or_default()
        };
        let cores = sched_getaffinity(None).map_or(1, |cores| cores.count().max(1));
        let longest = self.threads.iter().map(ran).max().unwrap_or_default();
        Since {
            ran: longest.max(self.ran(then) / cores),
            waited: self.threads.iter().map(waited).sum(),
            own: self.own.saturating_sub(then.own),
            queued: self.threads.iter().filter_map(stands).max(),
        }
    }

    /// How long all threads ran since `then`, added up, those that have ended included.
    fn ran(&self, then: &Counts) -> Duration {
        let of_thread = |thread: &Thread| {
            let before = then
                .thread(thread.id)
                .map_or(Duration::ZERO, |then| then.ran);
            thread.ran.saturating_sub(before)
        };
        let of_process = |process: &Process| {
            let before = then
                .processes
                .iter()
                .find(|then| then.id == process.id)
                .map_or(Duration::ZERO, |then| then.ran);
            process.ran.saturating_sub(before)
        };
        let in_ticks: Duration = self.processes.iter().map(of_process).sum();
        self.threads
            .iter()
            .map(of_thread)
            .sum::<Duration>()
            .max(in_ticks.saturating_sub(ROUNDED))
    }
}

/// What is of use in a file `stat`.
struct Stat {
    /// It runs or stands in the queue. Here it is the same: what runs on our core is us.
    is_ready: bool,
    ran: Duration,
}

impl Stat {
    fn read(path: &str) -> Option<Stat> {
        let text = fs::read_to_string(path).ok()?;
        // After the state come ten numbers, and the times on a core: user and system of its own, user and system of the
        // children that it has waited for.
        let fields = after_name(&text)?;
        let ticks: u32 = fields
            .split(' ')
            .skip(11)
            .take(4)
            .map_while(|ticks| ticks.parse::<u32>().ok())
            .sum();
        Some(Stat {
            is_ready: fields.starts_with('R'),
            ran: TICK * ticks,
        })
    }
}

/// The time of a thread on a core, and in the queue for one.
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
