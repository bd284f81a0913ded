//! What the verbs of a pool share: its folder, its game, and what its runs show.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueHint};

use crate::check::{self, Check, TopicOutcome};
use crate::cli::bots::BotLine;
use crate::cli::contest::{NamedGame, games_of};
use crate::cli::exit;
use crate::cli::failure::{Failure, InputError, Result, UsageError};
use crate::cli::supervised::{Supervised, supervised};
use crate::config::{Config, Overrides, Setting, load_pool, of_flags};
use crate::plan::{Plan, samples};
use crate::pool::{self, Found, Member, Place, Pool, Standings, State};
use crate::store::read_folder;
use arena_games::Games;
use arena_process::{Launch, Launcher, split_command};
use arena_section::text::word;

/// The seeds of a check; each gives a game in every seat.
const SEEDS: u32 = 2;

#[derive(Debug, Args)]
pub(super) struct CommonArgs {
    /// The folder of the pool [default: pool]
    ///
    /// Except for `new`: if the current folder is a pool, it is the default.
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) pool: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct KeepArgs {
    /// A note for the table
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(super) note: String,
    /// Copy this file or folder with the bot
    ///
    /// May be given more than once. Files that the command or a source names are copied anyway.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(super) read: Vec<PathBuf>,
}

impl KeepArgs {
    /// Reads a bot as it is typed, which has to have a name.
    pub(super) fn launch(&self, typed: &str) -> Result<Launch> {
        let words = split_command(typed).unwrap_or_default();
        let line = match BotLine::parse(&words) {
            // A folder is no program, but it may be kept.
            Some(line) if Path::new(&line.words[0]).is_dir() => line,
            _ => BotLine::split(typed)?,
        };
        match line.name.clone() {
            Some(name) => Ok(line.launch(name, &self.read)),
            None => Err(nameless(typed)),
        }
    }
}

/// The error for a bot without a name.
pub(super) fn nameless(typed: &str) -> Failure {
    let named = format!("v1={typed}");
    let hint = if typed.contains(' ') {
        word(named)
    } else {
        named
    };
    UsageError::Nameless(typed.to_owned(), hint).into()
}

/// A pool and what it plays.
pub(super) struct PoolGame<'g> {
    pub(super) games: &'g Games,
    pub(super) place: Place,
    pub(super) config: Config,
    /// What two bots would play.
    plan: Plan,
    game: NamedGame,
}

impl<'g> PoolGame<'g> {
    /// Finds the pool, makes it the current folder, and reads what it plays.
    pub(super) fn read(
        common: &CommonArgs,
        settings: &[Setting],
        games: &'g Games,
    ) -> Result<PoolGame<'g>> {
        let place = Place::find(common.pool.as_deref())?;
        place.enter()?;
        let config = load_pool(Path::new(pool::CONFIG), games, settings)?;
        let overrides = Overrides {
            settings: settings.to_vec(),
            ..Overrides::default()
        };
        let two = ["a", "b"].map(|name| Launch::new(name, ["bot"]));
        let (plan, _) = of_flags(&mut config.between(&two, 1, None), &overrides)?;
        let named = games_of(&plan).next();
        let mut game = named.context("can't find the game of the pool")?;
        if game.referee.is_none() {
            let configured = plan.games[0].configured(&read_folder);
            game.spec = configured.map_err(anyhow::Error::msg)?;
        }
        Ok(PoolGame {
            games,
            place,
            config,
            plan,
            game,
        })
    }

    /// Does what starts bots. The process that starts them begins where the user is.
    pub(super) fn play(&self, work: impl FnOnce(&Supervised) -> Result<u8> + Send) -> Result<u8> {
        self.place.leave()?;
        supervised(self.plan.sandbox, self.plan.memory_mb, |supervised| {
            self.place.enter()?;
            work(supervised)
        })
    }

    /// Reads the runs, and rates the bots.
    pub(super) fn found(&self) -> Result<Found> {
        let mut found = Found::read(&pool::terms(&self.plan))?;
        found.rate(self.games)?;
        Ok(found)
    }

    pub(super) fn standings<'p>(&self, pool: &'p Pool, found: &'p Found) -> Standings<'p> {
        pool::standings(pool, found, |member| {
            let why = self.playable(member).err()?.to_string();
            why.lines().next().map(str::to_owned)
        })
    }

    /// Writes the page and its files while a try plays; `now` says how that stands.
    pub(super) fn write_live(&self, pool: &Pool, found: &Found, now: &str) -> Result<()> {
        // Reading all copies would take time from the games.
        let standings = pool::standings(pool, found, |member| self.broken(member));
        Ok(pool::write(&standings, found, Some(now))?)
    }

    /// Keeps a bot if it plays legal games, and says so.
    pub(super) fn keep(
        &self,
        pool: &mut Pool,
        bot: &Launch,
        (state, note): (State, &str),
        supervised: &Supervised,
    ) -> Result<String> {
        let how = (&*self.place.from, state, note);
        let kept = pool.keep(&self.config.language, bot, how, |launch| {
            self.check(launch, supervised)
        });
        match supervised.signal_code() {
            code if code != exit::OK && kept.is_err() => {
                let why = format!("interrupted; `{}` wasn't kept", bot.name);
                Err(Failure::Ended(code, why))
            }
            _ => Ok(pool::kept(&bot.name, &kept?, &self.place.pool)),
        }
    }

    /// Why a bot can't be started, if so.
    fn broken(&self, member: &Member) -> Option<String> {
        let start = samples::find_start(&self.config.language, &member.launch().command);
        start.err().map(|why| format!("{why:#}"))
    }

    /// Fails if a bot isn't what was kept, or can't be started.
    pub(super) fn playable(&self, member: &Member) -> Result<()> {
        member.check_copy()?;
        match self.broken(member) {
            Some(why) => Err(InputError::CantPlay(member.name.clone(), why).into()),
            None => Ok(()),
        }
    }

    fn check(&self, launch: &Launch, supervised: &Supervised) -> Result<String> {
        let ready = supervised.ready(&self.config.language, launch)?;
        let check = Check {
            launcher: Launcher::new(&supervised.sandbox, ready),
            spec: self.game.ready(supervised)?,
            is_foreign: self.game.referee.is_some(),
            clock: self.plan.games[0].clock,
            seeds: SEEDS,
            interrupt: Arc::clone(&supervised.control.kill),
        };
        let mut played = String::new();
        for checked in check::check(&check)? {
            match checked.outcome {
                TopicOutcome::Failed(problem) => {
                    return Err(InputError::NotKept(launch.name.clone(), problem).into());
                }
                TopicOutcome::Ok { detail } if checked.check == "full_games" => played = detail,
                _ => {}
            }
        }
        Ok(played)
    }
}
