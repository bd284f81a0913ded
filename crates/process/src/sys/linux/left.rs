//! How many more processes and threads this user may start, and whether the machine lacks them or
//! memory.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, getuid};

use crate::lack::{self, Left};
use crate::lock::lock;
use crate::sys::proc::{all_processes, line_of};

/// The machine lacks processes if fewer threads than this can start. A runtime may start as many.
pub(crate) const FEW: usize = 32;
/// The machine lacks memory if less than this is available, in kB.
pub(crate) const MEMORY: u64 = 32 << 10;
/// The stack of a thread that only waits, in bytes.
const STACK: usize = 64 * 1024;

impl Left {
    /// Looks at all limits: of the machine, of the user, and of each control group that this
    /// process is in. Limits that can't be read don't count.
    ///
    /// A process in a new pid namespace sees neither the user's other processes nor the limits of
    /// the namespaces outside.
    pub(crate) fn measure() -> Left {
        let kernel = |name| text(Path::new("/proc/sys/kernel").join(name));
        let used = threads_of_machine(&text("/proc/loadavg"));
        let mut left = Left::of(&kernel("threads-max"), used, "kernel.threads-max");
        left = left.min(Left::of(&kernel("pid_max"), used, "kernel.pid_max"));
        // Root is exempt from the limit of a user.
        if let Some(most) = getrlimit(Resource::Nproc).current
            && !getuid().is_root()
        {
            let used = threads_of_user(getuid().as_raw());
            left = left.min(Left::of(&most.to_string(), used, "`ulimit -u`"));
        }
        for group in groups(&text("/proc/self/cgroup")) {
            let used = number(&text(group.join("pids.current"))).unwrap_or(0);
            let limit = "the pids limit of the container or service";
            left = left.min(Left::of(&text(group.join("pids.max")), used, limit));
        }
        left
    }

    /// Returns what is left of a limit. `max` and an empty text are none.
    fn of(most: &str, used: u64, limit: &str) -> Left {
        Left {
            count: number(most).map_or(u64::MAX, |most| most.saturating_sub(used)),
            limit: limit.to_owned(),
        }
    }
}

/// Returns what would help if the machine has come to a limit of processes or memory since then.
/// `threads` is how many a bot may have. Takes about a millisecond.
pub(crate) fn lack(threads: usize, since: Instant) -> Option<&'static str> {
    let memory = field("/proc/meminfo", "MemAvailable:").unwrap_or(u64::MAX);
    if has_refused() || memory < MEMORY || threads < FEW || !lets_threads_start() {
        lack::note(&Errno::AGAIN.into());
    }
    lack::noted(since)
}

/// Returns whether, since the last call, the kernel has refused processes to our control groups, or
/// killed any process because memory ran out.
pub(crate) fn has_refused() -> bool {
    static LAST: AtomicU64 = AtomicU64::new(u64::MAX);
    let mut count = field("/proc/vmstat", "oom_kill ").unwrap_or(0);
    for group in groups(&text("/proc/self/cgroup")) {
        count += field(group.join("pids.events"), "max ").unwrap_or(0);
    }
    LAST.swap(count, Ordering::Relaxed) < count
}

/// Reads the number, without its unit, in the line of a file that begins with a name.
fn field(path: impl AsRef<Path>, name: &str) -> Option<u64> {
    number(line_of(path, name)?.trim_end_matches("kB"))
}

/// Returns whether [`FEW`] more threads can start. They end at once.
fn lets_threads_start() -> bool {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = lock(&gate);
        (0..FEW).all(|_| {
            let thread = thread::Builder::new().stack_size(STACK);
            let wait = || drop(lock(&gate));
            thread.spawn_scoped(scope, wait).is_ok()
        })
    })
}

/// Reads a file; one that can't be read is empty.
fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Reads the number of all threads from `/proc/loadavg`, as in `0.1 0.2 0.3 2/188 3908`.
fn threads_of_machine(loadavg: &str) -> u64 {
    let threads = loadavg.split(['/', ' ']).nth(4).unwrap_or_default();
    number(threads).unwrap_or(0)
}

/// Counts the threads of a user. Their folder in `/proc` has a link for each, besides the two that
/// every folder has.
fn threads_of_user(user: u32) -> u64 {
    all_processes()
        .iter()
        .flat_map(|pid| fs::metadata(format!("/proc/{pid}/task")))
        .filter(|folder| folder.uid() == user)
        .map(|folder| folder.nlink().saturating_sub(2))
        .sum()
}

/// Returns the folders of control groups that count processes, from `/proc/self/cgroup`: a group
/// before the one that holds it.
///
/// In a container the first ones may not exist: the path is the host's, and the container's group
/// is the root that it sees.
fn groups(cgroup: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    // As in `0::/user.slice` or, in the first version of control groups, `8:pids:/user.slice`.
    for (kind, root) in [(":pids:", "/sys/fs/cgroup/pids"), ("::", "/sys/fs/cgroup")] {
        for (_, path) in cgroup.lines().filter_map(|line| line.split_once(kind)) {
            let own = PathBuf::from(format!("{root}{path}"));
            let all = own.ancestors().take_while(|group| group.starts_with(root));
            folders.extend(all.map(PathBuf::from));
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn texts_of_the_kernel_are_read() {
        assert_eq!(threads_of_machine("27.63 11.64 6.98 39/188 3908\n"), 188);
        assert_eq!(threads_of_machine(""), 0);
        for (most, left) in [
            ("32768\n", 32580),
            ("100\n", 0),
            ("max\n", u64::MAX),
            ("", u64::MAX),
        ] {
            assert_eq!(Left::of(most, 188, "").count, left, "{most}");
        }
    }

    #[test]
    fn control_groups_are_found_up_to_the_root() {
        let v2 = "0::/user.slice/user-1000.slice\n";
        let v1 = "9:cpu,cpuacct:/a\n8:pids:/docker/12:34\n0::/\n";
        for (text, expected) in [
            (
                v2,
                &[
                    "/sys/fs/cgroup/user.slice/user-1000.slice",
                    "/sys/fs/cgroup/user.slice",
                    "/sys/fs/cgroup",
                ][..],
            ),
            (
                v1,
                &[
                    "/sys/fs/cgroup/pids/docker/12:34",
                    "/sys/fs/cgroup/pids/docker",
                    "/sys/fs/cgroup/pids",
                    "/sys/fs/cgroup",
                ],
            ),
            ("nonsense\n\n8:pids", &[]),
        ] {
            assert_eq!(
                groups(text),
                expected.iter().map(PathBuf::from).collect::<Vec<_>>()
            );
        }
    }

    /// Tests run side by side, so other threads come and go. These stay.
    #[test]
    fn threads_of_the_user_count() {
        let barrier = Barrier::new(51);
        let count = thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| barrier.wait());
            }
            let count = threads_of_user(getuid().as_raw());
            barrier.wait();
            count
        });
        assert!(count > 50, "{count}");
    }
}
