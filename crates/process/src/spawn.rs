//! Starts a process as `posix_spawn` does, in walls of its own.
//!
//! The walls belong to a thread and cannot be taken down again, so the new process has to put them on itself, between the moment in which
//! it comes into being and the program that it becomes. std cannot do that: its hook for this moment makes it copy the page
//! tables of the whole arena. A thread for each start, which puts the walls on and ends, can; but thread and `posix_spawn` take half as
//! long again.
//!
//! This is the one module of the project with `unsafe` in it. What is asked of it:
//! * The new process shares our memory until it has become its program (`CLONE_VM`), and the thread that starts it stands still for
//!   as long (`CLONE_VFORK`), so what the order borrows stays where it is. Other threads go on. So the new process takes no lock
//!   and no memory, never panics and never returns: [`become_program`] makes system calls, writes one number that only the thread
//!   that stands still reads, and ends.
//! * It runs on a stack of its own, which is freed only after it has left it.
//! * No signal reaches it while it shares our memory: a handler of ours would run in it. All are blocked before it comes into being, and only
//!   let through once none of them has a handler any more.
#![expect(
    unsafe_code,
    reason = "clone, and the calls between it and the new program, have no safe form"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;

use libc::rlimit;
use rustix::process::Pid;
use seccompiler::BpfProgram;

/// The stack of a process until it has become its program, in bytes. It calls the system and nothing else.
const STACK: usize = 32 * 1024;

/// The process that is wanted.
pub(super) struct Order<'a> {
    /// The program, a path.
    pub(super) program: &'a CStr,
    /// Its arguments, its name first.
    pub(super) arguments: &'a [CString],
    /// Its whole environment, as `NAME=VALUE`.
    pub(super) environment: &'a [CString],
    /// Its standard streams, and that it leads a process group of its own; `None` for a process that has ours.
    pub(super) streams: Option<[BorrowedFd<'a>; 3]>,
    pub(super) walls: Walls<'a>,
}

/// What a process puts on before it becomes its program.
#[derive(Clone, Copy, Default)]
pub(super) struct Walls<'a> {
    /// Capabilities that neither it nor what it starts can get.
    pub(super) rights: &'a [c_int],
    /// Resources with their limits.
    pub(super) limits: &'a [(c_int, u64)],
    /// The landlock rules.
    pub(super) rules: Option<BorrowedFd<'a>>,
    /// The filter of system calls, where the thread that starts it has none.
    pub(super) filter: Option<&'a BpfProgram>,
}

/// A process that was started.
pub(super) struct Started {
    /// Its number, also of its group where it leads one.
    pub(super) pid: Pid,
    /// Readable once it has ended.
    pub(super) process: OwnedFd,
}

/// Starts a process.
pub(super) fn spawn(order: &Order<'_>) -> io::Result<Started> {
    let pointers = |texts: &[CString]| -> Vec<*const c_char> {
        texts
            .iter()
            .map(|text| text.as_ptr())
            .chain([ptr::null()])
            .collect()
    };
    let (arguments, environment) = (pointers(order.arguments), pointers(order.environment));
    let filter = order.walls.filter.map(|filter| libc::sock_fprog {
        // It is longer than the system takes, which then refuses it.
        len: u16::try_from(filter.len()).unwrap_or(u16::MAX),
        filter: filter.as_ptr().cast_mut().cast(),
    });
    let mut order = Prepared {
        program: order.program.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        streams: order
            .streams
            .map(|streams| streams.map(|stream| stream.as_raw_fd())),
        walls: order.walls,
        filter,
        error: 0,
    };
    let mut stack = Box::new_uninit_slice(STACK);
    let mut process: RawFd = -1;
    let blocked = block_signals()?;
    // SAFETY: the stack is ours alone, of `STACK` bytes, and grows downwards from its end, which is aligned because clone itself does that.
    // `become_program` gets a pointer to `order`, which lives until after this call and is used by nobody else: the call returns when
    // the process has become its program or has ended, and only then are stack and order used, or freed, again. `process` is
    // an integer that the system writes before anybody runs.
    let pid = unsafe {
        let top: *mut MaybeUninit<u8> = stack.as_mut_ptr_range().end;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        libc::clone(
            become_program,
            top.cast(),
            flags,
            (&raw mut order).cast(),
            &raw mut process,
        )
    };
    let failed = io::Error::last_os_error();
    unblock_signals(&blocked);
    let Some(pid) = Pid::from_raw(pid).filter(|_| pid > 0) else {
        return Err(failed);
    };
    // SAFETY: the system has just made this descriptor for us.
    let process = unsafe { OwnedFd::from_raw_fd(process) };
    if order.error == 0 {
        return Ok(Started { pid, process });
    }
    let _ = reap(pid);
    Err(io::Error::from_raw_os_error(order.error))
}

/// How a process ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// The most memory that it had in use, in bytes.
    pub(super) peak: u64,
}

/// Waits for the end of a child, and lets its number go.
pub(super) fn reap(pid: Pid) -> io::Result<Ended> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to memory of ours of the right type, which the system writes before the call returns.
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
    // SAFETY: any bytes are a valid `rusage`, those that it was made with too.
    let kilobytes = unsafe { usage.assume_init() }.ru_maxrss;
    Ok(Ended {
        status: ExitStatus::from_raw(status),
        peak: u64::try_from(kilobytes).unwrap_or(0) << 10,
    })
}

/// Blocks all signals for this thread; gives those that were blocked before.
fn block_signals() -> io::Result<libc::sigset_t> {
    let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: both pointers are to memory of ours of the right type, of which all bytes are set, and of which any value is valid.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        match libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) {
            0 => Ok(before.assume_init()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

fn unblock_signals(before: &libc::sigset_t) {
    // SAFETY: the pointer is to a set that the system itself has given; the other one may be null.
    let _ = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
}

/// An order in the form in which the new process can use it without taking memory.
struct Prepared<'a> {
    program: *const c_char,
    /// Both end with a null pointer.
    arguments: *const *const c_char,
    environment: *const *const c_char,
    streams: Option<[RawFd; 3]>,
    walls: Walls<'a>,
    filter: Option<libc::sock_fprog>,
    /// Why it did not become the program.
    error: c_int,
}

/// What the new process does.
extern "C" fn become_program(order: *mut c_void) -> c_int {
    // SAFETY: `spawn` gave a pointer to an order that nobody else uses meanwhile. All that it points to is there for as long, and
    // is as the calls want it: texts and lists that end with a null, descriptors that are open, a filter of the length that it says. The calls
    // are system calls; none of their wrappers takes a lock or memory. `_exit` runs nothing of ours.
    unsafe {
        let order = &mut *order.cast::<Prepared<'_>>();
        if prepare(order).is_some() {
            libc::execve(order.program, order.arguments, order.environment);
        }
        order.error = *libc::__errno_location();
        libc::_exit(127)
    }
}

/// Puts on the walls, and takes off what is ours; `None` with an error number where that fails.
///
/// # Safety
/// As for [`become_program`], from which alone it is called.
unsafe fn prepare(order: &Prepared<'_>) -> Option<()> {
    let done = |code: c_int| (code == 0).then_some(());
    // SAFETY: see `become_program`.
    unsafe {
        // Whatever had a handler, and what the arena ignores, does its usual thing again.
        let mut usual = MaybeUninit::<libc::sigaction>::zeroed();
        (*usual.as_mut_ptr()).sa_sigaction = libc::SIG_DFL;
        for signal in 1..32 {
            // Two of them cannot have a handler, which is an error that changes nothing.
            libc::sigaction(signal, usual.as_ptr(), ptr::null_mut());
        }
        if let Some(streams) = order.streams {
            done(libc::setpgid(0, 0))?;
            for (wanted, stream) in (0..).zip(streams) {
                // Those of the arena itself have the numbers up to 2, so that none of these is one of the three.
                if libc::dup2(stream, wanted) < 0 {
                    return None;
                }
            }
        }
        let mut none = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigemptyset(none.as_mut_ptr());
        done(libc::sigprocmask(
            libc::SIG_SETMASK,
            none.as_ptr(),
            ptr::null_mut(),
        ))?;
        let Walls {
            rights,
            limits,
            rules,
            ..
        } = order.walls;
        for right in rights {
            // Where the right to do so is missing there is nothing to take away.
            libc::prctl(libc::PR_CAPBSET_DROP, *right, 0, 0, 0);
        }
        for &(resource, limit) in limits {
            let limit = rlimit {
                rlim_cur: limit,
                rlim_max: limit,
            };
            done(libc::prlimit(
                0,
                resource.cast_unsigned(),
                &raw const limit,
                ptr::null_mut(),
            ))?;
        }
        if rules.is_some() || order.filter.is_some() {
            done(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        }
        if let Some(rules) = rules {
            let code = libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0);
            (code == 0).then_some(())?;
        }
        // Comes last: it refuses some of the calls above.
        if let Some(filter) = &order.filter {
            done(libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                ptr::from_ref(filter),
                0,
                0,
            ))?;
        }
        Some(())
    }
}
