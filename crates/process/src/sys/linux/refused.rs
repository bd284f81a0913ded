//! What the sandbox refused to a bot that failed.
//!
//! The words of a bot prove nothing: it may quote any path. So the bot is started once more, in the
//! same sandbox and with the same input, and a thread looks at each of its system calls (`ptrace`).

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, c_long};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::unistd;
use regex_lite::Regex;
use rustix::fs::{Access, access};
use rustix::io::{Errno, write};
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{self, Pid, WaitOptions, pidfd_send_signal, wait};

use crate::files::is_too_wide;
use crate::input::without_parents;
use crate::mode::Refused;
use crate::sys::command;
use crate::sys::interrupt::Interrupt;
use crate::sys::launcher::{BotFolder, Launcher};
use crate::sys::orphans::{Starting, reap_orphans};
use crate::sys::pipe::Pipe;
use crate::sys::proc::process_of;
use crate::sys::sandbox::calls::{SHARED_MEMORY, purpose};
use crate::sys::sandbox::on_another_thread;
use crate::sys::spawn::Started;
use crate::tail::{error_line, is_place};

/// How long to watch a bot.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of input: as many as a pipe may hold.
const INPUT_MAX: usize = 1 << 20;
/// The most bytes of a path.
const PATH_MAX: usize = 4096;
/// What stops a thread at a system call, unlike a signal.
const AT_CALL: i32 = libc::SIGTRAP | 0x80;
/// What a file is opened with to change it.
const CHANGES: i32 = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;

/// Errors that are a program's own. A refusal before one was survived, unless the error names it.
const OWN_ERROR: &str = r"(?x)
    ZeroDivision | division | divide | Arithmetic | overflow | NameError | TypeError | ValueError | KeyError | IndexError
    | AttributeError | AssertionError | SyntaxError | Indentation | Recursion | EOFError | ReferenceError | RangeError
    | NoMethodError | ArgumentError | NullPointer | OutOfBounds | ClassCast | NumberFormat | NoSuchElement
    | out[ ]of[ ](range|bounds) | panicked";
/// What runtimes print between an error and the one that it led to.
const CHAINED: &str = r"above exception|Caused by|\[cause\]";
/// Words of the system and of libraries for a refused file, and for a refused call.
const DENIED: &str = "(?i)denied|eacces|(to|not|n't) open";
const NOT_PERMITTED: &str = "(?i)not permitted|eperm";
/// Words of libraries that can't reach another machine.
const UNREACHABLE: &str =
    "(?i)name resolution|getaddrinfo|eai_again|fetch failed|unknown ?host|connect";
/// The folder of shared memory with a name.
const SHM: &str = "/dev/shm";
/// Folders below a home folder whose entries belong to different programs.
const OF_MANY: [&str; 6] = [".local", ".cache", ".config", "share", "state", "bin"];

/// A system call of a stopped thread: its number, four arguments, and at its end the result.
type Call = [u64; 6];

/// A call that failed.
struct Attempt {
    process: i32,
    call: c_long,
    /// The number of the error.
    error: i32,
    path: Option<PathBuf>,
    changes: bool,
    /// How often the bot had answered.
    answers: usize,
}

/// What a bot did while it was watched.
#[derive(Default)]
struct Observation {
    /// Its home folder.
    home: PathBuf,
    /// The calls that threads are in.
    calls: BTreeMap<i32, Call>,
    /// Since it last read input: it survived what was refused before.
    attempts: Vec<Attempt>,
    /// How often it answered.
    answers: usize,
}

/// Returns the refusal that made a bot fail after it read `input` and wrote `said` to standard
/// error. If it can't be watched here, its words decide whether there was a refusal at all.
pub fn refused(
    launcher: &Launcher,
    seed: u64,
    input: &str,
    said: &str,
    interrupt: &Interrupt,
) -> Option<Refused> {
    let features = launcher.sandbox.features;
    if !features.files && !features.calls {
        return None;
    }
    let mut traced = (*launcher.sandbox).clone();
    traced.is_traced = true;
    let traced = Launcher::new(&Arc::new(traced), launcher.launch.clone());
    // A thread traces processes, and its end kills them.
    let observed = on_another_thread(|| observe(&traced, seed, input.as_bytes(), interrupt));
    let Ok(Ok((observation, folder))) = observed else {
        let is_likely = finds("(?i)permission denied|eacces", said) || finds(NOT_PERMITTED, said);
        return is_likely.then_some(Refused::Other);
    };
    reap_orphans();
    traced.give_back(folder);
    observation.cause(launcher, said)
}

/// Starts a bot and watches it until it ends.
fn observe(
    launcher: &Launcher,
    seed: u64,
    input: &[u8],
    interrupt: &Interrupt,
) -> io::Result<(Observation, Option<BotFolder>)> {
    let stdin = Pipe::to()?;
    let _ = fcntl_setpipe_size(&stdin.ours, INPUT_MAX);
    let _ = write(&stdin.ours, input);
    drop(stdin.ours);
    let output = OpenOptions::new().write(true).open("/dev/null")?;
    let streams = [stdin.its.as_fd(), output.as_fd(), output.as_fd()];
    let starting = Starting::begin();
    let started = launcher.start(seed, Some(streams));
    let (Started { pid, process }, folder) = started.map_err(io::Error::other)?;
    let _registration = starting.started(pid);
    let _watch = launcher.watch(pid, folder.as_ref());
    let mut observation = Observation::default();
    if let Some(folder) = &folder {
        observation.home.clone_from(&folder.path);
    }
    let kill = || {
        let _ = pidfd_send_signal(&process, process::Signal::KILL);
    };
    thread::scope(|scope| {
        let end = || {
            if command::wait(&process, &[interrupt], PATIENCE).is_err() {
                kill();
            }
        };
        match thread::Builder::new().spawn_scoped(scope, end) {
            Ok(_) => observation.follow(pid),
            Err(_) => kill(),
        }
    });
    Ok((observation, folder))
}

impl Observation {
    /// Looks at each system call of a process that this thread traces, and of all that it starts,
    /// until it ends.
    fn follow(&mut self, first: Pid) {
        // Only this thread's children: other threads have some, too.
        let own = (libc::__WALL | libc::__WNOTHREAD).cast_unsigned();
        let options = Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_EXITKILL;
        let mut is_set = false;
        loop {
            let (pid, status) = match wait(WaitOptions::from_bits_retain(own)) {
                Ok(Some(found)) => found,
                Err(Errno::INTR) => continue,
                _ => return,
            };
            let thread = unistd::Pid::from_raw(pid.as_raw_pid());
            let Some(signal) = status.stopping_signal() else {
                if pid == first {
                    return;
                }
                // What was refused to another process, or thread, that ended well harmed nothing.
                if status.exit_status() == Some(0) {
                    let ended = thread.as_raw();
                    self.attempts.retain(|attempt| attempt.process != ended);
                }
                continue;
            };
            is_set = is_set || ptrace::setoptions(thread, options).is_ok();
            if signal == AT_CALL {
                self.note(thread);
            }
            // Other stops come from tracing, not from the program.
            let is_own = ![AT_CALL, libc::SIGTRAP, libc::SIGSTOP].contains(&signal);
            let passed_on = Signal::try_from(signal).ok().filter(|_| is_own);
            let _ = ptrace::syscall(thread, passed_on);
        }
    }

    /// Notes a thread that begins or ends a system call.
    fn note(&mut self, thread: unistd::Pid) {
        let (id, Some(now)) = (thread.as_raw(), call_of(thread)) else {
            return;
        };
        let Some(mut call) = self.calls.remove(&id) else {
            self.calls.insert(id, now);
            return;
        };
        call[5] = now[5];
        let number = call[0].cast_signed();
        if number == libc::SYS_read && call[1] == 0 {
            self.attempts.clear();
        }
        self.answers += usize::from(number == libc::SYS_write && call[1] == 1);
        let Ok(error @ (libc::EACCES | libc::EPERM | libc::ENOENT)) =
            i32::try_from(call[5].wrapping_neg())
        else {
            return;
        };
        let of = path_of(&call);
        let path = of.and_then(|(folder, address, _)| path_at(id, folder, address));
        let is_of_home = path.iter().any(|path| path.starts_with(&self.home));
        // Programs look for many files that don't exist.
        if error != libc::ENOENT || is_of_home {
            self.attempts.push(Attempt {
                process: process_of(id).unwrap_or(id),
                call: number,
                error,
                path,
                changes: matches!(of, Some((.., true))),
                answers: self.answers,
            });
        }
    }

    /// Returns the refusal that made the bot fail: the last one that it named. If it named none, it
    /// is the last one after which it neither read nor answered.
    fn cause(&self, launcher: &Launcher, said: &str) -> Option<Refused> {
        let line = error_line(said).unwrap_or_default();
        let is_own = finds(OWN_ERROR, &line) && !finds(CHAINED, said);
        let words = if is_own { line } else { own_words(said) };
        // A stack trace whose error names no refusal has another cause.
        let is_silent = !is_own && !said.lines().any(is_place);
        let (mut best, mut cause) = (0, None);
        for attempt in &self.attempts {
            let Some(refused) = self.refused(attempt, launcher) else {
                continue;
            };
            let is_named = match (&refused, &attempt.path) {
                (Refused::Home(path), _) | (_, Some(path)) => is_named(path, &words),
                _ => false,
            };
            let rank = match attempt.error {
                _ if is_named => 3,
                libc::EPERM if finds(NOT_PERMITTED, &words) => 2,
                libc::EPERM if attempt.call == libc::SYS_socket && finds(UNREACHABLE, &words) => 2,
                libc::EACCES if attempt.is_telling() && finds(DENIED, &words) => 2,
                _ if is_silent && attempt.is_telling() && attempt.answers == self.answers => 1,
                _ => continue,
            };
            if rank >= best {
                (best, cause) = (rank, Some(refused));
            }
        }
        cause
    }

    /// Returns what the sandbox refused with a call that failed; `None` if it failed for another
    /// reason.
    fn refused(&self, attempt: &Attempt, launcher: &Launcher) -> Option<Refused> {
        let sandbox = &launcher.sandbox;
        match (&attempt.path, attempt.error) {
            (Some(path), libc::ENOENT) => home_of(path.strip_prefix(&self.home).ok()?),
            (None, libc::EPERM) if sandbox.features.calls => {
                purpose(attempt.call).map(Refused::Call)
            }
            (Some(path), libc::EACCES) if sandbox.features.files => {
                let is_broken =
                    attempt.call == libc::SYS_execve && access(path, Access::EXEC_OK).is_err();
                if path.starts_with(SHM) {
                    Some(Refused::Call(SHARED_MEMORY))
                } else if attempt.changes && may_change(path) {
                    Some(Refused::Write(path.clone()))
                } else if attempt.changes || is_broken || !launcher.closes(path) {
                    None
                } else if sandbox.within.is_some()
                    || sandbox.hidden.hides(path)
                    || is_too_wide(path)
                {
                    // Programs that others sent never get more files.
                    Some(Refused::Other)
                } else {
                    // A link in the bot's own folder may lead anywhere.
                    Some(Refused::Read(path.canonicalize().ok()?))
                }
            }
            _ => None,
        }
    }
}

impl Attempt {
    /// Returns whether few programs survive such a refusal. Runtimes try much that they don't need.
    fn is_telling(&self) -> bool {
        let Some(path) = &self.path else {
            return self.call == libc::SYS_socket;
        };
        let is_tried = ["/proc", "/sys", "/dev"]
            .iter()
            .any(|of| path.starts_with(of));
        self.error == libc::EACCES && (!is_tried || path.starts_with(SHM))
    }
}

/// Returns the call that a thread is in.
#[cfg(target_arch = "x86_64")]
fn call_of(thread: unistd::Pid) -> Option<Call> {
    let of = ptrace::getregs(thread).ok()?;
    Some([of.orig_rax, of.rdi, of.rsi, of.rdx, of.r10, of.rax])
}

/// Returns the call that a thread is in.
#[cfg(target_arch = "aarch64")]
fn call_of(thread: unistd::Pid) -> Option<Call> {
    let of = ptrace::getregs(thread).ok()?.regs;
    Some([of[8], of[0], of[1], of[2], of[3], of[0]])
}

/// Other machines have other registers.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn call_of(_: unistd::Pid) -> Option<Call> {
    None
}

/// Returns the folder to start from and the address of the path in a call, and whether the call
/// changes what is there.
fn path_of(call: &Call) -> Option<(u64, u64, bool)> {
    const HERE: u64 = u64::MAX;
    let [number, a, b, c, d, _] = *call;
    let opens = |flags: u64| flags & u64::from(CHANGES.cast_unsigned()) != 0;
    Some(match number.cast_signed() {
        libc::SYS_openat => (a, b, opens(c)),
        libc::SYS_newfstatat | libc::SYS_statx | libc::SYS_faccessat => (a, b, false),
        libc::SYS_mkdirat | libc::SYS_mknodat | libc::SYS_unlinkat => (a, b, true),
        libc::SYS_symlinkat => (b, c, true),
        libc::SYS_linkat | libc::SYS_renameat | libc::SYS_renameat2 => (c, d, true),
        libc::SYS_execve => (HERE, a, false),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => (HERE, a, opens(b)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_access => (HERE, a, false),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat | libc::SYS_mkdir | libc::SYS_unlink | libc::SYS_rmdir => (HERE, a, true),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename | libc::SYS_link | libc::SYS_symlink => (HERE, b, true),
        _ => return None,
    })
}

/// Reads a path at an address of a thread, which starts from an open folder or the current one.
fn path_at(thread: i32, folder: u64, address: u64) -> Option<PathBuf> {
    let mut bytes = [0; PATH_MAX];
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let read = memory.read_at(&mut bytes, address).ok()?;
    let path = OsStr::from_bytes(bytes[..read].split(|&byte| byte == 0).next()?);
    // The kernel uses the lower half, which is negative for the current folder.
    let start = match folder & u64::from(u32::MAX) {
        folder @ ..=0x7fff_ffff => format!("fd/{folder}"),
        _ => "cwd".to_owned(),
    };
    let start = fs::read_link(format!("/proc/{thread}/{start}")).ok()?;
    // Without the system, because the file may be missing.
    Some(without_parents(&start.join(path)))
}

/// Returns whether arena may write to a file, or make it.
fn may_change(path: &Path) -> bool {
    let changed = match path.parent() {
        Some(folder) if !path.exists() => folder,
        _ => path,
    };
    access(changed, Access::WRITE_OK).is_ok()
}

/// Returns what a program misses in its home folder if the user's has it: the first folder of one
/// program. Libraries don't count, because every Python looks for some.
fn home_of(path: &Path) -> Option<Refused> {
    let home = env::home_dir()?;
    let is_of_many = |part: &&OsStr| OF_MANY.iter().any(|folder| *part == *folder);
    let depth = path.iter().take_while(is_of_many).count();
    let own: PathBuf = path.iter().take(depth + 1).collect();
    let is_hidden = own.as_os_str().as_bytes().starts_with(b".");
    (is_hidden && !own.ends_with("lib") && home.join(path).exists()).then_some(Refused::Home(own))
}

/// Returns the lines of a standard error that don't quote the source: neither places in a stack
/// trace nor lines with a mark below.
fn own_words(said: &str) -> String {
    let lines: Vec<&str> = said.lines().chain([""]).collect();
    lines
        .windows(2)
        .filter(|pair| !is_place(pair[0]) && !pair[1].trim_start().starts_with('^'))
        .map(|pair| pair[0])
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns whether a text has the name of a file, with or without its dot in front, as a word.
fn is_named(path: &Path, text: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = regex_lite::escape(name.trim_start_matches('.'));
    !name.is_empty() && finds(&format!(r"\b{name}\b"), text)
}

/// Returns whether a pattern is in a text.
fn finds(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
}
