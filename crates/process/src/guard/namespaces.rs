//! The namespaces of the inner process.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::{OURSELVES, PROBE, PROBE_INNER};

/// Returns whether the system lets us have a pid namespace with its own `/proc`.
///
/// It is tried in a separate process, because a process that failed half-way can't go back.
pub(super) fn are_available() -> bool {
    let mut probe = Command::new(OURSELVES);
    probe
        .arg0(PROBE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Tries to get a namespace, in the process that [`are_available`] started. Returns the exit status
/// to end with.
pub(super) fn probe() -> i32 {
    let inner = enter().and_then(|()| Command::new(OURSELVES).arg0(PROBE_INNER).status());
    i32::from(!inner.is_ok_and(|status| status.success()))
}

/// Makes the next child of this process the first of a pid namespace: with our own rights, or with
/// those inside a user namespace, which is all that changes for this process itself.
pub(super) fn enter() -> io::Result<()> {
    if unshare(CloneFlags::CLONE_NEWPID).is_ok() {
        return Ok(());
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Our user and group keep their numbers. Other users have no name, and groups can't be given up
    // any more.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    unshare(CloneFlags::CLONE_NEWPID)?;
    // A user other than root loses the rights over the new namespaces with `exec`, and the inner
    // process needs them.
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    Ok(())
}

/// Gives the first process of a pid namespace a `/proc` that shows this namespace. Programs that it
/// runs don't inherit the rights that this needs.
pub(super) fn own_proc() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount_change(
        "/",
        MountPropagationFlags::REC | MountPropagationFlags::PRIVATE,
    )?;
    mount(
        "proc",
        "/proc",
        "proc",
        MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC,
        None,
    )?;
    Ok(())
}
