//! A tournament: the resolved plan, and the one function that joins plan, executor, store and reporter.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use std::{io, thread};

mod blame;
mod lookahead;
mod prepare;

use crate::execute::{ExecuteError, Executor, Finished, GameSetup, LocalPool, Setup};
use crate::games::{self, GameSpec, Maps, Opening, Options};
use crate::play::{Abort, Clock, Played};
use crate::process::{FindError, Interrupt, Jail, Launch, Mode, StartError, Walls};
use crate::record::Record;
use crate::report::files::{FileError, derived};
use crate::report::{Event, Reporter, Start};
use crate::schedule::{Design, Fixture, Format, Schedule, Slice};
use crate::store::{self, Existing, GameRow, PlanFile, PlanText, RunDir, StoreError};
use crate::summary::{Header, Summary, Tally};
use blame::{blame, record_fault};
use lookahead::{Admitted, CloseOnPanic, Waiting, Window};
use prepare::{build_bots, plan_file, programs};

/// At most so many games lie between the first that is not written yet and the last that was started.
const LOOKAHEAD: usize = 256;
/// After so many games in a row that could not be played, no more are started.
const GIVE_UP: u32 = 20;

/// A tournament with every default decided: what a config becomes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name of the run.
    pub name: String,
    /// The run directory.
    pub out: PathBuf,
    /// Who meets whom.
    pub format: Format,
    /// How the seats of games for four are filled.
    pub design: Design,
    /// The seed from which all unit seeds derive.
    pub seed: u64,
    /// Games in which any two bots that are to meet do so, in each game; rounded up to whole units by the schedule.
    pub games_per_pairing: u64,
    /// The games to play, each with its own standings.
    pub games: Vec<PlannedGame>,
    /// The bots, the challenger of a gauntlet first.
    pub bots: Vec<PlannedBot>,
    /// The number of games played at the same time.
    pub jobs: usize,
    /// Whether a worker and its bots share one core when there are two workers or more.
    pub pin: bool,
    /// Whether records carry every prompt.
    pub trace: bool,
    /// How much of the sandbox is wanted.
    pub sandbox: Mode,
    /// The memory limit of each process of a bot, in megabytes.
    pub memory_mb: u64,
    /// What is odd about the plan but hinders nothing, for people: sentences without a full stop.
    pub warnings: Vec<String>,
}

/// One game of a plan.
#[derive(Clone, Debug)]
pub struct PlannedGame {
    /// The game.
    pub spec: &'static GameSpec,
    /// Its time limits in this run.
    pub clock: Clock,
    /// Turns played from the unit's seed before the bots start; even.
    pub opening_plies: u32,
    /// Its maps, if it is played on any.
    pub maps: Maps,
    /// The bots that play it, as indices into [`Plan::bots`], in the plan's order: two at least, or as many as the game has
    /// seats where each has one.
    pub bots: Vec<usize>,
}

/// One bot of a plan.
#[derive(Clone, Debug)]
pub struct PlannedBot {
    /// Its unique name.
    pub name: String,
    /// The program and its arguments; `{seed}` stands for the bot's own seed.
    pub command: Vec<String>,
    /// Environment variables set for the bot; `{seed}` as in the command.
    pub env: BTreeMap<String, String>,
    /// The command that builds it, run once before the first game.
    pub build: Option<Vec<String>>,
    /// Further folders and files that it may read in the sandbox.
    pub read: Vec<PathBuf>,
}

impl Plan {
    /// The fixtures of the plan.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let games: Vec<(usize, &[usize])> =
            self.games.iter().map(|game| (game.spec.seats, game.bots.as_slice())).collect();
        Schedule::new(self.format, self.design, &games, self.games_per_pairing, self.seed)
    }
}

/// How a run can be told to end early.
#[derive(Debug)]
pub struct Control {
    /// Start no more games; those in flight are finished.
    pub drain: Interrupt,
    /// End the games in flight too. They have no result.
    pub kill: Arc<Interrupt>,
}

impl Control {
    /// Nothing told yet.
    ///
    /// # Errors
    /// When the system gives no event descriptor.
    pub fn new() -> io::Result<Control> {
        Ok(Control { drain: Interrupt::new()?, kill: Arc::new(Interrupt::new()?) })
    }

    /// Whether no more games are to be started.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.drain.is_raised() || self.kill.is_raised()
    }
}

/// Why a tournament did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A build command failed or could not be started.
    #[error("build bot `{bot}` with `{command}`: {why}")]
    Build {
        /// The first bot with this build command.
        bot: String,
        /// The command.
        command: String,
        /// How it failed, with what it printed.
        why: String,
    },
    /// The program of a bot is not there after the builds.
    #[error("start bot `{bot}`")]
    Program {
        /// The bot.
        bot: String,
        /// What is wrong.
        source: FindError,
    },
    /// A bot does not start at all.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The run was told to end while its bots were being built.
    #[error("build the bots: interrupted")]
    Interrupted,
    /// The run directory cannot be used or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The summary cannot be written down.
    #[error(transparent)]
    Report(#[from] FileError),
    /// The workers could not be started.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
}

/// The workers of this machine, as the plan wants them, with bots behind `walls`.
#[must_use]
pub fn local_pool(plan: &Plan, control: &Control, walls: Arc<Walls>) -> LocalPool {
    let jails = plan.bots.iter().map(|bot| Arc::new(Jail::new(&walls, &bot.read))).collect();
    LocalPool { setup: setup(plan), jobs: plan.jobs, pin: plan.pin, interrupt: control.kill.clone(), walls, jails }
}

/// Plays what is missing of a run and writes all its files.
///
/// # Errors
/// [`RunError`]. Whatever was played until then is kept.
pub fn run(
    plan: &Plan,
    slice: Slice,
    existing: Existing,
    executor: &dyn Executor,
    control: &Control,
    reporter: &mut dyn Reporter,
) -> Result<Summary, RunError> {
    let schedule = plan.schedule();
    // A run directory that cannot be used is refused before the builds, not after them.
    let mut file = plan_file(plan, &schedule, slice);
    store::inspect(&plan.out, &file, existing)?;
    build_bots(plan, control, reporter)?;
    file.program = programs(plan)?;
    let sandbox = executor.prepare()?;
    let (mut tally, mut stored) = (empty_tally(&file.plan, &schedule), HashSet::new());
    let mut run_dir = RunDir::open(&plan.out, &file, existing, &mut |row, record| {
        tally.add(row, record);
        check_planned(&file.plan, &schedule, slice, row)?;
        if stored.insert(row.number) { Ok(()) } else { Err(format!("game {} is there twice", row.number)) }
    })?;
    reporter.event(&Event::Started(&Start {
        name: &plan.name,
        out: &plan.out,
        games: file.games,
        stored: run_dir.count(),
        bots: plan.bots.len(),
        jobs: plan.jobs,
        cores: thread::available_parallelism().map_or(1, NonZero::get),
        challengers: challengers(plan),
        sandbox: &sandbox,
        warnings: &plan.warnings,
    }));
    let fixtures = schedule.fixtures(slice).filter(|fixture| !stored.contains(&fixture.number));
    let mut books = Books { plan, run_dir: &mut run_dir, tally: &mut tally, reporter };
    let session = play_missing(fixtures, executor, control, &mut books)?;
    close(run_dir, &tally, file, &Session { sandbox, ..session }, reporter)
}

/// Joins runs that are slices of one plan into the files of the whole run.
///
/// # Errors
/// [`RunError::Store`] when the runs do not make up a whole one, or the files cannot be written.
pub fn merge(
    runs: &[PathBuf],
    out: &Path,
    existing: Existing,
    reporter: &mut dyn Reporter,
) -> Result<Summary, RunError> {
    let file = store::common_plan(runs)?;
    let schedule = stored_schedule(&file.plan).ok_or_else(|| StoreError::Merge("the plan cannot be read".into()))?;
    let mut tally = empty_tally(&file.plan, &schedule);
    let run_dir = store::merge(runs, &file, out, existing, &mut |row, record| {
        tally.add(row, record);
        check_planned(&file.plan, &schedule, Slice::WHOLE, row)
    })?;
    close(run_dir, &tally, file, &Session::default(), reporter)
}

/// The fixtures of a plan that is only there as text.
fn stored_schedule(plan: &PlanText) -> Option<Schedule> {
    let index = |name: &String| plan.bot.iter().position(|bot| bot.name == *name);
    let bots = |game: &store::GameText| game.bots.iter().map(index).collect::<Option<Vec<usize>>>();
    let game = |game: &store::GameText| Some((games::find(&game.id)?.seats, bots(game)?));
    let games = plan.game.iter().map(game).collect::<Option<Vec<_>>>()?;
    let games: Vec<(usize, &[usize])> = games.iter().map(|(seats, bots)| (*seats, bots.as_slice())).collect();
    let design = plan.design.as_deref().map_or(Ok(Design::default()), str::parse).ok()?;
    let (format, seed) = (plan.format.parse().ok()?, plan.seed.parse().ok()?);
    Some(Schedule::new(format, design, &games, plan.games_per_pairing, seed))
}

/// Says what is wrong with a stored row that is not the game which the plan has under its number.
fn check_planned(plan: &PlanText, schedule: &Schedule, slice: Slice, row: &GameRow) -> Result<(), String> {
    let is_planned = row.number < schedule.len() && {
        let fixture = schedule.fixture(row.number);
        let bots = fixture.seating.iter().map(|&bot| &plan.bot[bot].name);
        schedule.is_in(slice, row.number)
            && (row.unit, row.seed) == (fixture.unit, fixture.seed)
            && row.game == plan.game[fixture.game].id
            && row.seats.iter().map(|seat| &seat.bot).eq(bots)
    };
    if is_planned { Ok(()) } else { Err(format!("game {} is not as planned", row.number)) }
}

/// A tally that knows the games and bots of the plan, so that nothing it says depends on who finished first.
fn empty_tally(plan: &PlanText, schedule: &Schedule) -> Tally {
    let mut tally = Tally::default();
    for (index, game) in plan.game.iter().enumerate() {
        tally.expect(&game.id, schedule.games_per_unit(index), &game.bots);
    }
    tally
}

/// Writes what follows from the games.
fn close(
    mut run_dir: RunDir,
    tally: &Tally,
    plan: PlanFile,
    session: &Session,
    reporter: &mut dyn Reporter,
) -> Result<Summary, RunError> {
    run_dir.finish()?;
    let summary = tally.summary(Header {
        version: store::VERSION,
        name: plan.plan.name,
        digest: plan.digest,
        slice: plan.slice,
        games_planned: plan.games,
        games_aborted: session.aborted,
        games_voided: session.voided,
        games_per_second: session.games_per_second,
        sandbox: Some(session.sandbox.clone()).filter(|sandbox| !sandbox.is_empty()),
    });
    run_dir.write_derived(&derived(&summary)?)?;
    reporter.event(&Event::Ended { summary: &summary, out: run_dir.path() });
    Ok(summary)
}

/// How the playing itself went.
#[derive(Default)]
struct Session {
    aborted: u64,
    voided: u64,
    games_per_second: Option<f64>,
    /// What the bots were kept apart by.
    sandbox: String,
}

/// Everything that is written to when a game has ended.
struct Books<'a> {
    plan: &'a Plan,
    run_dir: &'a mut RunDir,
    tally: &'a mut Tally,
    reporter: &'a mut dyn Reporter,
}

fn play_missing(
    fixtures: impl Iterator<Item = Fixture> + Send,
    executor: &dyn Executor,
    control: &Control,
    books: &mut Books<'_>,
) -> Result<Session, RunError> {
    let stop = || control.is_stopping();
    let window = Window::new(LOOKAHEAD.max(2 * books.plan.jobs), &stop);
    let mut waiting = Waiting::default();
    let (mut played, mut aborted, mut aborted_in_a_row, mut voided) = (0_u64, 0, 0, 0);
    let mut failure = None;
    let start = Instant::now();
    executor.execute(&mut Admitted { fixtures, window: &window }, &mut |finished| {
        let _guard = CloseOnPanic(&window);
        waiting.insert(finished);
        while let Some(finished) = waiting.next(&window) {
            if failure.is_some() {
                continue;
            }
            voided += u64::from(finished.voided);
            match &finished.outcome {
                // The signal that stops the run hit a bot as well: that is no crash, and no result.
                Ok(_) if stop() && finished.postmortems.iter().any(|postmortem| postmortem.by_group_signal) => {}
                Ok(game) => {
                    (played, aborted_in_a_row) = (played + 1, 0);
                    failure = books.enter(&finished, game).err();
                }
                Err(Abort::Failed(why)) => {
                    (aborted, aborted_in_a_row) = (aborted + 1, aborted_in_a_row + 1);
                    books.reporter.event(&Event::Aborted { number: finished.fixture.number, why });
                }
                Err(Abort::Interrupted | Abort::Busy) => {}
            }
        }
        if failure.is_some() || aborted_in_a_row >= GIVE_UP {
            window.close();
        }
    })?;
    let seconds = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 games")]
    let games_per_second = (played > 0).then(|| played as f64 / seconds);
    failure.map_or(Ok(Session { aborted, voided, games_per_second, sandbox: String::new() }), Err)
}

impl Books<'_> {
    fn enter(&mut self, finished: &Finished, game: &Played) -> Result<(), RunError> {
        let (plan, Finished { fixture, postmortems, .. }) = (self.plan, finished);
        let spec = plan.games[fixture.game].spec;
        let bots: Vec<&str> = fixture.seating.iter().map(|&bot| plan.bots[bot].name.as_str()).collect();
        let row = GameRow::new(fixture, spec.id, &bots, game);
        let record = Record {
            number: Some(fixture.number),
            unit: Some(fixture.unit),
            bots: bots.iter().map(ToString::to_string).collect(),
            faults: postmortems.iter().map(record_fault).collect(),
            ..Record::new(spec, fixture.seed, &options(&plan.games[fixture.game]), game)
        };
        self.run_dir.append(&row, &record)?;
        self.tally.add(&row, &record);
        for postmortem in postmortems {
            let blame = blame(plan, self.run_dir.path(), finished, (&row, &record), postmortem);
            self.reporter.event(&Event::Fault(&blame));
        }
        self.reporter.event(&Event::Played { row: &row, tally: self.tally });
        Ok(())
    }
}

fn challengers(plan: &Plan) -> Vec<(&str, &str)> {
    let first = |game: &'_ PlannedGame| (game.spec.id, plan.bots[game.bots[0]].name.as_str());
    if plan.format == Format::Gauntlet { plan.games.iter().map(first).collect() } else { Vec::new() }
}

fn options(game: &PlannedGame) -> Options {
    Options { opening: Opening::Plies(game.opening_plies), maps: game.maps.clone() }
}

fn setup(plan: &Plan) -> Setup {
    let game = |game: &PlannedGame| GameSetup { spec: game.spec, options: options(game), clock: game.clock };
    let bot = |bot: &PlannedBot| Launch { name: bot.name.clone(), command: bot.command.clone(), env: bot.env.clone() };
    Setup { games: plan.games.iter().map(game).collect(), bots: plan.bots.iter().map(bot).collect(), trace: plan.trace }
}
