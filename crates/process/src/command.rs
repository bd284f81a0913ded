//! Commands that aren't bots, such as compilers.

use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::interrupt::Interrupt;
use crate::program::LOGIN;

/// The most bytes of output that are kept.
const OUTPUT_MAX: u64 = 64 * 1024;

/// Why a command did not succeed: the system's error, or its exit status with the last 64 KiB that it printed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CommandError(String);

/// How a command ended.
struct Finished {
    /// `None` if it was interrupted.
    status: Option<ExitStatus>,
    /// The end of its standard output and standard error, as they came.
    output: String,
}

/// Runs a command until it succeeds, or until one of `stops` is raised; then it is killed with its process group.
pub(crate) fn run_command(command: &[String], stops: &[&Interrupt]) -> Result<(), CommandError> {
    let finished = run(command, stops).map_err(|error| CommandError(error.to_string()))?;
    match finished.status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(CommandError(format!(
            "{status}\n{}",
            finished.output.trim_end()
        ))),
        None => Err(CommandError("interrupted".to_owned())),
    }
}

fn run(command: &[String], stops: &[&Interrupt]) -> io::Result<Finished> {
    let [program, arguments @ ..] = command else {
        return Err(io::Error::other("the command is empty"));
    };
    // Unlike a pipe, a file never blocks its writer, and nothing has to read it meanwhile.
    let mut output = tempfile::tempfile().map_err(|error| {
        io::Error::other(format!("create a temporary file for its output: {error}"))
    })?;
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
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_MAX)))?;
    let mut printed = Vec::new();
    output.take(OUTPUT_MAX).read_to_end(&mut printed)?;
    Ok(Finished {
        status: (!is_stopped).then_some(status),
        output: String::from_utf8_lossy(&printed).into_owned(),
    })
}
