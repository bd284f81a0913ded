//! The ways to misbehave.

use std::hint;
use std::io::{self, Read, Write};
use std::process;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{LIFETIME, family, system, walls};
use clap::ValueEnum;

/// No action of any game.
const ILLEGAL: &str = "xyzzy";

/// The standard input, output and error output.
const DESCRIPTORS: usize = 3;

/// How the bot misbehaves. By default, it does so in one turn and then continues to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Plays to the end
    Honest,
    /// Panics
    Panic,
    /// Aborts
    Abort,
    /// Ends by SIGSEGV
    Segfault,
    /// Calls itself until its stack is full
    StackOverflow,
    /// Ends by SIGTERM, which it sends itself
    Sigterm,
    /// Sends SIGINT to its process group, and so ends
    SigintGroup,
    /// Exits with success and without an answer
    Exit,
    /// Answers, then exits with success
    ExitAfter,
    /// Sleeps
    Hang,
    /// Uses all time of a core
    Busy,
    /// Sleeps, and neither SIGTERM nor any other signal that can be caught ends it
    Stubborn,
    /// Plays to the end, which neither the end of the input nor a signal that can be caught is for
    /// it
    Lingers,
    /// Writes without a line end, for ever
    EndlessOutput,
    /// Writes lines that are no actions, for ever
    EndlessLines,
    /// Writes its answer to this prompt for ever, and reads nothing any more
    Blind,
    /// Reads nothing any more and sleeps
    NeverReads,
    /// Writes 100 kB of error output before this and every later answer
    StderrEachTurn,
    /// Writes 1 MB of error output before its answer
    StderrFlood,
    /// Writes error output for ever
    EndlessStderr,
    /// Writes half of its answer, waits, and writes the rest
    Partial,
    /// Answers twice
    TwoLines,
    /// Answers, waits, and writes another line that is no action
    LateLine,
    /// Writes this and every later answer byte by byte, waiting a little in between this time
    Bytewise,
    /// Ends this and every later answer with CRLF
    Crlf,
    /// Ends this and every later answer with CR
    Cr,
    /// Answers with NUL bytes
    Nul,
    /// Answers with bytes that are no UTF-8
    InvalidUtf8,
    /// Answers with an empty line
    Empty,
    /// Answers with an action that the game does not know
    Illegal,
    /// Waits before its answer
    Late,
    /// Closes its input, answers and sleeps
    ClosesStdin,
    /// Closes its output and sleeps
    ClosesStdout,
    /// Closes its error output
    ClosesStderr,
    /// Stops itself by SIGSTOP
    Stops,
    /// Leaves a daemon in a new session
    Daemon,
    /// Leaves a daemon in a new session, and exits with success and without an answer
    DaemonExit,
    /// Leaves a chain of daemons that start each other and end
    DaemonChain,
    /// Leaves a child in a new process group
    OwnGroup,
    /// Starts processes that start processes, 62 in all
    ForkBomb,
    /// Leaves a child, and exits with success and without an answer
    OrphanExit,
    /// Takes 4 GiB of memory
    Memory,
    /// Opens a TCP connection
    Tcp,
    /// Sends and receives a datagram
    Udp,
    /// Reads the folder of its rival and a file in it
    ReadsRival,
    /// Reads the home folder and a file in it
    ReadsHome,
    /// Reads the memory of other processes
    ReadsMemory,
    /// Signals the arena
    SignalsArena,
    /// Signals whatever it can as soon as it starts, such as the thread that starts it
    SignalsStarter,
    /// Signals its rival
    SignalsRival,
    /// Writes outside its scratch folder
    WritesOutside,
    /// Writes in its scratch folder; an illegal action shows that it can't
    WritesScratch,
    /// Counts its descriptors; an illegal action shows that there are more than three
    Descriptors,
}

/// A mode with what it needs.
pub(crate) struct Conduct {
    pub(crate) mode: Mode,
    pub(crate) pause: Duration,
    /// The number of descriptors that were open when the program began.
    pub(crate) descriptors: io::Result<usize>,
}

impl Conduct {
    /// Acts before the first turn.
    pub(crate) fn start(&mut self) {
        if matches!(self.mode, Mode::Stubborn | Mode::Lingers) {
            system::ignore_signals();
        }
        if self.mode == Mode::SignalsStarter {
            system::signal_starter();
        }
    }

    /// The first turn of misbehaviour.
    pub(crate) fn misbehave(&mut self, legal: &str) -> io::Result<()> {
        match self.mode {
            Mode::Honest | Mode::Lingers | Mode::SignalsStarter => say(legal),
            Mode::Crlf | Mode::Cr | Mode::StderrEachTurn => self.go_on(legal),
            Mode::Nul => write(b"\0\0\n"),
            Mode::InvalidUtf8 => write(b"\xff\xfe\n"),
            Mode::Empty => say(""),
            Mode::Illegal => say(ILLEGAL),
            Mode::TwoLines => write(format!("{legal}\n{legal}\n").as_bytes()),
            Mode::StderrFlood => {
                flood(1_000_000)?;
                say(legal)
            }
            Mode::Panic
            | Mode::Abort
            | Mode::Segfault
            | Mode::StackOverflow
            | Mode::Sigterm
            | Mode::SigintGroup
            | Mode::Exit
            | Mode::ExitAfter
            | Mode::DaemonExit
            | Mode::OrphanExit => self.end_early(legal),
            Mode::Late | Mode::Partial | Mode::LateLine | Mode::Bytewise => self.take_time(legal),
            Mode::EndlessOutput | Mode::EndlessLines | Mode::EndlessStderr | Mode::Blind => {
                self.write_for_ever(legal)
            }
            Mode::Hang
            | Mode::Stubborn
            | Mode::NeverReads
            | Mode::Busy
            | Mode::Stops
            | Mode::ClosesStdin
            | Mode::ClosesStdout => self.fall_silent(legal),
            Mode::ClosesStderr => {
                system::close_stderr()?;
                say(legal)
            }
            Mode::Daemon | Mode::DaemonChain | Mode::OwnGroup | Mode::ForkBomb => {
                match self.mode {
                    Mode::Daemon => family::daemon(),
                    Mode::DaemonChain => family::chain(),
                    Mode::OwnGroup => family::own_group(),
                    _ => family::bomb(),
                }
                say(legal)
            }
            _ => match self.breach()? {
                Some(breach) => say(&format!("breach: {breach}")),
                None => say(legal),
            },
        }
    }

    /// The turns after that.
    pub(crate) fn go_on(&mut self, legal: &str) -> io::Result<()> {
        match self.mode {
            Mode::Crlf => write(format!("{legal}\r\n").as_bytes()),
            Mode::Cr => write(format!("{legal}\r").as_bytes()),
            Mode::Bytewise => write_bytewise(legal, Duration::ZERO),
            Mode::StderrEachTurn => {
                flood(100_000)?;
                say(legal)
            }
            _ => say(legal),
        }
    }

    /// Acts after the end of the input.
    pub(crate) fn end(&mut self) {
        if self.mode == Mode::Lingers {
            sleep(LIFETIME);
        }
    }

    fn end_early(&self, legal: &str) -> io::Result<()> {
        match self.mode {
            Mode::Panic => panic!("this is no defect: the bot was asked to panic"),
            Mode::Abort => process::abort(),
            Mode::Segfault => system::segfault()?,
            Mode::StackOverflow => {
                call_itself(0);
            }
            Mode::Sigterm => system::terminate()?,
            Mode::SigintGroup => system::interrupt_group()?,
            Mode::ExitAfter => say(legal)?,
            Mode::DaemonExit => family::daemon(),
            Mode::OrphanExit => family::orphan(),
            _ => {}
        }
        process::exit(0)
    }

    fn take_time(&self, legal: &str) -> io::Result<()> {
        match self.mode {
            Mode::Bytewise => return write_bytewise(legal, Duration::from_millis(1)),
            Mode::Partial => {
                let (half, rest) = legal.as_bytes().split_at(legal.len() / 2);
                write(half)?;
                sleep(self.pause);
                return write(&[rest, b"\n"].concat());
            }
            Mode::LateLine => say(legal)?,
            _ => {}
        }
        sleep(self.pause);
        say(if self.mode == Mode::LateLine {
            ILLEGAL
        } else {
            legal
        })
    }

    /// Ends when the pipe is closed or the process is killed.
    fn write_for_ever(&self, legal: &str) -> io::Result<()> {
        let line = match self.mode {
            Mode::EndlessLines => format!("{ILLEGAL}\n"),
            Mode::Blind => format!("{legal}\n"),
            _ => "x".repeat(100),
        };
        let block = line.repeat(50);
        loop {
            if self.mode == Mode::EndlessStderr {
                io::stderr().write_all(block.as_bytes())?;
            } else {
                write(block.as_bytes())?;
            }
        }
    }

    fn fall_silent(&self, legal: &str) -> io::Result<()> {
        match self.mode {
            Mode::ClosesStdin => {
                system::close_stdin()?;
                say(legal)?;
            }
            Mode::ClosesStdout => system::close_stdout()?,
            Mode::Stops => {
                family::wake_later()?;
                system::stop()?;
            }
            Mode::Busy => {
                let start = Instant::now();
                while start.elapsed() < LIFETIME {
                    hint::spin_loop();
                }
            }
            _ => {}
        }
        sleep(LIFETIME);
        Ok(())
    }

    /// Tests a wall. Returns the breach, if there is one.
    fn breach(&mut self) -> io::Result<Option<String>> {
        Ok(match self.mode {
            Mode::Memory => Some(walls::memory()),
            Mode::Tcp => walls::tcp()?,
            Mode::Udp => walls::udp()?,
            Mode::ReadsRival => walls::read("HOSTILE_RIVAL")?,
            Mode::ReadsHome => walls::read("HOSTILE_HOME")?,
            Mode::ReadsMemory => system::read_memory(),
            Mode::SignalsArena => system::signal_arena(),
            Mode::SignalsRival => system::signal_rival(),
            Mode::WritesOutside => walls::write()?,
            Mode::WritesScratch => walls::scratch(),
            _ => match &self.descriptors {
                Ok(DESCRIPTORS) => None,
                Ok(count) => Some(format!("{count} descriptors were open")),
                Err(error) => Some(format!("the descriptors cannot be counted: {error}")),
            },
        })
    }
}

/// Answers as a bot should.
pub(crate) fn say(answer: &str) -> io::Result<()> {
    write(format!("{answer}\n").as_bytes())
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Returns the depth, which no stack is large enough for.
fn call_itself(depth: u64) -> u64 {
    let frame = hint::black_box([depth; 64]);
    if frame[0] == u64::MAX {
        return depth;
    }
    call_itself(depth + 1) + frame[1]
}

fn write_bytewise(answer: &str, pause: Duration) -> io::Result<()> {
    for byte in answer.bytes().chain([b'\n']) {
        write(&[byte])?;
        sleep(pause);
    }
    Ok(())
}

/// Writes this many bytes of error output at once.
fn flood(bytes: u64) -> io::Result<()> {
    io::copy(&mut io::repeat(b'e').take(bytes), &mut io::stderr().lock()).map(drop)
}
