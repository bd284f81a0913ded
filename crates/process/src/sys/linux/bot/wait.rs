//! Waiting for a bot's lines.
//!
//! One question is one wait, with one deadline, for everything that can happen: room to send, an
//! answer, standard error, the end of the process, an interrupt. No thread and no signal is
//! involved, and nothing the bot does can make the wait longer than its limit. Before that, in the
//! first millisecond, the arena only waits for an answer and an alarm.

use std::borrow::Cow;
use std::ops::Range;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, retry_on_intr, write};

use super::{Bot, Line};
use crate::answer::{AskError, Failure};
use crate::sys::alarm::Alarm;
use crate::sys::timer::Timer;

/// The most bytes of standard error to read at a time.
const STDERR_CHUNK: usize = 16 * 1024;

impl Bot {
    /// Waits for several lines, and joins them in `answer`.
    pub(super) fn gather(
        &mut self,
        lines: usize,
        timer: &mut Timer<'_>,
    ) -> Result<Result<(), Failure>, AskError> {
        self.answer.clear();
        for _ in 0..lines {
            match self.exchange(timer)? {
                Ok(line) => self.answer.extend([&*self.lines.text(line), "\n"]),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        self.answer.pop();
        Ok(Ok(()))
    }

    /// Waits for a line or a failure.
    pub(super) fn exchange(&mut self, timer: &mut Timer<'_>) -> Result<Line, AskError> {
        if let Some(line) = self.lines.next() {
            return Ok(line);
        }
        if let Some(line) = self.wait_for_instant_answer(timer)? {
            return Ok(line);
        }
        loop {
            let Some(left) = timer.left(&mut self.meter) else {
                // A line may have come while we slept.
                return Ok(self.read_line()?.unwrap_or(Err(Failure::Timeout)));
            };
            let has_ended = self.wait(left)?;
            let line = self.read_line()?;
            if has_ended || line.is_some() {
                return Ok(line.unwrap_or(Err(Failure::Crashed)));
            }
        }
    }

    /// Waits for nothing but an answer until the bot may be thinking.
    ///
    /// Everything else can wait for so long, except what keeps a bot from answering: input that it
    /// hasn't got, and standard error that isn't read. If standard error is kept, it is read after
    /// every answer.
    fn wait_for_instant_answer(&mut self, timer: &mut Timer<'_>) -> Result<Option<Line>, AskError> {
        while self.unsent.is_empty() && (self.tail.is_empty() || self.kept.is_some()) {
            let Some(left) = timer.instant() else { break };
            match Alarm::wait_for(&self.stdout, left) {
                Ok(true) => {
                    if let Some(line) = self.read_line()? {
                        return Ok(Some(line));
                    }
                }
                Ok(false) => {}
                Err(errno) => return Err(self.failed("wait for", errno)),
            }
        }
        Ok(None)
    }

    /// Sends the rest of earlier prompts, then `prompt`, as far as the pipe takes it. Keeps the
    /// rest.
    pub(super) fn send(&mut self, prompt: &[u8]) -> Result<(), AskError> {
        let Some(stdin) = &self.stdin else {
            return Ok(());
        };
        self.unsent.extend(prompt);
        match retry_on_intr(|| write(stdin, &self.unsent)) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            Err(Errno::AGAIN) => {}
            Err(Errno::PIPE) => self.close_input(),
            Err(errno) => return Err(self.failed("write to", errno)),
        }
        Ok(())
    }

    /// Closes the bot's input. The bot reads what is in the pipe, and then the end.
    pub fn close_input(&mut self) {
        self.stdin = None;
        self.unsent.clear();
    }

    /// Returns an entry for `poll`. A closed descriptor can't be left out of the middle of a set,
    /// so another one, without events, takes its place.
    fn poll_fd<'a>(&'a self, fd: Option<&'a impl AsFd>, flags: PollFlags) -> PollFd<'a> {
        match fd {
            Some(fd) => PollFd::new(fd, flags),
            None => PollFd::new(&self.interrupt.event, PollFlags::empty()),
        }
    }

    /// Waits until something can be done, at most for `left`, and returns whether the process has
    /// ended. Sends unsent input, and reads standard error.
    pub(super) fn wait(&mut self, left: Duration) -> Result<bool, AskError> {
        let mut set = [
            PollFd::new(&self.process, PollFlags::IN),
            PollFd::new(&self.interrupt.event, PollFlags::IN),
            PollFd::new(&self.stdout, PollFlags::IN),
            self.poll_fd(self.stderr.as_ref(), PollFlags::IN),
            self.poll_fd(self.stdin.as_ref(), PollFlags::OUT),
        ];
        let used = set.len() - usize::from(self.unsent.is_empty());
        // A limit that is too long for the system is no limit.
        let left = Timespec::try_from(left).ok();
        match poll(&mut set[..used], left.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(false),
            Err(errno) => return Err(self.failed("wait for", errno)),
        }
        // Errors and hang-ups count as ready: the read or write that follows shows which it is.
        let [process, interrupt, _, stderr, stdin] = set.map(|fd| !fd.revents().is_empty());
        if interrupt {
            return Err(AskError::Interrupted);
        }
        if stdin {
            self.send(&[])?;
        }
        if stderr {
            self.read_stderr()?;
        }
        Ok(process)
    }

    /// Reads standard output until there is a line or a failure, or nothing more for now; at most
    /// as much as a line may have. It doesn't wait for the end of the pipe: when the process has
    /// ended, another one may hold it open.
    pub(super) fn read_line(&mut self) -> Result<Option<Line>, AskError> {
        loop {
            match retry_on_intr(|| read(&self.stdout, self.lines.space())) {
                Ok(0) => return Ok(Some(Err(Failure::Crashed))),
                Ok(count) => self.lines.filled(count),
                Err(Errno::AGAIN) => return Ok(None),
                Err(errno) => return Err(self.failed("read from", errno)),
            }
            if let Some(line) = self.lines.next() {
                return Ok(Some(line));
            }
        }
    }

    /// Reads standard error once, and returns whether there may be more. Only once, so that a flood
    /// leaves time to look at the clock.
    fn read_stderr(&mut self) -> Result<bool, AskError> {
        let Some(stderr) = &self.stderr else {
            return Ok(false);
        };
        let mut chunk = [0; STDERR_CHUNK];
        match retry_on_intr(|| read(stderr, &mut chunk)) {
            Ok(0) => {
                self.stderr = None;
                Ok(false)
            }
            Ok(count) => {
                self.tail.push(&chunk[..count]);
                if let Some(kept) = &mut self.kept {
                    kept.push(&chunk[..count]);
                }
                Ok(true)
            }
            Err(Errno::AGAIN) => Ok(false),
            Err(errno) => Err(self.failed("read the error output of", errno)),
        }
    }

    /// Reads standard error until it is empty, at most `reads` times.
    pub(super) fn drain_stderr(&mut self, reads: usize) {
        for _ in 0..reads {
            if !matches!(self.read_stderr(), Ok(true)) {
                break;
            }
        }
    }

    /// Returns the text of a line, see [`Lines::text`](crate::lines::Lines::text).
    pub(super) fn text(&mut self, line: Range<usize>) -> &str {
        match self.lines.text(line) {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => {
                self.answer = text;
                &self.answer
            }
        }
    }

    fn failed(&self, action: &str, errno: Errno) -> AskError {
        AskError::Failed(format!("{action} the {}: {errno}", self.launcher.label()))
    }
}
