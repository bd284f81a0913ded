//! Runs without a config: the flags that they have in common, what they play, and where their games go.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use anyhow::anyhow;
use clap::{Args, ValueHint, value_parser};

use super::contest::NamedGame;
use super::run::{Stage, TakenOver};
use super::supervised::{Supervised, supervised};
use super::terms::{LimitArgs, SandboxArgs, ViewArgs, one_of, time};
use super::worker::ServerArgs;
use super::{Failure, run};
use crate::config::{
    Bot, Choice, ClockTable, Config, ForeignGame, Integer, Jobs, LimitsTable, Overrides, Plies,
    RESULTS, Run, SandboxTable, of_flags,
};
use crate::plan::Plan;
use crate::play::{KeptStderr, TimeRules};
use crate::session::Session;
use crate::store::seeds_in;
use arena_process::{Launch, Mode};

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
    #[arg(long, value_name = "N", value_parser = plies)]
    opening_plies: Option<Plies>,
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

/// An even number of turns.
fn plies(text: &str) -> Result<Plies, String> {
    match text.parse() {
        Ok(plies @ 0..=100) if plies % 2 == 0 => Ok(Plies(plies)),
        _ => Err("expected an even integer from 0 to 100".to_owned()),
    }
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

    /// What the flags say of a game of these bots, as a config would.
    pub(super) fn config(&self, game: &NamedGame, bots: Vec<Launch>) -> Result<Config, Failure> {
        let NamedGame { spec, referee } = game;
        if self.maps.is_some() && !spec.options.iter().any(|option| option.key == MAPS) {
            return Err(Failure::usage(anyhow!(
                "--maps: {} is played without maps",
                spec.id
            )));
        }
        let mut options = BTreeMap::new();
        if let Some(folder) = &self.maps {
            let maps = (MAPS.to_owned(), folder.as_str().into());
            options.insert(spec.id.clone(), [maps].into_iter().collect());
        }
        let referee = referee.clone();
        let has_limits = self.sandbox.sandbox != Mode::Off;
        Ok(Config {
            run: Run {
                seed: self.seed.map(Integer),
                jobs: self.jobs.map(Integer),
                opening_plies: self.opening_plies,
                workers: self.workers.clone(),
                metrics: self.metrics.then_some(true),
                stderr: Some(Choice(self.stderr)),
                ..Run::default()
            },
            clock: ClockTable {
                rules: Some(Choice(self.rules)),
                no_ponder: Some(!self.ponder),
                ..self.limits.table()
            },
            limits: LimitsTable {
                memory_mb: has_limits.then_some(Integer(self.sandbox.memory_mb)),
            },
            sandbox: SandboxTable {
                mode: Some(Choice(self.sandbox.sandbox)),
            },
            games: vec![("run.game".to_owned(), Arc::clone(spec))],
            options,
            foreign: referee
                .map(|referee| ForeignGame::new(&spec.id, referee))
                .into_iter()
                .collect(),
            bot: bots.into_iter().map(Bot::from).collect(),
            ..Config::default()
        })
    }

    /// Plays it, in the folder that was chosen or in a new one, which is called after the verb.
    pub(super) fn play(&self, verb: &str, config: &Config) -> Result<u8, Failure> {
        let overrides = Overrides {
            out: self.folder.out.clone(),
            existing: run::existing(self.folder.resume, self.folder.force),
            ..Overrides::default()
        };
        let resolved = of_flags(config, &overrides);
        let (mut plan, mut session) = match resolved {
            Ok(resolved) => resolved,
            Err(mistake) if mistake.is_of_input() => {
                return Err(Failure::input(anyhow!(mistake.in_flags())));
            }
            Err(mistake) => return Err(Failure::usage(anyhow!(mistake.in_flags()))),
        };
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
                built.settle_seed(0, &seeds_in(run::beside(out)));
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
    fs::create_dir_all(results).map_err(|error| not_created(results, &error))?;
    let mut number = 1;
    loop {
        let folder = results.join(format!("{verb}-{game}-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((number, folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(not_created(&folder, &error)),
        }
    }
}

fn not_created(folder: &Path, error: &io::Error) -> Failure {
    Failure::input(anyhow!("{}: {error}; see --out", folder.display()))
}
