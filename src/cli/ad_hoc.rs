//! Runs without a config: their common flags, their plan and their folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use anyhow::anyhow;
use clap::{Args, ValueHint};

use super::contest::NamedGame;
use super::run::{RunState, Runner};
use super::supervised::supervised;
use super::terms::{LimitArgs, PlayArgs, SandboxArgs, one_of};
use super::{Failure, run};
use crate::config::{
    Bot, Choice, ClockTable, Config, ForeignGame, Integer, LimitsTable, Plies, RESULTS, Run,
    SandboxTable, of_flags,
};
use crate::play::TimeRules;
use arena_process::{Launch, Mode};

/// The option that --maps sets.
const MAPS: &str = "maps";

/// The conditions of a run without a config, and its folder.
#[derive(Debug, Args)]
pub(super) struct AdHocArgs {
    /// Random turns before the bots start, an even number [default: 4, or 0 in a game without openings]
    #[arg(long, value_name = "N", value_parser = plies)]
    opening_plies: Option<Plies>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Time rules for answers after the limit, as in a config
    #[arg(long, value_name = "RULES", default_value_t, value_parser = one_of::<TimeRules>())]
    rules: TimeRules,
    /// Let bots think in the time of the others; by default, arena pauses them
    #[arg(long)]
    ponder: bool,
    /// Code of Kutulu: a folder of maps to play on [default: the game's own]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    maps: Option<String>,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    play: PlayArgs,
}

/// The run directory.
#[derive(Debug, Args)]
struct FolderArgs {
    /// The run directory [default: results/VERB-GAME-1, or the first number that is free]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Continue the run in the run directory --out, or extend it by more games
    #[arg(long, requires = "out")]
    resume: bool,
    /// Replace the run in the run directory --out
    #[arg(long, requires = "out", conflicts_with = "resume")]
    force: bool,
}

/// Reads an even number of turns.
fn plies(text: &str) -> Result<Plies, String> {
    match text.parse() {
        Ok(plies @ 0..=100) if plies % 2 == 0 => Ok(Plies(plies)),
        _ => Err("expected an even integer from 0 to 100".to_owned()),
    }
}

impl AdHocArgs {
    /// Folders and files that bots may also read.
    pub(super) fn read(&self) -> &[PathBuf] {
        &self.sandbox.read
    }

    /// The run directory to resume, if any.
    pub(super) fn resumed(&self) -> Option<&Path> {
        self.folder.out.as_deref().filter(|_| self.folder.resume)
    }

    /// Returns the flags as a config for these bots.
    pub(super) fn config(&self, game: &NamedGame, bots: Vec<Launch>) -> Result<Config, Failure> {
        let NamedGame { spec, referee, .. } = game;
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
                opening_plies: self.opening_plies,
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

    /// Plays a config, in the folder of --out or in a new one that is called after the verb.
    pub(super) fn play(&self, verb: &str, config: Config) -> Result<u8, Failure> {
        let FolderArgs { out, resume, force } = &self.folder;
        let overrides = self
            .play
            .overrides(out.as_ref(), run::existing(*resume, *force));
        let (mut plan, mut session) = of_flags(config, &overrides).map_err(|mistake| {
            let why = anyhow!(mistake.in_flags());
            if mistake.is_of_input() {
                Failure::input(why)
            } else {
                Failure::usage(why)
            }
        })?;
        supervised(session.sandbox(&plan), plan.memory_mb, |supervised| {
            let mut runner = Runner::new(supervised, &self.play)?;
            if let Some(out) = out {
                plan.name = name_of(out, verb);
                match run::take_over(&mut plan, &session)? {
                    RunState::Finished(why) => {
                        return runner.show_finished(&plan, &session, &why);
                    }
                    RunState::Open(_) => {}
                }
            }
            let mut built = runner.build(&plan, &session)?;
            if out.is_none() {
                session.out = claimed_folder(verb, &plan.games[0].id)?;
                built.plan.name = name_of(&session.out, verb);
            }
            let ended = runner.play(built, &session);
            if out.is_none() {
                // Removes the folder only if it is empty, because no run began.
                let _ = fs::remove_dir(&session.out);
            }
            ended
        })
    }
}

fn name_of(folder: &Path, verb: &str) -> String {
    folder.file_name().map_or_else(
        || verb.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Creates the first folder with a number that is free, so that two runs that begin together have
/// different ones.
fn claimed_folder(verb: &str, game: &str) -> Result<PathBuf, Failure> {
    let results = Path::new(RESULTS);
    fs::create_dir_all(results).map_err(|error| not_created(results, &error))?;
    let mut number = 1;
    loop {
        let folder = results.join(format!("{verb}-{game}-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(not_created(&folder, &error)),
        }
    }
}

fn not_created(folder: &Path, error: &io::Error) -> Failure {
    Failure::input(anyhow!("{}: {error}; see --out", folder.display()))
}
