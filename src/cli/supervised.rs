//! The setting of verbs that start bots: two processes, a sandbox, and signals that end them.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::SIGINT;

use super::exit;
use super::failure::{Failure, Result};
use super::output::{report, say};
use crate::plan::samples;
use crate::play::foreign::{Referee, RefereeStart};
use crate::report::terminal::Printer;
use crate::tournament::Control;
use arena_process::guard::{self, Inner, Side};
use arena_process::languages::{self, Compilation, Compiler, Languages};
use arena_process::{Interrupt, Launch, Mode, Sandbox, cant_start};
use arena_section::words::duration;

/// Shows a line, which has no full stop.
pub(super) type ShowLine = Arc<dyn Fn(&str) + Send + Sync>;

/// How long games in flight may take to end after an interrupt. They usually need milliseconds;
/// then the program ends without them.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often to look whether play has begun, or has ended.
const LOOK: Duration = Duration::from_millis(10);

/// The inner of the two processes.
pub(super) struct Supervised {
    inner: Inner,
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) control: Arc<Control>,
    signal: Arc<AtomicU8>,
}

/// How a user may end a run: the first SIGINT lets games in flight finish.
#[derive(Clone)]
pub(super) struct Grace {
    pub(super) printer: Printer,
    /// How long they may take.
    pub(super) time: Duration,
}

impl Grace {
    /// Starts no more games, and says so, with a reason before it and advice after it.
    fn begin(&self, control: &Control, why: &str, advice: &str) {
        control.drain.raise();
        let time = duration(self.time.as_secs_f64());
        self.printer.print(&format!(
            "{why}finishing the games in flight, for {time} at most{advice}"
        ));
    }
}

/// Splits the program in two: the inner process does `work`, the outer one ends with its exit code.
pub(super) fn supervised(
    mode: Mode,
    memory_mb: u64,
    work: impl FnOnce(&Supervised) -> Result<u8> + Send,
) -> Result<u8> {
    let inner = match guard::enter() {
        // Above 128, it only chooses the statuses of signals that it handles.
        Ok(Side::Outer(code)) if code > 128 && ![129, 130, 131, 143].contains(&code) => {
            let why = "the process that plays was killed, perhaps for lack of memory";
            return Err(Failure::Ended(code, why.to_owned()));
        }
        Ok(Side::Outer(code)) => return Ok(code),
        Ok(Side::Inner(inner)) => inner,
        Err(error) => return Err(error.into()),
    };
    let folder = inner.folder.clone();
    let sandbox = Sandbox::new(mode, memory_mb << 20, inner.supervision, folder);
    let supervised = Supervised {
        inner,
        sandbox: Arc::new(sandbox?),
        control: Arc::new(Control::new().map_err(cant_play)?),
        signal: Arc::new(AtomicU8::new(exit::OK)),
    };
    supervised
        .inner
        .run(|| work(&supervised))
        .map_err(cant_play)?
}

/// Does `work` like [`supervised`]. A signal ends it without a result.
pub(super) fn interruptible(
    memory_mb: u64,
    work: impl FnOnce(&Supervised) -> Result<u8> + Send,
) -> Result<u8> {
    supervised(Mode::Auto, memory_mb, |supervised| {
        supervised.handle_signals(None)?;
        match work(supervised) {
            Err(_) if supervised.signal_code() != exit::OK => Err(supervised.interrupted()),
            result => result,
        }
    })
}

impl Supervised {
    /// Handles signals: they end the games in flight at once. With a grace, the first SIGINT lets
    /// them finish.
    pub(super) fn handle_signals(&self, grace: Option<Grace>) -> Result<()> {
        let (control, code) = (Arc::clone(&self.control), Arc::clone(&self.signal));
        self.on_signals(move |signals| end_games_on(signals, &control, &code, grace.as_ref()))
    }

    /// Handles signals: the first starts no new games, and the second ends the program.
    #[cfg(feature = "workers")]
    pub(super) fn drain_on_signals(&self, show: ShowLine) -> Result<()> {
        let control = Arc::clone(&self.control);
        self.on_signals(move |signals| {
            for signal in signals {
                if control.drain.is_raised() {
                    process::exit(exit::of_signal(signal).into());
                }
                control.drain.raise();
                show(
                    "finishing the games under way, and giving the others back; once more ends at once",
                );
            }
        })
    }

    /// Starts a thread that handles signals.
    fn on_signals(
        &self,
        hear: impl FnOnce(&mut dyn Iterator<Item = i32>) + Send + 'static,
    ) -> Result<()> {
        let mut signals = guard::signals().map_err(cant_play)?;
        spawn("signals", move || hear(&mut signals))?;
        self.inner.ready(&self.control.kill).map_err(cant_play)
    }

    /// Warns on standard error about features that the sandbox lacks.
    pub(super) fn warn(&self) {
        if let Some(warning) = self.sandbox.warning() {
            say(&format!("warning: {warning}"));
        }
    }

    /// Compiles a bot if necessary, with a line on standard error.
    pub(super) fn ready(&self, languages: &Languages, bot: &Launch) -> Result<Launch> {
        let stops = [&*self.control.drain, &self.control.kill];
        ready(languages, bot, &self.sandbox, &stops)
    }

    /// Compiles a referee if necessary, with a line on standard error.
    pub(super) fn ready_referee(
        &self,
        languages: &Languages,
        referee: &Referee,
        id: &str,
    ) -> Result<RefereeStart> {
        let stops = [&self.control.drain, &*self.control.kill];
        let mut compiler = Compiler {
            sandbox: &self.sandbox,
            run: &mut speaking_compiler(&self.sandbox, &stops),
        };
        let ready = languages::ready(languages, &referee.launch(id), None, &mut compiler)?;
        Ok(referee.started(ready.launch, &mut compiler))
    }

    /// Plays, but starts no more games when `time` has passed since the first one, and lets games
    /// in flight finish within the grace.
    pub(super) fn limit_time<T>(
        &self,
        time: Duration,
        grace: &Grace,
        play: impl FnOnce() -> T,
    ) -> Result<T> {
        let control = &self.control;
        let (plays, waits) = mpsc::channel::<()>();
        let passes = move |time| waits.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        let wait = move || {
            while !control.is_playing.load(Ordering::Relaxed) {
                if !passes(LOOK) {
                    return;
                }
            }
            if passes(time) {
                let time = duration(time.as_secs_f64());
                grace.begin(control, &format!("time over ({time}): "), "");
                if passes(grace.time) {
                    control.kill.raise();
                }
            }
        };
        thread::scope(|scope| {
            let timer = thread::Builder::new().name("timer".to_owned());
            timer.spawn_scoped(scope, wait).map_err(cant_play)?;
            let played = play();
            drop(plays);
            Ok(played)
        })
    }

    /// A verb that a signal ended without a result.
    pub(super) fn interrupted(&self) -> Failure {
        Failure::Ended(
            self.signal_code(),
            "interrupted: nothing was written".to_owned(),
        )
    }

    /// The exit status of the last signal, or [`exit::OK`].
    pub(super) fn signal_code(&self) -> u8 {
        self.signal.load(Ordering::Relaxed)
    }
}

/// The system refuses a thread or a descriptor.
fn cant_play(error: io::Error) -> Failure {
    Failure::Internal(cant_start("the thread that plays", error))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map(drop).map_err(cant_play)
}

/// Compiles a bot if necessary, with a line on standard error; one of `stops` ends that. Prints
/// what may be wrong with it.
pub(super) fn ready(
    languages: &Languages,
    bot: &Launch,
    sandbox: &Sandbox,
    stops: &[&Interrupt],
) -> Result<Launch> {
    let mut compiler = Compiler {
        sandbox,
        run: &mut speaking_compiler(sandbox, stops),
    };
    let ready = samples::ready(languages, bot, &mut compiler)?;
    for warning in &ready.warnings {
        say(&format!("warning: {warning}"));
    }
    Ok(ready.launch)
}

/// Compiles with a line on standard error, even if that is closed.
fn speaking_compiler(
    sandbox: &Sandbox,
    stops: &[&Interrupt],
) -> impl FnMut(&Compilation) -> anyhow::Result<bool> {
    move |compilation| {
        say(&samples::compiling(compilation));
        samples::compile(compilation, sandbox, stops)
    }
}

fn end_games_on(
    signals: impl Iterator<Item = i32>,
    control: &Arc<Control>,
    code: &AtomicU8,
    grace: Option<&Grace>,
) {
    let mut is_ending = false;
    for signal in signals {
        let exit_code = exit::of_signal(signal);
        code.store(exit_code, Ordering::Relaxed);
        if signal == SIGINT
            && let Some(grace) = grace
            && control.is_playing.load(Ordering::Relaxed)
            && !control.drain.is_raised()
        {
            grace.begin(control, "", "; once more ends them now");
            let (time, control) = (grace.time, Arc::clone(control));
            // Without the thread, the next signal ends them.
            let _ = spawn("grace", move || {
                thread::sleep(time);
                end_games(&control, exit_code);
            });
            continue;
        }
        if is_ending {
            quit(exit_code);
        }
        is_ending = true;
        end_games(control, exit_code);
    }
}

/// Ends the games in flight, and the program if they don't end within [`PATIENCE`]. Writing them
/// may take longer.
fn end_games(control: &Control, exit_code: u8) {
    control.kill.raise();
    let end = Instant::now() + PATIENCE;
    while !control.is_over.load(Ordering::Relaxed) && Instant::now() < end {
        thread::sleep(LOOK);
    }
    if !control.is_over.load(Ordering::Relaxed) {
        quit(exit_code);
    }
}

/// Ends the program after a signal, without a result.
fn quit(exit_code: u8) -> ! {
    let why = "ended before its results were written".to_owned();
    process::exit(report(Failure::Ended(exit_code, why), "").into())
}
