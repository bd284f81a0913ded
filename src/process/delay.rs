//! How long a bot was ready to run and did not get to, because the machine was busy with something else.

use std::fs;
use std::time::Duration;

use rustix::process::Pid;

/// What the scheduler has counted for the threads of a bot and for our own thread: nanoseconds, since each began.
///
/// The kernel shows it in `schedstat`: time on a core, and time in the queue for one. Where it does not, nothing was
/// ever delayed.
#[derive(Debug)]
pub(super) struct Delays {
    pid: Pid,
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
        Delays { pid, threads: threads(pid), own: schedstat(0, "/proc/thread-self/schedstat").unwrap_or_default() }
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
        let delay = threads.iter().map(|thread| thread.waited.saturating_sub(ran - thread.ran)).max();
        let own = now.own.since(self.own).waited.saturating_sub(ran);
        Duration::from_nanos(delay.unwrap_or_default().saturating_add(own))
    }
}

impl Thread {
    fn since(self, then: Thread) -> Thread {
        let (ran, waited) = (self.ran.saturating_sub(then.ran), self.waited.saturating_sub(then.waited));
        Thread { ran, waited, ..self }
    }
}

fn threads(pid: Pid) -> Vec<Thread> {
    let folder = format!("/proc/{}/task", pid.as_raw_nonzero());
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| schedstat(id, &format!("{folder}/{id}/schedstat"))).collect()
}

fn schedstat(id: u32, path: &str) -> Option<Thread> {
    let text = fs::read_to_string(path).ok()?;
    let mut counts = text.split_whitespace().map_while(|count| count.parse().ok());
    Some(Thread { id, ran: counts.next()?, waited: counts.next()? })
}
