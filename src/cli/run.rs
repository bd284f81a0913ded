//! `arena run`.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::anyhow;

use super::supervised::{Supervised, supervised};
use super::terms::ViewArgs;
use super::{Failure, RunArgs};
use crate::config::{Overrides, load};
use crate::exit;
use crate::languages::is_source;
use crate::plan::Plan;
use crate::process::find_program;
use crate::report::terminal::Terminal;
use crate::report::{Event, Progress, Reporter, command_line};
use crate::schedule::{Format, Slice};
use crate::store::{Existing, StoreError};
use crate::summary::Summary;
use crate::summary::sprt::Verdict;
use crate::tournament::{self, RunError, Session};
use arena_games::Games;

pub(super) fn run(args: &RunArgs, games: &Games) -> Result<u8, Failure> {
    let (plan, session) = plan(args, games)?;
    supervised(plan.sandbox, plan.memory_mb, |supervised| play(supervised, &plan, &session, args.time, &args.view))
}

/// What flags say about a run directory that is there already.
pub(super) fn existing(resume: bool, force: bool) -> Existing {
    match (resume, force) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Replace,
        _ => Existing::Refuse,
    }
}

/// The terminal, and who waits for play to begin.
struct Timed {
    terminal: Terminal,
    begin: Option<Sender<()>>,
}

impl Reporter for Timed {
    fn wants_standing(&self, progress: &Progress) -> bool {
        self.terminal.wants_standing(progress)
    }

    fn event(&mut self, event: &Event) {
        self.terminal.event(event);
        if let (Event::Started(_), Some(begin)) = (event, &self.begin) {
            // Whoever waits does so to the end of the process.
            let _ = begin.send(());
        }
    }
}

/// Plays a plan, for so long if there is a limit.
pub(super) fn play(
    supervised: &Supervised,
    plan: &Plan,
    session: &Session,
    time: Option<Duration>,
    view: &ViewArgs,
) -> Result<u8, Failure> {
    let terminal = Terminal::new(view.quiet, view.times.times);
    supervised.heed_signals(Some(terminal.printer()))?;
    let begin = time.map(|time| supervised.limit_time(time, terminal.printer())).transpose()?;
    let mut reporter = Timed { terminal, begin };
    let control = &supervised.control;
    let ended = tournament::local_pool(plan, session, control, Arc::clone(&supervised.sandbox))
        .and_then(|pool| tournament::run(plan, session, &pool, control, &mut reporter));
    match (ended, supervised.signal_code()) {
        (Ok(summary), exit::OK) => Ok(code_of(&summary)),
        (Ok(_), code) => Ok(code),
        (Err(error), exit::OK) => Err(Failure { code: exit_code(&error), error: error.into() }),
        (Err(error), code) => Err(Failure { code, error: error.into() }),
    }
}

/// The exit code of a run that nobody broke off: that of the test where there was one.
pub(super) fn code_of(summary: &Summary) -> u8 {
    match summary.sprt.as_ref().map(|test| test.verdict) {
        _ if summary.run.games_aborted > 0 => exit::ABORTED_GAMES,
        _ if !summary.no_verdict.is_empty() => exit::INCONCLUSIVE,
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
    let (plan, mut session) = load(&args.config, games, &overrides)
        .map_err(|error| Failure::input(if is_bot(&args.config) { no_config(&args.config) } else { error.into() }))?;
    if plan.format == Format::Sweep && args.slice != Slice::WHOLE {
        return Err(Failure::input(anyhow!("divide a sweep into slices: who plays on depends on all games before")));
    }
    if args.out.is_none() && args.slice != Slice::WHOLE {
        // Slices played on one machine must not meet in one folder.
        session.out.set_file_name(format!("{}-{}", plan.name, args.slice.to_string().replace('/', "of")));
    }
    Ok((plan, session))
}

/// Whether what was taken for a config looks like a bot.
fn is_bot(path: &Path) -> bool {
    let is_program = || find_program(&Path::new(".").join(path).to_string_lossy()).is_ok();
    is_source(path) || (path.extension().is_none_or(|extension| extension != "toml") && is_program())
}

/// What to do with a bot.
fn no_config(bot: &Path) -> anyhow::Error {
    let shown = bot.display();
    let bot = command_line(&[shown.to_string()]);
    anyhow!(
        "{shown} is no config, which is a TOML file: `arena check GAME {bot}` checks a bot, and `arena duel GAME {bot} OTHER` \
         plays it against another"
    )
}

/// The exit code of a tournament that did not come to its end.
pub(super) fn exit_code(error: &RunError) -> u8 {
    match error {
        RunError::Store(StoreError::Io { .. }) | RunError::Internal(_) => exit::INTERNAL,
        _ => exit::INPUT,
    }
}
