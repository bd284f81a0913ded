//! A tournament: the resolved plan, and the one function that joins plan, executor, store and reporter.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use std::{io, thread};

mod blame;
mod findings;
mod judge;
mod lookahead;
mod prepare;
mod swept;

use crate::execute::{ExecuteError, Executor, Finished, GameSetup, LocalPool, Setup};
use crate::play::{Abort, Clock, Played};
use crate::process::{FindError, Interrupt, Jail, Launch, Mode, StartError, Walls};
use crate::record::Record;
use crate::report::files::{self, FileError, derived};
use crate::report::{Event, Reporter, RunReport, Start, html};
use crate::schedule::{Design, Fixture, Format, Schedule, Slice};
use crate::store::{self, Existing, GameRow, PlanFile, PlanText, REPORT, RunDir, RunFiles, StoreError};
use crate::summary::sprt::Question;
use crate::summary::sweep::SweepTally;
use crate::summary::{Header, Summary};
use crate::sweep::Sweep;
use arena_games::{GameSpec, Maps, Opening, Options};
use arena_stats::sprt::Hypotheses;
use blame::record_fault;
use findings::Findings;
use judge::{Call, Judge, judge};
use lookahead::{Admitted, CloseOnPanic, Waiting, Window};
use prepare::{build_bots, plan_file, programs};

/// What is added to a bot's first answer unless somebody says otherwise.
pub(crate) const DEFAULT_STARTUP: Duration = Duration::from_secs(2);
/// At most so many games lie between the first that is not written yet and the last that was started.
const LOOKAHEAD: usize = 256;
/// Where games decide which others are played, no more than so many units for each worker, and a few: those started too soon
/// are thrown away.
const UNITS_AHEAD: usize = 2;
/// The most games per pairing of a stored plan: more than any config may ask for.
const MAX_GAMES: u64 = 1 << 40;
/// After so many games in a row that could not be played, no more are started.
const GIVE_UP: u32 = 20;

/// A tournament with every default decided: what a config becomes.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The name of the run.
    pub(crate) name: String,
    /// The run directory.
    pub(crate) out: PathBuf,
    /// Who meets whom.
    pub(crate) format: Format,
    /// How the seats of games for four are filled.
    pub(crate) design: Design,
    /// The seed from which all unit seeds derive.
    pub(crate) seed: u64,
    /// Games in which any two bots that are to meet do so, in each game; rounded up to whole units by the schedule.
    pub(crate) games_per_pairing: u64,
    /// The games to play, each with its own standings.
    pub(crate) games: Vec<PlannedGame>,
    /// The bots, the challenger of a gauntlet first.
    pub(crate) bots: Vec<PlannedBot>,
    /// The number of games played at the same time.
    pub(crate) jobs: usize,
    /// Whether a worker and its bots share one core when there are two workers or more.
    pub(crate) pin: bool,
    /// Whether records carry every prompt.
    pub(crate) trace: bool,
    /// How much of the sandbox is wanted.
    pub(crate) sandbox: Mode,
    /// The memory limit of each process of a bot, in megabytes.
    pub(crate) memory_mb: u64,
    /// The sequential test that ends the run; then there are one game and two bots, the candidate first.
    pub(crate) sprt: Option<SprtPlan>,
    /// The sweep that the run is; then there is one game, which all bots play.
    pub(crate) sweep: Option<Sweep>,
    /// What is odd about the plan but hinders nothing, for people: sentences without a full stop.
    pub(crate) warnings: Vec<String>,
}

/// A sequential test.
#[derive(Clone, Debug)]
pub(crate) struct SprtPlan {
    /// What is tested.
    pub(crate) hypotheses: Hypotheses,
    /// After so many units it ends undecided.
    pub(crate) max_units: u64,
    /// Units of the candidate alone against three opponents that follow; only where the game has four seats.
    pub(crate) check_units: u64,
}

impl SprtPlan {
    /// The games that the test may take: a unit is two games in which the bots swap their seats.
    pub(crate) fn max_games(&self) -> u64 {
        2 * self.max_units
    }
}

/// One game of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedGame {
    /// The game.
    pub(crate) spec: &'static GameSpec,
    /// Its time limits in this run.
    pub(crate) clock: Clock,
    /// Turns played from the unit's seed before the bots start; even.
    pub(crate) opening_plies: u32,
    /// Its maps, if it is played on any.
    pub(crate) maps: Maps,
    /// The bots that play it, as indices into [`Plan::bots`], in the plan's order: two at least, or as many as the game has
    /// seats where each has one.
    pub(crate) bots: Vec<usize>,
}

/// One bot of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedBot {
    /// Its unique name.
    pub(crate) name: String,
    /// The program and its arguments; `{seed}` stands for the bot's own seed.
    pub(crate) command: Vec<String>,
    /// Environment variables set for the bot; `{seed}` as in the command.
    pub(crate) env: BTreeMap<String, String>,
    /// The command that builds it, run once before the first game.
    pub(crate) build: Option<Vec<String>>,
    /// Further folders and files that it may read in the sandbox.
    pub(crate) read: Vec<PathBuf>,
}

impl Plan {
    /// The fixtures of the plan.
    pub(crate) fn schedule(&self) -> Schedule {
        let games: Vec<(usize, &[usize])> =
            self.games.iter().map(|game| (game.spec.seats, game.bots.as_slice())).collect();
        if let (Some(sweep), Some((seats, _))) = (&self.sweep, games.first()) {
            return sweep.schedule(*seats, self.seed);
        }
        let schedule = Schedule::new(self.format, self.design, &games, self.games_per_pairing, self.seed);
        match (&self.sprt, games.first()) {
            (Some(SprtPlan { check_units: units @ 1.., .. }), Some(&(_, [candidate, opponent, ..]))) => {
                schedule.with_check(*candidate, *opponent, *units)
            }
            _ => schedule,
        }
    }
}

/// How a run can be told to end early.
#[derive(Debug)]
pub(crate) struct Control {
    /// Start no more games; those in flight are finished.
    pub(crate) drain: Interrupt,
    /// End the games in flight too. They have no result.
    pub(crate) kill: Arc<Interrupt>,
}

impl Control {
    /// Nothing told yet.
    pub(crate) fn new() -> io::Result<Control> {
        Ok(Control { drain: Interrupt::new()?, kill: Arc::new(Interrupt::new()?) })
    }

    /// Whether no more games are to be started.
    pub(crate) fn is_stopping(&self) -> bool {
        self.drain.is_raised() || self.kill.is_raised()
    }
}

/// Why a tournament did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
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
pub(crate) fn local_pool(plan: &Plan, control: &Control, walls: Arc<Walls>) -> LocalPool {
    let jails = plan.bots.iter().map(|bot| Arc::new(Jail::new(&walls, &bot.read))).collect();
    LocalPool { setup: setup(plan), jobs: plan.jobs, pin: plan.pin, interrupt: control.kill.clone(), walls, jails }
}

/// Plays what is missing of a run and writes all its files.
pub(crate) fn run(
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
    let (mut findings, mut stored) = (Findings::new(&file.plan, &schedule, &plan.out), HashSet::new());
    let mut judge = judge(&file.plan, &schedule);
    let mut run_dir = RunDir::open(&plan.out, &file, existing, &mut |row, record| {
        check_next(&file.plan, &schedule, slice, judge.as_ref(), row)?;
        findings.add(&schedule.fixture(row.number), row, record);
        judge.hear(row, findings.tally());
        if stored.insert(row.number) { Ok(()) } else { Err(format!("game {} is there twice", row.number)) }
    })?;
    if let Some(test) = findings.tally().the_test() {
        run_dir.write_derived(&[(store::SPRT, files::sprt(test).into_bytes())])?;
    }
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
        test: findings.tally().the_test(),
        sweep: findings.tally().the_sweep().map(SweepTally::summary).as_ref(),
        warnings: &plan.warnings,
    }));
    let fixtures = schedule.fixtures(slice).filter(|fixture| !stored.contains(&fixture.number));
    let mut books = Books { plan, run_dir: &mut run_dir, findings: &mut findings, reporter };
    let session = play_missing(fixtures, judge, executor, control, &mut books)?;
    close(run_dir, &findings, &file, &Session { sandbox, ..session }, reporter)
}

/// Joins runs that are slices of one plan into the files of the whole run.
pub(crate) fn merge(
    runs: &[PathBuf],
    out: &Path,
    existing: Existing,
    reporter: &mut dyn Reporter,
) -> Result<Summary, RunError> {
    let file = store::common_plan(runs)?;
    let schedule = stored_schedule(&file.plan).ok_or_else(|| StoreError::Merge("the plan cannot be read".into()))?;
    let mut findings = Findings::new(&file.plan, &schedule, out);
    let mut judge = judge(&file.plan, &schedule);
    let decide = judge.needs_all_before();
    let parts = store::Parts::new(runs, &file, out, decide)?;
    parts.read(&mut |row, record| {
        check_next(&file.plan, &schedule, Slice::WHOLE, judge.as_ref(), row)?;
        findings.add(&schedule.fixture(row.number), row, record);
        judge.hear(row, findings.tally());
        Ok(())
    })?;
    if decide && !judge.has_ended() {
        let why = format!("the {} games that are there do not decide the run: it is unfinished", parts.count());
        return Err(StoreError::Merge(why).into());
    }
    let run_dir = parts.join(&file, out, existing)?;
    let session = Session { ended: judge.has_ended(), ..Session::default() };
    close(run_dir, &findings, &file, &session, reporter)
}

/// Makes the reports of a run anew from its files, of which none is changed. The run may still be going on. The games of
/// the numbers `asked` are those to be watched; without any, those that are worth it.
pub(crate) fn report(run: &Path, asked: &[u64]) -> Result<RunReport, RunError> {
    let RunFiles { plan: file, summary } = store::read_run_files(run)?;
    let refused = |reason: &str| StoreError::Refused { path: run.to_owned(), reason: reason.to_owned() };
    let schedule = stored_schedule(&file.plan).ok_or_else(|| refused("its plan cannot be read"))?;
    let slice: Slice = file.slice.parse().map_err(|_| refused("its slice cannot be read"))?;
    let (mut findings, mut counted) = (Findings::new(&file.plan, &schedule, run), HashSet::new());
    store::read_run(run, &mut |row, record| {
        check_planned(&file.plan, &schedule, slice, row)?;
        if !counted.insert(row.number) {
            return Err(format!("game {} is there twice", row.number));
        }
        findings.add(&schedule.fixture(row.number), row, record);
        Ok(())
    })?;
    // What only the session itself knew is in the summary that it left.
    let left = summary.and_then(|summary| serde_json::from_str::<LeftSummary>(&summary).ok());
    let left = left.filter(|left| left.run.digest == file.digest);
    if let Some(reason) = left.as_ref().and_then(|left| store::lost_games(left.games_played, counted.len() as u64)) {
        return Err(refused(&reason).into());
    }
    let header = left.map(|left| left.run);
    let header = header.unwrap_or_else(|| header_of(&file, &Session::default(), false));
    Ok(findings.report(header, asked)?)
}

/// The part of `summary.json` that is read again.
#[derive(serde::Deserialize)]
struct LeftSummary {
    run: Header,
    games_played: u64,
}

/// The fixtures of a plan that is only there as text.
fn stored_schedule(plan: &PlanText) -> Option<Schedule> {
    let index = |name: &String| plan.bot.iter().position(|bot| bot.name == *name);
    let bots = |game: &store::GameText| game.bots.iter().map(index).collect::<Option<Vec<usize>>>();
    let game = |game: &store::GameText| Some((arena_games::find(&game.id)?.seats, bots(game)?));
    let games = plan.game.iter().map(game).collect::<Option<Vec<_>>>()?;
    let games: Vec<(usize, &[usize])> = games.iter().map(|(seats, bots)| (*seats, bots.as_slice())).collect();
    if plan.sweep.is_some() {
        return Some(swept::sweep_of(plan)?.schedule(games.first()?.0, plan.seed.parse().ok()?));
    }
    let design = plan.design.as_deref().map_or(Ok(Design::default()), str::parse).ok()?;
    // A plan that was changed by hand may ask for what no schedule can give.
    let has_bots = |&(seats, bots): &(usize, &[usize])| bots.len() >= if design == Design::Mirror { 2 } else { seats };
    if !games.iter().all(has_bots) || plan.games_per_pairing > MAX_GAMES {
        return None;
    }
    let (format, seed) = (plan.format.parse().ok()?, plan.seed.parse().ok()?);
    let schedule = Schedule::new(format, design, &games, plan.games_per_pairing, seed);
    let check = plan.sprt.as_ref().map_or(0, |sprt| sprt.check_1v3);
    Some(match games.first() {
        Some(&(_, [candidate, opponent, ..])) if check > 0 => schedule.with_check(*candidate, *opponent, check),
        _ => schedule,
    })
}

/// What the sequential test of a plan asks.
fn question(plan: &PlanText, schedule: &Schedule) -> Option<Question> {
    let (sprt, game) = (plan.sprt.as_ref()?, plan.game.first()?);
    let [candidate, opponent, ..] = &game.bots[..] else { return None };
    let model = sprt.model.parse().ok()?;
    Some(Question {
        hypotheses: Hypotheses::new(model, sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta).ok()?,
        candidate: candidate.clone(),
        opponent: opponent.clone(),
        seats: arena_games::find(&game.id)?.seats,
        max_units: schedule.units_before_check(),
        check_units: sprt.check_1v3,
    })
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

/// The same, and of a row that the games before it leave no place for.
fn check_next(
    plan: &PlanText,
    schedule: &Schedule,
    slice: Slice,
    judge: &dyn Judge,
    row: &GameRow,
) -> Result<(), String> {
    check_planned(plan, schedule, slice, row)?;
    match judge.call(&schedule.fixture(row.number)) {
        Call::Play => Ok(()),
        _ => Err(format!("game {} was not to be played after those before it", row.number)),
    }
}

/// Writes what follows from the games.
fn close(
    mut run_dir: RunDir,
    findings: &Findings<'_>,
    plan: &PlanFile,
    session: &Session,
    reporter: &mut dyn Reporter,
) -> Result<Summary, RunError> {
    run_dir.finish()?;
    let finished = session.ended || run_dir.count() >= plan.games;
    let report = findings.report(header_of(plan, session, finished), &[])?;
    let mut files = derived(&report.summary, findings.tally())?;
    // The summary stays the last.
    files.insert(files.len().saturating_sub(1), (REPORT, html::page(&report).into_bytes()));
    run_dir.write_derived(&files)?;
    reporter.event(&Event::Ended { summary: &report.summary, out: run_dir.path() });
    Ok(report.summary)
}

fn header_of(plan: &PlanFile, session: &Session, finished: bool) -> Header {
    Header {
        version: store::VERSION,
        name: plan.plan.name.clone(),
        digest: plan.digest.clone(),
        seed: plan.plan.seed.clone(),
        slice: plan.slice.clone(),
        games_planned: plan.games,
        finished,
        games_aborted: session.aborted,
        games_voided: session.voided,
        games_unused: session.unused,
        games_per_second: session.games_per_second,
        sandbox: Some(session.sandbox.clone()).filter(|sandbox| !sandbox.is_empty()),
        ended_at: session.ended_at,
        seconds: session.seconds,
    }
}

/// How the playing itself went.
#[derive(Default)]
struct Session {
    aborted: u64,
    voided: u64,
    /// Games that were started before it was known that they would not count.
    unused: u64,
    games_per_second: Option<f64>,
    /// In seconds since 1970 began.
    ended_at: Option<u64>,
    seconds: Option<f64>,
    /// What the bots were kept apart by.
    sandbox: String,
    /// Whether nothing is left to be played, although the schedule has more fixtures.
    ended: bool,
}

/// Everything that is written to when a game has ended.
struct Books<'a, 'p> {
    plan: &'a Plan,
    run_dir: &'a mut RunDir,
    findings: &'a mut Findings<'p>,
    reporter: &'a mut dyn Reporter,
}

fn play_missing(
    fixtures: impl Iterator<Item = Fixture> + Send,
    judge: Box<dyn Judge>,
    executor: &dyn Executor,
    control: &Control,
    books: &mut Books<'_, '_>,
) -> Result<Session, RunError> {
    let stop = || control.is_stopping();
    let needs_all_before = judge.needs_all_before();
    let window = Window::new(lookahead(books.plan, needs_all_before), &stop, judge);
    let mut waiting = Waiting::default();
    let mut session = Session::default();
    let (mut played, mut aborted_in_a_row) = (0_u64, 0);
    let (mut failure, mut is_broken_off) = (None, false);
    let start = Instant::now();
    executor.execute(&mut Admitted { fixtures, window: &window }, &mut |finished| {
        let _guard = CloseOnPanic(&window);
        waiting.insert(finished);
        while let Some(finished) = waiting.next(&window) {
            if failure.is_some() {
                continue;
            }
            session.voided += u64::from(finished.voided);
            let is_counted = !is_broken_off && window.counts(&finished.fixture);
            match &finished.outcome {
                Ok(_) if !is_counted => session.unused += u64::from(!is_broken_off),
                // The signal that stops the run hit a bot as well: that is no crash, and no result.
                Ok(_) if stop() && finished.postmortems.iter().any(|postmortem| postmortem.by_group_signal) => {
                    is_broken_off = needs_all_before;
                }
                Ok(game) => {
                    (played, aborted_in_a_row) = (played + 1, 0);
                    failure = books.enter(&finished, game, &window).err();
                }
                Err(_) if !is_counted => {}
                Err(abort) => {
                    is_broken_off = needs_all_before;
                    if let Abort::Failed(why) = abort {
                        (session.aborted, aborted_in_a_row) = (session.aborted + 1, aborted_in_a_row + 1);
                        books.reporter.event(&Event::Aborted { number: finished.fixture.number, why });
                    }
                }
            }
        }
        if failure.is_some() || is_broken_off || aborted_in_a_row >= GIVE_UP {
            window.close();
        }
    })?;
    let seconds = start.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 games")]
    let games_per_second = (played > 0).then(|| played as f64 / seconds);
    let ended_at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs());
    let (ended_at, seconds) = (ended_at.filter(|_| played > 0), (played > 0).then_some(seconds));
    let ended = window.has_ended();
    failure.map_or(Ok(Session { games_per_second, ended_at, seconds, ended, ..session }), Err)
}

/// How many games may lie between the first that is not written yet and the last that was started.
fn lookahead(plan: &Plan, needs_all_before: bool) -> usize {
    if needs_all_before {
        let games = plan.schedule().games_per_unit(0);
        usize::try_from(games).unwrap_or(1) * (UNITS_AHEAD * plan.jobs + UNITS_AHEAD)
    } else {
        LOOKAHEAD.max(2 * plan.jobs)
    }
}

impl Books<'_, '_> {
    fn enter(&mut self, finished: &Finished, game: &Played, window: &Window<'_>) -> Result<(), RunError> {
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
        let units = |findings: &Findings<'_>| findings.tally().the_test().map_or(0, |test| test.history().len());
        let before = units(self.findings);
        self.findings.add(fixture, &row, &record);
        window.hear(&row, self.findings.tally());
        if let Some(test) = self.findings.tally().the_test().filter(|test| test.history().len() > before) {
            let line = |after| files::sprt_line(test.question(), after);
            let lines: String = test.history()[before..].iter().map(line).collect();
            self.run_dir.append_derived(store::SPRT, &lines)?;
        }
        for postmortem in postmortems {
            let blame = self.findings.blame(fixture, (&row, &record), postmortem.seat);
            self.reporter.event(&Event::Fault(&blame));
        }
        self.reporter.event(&Event::Played { tally: self.findings.tally() });
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

#[cfg(test)]
mod tests;
