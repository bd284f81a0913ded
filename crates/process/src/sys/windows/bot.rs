//! A running bot: start it, ask it for lines before a deadline, and stop it with everything it
//! started.

use std::io;
use std::mem;
use std::ops::Range;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::job::Job;
use super::launcher::Launcher;
use super::streams::{Errors, Input, Piece, read_output};
use crate::answer::{Answer, AskError, CpuTime, Failure, Output};
use crate::exit::Exit;
use crate::limits::{self, ExceededLimit};
use crate::lines::{LINE_MAX, Lines};
use crate::program::StartError;
use crate::stderr::Stderr;
use crate::sys::Interrupt;
use crate::tail::Tail;

/// How long to wait for the exit status after the output was closed, and for the last output after
/// the end: another process may hold it open.
const EXIT_GRACE: Duration = Duration::from_millis(50);
/// How long to wait for the death of a process that was killed.
const DEATH: Duration = Duration::from_secs(10);
/// A bot that hasn't answered after this long is thinking.
const THINKING: Duration = Duration::from_millis(1);
/// How often to look whether the bot has ended or the interrupt is raised, while it thinks.
const LOOK: Duration = Duration::from_millis(20);

/// A line of a bot, as a range of its buffer, or its failure.
type Line = Result<Range<usize>, Failure>;

/// A running bot.
///
/// Its processes are killed at its first [`Failure`], by [`Bot::stop`], or when it is dropped.
///
/// # Turns
/// * An answer has as many lines as were asked for, all within one limit.
/// * A line ends at LF, CR or CRLF and has at most 9,999 bytes before that. A longer line is
///   [`Failure::TooLong`]. Invalid UTF-8 is replaced by U+FFFD.
/// * Extra lines answer later questions. A bot that writes too much blocks.
/// * A bot that ended, or closed its output, still answers with the full lines that it wrote, and
///   then fails with [`Failure::Crashed`].
/// * A line counts if it came before the deadline by the wall clock, however late it is found.
/// * After a failure every further question fails in the same way.
pub struct Bot {
    job: Job,
    input: Input,
    output: Receiver<Piece>,
    /// The piece in use, from this index on, and when it came.
    piece: Vec<u8>,
    used: usize,
    came: Instant,
    lines: Lines,
    answer: String,
    errors: Errors,
    /// Standard error since the last answer, if it is kept.
    kept: Option<Stderr>,
    tail: Tail,
    interrupt: Arc<Interrupt>,
    /// Whether a timeout on an overloaded host is [`AskError::Busy`]. Here it never is.
    pub excuses: bool,
    /// Whether the process is left running after its first failure.
    pub spared: bool,
    failure: Option<Failure>,
    /// How the process ended, if it wasn't killed.
    status: Option<ExitStatus>,
    has_ended: bool,
    /// The limit that it was killed for.
    exceeded: Option<ExceededLimit>,
    launcher: Arc<Launcher>,
    /// Removed with what is in it, once the processes have ended.
    _folder: Option<TempDir>,
}

impl Bot {
    /// Starts a bot. `seed` is its own seed, and `interrupt` ends every wait for an answer.
    ///
    /// # Errors
    /// If the program does not start: see [`StartError`].
    pub fn start_in(
        launcher: &Arc<Launcher>,
        seed: u64,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Bot, StartError> {
        let failed = |error: io::Error| launcher.failed(&format!("make its pipes: {error}"));
        let errors = Errors::new(&launcher.sandbox.folder).map_err(failed)?;
        let streams = || Ok([Stdio::piped(), Stdio::piped(), errors.of_bot()?.into()]);
        let (mut job, folder) = launcher.start(seed, streams)?;
        let (stdin, stdout) =
            (job.take_pipes()).ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        Ok(Bot {
            job,
            input: errors
                .ours()
                .and_then(|file| Input::start(stdin, file))
                .map_err(failed)?,
            output: read_output(stdout).map_err(failed)?,
            piece: Vec::new(),
            used: 0,
            came: Instant::now(),
            lines: Lines::new(LINE_MAX),
            answer: String::new(),
            errors,
            kept: None,
            tail: Tail::default(),
            interrupt: Arc::clone(interrupt),
            excuses: true,
            spared: false,
            failure: None,
            status: None,
            has_ended: false,
            exceeded: None,
            launcher: Arc::clone(launcher),
            _folder: folder,
        })
    }

    /// Allows lines of at most `longest` bytes. Call it before the first question.
    #[must_use]
    pub fn with_lines_of(mut self, longest: usize) -> Bot {
        self.lines = Lines::new(longest);
        self
    }

    /// Sends `prompt` and waits for `lines` lines, at most for `limit`. With 0 lines the bot only
    /// reads, and nothing is waited for. Calls `thinks` with `false` if no answer comes at once.
    ///
    /// # Errors
    /// If the [`Interrupt`] is raised, or the system refuses something. A failure of the bot is an
    /// [`Answer`].
    pub fn ask(
        &mut self,
        prompt: &str,
        lines: usize,
        limit: Duration,
        thinks: &mut dyn FnMut(bool),
    ) -> Result<Answer<'_>, AskError> {
        if self.interrupt.is_raised() {
            return Err(AskError::Interrupted);
        }
        if let Some(failure) = self.failure {
            return Ok(Answer::failed(failure, Duration::ZERO));
        }
        // What it wrote since its last answer.
        self.read_errors()?;
        let start = Instant::now();
        self.input.send(prompt);
        let found = self.gather(lines, start, limit, thinks)?;
        // The end of the run may have killed the bot, so don't blame the bot.
        if self.interrupt.is_raised() {
            return Err(AskError::Interrupted);
        }
        if let Err(failure) = found {
            let failure = self.fail(failure);
            return Ok(Answer::failed(failure, start.elapsed()));
        }
        Ok(Answer {
            reply: Ok(&self.answer),
            // The answer may have been there before the question.
            elapsed: match lines {
                0 => start.elapsed(),
                _ => self.came.saturating_duration_since(start),
            },
            late: false,
        })
    }

    /// Waits for several lines, and joins them in `answer`.
    fn gather(
        &mut self,
        lines: usize,
        start: Instant,
        limit: Duration,
        thinks: &mut dyn FnMut(bool),
    ) -> Result<Result<(), Failure>, AskError> {
        self.answer.clear();
        // A limit that is too long for the clock is no limit.
        let deadline = start.checked_add(limit);
        for _ in 0..lines {
            match self.exchange(start, deadline, thinks)? {
                Ok(line) => self.answer.extend([&*self.lines.text(line), "\n"]),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        self.answer.pop();
        Ok(Ok(()))
    }

    /// Waits for a line or a failure.
    fn exchange(
        &mut self,
        start: Instant,
        deadline: Option<Instant>,
        thinks: &mut dyn FnMut(bool),
    ) -> Result<Line, AskError> {
        let is_late = |moment| deadline.is_some_and(|deadline| moment > deadline);
        let mut has_thought = false;
        loop {
            // Taken before the look: a line that comes in between may still be in time.
            let now = Instant::now();
            let line = self.read_line();
            match line {
                Some(Ok(line)) if is_late(self.came) => {
                    self.lines.put_back(&line);
                    return Ok(Err(Failure::Timeout));
                }
                Some(line) => return Ok(line),
                None if is_late(now) => return Ok(Err(Failure::Timeout)),
                None => {}
            }
            let mut wait = THINKING.saturating_sub(start.elapsed());
            if wait.is_zero() {
                wait = LOOK;
                if !mem::replace(&mut has_thought, true) {
                    thinks(false);
                }
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if self.wait(wait.min(left.unwrap_or(wait)))? {
                return Ok(self.read_line().unwrap_or(Err(Failure::Crashed)));
            }
        }
    }

    /// Waits for a piece of output, at most for `left`, and returns whether none will come. Looks
    /// at standard error and the limit of memory.
    fn wait(&mut self, left: Duration) -> Result<bool, AskError> {
        match self.output.recv_timeout(left) {
            Ok(piece) => self.take(piece),
            Err(RecvTimeoutError::Disconnected) => return Ok(true),
            Err(RecvTimeoutError::Timeout) if self.interrupt.is_raised() => {
                return Err(AskError::Interrupted);
            }
            Err(RecvTimeoutError::Timeout) => {
                self.read_errors()?;
                if let Some(memory) = self.launcher.sandbox.memory
                    && self.job.peak() > memory
                {
                    self.exceeded = Some(ExceededLimit::Memory(memory));
                    return Ok(true);
                }
                if self.status_within(Duration::ZERO)?.is_some() {
                    match self.output.recv_timeout(EXIT_GRACE) {
                        Ok(piece) => self.take(piece),
                        Err(_) => return Ok(true),
                    }
                }
            }
        }
        Ok(false)
    }

    fn take(&mut self, piece: Piece) {
        (self.piece, self.used, self.came) = (piece.bytes, 0, piece.came);
    }

    /// Takes a line, or a failure, from what has come.
    fn read_line(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.lines.next() {
                return Some(line);
            }
            if self.used == self.piece.len() {
                let piece = self.output.try_recv().ok()?;
                self.take(piece);
            }
            let (space, new) = (self.lines.space(), &self.piece[self.used..]);
            let count = space.len().min(new.len());
            space[..count].copy_from_slice(&new[..count]);
            self.lines.filled(count);
            self.used += count;
        }
    }

    /// Closes the bot's input, once it has read what was sent.
    pub fn close_input(&mut self) {
        self.input.close();
    }

    /// Returns how many bytes of its prompts the bot hasn't read, apart from those in the pipe.
    pub fn unread(&self) -> u64 {
        self.input.unsent()
    }

    /// Keeps standard error from now on, answer by answer, for [`Bot::take_stderr`].
    pub fn keep_stderr(&mut self) {
        self.kept = Some(Stderr::default());
    }

    /// Takes what came on standard error since the last answer, if it is kept. Call it right after
    /// an answer.
    pub fn take_stderr(&mut self) -> Stderr {
        if self.kept.is_some() {
            // A failure shows at the next question.
            let _ = self.read_errors();
        }
        self.kept.as_mut().map(mem::take).unwrap_or_default()
    }

    fn read_errors(&mut self) -> Result<(), AskError> {
        let read = self.errors.read_on(|chunk| {
            self.tail.push(chunk);
            if let Some(kept) = &mut self.kept {
                kept.push(chunk);
            }
        });
        read.map_err(|error| self.failed("read the error output of", &error))
    }

    /// Waits, at most for `wait`, for output of a bot that was not asked.
    ///
    /// # Errors
    /// If the [`Interrupt`] is raised, or the system refuses to wait.
    pub fn listen(&mut self, wait: Duration) -> Result<Output, AskError> {
        let start = Instant::now();
        let mut has_ended = false;
        loop {
            let left = wait.saturating_sub(start.elapsed());
            match self.read_line() {
                Some(Ok(line)) => return Ok(Output::Line(self.lines.text(line).into_owned())),
                Some(Err(_)) => return Ok(Output::TooLong),
                None if has_ended => return Ok(Output::Ended),
                None if left.is_zero() => return Ok(Output::Nothing),
                None => has_ended = self.wait(left.min(LOOK))?,
            }
        }
    }

    /// Returns whether the process ends within `wait`, whatever it writes meanwhile.
    ///
    /// # Errors
    /// If the [`Interrupt`] is raised, or the system refuses to wait.
    pub fn ends_within(&mut self, wait: Duration) -> Result<bool, AskError> {
        let start = Instant::now();
        let left = || wait.saturating_sub(start.elapsed());
        while !left().is_zero() && matches!(self.listen(left())?, Output::Line(_)) {}
        Ok(self.status_within(left())?.is_some())
    }

    /// Returns whether a bot that has just answered crashes within `wait`.
    pub fn crashes_within(&mut self, wait: Duration) -> bool {
        let more = self.ask("", 1, wait, &mut |_| {});
        more.is_ok_and(|more| more.reply == Err(Failure::Crashed))
    }

    /// Returns `None`: the CPU time of its processes isn't known.
    pub fn cpu_time(&mut self) -> Option<CpuTime> {
        None
    }

    /// Stops nothing: a process can't be stopped for a while.
    pub fn pause(&mut self) {}

    /// Returns the beginning of a line that the bot has not ended; `None` if there is none.
    pub fn unfinished(&self) -> Option<String> {
        self.lines.unfinished()
    }

    /// Ends the bot after a failure, and returns the failure, or its cause if that is known.
    fn fail(&mut self, failure: Failure) -> Failure {
        self.failure = Some(failure);
        if !self.spared || failure == Failure::Crashed {
            self.end();
        }
        let lacked_memory = match (self.exceeded, self.launcher.sandbox.memory) {
            (Some(_), _) => true,
            (None, Some(limit)) if failure == Failure::Crashed && self.status.is_some() => {
                limits::explains_crash(limit, self.job.peak(), &self.tail.text())
            }
            _ => false,
        };
        if lacked_memory {
            self.failure = Some(Failure::OutOfMemory);
        }
        self.failure.unwrap_or(failure)
    }

    /// Ends the bot and everything it started, and returns how it ended.
    pub fn stop(mut self) -> Exit {
        self.end();
        Exit {
            status: self.status,
            exceeded: self.exceeded,
            stderr_tail: self.tail.text(),
            unfinished: self.failure.and(self.unfinished()),
        }
    }

    /// Kills the processes, unless that is done.
    fn end(&mut self) {
        if mem::replace(&mut self.has_ended, true) {
            return;
        }
        let is_crash = self.failure == Some(Failure::Crashed) && self.exceeded.is_none();
        let grace = if is_crash { EXIT_GRACE } else { Duration::ZERO };
        self.status = self.status_within(grace).ok().flatten();
        self.input.close();
        // What doesn't die now dies with the job, when that is dropped.
        if self.job.kill().is_ok() {
            let _ = self.status_within(DEATH);
        }
        // What can't be read is missing in the tail.
        let _ = self.read_errors();
    }

    /// Waits for the end of the process, at most for `wait`.
    fn status_within(&mut self, wait: Duration) -> Result<Option<ExitStatus>, AskError> {
        let status = self.job.status_within(wait, || false);
        status.map_err(|error| self.failed("wait for", &error))
    }

    fn failed(&self, action: &str, error: &io::Error) -> AskError {
        AskError::Failed(format!("{action} the {}: {error}", self.launcher.label()))
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.end();
    }
}
