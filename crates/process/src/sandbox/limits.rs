//! What a bot may use of the machine.

use rustix::process::{Resource, Rlimit, getrlimit, prlimit, setrlimit};

/// The most open files of a bot. Runtimes open a few dozen.
const OPEN_FILES: u64 = 1024;
/// The most bytes of a file that a bot writes.
const FILE_SIZE: u64 = 256 << 20;

/// The share of the memory limit, in eighths, from which on a crash is taken for want of memory.
const NEAR: u64 = 6;

/// How the usual runtimes put it, in their last words, that they were refused memory.
const LAST_WORDS: [&str; 9] = [
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

/// What a Java machine says of it on standard output, in the place of an answer.
const ON_STDOUT: [&str; 5] = [
    "OutOfMemoryError",
    "There is insufficient memory for the Java Runtime",
    "os::commit_memory(",
    // The stack of a thread is memory, too.
    "pthread_create failed (EAGAIN)",
    "Could not reserve enough space for",
];

/// The line that it may begin with.
pub(crate) const MARK: &[u8] = b"#";

/// Whether standard output tells that a Java machine was refused memory.
pub(crate) fn is_out_of_memory(line: &[u8]) -> bool {
    // The shortest line that does is much longer than nearly all answers.
    let holds = |words: &str| {
        line.windows(words.len())
            .any(|window| window == words.as_bytes())
    };
    line.len() > ON_STDOUT[0].len() && ON_STDOUT.iter().any(|words| holds(words))
}

/// The limits of each process of a bot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of private, writable memory, used or not.
    pub memory: u64,
}

impl Limits {
    /// The resources with their limits. What a process starts inherits them.
    pub(crate) fn resources(self) -> [(i32, u64); 4] {
        // `RLIMIT_AS` would stop every runtime that reserves more addresses than it uses, Java and Node for two.
        let limits = [
            (Resource::Data, libc::RLIMIT_DATA, self.memory),
            (Resource::Nofile, libc::RLIMIT_NOFILE, OPEN_FILES),
            (Resource::Fsize, libc::RLIMIT_FSIZE, FILE_SIZE),
            (Resource::Core, libc::RLIMIT_CORE, 0),
        ];
        // Limits that we ourselves are under cannot be raised.
        let within_ours = |resource, limit| {
            getrlimit(resource)
                .maximum
                .map_or(limit, |ours| ours.min(limit))
        };
        limits.map(|(resource, number, limit)| (number.cast_signed(), within_ours(resource, limit)))
    }

    /// Whether a process that crashed seems to have been refused memory. The system does not tell, so this is a guess:
    /// its peak of memory in use, in bytes, came close to the limit, or its last words say so.
    pub(crate) fn explain(self, peak: u64, last_words: &str) -> bool {
        peak >= self.memory / 8 * NEAR || LAST_WORDS.iter().any(|words| last_words.contains(words))
    }

    /// The option that makes a Java machine size its heap by the limit and not by the machine.
    pub(crate) fn java_options(self) -> String {
        format!("-Xmx{}m", (self.memory >> 20) / 2)
    }
}

/// Whether limits can be set at all.
pub(super) fn try_out() -> bool {
    let limit = getrlimit(Resource::Core);
    prlimit(Some(rustix::process::getpid()), Resource::Core, limit).is_ok()
}

/// Keeps this process and all that it starts from writing core dumps: no limit set from outside is there as early.
pub(super) fn no_core_dumps() {
    let maximum = getrlimit(Resource::Core).maximum;
    let _ = setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum,
        },
    );
}
