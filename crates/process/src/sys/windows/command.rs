//! Programs that aren't bots: builds of the user, and compilers.

use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::job::Job;
use super::launcher::Launcher;
use crate::limits::ExceededLimit;
use crate::printed::{judge, output_file};
use crate::program::{ProgramError, find_program};
use crate::sys::Interrupt;

/// Runs a command of the user, outside the sandbox, until it succeeds, or until one of `stops` is
/// raised; then it is killed with everything it started.
///
/// # Errors
/// The system's error, or its exit status with the last 64 KiB that it printed.
pub fn run_command(command: &[String], stops: &[&Interrupt]) -> anyhow::Result<()> {
    let [program, arguments @ ..] = command else {
        return Err(ProgramError("the command is empty".to_owned()).into());
    };
    let output = output_file()?;
    let mut command = Command::new(find_program(program)?);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?);
    let mut job = Job::start(command, None)?;
    judge(wait(&mut job, stops, Duration::MAX)?, output)
}

/// Runs a compiler, like [`run_command`], for `limit` at most.
pub(crate) fn run_compiler(
    launcher: &Launcher,
    limit: Duration,
    stops: &[&Interrupt],
) -> anyhow::Result<()> {
    let output = output_file()?;
    let streams = || {
        Ok([
            Stdio::null(),
            output.try_clone()?.into(),
            output.try_clone()?.into(),
        ])
    };
    let (mut job, _folder) = launcher.start(0, streams)?;
    let status = wait(&mut job, stops, limit)?;
    judge(status, output)
}

/// Waits until a process ends. Fails if one of `stops` is raised, or after `limit`.
fn wait(job: &mut Job, stops: &[&Interrupt], limit: Duration) -> anyhow::Result<ExitStatus> {
    let start = Instant::now();
    let is_stopped = || stops.iter().any(|stop| stop.is_raised());
    match job.status_within(limit, is_stopped)? {
        Some(status) => Ok(status),
        None if start.elapsed() >= limit => Err(ExceededLimit::Time(limit).into()),
        None => Err(ProgramError("interrupted".to_owned()).into()),
    }
}
