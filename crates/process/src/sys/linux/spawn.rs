//! Starts a process as `posix_spawn` does, with restrictions.
//!
//! Restrictions belong to a thread and can't be lifted again. So the new process has to put them on
//! itself, after it was made and before it executes its program. The standard library can't do that
//! efficiently: its hook for this moment makes it copy the page tables of the whole arena. A thread
//! for each start, which puts on the restrictions and ends, would work, but thread and
//! `posix_spawn` together take half as long again.
//!
//! This is the only module of the project with `unsafe` code. It rests on three facts:
//!
//! 1. The new process shares our memory until it executes its program (`CLONE_VM`). The thread that
//!    starts it is suspended for as long (`CLONE_VFORK`), so everything it has borrowed stays
//!    valid. Other threads keep running. Therefore the new process takes no lock, allocates
//!    nothing, never panics and never returns: [`run_child`] makes system calls, writes one number
//!    that only the suspended thread reads, and ends.
//! 2. The new process has its own stack, which is freed only after the process has left it.
//! 3. No signal handler of ours runs in the new process: all signals are blocked before it exists,
//!    and unblocked only when none of them has a handler any more. The kernel tells which signals
//!    have one ([`changed_signals`]); only this crate installs handlers.
#![expect(
    unsafe_code,
    reason = "clone, and some calls between it and the new program, have no safe form"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::sync::OnceLock;

use nix::sys::ptrace;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, signal};
use rustix::process::{
    self, Pid, Resource, Rlimit, chdir, kill_process_group, pidfd_send_signal, setpgid, setrlimit,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{
    CapabilitiesSecureBits as SecureBits, CapabilitySet, LinkNameSpaceType, capabilities,
    move_into_link_name_space, remove_capability_from_bounding_set, set_capabilities_secure_bits,
    set_no_new_privs,
};
use seccompiler::BpfProgram;

use crate::sys::guard::HANDLED;
use crate::sys::guard::namespaces::pass_on;
use crate::sys::proc::line_of;

/// The stack of a process until it executes its program, in bytes. It only makes system calls.
const STACK: usize = 32 * 1024;

/// The capabilities that bots keep if the arena runs as root: those over files, which landlock
/// restricts.
pub(crate) const KEPT: CapabilitySet =
    CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);

/// The process to start.
pub(crate) struct NewProcess<'a> {
    /// The path of its program.
    pub(crate) program: &'a CStr,
    /// Its arguments, with its name first.
    pub(crate) arguments: &'a [CString],
    /// Its whole environment, as `NAME=VALUE`.
    pub(crate) environment: &'a [CString],
    /// The folder to start in, unless it is ours.
    pub(crate) folder: Option<&'a CStr>,
    /// Its standard streams, if it should lead a new process group; `None` for a process that
    /// shares our streams.
    pub(crate) streams: Option<[BorrowedFd<'a>; 3]>,
    pub(crate) restrictions: Restrictions<'a>,
}

/// Restrictions that a process puts on before it executes its program.
pub(crate) struct Restrictions<'a> {
    /// Whether neither it nor its children can get capabilities, except [`KEPT`] ones.
    pub(crate) drops_capabilities: bool,
    /// Resources with their limits.
    pub(crate) limits: Vec<(Resource, u64)>,
    /// A user namespace to enter.
    pub(crate) users: Option<BorrowedFd<'a>>,
    /// Whether the thread that starts it traces it.
    pub(crate) is_traced: bool,
    /// The landlock rules.
    pub(crate) rules: Option<BorrowedFd<'a>>,
    /// The filter of system calls, unless the thread that starts it has it on.
    pub(crate) filter: Option<&'a BpfProgram>,
}

/// A process that was started.
pub(crate) struct Started {
    /// Its number, and that of its group if it leads one.
    pub(crate) pid: Pid,
    /// Readable once it has ended.
    pub(crate) process: OwnedFd,
}

/// The argument of [`run_child`], prepared so that the child allocates nothing.
struct Prepared<'a> {
    new: &'a NewProcess<'a>,
    /// Ends with a null pointer.
    arguments: Vec<*const c_char>,
    /// Ends with a null pointer.
    environment: Vec<*const c_char>,
    /// The signals that may not have their default effect.
    signals: &'static [Signal],
    /// Why it did not execute its program; 0 if it did.
    error: c_int,
}

/// Starts a process.
pub(crate) fn spawn(new: &NewProcess<'_>) -> io::Result<Started> {
    let mut prepared = Prepared {
        new,
        arguments: pointers(new.arguments),
        environment: pointers(new.environment),
        signals: changed_signals(),
        error: 0,
    };
    let mut stack = Box::<[u8]>::new_uninit_slice(STACK);
    let stack_end: *mut MaybeUninit<u8> = stack.as_mut_ptr_range().end;
    let mut process: RawFd = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    let blocked_before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
    // SAFETY: The stack is ours, has `STACK` bytes, and grows downwards from its end, which `clone`
    // aligns. `run_child` gets a pointer to `prepared`. Both are used by nothing else, and outlive
    // the child's use of them: the call returns when the child has executed its program or has
    // ended (facts 1 and 2). The kernel writes `process` before the call returns. The flags that
    // take further pointers aren't set.
    let pid = unsafe {
        libc::clone(
            run_child,
            stack_end.cast(),
            flags,
            (&raw mut prepared).cast(),
            &raw mut process,
        )
    };
    let failed = io::Error::last_os_error();
    let _ = blocked_before.thread_set_mask();
    // With debug assertions, `from_raw` panics at the -1 of a failure.
    let Some(pid) = Pid::from_raw(pid.max(0)) else {
        return Err(failed);
    };
    // SAFETY: `clone` has succeeded, so this is a new descriptor that nothing else owns.
    let process = unsafe { OwnedFd::from_raw_fd(process) };
    if prepared.error == 0 {
        return Ok(Started { pid, process });
    }
    let _ = reap(pid);
    Err(io::Error::from_raw_os_error(prepared.error))
}

/// The signals that this process handles or ignores, or may handle later: a look at all of them for
/// each start would take 31 calls.
fn changed_signals() -> &'static [Signal] {
    static CHANGED: OnceLock<Vec<Signal>> = OnceLock::new();
    CHANGED.get_or_init(|| {
        let mask = |name| u64::from_str_radix(&line_of("/proc/self/status", name)?, 16).ok();
        let changed = match (mask("SigCgt:"), mask("SigIgn:")) {
            (Some(caught), Some(ignored)) => caught | ignored,
            _ => u64::MAX,
        };
        // Bit n - 1 is for signal n.
        let is_changed = |signal: &Signal| {
            HANDLED.contains(&(*signal as c_int)) || changed >> (*signal as c_int - 1) & 1 == 1
        };
        Signal::iterator().filter(is_changed).collect()
    })
}

/// Returns pointers to the texts, with a null pointer at the end.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let mut pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
    pointers.push(ptr::null());
    pointers
}

/// Runs in the new process.
extern "C" fn run_child(prepared: *mut c_void) -> c_int {
    // SAFETY: `spawn` passed a pointer to a `Prepared`, which lives until this process is done with
    // it and which nothing else uses meanwhile (fact 1).
    let prepared = unsafe { &mut *prepared.cast::<Prepared<'_>>() };
    let error = match restrict(prepared.new, prepared.signals) {
        Ok(()) => {
            // SAFETY: The program is a C string. Both lists hold pointers to C strings and end with
            // a null pointer. `spawn` has borrowed all of them.
            unsafe {
                libc::execve(
                    prepared.new.program.as_ptr(),
                    prepared.arguments.as_ptr(),
                    prepared.environment.as_ptr(),
                )
            };
            io::Error::last_os_error()
        }
        Err(error) => error,
    };
    prepared.error = error.raw_os_error().unwrap_or(libc::EIO);
    // SAFETY: It ends the process at once, and runs no code of ours.
    unsafe { libc::_exit(127) }
}

/// Takes off what the process has from us, and puts on its restrictions. Runs in the child: it
/// takes no lock, allocates nothing and never panics (fact 1). All calls are system calls, and an
/// error holds only its number.
fn restrict(new: &NewProcess<'_>, signals: &[Signal]) -> io::Result<()> {
    for number in signals {
        // SAFETY: The default action runs no code of ours. The call changes the handlers of the
        // child alone, because `CLONE_SIGHAND` isn't set. For the two signals that can't have a
        // handler it fails.
        let _ = unsafe { signal(*number, SigHandler::SigDfl) };
    }
    if let Some([stdin, stdout, stderr]) = new.streams {
        setpgid(None, None)?;
        // Our own streams have the numbers up to 2, so none of these is overwritten before it is
        // used.
        dup2_stdin(stdin)?;
        dup2_stdout(stdout)?;
        dup2_stderr(stderr)?;
    }
    SigSet::empty().thread_set_mask()?;
    if let Some(folder) = new.folder {
        // Moves the child alone, because `CLONE_FS` isn't set. A C string is passed on as it is.
        chdir(folder)?;
    }
    let restrictions = &new.restrictions;
    if restrictions.drops_capabilities {
        drop_capabilities();
    }
    if let Some(users) = restrictions.users {
        enter(users)?;
    }
    for &(resource, limit) in &restrictions.limits {
        let limit = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        setrlimit(resource, limit)?;
    }
    if let Some(rules) = restrictions.rules {
        set_no_new_privs(true)?;
        apply_rules(rules)?;
    }
    if restrictions.is_traced {
        ptrace::traceme()?;
    }
    // The filter comes last, because it refuses some of the calls above.
    if let Some(filter) = restrictions.filter {
        seccompiler::apply_filter(filter).map_err(|_| io::Error::last_os_error())?;
    }
    Ok(())
}

/// Takes all capabilities except [`KEPT`] ones from all programs that this thread starts.
///
/// Some of them bypass the sandbox: `CAP_PERFMON` shows the environment of every process, and
/// `CAP_SYS_RESOURCE` lifts limits.
pub(crate) fn drop_capabilities() {
    // `iter` would skip capabilities that rustix has no name for.
    for bit in 0..64 {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        if !KEPT.contains(capability) {
            // It only fails without the right to do so, and then there is nothing to take away.
            let _ = remove_capability_from_bounding_set(capability);
        }
    }
}

/// Enters a user namespace. The new program gets no capabilities there, not even as root, except
/// those of [`KEPT`] that we have.
fn enter(users: BorrowedFd<'_>) -> io::Result<()> {
    let kept = capabilities(None)?.effective & KEPT;
    move_into_link_name_space(users, Some(LinkNameSpaceType::User))?;
    set_capabilities_secure_bits(SecureBits::NO_ROOT | SecureBits::NO_ROOT_LOCKED)?;
    pass_on(kept)
}

/// Puts this process under landlock rules.
fn apply_rules(rules: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: The system call takes an open descriptor and flags, and writes to no memory.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Kills a process that leads a group, and the group. It isn't reaped yet, so its number is its
/// own.
pub(crate) fn kill(pid: Pid, process: &OwnedFd) {
    let _ = kill_process_group(pid, process::Signal::KILL);
    // It may have moved to another group. Without this, a wait for its end could last for ever.
    let _ = pidfd_send_signal(process, process::Signal::KILL);
}

/// How a process ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The most memory that it used, in bytes.
    pub(crate) peak: u64,
}

/// Waits for the end of a child, and frees its number.
pub(crate) fn reap(pid: Pid) -> io::Result<Ended> {
    wait(pid, 0)?.ok_or_else(|| io::ErrorKind::WouldBlock.into())
}

/// Frees the number of a child that has ended; `None` if it hasn't, or if another process that
/// traces it has to hear of its end first.
pub(crate) fn reap_ended(pid: Pid) -> io::Result<Option<Ended>> {
    wait(pid, libc::WNOHANG)
}

fn wait(pid: Pid, options: c_int) -> io::Result<Option<Ended>> {
    let (number, mut status) = (pid.as_raw_nonzero().get(), 0);
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let found = loop {
        // SAFETY: Both pointers are to memory of the right type, which the call may write.
        let found = unsafe { libc::wait4(number, &raw mut status, options, usage.as_mut_ptr()) };
        let error = io::Error::last_os_error();
        match found {
            ..0 if error.kind() == io::ErrorKind::Interrupted => {}
            ..0 => return Err(error),
            found => break found,
        }
    };
    // SAFETY: The call has written it, and zeroes would be a valid `rusage`, too.
    let kilobytes = unsafe { usage.assume_init() }.ru_maxrss;
    Ok((found > 0).then(|| Ended {
        status: ExitStatus::from_raw(status),
        peak: u64::try_from(kilobytes).unwrap_or(0) << 10,
    }))
}
