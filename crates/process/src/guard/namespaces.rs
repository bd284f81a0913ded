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

use super::PROBE_INNER;

/// How to get a pid namespace, as the exit status of the process that tried it out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// With our own rights.
    Plain = 0,
    /// With the rights inside a user namespace.
    User = 10,
}

/// The exit status if there is no way.
const REFUSED: i32 = 11;

/// Finds a way to get a pid namespace with its own `/proc`; `None` if the system refuses.
///
/// It is tried in a separate process, because a process that failed half-way can't go back.
pub(super) fn find_way() -> Option<Way> {
    let mut probe = Command::new("/proc/self/exe");
    probe
        .arg0(super::PROBE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = probe.status().ok()?.code()?;
    [Way::Plain, Way::User]
        .into_iter()
        .find(|way| *way as i32 == status)
}

/// Tries to get a namespace, in the process that [`find_way`] started.
pub(super) fn probe() -> i32 {
    for way in [Way::Plain, Way::User] {
        let may_try = way == Way::User || geteuid().is_root();
        if may_try && enter(way).is_ok() {
            let status = Command::new("/proc/self/exe").arg0(PROBE_INNER).status();
            let is_complete = status.is_ok_and(|status| status.success());
            return if is_complete { way as i32 } else { REFUSED };
        }
    }
    REFUSED
}

/// Makes the next child of this process the first of a pid namespace. This process itself changes only its user namespace.
pub(super) fn enter(way: Way) -> io::Result<()> {
    if way == Way::Plain {
        return Ok(unshare(CloneFlags::CLONE_NEWPID)?);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Our user and group keep their numbers. Other users have no name, and groups can't be given up any more.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    unshare(CloneFlags::CLONE_NEWPID)?;
    // A user other than root loses the rights over the new namespaces with `exec`, and the inner process needs them.
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    Ok(())
}

/// Gives the first process of a pid namespace a `/proc` that shows this namespace. Programs that it runs don't inherit the
/// rights that this needs.
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
