//! Starts a process as `posix_spawn` does, with restrictions.
//!
//! Restrictions belong to a thread and can't be lifted again. So the new process has to put them on itself, after it was made and
//! before it executes its program. The standard library can't do that efficiently: its hook for this moment makes it copy the
//! page tables of the whole arena. A thread for each start, which puts on the restrictions and ends, would work, but thread and
//! `posix_spawn` together take half as long again.
//!
//! This is the only module of the project with `unsafe` code. It rests on three facts:
//!
//! 1. The new process shares our memory until it executes its program (`CLONE_VM`). The thread that starts it is suspended for as
//!    long (`CLONE_VFORK`), so everything it has borrowed stays valid. Other threads keep running. Therefore the new process
//!    takes no lock, allocates nothing, never panics and never returns: [`run_child`] makes system calls, writes one number that
//!    only the suspended thread reads, and ends.
//! 2. The new process has a stack of its own, which is freed only after the process has left it.
//! 3. No signal handler of ours runs in the new process: all signals are blocked before it exists, and unblocked only when none of
//!    them has a handler any more.
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

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, setpgid, setrlimit};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set, set_no_new_privs};
use seccompiler::BpfProgram;

/// The stack of a process until it executes its program, in bytes. It only makes system calls.
const STACK: usize = 32 * 1024;

/// The process to start.
pub(crate) struct NewProcess<'a> {
    /// The path of its program.
    pub(crate) program: &'a CStr,
    /// Its arguments, with its name first.
    pub(crate) arguments: &'a [CString],
    /// Its whole environment, as `NAME=VALUE`.
    pub(crate) environment: &'a [CString],
    /// Its standard streams, if it should lead a process group of its own; `None` for a process that shares our streams.
    pub(crate) streams: Option<[BorrowedFd<'a>; 3]>,
    pub(crate) restrictions: Restrictions<'a>,
}

/// Restrictions that a process puts on before it executes its program.
#[derive(Clone, Copy, Default)]
pub(crate) struct Restrictions<'a> {
    /// Single capabilities that neither it nor its children can get.
    pub(crate) capabilities: &'a [CapabilitySet],
    /// Resources with their limits.
    pub(crate) limits: &'a [(Resource, u64)],
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

/// A process in the form in which the child can use it without allocating.
struct Prepared<'a> {
    program: *const c_char,
    /// Ends with a null pointer.
    arguments: *const *const c_char,
    /// Ends with a null pointer.
    environment: *const *const c_char,
    streams: Option<[BorrowedFd<'a>; 3]>,
    restrictions: Restrictions<'a>,
    filter: Option<libc::sock_fprog>,
    /// Why it did not execute its program; 0 if it did.
    error: c_int,
}

/// Starts a process.
pub(crate) fn spawn(new: &NewProcess<'_>) -> io::Result<Started> {
    let arguments = pointers(new.arguments);
    let environment = pointers(new.environment);
    let filter = new.restrictions.filter.map(|filter| libc::sock_fprog {
        // The kernel refuses a filter that is as long as this.
        len: u16::try_from(filter.len()).unwrap_or(u16::MAX),
        filter: filter.as_ptr().cast_mut().cast(),
    });
    let mut prepared = Prepared {
        program: new.program.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        streams: new.streams,
        restrictions: new.restrictions,
        filter,
        error: 0,
    };
    let mut stack = Box::<[u8]>::new_uninit_slice(STACK);
    let stack_end: *mut MaybeUninit<u8> = stack.as_mut_ptr_range().end;
    let mut process: RawFd = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    let blocked = block_signals()?;
    // SAFETY: The stack is ours, has `STACK` bytes, and grows downwards from its end, which `clone` aligns. `run_child` gets a
    // pointer to `prepared`. Both are used by nothing else, and outlive the child's use of them: the call returns when the child
    // has executed its program or has ended (facts 1 and 2). The kernel writes `process` before the call returns. The flags
    // that take further pointers aren't set.
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
    restore_signals(&blocked);
    let Some(pid) = Pid::from_raw(pid).filter(|_| pid > 0) else {
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

/// Returns pointers to the texts, with a null pointer at the end.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let mut pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
    pointers.push(ptr::null());
    pointers
}

/// Runs in the new process.
extern "C" fn run_child(prepared: *mut c_void) -> c_int {
    // SAFETY: `spawn` passed a pointer to a `Prepared`, which lives until this process is done with it and which nothing else
    // uses meanwhile (fact 1).
    let prepared = unsafe { &mut *prepared.cast::<Prepared<'_>>() };
    let error = match restrict(prepared) {
        Ok(()) => {
            // SAFETY: The program is a C string. Both lists hold pointers to C strings and end with a null pointer. `spawn`
            // has borrowed all of them.
            unsafe { libc::execve(prepared.program, prepared.arguments, prepared.environment) };
            last_error()
        }
        Err(error) => error,
    };
    prepared.error = error.raw_os_error();
    // SAFETY: It ends the process at once, and runs no code of ours.
    unsafe { libc::_exit(127) }
}

/// Takes off what the process has from us, and puts on its restrictions. Runs in the child: it takes no lock, allocates nothing and never panics (fact 1). All calls are system calls.
fn restrict(prepared: &Prepared<'_>) -> Result<(), Errno> {
    reset_handlers();
    if let Some([stdin, stdout, stderr]) = prepared.streams {
        setpgid(None, None)?;
        // Our own streams have the numbers up to 2, so none of these is overwritten before it is used.
        dup2_stdin(stdin)?;
        dup2_stdout(stdout)?;
        dup2_stderr(stderr)?;
    }
    unblock_signals()?;
    let Restrictions {
        capabilities,
        limits,
        rules,
        ..
    } = prepared.restrictions;
    for capability in capabilities {
        // It only fails without the right to do so, and then there is nothing to take away.
        let _ = remove_capability_from_bounding_set(*capability);
    }
    for &(resource, limit) in limits {
        let limit = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        setrlimit(resource, limit)?;
    }
    if rules.is_some() || prepared.filter.is_some() {
        set_no_new_privs(true)?;
    }
    if let Some(rules) = rules {
        apply_rules(rules)?;
    }
    // The filter comes last, because it refuses some of the calls above.
    prepared.filter.as_ref().map_or(Ok(()), apply_filter)
}

/// Gives signals that have a handler, or that the arena ignores, their default action again.
fn reset_handlers() {
    let mut default = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: Zeroes are a valid `sigaction`.
    unsafe { default.assume_init_mut() }.sa_sigaction = libc::SIG_DFL;
    for signal in 1..32 {
        // SAFETY: The pointer is to an initialised `sigaction`, and the other one may be null. The call changes the handlers of
        // the child alone, because `CLONE_SIGHAND` isn't set. For the two signals that can't have a handler it fails.
        unsafe { libc::sigaction(signal, default.as_ptr(), ptr::null_mut()) };
    }
}

/// Puts this process under landlock rules.
fn apply_rules(rules: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: The system call takes an open descriptor and flags, and writes to no memory.
    let code = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) };
    if code == 0 { Ok(()) } else { Err(last_error()) }
}

/// Puts this process under a filter of system calls.
fn apply_filter(filter: &libc::sock_fprog) -> Result<(), Errno> {
    // SAFETY: The pointer is to a filter that `spawn` has borrowed, and whose length is right unless the kernel refuses it. The
    // kernel only reads it.
    let code = unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            ptr::from_ref(filter),
            0,
            0,
        )
    };
    if code == 0 { Ok(()) } else { Err(last_error()) }
}

/// Returns the error of the last call of the C library. It neither locks nor allocates.
fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Blocks all signals for this thread, and returns those that were blocked before.
fn block_signals() -> io::Result<libc::sigset_t> {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: The pointer is to a signal set, which the call initialises.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: The pointers are to signal sets: one is initialised, the other one is written.
    match unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) } {
        // SAFETY: The call has succeeded, so it has written the set.
        0 => Ok(unsafe { before.assume_init() }),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Sets the blocked signals of this thread.
fn restore_signals(blocked: &libc::sigset_t) {
    // SAFETY: The pointer is to a set that the system has written, and the other one may be null.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, blocked, ptr::null_mut()) };
}

/// Lets all signals through, in the child.
fn unblock_signals() -> Result<(), Errno> {
    let mut none = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: The pointer is to a signal set, which the call initialises.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    // SAFETY: The pointer is to an initialised set, and the other one may be null.
    let code = unsafe { libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut()) };
    if code == 0 { Ok(()) } else { Err(last_error()) }
}

/// How a process ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The most memory that it used, in bytes.
    pub(crate) peak: u64,
}

/// Waits for the end of a child, and frees its number.
pub(crate) fn reap(pid: Pid) -> io::Result<Ended> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: Both pointers are to memory of the right type, which the call may write.
        let reaped = unsafe {
            libc::wait4(
                pid.as_raw_nonzero().get(),
                &raw mut status,
                0,
                usage.as_mut_ptr(),
            )
        };
        if reaped > 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: The call has written it, and zeroes would be a valid `rusage`, too.
    let kilobytes = unsafe { usage.assume_init() }.ru_maxrss;
    Ok(Ended {
        status: ExitStatus::from_raw(status),
        peak: u64::try_from(kilobytes).unwrap_or(0) << 10,
    })
}
