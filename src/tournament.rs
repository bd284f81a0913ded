//! A tournament joins study, executor, store and reporter.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod blame;
mod follow;
mod import;
mod introduction;
mod missing;
mod prepare;
mod reading;
mod session;
mod union;

use crate::plan::Plan;
use crate::report::export;
use crate::report::replays::Selection;
use crate::report::{Event, Reporter, RunReport, html};
use crate::results::Unfit;
use crate::store::{
    self, Header, PlanFile, Program, RecordLine, RowCheck, RunDir, RunFiles, RunFolder, StoreError,
};
use crate::study::Content;
use crate::worker::pool::{Executor, LocalPool};
use crate::worker::{Started, Worker};
use arena_games::{GameSpec, Games};
use arena_process::{Interrupt, Sandbox};
pub(crate) use follow::follow;
pub(crate) use import::import;
use introduction::introduce;
use prepare::{NotReady, build_all, programs};
use reading::Reading;
pub(crate) use session::{Build, Server, Session};
pub(crate) use union::union;

/// The switches that end a run early.
#[derive(Debug)]
pub(crate) struct Control {
    /// Start no more games, and finish the games in progress.
    pub(crate) drain: Arc<Interrupt>,
    /// End the games in progress, too. They have no result.
    pub(crate) kill: Arc<Interrupt>,
    /// Whether play has begun. Before that, nothing is worth finishing.
    pub(crate) is_playing: AtomicBool,
    /// Whether all games have ended, and only files remain to be written.
    pub(crate) is_over: AtomicBool,
}

impl Control {
    /// Returns switches that are not raised.
    pub(crate) fn new() -> io::Result<Control> {
        Ok(Control {
            drain: Arc::new(Interrupt::new()?),
            kill: Arc::new(Interrupt::new()?),
            is_playing: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        })
    }

    /// Resets the switches for the next run, except `kill`. The exit status of an earlier signal is
    /// kept elsewhere.
    pub(crate) fn renew(&self) {
        self.drain.lower();
        self.is_playing.store(false, Ordering::Relaxed);
        self.is_over.store(false, Ordering::Relaxed);
    }

    /// Returns whether to start no more games.
    pub(crate) fn is_stopping(&self) -> bool {
        self.drain.is_raised() || self.kill.is_raised()
    }
}

/// Why a tournament couldn't be played to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// The input can't be played.
    #[error(transparent)]
    Input(anyhow::Error),
    /// The run directory can't be used or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine or this program fails.
    #[error(transparent)]
    Internal(anyhow::Error),
}

/// A game of this program that doesn't fit its own run.
fn internal(unfit: Unfit) -> RunError {
    RunError::Internal(unfit.into())
}

/// Returns the workers of this machine, with bots in `sandbox`.
pub(crate) fn local_pool(
    built: &Built,
    session: &Session,
    control: &Control,
    sandbox: Arc<Sandbox>,
) -> LocalPool {
    LocalPool {
        worker: Worker::new(&built.plan, built.games.clone(), &sandbox, &control.kill),
        jobs: session.jobs,
        pin: session.pin,
        sandbox,
        stop: Arc::clone(&control.drain),
    }
}

/// A plan, its games under their options, and its programs.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) plan: Plan,
    pub(crate) games: Vec<Arc<GameSpec>>,
    programs: Vec<Program>,
    /// Warnings about the programs, as in [`Session::warnings`].
    warnings: Vec<String>,
    /// How the bots and referees are started.
    started: Started,
}

/// Builds and compiles the bots of a plan.
pub(crate) fn build(
    plan: Plan,
    session: &Session,
    control: &Control,
    sandbox: &Sandbox,
    reporter: &mut dyn Reporter,
) -> Result<Built, RunError> {
    let (started, ready) = build_all(&plan, session, control, sandbox, reporter)?;
    let mut warnings = Vec::new();
    for bot in &ready[..plan.bots.len()] {
        warnings.extend_from_slice(&bot.warnings);
    }
    warnings.dedup();
    let games = plan.configured(&store::read_folder);
    Ok(Built {
        games: games.map_err(|why| RunError::Input(why.into()))?,
        plan,
        programs: programs(&ready)?,
        warnings,
        started,
    })
}

/// Plays the missing games of a run and writes all its files. Games before an error are kept.
pub(crate) fn run(
    mut built: Built,
    folder: RunFolder,
    session: &Session,
    executor: &dyn Executor,
    control: &Control,
    reporter: &mut dyn Reporter,
) -> Result<RunReport, RunError> {
    let mut show = |what, is_due| reporter.event(&Event::Preparing { what, is_due });
    let setup = executor
        .prepare(built.started, &mut show)
        .map_err(RunError::Input)?;
    built.plan.entitle(|id| setup.titles.get(id));
    let (out, plan) = (&session.out, &built.plan);
    let mut file = PlanFile {
        program: built.programs,
        go_on: session.go_on.clone(),
        ..PlanFile::new(plan.clone())
    };
    let mut reading = Reading::new(plan, out, &file.alike())?;
    if control.kill.is_raised() {
        // A run that would be replaced stays.
        let why = NotReady("interrupted before the first game".to_owned());
        return Err(RunError::Input(why.into()));
    }
    let (sandbox, warnings) = (setup.sandbox, [built.warnings, setup.warnings].concat());
    let mut run_dir = folder.open(&mut file, &mut |game| reading.add(game).map(drop))?;
    write_kind(&run_dir, &reading.study.files(plan))?;
    control.is_playing.store(true, Ordering::Relaxed);
    reporter.event(&introduce(&file, session, &reading, &sandbox, &warnings));
    let mut header = header_of(&file);
    header.sandbox = Some(sandbox).filter(|sandbox| !sandbox.is_empty());
    missing::play(
        control,
        executor,
        &built.games,
        &mut run_dir,
        &mut reading,
        reporter,
        &mut header,
    )?;
    close(run_dir, &reading, header)
}

/// Makes the reports of a run from its records. Another process may still play it. Games that are
/// `asked` for can be watched in the page. With `rewrite`, writes all files that follow from the
/// records, unless another process writes to the run directory.
pub(crate) fn report(
    run: &Path,
    asked: &Selection,
    rewrite: bool,
    games: &Games,
) -> Result<RunReport, RunError> {
    let is_played = store::is_in_use(run);
    let files = store::read_run_files(run, games)?;
    let file = &files.plan;
    let (reading, rows) = read(run, file, &mut |_| Ok(()))?;
    // Facts of the session, such as its speed, are only in the summary that it left.
    let mut header = match files.left(run, reading.count)? {
        Some(left) => left.run.clone(),
        None => header_of(file),
    };
    header.go_on.clone_from(&file.go_on);
    let mut report = reading.report(header);
    report.is_played = is_played;
    if rewrite && let Some(run_dir) = RunDir::of_games(run, file, rows.end().is_ok())? {
        write_reports(&run_dir, &reading, &mut report)?;
    } else {
        report.replays = reading.replays(asked, &report.summary)?;
    }
    Ok(report)
}

/// Checks that the games of a run are those of its plan, and that `games.csv` and the summary agree
/// with the records. Any file may be changed or from another run.
pub(crate) fn check(run: &Path, games: &Games) -> Result<(), RunError> {
    let files = store::read_run_files(run, games)?;
    checked(run, &files, &mut |_| Ok(())).map(drop)
}

/// Reads the games of a run, and checks that its files agree. Calls `found` for each rated
/// game.
fn checked<'p>(
    run: &'p Path,
    files: &'p RunFiles,
    found: &mut dyn FnMut(&RecordLine<'_>) -> Result<(), Unfit>,
) -> Result<Reading<'p>, RunError> {
    // While a run is played, its rows may be ahead of the records that were read.
    let is_played = store::is_in_use(run);
    let (reading, rows) = read(run, &files.plan, found)?;
    files.agree(run, reading.count)?;
    if !is_played {
        rows.end()?;
    }
    Ok(reading)
}

/// Reads the games of a run, and compares its rows with them. Calls `found` for each rated one.
fn read<'p>(
    run: &'p Path,
    file: &'p PlanFile,
    found: &mut dyn FnMut(&RecordLine<'_>) -> Result<(), Unfit>,
) -> Result<(Reading<'p>, RowCheck<'p>), RunError> {
    let mut reading = Reading::new(&file.plan, run, &file.alike())?;
    let mut rows = RowCheck::open(run, file)?;
    store::Follower::new(run).read_on(&mut |line| {
        rows.compare(line.game);
        if reading.add(line.game)? {
            found(line)?;
        }
        Ok(())
    })?;
    Ok((reading, rows))
}

/// Ends a run and writes the files that follow from its games.
fn close(
    mut run_dir: RunDir,
    reading: &Reading<'_>,
    header: Header,
) -> Result<RunReport, RunError> {
    run_dir.finish()?;
    let mut report = reading.report(header);
    write_reports(&run_dir, reading, &mut report)?;
    Ok(report)
}

/// Writes the files that follow from the games. The quick and important ones come first, in case
/// the process is killed: tables, the summary, and then the page.
fn write_reports(
    run_dir: &RunDir,
    reading: &Reading<'_>,
    report: &mut RunReport,
) -> Result<(), RunError> {
    for (file, content) in export::files(report).map_err(RunError::Internal)? {
        run_dir.write_derived(file, &content)?;
    }
    if report.plan.metrics {
        run_dir.write_metrics()?;
    }
    report.replays = reading.replays(&Selection::Fitting, &report.summary)?;
    Ok(run_dir.write_derived(store::REPORT, html::page(report).as_bytes())?)
}

/// Writes the files that only some kind of run has.
fn write_kind(run_dir: &RunDir, files: &[(&'static str, Content)]) -> Result<(), RunError> {
    for (name, content) in files {
        let content = export::bytes(content).map_err(RunError::Internal)?;
        run_dir.write_derived(name, &content)?;
    }
    Ok(())
}

/// Returns the header of a run without its games.
fn header_of(file: &PlanFile) -> Header {
    Header {
        version: store::VERSION,
        name: file.plan.name.clone(),
        digest: file.digest.clone(),
        seed: file.plan.seed.to_string(),
        games_planned: file.games,
        extended: !file.grown_from.is_empty(),
        go_on: file.go_on.clone(),
        ..Header::default()
    }
}

#[cfg(test)]
mod tests;
