//! Which system calls no bot needs.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::{c_int, c_long};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};

/// Refused whatever their arguments.
const REFUSED: &[&[c_long]] = &[OTHERS, SYSTEM, AROUND, SHARED, ATTRIBUTES, OLD];

/// Other processes, their memory and descriptors. `connect` too: what listens on a socket in the file system (a container
/// daemon, the session bus) acts for whoever can connect, and landlock does not stop that. Nobody could connect to what is
/// bound, but that it is bound could be seen.
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

/// Mounts, namespaces, and the kernel's own affairs.
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
    libc::SYS_setns,
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

/// What goes round this filter (`io_uring`), landlock or the memory limit.
const AROUND: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

/// What can be seen in other games, of which some outlives the process and even the run: keys, shared memory, semaphores,
/// queues; locks on files that others read; the news of what happens to a file.
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
    libc::SYS_flock,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
];

/// Modes, owners, times and attributes of files: neither a filter nor landlock knows which file is meant, so they stay as
/// they were made, in the bot's own folder too.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // setxattrat, removexattrat and file_setattr, which have these numbers everywhere and no names yet.
    463,
    466,
    469,
];

/// The older forms of some of them.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_inotify_init,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[c_long] = &[];

/// Calls whose first argument is a process, 0 for the caller itself: limits, scheduling, where memory lies.
const OF_PROCESS: [c_long; 6] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setaffinity,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Calls for a process, a group or a user, with the number that says that it is a process.
const OF_WHOM: [(c_long, c_int); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// The kinds of sockets that have an address in each message, which no filter sees: `SOCK_RAW` is another name for
/// `SOCK_DGRAM` there.
const ADDRESSED: [c_int; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];

/// What `fcntl` does of which others see something: locks, leases, news of a folder, and how long what is written is expected
/// to live, by file (`F_SET_RW_HINT`) and by descriptor (`F_SET_FILE_RW_HINT`).
const SEEN: [c_int; 8] = [
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_SETLEASE,
    libc::F_NOTIFY,
    1036,
    1038,
];

/// The second byte of the numbers of `ioctl` for file systems: attributes (`f`, `X`, `v`) and btrfs, which makes
/// subvolumes without asking landlock.
const FILE_SYSTEMS: [u8; 4] = [b'f', b'X', b'v', 0x94];

/// The namespaces that `clone` can make. `clone3` keeps its arguments in memory, where a filter does not see them, and
/// refusing it would stop threads; a namespace made that way changes nothing about the sandbox, which is inherited.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The filter. What it refuses fails with EPERM, as without permission, and never kills: a runtime that tries
/// something and does without must not look as if it had crashed. Programs for another architecture than the arena's
/// are killed, because their calls have other numbers.
pub(super) fn filter() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = REFUSED
        .concat()
        .into_iter()
        .map(|call| (call, Vec::new()))
        .collect();
    let mut refuse_if = |call, any: Vec<Condition>| -> Result<(), BackendError> {
        for one in any {
            rules
                .entry(call)
                .or_default()
                .push(SeccompRule::new(vec![condition(one)?])?);
        }
        Ok(())
    };
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        let addressed = ADDRESSED.map(|kind| (1, MaskedEq(0xf), kind));
        refuse_if(call, [&[(0, Ne, libc::AF_UNIX)], &addressed[..]].concat())?;
    }
    for call in OF_PROCESS {
        refuse_if(call, vec![(0, Ne, 0)])?;
    }
    for (call, process) in OF_WHOM {
        refuse_if(call, vec![(0, Ne, process), (1, Ne, 0)])?;
    }
    // Mono gives each of its threads the usual scheduler, policy 0, which they have already, and complains where it cannot.
    let scheduler = vec![
        condition((0, Ne, 0))?,
        condition((1, Ne, libc::SCHED_OTHER))?,
    ];
    refuse_if(
        libc::SYS_fcntl,
        SEEN.map(|command| (1, Eq, command)).to_vec(),
    )?;
    let requests = FILE_SYSTEMS.map(|letter| (1, MaskedEq(0xff00), c_int::from(letter) << 8));
    refuse_if(libc::SYS_ioctl, requests.to_vec())?;
    let namespaces = NAMESPACES.map(|flag| (0, MaskedEq(u64::from(flag.cast_unsigned())), flag));
    refuse_if(libc::SYS_clone, namespaces.to_vec())?;
    // A group of its own is every process's to make; in the group of a rival it would be taken for one of the rival's.
    refuse_if(libc::SYS_setpgid, vec![(1, Ne, 0)])?;
    rules.insert(
        libc::SYS_sched_setscheduler,
        vec![SeccompRule::new(scheduler)?],
    );
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter: BpfProgram =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, ARCH.try_into()?)?.try_into()?;
    Ok([refuse_x32(), filter].concat())
}

/// On x86-64 every call has a second number, for programs with short pointers, where the kernel knows these. They are
/// refused; the beginning of a filter.
fn refuse_x32() -> Vec<sock_filter> {
    const SECOND: u32 = 0x4000_0000;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    // Load the number of the call, which is all but negative; below the bound skip the refusal.
    let program = [(0x20, 0, 0, 0), (0x35, 0, 1, SECOND), (0x06, 0, 0, REFUSE)];
    let program = program.into_iter().filter(|_| cfg!(target_arch = "x86_64"));
    program
        .map(|(code, jt, jf, k)| sock_filter { code, jt, jf, k })
        .collect()
}

/// The number of an argument, how it compares with a value, and the value.
type Condition = (u8, SeccompCmpOp, c_int);

/// Whatever is compared, the kernel takes the lower half of it alone.
fn condition((argument, compare, value): Condition) -> Result<SeccompCondition, BackendError> {
    let value = u64::from(value.cast_unsigned());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)
}
