//! What `arena check` checks: arguments, or the first bot of `arena.toml`.

use std::path::Path;

use anyhow::{Context as _, anyhow};

use crate::cli::bots::{BotLine, launch};
use crate::cli::contest::{NamedGame, games_of, named_game};
use crate::cli::order::check_order;
use crate::cli::supervised::Supervised;
use crate::cli::{CheckArgs, Failure, init, say};
use crate::config::{Overrides, load, of_settings};
use crate::play::Clock;
use crate::store::read_folder;
use arena_games::Games;
use arena_process::languages::Languages;
use arena_process::{Launch, Mode, run_command};
use arena_section::text::command_line;

/// The tables of a config that a check uses.
const USED: [&str; 4] = ["clock", "limits", "game", "language"];

/// A bot in a game, or the referee of a game.
pub(super) struct Subject {
    pub(super) game: NamedGame,
    /// The bot; none to check the referee.
    pub(super) bot: Option<Launch>,
    /// The words that start the bot, for `arena start`.
    pub(super) words: Vec<String>,
    /// Whether it comes from `arena.toml`.
    is_of_config: bool,
    /// The command that builds the bot.
    build: Option<Vec<String>>,
    pub(super) languages: Languages,
    pub(super) clock: Clock,
    pub(super) sandbox: Mode,
    pub(super) memory_mb: u64,
}

impl Subject {
    pub(super) fn new(args: &CheckArgs, games: &Games) -> Result<Subject, Failure> {
        match &args.game {
            Some(game) => Subject::of_arguments(args, game, games),
            None => Subject::of_config(args, games),
        }
    }

    fn of_arguments(args: &CheckArgs, game: &str, games: &Games) -> Result<Subject, Failure> {
        let words: Vec<String> = args.bot.iter().chain(&args.words).cloned().collect();
        check_order(game, args.bot.as_slice(), games)?;
        let settings = &args.set.settings;
        let unused = settings
            .iter()
            .find(|setting| !USED.iter().any(|table| setting.is_within(table)));
        if let Some(setting) = unused {
            return Err(Failure::usage(anyhow!(
                "can't use {}: a check uses the tables {}\nhint: --set clock.turn_ms=100",
                setting.option,
                USED.join(", ")
            )));
        }
        let mut game = named_game(game, games)?;
        let config = of_settings(settings, games)?;
        if let Some(options) = config.options.get(&game.spec.id) {
            let configured = game.spec.configured(options, &read_folder);
            game.spec = configured.map_err(Failure::input)?.game;
        }
        let bot = match &words[..] {
            [] => None,
            words => Some(launch(BotLine::of(words)?, &args.sandbox.read)),
        };
        Ok(Subject {
            clock: config.clock.clock(&game.spec),
            memory_mb: config.memory_mb(),
            languages: config.language,
            sandbox: args.sandbox.sandbox.unwrap_or_default(),
            is_of_config: false,
            build: None,
            game,
            bot,
            words,
        })
    }

    /// The first bot of the config, in its first game.
    fn of_config(args: &CheckArgs, games: &Games) -> Result<Subject, Failure> {
        let path = Path::new(init::CONFIG);
        init::check_config(path)?;
        let overrides = Overrides {
            settings: args.set.settings.clone(),
            ..Overrides::default()
        };
        let (plan, session) = load(path, games, &overrides)?;
        let mut bot = plan.bots[0].filled(&plan.trials(0)[0].values);
        bot.read.extend(args.sandbox.read.iter().cloned());
        let planned = plan.games.iter().find(|game| game.bots.contains(&bot.name));
        let planned = planned.with_context(|| format!("can't find a game of `{}`", bot.name))?;
        let mut game = games_of(&plan)
            .find(|game| game.spec.id == planned.id)
            .with_context(|| format!("can't find the game `{}`", planned.id))?;
        if game.referee.is_none() {
            let configured = planned.configured(&read_folder);
            game.spec = configured.map_err(|why| Failure::input(anyhow!(why)))?;
        }
        let build = session.builds.iter().find(|build| build.bot == bot.name);
        Ok(Subject {
            clock: planned.clock,
            memory_mb: plan.memory_mb,
            sandbox: args.sandbox.sandbox.unwrap_or(plan.sandbox),
            languages: plan.languages.clone(),
            is_of_config: true,
            build: build.map(|build| build.command.clone()),
            words: words(&bot),
            game,
            bot: Some(bot),
        })
    }

    /// Says which bot of the config is checked, and runs the command that builds it, if there is
    /// one.
    pub(super) fn build(&self, supervised: &Supervised) -> Result<(), Failure> {
        if let Some(bot) = self.bot.as_ref().filter(|_| self.is_of_config) {
            let (name, config) = (&bot.name, init::CONFIG);
            say(&format!("checking `{name}`, the first bot of {config}"));
        }
        let Some(command) = &self.build else {
            return Ok(());
        };
        let line = command_line(command);
        say(&format!("building: {line}"));
        let stops = [&*supervised.control.drain, &*supervised.control.kill];
        run_command(command, &stops)
            .with_context(|| format!("can't build the bot with `{line}`"))
            .map_err(Failure::input)
    }
}

/// The words that start a bot. If it has variables, a name comes first, so that none of them is
/// taken for it.
fn words(bot: &Launch) -> Vec<String> {
    let env = bot.env.iter().map(|(key, value)| format!("{key}={value}"));
    let mut words: Vec<String> = env.chain(bot.command.iter().cloned()).collect();
    if !bot.env.is_empty() {
        words[0].insert_str(0, "bot=");
    }
    words
}
