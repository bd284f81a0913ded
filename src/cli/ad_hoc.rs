//! Runs without a config: the flags that they have in common, what they play, and where their games go.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context, anyhow};
use clap::{Args, ValueHint, value_parser};

use super::contest::NamedGame;
use super::run::{Stage, TakenOver};
use super::supervised::{Supervised, supervised};
use super::terms::{LimitArgs, SandboxArgs, ViewArgs, one_of, time};
use super::worker::ServerArgs;
use super::{Failure, run};
use crate::config::{Jobs, jobs};
use crate::plan::schedule::{Design, Slice};
use crate::plan::{Plan, PlannedGame, StudyPlan};
use crate::play::{Clock, KeptStderr, TimeRules};
use crate::store::{read_folder, seeds_in};
use crate::tournament::Session;
use arena_games::{Configured, GameSpec, Options};
use arena_process::Launch;
use arena_process::languages::Languages;

/// Random first turns, in games that have openings: without them, bots without randomness repeat one game.
const OPENING_PLIES: u32 = 4;
/// Where run directories are made.
const RESULTS: &str = "results";
/// The option that --maps sets.
const MAPS: &str = "maps";

/// Under which conditions a run without a config is played, and where.
#[derive(Debug, Args)]
pub(super) struct AdHocArgs {
    /// Start no more games after this time from the first game on, as in 20m or 1h30m; --resume goes on
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Games played at the same time [default: the cores]
    #[arg(long, short, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(Jobs::RANGE))]
    jobs: Option<u64>,
    /// Have the games played by the workers at this NATS server, see `arena worker` [default: here]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    workers: Option<String>,
    /// The seed of the games [default: follows from the bots, and is another for every run of the same]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Random turns before the bots start, an even number [default: 4, or 0 in a game without openings]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=100))]
    opening_plies: Option<u32>,
    #[command(flatten)]
    limits: LimitArgs,
    /// What happens to an answer after the limit, as in a config
    #[arg(long, value_name = "RULES", default_value_t, value_parser = one_of::<TimeRules>())]
    rules: TimeRules,
    /// Let bots think in the time of the others; they are paused otherwise
    #[arg(long)]
    ponder: bool,
    /// Code of Kutulu: a folder of maps to play on [default: the game's own]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    maps: Option<String>,
    /// Keep what bots tell of themselves on standard error, as in eval=0.3 depth=7 (docs/metrics.md)
    #[arg(long)]
    metrics: bool,
    /// What to keep of standard error: its end of bots that fail, or what comes with every turn, and metrics
    #[arg(long, value_name = "WHEN", default_value_t, value_parser = one_of::<KeptStderr>())]
    stderr: KeptStderr,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// Where the games go.
#[derive(Debug, Args)]
struct FolderArgs {
    /// The run directory [default: results/VERB-GAME-1, or the first number that is free]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Go on with the run that the run directory --out holds, or extend it by more games than it had
    #[arg(long, requires = "out")]
    resume: bool,
    /// Replace the run that the run directory --out holds
    #[arg(long, requires = "out", conflicts_with = "resume")]
    force: bool,
}

/// Who plays, and what that is to tell.
pub(super) struct Contest {
    /// What is to be found out.
    pub(super) study: StudyPlan,
    /// How seats are filled where there are more than two.
    pub(super) design: Design,
    /// The bots, in the order of the plan.
    pub(super) bots: Vec<Launch>,
}

impl AdHocArgs {
    /// Folders and files that bots may read besides.
    pub(super) fn read(&self) -> &[PathBuf] {
        &self.sandbox.read
    }

    /// The run directory whose run is to go on, if one is.
    pub(super) fn resumed(&self) -> Option<&Path> {
        self.folder.out.as_deref().filter(|_| self.folder.resume)
    }

    /// What is played, as yet without a name, and without a folder if none was chosen.
    pub(super) fn plan(
        &self,
        game: &NamedGame,
        contest: Contest,
    ) -> Result<(Plan, Session), Failure> {
        let NamedGame { spec, referee } = game;
        let Contest {
            study,
            design,
            bots,
        } = contest;
        let seats = spec.default_seats();
        let Configured {
            game: configured,
            warnings,
        } = self.configured(spec)?;
        let game = PlannedGame {
            id: spec.id.clone(),
            clock: Clock {
                rules: self.rules,
                no_ponder: !self.ponder,
                ..self.limits.clock(spec)
            },
            opening_plies: self.opening_plies(spec)?,
            seats: spec.has_seat_choice().then_some(seats),
            options: configured.rules.options(),
            bots: bots.iter().map(|bot| bot.name.clone()).collect(),
            referee: referee.clone(),
            spec: Some(spec.clone()),
        };
        let plan = Plan {
            name: String::new(),
            design: (seats > 2).then_some(design),
            seed: self.seed.unwrap_or_default(),
            trace: false,
            metrics: self.metrics || self.stderr == KeptStderr::Turn,
            stderr: self.stderr,
            sandbox: self.sandbox.sandbox,
            memory_mb: self.sandbox.memory_mb,
            study,
            languages: Languages::new(),
            games: vec![game],
            bots,
        };
        let plan = plan.balanced();
        let session = Session {
            out: self.folder.out.clone().unwrap_or_default(),
            slice: Slice::WHOLE,
            existing: run::existing(self.folder.resume, self.folder.force),
            jobs: jobs(self.jobs),
            workers: self.workers.clone(),
            pin: true,
            seed_is_given: self.seed.is_some(),
            builds: Vec::new(),
            warnings,
            confirm: false,
        };
        Ok((plan, session))
    }

    /// Plays it, in the folder that was chosen or in a new one, which is called after the verb.
    pub(super) fn play(
        &self,
        verb: &str,
        mut plan: Plan,
        mut session: Session,
    ) -> Result<u8, Failure> {
        supervised(session.sandbox(&plan), plan.memory_mb, |supervised| {
            let Some(out) = &self.folder.out else {
                return self.in_new_folder(verb, &plan, session, supervised);
            };
            plan.name = name_of(out, verb);
            session.out.clone_from(out);
            let mut stage = Stage::new(supervised, self.time, &self.view, &self.server)?;
            let goes_on = match run::take_over(&mut plan, &session)? {
                TakenOver::Finished(why) => return stage.tell_finished(&plan, &session, &why),
                TakenOver::Begun(goes_on) => goes_on,
            };
            let mut built = stage.build(&plan, &session)?;
            if !session.seed_is_given && !goes_on {
                let beside = out
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty())
                    .unwrap_or(Path::new("."));
                built.settle_seed(0, &seeds_in(beside));
            }
            stage.play(built, &session)
        })
    }

    /// Plays in the first folder that is free.
    fn in_new_folder(
        &self,
        verb: &str,
        plan: &Plan,
        mut session: Session,
        supervised: &Supervised,
    ) -> Result<u8, Failure> {
        let mut stage = Stage::new(supervised, self.time, &self.view, &self.server)?;
        let mut built = stage.build(plan, &session)?;
        let seeds = seeds_in(Path::new(RESULTS));
        let (number, folder) = claimed_folder(verb, &plan.games[0].id)?;
        if !session.seed_is_given {
            // Runs that begin together have read the same runs, and folders with different numbers.
            built.settle_seed(number - 1, &seeds);
        }
        session.out = folder;
        built.plan.name = name_of(&session.out, verb);
        let ended = stage.play(built, &session);
        // Goes only where it is empty, because no run began.
        let _ = fs::remove_dir(&session.out);
        ended
    }

    /// The game under the options that are given.
    fn configured(&self, spec: &GameSpec) -> Result<Configured, Failure> {
        if self.maps.is_some() && !spec.options.iter().any(|option| option.key == MAPS) {
            return Err(Failure::usage(anyhow!(
                "--maps: {} is played without maps",
                spec.id
            )));
        }
        let options: Options = self
            .maps
            .iter()
            .map(|folder| (MAPS.to_owned(), folder.as_str().into()))
            .collect();
        spec.configured(&options, &read_folder)
            .context("--maps")
            .map_err(Failure::input)
    }

    fn opening_plies(&self, spec: &GameSpec) -> Result<u32, Failure> {
        match self.opening_plies {
            None if spec.has_opening => Ok(OPENING_PLIES),
            None => Ok(0),
            Some(plies) if plies % 2 == 1 => Err(Failure::usage(anyhow!(
                "--opening-plies: an even number is needed"
            ))),
            Some(plies) if plies > 0 && !spec.has_opening => Err(Failure::usage(anyhow!(
                "--opening-plies: {} is played without openings",
                spec.id
            ))),
            Some(plies) => Ok(plies),
        }
    }
}

fn name_of(folder: &Path, verb: &str) -> String {
    folder.file_name().map_or_else(
        || verb.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// The first folder that is not there, and its number. It is made at once: of two runs that begin together, the other takes
/// the next.
fn claimed_folder(verb: &str, game: &str) -> Result<(u64, PathBuf), Failure> {
    let results = Path::new(RESULTS);
    let failed = |error: io::Error, folder: &Path| {
        Failure::input(anyhow!("{}: {error}; see --out", folder.display()))
    };
    fs::create_dir_all(results).map_err(|error| failed(error, results))?;
    let mut number = 1;
    loop {
        let folder = results.join(format!("{verb}-{game}-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((number, folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(failed(error, &folder)),
        }
    }
}
