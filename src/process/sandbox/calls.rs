//! Which system calls no bot needs.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Refused whatever their arguments: other processes and their descriptors, mounts and namespaces, calls that go round
/// this filter (`io_uring`) or round the memory limit (`memfd_create`), the kernel's own affairs. `connect` too: what
/// listens on a socket in the file system (a container daemon, the session bus) acts for whoever can connect, and landlock
/// does not stop that.
const REFUSED: &[c_long] = &[
    libc::SYS_connect,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
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
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_open_by_handle_at,
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

/// The namespaces that `clone` can make. `clone3` keeps its arguments in memory, where a filter does not see them, and
/// refusing it would stop threads; a namespace made that way changes nothing about the sandbox, which is inherited.
const NAMESPACES: [i32; 7] = [
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
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    let unix = u64::from(libc::AF_UNIX.unsigned_abs());
    rules.insert(libc::SYS_socket, vec![rule(0, SeccompCmpOp::Ne, unix)?]);
    // A group of its own is every process's to make; in the group of a rival it would be taken for one of the rival's.
    rules.insert(libc::SYS_setpgid, vec![rule(1, SeccompCmpOp::Ne, 0)?]);
    let namespaces = NAMESPACES.iter().map(|flag| u64::from(flag.cast_unsigned()));
    let namespaces = namespaces.map(|flag| rule(0, SeccompCmpOp::MaskedEq(flag), flag));
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, ARCH.try_into()?)?.try_into()
}

/// Holds for calls whose argument at this place compares so.
fn rule(argument: u8, compare: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)?])
}
