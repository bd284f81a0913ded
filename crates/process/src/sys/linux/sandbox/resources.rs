//! Limits on what each process of a bot may use.

use std::sync::LazyLock;

use rustix::process::Resource::{self, Core, Data, Fsize, Nofile, Nproc, Sigpending};
use rustix::process::{Rlimit, getrlimit, setrlimit};

/// The most open files of a bot. Runtimes open a few dozen.
pub(crate) const OPEN_FILES: u64 = 1024;
/// The most bytes of a file that a bot writes.
pub(crate) const FILE_SIZE: u64 = 256 << 20;

/// The most queued signals and timers.
pub(crate) const SIGNALS: u64 = 512;

/// The resources that are limited; the last two only if a bot has a user namespace of its own.
///
/// `RLIMIT_AS` would stop every runtime that reserves more addresses than it uses, such as Java and
/// Node.
const LIMITED: [Resource; 6] = [Data, Nofile, Fsize, Core, Nproc, Sigpending];
/// arena's own limits of these, read once. Those of a bot can't be higher.
static OWN: LazyLock<[u64; 6]> =
    LazyLock::new(|| LIMITED.map(|of| getrlimit(of).maximum.unwrap_or(u64::MAX)));

/// Returns the resources of each process of a bot with their limits, for a memory limit in bytes
/// and, if its user namespace has nobody else, a limit of threads. Children inherit them.
pub(super) fn resources(memory: u64, threads: Option<u64>) -> Vec<(Resource, u64)> {
    let mut limits = vec![memory, OPEN_FILES, FILE_SIZE, 0];
    if let Some(threads) = threads {
        limits.extend([threads, SIGNALS]);
    }
    let own = LIMITED.into_iter().zip(&*OWN);
    own.zip(limits)
        .map(|((of, own), limit)| (of, limit.min(*own)))
        .collect()
}

/// Keeps this process and its children from writing core dumps. A limit set from outside would come
/// too late.
pub(super) fn no_core_dumps() {
    let maximum = getrlimit(Core).maximum;
    let current = Some(0);
    let _ = setrlimit(Core, Rlimit { current, maximum });
}
