//! Programs that aren't bots: builds of the user, and compilers in the sandbox.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use anyhow::{anyhow, bail};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::interrupt::Interrupt;
use crate::launcher::Launcher;
use crate::orphans::reap_orphans;
use crate::spawn::{Started, reap};
use crate::tail::without_echoes;

/// The most bytes of output that are kept.
const OUTPUT_MAX: u64 = 64 * 1024;

/// Runs a command of the user, outside the sandbox, until it succeeds, or until one of `stops` is
/// raised; then it is killed with its process group.
///
/// # Errors
/// The system's error, or its exit status with the last 64 KiB that it printed.
pub fn run_command(command: &[String], stops: &[&Interrupt]) -> anyhow::Result<()> {
    let [program, arguments @ ..] = command else {
        bail!("the command is empty");
    };
    let output = output_file()?;
    let child = Command::new(program)
        .args(arguments)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .spawn()?;
    let pid = Pid::from_child(&child);
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    let is_stopped = is_stopped(&process, stops)?;
    if is_stopped {
        kill_group(pid);
    }
    finish(pid, output, is_stopped)
}

/// Runs a compiler in its sandbox, like [`run_command`]. Processes that it leaves are killed.
pub(crate) fn run_compiler(launcher: &Launcher, stops: &[&Interrupt]) -> anyhow::Result<()> {
    let (input, output) = (File::open("/dev/null")?, output_file()?);
    let streams = [input.as_fd(), output.as_fd(), output.as_fd()];
    let (Started { pid, process }, folder) = launcher.start(0, Some(streams))?;
    let is_stopped = is_stopped(&process, stops);
    kill_group(pid);
    let finished = is_stopped.and_then(|is_stopped| finish(pid, output, is_stopped));
    reap_orphans();
    launcher.give_back(folder);
    finished
}

/// Creates a file for what a program prints. Unlike a pipe, it never blocks its writer, and nothing
/// has to read it meanwhile.
fn output_file() -> anyhow::Result<File> {
    tempfile::tempfile()
        .map_err(|error| anyhow!("can't create a temporary file for its output: {error}"))
}

/// Waits until a process ends or one of `stops` is raised, and returns whether it still runs.
fn is_stopped(process: &OwnedFd, stops: &[&Interrupt]) -> anyhow::Result<bool> {
    let mut set = vec![PollFd::new(process, PollFlags::IN)];
    for stop in stops {
        set.push(PollFd::new(&stop.event, PollFlags::IN));
    }
    while let Err(errno) = poll(&mut set, None) {
        if errno != Errno::INTR {
            return Err(errno.into());
        }
    }
    Ok(set[0].revents().is_empty())
}

/// Kills the group of a process that isn't reaped yet, so its number is its own.
fn kill_group(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
}

/// Reaps a process that has ended or was killed, and judges its exit status.
fn finish(pid: Pid, mut output: File, is_stopped: bool) -> anyhow::Result<()> {
    let status = reap(pid)?.status;
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
    let printed = without_echoes(&String::from_utf8_lossy(&printed));
    bail!("{status}\n{}", printed.trim_end());
}
