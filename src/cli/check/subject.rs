//! What `arena check` checks: arguments, or the first bot of `arena.toml`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};

use crate::cli::bots::{BotLine, launch};
use crate::cli::contest::{NamedGame, games_of, named_game};
use crate::cli::failure::{Result, UsageError};
use crate::cli::order::{check_config, check_order};
use crate::cli::output::say;
use crate::cli::supervised::Supervised;
use crate::cli::terms::{CONFIG, SandboxArgs, SetArgs, within};
use crate::config::{Overrides, load, of_settings};
use crate::play::Clock;
use crate::store::read_folder;
use arena_games::Games;
use arena_process::languages::Languages;
use arena_process::{Launch, Mode, run_command};
use arena_section::text::command_line;

/// The tables of a config that a check uses.
const USED: [&str; 4] = ["clock", "limits", "game", "language"];

/// Check that a bot, or a referee, follows its protocol
///
/// Plays full games in every seat against random players. Checks that the bot starts, reads its
/// input, flushes, keeps time, writes the expected lines, answers with legal actions, and ends when
/// its input ends. A failure comes with the turn, a hint and the saved input of the bot. The exit
/// status is 1 if anything fails.
///
/// Without arguments, checks the first bot of arena.toml in its first game, with the limits of the
/// config.
///
/// With a game alone, checks an external referee. Does it start, play to the end, and repeat a game
/// for the same seed, in another process and after other games? Which seat does it blame for a
/// missing answer, and for an illegal one? What does it show, and how fast is it? Players answer
/// with actions that it lists as legal, or with --answer.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArgs {
    /// The game, see `arena list games`
    ///
    /// For an external referee its file, or a config with [game.NAME], as FILE.toml or
    /// FILE.toml:NAME.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) game: Option<String>,
    /// The bot in quotes, as in "./bot --depth 3"
    ///
    /// It may have a name and variables, as in `arena duel`.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(super) bot: Option<String>,
    /// The bot without quotes: all words after --
    #[arg(last = true, requires = "game", value_name = "COMMAND", value_hint = ValueHint::AnyPath)]
    pub(super) words: Vec<String>,
    #[command(flatten)]
    pub(super) set: SetArgs,
    #[command(flatten)]
    pub(super) sandbox: SandboxArgs,
    /// Games in every seat, each with another seed
    ///
    /// The bot also plays a game on every further map. Without a bot, the number of games.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = within("an integer", 1..=1000_u32))]
    pub(super) seeds: u32,
    /// The answer if no legal actions are listed [default: an empty line]
    ///
    /// For a check of a referee. Given several times, these answer the first and the later
    /// questions to a seat. `;` separates the lines of one answer.
    #[arg(long = "answer", value_name = "LINE", allow_hyphen_values = true, conflicts_with_all = ["bot", "words"])]
    pub(super) answers: Vec<String>,
    /// Where to save a failed bot's input [default: check-GAME]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) out: Option<PathBuf>,
}

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
    pub(super) fn of_arguments(args: &CheckArgs, game: &str, games: &Games) -> Result<Subject> {
        let words: Vec<String> = args.bot.iter().chain(&args.words).cloned().collect();
        check_order(game, args.bot.as_slice(), games)?;
        let settings = &args.set.settings;
        let unused = settings
            .iter()
            .find(|setting| !USED.iter().any(|table| setting.is_within(table)));
        if let Some(setting) = unused {
            return Err(UsageError::UnusedSetting(setting.option.clone(), USED.join(", ")).into());
        }
        let mut game = named_game(game, games)?;
        let config = of_settings(settings, games)?;
        if let Some(options) = config.options.get(&game.spec.id) {
            game.spec = game.spec.configured(options, &read_folder)?;
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
    pub(super) fn of_config(args: &CheckArgs, games: &Games) -> Result<Subject> {
        let path = Path::new(CONFIG);
        check_config(path)?;
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
            game.spec = planned
                .configured(&read_folder)
                .map_err(anyhow::Error::msg)?;
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
    pub(super) fn build(&self, supervised: &Supervised) -> Result<()> {
        if let Some(bot) = &self.bot
            && self.is_of_config
        {
            let (name, config) = (&bot.name, CONFIG);
            say(&format!("checking `{name}`, the first bot of {config}"));
        }
        let Some(command) = &self.build else {
            return Ok(());
        };
        let line = command_line(command);
        say(&format!("building: {line}"));
        let stops = [&*supervised.control.drain, &*supervised.control.kill];
        run_command(command, &stops)
            .with_context(|| format!("can't build the bot with `{line}`"))?;
        Ok(())
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
