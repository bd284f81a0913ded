//! Programs that aren't bots: builds of the user, and compilers in the sandbox.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::limits::ExceededLimit;
use crate::printed::{judge, output_file};
use crate::program::ProgramError;
use crate::sys::interrupt::Interrupt;
use crate::sys::launcher::Launcher;
use crate::sys::orphans::{Starting, reap_orphans};
use crate::sys::spawn::{Started, kill, reap};
use crate::sys::usage::Watch;

/// Runs a command of the user, outside the sandbox, until it succeeds, or until one of `stops` is
/// raised; then it is killed with its process group.
///
/// # Errors
/// The system's error, or its exit status with the last 64 KiB that it printed.
pub fn run_command(command: &[String], stops: &[&Interrupt]) -> anyhow::Result<()> {
    let [program, arguments @ ..] = command else {
        return Err(ProgramError("the command is empty".to_owned()).into());
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
    let ended = wait(&process, stops, Duration::MAX);
    if ended.is_err() {
        kill(pid, &process);
    }
    let finished = finish(pid, output);
    ended.and(finished)
}

/// Runs a compiler in its sandbox, like [`run_command`], for `limit` at most. It is watched as a
/// bot is. Processes that it leaves are killed.
pub(crate) fn run_compiler(
    launcher: &Launcher,
    limit: Duration,
    stops: &[&Interrupt],
) -> anyhow::Result<()> {
    let (input, output) = (File::open("/dev/null")?, output_file()?);
    let streams = [input.as_fd(), output.as_fd(), output.as_fd()];
    let starting = Starting::begin();
    let (Started { pid, process }, folder) = launcher.start(0, Some(streams))?;
    let registration = starting.started(pid);
    let watch = launcher.watch(pid, folder.as_ref());
    let ended = wait(&process, stops, limit);
    kill(pid, &process);
    let exceeded = watch.and_then(Watch::end);
    let finished = finish(pid, output);
    drop(registration);
    reap_orphans();
    launcher.give_back(folder);
    match exceeded {
        Some(exceeded) => Err(exceeded.into()),
        None => ended.and(finished),
    }
}

/// Waits until a process ends. Fails if one of `stops` is raised, or after `limit`.
pub(crate) fn wait(process: &OwnedFd, stops: &[&Interrupt], limit: Duration) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut set = vec![PollFd::new(process, PollFlags::IN)];
    for stop in stops {
        set.push(PollFd::new(&stop.event, PollFlags::IN));
    }
    loop {
        // A limit that is too long for the system is no limit.
        let left = Timespec::try_from(limit.saturating_sub(start.elapsed())).ok();
        match poll(&mut set, left.as_ref()) {
            Err(Errno::INTR) => {}
            Ok(0) => return Err(ExceededLimit::Time(limit).into()),
            Ok(_) if !set[0].revents().is_empty() => return Ok(()),
            Ok(_) => return Err(ProgramError("interrupted".to_owned()).into()),
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Reaps a process that has ended or was killed, and judges its exit status.
fn finish(pid: Pid, output: File) -> anyhow::Result<()> {
    judge(reap(pid)?.status, output)
}
