//! The config of a tournament, and how it becomes a [`Plan`].
//!
//! serde reads the file into plain tables. The types in `values` check single values. `document`
//! turns errors of serde into messages with the place, the expected value and the nearest known
//! name. [`resolve`] decides every default, lets command line flags override the file, and finds
//! conflicts between values and missing programs. Nothing here starts a program. `docs/reference/config.md`
//! lists the keys.
//!
//! CONTRIBUTING.md lists the steps to add a key.

mod document;
mod games;
mod mistake;
mod parameters;
mod referees;
mod resolve;
mod settings;
mod sprt;
mod sweep;
mod tune;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use self::document::Document;
use self::mistake::{Mistake, Mistakes, Read};
pub(crate) use self::referees::ForeignGame;
use self::resolve::{Defaults, resolve};
pub(crate) use self::resolve::{RESULTS, bot_name_problem, jobs};
use self::settings::Source;
pub(crate) use self::settings::{Setting, test_settings};
pub(crate) use self::sprt::SprtTable;
use self::sweep::SweepTable;
pub(crate) use self::tune::{TuneTable, TuneUnits, with_ranges};
pub(crate) use self::values::{
    Choice, Command, Integer, OneOrMore, PRECISION, Plies, Positive, Precision,
};
use crate::plan::Plan;
use crate::plan::samples;
use crate::play::foreign::Referee;
use crate::play::{KeptStderr, TimeRules};
use crate::store::{Existing, read_folder};
use crate::tournament::{Server, Session};
use arena_games::{Folder, GameSpec, Games, Options, Wanted};
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};
use arena_schedule::{Design, Slice};
use strum::{Display, EnumString, VariantNames};

/// Games per pairing. The upper end keeps every product of the schedule within 64 bits.
pub(crate) type GamesPerPairing = Integer<1, 1_000_000_000>;

/// Number of games played at the same time.
pub(crate) type Jobs = Integer<1, 4096>;

/// A time limit in milliseconds; a limit of more than a day is a mistake in the unit.
pub(crate) type LimitMs = Integer<1, 86_400_000>;

/// Time added to a first answer, in milliseconds.
pub(crate) type StartupMs = Integer<0, 86_400_000>;

/// Memory limit of each process of a bot, in megabytes: from the minimum of an interpreter to a
/// terabyte.
pub(crate) type MemoryMb = Integer<64, 1_048_576>;

/// A config as written, without defaults. Flags of verbs without a config fill the same type.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) run: Run,
    pub(crate) clock: ClockTable,
    pub(crate) limits: LimitsTable,
    pub(crate) sandbox: SandboxTable,
    pub(crate) workers: Server,
    pub(crate) sprt: Option<SprtTable>,
    /// Checked only for its shape here: the fields below hold its content, because only the games
    /// know their options.
    #[serde(rename = "game")]
    #[expect(clippy::zero_sized_map_values, reason = "so that it must be a table")]
    pub(crate) _game: BTreeMap<String, IgnoredAny>,
    /// Games of the run, each with the path to its name in the config.
    #[serde(skip)]
    pub(crate) games: Vec<(String, Arc<GameSpec>)>,
    /// Options of built-in games, by id.
    #[serde(skip)]
    pub(crate) options: BTreeMap<String, Options>,
    /// Games with an external referee.
    #[serde(skip)]
    pub(crate) foreign: Vec<ForeignGame>,
    pub(crate) sweep: Option<SweepTable>,
    pub(crate) tune: Option<TuneTable>,
    pub(crate) language: Languages,
    pub(crate) bot: Vec<Bot>,
}

/// `format` in `[run]`: who meets whom in a list of games, or the kind of another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum RunFormat {
    Gauntlet,
    RoundRobin,
    Sprt,
    Sweep,
    Tune,
}

/// `[run]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) name: Option<String>,
    pub(crate) game: OneOrMore<String>,
    pub(crate) format: Option<Choice<RunFormat>>,
    pub(crate) design: Option<Choice<Design>>,
    pub(crate) games: Option<GamesPerPairing>,
    pub(crate) total_games: Option<GamesPerPairing>,
    pub(crate) precision: Option<Precision>,
    pub(crate) same_seeds: bool,
    pub(crate) seed: Option<Integer<0, { u64::MAX }>>,
    #[serde(deserialize_with = "values::or_auto")]
    pub(crate) jobs: Option<Jobs>,
    pub(crate) opening_plies: Option<Plies>,
    pub(crate) pin: Option<bool>,
    pub(crate) start_anyway: bool,
    pub(crate) workers: Option<String>,
    pub(crate) metrics: Option<bool>,
    pub(crate) stderr: Option<Choice<KeptStderr>>,
}

/// `[clock]`. Its defaults are those of each game.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClockTable {
    pub(crate) first_turn_ms: Option<LimitMs>,
    pub(crate) turn_ms: Option<LimitMs>,
    pub(crate) startup_ms: Option<StartupMs>,
    pub(crate) rules: Option<Choice<TimeRules>>,
    pub(crate) no_ponder: Option<bool>,
}

/// `[limits]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LimitsTable {
    pub(crate) memory_mb: Option<MemoryMb>,
}

/// `[sandbox]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SandboxTable {
    pub(crate) mode: Option<Choice<Mode>>,
}

/// `[[bot]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bot {
    pub(crate) name: String,
    pub(crate) command: Command,
    pub(crate) build: Option<Command>,
    pub(crate) games: Option<OneOrMore<String>>,
    /// The ids of `games`.
    #[serde(skip)]
    pub(crate) own: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) read: Vec<PathBuf>,
}

impl From<Launch> for Bot {
    fn from(launch: Launch) -> Bot {
        Bot {
            name: launch.name,
            command: Command(launch.command),
            build: None,
            games: None,
            own: None,
            env: launch.env,
            read: launch.read,
        }
    }
}

impl Config {
    /// Reads a document, which may name any of `games`.
    fn read(document: &Document<'_>, games: &Games) -> Read<Config> {
        let mut config: Config = document.read("")?;
        config.foreign = referees::read(document, games)?;
        let foreign = config.foreign.iter();
        let own = foreign.map(|game| game.referee.spec(&game.id).into());
        let games = &Games(games.iter().cloned().chain(own).collect());
        config.options = games::read(document, games)?;
        config.games = games::find("run.game", &config.run.game, games)?;
        for (number, bot) in config.bot.iter_mut().enumerate() {
            if let Some(names) = &bot.games {
                let own = games::find(&format!("bot.{number}.games"), names, games)?;
                bot.own = Some(own.iter().map(|(_, spec)| spec.id.clone()).collect());
            }
        }
        Ok(config)
    }

    /// Reads a config, and every mistake that can be found in it.
    fn of(source: &Source<'_>, games: &Games) -> Result<Config, Mistakes> {
        let mut document = source.document()?;
        let mut mistakes = Vec::new();
        loop {
            let read = Config::read(&document, games).and_then(|config| {
                if source.file.is_some() && config.run.game.0.is_empty() {
                    let example = "game = \"minishogi\"";
                    return Err(Mistake::missing_key("run", "game", example));
                }
                Ok(config)
            });
            let mistake = match read {
                Ok(config) if mistakes.is_empty() => return Ok(config),
                Ok(_) => return Err(Mistakes(mistakes)),
                Err(mistake) => mistake,
            };
            let goes_on = document.mend(&mistake) && mistakes.len() < MOST_MISTAKES;
            let is_new = !mistakes.iter().any(|other| mistake.follows(other));
            if is_new {
                mistakes.push(mistake);
            }
            if !goes_on {
                return Err(Mistakes(mistakes));
            }
        }
    }
}

/// The maximum number of mistakes of a config to show at once.
const MOST_MISTAKES: usize = 20;

/// Command line flags that override the config.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    /// `--out`: the run directory.
    pub(crate) out: Option<PathBuf>,
    /// `--jobs`: the number of games played at the same time, within [`Jobs`].
    pub(crate) jobs: Option<u64>,
    /// `--games`: the games per pairing, within [`GamesPerPairing`].
    pub(crate) games: Option<u64>,
    /// Whether `--for` ends the run, too.
    pub(crate) has_time_limit: bool,
    /// `--seed`: the run's seed.
    pub(crate) seed: Option<u64>,
    /// `--trace`: keep every prompt.
    pub(crate) trace: bool,
    /// `--set`: keys of the config.
    pub(crate) settings: Vec<Setting>,
    /// `--workers`: the server whose workers play.
    pub(crate) workers: Option<String>,
    /// `--slice`: the part of the run to play.
    pub(crate) slice: Slice,
    /// `--resume`, `--force`: what to do if the run directory holds a run.
    pub(crate) existing: Existing,
}

impl Overrides {
    /// Replaces values of the config by those of flags.
    fn apply(&self, run: &mut Run) {
        run.jobs = self.jobs.map(Integer).or(run.jobs);
        run.seed = self.seed.map(Integer).or(run.seed);
        run.workers = self.workers.clone().or(run.workers.take());
    }
}

/// Access to programs and folders that a config names. Errors are ends of sentences.
#[derive(Clone, Copy)]
pub(crate) struct Outside {
    /// Checks that a command can be started, as a program or from source.
    pub(crate) find_start: fn(&Languages, &[String]) -> Result<(), String>,
    /// Checks that a file or folder exists.
    pub(crate) exists: fn(&Path) -> Result<(), String>,
    /// Reads a folder that a game needs.
    pub(crate) read_folder: fn(Wanted<'_>) -> Result<Folder, String>,
}

fn exists(path: &Path) -> Result<(), String> {
    fs::metadata(path)
        .map(drop)
        .map_err(|error| error.to_string())
}

impl Outside {
    /// The real system.
    pub(crate) const WORLD: Outside = Outside {
        find_start: |languages, command| {
            samples::find_start(languages, command).map_err(|error| format!("{error:#}"))
        },
        exists,
        read_folder,
    };

    /// The real system, without a check of commands: those on the command line are already checked.
    const OF_FLAGS: Outside = Outside {
        find_start: |_, _| Ok(()),
        exists: |_| Ok(()),
        read_folder,
    };
}

/// A config that can't be read or has mistakes. The text of a mistake in a file has several lines:
/// the problem, the file with line and column, the line itself with a caret, and what was expected.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct ConfigError {
    text: String,
    /// Whether a file or folder is at fault, and not the command line.
    pub(crate) is_of_input: bool,
}

impl ConfigError {
    fn of_input(text: String) -> ConfigError {
        ConfigError {
            text,
            is_of_input: true,
        }
    }

    fn new(mistakes: Mistakes, source: &Source<'_>) -> ConfigError {
        let is_of_input = source.file.is_some() || mistakes.0.iter().all(Mistake::is_of_input);
        let text = mistakes.show(source);
        ConfigError { text, is_of_input }
    }
}

/// Reads the config in the file `path`, which may name any of `games`.
pub(crate) fn load(
    path: &Path,
    games: &Games,
    overrides: &Overrides,
) -> Result<(Plan, Session), ConfigError> {
    let (source, text) = text_of(path)?;
    read(&source, &text, games, overrides, Outside::WORLD)
}

/// Reads the external referees in the file `path`, by game id.
pub(crate) fn foreign_games(
    path: &Path,
    games: &Games,
) -> Result<Vec<(String, Referee)>, ConfigError> {
    let (name, text) = text_of(path)?;
    let source = Source {
        file: Some(&name),
        text: &text,
        settings: &[],
    };
    let found = source
        .document()
        .and_then(|document| referees::read(&document, games));
    let found = found.map_err(|mistake| ConfigError::new(mistake.into(), &source))?;
    let games = found.into_iter().map(|game| (game.id, game.referee));
    Ok(games.collect())
}

/// Reads the text of a config, and returns it after the file's name.
fn text_of(path: &Path) -> Result<(String, String), ConfigError> {
    let source = path.display().to_string();
    let bytes = arena_process::read_input(path).map_err(|error| {
        ConfigError::of_input(format!("can't read the config `{source}`: {error}"))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|byte| *byte == b'\n').count();
        ConfigError::of_input(format!(
            "can't read the config `{source}`: line {line} isn't UTF-8\nhint: save the file as UTF-8"
        ))
    })?;
    Ok((source, text))
}

/// Turns the text of a config into a plan and a session. `source` names the file in messages and
/// gives the run its default name. The config may name any of `games`. `outside` checks build
/// commands, and the commands of bots without one: the program of a bot that has to be built may
/// not exist yet.
pub(crate) fn read(
    source: &str,
    text: &str,
    games: &Games,
    overrides: &Overrides,
    outside: Outside,
) -> Result<(Plan, Session), ConfigError> {
    let source = Source {
        file: Some(source),
        text,
        settings: &overrides.settings,
    };
    let resolved = Config::of(&source, games).and_then(|mut config| {
        overrides.apply(&mut config.run);
        config.run.name = Some(resolve::run_name(&config, source.file.unwrap_or_default())?);
        resolve(&config, &Defaults::OF_CONFIG, overrides, outside)
    });
    resolved.map_err(|mistakes| ConfigError::new(mistakes, &source))
}

/// Keys that a command line without a config has arguments for.
const ARGUMENTS: [&str; 6] = [
    "bot",
    "run.game",
    "run.name",
    "tune.bot",
    "tune.parameters",
    "tune.against",
];

/// Reads the settings of a command line that names its game and bots itself.
pub(crate) fn of_settings(settings: &[Setting], games: &Games) -> Result<Config, ConfigError> {
    let source = Source::of_flags(settings);
    let is_argument = |setting: &&Setting| {
        ARGUMENTS.iter().any(|key| setting.is_within(key)) && !setting.option.is_empty()
    };
    if let Some(setting) = settings.iter().find(is_argument) {
        let mistake = Mistake::new(&*setting.key, "the arguments of this command say that")
            .help("`--set` changes this key of a config, as in `arena run arena.toml --set ..`");
        return Err(ConfigError::new(mistake.into(), &source));
    }
    Config::of(&source, games).map_err(|mistakes| ConfigError::new(mistakes, &source))
}

/// Turns flags without a config into a plan and a session. The run has no name yet.
pub(crate) fn of_flags(
    mut config: Config,
    overrides: &Overrides,
) -> Result<(Plan, Session), ConfigError> {
    overrides.apply(&mut config.run);
    let resolved = resolve(&config, &Defaults::OF_FLAGS, overrides, Outside::OF_FLAGS);
    resolved.map_err(|mistakes| ConfigError::new(mistakes, &Source::of_flags(&overrides.settings)))
}

#[cfg(test)]
mod tests;
