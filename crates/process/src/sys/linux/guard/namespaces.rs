//! The namespaces of the inner process.

use std::fmt::{Display, Write as _};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::{OURSELVES, PROBE, PROBE_INNER, USERS};

/// Returns whether the system lets us have a pid namespace with its own `/proc`.
///
/// It is tried in a separate process, because a process that failed half-way can't go back.
pub(super) fn are_available() -> bool {
    let probe = Command::new(OURSELVES).arg0(PROBE).output();
    probe.is_ok_and(|probe| probe.status.success())
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
    let numbers = own_numbers();
    unshare(CloneFlags::CLONE_NEWUSER)?;
    keep_numbers("self", numbers)?;
    unshare(CloneFlags::CLONE_NEWPID)?;
    // A user other than root loses the rights over the new namespaces with `exec`, and the inner
    // process needs them.
    pass_on(CapabilitySet::SYS_ADMIN)
}

/// Lets the program that this process executes keep these capabilities. Makes only system calls.
pub(crate) fn pass_on(kept: CapabilitySet) -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= kept;
    set_capabilities(None, sets)?;
    for capability in kept.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Lets these users and groups keep their numbers in the user namespace of a process. Others have
/// no name there, and groups can't be given up any more.
fn keep_numbers(process: impl Display, [users, groups]: [String; 2]) -> io::Result<()> {
    fs::write(format!("/proc/{process}/setgroups"), "deny")?;
    fs::write(format!("/proc/{process}/uid_map"), users)?;
    fs::write(format!("/proc/{process}/gid_map"), groups)
}

/// Returns the user and the group of this process, for [`keep_numbers`].
fn own_numbers() -> [String; 2] {
    [geteuid().as_raw(), getegid().as_raw()].map(|number| format!("{number} {number} 1"))
}

/// Returns all users or groups that have numbers here, for [`keep_numbers`].
fn all_numbers(map: &str) -> io::Result<String> {
    let mut all = String::new();
    for line in fs::read_to_string(format!("/proc/self/{map}"))?.lines() {
        if let [first, _, count] = line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
            let _ = writeln!(all, "{first} {first} {count}");
        }
    }
    Ok(all)
}

/// Makes a user namespace. If arena runs as root, all users and groups keep their numbers in it,
/// because root has rights over their files.
///
/// A process with several threads can't make a user namespace, so a helper process does.
pub(crate) fn of_users() -> io::Result<OwnedFd> {
    let mut holder = Command::new(OURSELVES)
        .arg0(USERS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let made = users_of(&mut holder);
    // This closes its input, and so it ends.
    holder.wait()?;
    made
}

fn users_of(holder: &mut Child) -> io::Result<OwnedFd> {
    if let Some(output) = &mut holder.stdout {
        output.read_exact(&mut [0])?;
    }
    let numbers = if geteuid().is_root() {
        [all_numbers("uid_map")?, all_numbers("gid_map")?]
    } else {
        own_numbers()
    };
    keep_numbers(holder.id(), numbers)?;
    Ok(File::open(format!("/proc/{}/ns/user", holder.id()))?.into())
}

/// Makes a user namespace, says so, and waits; in the process that [`of_users`] started.
pub(super) fn hold_users() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWUSER)?;
    io::stdout().write_all(b"\n")?;
    io::stdin().read(&mut [0]).map(drop)
}

/// Gives the first process of a pid namespace a `/proc` that shows this namespace. Programs that it
/// runs don't inherit the rights that this needs.
pub(super) fn own_proc() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    unshare(CloneFlags::CLONE_NEWNS)?;
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}
