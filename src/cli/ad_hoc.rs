//! Runs without a config: their common flags, their plan and their folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use clap::{Args, ValueHint};

use super::contest::NamedGame;
use super::failure::Result;
use super::run::{self, Runner};
use super::supervised::supervised;
use super::terms::{PlayArgs, SandboxArgs};
use crate::config::{
    Bot, Choice, Config, ForeignGame, Overrides, Plies, RESULTS, Setting, of_flags, of_settings,
};
use crate::plan::Plan;
use crate::store::io_error;
use crate::tournament::Session;
use arena_games::Games;
use arena_process::{Launch, remove_empty};

/// The conditions of a run without a config, and its folder.
#[derive(Debug, Args)]
pub(super) struct AdHocArgs {
    /// Random turns before the bots start, an even number [default: 4]
    ///
    /// The default is 0 in a game without openings.
    #[arg(long, value_name = "N", value_parser = plies, hide_short_help = true)]
    opening_plies: Option<Plies>,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// The run directory [default: a new one in results]
    ///
    /// Without it, the name says what is played, as in results/duel-onitama-1, with the first
    /// number that is free.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Continue the run in --out, or extend it by more games
    #[arg(long, requires = "out")]
    resume: bool,
    /// Replace the run in --out
    #[arg(
        long,
        requires = "out",
        conflicts_with = "resume",
        hide_short_help = true
    )]
    force: bool,
    #[command(flatten)]
    play: PlayArgs,
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
        self.out.as_deref().filter(|_| self.resume)
    }

    /// Returns the flags as a config for these bots, and what overrides it. `settings` come before
    /// those of `--set`.
    pub(super) fn config(
        &self,
        bots: Vec<Launch>,
        settings: Vec<Setting>,
        games: &Games,
    ) -> Result<(Config, Overrides)> {
        let existing = run::existing(self.resume, self.force);
        let mut overrides = self.play.overrides(self.out.as_ref(), existing);
        overrides.settings.splice(..0, settings);
        let mut config = of_settings(&overrides.settings, games)?;
        let run = &mut config.run;
        run.opening_plies = self.opening_plies.or(run.opening_plies);
        let mode = self.sandbox.sandbox.map(Choice);
        config.sandbox.mode = mode.or(config.sandbox.mode);
        config.bot = bots.into_iter().map(Bot::from).collect();
        Ok((config, overrides))
    }

    /// Plays a config for a game, in the folder of --out or in a new one that is called after the
    /// verb.
    pub(super) fn play(
        &self,
        verb: &str,
        mut game: NamedGame,
        mut config: Config,
        overrides: &Overrides,
        games: &Games,
    ) -> Result<u8> {
        let (mut plan, mut session) = planned(&mut config, &game, overrides)?;
        run::check_resumed(&session)?;
        supervised(session.sandbox(&plan), plan.memory_mb, |supervised| {
            let runner = Runner::new(supervised, &self.play)?;
            if game.settle(games, supervised)? {
                (plan, session) = planned(&mut config, &game, overrides)?;
            }
            if self.out.is_none() {
                session.out = claimed_folder(verb, &plan.games[0].id)?;
            }
            let name = session.out.file_name().unwrap_or(verb.as_ref());
            plan.name = name.to_string_lossy().into_owned();
            let ended = runner.start(plan, &session);
            if self.out.is_none() {
                // Removes the folder only if it is empty, because no run began.
                let _ = remove_empty(&session.out);
            }
            ended
        })
    }
}

/// Plans a config for a game.
fn planned(
    config: &mut Config,
    game: &NamedGame,
    overrides: &Overrides,
) -> Result<(Plan, Session)> {
    let NamedGame { spec, referee, .. } = game;
    config.games = vec![("run.game".to_owned(), Arc::clone(spec))];
    let foreign = |referee| ForeignGame::new(&spec.id, referee);
    config.foreign = referee.clone().into_iter().map(foreign).collect();
    Ok(of_flags(config, overrides)?)
}

/// Creates the first folder with a number that is free, so that two runs that begin together have
/// different ones.
fn claimed_folder(verb: &str, game: &str) -> Result<PathBuf> {
    let results = Path::new(RESULTS);
    fs::create_dir_all(results).map_err(io_error("create", results))?;
    let mut number = 1;
    loop {
        let folder = results.join(format!("{verb}-{game}-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(io_error("create", &folder)(error).into()),
        }
    }
}
