//! Commands that are not bots: builds.

use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::Interrupt;

/// The most bytes of output that are kept.
const OUTPUT_MAX: u64 = 64 * 1024;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Its exit status; `None` if it was stopped by an interrupt.
    pub(crate) status: Option<ExitStatus>,
    /// The last 64 KiB that it printed, standard output and standard error as they came.
    pub(crate) output: String,
}

/// Runs a command to its end, or until one of `stops` is raised; then it is killed with its process group.
pub(crate) fn run_command(command: &[String], stops: [&Interrupt; 2]) -> io::Result<Ran> {
    let [program, arguments @ ..] = command else { return Err(io::Error::other("the command is empty")) };
    // Unlike a pipe, a file never blocks who writes, and nobody has to read it meanwhile.
    let temporary = |error| io::Error::other(format!("create a temporary file for its output: {error}"));
    let mut output = tempfile::tempfile().map_err(temporary)?;
    let mut child = Command::new(program)
        .args(arguments)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .spawn()?;
    let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    let mut set = [
        PollFd::new(&process, PollFlags::IN),
        PollFd::new(&stops[0].event, PollFlags::IN),
        PollFd::new(&stops[1].event, PollFlags::IN),
    ];
    while let Err(errno) = poll(&mut set, None) {
        if errno != Errno::INTR {
            return Err(errno.into());
        }
    }
    let stopped = set[0].revents().is_empty();
    if stopped {
        // Not reaped yet, so its number is its own.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let status = child.wait()?;
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_MAX)))?;
    let mut printed = Vec::new();
    output.take(OUTPUT_MAX).read_to_end(&mut printed)?;
    let output = String::from_utf8_lossy(&printed).into_owned();
    Ok(Ran { status: (!stopped).then_some(status), output })
}
