//! A closer look at a bot than a game needs: what it leaves unread, what it writes without being
//! asked, and what it does after its time is up.

use std::time::{Duration, Instant};

use rustix::io::ioctl_fionread;

use super::{Bot, Line};
use crate::answer::{AskError, CpuTime, Failure, Output};
use crate::sys::pipe::is_ready;
use crate::sys::proc::KernelFile;

/// How often to look whether a bot waits for its next question.
const LOOK: Duration = Duration::from_millis(1);

impl Bot {
    /// Returns how many bytes of its prompts the bot has not read; 0 if it closed its input.
    pub fn unread(&self) -> u64 {
        let in_pipe: u64 = self.stdin.iter().flat_map(ioctl_fionread).sum();
        in_pipe + self.unsent.len() as u64
    }

    /// Returns the CPU time of its processes so far, if it is known.
    pub fn cpu_time(&mut self) -> Option<CpuTime> {
        Some(self.meter.total())
    }

    /// Returns the beginning of a line that the bot has not ended; `None` if there is none.
    pub fn unfinished(&self) -> Option<String> {
        self.lines.unfinished()
    }

    /// Waits, at most for `wait`, for output of a bot that was not asked.
    ///
    /// # Errors
    /// If the [`Interrupt`](crate::Interrupt) is raised, or the system refuses to wait.
    pub fn listen(&mut self, wait: Duration) -> Result<Output, AskError> {
        let deadline = Instant::now() + wait;
        if let Some(line) = self.lines.next() {
            return Ok(self.heard(line));
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let has_ended = self.wait(left)?;
            match self.read_line()? {
                Some(line) => return Ok(self.heard(line)),
                None if has_ended => return Ok(Output::Ended),
                None if left.is_zero() => return Ok(Output::Nothing),
                None => {}
            }
        }
    }

    fn heard(&mut self, line: Line) -> Output {
        match line {
            Ok(line) => Output::Line(self.text(line).to_owned()),
            Err(Failure::TooLong) => Output::TooLong,
            Err(_) => Output::Ended,
        }
    }

    /// Returns whether the process ends within `wait`, whatever it writes meanwhile.
    ///
    /// # Errors
    /// If the [`Interrupt`](crate::Interrupt) is raised, or the system refuses to wait.
    pub fn ends_within(&mut self, wait: Duration) -> Result<bool, AskError> {
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !matches!(self.listen(left)?, Output::Line(_)) {
                let left = deadline.saturating_duration_since(Instant::now());
                return Ok(is_ready(&self.process, left));
            }
        }
    }

    /// Returns whether a bot that has just answered crashes within `wait`. Returns early if it
    /// waits for its next question, as most bots do at once.
    pub fn crashes_within(&mut self, wait: Duration) -> bool {
        let end = Instant::now() + wait;
        while Instant::now() < end {
            if self.is_reading() {
                return self
                    .listen(Duration::ZERO)
                    .is_ok_and(|it| it == Output::Ended);
            }
            if is_ready(&self.process, LOOK) {
                break;
            }
        }
        let left = end.saturating_duration_since(Instant::now());
        let more = self.ask("", 1, left.max(LOOK), &mut |_| {});
        more.is_ok_and(|more| more.reply == Err(Failure::Crashed))
    }

    /// Returns whether one of its threads waits for standard input, and the others wait for child
    /// processes; false if `/proc` can't be read.
    fn is_reading(&mut self) -> bool {
        self.meter.processes.search();
        let read_input = format!("{} 0x0 ", libc::SYS_read);
        let wait = [libc::SYS_wait4, libc::SYS_waitid].map(|call| format!("{call} "));
        let mut is_reading = false;
        for (pid, threads) in &self.meter.processes.found {
            for thread in threads {
                // The number of its system call with the arguments, unless it is running.
                let path = format!("/proc/{pid}/task/{thread}/syscall");
                let call = KernelFile::open(path).and_then(|file| file.read());
                let call = call.unwrap_or_default();
                let reads = call.starts_with(&read_input);
                if !reads && !wait.iter().any(|wait| call.starts_with(wait)) {
                    return false;
                }
                is_reading |= reads;
            }
        }
        is_reading
    }
}
