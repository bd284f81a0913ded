//! A process with everything it starts, as a job object.
//!
//! The process is suspended until it is in the job, so nothing that it starts is outside. The job
//! is within that of arena, see [`guard`](super::guard).

use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::os::windows::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, CommandWrapper, JobObject};
use win32job::ExtendedLimitInfo;
use win32job::utils::get_process_memory_info;

use crate::limits::THREADS;

/// `CREATE_SUSPENDED`, and `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the console reaches arena alone.
const CREATION_FLAGS: u32 = 0x4 | 0x200;
/// `JOB_OBJECT_LIMIT_ACTIVE_PROCESS`.
const LIMIT_PROCESSES: u32 = 0x8;
/// `JOB_OBJECT_LIMIT_JOB_MEMORY`.
const LIMIT_MEMORY: u32 = 0x200;

/// `JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION`: a process that crashes ends at once, and doesn't
/// wait behind a window that says so.
const DIE_ON_CRASH: u32 = 0x400;

/// How often to look whether a process has ended: there is no wait with a deadline.
const LOOK: Duration = Duration::from_millis(1);

/// A process that was started, and everything that it starts. Dropping it kills them.
#[derive(Debug)]
pub(crate) struct Job {
    child: Box<dyn ChildWrapper>,
    job: Arc<win32job::Job>,
}

/// Puts a process into a job before it runs.
#[derive(Debug)]
struct Assign(Arc<win32job::Job>);

impl CommandWrapper for Assign {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        command.creation_flags(CREATION_FLAGS);
        Ok(())
    }

    fn post_spawn(
        &mut self,
        _: &mut Command,
        child: &mut Child,
        _: &CommandWrap,
    ) -> io::Result<()> {
        self.0
            .assign_process(child.as_raw_handle().cast())
            .map_err(|error| match child.kill() {
                Ok(()) => io::Error::other(error),
                Err(killing) => killing,
            })
    }
}

impl Job {
    /// Starts a program in a job of its own. With a limit of memory, in bytes, its processes take
    /// no more together, and are at most [`THREADS`].
    ///
    /// # Errors
    /// If the system refuses the job or the program.
    pub(crate) fn start(command: Command, memory: Option<u64>) -> io::Result<Job> {
        let mut info = ExtendedLimitInfo::new();
        info.limit_kill_on_job_close();
        info.0.BasicLimitInformation.LimitFlags |= DIE_ON_CRASH;
        if let Some(memory) = memory {
            info.0.JobMemoryLimit = usize::try_from(memory).unwrap_or(usize::MAX);
            let basic = &mut info.0.BasicLimitInformation;
            basic.ActiveProcessLimit = u32::try_from(THREADS).unwrap_or(u32::MAX);
            basic.LimitFlags |= LIMIT_PROCESSES | LIMIT_MEMORY;
        }
        let job = win32job::Job::create_with_limit_info(&mut info).map_err(io::Error::other)?;
        let job = Arc::new(job);
        let mut command = CommandWrap::from(command);
        // JobObject resumes the process. It comes first, because the last flags count.
        command.wrap(JobObject).wrap(Assign(Arc::clone(&job)));
        let child = command.spawn()?;
        Ok(Job { child, job })
    }

    /// Takes our ends of its standard input and output, if these are pipes.
    pub(crate) fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.child.stdin().take()?, self.child.stdout().take()?))
    }

    /// Waits for the end of the process that was started, for `wait` at most, or until `stop`
    /// returns true. Returns its status if it ended.
    pub(crate) fn status_within(
        &mut self,
        wait: Duration,
        stop: impl Fn() -> bool,
    ) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            let status = self.child.try_wait()?;
            if status.is_some() || start.elapsed() >= wait || stop() {
                return Ok(status);
            }
            thread::sleep(LOOK);
        }
    }

    /// Kills all its processes. They end soon after.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.child.start_kill()
    }

    /// Returns the most memory, in bytes, that its processes used together. wine knows only that of
    /// the one that was started.
    pub(crate) fn peak(&self) -> u64 {
        let of_job = self.job.query_extended_limit_info();
        let of_first = (self.child.process_handle())
            .map(|first| get_process_memory_info(first.as_raw_handle().cast()));
        let of_job = of_job.map_or(0, |info| info.0.PeakJobMemoryUsed);
        let of_first = of_first
            .and_then(Result::ok)
            .map_or(0, |info| info.PeakPagefileUsage);
        of_job.max(of_first) as u64
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // If this fails, closing the handle kills them.
        let _ = self.kill();
    }
}
