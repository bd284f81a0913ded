//! `arena run`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::contest::games_of;
use super::exit;
use super::failure::{Failure, InputError, Result};
use super::order::{check_config, typed};
use super::output::{is_json, is_quiet, say, show};
use super::supervised::{Grace, ShowLine, Supervised, supervised};
use super::terms::{CONFIG, PlayArgs, VerboseArgs, within};
use super::worker;
use crate::config::{GamesPerPairing, Setting, load};
use crate::plan::Plan;
use crate::report::export::Played;
use crate::report::replays::Selection;
use crate::report::terminal::Terminal;
use crate::report::{RunReport, outcome};
use crate::store::{Existing, Found, RunFolder, StoreError};
use crate::study::{Ended, FollowUp, Outcome};
use crate::tournament::{self, Built, RunError, Server, Session};
use crate::worker::pool::Executor;
use arena_games::Games;
use arena_process::slashed;
use arena_section::screen::Screen;
use arena_section::text::{command_line, harmless_lines, nearest};

/// Play the tournament that a config describes
///
/// Builds the bots first if the config says how. The run directory, a folder in results or --out,
/// receives every game: games.csv, records.jsonl, ratings.csv, pairings.csv, timings.csv,
/// report.html and summary.json. The first Ctrl-C waits for the games in flight, at most for
/// --grace, and the second ends them. --resume continues later.
///
/// With `format = "sprt"`, the run ends when the test is decided. The exit status is then 0 if it
/// accepts the first bot, 1 if it rejects it, and 4 if it is inconclusive. `format = "sweep"`
/// compares variants of one bot, see docs/how-to/sweep.md. `format = "tune"` finds values for
/// parameters of a bot, see docs/how-to/tune.md. With `confirm`, its exit status is that of a test.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The config, a TOML file; see docs/reference/config.md
    #[arg(default_value = CONFIG)]
    config: PathBuf,
    /// The run directory [default: results and the name of the run]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Games per pairing and game [default: the config's]
    ///
    /// Rounded up so that bots take seats equally often.
    #[arg(long, value_name = "N", value_parser = within("an integer", GamesPerPairing::RANGE))]
    games: Option<u64>,
    /// Continue the run in the run directory, or play more games
    #[arg(long)]
    resume: bool,
    /// Replace the run in the run directory
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Keep every prompt in the records
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    play: PlayArgs,
}

pub(super) fn run(args: &RunArgs, games: &Games) -> Result<u8> {
    let (mut plan, mut session) = plan(args, games, Vec::new())?;
    if args.out.is_some() {
        check_resumed(&session)?;
    }
    supervised(session.sandbox(&plan), plan.memory_mb, |supervised| {
        let runner = Runner::new(supervised, &args.play)?;
        // It may tell the seed, and lie beside a bot.
        if args.config.is_file() {
            supervised
                .sandbox
                .hide(&args.config)
                .map_err(|error| RunError::Internal(error.into()))?;
        }
        let mut settings = Vec::new();
        // A referee that has to be built may not exist yet.
        for mut game in games_of(&plan).filter(|_| session.builds.is_empty()) {
            if game.settle(games, supervised)? {
                let (id, seats) = (&game.spec.id, game.spec.default_seats().to_string());
                settings.push(Setting::new(&format!("game.{id}.seats"), &seats, ""));
            }
        }
        if !settings.is_empty() {
            (plan, session) = self::plan(args, games, settings)?;
        }
        runner.start(plan, &session)
    })
}

/// Returns what to do with a run directory that exists.
pub(super) fn existing(resume: bool, force: bool) -> Existing {
    match (resume, force) {
        (true, _) => Existing::Resume,
        (_, true) => Existing::Replace,
        _ => Existing::Refuse,
    }
}

/// Rejects a run to resume that isn't there, before a mistyped name begins another one.
pub(super) fn check_resumed(session: &Session) -> Result<()> {
    let out = &session.out;
    if session.existing != Existing::Resume || out.exists() {
        return Ok(());
    }
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let mut names = Vec::new();
    let beside = fs::read_dir(out.with_file_name(""));
    for entry in beside.into_iter().flatten().flatten() {
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = match nearest(&name, &names) {
        Some(name) => format!("--out {}", out.with_file_name(name).display()),
        None => "leave out --resume to begin a run there".to_owned(),
    };
    Err(InputError::NothingToResume(out.clone(), hint).into())
}

/// The report of a run, and the exit status.
type Ending = (RunReport, u8);

/// Plays runs in a supervised process, and shows them on the terminal.
pub(super) struct Runner<'s> {
    pub(super) supervised: &'s Supervised,
    pub(super) args: &'s PlayArgs,
    pub(super) terminal: Terminal<'s>,
}

impl<'s> Runner<'s> {
    /// Starts to handle signals.
    pub(super) fn new(supervised: &'s Supervised, args: &'s PlayArgs) -> Result<Runner<'s>> {
        let mut terminal = Terminal::new(is_quiet(), is_json());
        terminal.limit = args.time;
        let runner = Runner {
            supervised,
            args,
            terminal,
        };
        supervised.handle_signals(Some(runner.grace()))?;
        runner.terminal.prepare("starting");
        Ok(runner)
    }

    fn grace(&self) -> Grace {
        Grace {
            printer: self.terminal.printer.clone(),
            time: self.args.grace,
        }
    }

    /// Plays a plan in the folder of the session, or shows the run that is finished there. If the
    /// session says so, plays the test of its answer, too.
    pub(super) fn start(mut self, mut plan: Plan, session: &Session) -> Result<u8> {
        let (mut report, code) = self.played(&mut plan, session)?;
        if session.confirm && code == exit::OK {
            let sections = report.finding.sections.iter_mut();
            for part in sections.flat_map(|section| &mut section.parts) {
                // The last note announces this command, which now follows.
                if part.command.take().is_some() {
                    part.notes.pop();
                }
            }
        }
        self.terminal.clear();
        if session.confirm && code == exit::OK {
            return self.confirm(&plan, &report, session);
        }
        let played = Played::new(&report, &session.out);
        show_end(code, &played, self.args.verbose)
    }

    /// Plays a plan in the folder of the session, or reads the run that is finished there. Returns
    /// its report and the exit status.
    pub(super) fn played(&mut self, plan: &mut Plan, session: &Session) -> Result<(RunReport, u8)> {
        let Session { out, existing, .. } = session;
        let folder = RunFolder::look(out, Some(plan), *existing, session.seed_is_given);
        let folder = folder.map_err(RunError::Store)?;
        if let Found::Finished(why) = &folder.found {
            let why = why.clone();
            // Writing the reports takes a lock, too.
            drop(folder);
            return self.show_finished(plan, out, &why);
        }
        let built = self.build(plan.clone(), session)?;
        self.play(built, folder, session)
    }

    /// Builds and compiles the bots.
    fn build(&mut self, plan: Plan, session: &Session) -> Result<Built> {
        let (control, sandbox) = (&self.supervised.control, &self.supervised.sandbox);
        let built = tournament::build(plan, session, control, sandbox, &mut self.terminal);
        match self.supervised.signal_code() {
            exit::OK => Ok(built?),
            code => Err(Failure::Ended(
                code,
                "interrupted before the first game".to_owned(),
            )),
        }
    }

    /// Plays a plan, and returns its report and the exit status.
    fn play(&mut self, built: Built, folder: RunFolder, session: &Session) -> Result<Ending> {
        let control = &self.supervised.control;
        let mut session = session.clone();
        session.go_on.get_or_insert_with(|| go_on(&session.out));
        session.warnings.extend(self.supervised.sandbox.warning());
        let sandbox = Arc::clone(&self.supervised.sandbox);
        let executor: Result<Box<dyn Executor>, _> = match &session.workers {
            Some(url) => self.remote_pool(&built, url, &session.server),
            None => Ok(Box::new(tournament::local_pool(
                &built, &session, control, sandbox,
            ))),
        };
        let (limit, grace) = (self.terminal.limit, self.grace());
        let terminal = &mut self.terminal;
        let play = || tournament::run(built, folder, &session, &*executor?, control, terminal);
        let ended = match limit {
            Some(time) => self.supervised.limit_time(time, &grace, play)?,
            None => play(),
        };
        // If there was a signal, its exit status counts.
        let signal = self.supervised.signal_code();
        let report = ended.map_err(|error| match signal {
            exit::OK => error.into(),
            code => Failure::Ended(code, format!("{:#}", anyhow::Error::new(error))),
        })?;
        let code = match signal {
            exit::OK => code_of(&report),
            code => code,
        };
        if report.summary.run.seconds.is_none() && !report.summary.run.finished {
            let why = match &report.summary.run.first_abort {
                Some(why) => why,
                None if code > exit::INTERNAL => "the run was interrupted",
                None => {
                    "--for was over before the first one ended\nhint: give --for or --grace more time"
                }
            };
            let code = code.max(exit::INCONCLUSIVE);
            self.terminal.clear();
            if !is_json() {
                let played = Played::new(&report, &session.out);
                show_end(code, &played, self.args.verbose)?;
            }
            return Err(Failure::Ended(code, format!("no game was played: {why}")));
        }
        Ok((report, code))
    }

    /// Plays the answer of a tuning against its start, in another run directory and without a time
    /// limit.
    fn confirm(mut self, tuned: &Plan, found: &RunReport, session: &Session) -> Result<u8> {
        let (out, verbose) = (&session.out, self.args.verbose);
        let mut played = Played::new(found, out);
        let Some(FollowUp { plan, units }) = &found.finding.follow_up else {
            say(
                "nothing to confirm: the tuning has no answer but the start, and no test was played",
            );
            return show_end(exit::INCONCLUSIVE, &played, verbose);
        };
        if !is_json() {
            show_end(exit::OK, &played, verbose)?;
        }
        self.terminal.limit = None;
        self.supervised.control.renew();
        if self.supervised.signal_code() != exit::OK {
            return Err(self.supervised.interrupted());
        }
        let name = out.file_name().unwrap_or(tuned.name.as_ref());
        let name = format!("{}-confirm-{units}", name.display());
        let session = Session {
            out: out.with_file_name(name),
            seed_is_given: true,
            go_on: Some(go_on(out)),
            builds: Vec::new(),
            warnings: Vec::new(),
            confirm: false,
            ..session.clone()
        };
        let (report, code) = self.played(&mut plan.clone(), &session)?;
        self.terminal.clear();
        let confirmation = Played::new(&report, &session.out);
        if !is_json() {
            return show_end(code, &confirmation, verbose);
        }
        played.answer.extend(confirmation.answer.clone());
        played.confirmation = Some(Box::new(confirmation));
        show_end(code, &played, verbose)
    }

    /// Shows the end of a finished run again, and returns its report and the exit status. Also
    /// rewrites the reports: the last session may have been killed before it wrote them all.
    fn show_finished(&self, plan: &Plan, out: &Path, why: &str) -> Result<Ending> {
        self.terminal.clear();
        let games = plan.known_games();
        let report = match tournament::report(out, &Selection::None, true, &games) {
            Err(RunError::Store(error @ StoreError::Io { .. })) => {
                let report = tournament::report(out, &Selection::None, false, &games)?;
                let error = anyhow::Error::new(error);
                self.terminal.printer.print(&format!(
                    "warning: the reports weren't written again: {error:#}"
                ));
                report
            }
            report => report?,
        };
        say(&format!(
            "{}: {why}: nothing is left to play",
            out.display()
        ));
        if let Some(Ended { why, how }) = &report.finding.ended {
            say(&format!("it ended because {why}; {how}"));
        }
        let code = code_of(&report);
        Ok((report, code))
    }

    /// Connects to the workers at a server.
    fn remote_pool(
        &self,
        built: &Built,
        url: &str,
        server: &Server,
    ) -> Result<Box<dyn Executor>, RunError> {
        let printer = self.terminal.printer.clone();
        let show: ShowLine = Arc::new(move |line| {
            if !is_quiet() {
                printer.print(&harmless_lines(line));
            }
        });
        worker::pool(server, url, built, &self.supervised.control, show)
    }
}

/// Returns the command that continues the run of this process: its own, with `--resume`.
fn go_on(out: &Path) -> String {
    let mut words = typed();
    words.retain(|word| word != "--resume" && word != "--force");
    words.insert(0, "arena".to_owned());
    let mut further = vec!["--resume".to_owned()];
    let names_folder = |word: &String| word == "--out" || word.starts_with("--out=");
    if !words.iter().any(names_folder) {
        further.extend(["--out".to_owned(), slashed(out)]);
    }
    // After `--` there are only names.
    let end = words.iter().position(|word| word == "--");
    let end = end.unwrap_or(words.len());
    words.splice(end..end, further);
    command_line(&words)
}

/// Shows the end of a run.
pub(super) fn show_end(code: u8, played: &Played<'_>, verbose: VerboseArgs) -> Result<u8> {
    show(code, played, || {
        outcome::text(
            played.report,
            played.out,
            &Screen::stdout(),
            verbose.verbose,
        )
    })
}

/// Returns the exit status of a run that no signal ended: that of its test, if it has one.
pub(super) fn code_of(report: &RunReport) -> u8 {
    match report.finding.outcome {
        _ if report.summary.run.games_aborted > 0 => exit::ABORTED_GAMES,
        Outcome::Answered | Outcome::Open | Outcome::Passed => exit::OK,
        Outcome::Rejected => exit::CHECK_FAILED,
        Outcome::Undecided | Outcome::NothingMeasured => exit::INCONCLUSIVE,
    }
}

fn plan(args: &RunArgs, games: &Games, settings: Vec<Setting>) -> Result<(Plan, Session)> {
    let existing = existing(args.resume, args.force);
    let mut overrides = args.play.overrides(args.out.as_ref(), existing);
    overrides.games = args.games;
    overrides.trace = args.trace;
    overrides.settings.extend(settings);
    check_config(&args.config)?;
    load(&args.config, games, &overrides).map_err(|error| match args.config.extension() {
        Some(end) if end == "toml" => error.into(),
        _ => InputError::NotAConfig(args.config.clone(), error).into(),
    })
}
