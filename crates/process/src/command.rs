//! Commands that are not bots: builds.

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

/// Why a command did not succeed: what the system says, or how it ended, with the last 64 KiB that it printed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CommandError(String);

/// Runs a command that has to succeed, until one of `stops` is raised; then it is killed with its process group.
pub(crate) fn run_command(command: &[String], stops: &[&Interrupt]) -> Result<(), CommandError> {
    match run(command, stops) {
        Ok((Some(status), _)) if status.success() => Ok(()),
        Ok((Some(status), printed)) => {
            Err(CommandError(format!("{status}\n{}", printed.trim_end())))
        }
        Ok((None, _)) => Err(CommandError("interrupted".to_owned())),
        Err(error) => Err(CommandError(error.to_string())),
    }
}

/// How a command ended, unless it was stopped, and what it printed last, standard output and standard error as they came.
fn run(command: &[String], stops: &[&Interrupt]) -> io::Result<(Option<ExitStatus>, String)> {
    let [program, arguments @ ..] = command else {
        return Err(io::Error::other("the command is empty"));
    };
    // Unlike a pipe, a file never blocks who writes, and nobody has to read it meanwhile.
    let temporary =
        |error| io::Error::other(format!("create a temporary file for its output: {error}"));
    let mut output = tempfile::tempfile().map_err(temporary)?;
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
    set.extend(
        stops
            .iter()
            .map(|stop| PollFd::new(&stop.event, PollFlags::IN)),
    );
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
    Ok((
        (!stopped).then_some(status),
        String::from_utf8_lossy(&printed).into_owned(),
    ))
}
