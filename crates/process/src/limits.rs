//! Limits on what a bot may use, and signs that it wanted more memory.

use std::time::Duration;

/// The least memory limit of a compiler, in bytes. Bots take less than what makes them.
pub(crate) const COMPILER_MEMORY: u64 = 4 << 30;
/// The usual limit on the threads of all processes of a bot. Runtimes start a few for each core.
pub const THREADS: usize = 512;
/// The most bytes on the disk. A file or folder counts as at least one block.
pub(crate) const DISK: u64 = 1 << 30;
/// The most files and folders.
pub(crate) const FILES: usize = 10_000;
/// The deepest folder.
pub(crate) const DEPTH: usize = 32;

/// If a bot crashes above this share of the memory limit, in eighths, it lacked memory.
const NEAR: u64 = 6;

/// How common runtimes say on standard error that they were refused memory.
const ON_STDERR: [&str; 9] = [
    "MemoryError",
    "OutOfMemoryError",
    "There is insufficient memory for the Java Runtime",
    "JavaScript heap out of memory",
    "memory allocation of ",
    "bad_alloc",
    "runtime: out of memory",
    "Could not reserve enough space for",
    "Cannot allocate memory",
];

/// The limit that a bot exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExceededLimit {
    /// Memory, with the limit in bytes.
    #[error("killed by the arena: its processes took more than {} MB of memory together", .0 >> 20)]
    Memory(u64),
    /// Threads, with the limit.
    #[error("killed by the arena: its processes had more than {0} threads together")]
    Threads(usize),
    /// Processes that ended after their parents, with the limit for a second.
    #[error(
        "killed by the arena: more than {0} of its processes ended within a second, after their parents"
    )]
    Ended(usize),
    #[error(
        "killed by the arena: its files took more than {} MB, were more than {FILES}, nested more than {DEPTH} deep, or hidden",
        DISK >> 20
    )]
    Disk,
    #[error("killed by the arena: it kept running while it was stopped and others were to move")]
    Pauses,
    /// The time of a compilation, with the limit.
    #[error("killed by the arena: it took longer than {} s", .0.as_secs())]
    Time(Duration),
}

/// Returns whether a process that crashed seems to have been refused memory. The system doesn't
/// say, so this is a guess: its peak of memory, in bytes, came close to the limit, or its standard
/// error says so.
pub(crate) fn explains_crash(memory: u64, peak: u64, stderr: &str) -> bool {
    is_near(memory, peak) || ON_STDERR.iter().any(|words| stderr.contains(words))
}

/// Returns whether a peak of memory came close to the limit, both in bytes.
pub(crate) fn is_near(memory: u64, peak: u64) -> bool {
    peak >= memory / 8 * NEAR
}

/// Returns the option that makes a Java machine size its heap by the limit instead of the machine's
/// memory.
pub(crate) fn java_options(memory: u64) -> String {
    format!("-Xmx{}m", (memory >> 20) / 2)
}
