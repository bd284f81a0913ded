//! Commands that aren't bots, such as compilers.

use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use anyhow::{anyhow, bail};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::interrupt::Interrupt;
use crate::program::LOGIN;

/// The most bytes of output that are kept.
const OUTPUT_MAX: u64 = 64 * 1024;

/// Runs a command until it succeeds, or until one of `stops` is raised; then it is killed with its
/// process group.
///
/// # Errors
/// The system's error, or its exit status with the last 64 KiB that it printed.
pub(crate) fn run_command(command: &[String], stops: &[&Interrupt]) -> anyhow::Result<()> {
    let [program, arguments @ ..] = command else {
        bail!("the command is empty");
    };
    // Unlike a pipe, a file never blocks its writer, and nothing has to read it meanwhile.
    let mut output = tempfile::tempfile()
        .map_err(|error| anyhow!("create a temporary file for its output: {error}"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_remove(LOGIN)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .spawn()?;
    let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let mut set = vec![PollFd::new(&process, PollFlags::IN)];
    for stop in stops {
        set.push(PollFd::new(&stop.event, PollFlags::IN));
    }
    while let Err(errno) = poll(&mut set, None) {
        if errno != Errno::INTR {
            return Err(errno.into());
        }
    }
    let is_stopped = set[0].revents().is_empty();
    if is_stopped {
        // The process isn't reaped yet, so its number is its own.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let status = child.wait()?;
    if is_stopped {
        bail!("interrupted");
    }
    if status.success() {
        return Ok(());
    }
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_MAX)))?;
    let mut printed = Vec::new();
    output.take(OUTPUT_MAX).read_to_end(&mut printed)?;
    bail!("{status}\n{}", String::from_utf8_lossy(&printed).trim_end());
}
