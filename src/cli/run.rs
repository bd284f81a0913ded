//! `arena run`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use super::exit;
use super::supervised::{Supervised, Tell, TimeLimit, supervised};
use super::terms::ViewArgs;
use super::worker::{self, ServerArgs};
use super::{Failure, RunArgs, watch};
use crate::config::{Overrides, load};
use crate::plan::Plan;
use crate::plan::schedule::Slice;
use crate::report::replays::Selection;
use crate::report::screen::Screen;
use crate::report::terminal::Terminal;
use crate::report::{Event, Progress, Reporter, RunReport, outcome};
use crate::section::text::command_line;
use crate::section::text::harmless_lines;
use crate::session::Session;
use crate::store::{self, DirState, Existing, PlanFile, StoreError};
use crate::study::{FollowUp, Outcome};
use crate::tournament::{self, Built, RunError};
use crate::worker::pool::Executor;
use arena_games::Games;
use arena_process::find_program;
use arena_process::languages::is_source;

pub(super) fn run(args: &RunArgs, games: &Games) -> Result<u8, Failure> {
    let (mut plan, session) = plan(args, games)?;
    let page = args
        .watch
        .map(|how| watch::beside(&session.out, how))
        .transpose()?
        .flatten();
    let code = supervised(session.sandbox(&plan), plan.memory_mb, |supervised| {
        let mut stage = Stage::new(supervised, args.time, &args.view, &args.server)?;
        let goes_on = match take_over(&mut plan, &session)? {
            TakenOver::Finished(why) => return stage.tell_finished(&plan, &session, &why),
            TakenOver::Begun(goes_on) => goes_on,
        };
        let mut built = stage.build(&plan, &session)?;
        if !session.seed_is_given && !goes_on {
            built.settle_seed(0, &[]);
        }
        stage.play(built, &session)
    });
    // Whoever ends a run by a signal ends its page.
    match (page, &code) {
        (Some(page), Ok(code)) if *code < exit::of_signal(0) => page.wait(),
        (Some(page), _) => page.end(),
        (None, _) => {}
    }
    code
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
    limit: Option<TimeLimit>,
}

impl Reporter for Timed {
    fn wants_live(&self, progress: &Progress) -> bool {
        self.terminal.wants_live(progress)
    }

    fn event(&mut self, event: &Event<'_>) {
        self.terminal.event(event);
        if let (Event::Started(_), Some(limit)) = (event, &self.limit) {
            limit.begin();
        }
    }
}

/// Where games are played, with everything round it that keeps the machine clean.
pub(super) struct Stage<'s> {
    supervised: &'s Supervised,
    reporter: Timed,
    server: ServerArgs,
    quiet: bool,
    with_times: bool,
}

impl Stage<'_> {
    /// From now on signals are heeded. Games are played for so long, if there is a limit.
    pub(super) fn new<'s>(
        supervised: &'s Supervised,
        time: Option<Duration>,
        view: &ViewArgs,
        server: &ServerArgs,
    ) -> Result<Stage<'s>, Failure> {
        let terminal = Terminal::new(view.quiet, view.times.times).limited(time);
        supervised.heed_signals(Some(terminal.printer()))?;
        let limit = time
            .map(|time| supervised.limit_time(time, terminal.printer()))
            .transpose()?;
        let reporter = Timed { terminal, limit };
        Ok(Stage {
            supervised,
            reporter,
            server: server.clone(),
            quiet: view.quiet,
            with_times: view.times.times,
        })
    }

    /// Builds and compiles the bots.
    pub(super) fn build(&mut self, plan: &Plan, session: &Session) -> Result<Built, Failure> {
        let built = tournament::build(plan, session, &self.supervised.control, &mut self.reporter);
        built.map_err(|error| self.failed(error))
    }

    /// Plays a plan, and the test of what it found where the session says so.
    pub(super) fn play(mut self, built: Built, session: &Session) -> Result<u8, Failure> {
        let plan = built.plan.clone();
        match self.play_alone(built, session)? {
            (report, exit::OK) if session.confirm => {
                self.confirm(&plan, report.finding.follow_up, session)
            }
            (_, code) => Ok(code),
        }
    }

    /// Plays a plan; what it found, and the exit code.
    fn play_alone(&mut self, built: Built, session: &Session) -> Result<(RunReport, u8), Failure> {
        let control = &self.supervised.control;
        let mut session = session.clone();
        session.warnings.extend(self.supervised.sandbox.warning());
        let sandbox = Arc::clone(&self.supervised.sandbox);
        let executor = match &session.workers {
            Some(url) => self.remote_pool(&built.plan, url),
            None => tournament::local_pool(&built.plan, &session, control, sandbox)
                .map(|pool| Box::new(pool) as Box<dyn Executor>),
        };
        let reporter = &mut self.reporter;
        let ended = executor.and_then(|executor| {
            tournament::run(built, &session, executor.as_ref(), control, reporter)
        });
        let printed = self.reporter.terminal.is_printed();
        printed.map_err(super::unprinted)?;
        let report = ended.map_err(|error| self.failed(error))?;
        let code = match self.supervised.signal_code() {
            exit::OK => code_of(&report),
            code => code,
        };
        Ok((report, code))
    }

    /// Lets games begin for another run, as long as it takes.
    fn lift_limit(&mut self) {
        if let Some(limit) = self.reporter.limit.take() {
            limit.lift();
        }
        self.reporter.terminal.lift_limit();
        self.supervised.control.renew();
    }

    /// Plays the answer of a tuning against its start, in a run directory of its own. A limit of time was one of the tuning.
    fn confirm(
        mut self,
        tuned: &Plan,
        follow_up: Option<FollowUp>,
        session: &Session,
    ) -> Result<u8, Failure> {
        self.lift_limit();
        if self.supervised.signal_code() != exit::OK {
            return Ok(self.supervised.signal_code());
        }
        let Some(FollowUp { plan, units }) = follow_up else {
            let told = "nothing to confirm: the tuning has no answer but the start, and no test was played";
            // Where nobody reads standard error, the exit code still tells.
            let _ = writeln!(io::stderr(), "{}", Screen::stderr().prose(told));
            return Ok(exit::INCONCLUSIVE);
        };
        let mut plan = *plan;
        let session = Session {
            out: session
                .out
                .with_file_name(tests_name(tuned, session) + &units.to_string()),
            seed_is_given: true,
            builds: Vec::new(),
            warnings: Vec::new(),
            confirm: false,
            ..session.clone()
        };
        if let TakenOver::Finished(why) = take_over(&mut plan, &session)? {
            return self.tell_finished(&plan, &session, &why);
        }
        let built = self.build(&plan, &session)?;
        Ok(self.play_alone(built, &session)?.1)
    }

    /// Tells of a run that is finished what was told at its end, and plays what the session wants besides.
    pub(super) fn tell_finished(
        self,
        plan: &Plan,
        session: &Session,
        why: &str,
    ) -> Result<u8, Failure> {
        let out = &session.out;
        let report = tournament::report(out, &Selection::None, false, &plan.known_games())?;
        let told = format!("{}: {why}: nothing is left to play", out.display());
        // Where nobody reads standard error, the exit code still tells.
        let _ = writeln!(io::stderr(), "{}", Screen::stderr().prose(&told));
        let screen = Screen::stdout();
        super::print(outcome::text(&report, out, &screen, self.with_times))?;
        match code_of(&report) {
            exit::OK if session.confirm => self.confirm(plan, report.finding.follow_up, session),
            code => Ok(code),
        }
    }

    /// The workers at a server.
    fn remote_pool(&self, plan: &Plan, url: &str) -> Result<Box<dyn Executor>, RunError> {
        let (printer, quiet) = (self.reporter.terminal.printer(), self.quiet);
        let tell: Tell = Arc::new(move |line| {
            if !quiet {
                printer.print(&harmless_lines(line));
            }
        });
        worker::pool(&self.server, url, plan, &self.supervised.control, tell)
    }

    /// An error, with the code of the signal that may have caused it.
    fn failed(&self, error: RunError) -> Failure {
        let mut failure = Failure::from(error);
        if self.supervised.signal_code() != exit::OK {
            failure.code = self.supervised.signal_code();
        }
        failure
    }
}

/// What a run directory holds of a plan.
pub(super) enum TakenOver {
    /// Whether there is a run to go on with.
    Begun(bool),
    /// A run that is finished; the sentence that says so.
    Finished(String),
}

/// Refuses a run directory that cannot be used, before anything is built. A plan that is to go on with the run there becomes
/// that which was begun, but for a seed that was given.
pub(super) fn take_over(plan: &mut Plan, session: &Session) -> Result<TakenOver, Failure> {
    let is_replaced = session.existing == Existing::Replace;
    // One that cannot be read is told of below.
    let stored = if is_replaced {
        None
    } else {
        store::read_plan(&session.out).ok().flatten()
    };
    if let Some(stored) = &stored {
        let given = session.seed_is_given.then_some(plan.seed);
        *plan = plan.as_begun(&stored.plan);
        plan.seed = given.unwrap_or(plan.seed);
    }
    let file = PlanFile::new(plan.clone(), session.slice);
    let there = store::inspect(&session.out, &file, session.existing).map_err(RunError::Store)?;
    if let (DirState::Nothing, false, Some(left)) = (&there, is_replaced, test_left(plan, session))
    {
        let why = "it holds the test of a tuning that is gone, and this one may be tested there; remove it, or play \
                   elsewhere with --out DIR; --force plays nevertheless";
        return Err(RunError::Store(store::refused(&left, why.to_owned())).into());
    }
    Ok(match there {
        DirState::Finished(why) => TakenOver::Finished(why),
        DirState::Nothing | DirState::Unfinished(_) => TakenOver::Begun(stored.is_some()),
    })
}

/// The name of the folders where answers of a tuning are tested, without the units at its end.
fn tests_name(plan: &Plan, session: &Session) -> String {
    let name = session
        .out
        .file_name()
        .map_or_else(|| plan.name.clone().into(), OsStr::to_string_lossy);
    format!("{name}-confirm-")
}

/// A folder in which an answer was tested before, where one is to be tested.
fn test_left(plan: &Plan, session: &Session) -> Option<PathBuf> {
    let name = tests_name(plan, session);
    if !session.confirm {
        return None;
    }
    for entry in fs::read_dir(beside(&session.out)).ok()?.flatten() {
        let found = entry.file_name();
        let units = found.to_str().and_then(|found| found.strip_prefix(&name));
        if units.is_some_and(|units| units.parse::<u64>().is_ok()) {
            return Some(session.out.with_file_name(found));
        }
    }
    None
}

/// The folder that holds a run directory.
pub(super) fn beside(out: &Path) -> &Path {
    match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The exit code of a run that nobody broke off: that of the test where there was one.
pub(super) fn code_of(report: &RunReport) -> u8 {
    match report.finding.outcome {
        _ if report.summary.run.games_aborted > 0 => exit::ABORTED_GAMES,
        Outcome::Answered | Outcome::Open | Outcome::Passed => exit::OK,
        Outcome::Rejected => exit::CHECK_FAILED,
        Outcome::Undecided | Outcome::NothingMeasured => exit::INCONCLUSIVE,
    }
}

fn plan(args: &RunArgs, games: &Games) -> Result<(Plan, Session), Failure> {
    let overrides = Overrides {
        out: args.out.clone(),
        jobs: args.jobs,
        games: args.games,
        seed: args.seed,
        trace: args.keep.trace,
        metrics: args.keep.metrics,
        stderr: args.keep.stderr,
        workers: args.workers.clone(),
        slice: args.slice,
        existing: existing(args.resume, args.force),
    };
    let loaded = load(&args.config, games, &overrides);
    if loaded.is_err() && is_bot(&args.config) {
        return Err(Failure::input(no_config(&args.config)));
    }
    let (plan, mut session) = loaded.map_err(Failure::input)?;
    if args.out.is_none() && args.slice != Slice::WHOLE {
        // Slices played on one machine must not meet in one folder.
        let slice = args.slice.to_string().replace('/', "of");
        session.out.set_file_name(format!("{}-{slice}", plan.name));
    }
    Ok((plan, session))
}

/// Whether what was taken for a config looks like a bot.
fn is_bot(path: &Path) -> bool {
    let program = Path::new(".").join(path);
    is_source(path)
        || (path.extension().is_none_or(|extension| extension != "toml")
            && find_program(&program.to_string_lossy()).is_ok())
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

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Store(StoreError::Io { .. }) | RunError::Internal(_) => {
                Failure::internal(error)
            }
            _ => Failure::input(error),
        }
    }
}
