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

/// How a pid namespace can be had: the exit status of a process that has tried it out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// With the rights that we have.
    Plain = 0,
    /// With the rights that a user namespace gives.
    User = 10,
}

/// The exit status of one that could not have it.
const REFUSED: i32 = 11;

/// Finds out, in a process of its own, how a pid namespace with its own `/proc` can be had: a process that has tried
/// and failed half-way cannot go back. `None` if not at all.
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

/// What the process started by [`find_way`] does.
pub(super) fn probe() -> i32 {
    let is_had = |way: &Way| (*way == Way::User || geteuid().is_root()) && enter(*way).is_ok();
    let Some(way) = [Way::Plain, Way::User].into_iter().find(is_had) else {
        return REFUSED;
    };
    let status = Command::new("/proc/self/exe").arg0(PROBE_INNER).status();
    if status.is_ok_and(|status| status.success()) {
        way as i32
    } else {
        REFUSED
    }
}

/// Makes the next child of this process the first of a pid namespace. This process itself stays where it is, but for
/// the user namespace.
pub(super) fn enter(way: Way) -> io::Result<()> {
    if way == Way::Plain {
        return Ok(unshare(CloneFlags::CLONE_NEWPID)?);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Everybody keeps their own number; whoever is not us cannot be named, and groups can no longer be given up.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    unshare(CloneFlags::CLONE_NEWPID)?;
    // A user who is not root loses the rights over the new namespaces with `exec`, and the inner process needs them.
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    Ok(())
}

/// Gives the first process of a pid namespace a `/proc` that shows this namespace, and takes care that the rights it
/// needed for that are not handed on to programs it runs.
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
