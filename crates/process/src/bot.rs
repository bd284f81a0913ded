//! Bots as processes: start one, ask it for a line before a deadline, end it with all that it started.
//!
//! A bot is given three pipes and leads a process group of its own. One question is one wait, with one deadline,
//! for everything that can happen: room to send, an answer, error output, the end of the process, an interrupt.
//! No thread and no signal is involved, and nothing the bot does can make the wait longer than its limit. Before it, in the
//! first millisecond, only an answer and an alarm are waited for.

pub(crate) mod inspect;

use std::borrow::Cow;
use std::io;
use std::mem;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, pidfd_send_signal, waitid,
};

use crate::alarm::Alarm;
use crate::answer::{Answer, AskError, Failure};
use crate::delay::Account;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::jail::{BotFolder, Jail, StartError};
use crate::lines::{LINE_MAX, Lines};
use crate::orphans::{InPlay, Starting, reap_strays};
use crate::pipe::{Pipe, is_ready};
use crate::sandbox::limits;
use crate::spawn::{self, Ended, Started};
use crate::stderr::Stderr;
use crate::tail::Tail;
use crate::timer::Timer;
use crate::usage::{Excess, Watch};

/// How long a process that closed its output is given to end, so that its exit status can be told. Between the two
/// a process that exits has nothing left to do but to be taken apart by the system.
const EXIT_GRACE: Duration = Duration::from_millis(50);

/// How long the death of a process that was killed is waited for: the system has to take its memory apart.
const DEATH: Duration = Duration::from_secs(10);

/// The number of reads after which the end of the error output is no longer looked for. A pipe holds at most 1 MiB
/// unless root enlarged it, but a process that left the group may go on filling it for ever.
const LAST_READS: usize = 64;

/// The most bytes of error output that are read at a time.
const STDERR_CHUNK: usize = 16 * 1024;

/// The most reads of the error output after an answer, if it is kept: more than a pipe of the usual size holds.
const KEPT_READS: usize = 8;

/// How often processes that leave the group of a bot while it is paused are looked for.
const PURSUITS: usize = 20;

/// How long what is said of memory is waited for.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// A running bot. Its process and all processes of its group are killed, and the process is reaped, at its first
/// [`Failure`], by [`Bot::stop`] or when dropped.
///
/// # Turns
/// * An answer has as many lines as were wanted, all within one limit.
/// * A line ends at LF, CR or CRLF and has at most 9,999 bytes before that; more is [`Failure::TooLong`], said as soon
///   as it is certain. Bytes that are no UTF-8 are replaced by U+FFFD.
/// * Lines beyond the first answer the next questions. No more is read than one answer needs: what else the bot
///   wrote stays in the pipe, and a bot that writes too much blocks.
/// * A line counts even if the bot has not read the whole prompt. What could not be sent is kept and goes first in
///   the next turns. A bot that closed its input may go on answering.
/// * A bot that ended, or closed its output, still answers with the full lines that are in the pipe, then has
///   [`Failure::Crashed`]; an unterminated last line is no answer.
/// * A bot that others kept off the cores gets that time back. Where that does not do, the machine and not the
///   bot was late: [`AskError::Busy`].
/// * A bot that is [paused](Bot::pause) goes on when it is asked. One that has not answered yet is never paused: it
///   may still be starting.
/// * The clock starts before the prompt is sent and stops when the line was read. A line that is there when the time is up
///   counts, unless the processes of the bot ran for more than the limit: then it is [`Failure::Timeout`]. A crash or a long line
///   that is noticed that late goes by its own name.
/// * After a fault every further question has the same fault.
pub struct Bot {
    /// The process that was started. Until it is reaped the number, which is that of its group too, is its own.
    pid: Pid,
    /// Readable once the process has ended; unlike its number it can never mean another process.
    process: OwnedFd,
    /// Our ends of its pipes. Those of its input and its error output are gone once the bot closed them.
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    interrupt: Arc<Interrupt>,
    /// How long its processes ran, and stood in the queue.
    account: Account,
    /// Goes off when the bot may be thinking.
    alarm: Alarm,
    /// What is left of the prompts; between turns empty nearly always.
    unsent: Vec<u8>,
    lines: Lines,
    /// The answer, where it has not exactly one line or its bytes are no UTF-8.
    answer: String,
    tail: Tail,
    /// What came of its error output since the last answer, if that is kept.
    kept: Option<Stderr>,
    /// Whether a time-out on an overloaded host is [`AskError::Busy`]. True at first.
    pub excuses: bool,
    /// Whether its process is left alone after its first fault, so that [`Bot::listen`] can tell what it does then. It ends
    /// when the bot is stopped or dropped.
    pub spared: bool,
    fault: Option<Failure>,
    state: State,
    /// Its processes that are stopped, and not with its group.
    outside: Vec<Pid>,
    /// How the process ended, if it did so by itself; known once it is reaped.
    status: Option<ExitStatus>,
    /// The most memory that it had in use, in bytes; known once it is reaped.
    peak: u64,
    /// Watches what its processes take together; `None` where the sandbox is off, and once it is reaped.
    watch: Option<Watch>,
    /// What it was killed for by the watch.
    excess: Option<Excess>,
    /// Its sandbox, and its folder there until it is reaped.
    jail: Arc<Jail>,
    folder: Option<BotFolder>,
    /// Keeps the process from being taken for an orphan; `None` once it is reaped.
    in_play: Option<InPlay>,
}

impl Bot {
    /// Starts a bot in the sandbox of `jail`. `seed` is its own seed, and `interrupt` ends every wait for an answer.
    pub fn start_in(
        jail: &Arc<Jail>,
        seed: u64,
        interrupt: &Arc<Interrupt>,
    ) -> Result<Bot, StartError> {
        let failed = |problem: io::Error| StartError::of_pipes(jail, &problem);
        let [stdin, stdout, stderr] = [Pipe::to(), Pipe::from(), Pipe::from()];
        let [stdin, stdout, stderr] = [
            stdin.map_err(failed)?,
            stdout.map_err(failed)?,
            stderr.map_err(failed)?,
        ];
        let alarm = Alarm::new().map_err(failed)?;
        let starting = Starting::begin();
        let (Started { pid, process }, folder) = jail.start(
            seed,
            Some([&stdin.its, &stdout.its, &stderr.its].map(AsFd::as_fd)),
        )?;
        let in_play = starting.started(pid);
        let watch = jail.watch(pid, folder.as_ref());
        Ok(Bot {
            pid,
            process,
            stdin: Some(stdin.ours),
            stdout: Some(stdout.ours),
            stderr: Some(stderr.ours),
            interrupt: Arc::clone(interrupt),
            account: Account::open(pid),
            alarm,
            unsent: Vec::new(),
            lines: Lines::of(LINE_MAX),
            answer: String::new(),
            tail: Tail::default(),
            kept: None,
            excuses: true,
            spared: false,
            fault: None,
            state: State::Starting,
            outside: Vec::new(),
            status: None,
            peak: 0,
            watch,
            excess: None,
            jail: Arc::clone(jail),
            folder,
            in_play: Some(in_play),
        })
    }

    /// Allows lines of so many bytes; comes before the first question.
    pub fn with_lines_of(mut self, longest: usize) -> Bot {
        self.lines = Lines::of(longest);
        self
    }

    /// Stops the process until the next game, if it can play one: it has answered all questions, took all of its input, said
    /// nothing else and has not ended.
    pub fn rest(mut self) -> Option<Bot> {
        self.pause();
        (self.state == State::Paused && self.is_idle()).then_some(self)
    }

    /// The bot in a game that begins; `None` if it did not keep still since the last one. What it wrote to standard error until
    /// now belongs to that.
    pub fn rested(mut self) -> Option<Bot> {
        self.drain_stderr(LAST_READS);
        (self.tail, self.kept, self.excuses) = (Tail::default(), None, true);
        self.is_idle().then_some(self)
    }

    /// Whether nothing is left of what the bot was asked, and of what it said.
    fn is_idle(&mut self) -> bool {
        let is_silent = match &self.stdout {
            Some(stdout) if self.unsent.is_empty() && self.fault.is_none() => {
                match retry_on_intr(|| read(stdout, self.lines.space())) {
                    Ok(count) => {
                        self.lines.filled(count);
                        count > 0 && self.lines.is_empty()
                    }
                    Err(errno) => errno == Errno::AGAIN && self.lines.is_empty(),
                }
            }
            _ => false,
        };
        is_silent && self.stdin.is_some() && !is_ready(&self.process, Duration::ZERO)
    }

    /// Ends the bot and its process group, and says how it ended.
    pub fn stop(mut self) -> Exit {
        self.end();
        Exit {
            status: self.status,
            excess: self.excess,
            stderr_tail: self.tail.text(),
            unfinished: self.fault.and_then(|_| self.unfinished()),
        }
    }

    /// Waits for so many lines, and puts them together.
    fn gather(
        &mut self,
        lines: usize,
        timer: &mut Timer<'_>,
    ) -> Result<Result<(), Failure>, AskError> {
        let mut answer = String::new();
        for number in 0..lines {
            match self.exchange(timer)? {
                Ok(line) => {
                    answer.extend((number > 0).then_some('\n'));
                    answer.push_str(self.text(line));
                }
                Err(fault) => return Ok(Err(fault)),
            }
        }
        self.answer = answer;
        Ok(Ok(()))
    }

    /// Waits for a line or a fault.
    fn exchange(&mut self, timer: &mut Timer<'_>) -> Result<Found, AskError> {
        if let Some(found) = self.lines.next() {
            return Ok(found);
        }
        if let Some(found) = self.hear_at_once(timer)? {
            return Ok(found);
        }
        loop {
            // What came while we slept is there.
            let Some(left) = timer.left(&mut self.account) else {
                return Ok(self.look()?.unwrap_or(Err(Failure::Timeout)));
            };
            let has_ended = self.wait(left)?;
            let found = self.look()?;
            if has_ended || found.is_some() {
                return Ok(found.unwrap_or(Err(Failure::Crashed)));
            }
        }
    }

    /// Waits for nothing but an answer until the bot may be thinking. Whatever else there is to be seen to can wait for so
    /// long, but for what keeps a bot from answering: input that it has not got, and error output that nobody takes. Of a bot
    /// with metrics it is taken behind every answer.
    fn hear_at_once(&mut self, timer: &mut Timer<'_>) -> Result<Option<Found>, AskError> {
        while self.unsent.is_empty() && (self.tail.is_empty() || self.kept.is_some()) {
            let Some(left) = timer.instant() else { break };
            self.alarm
                .set(left)
                .map_err(|error| AskError::Failed(format!("set an alarm: {error}")))?;
            let mut set = [
                self.input(self.stdout.as_ref()),
                self.input(Some(&self.alarm.timer)),
            ];
            match poll(&mut set, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(self.failed("wait for", errno)),
            }
            let [stdout, alarm] = set.map(|fd| !fd.revents().is_empty());
            if stdout && let Some(found) = self.look()? {
                return Ok(Some(found));
            }
            if alarm {
                self.alarm.acknowledge();
            }
        }
        Ok(None)
    }

    /// Sends what is left of earlier prompts, then `prompt`, as far as the pipe takes it. Keeps the rest.
    fn send(&mut self, prompt: &[u8]) -> Result<(), AskError> {
        let Some(stdin) = &self.stdin else {
            return Ok(());
        };
        self.unsent.extend(prompt);
        match retry_on_intr(|| write(stdin, &self.unsent)) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            Err(Errno::AGAIN) => {}
            Err(Errno::PIPE) => {
                self.stdin = None;
                self.unsent.clear();
            }
            Err(errno) => return Err(self.failed("write to", errno)),
        }
        Ok(())
    }

    /// Waits for something to read, or for the end of it. A closed descriptor cannot be left out of the middle of a set: one
    /// for which nothing is awaited takes its place.
    fn input<'a>(&'a self, from: Option<&'a impl AsFd>) -> PollFd<'a> {
        match from {
            Some(from) => PollFd::new(from, PollFlags::IN),
            None => PollFd::new(&self.interrupt.event, PollFlags::empty()),
        }
    }

    /// Waits until something can be done, at most for `left`, and says whether the process has ended. Sends what is unsent,
    /// and takes error output.
    fn wait(&mut self, left: Duration) -> Result<bool, AskError> {
        let mut set = [
            self.input(Some(&self.process)),
            self.input(Some(&self.interrupt.event)),
            self.input(self.stdout.as_ref()),
            self.input(self.stderr.as_ref()),
            self.stdin
                .as_ref()
                .map_or(self.input(None::<&OwnedFd>), |stdin| {
                    PollFd::new(stdin, PollFlags::OUT)
                }),
        ];
        let used = if self.unsent.is_empty() {
            set.len() - 1
        } else {
            set.len()
        };
        // A limit too long for the system is no limit.
        let left = Timespec::try_from(left).ok();
        match poll(&mut set[..used], left.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(false),
            Err(errno) => return Err(self.failed("wait for", errno)),
        }
        // Errors and hang-ups count as ready: the read or write that follows tells which it is.
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

    /// Reads from the output until there is a line or a fault, or for now no more: so much at most as a line may have. The
    /// end of the pipe is not waited for: when the process has ended another may hold it open.
    fn look(&mut self) -> Result<Option<Found>, AskError> {
        let Some(stdout) = &self.stdout else {
            return Ok(Some(Err(Failure::Crashed)));
        };
        loop {
            match retry_on_intr(|| read(stdout, self.lines.space())) {
                Ok(0) => return Ok(Some(Err(Failure::Crashed))),
                Ok(count) => self.lines.filled(count),
                Err(Errno::AGAIN) => return Ok(None),
                Err(errno) => return Err(self.failed("read from", errno)),
            }
            if let Some(found) = self.lines.next() {
                return Ok(Some(found));
            }
        }
    }

    /// Reads from the error output once, and says whether there may be more. Once only, so that a flood of it
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

    /// Reads what there is of the error output, so often at most.
    fn drain_stderr(&mut self, reads: usize) {
        for _ in 0..reads {
            if !matches!(self.read_stderr(), Ok(true)) {
                break;
            }
        }
    }

    /// The text of a line. It is copied only where bytes have to be replaced.
    fn text(&mut self, line: Range<usize>) -> &str {
        match String::from_utf8_lossy(self.lines.bytes(line)) {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => {
                self.answer = text;
                &self.answer
            }
        }
    }

    /// Kills the group and reaps the process, unless that is done.
    fn end(&mut self) {
        let Some(in_play) = self.in_play.take() else {
            return;
        };
        let grace = if self.fault == Some(Failure::Crashed) {
            EXIT_GRACE
        } else {
            Duration::ZERO
        };
        let by_itself = is_ready(&self.process, grace);
        // The process is not reaped, so its number, which is also that of the group, is still its own. It may have
        // moved to another group, hence the second signal: without it the wait could last for ever.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = pidfd_send_signal(&self.process, Signal::KILL);
        // A process that was about to exit when it was killed keeps its own status.
        let own = |status: &ExitStatus| by_itself || status.signal() != Some(Signal::KILL.as_raw());
        self.excess = self.watch.take().and_then(Watch::end);
        let end = self.reap();
        self.peak = end.as_ref().map_or(0, |end| end.peak);
        self.status = end.map(|end| end.status).filter(own);
        drop(in_play);
        self.drain_stderr(LAST_READS);
        if let Some(folder) = self.folder.take() {
            self.jail.give_back(folder);
        }
    }

    /// Reaps the process, which was killed. Not if that could take for ever: a process that is traced, by a rival outside
    /// the sandbox for one, is the tracer's until that ends. Like one that does not die it is left to [`reap_strays`].
    fn reap(&mut self) -> Option<Ended> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let is_ours = is_ready(&self.process, DEATH)
            && matches!(
                waitid(WaitId::PidFd(self.process.as_fd()), options),
                Ok(Some(_))
            );
        if is_ours {
            spawn::reap(self.pid).ok()
        } else {
            None
        }
    }

    /// Whether a line is what a Java machine says when it is refused memory; then that goes where others say so. It may begin with
    /// a line that is a mark and no more: then what comes at once behind it is read, and the line stands elsewhere.
    fn is_out_of_memory(&mut self, line: &mut Range<usize>) -> Result<bool, AskError> {
        let is_mark = self.lines.bytes(line.clone()) == limits::MARK;
        if is_mark {
            self.lines.put_back(line);
            self.hear_out()?;
        }
        let said = if is_mark {
            self.lines.rest()
        } else {
            self.lines.bytes(line.clone())
        };
        let is_last = limits::is_out_of_memory(said);
        if is_last {
            self.tail.push(said);
            self.tail.push(b"\n");
        }
        if is_mark && let Some(Ok(again)) = self.lines.next() {
            *line = again;
        }
        Ok(is_last)
    }

    /// Reads for [`LAST_WORDS`] what is still said of memory.
    fn hear_out(&mut self) -> Result<(), AskError> {
        let until = Instant::now() + LAST_WORDS;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let is_last =
                limits::is_out_of_memory(self.lines.rest()) || left.is_zero() || self.wait(left)?;
            let Some(stdout) = &self.stdout else {
                return Ok(());
            };
            match retry_on_intr(|| read(stdout, self.lines.space())) {
                Ok(count @ 1..) => self.lines.filled(count),
                Err(Errno::AGAIN) => {}
                _ => return Ok(()),
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn failed(&self, action: &str, errno: Errno) -> AskError {
        AskError::Failed(format!("{action} the {}: {errno}", self.jail.called()))
    }
}

impl Bot {
    /// Sends `prompt` and waits for so many lines, at most for `limit`. With none, the bot only reads, and nobody waits for
    /// it. Calls `thinks` if the answer is not there at once: this is the time for whatever need not be done for an instant
    /// answer. Calls it again when the time is up and others have taken some of it.
    pub fn ask(
        &mut self,
        prompt: &str,
        lines: usize,
        limit: Duration,
        thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, AskError> {
        if self.interrupt.is_raised() {
            return Err(AskError::Interrupted);
        }
        if let Some(fault) = self.fault {
            return Ok(Answer {
                reply: Err(fault),
                elapsed: Duration::ZERO,
                late: false,
            });
        }
        let mut timer = Timer::start(limit, self.excuses, &mut self.account, thinks);
        self.go_on();
        self.send(prompt.as_bytes())?;
        // One line, which nearly every question wants, is not copied.
        let mut found = match lines {
            1 => self.exchange(&mut timer)?.map(Some),
            _ => self.gather(lines, &mut timer)?.map(|()| None),
        };
        if let Ok(Some(line)) = &mut found
            && self.jail.sandbox.limits.is_some()
            && self.is_out_of_memory(line)?
        {
            found = Err(Failure::OutOfMemory);
        }
        let elapsed = timer.start.elapsed();
        let fault = match found {
            Ok(line) if lines > 0 && !timer.takes(elapsed, &mut self.account) => {
                if let Some(line) = line {
                    self.lines.put_back(&line);
                }
                Failure::Timeout
            }
            Ok(line) => {
                self.state = State::Running;
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
            Err(fault) => fault,
        };
        if fault == Failure::Timeout {
            if timer.is_host_busy() {
                return Err(AskError::Busy);
            }
        }
        // It has lost its seat: from here on it would only take time from the others.
        self.fault = Some(fault);
        if !self.spared || fault == Failure::Crashed {
            self.end();
        }
        // The fault of a bot that has ended goes by a closer name where there is one.
        let limits = self
            .jail
            .sandbox
            .limits
            .filter(|_| fault == Failure::Crashed && self.status.is_some());
        let is_explained = match self.excess {
            None => {
                limits.is_some_and(|limits| limits.explains_crash(self.peak, &self.tail.text()))
            }
            Some(excess) => matches!(excess, Excess::Memory(_)),
        };
        let fault = if is_explained {
            Failure::OutOfMemory
        } else {
            fault
        };
        self.fault = Some(fault);
        Ok(Answer {
            reply: Err(fault),
            elapsed,
            late: false,
        })
    }

    /// Keeps its error output from now on, answer by answer, for [`Bot::take_stderr`].
    pub fn keep_stderr(&mut self) {
        self.kept = Some(Stderr::default());
    }

    /// Takes what came on standard error since the last answer, if it is kept. What the bot wrote before its answer is in the
    /// pipe by now; what it writes later belongs to its next one.
    pub fn take_stderr(&mut self) -> Stderr {
        if self.kept.is_some() {
            self.drain_stderr(KEPT_READS);
        }
        self.kept.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Keeps the bot from thinking until it is asked again.
    pub fn pause(&mut self) {
        if self.state == State::Running && self.in_play.is_some() {
            // Not reaped, so the number of the process, which is that of the group, is its own.
            let _ = kill_process_group(self.pid, Signal::STOP);
            self.stop_who_left();
            self.state = State::Paused;
        }
    }

    /// Stops the processes of the bot that are not in its group: those below it, until no more are found. What has no
    /// parent either is nobody's, and killed.
    fn stop_who_left(&mut self) {
        reap_strays();
        for _ in 0..PURSUITS {
            let left: Vec<Pid> = self.account.family().outside_group();
            let found: Vec<Pid> = left
                .into_iter()
                .filter(|pid| !self.outside.contains(pid))
                .collect();
            if found.is_empty() {
                break;
            }
            for pid in found {
                let _ = kill_process(pid, Signal::STOP);
                self.outside.push(pid);
            }
        }
    }

    /// Lets all its processes run again.
    fn go_on(&mut self) {
        if self.state == State::Paused {
            self.state = State::Running;
            let _ = kill_process_group(self.pid, Signal::CONT);
            // Stopped as they are they cannot have ended, but by a signal of their own kin.
            for pid in self.outside.drain(..) {
                let _ = kill_process(pid, Signal::CONT);
            }
        }
    }
}

/// Whether a bot may be paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has not answered yet.
    Starting,
    Running,
    Paused,
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a question came to: a line, or the fault of the bot.
type Found = Result<Range<usize>, Failure>;
