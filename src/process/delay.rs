//! How long a bot was ready to run and did not get to, because the machine was busy with something else.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;

/// What the scheduler has counted for the threads of a bot and for our own thread, up to some moment.
///
/// The kernel shows it in `schedstat`: nanoseconds on a core, and in the queue for one. Where it does not, nothing was
/// ever delayed.
#[derive(Debug)]
pub(super) struct Delays {
    pid: Pid,
    moment: Instant,
    threads: Vec<Thread>,
    own: Thread,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    id: u32,
    ran: u64,
    waited: u64,
}

impl Delays {
    /// The counts as they are now.
    pub(super) fn now(pid: Pid) -> Delays {
        let folder = format!("/proc/{}/task", pid.as_raw_nonzero());
        let names = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let ids = names.filter_map(|name| name.to_str()?.parse().ok());
        let threads = ids.filter_map(|id| schedstat(id, &format!("{folder}/{id}/schedstat"))).collect();
        let own = schedstat(0, "/proc/thread-self/schedstat").unwrap_or_default();
        Delays { pid, moment: Instant::now(), threads, own }
    }

    /// How long others kept the bot, or us from noticing its answer, off the cores since then. The threads of a bot also
    /// wait for each other, and we for the bot: that is its own affair, and is taken off. Of several threads the one
    /// that others delayed most counts.
    pub(super) fn so_far(&self) -> Duration {
        let now = Delays::now(self.pid);
        let since = |thread: &Thread| {
            let then = self.threads.iter().find(|then| then.id == thread.id).copied().unwrap_or_default();
            thread.since(then)
        };
        let threads: Vec<Thread> = now.threads.iter().map(since).collect();
        let ran: u64 = threads.iter().map(|thread| thread.ran).sum();
        let all = u64::try_from(now.moment.duration_since(self.moment).as_nanos()).unwrap_or(u64::MAX);
        let delay = |thread: &Thread| self.waited(thread, all).saturating_sub(ran - thread.ran);
        let delay = threads.iter().map(delay).max().unwrap_or_default();
        let own = now.own.since(self.own).waited.saturating_sub(ran);
        Duration::from_nanos(delay.saturating_add(own))
    }

    /// The time in the queue is counted when it ends. A thread that stands in it now may have done so for as long as
    /// nothing else is known of.
    fn waited(&self, thread: &Thread, all: u64) -> u64 {
        let path = format!("/proc/{}/task/{}/stat", self.pid.as_raw_nonzero(), thread.id);
        let stat = fs::read_to_string(path).unwrap_or_default();
        let is_ready = stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('R'));
        if is_ready { all.saturating_sub(thread.ran) } else { thread.waited }
    }
}

impl Thread {
    fn since(self, then: Thread) -> Thread {
        let (ran, waited) = (self.ran.saturating_sub(then.ran), self.waited.saturating_sub(then.waited));
        Thread { ran, waited, ..self }
    }
}

fn schedstat(id: u32, path: &str) -> Option<Thread> {
    let text = fs::read_to_string(path).ok()?;
    let mut counts = text.split_whitespace().map_while(|count| count.parse().ok());
    Some(Thread { id, ran: counts.next()?, waited: counts.next()? })
}
