//! System calls that no bot needs.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::{c_int, c_long};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};

/// Calls that bots are refused with any arguments.
const REFUSED: &[&[c_long]] = &[OTHERS, SYSTEM, AROUND, SHARED, MODES, ATTRIBUTES, OLD];

/// Calls that reach other processes, their memory and descriptors.
///
/// `connect` is one of them: a daemon that listens on a socket in the file system (of containers,
/// the session bus) acts for any program that can connect, and landlock doesn't stop that. `bind`
/// isn't useful without `connect`, but other bots could see the bound name.
const OTHERS: &[c_long] = &[
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
];

/// Mounts, namespaces, and administration of the kernel.
const SYSTEM: &[c_long] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
];

/// Calls that bypass this filter (`io_uring`), landlock or the limits: a removed file that is on
/// its way through a socket is seen nowhere.
const AROUND: &[c_long] = &[
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

/// Calls whose effects other games can see: keys, shared memory, semaphores and queues, which may
/// outlive the process and even the run; notifications about files.
const SHARED: &[c_long] = &[
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
];

/// Modes and times of files. Neither a filter nor landlock knows which file is meant, so they can't
/// be changed in the bot's own folder either.
///
/// For compilers these calls seem to work, and change nothing: linkers make programs executable and
/// Go sets times, but a source could make its compiler do that to any file of the user.
pub(super) const MODES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Owners and attributes of files.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // setxattrat, removexattrat and file_setattr have these numbers on all systems, and no names in
    // libc yet.
    463,
    466,
    469,
];

/// Older forms of some of these calls.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = &[libc::SYS_chown, libc::SYS_lchown, libc::SYS_inotify_init];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[c_long] = &[];

/// Calls whose first argument is a process, or 0 for the caller: limits, scheduling, placement of
/// memory.
const OF_PROCESS: [c_long; 6] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Calls for a process, a group or a user, with the first argument that means a process.
const OF_WHOM: [(c_long, c_int); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// The purpose of `/dev/shm` and of calls such as `shmget`.
pub(crate) const SHARED_MEMORY: &str = "shared memory and semaphores between processes, such as the locks, queues and pools of Python's `multiprocessing`; threads and pipes work";

/// Returns the purpose of a refused call, in words.
pub(crate) fn purpose(call: c_long) -> Option<&'static str> {
    let is_in = |lists: &[&[c_long]]| lists.concat().contains(&call);
    Some(match call {
        libc::SYS_socket | libc::SYS_connect | libc::SYS_bind | libc::SYS_sendmsg => {
            "the network, and sockets with names"
        }
        libc::SYS_inotify_init1 | libc::SYS_inotify_add_watch => "notifications about files",
        _ if is_in(&[SHARED, &[libc::SYS_memfd_create]]) => SHARED_MEMORY,
        _ if is_in(&[MODES, ATTRIBUTES, OLD]) => {
            "changes to mode, times, owner and attributes of files, even of its own"
        }
        _ if is_in(&[OTHERS, &OF_PROCESS, &[libc::SYS_kill]]) => {
            "signals to other processes, and access to their memory, limits and cores"
        }
        _ if is_in(&[SYSTEM]) => "mounts, namespaces and settings of the system",
        _ => return None,
    })
}

/// Kinds of sockets with an address in each message, which no filter sees. For Unix sockets
/// `SOCK_RAW` is another name for `SOCK_DGRAM`.
const ADDRESSED: [c_int; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];

/// Commands of `fcntl` whose effects others can see: leases, notifications about a folder, and
/// write hints by file (`F_SET_RW_HINT`) and by descriptor (`F_SET_FILE_RW_HINT`). Locks aren't
/// here: a program only locks what it may open.
const SEEN: [c_int; 4] = [libc::F_SETLEASE, libc::F_NOTIFY, 1036, 1038];

/// The second byte of the numbers of `ioctl` for file systems: attributes (`f`, `X`, `v`), and
/// btrfs, which makes subvolumes without asking landlock.
const FILE_SYSTEMS: [u8; 4] = [b'f', b'X', b'v', 0x94];

/// Flags of `clone` that are refused: new namespaces, and a process that becomes a child of the
/// arena's thread (`CLONE_PARENT`), which arena wouldn't count or stop.
const CLONE_FLAGS: [c_int; 8] = [
    libc::CLONE_PARENT,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// A thread with its own descriptors. arena looks at those of one thread of a process.
const OWN_DESCRIPTORS: Condition = (
    0,
    MaskedEq((libc::CLONE_THREAD | libc::CLONE_FILES) as u64),
    libc::CLONE_THREAD,
);

/// Builds a filter with calls that are `pretended`: none for bots, [`MODES`] for compilers.
///
/// A refused call fails with EPERM and doesn't kill the process: a runtime that tries something
/// optional must not look as if it had crashed. Programs for another architecture are killed,
/// because their calls have other numbers.
pub(super) fn filter(pretended: &[c_long]) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = BTreeMap::new();
    for call in REFUSED.concat() {
        rules.insert(call, Vec::new());
    }
    for (call, any) in refused_with() {
        let call = rules.entry(call).or_default();
        for one in any {
            call.push(SeccompRule::new(vec![condition(one)?])?);
        }
    }
    // Mono sets the default scheduler, policy 0, for each of its threads, and complains if it
    // can't.
    let special = vec![
        condition((0, Ne, 0))?,
        condition((1, Ne, libc::SCHED_OTHER))?,
    ];
    let rules_of_call = vec![SeccompRule::new(special)?];
    rules.insert(libc::SYS_sched_setscheduler, rules_of_call);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, ARCH.try_into()?)?;
    let filter: BpfProgram = filter.try_into()?;
    Ok([begin(pretended), filter].concat())
}

/// Calls that are refused if one of the conditions holds.
fn refused_with() -> Vec<(c_long, Vec<Condition>)> {
    let mut sockets = vec![(0, Ne, libc::AF_UNIX)];
    sockets.extend(ADDRESSED.map(|kind| (1, MaskedEq(0xf), kind)));
    let requests = FILE_SYSTEMS.map(|letter| (1, MaskedEq(0xff00), c_int::from(letter) << 8));
    let with = |argument, flag: c_int| (argument, MaskedEq(u64::from(flag.cast_unsigned())), flag);
    let mut clone_flags = CLONE_FLAGS.map(|flag| with(0, flag)).to_vec();
    clone_flags.push(OWN_DESCRIPTORS);
    let commands = SEEN.map(|command| (1, Eq, command));
    let unshare = with(2, libc::CLOSE_RANGE_UNSHARE.cast_signed());
    let mut refused = vec![
        (libc::SYS_socket, sockets.clone()),
        (libc::SYS_socketpair, sockets),
        (libc::SYS_fcntl, commands.to_vec()),
        (libc::SYS_ioctl, requests.to_vec()),
        (libc::SYS_clone, clone_flags),
        (libc::SYS_close_range, vec![unshare]),
        // A process may lead its own group. In the group of a rival it would be taken for one of
        // the rival's processes.
        (libc::SYS_setpgid, vec![(1, Ne, 0)]),
        // A bot enters its user namespace under this filter. Into others it has no right to go.
        (libc::SYS_setns, vec![(1, Ne, libc::CLONE_NEWUSER)]),
    ];
    refused.extend(OF_PROCESS.map(|call| (call, vec![(0, Ne, 0)])));
    refused.extend(OF_WHOM.map(|(call, process)| (call, vec![(0, Ne, process), (1, Ne, 0)])));
    refused
}

/// Returns the beginning of the filter, with calls that are `pretended`: they return 0, as if they
/// had worked.
///
/// On x86-64 it refuses the second numbers of calls, which are for programs with short pointers.
/// `clone3` doesn't exist for bots: it has its flags in memory, which a filter doesn't see.
/// Libraries then use `clone`, as they do on old kernels and in Docker.
fn begin(pretended: &[c_long]) -> Vec<sock_filter> {
    const SECOND: u32 = 0x4000_0000;
    const LOAD_NUMBER: (u16, u8, u8, u32) = (0x20, 0, 0, 0);
    let refuse = |error: c_int| (0x06, 0, 0, libc::SECCOMP_RET_ERRNO | error.unsigned_abs());
    let mut begin = vec![LOAD_NUMBER];
    if cfg!(target_arch = "x86_64") {
        // If the number is below the bound, skip the refusal.
        begin.extend([(0x35, 0, 1, SECOND), refuse(libc::EPERM)]);
    }
    // If it is another number, skip the refusal.
    let without = [(libc::SYS_clone3, libc::ENOSYS)];
    for (call, error) in pretended.iter().map(|&call| (call, 0)).chain(without) {
        let call = u32::try_from(call).unwrap_or(u32::MAX);
        begin.extend([(0x15, 0, 1, call), refuse(error)]);
    }
    let as_filter = |(code, jt, jf, k)| sock_filter { code, jt, jf, k };
    begin.into_iter().map(as_filter).collect()
}

/// The number of an argument, a comparison, and the value to compare with.
type Condition = (u8, SeccompCmpOp, c_int);

/// Builds a condition on the lower half of an argument, the only part that the kernel uses of
/// these.
fn condition((argument, compare, value): Condition) -> Result<SeccompCondition, BackendError> {
    let value = u64::from(value.cast_unsigned());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)
}
