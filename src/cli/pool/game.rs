//! What the verbs of a pool share: its folder, its game, and what its runs show.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueHint};

use crate::check::{self, Check, TopicOutcome};
use crate::cli::bots::BotLine;
use crate::cli::contest::{NamedGame, games_of};
use crate::cli::exit;
use crate::cli::failure::{Failure, InputError, Result, UsageError};
use crate::cli::supervised::{Supervised, supervised};
use crate::config::{Choice, Overrides, Run, Setting, Sure, TryTable, load_pool, of_flags};
use crate::plan::{Plan, samples};
use crate::play::Clock;
use crate::pool::{self, Found, Member, Place, Pool, SHARES, Standings, State, WHOLE};
use crate::store::read_folder;
use crate::tournament::Session;
use arena_games::Games;
use arena_process::languages::Languages;
use arena_process::{Launch, Launcher};
use arena_schedule::Design;
use arena_section::text::word;

/// The seeds of a check; each gives a game in every seat.
const SEEDS: u32 = 2;

/// How long a try plays if nothing says it.
const DEFAULT_TIME: Duration = Duration::from_secs(600);

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
        let words = shlex::split(typed).unwrap_or_default();
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

/// How much a try plays.
#[derive(Clone, Copy)]
pub(super) enum Budget {
    Time(Duration),
    Games(u64),
}

impl Budget {
    /// The budget of a pool.
    pub(super) fn of(table: &TryTable) -> Budget {
        match (table.games, table.time) {
            (Some(games), _) => Budget::Games(games.0),
            (None, Some(time)) => Budget::Time(time.0),
            (None, None) => Budget::Time(DEFAULT_TIME),
        }
    }

    pub(super) fn games(self) -> u64 {
        match self {
            Budget::Games(games) => games,
            Budget::Time(_) => 0,
        }
    }

    /// The time of its first part, for the duel, or of the second.
    pub(super) fn time(self, part: usize) -> Option<Duration> {
        match self {
            Budget::Games(_) => None,
            Budget::Time(time) => Some(time * SHARES[part] / WHOLE),
        }
    }
}

/// A pool and what it plays.
pub(super) struct PoolGame<'g> {
    pub(super) games: &'g Games,
    pub(super) place: Place,
    game: NamedGame,
    clock: Clock,
    languages: Languages,
    plan: Plan,
    pub(super) budget: Budget,
    pub(super) sure: Sure,
    terms: String,
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
        let (plan, _) = planned(&overrides, two.to_vec(), games, |run| run.gauntlet(1))?;
        let named = games_of(&plan).next();
        let mut game = named.context("can't find the game of the pool")?;
        let planned = &plan.games[0];
        if game.referee.is_none() {
            let configured = planned.configured(&read_folder);
            game.spec = configured.map_err(anyhow::Error::msg)?;
        }
        Ok(PoolGame {
            games,
            place,
            clock: planned.clock,
            budget: Budget::of(&config.attempt),
            sure: config.attempt.sure.unwrap_or_default(),
            languages: config.language,
            terms: pool::terms(&plan),
            game,
            plan,
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
        let mut found = Found::read(&self.terms)?;
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
        let mut played = String::new();
        let how = (&*self.place.from, state, note);
        let kept = pool.keep(&self.languages, bot, how, |launch| {
            played = self.check(launch, supervised)?;
            Ok::<_, Failure>(())
        });
        match supervised.signal_code() {
            code if code != exit::OK && kept.is_err() => {
                let why = format!("interrupted; `{}` wasn't kept", bot.name);
                Err(Failure::Ended(code, why))
            }
            _ => kept.map(|()| pool::kept(&bot.name, &played, &self.place.pool)),
        }
    }

    /// Why a bot can't be started, if so.
    fn broken(&self, member: &Member) -> Option<String> {
        let start = samples::find_start(&self.languages, &member.launch().command);
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
        let ready = supervised.ready(&self.languages, launch)?;
        let check = Check {
            launcher: Launcher::new(&supervised.sandbox, ready),
            spec: self.game.ready(supervised)?,
            is_foreign: self.game.referee.is_some(),
            clock: self.clock,
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

/// Plans games of these bots under the terms of the pool.
pub(super) fn planned(
    overrides: &Overrides,
    bots: Vec<Launch>,
    games: &Games,
    set: impl FnOnce(&mut Run),
) -> Result<(Plan, Session)> {
    let mut config = load_pool(Path::new(pool::CONFIG), games, &overrides.settings)?;
    config.bot = bots.into_iter().map(Into::into).collect();
    if config
        .games
        .iter()
        .any(|(_, spec)| spec.default_seats() > 2)
    {
        // Two bots share the seats.
        config.run.design.get_or_insert(Choice(Design::Mirror));
    }
    set(&mut config.run);
    Ok(of_flags(&mut config, overrides)?)
}
