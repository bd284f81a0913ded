//! The config of a tournament, and how it becomes a [`Plan`].
//!
//! serde reads the file into plain tables. The types in `values` check single values. `document`
//! turns errors of serde into messages with the place, the expected value and the nearest known
//! name. [`resolve`] decides every default, lets command line flags override the file, and finds
//! conflicts between values and missing programs. Nothing here starts a program.
//!
//! `docs/reference/config.md` is generated from the doc comments of the keys. Each ends in its
//! default, unless the key is required, and an example.
//!
//! CONTRIBUTING.md lists the steps to add a key.

mod document;
mod games;
mod mistake;
mod parameters;
mod pool;
mod referees;
mod resolve;
mod settings;
mod sprt;
mod sweep;
mod tune;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use serde::Deserialize;
use serde::de::IgnoredAny;

use self::document::Document;
use self::mistake::{Mistake, Mistakes, Read, last_key};
pub(crate) use self::pool::{Sure, TryGames, TryTable, load_pool, read_table};
pub(crate) use self::referees::{ForeignGame, test_cases};
use self::resolve::resolve;
pub(crate) use self::resolve::{BACKSLASHES, RESULTS, bot_name_problem, default_jobs, jobs};
use self::settings::Source;
pub(crate) use self::settings::{Setting, test_settings};
pub(crate) use self::sprt::SprtTable;
use self::sweep::SweepTable;
pub(crate) use self::tune::{TuneTable, TuneUnits, with_ranges};
pub(crate) use self::values::{
    Choice, Command, DropBelow, Integer, OneOrMore, PRECISION, Plies, Precision,
};
use crate::plan::Plan;
use crate::plan::samples;
use crate::play::foreign::Referee;
use crate::play::{KeptStderr, TimeRules};
use crate::store::{Existing, read_folder};
use crate::tournament::{Server, Session};
use arena_games::{Folder, GameSpec, Games, Options, TextError, Wanted};
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};
use arena_schedule::Design;
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
#[derive(Clone, Debug, Default, Deserialize)]
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
    #[serde(rename = "try")]
    pub(crate) attempt: TryTable,
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

/// What is played, and how many games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Run {
    /// The name of the run. Its folder is `results/NAME`, unless `--out` names another.
    /// Default: the file's name without its ending. Example: `"nightly"`.
    pub(crate) name: Option<String>,
    /// What to play: ids or titles of games (`arena list games`). Each game has its own standings.
    /// Example: `["minishogi", "dice_shogi"]`.
    pub(crate) game: OneOrMore<String>,
    /// Who meets whom, or another kind of run: see the table above.
    /// Default: `"gauntlet"`. Example: `"round-robin"`.
    pub(crate) format: Option<Choice<RunFormat>>,
    /// How bots share four seats, see docs/explanation/schedule.md#four-seats. Only for games of
    /// more than two seats.
    /// Default: `"rotations"`. Example: `"mirror"`.
    pub(crate) design: Option<Choice<Design>>,
    /// Games of each pairing, in each game that is played. Rounded up so that every bot has every
    /// seat equally often.
    /// Default: `200`. Example: `400`.
    pub(crate) games: Option<GamesPerPairing>,
    /// Instead of `games`, the most games of the whole run. Each pairing gets as many as fit.
    /// Default: none. Example: `2000`.
    pub(crate) total_games: Option<GamesPerPairing>,
    /// End a match of two bots once the interval excludes 0, or half its width is at most this,
    /// see docs/explanation/statistics.md#a-duel-ends-when-it-knows. `games` is then the maximum,
    /// by default 20,000.
    /// Default: none. Example: `20`.
    pub(crate) precision: Option<Precision>,
    /// End a match of two bots, too, once the first is stronger with a likelihood below this many
    /// percent: looked at after 20 units and then after every tenth. Without `precision`, the width
    /// of the interval doesn't end it. `games` is then the maximum, by default 20,000.
    /// Default: none. Example: `10`.
    pub(crate) drop_below: Option<DropBelow>,
    /// Play all pairings of a game on the same seeds, see
    /// docs/explanation/statistics.md#the-same-seeds-for-all-pairings. For three or more bots in
    /// games of two seats.
    /// Default: `false`. Example: `true`.
    pub(crate) same_seeds: bool,
    /// Repeat the same games. Bots can guess small seeds, so leave it out with bots of other
    /// people.
    /// Default: drawn at random. Example: `7`.
    pub(crate) seed: Option<Integer<0, { u64::MAX }>>,
    /// Games at the same time, at most 16 per core.
    /// Default: one per core, half as many on Windows. Example: `4`.
    pub(crate) jobs: Option<Jobs>,
    /// Random turns before the bots start, in games that have openings. Without them, bots without
    /// randomness repeat one game.
    /// Default: `4`. Example: `0`.
    pub(crate) opening_plies: Option<Plies>,
    /// With two jobs or more, keep all bots of a game on one core.
    /// Default: `true`. Example: `false`.
    pub(crate) pin: Option<bool>,
    /// Play even if a bot twice ends before its first answer. Otherwise the run doesn't start (exit
    /// status 3).
    /// Default: `false`. Example: `true`.
    pub(crate) start_anyway: bool,
    /// The NATS server whose workers play, see docs/how-to/cluster.md. `--workers` names another.
    /// Default: this machine plays. Example: `"nats://lab1:4222"`.
    pub(crate) workers: Option<String>,
    /// Keep the numbers that bots write to standard error, as in `eval=0.25 depth=7`, see
    /// docs/reference/metrics.md.
    /// Default: `false`. Example: `true`.
    pub(crate) metrics: Option<bool>,
    /// `"fault"` keeps the end of standard error if a bot fails. `"turn"` keeps that of each turn
    /// and metrics, see docs/reference/report.md#what-bots-write.
    /// Default: `"fault"`. Example: `"turn"`.
    pub(crate) stderr: Option<Choice<KeptStderr>>,
}

/// Time limits of every game. A bot that exceeds one has the fate `timeout`. See
/// docs/explanation/timing.md.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClockTable {
    /// Milliseconds for a bot's first answer.
    /// Default: the game's own. Example: `1000`.
    pub(crate) first_turn_ms: Option<LimitMs>,
    /// Milliseconds for every later answer.
    /// Default: the game's own. Example: `100`.
    pub(crate) turn_ms: Option<LimitMs>,
    /// Milliseconds added to the first answer, because an interpreter needs time to start.
    /// Default: `2000`. Example: `500`.
    pub(crate) startup_ms: Option<StartupMs>,
    /// `strict`: a late answer is a time-out. `codingame`: two answers of a seat may be up to 50 ms
    /// late in a game, as on today's CodinGame.
    /// Default: `"strict"`. Example: `"codingame"`.
    pub(crate) rules: Option<Choice<TimeRules>>,
    /// Stop the other bots of a game while one thinks, so that they don't use its core. A bot isn't
    /// stopped before its own first answer.
    /// Default: `true`. Example: `false`.
    pub(crate) no_ponder: Option<bool>,
}

/// Limits of each bot, see docs/explanation/sandbox.md#limits.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LimitsTable {
    /// Megabytes of memory for each process of a bot, and for all of them together.
    /// Default: `768`. Example: `1024`.
    pub(crate) memory_mb: Option<MemoryMb>,
}

/// What bots may do, see docs/explanation/sandbox.md.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SandboxTable {
    /// `"auto"`: the features that the system has. `"strict"`: all, or exit status 3. `"off"`:
    /// none.
    /// Default: `"auto"`. Example: `"strict"`.
    pub(crate) mode: Option<Choice<Mode>>,
}

/// A bot. A game needs two, and one of four seats needs four unless `design` is `mirror`. The first
/// bot is the challenger of a gauntlet. See docs/reference/bots.md.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bot {
    /// The name in all results. No two bots share one, and it has at most 100 characters, all
    /// visible.
    /// Example: `"search-d4"`.
    pub(crate) name: String,
    /// How to start the bot, see docs/reference/bots.md. `{seed}` becomes its seed, which is also
    /// in the variable `ARENA_SEED`.
    /// Example: `["arena", "bot", "minishogi-search", "--depth", "4"]`.
    pub(crate) command: Command,
    /// Run once before the first game, outside the sandbox. Bots with the same build share it.
    /// Default: none. Example: `"cargo build --release"`.
    pub(crate) build: Option<Command>,
    /// The games that this bot plays.
    /// Default: all games of the run. Example: `["minishogi"]`.
    pub(crate) games: Option<OneOrMore<String>>,
    /// The ids of `games`.
    #[serde(skip)]
    pub(crate) own: Option<Vec<String>>,
    /// Environment variables. `{seed}` works as in `command`.
    /// Default: `{}`. Example: `{ RUST_BACKTRACE = "1" }`.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Further folders and files that the bot may read in the sandbox. They are part of the bot:
    /// `--resume` refuses to continue if they changed.
    /// Default: `[]`. Example: `["my_bots/openings"]`.
    #[serde(default)]
    pub(crate) read: Vec<PathBuf>,
    /// The folder that the bot starts in, if it was kept in one.
    #[serde(skip)]
    pub(crate) folder: Option<PathBuf>,
}

impl From<Launch> for Bot {
    fn from(launch: Launch) -> Bot {
        Bot {
            name: launch.name,
            command: Command(launch.command),
            env: launch.env,
            read: launch.read,
            folder: launch.folder,
            ..Bot::default()
        }
    }
}

impl Config {
    /// Reads a document, which may name any of `games`, and names one if it `needs_game`.
    fn read(document: &Document<'_>, games: &Games, needs_game: bool) -> Read<Config> {
        let mut config: Config = document.read("")?;
        config.foreign = referees::read(document, games)?;
        let mut games = games.clone();
        let foreign = config.foreign.iter();
        games
            .0
            .extend(foreign.map(|game| game.referee.spec(&game.id).into()));
        config.options = games::read(document, &games)?;
        config.games = games::find("run.game", &config.run.game, &games)?;
        for (number, bot) in config.bot.iter_mut().enumerate() {
            if let Some(names) = &bot.games {
                let own = games::find(&format!("bot.{number}.games"), names, &games)?;
                bot.own = Some(own.iter().map(|(_, spec)| spec.id.clone()).collect());
            }
        }
        if needs_game && config.games.is_empty() {
            let example = "game = \"minishogi\"";
            return Err(Mistake::missing_key("run", "game", example));
        }
        Ok(config)
    }

    /// Reads a config, and every mistake that can be found in it.
    fn of(source: &Source<'_>, games: &Games) -> Result<Config, Mistakes> {
        let mut document = source.document()?;
        let mut mistakes = Vec::new();
        loop {
            let mistake = match Config::read(&document, games, source.file.is_some()) {
                Ok(config) if mistakes.is_empty() => return Ok(config),
                Ok(_) => return Err(Mistakes(mistakes)),
                Err(mistake) => mistake,
            };
            // Without its command, the table of a referee would be one of options.
            let is_command = mistake.path().starts_with("game.")
                && matches!(last_key(mistake.path()), "jar" | "referee");
            let goes_on = !is_command && document.mend(&mistake) && mistakes.len() < MOST_MISTAKES;
            if !mistakes.iter().any(|other| mistake.follows(other)) {
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

/// Why something that a config names can't be used: the end of a sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unusable(String);

/// Access to programs and folders that a config names.
#[derive(Clone, Copy)]
pub(crate) struct Outside {
    /// Checks that a command can be started, as a program or from source.
    pub(crate) find_start: fn(&Languages, &[String]) -> Result<(), Unusable>,
    /// Checks that a file or folder exists.
    pub(crate) exists: fn(&Path) -> io::Result<()>,
    /// Reads a folder that a game needs.
    pub(crate) read_folder: fn(Wanted<'_>) -> Result<Folder, TextError>,
    /// Reads the test cases in a folder.
    pub(crate) test_cases: fn(&Path) -> Result<Vec<String>, Unusable>,
}

impl Outside {
    /// The real system.
    pub(crate) const WORLD: Outside = Outside {
        find_start: |languages, command| {
            samples::find_start(languages, command).map_err(|error| Unusable(format!("{error:#}")))
        },
        exists: |path| fs::metadata(path).map(drop),
        read_folder,
        test_cases,
    };

    /// The real system, without a check of commands: those on the command line are already checked.
    const OF_FLAGS: Outside = Outside {
        find_start: |_, _| Ok(()),
        exists: |_| Ok(()),
        ..Outside::WORLD
    };
}

/// A config that can't be read or has mistakes. The text of a mistake in a file has several lines:
/// the problem, the file with line and column, the line itself with a caret, and what was expected.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct ConfigError {
    text: String,
    /// The line of the file, or the option, with the first mistake.
    pub(crate) place: Option<String>,
    /// Whether a file or folder is at fault, and not the command line.
    pub(crate) is_of_input: bool,
}

impl ConfigError {
    fn new(mistakes: Mistakes, source: &Source<'_>) -> ConfigError {
        let is_of_input = source.file.is_some() || mistakes.0.iter().all(Mistake::is_of_input);
        let (text, place) = mistakes.show(source);
        ConfigError {
            text,
            place,
            is_of_input,
        }
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
        ..Source::default()
    };
    let read = || {
        let mut found = Vec::new();
        for game in referees::read(&source.document()?, games)? {
            game.check_program(&Languages::new(), Outside::WORLD)?;
            let referee = game.with_tests(Outside::WORLD)?;
            found.push((game.id, referee));
        }
        Ok(found)
    };
    read().map_err(|mistake: Mistake| ConfigError::new(mistake.into(), &source))
}

/// Returns the first game of the config in a file, as a command line names it, if it can be read.
pub(crate) fn first_game(path: &Path, known: &Games) -> Option<String> {
    let (name, text) = text_of(path).ok()?;
    let document = Document::parse(&text).ok()?;
    let OneOrMore::<String>(games) = document.read("run.game").ok()?;
    let game = games.into_iter().next()?;
    Some(match known.search(&game) {
        Some(_) => game,
        None => format!("{name}:{game}"),
    })
}

/// Reads the text of a config, and returns it after the file's name.
fn text_of(path: &Path) -> Result<(String, String), ConfigError> {
    let source = path.display().to_string();
    let unread = |why: String| ConfigError {
        text: format!("can't read the config `{source}`: {why}"),
        place: Some(source.clone()),
        is_of_input: true,
    };
    let bytes = arena_process::read_input(path).map_err(|error| {
        // `arena run` has a hint of its own for files that aren't meant as configs.
        let hint = match path.extension() {
            Some(end) if end == "toml" => {
                "\nhint: paths start from the current folder, and `arena init` writes a config"
            }
            _ => "",
        };
        unread(format!("{error}{hint}"))
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.split(|byte| *byte == b'\n').count();
        let why = format!("line {line} isn't UTF-8\nhint: save the file as UTF-8");
        unread(why)
    })?;
    Ok((source, text))
}

/// Turns the text of a config into a plan and a session. `file` is its name, in messages and by
/// default of the run. The config may name any of `games`. `outside` checks build commands, and the
/// commands of bots without one: the program of a bot that has to be built may not exist yet.
pub(crate) fn read(
    file: &str,
    text: &str,
    games: &Games,
    overrides: &Overrides,
    outside: Outside,
) -> Result<(Plan, Session), ConfigError> {
    let source = Source {
        file: Some(file),
        text,
        settings: &overrides.settings,
    };
    let read = || {
        let mut config = Config::of(&source, games)?;
        config.check_without_pool()?;
        overrides.apply(&mut config.run);
        config.run.name = Some(resolve::run_name(&config, file)?);
        resolve(&config, false, overrides, outside)
    };
    read().map_err(|mistakes| ConfigError::new(mistakes, &source))
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
    if let Some(setting) = settings.iter().find(|setting| {
        ARGUMENTS.iter().any(|key| setting.is_within(key)) && !setting.option.is_empty()
    }) {
        let mistake = Mistake::new(&*setting.key, "the arguments of this command say that")
            .help("`--set` changes this key of a config, as in `arena run arena.toml --set ..`");
        return Err(ConfigError::new(mistake.into(), &source));
    }
    Config::of(&source, games).map_err(|mistakes| ConfigError::new(mistakes, &source))
}

/// Turns flags without a config into a plan and a session. The run has no name yet.
pub(crate) fn of_flags(
    config: &mut Config,
    overrides: &Overrides,
) -> Result<(Plan, Session), ConfigError> {
    overrides.apply(&mut config.run);
    let format = &mut config.run.format;
    format.get_or_insert(Choice(RunFormat::RoundRobin));
    resolve(config, true, overrides, Outside::OF_FLAGS)
        .map_err(|mistakes| ConfigError::new(mistakes, &Source::of_flags(&overrides.settings)))
}

#[cfg(test)]
mod tests;
