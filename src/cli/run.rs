//! `arena run`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use std::{process, thread};

use anyhow::anyhow;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Failure, RunArgs};
use crate::config::{Config, Outside, Overrides};
use crate::exit;
use crate::plan::Plan;
use crate::process::guard::{self, Side, ignored_signals};
use crate::process::{Walls, find_program};
use crate::report::terminal::{Terminal, Voice};
use crate::schedule::{Format, Slice};
use crate::store::{Existing, StoreError, read_folder};
use crate::summary::Summary;
use crate::summary::sprt::Verdict;
use crate::tournament::{self, Control, RunError, Session};
use arena_games::Games;

/// How long games in flight may take to end once they are interrupted. They end in milliseconds; after this the
/// program ends without them.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn run(args: &RunArgs, games: &Games) -> Result<u8, Failure> {
    let (plan, session) = plan(args, games)?;
    play(&plan, &session, args.quiet)
}

/// What flags say about a run directory that is there already.
pub(super) fn existing(resume: bool, force: bool) -> Existing {
    match (resume, force) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Replace,
        _ => Existing::Refuse,
    }
}

/// Plays a plan, with everything round it that keeps the machine clean.
pub(super) fn play(plan: &Plan, session: &Session, quiet: bool) -> Result<u8, Failure> {
    let internal = |error: std::io::Error| Failure { code: exit::INTERNAL, error: error.into() };
    let inner = match guard::enter().map_err(internal)? {
        Side::Outer(code) => return Ok(code),
        Side::Inner(inner) => inner,
    };
    let walls = Walls::new(plan.sandbox, plan.memory_mb << 20, inner.rung, inner.folder.clone());
    let walls = Arc::new(walls.map_err(Failure::input)?);
    let control = Arc::new(Control::new().map_err(internal)?);
    let signal = Arc::new(AtomicU8::new(exit::OK));
    let mut terminal = Terminal::new(quiet);
    obey_signals(&control, &signal, terminal.voice()).map_err(internal)?;
    inner.ready(&control.kill).map_err(internal)?;
    let ended = tournament::local_pool(plan, session, &control, walls)
        .and_then(|pool| tournament::run(plan, session, &pool, &control, &mut terminal));
    let code = signal.load(Ordering::Relaxed);
    match ended {
        Ok(_) if code != exit::OK => Ok(code),
        Ok(summary) => Ok(code_of(&summary)),
        Err(error) => {
            Err(Failure { code: if code == exit::OK { exit_code(&error) } else { code }, error: error.into() })
        }
    }
}

/// The exit code of a run that nobody broke off: that of the test where there was one.
fn code_of(summary: &Summary) -> u8 {
    match summary.sprt.as_ref().map(|test| test.verdict) {
        _ if summary.run.games_aborted > 0 => exit::ABORTED_GAMES,
        None | Some(Some(Verdict::Accepted)) => exit::OK,
        Some(Some(Verdict::Rejected)) => exit::CHECK_FAILED,
        Some(Some(Verdict::Inconclusive) | None) => exit::INCONCLUSIVE,
    }
}

fn plan(args: &RunArgs, games: &Games) -> Result<(Plan, Session), Failure> {
    let overrides = Overrides {
        out: args.out.clone(),
        jobs: args.jobs,
        games: args.games,
        seed: args.seed,
        trace: args.trace,
        slice: args.slice,
        existing: existing(args.resume, args.force),
    };
    let find_program = |program: &str| find_program(program).map(drop).map_err(one_line);
    let outside = Outside { find_program: &find_program, read_folder: &read_folder };
    let config = Config::load(&args.config, games).map_err(Failure::input)?;
    let (plan, mut session) = config.plan(&overrides, outside).map_err(Failure::input)?;
    if plan.format == Format::Sweep && args.slice != Slice::WHOLE {
        let why = "divide a sweep into slices: who plays on depends on all games before";
        return Err(Failure::input(anyhow!(why)));
    }
    if args.out.is_none() && args.slice != Slice::WHOLE {
        // Slices played on one machine must not meet in one folder.
        session.out.set_file_name(format!("{}-{}", plan.name, args.slice.to_string().replace('/', "of")));
    }
    Ok((plan, session))
}

fn one_line(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}

/// The exit code of a tournament that did not come to its end.
pub(super) fn exit_code(error: &RunError) -> u8 {
    match error {
        RunError::Store(StoreError::Io { .. }) | RunError::Report(_) | RunError::Execute(_) => exit::INTERNAL,
        RunError::Build { .. }
        | RunError::Program { .. }
        | RunError::Interrupted
        | RunError::Game(_)
        | RunError::Start(_)
        | RunError::Store(_) => exit::INPUT,
    }
}

/// The first SIGINT lets the games in flight finish; the second one, and every other signal, ends them at once.
fn obey_signals(control: &Arc<Control>, code: &Arc<AtomicU8>, voice: Voice) -> std::io::Result<()> {
    let ignored = ignored_signals();
    let heeded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(heeded)?;
    let (control, code) = (control.clone(), code.clone());
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let exit_code = match signal {
                SIGINT => exit::SIGINT,
                SIGHUP => exit::SIGHUP,
                SIGQUIT => exit::SIGQUIT,
                _ => exit::SIGTERM,
            };
            code.store(exit_code, Ordering::Relaxed);
            if signal == SIGINT && !control.drain.is_raised() {
                control.drain.raise();
                voice.say("finishing the games in flight; once more ends them now");
                continue;
            }
            control.kill.raise();
            thread::sleep(PATIENCE);
            process::exit(exit_code.into());
        }
    })?;
    Ok(())
}
