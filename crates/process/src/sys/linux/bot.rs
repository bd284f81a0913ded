//! A running bot: start it, ask it for lines before a deadline, and stop it with everything it
//! started.

pub(crate) mod inspect;
pub(crate) mod pause;
mod wait;

use std::io;
use std::mem;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use self::pause::PauseState;
use crate::answer::{Answer, AskError, Failure};
use crate::exit::Exit;
use crate::lack;
use crate::limits::{self, ExceededLimit};
use crate::lines::{LINE_MAX, Lines};
use crate::program::StartError;
use crate::stderr::Stderr;
use crate::sys::cpu_time::CpuMeter;
use crate::sys::interrupt::Interrupt;
use crate::sys::launcher::{BotFolder, Launcher};
use crate::sys::left;
use crate::sys::orphans::{Registration, Starting, reap_orphans, search_all_threads};
use crate::sys::pipe::{Pipe, is_ready};
use crate::sys::spawn::{self, Ended, Started};
use crate::sys::timer::Timer;
use crate::sys::usage::Watch;
use crate::tail::Tail;

/// How long a process that closed its output has to end, so that its exit status is known. A
/// process that exits closes its output shortly before its end.
const EXIT_GRACE: Duration = Duration::from_millis(50);

/// How long to wait for the death of a process that was killed. The system has to free its memory.
const DEATH: Duration = Duration::from_secs(10);

/// The most reads of standard error after the end of a process. A pipe holds at most 1 MiB unless
/// root enlarged it, but a process that left the group may keep filling it.
const LAST_READS: usize = 64;

/// The most reads of standard error after an answer, if it is kept: more than a pipe of the usual
/// size holds.
const KEPT_READS: usize = 8;

/// A line of a bot, as a range of its buffer, or its failure.
type Line = Result<Range<usize>, Failure>;

/// A running bot.
///
/// Its process and all processes of its group are killed, and the process is reaped, at its first
/// [`Failure`], by [`Bot::stop`], or when it is dropped.
///
/// # Turns
/// * An answer has as many lines as were asked for, all within one limit.
/// * A line ends at LF, CR or CRLF and has at most 9,999 bytes before that. A longer line is
///   [`Failure::TooLong`], reported as soon as it is certain. Invalid UTF-8 is replaced by U+FFFD.
/// * Extra lines answer later questions. The arena reads no more than one answer needs. Other
///   output stays in the pipe, and a bot that writes too much blocks.
/// * A line counts even if the bot has not read the whole prompt. The rest of a prompt is kept and
///   sent first in the next turns. A bot that closed its input may still answer.
/// * A bot that ended, or closed its output, still answers with the full lines in the pipe, and
///   then fails with [`Failure::Crashed`]. An unfinished last line is no answer.
/// * If other programs kept a bot off the cores, it gets that time back. If that is not enough, the
///   machine and not the bot was late: [`AskError::Busy`].
/// * A [paused](Bot::pause) bot continues when it is asked. A bot that has not answered yet is
///   never paused, because it may still be starting.
/// * The clock starts before the prompt is sent and stops when the line was read. If a line has
///   arrived when the time is up, it counts, unless the processes of the bot ran for more than the
///   limit: then it is [`Failure::Timeout`]. A crash or a long line that is noticed that late keeps
///   its own name.
/// * If the machine lacked something, a bot below its own limits isn't to blame for a timeout or
///   crash: [`AskError::Failed`].
/// * After a failure every further question fails in the same way.
pub struct Bot {
    /// The process that was started. Until it is reaped, the pid can't be reused, neither for a
    /// process nor for a group.
    pid: Pid,
    started: Instant,
    /// Readable once the process has ended. Unlike its number it can never mean another process.
    process: OwnedFd,
    /// Our ends of its pipes. Standard input and standard error are `None` once the bot closed
    /// them.
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    stderr: Option<OwnedFd>,
    interrupt: Arc<Interrupt>,
    /// How long its processes ran, and were in the queue.
    meter: CpuMeter,
    /// The rest of the prompts. Between turns it is nearly always empty.
    unsent: Vec<u8>,
    lines: Lines,
    /// The answer, unless it is one line of valid UTF-8.
    answer: String,
    tail: Tail,
    /// Standard error since the last answer, if it is kept.
    kept: Option<Stderr>,
    /// Whether a timeout on an overloaded host is [`AskError::Busy`]. True at first.
    pub excuses: bool,
    /// Whether the process is left running after its first failure, so that [`Bot::listen`] can
    /// show what it does then. It ends when the bot is stopped or dropped.
    pub spared: bool,
    failure: Option<Failure>,
    state: PauseState,
    /// How long it was paused in earlier turns.
    paused: Duration,
    /// How long it ran while it was paused, beyond what each pause allows.
    pondered: Duration,
    /// Its processes that are stopped and not in its group.
    outside: Vec<Pid>,
    /// How the process ended, if it wasn't killed; known once it is reaped.
    status: Option<ExitStatus>,
    /// The most memory that it used, in bytes; known once it is reaped.
    peak: u64,
    /// Watches what its processes use together; `None` if the sandbox is off, and once it is
    /// reaped.
    watch: Option<Watch>,
    /// The limit that it was killed for.
    exceeded: Option<ExceededLimit>,
    launcher: Arc<Launcher>,
    /// Its folder in the sandbox, until it is reaped.
    folder: Option<BotFolder>,
    /// Keeps the process from being taken for an orphan; `None` once it is reaped.
    registration: Option<Registration>,
}

impl Bot {
    /// Starts a bot in its sandbox. `seed` is its own seed, and `interrupt` ends every wait for an
    /// answer.
    ///
    /// # Errors
    /// If the program does not start: see [`StartError`].
    pub fn start_in(
        launcher: &Arc<Launcher>,
        seed: u64,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Bot, StartError> {
        let (stdin, [stdout, stderr]) = channels().inspect_err(lack::note).map_err(|error| {
            launcher.failed(&format!("make its pipes{}: {error}", lack::words(&error)))
        })?;
        let streams = [&stdin.its, &stdout.its, &stderr.its].map(AsFd::as_fd);
        let (starting, now) = (Starting::begin(), Instant::now());
        let (Started { pid, process }, folder) = launcher.start(seed, Some(streams))?;
        let registration = starting.started(pid);
        let watch = launcher.watch(pid, folder.as_ref());
        Ok(Bot {
            pid,
            started: now,
            process,
            stdin: Some(stdin.ours),
            stdout: stdout.ours,
            stderr: Some(stderr.ours),
            interrupt: Arc::clone(interrupt),
            meter: CpuMeter::new(pid),
            unsent: Vec::new(),
            lines: Lines::new(LINE_MAX),
            answer: String::new(),
            tail: Tail::default(),
            kept: None,
            excuses: true,
            spared: false,
            failure: None,
            state: PauseState::Starting,
            paused: Duration::ZERO,
            pondered: Duration::ZERO,
            outside: Vec::new(),
            status: None,
            peak: 0,
            watch,
            exceeded: None,
            launcher: Arc::clone(launcher),
            folder,
            registration: Some(registration),
        })
    }

    /// Allows lines of at most `longest` bytes. Call it before the first question.
    #[must_use]
    pub fn with_lines_of(mut self, longest: usize) -> Bot {
        self.lines = Lines::new(longest);
        self
    }

    /// Sends `prompt` and waits for `lines` lines, at most for `limit`. With 0 lines the bot only
    /// reads, and nothing is waited for.
    ///
    /// Calls `thinks` if no answer comes at once, for work that instant answers can skip, and again
    /// at a random moment. Calls it with `true` when the time is up and others have taken some of
    /// it.
    ///
    /// # Errors
    /// If the [`Interrupt`] is raised, or the machine is to blame for a timeout or something else.
    /// A failure of the bot is an [`Answer`].
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
        self.count_pause();
        if let Some(failure) = self.failure {
            return Ok(Answer::failed(failure, Duration::ZERO));
        }
        let mut timer = Timer::start(limit, self.excuses, &mut self.meter, thinks);
        self.resume();
        self.send(prompt.as_bytes())?;
        // One line, as in nearly every answer, is not copied.
        let found = match lines {
            1 => self.exchange(&mut timer)?.map(Some),
            _ => self.gather(lines, &mut timer)?.map(|()| None),
        };
        let elapsed = timer.start.elapsed();
        let failure = match found {
            Ok(line) if lines > 0 && !timer.accepts(elapsed, &mut self.meter) => {
                if let Some(line) = line {
                    self.lines.put_back(&line);
                }
                Failure::Timeout
            }
            Ok(line) => {
                self.state = PauseState::Running;
                self.meter.is_starting &= lines == 0;
                let reply = match line {
                    Some(line) => self.text(line),
                    None => &self.answer,
                };
                return Ok(Answer {
                    reply: Ok(reply),
                    elapsed,
                    late: lines > 0 && elapsed > limit,
                });
            }
            Err(failure) => failure,
        };
        // The end of the run may have killed the bot, so don't blame the bot.
        if self.interrupt.is_raised() {
            return Err(AskError::Interrupted);
        }
        if failure == Failure::Timeout && timer.is_host_busy() {
            return Err(AskError::Busy);
        }
        match self.fail_unless_lacking(failure) {
            Ok(failure) => Ok(Answer::failed(failure, elapsed)),
            Err(advice) => Err(AskError::Failed(format!(
                "the {} failed while the machine lacked processes, memory or open files ({advice})",
                self.launcher.label()
            ))),
        }
    }

    /// Ends the bot after a failure, and returns the failure. If the machine may be to blame, the
    /// error says what would help.
    fn fail_unless_lacking(&mut self, failure: Failure) -> Result<Failure, &'static str> {
        let sandbox = Arc::clone(&self.launcher.sandbox);
        // The end of the bot frees what it has, so look before.
        let lack = left::lack(sandbox.threads.load(Ordering::Relaxed), self.started);
        let is_excused = failure != Failure::TooLong;
        let failure = self.fail(failure);
        let is_near = limits::is_near(sandbox.memory.unwrap_or(u64::MAX), self.peak);
        match lack {
            Some(advice) if is_excused && self.exceeded.is_none() && !is_near => Err(advice),
            _ => Ok(failure),
        }
    }

    /// Ends the bot after a failure, because from now on it would only take time from others.
    /// Returns the failure, or its cause if that is known.
    fn fail(&mut self, failure: Failure) -> Failure {
        self.failure = Some(failure);
        if !self.spared || failure == Failure::Crashed {
            self.end();
        }
        let lacked_memory = match (self.exceeded, self.launcher.sandbox.memory) {
            (Some(exceeded), _) => matches!(exceeded, ExceededLimit::Memory(_)),
            (None, Some(limit)) if failure == Failure::Crashed && self.status.is_some() => {
                limits::explains_crash(limit, self.peak, &self.tail.text())
            }
            _ => false,
        };
        if lacked_memory {
            self.failure = Some(Failure::OutOfMemory);
        }
        self.failure.unwrap_or(failure)
    }

    /// Keeps standard error from now on, answer by answer, for [`Bot::take_stderr`].
    pub fn keep_stderr(&mut self) {
        self.kept = Some(Stderr::default());
    }

    /// Takes what came on standard error since the last answer, if it is kept. Call it right after
    /// an answer: what the bot wrote before its answer is in the pipe by then, and what it writes
    /// later belongs to the next one.
    pub fn take_stderr(&mut self) -> Stderr {
        if self.kept.is_some() {
            self.drain_stderr(KEPT_READS);
        }
        self.kept.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Ends the bot and its process group, and returns how it ended.
    pub fn stop(mut self) -> Exit {
        self.end();
        Exit {
            status: self.status,
            exceeded: self.exceeded,
            stderr_tail: self.tail.text(),
            unfinished: self.failure.and(self.unfinished()),
        }
    }

    /// Kills the group and reaps the process, unless that is done.
    fn end(&mut self) {
        let Some(registration) = self.registration.take() else {
            return;
        };
        let is_crash = self.failure == Some(Failure::Crashed) && self.exceeded.is_none();
        let grace = if is_crash { EXIT_GRACE } else { Duration::ZERO };
        let ended_itself = is_ready(&self.process, grace);
        spawn::kill(self.pid, &self.process);
        self.exceeded = self.exceeded.or(self.watch.take().and_then(Watch::end));
        if let Some(Ended { status, peak }) = self.reap() {
            self.peak = peak;
            // A process that was about to exit when it was killed keeps its own status. One that
            // exceeded a limit may take long to die.
            let is_ours = status.signal() == Some(Signal::KILL.as_raw());
            if ended_itself || self.exceeded.is_some() || !is_ours {
                self.status = Some(status);
            }
        }
        drop(registration);
        self.drain_stderr(LAST_READS);
        if self.exceeded.is_some() {
            // Processes that left the group may be about to use even more.
            reap_orphans();
        }
        self.launcher.give_back(self.folder.take());
    }

    /// Reaps the process, which was killed, unless that could take for ever. A process that is
    /// traced, for instance by a rival outside the sandbox, belongs to the tracer until that ends.
    /// Like a process that doesn't die it is left to [`reap_orphans`](crate::reap_orphans).
    fn reap(&mut self) -> Option<Ended> {
        let ended = if is_ready(&self.process, DEATH) {
            spawn::reap_ended(self.pid).ok().flatten()
        } else {
            None
        };
        if ended.is_none() {
            search_all_threads();
        }
        ended
    }
}

/// Makes the pipes to and from a bot.
fn channels() -> io::Result<(Pipe, [Pipe; 2])> {
    Ok((Pipe::to()?, [Pipe::from()?, Pipe::from()?]))
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.end();
    }
}
