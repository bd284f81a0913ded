//! The config: what a user writes to describe a tournament, and how it becomes a [`Plan`].
//!
//! serde reads the file into plain tables. The types in `values` check single values, and `document` turns errors of serde
//! into messages with the place, what was expected and the nearest known name. [`resolve`] decides every default, lets command line flags override,
//! and finds the mistakes that lie between values, and missing programs. Neither starts anything. `docs/config.md` lists the keys.
//!
//! To add a key: a field of its table, its use in `resolve`, and its row in `docs/config.md`.

mod document;
mod games;
mod mistake;
mod parameters;
mod referees;
mod resolve;
mod sprt;
mod sweep;
mod tune;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use self::document::Document;
use self::referees::ForeignGame;
use self::resolve::resolve;
pub(crate) use self::resolve::{bot_name_problem, jobs};
pub(crate) use self::sprt::MaxUnits;
use self::sprt::SprtTable;
use self::sweep::SweepTable;
use self::tune::TuneTable;
pub(crate) use self::tune::{DEFAULT_BLOCK, DEFAULT_UNITS, TuneUnits, with_ranges};
use self::values::{Choice, Command, Integer, OneOrMore, Plies};
use crate::plan::Plan;
use crate::plan::schedule::{Design, Slice};
use crate::play::foreign::Referee;
use crate::play::{KeptStderr, TimeRules};
use crate::samples;
use crate::store::{Existing, read_folder};
use crate::tournament::Session;
use arena_games::{Folder, Games, Options, Wanted};
use arena_process::Mode;
use arena_process::languages::Languages;
use strum::{Display, EnumString, VariantNames};

/// The games per pairing that a run may have. The upper end keeps every product of the schedule within 64 bits.
pub(crate) type GamesPerPairing = Integer<1, 1_000_000_000>;

/// The games that may be played at the same time.
pub(crate) type Jobs = Integer<1, 4096>;

/// A time limit in milliseconds; a limit of more than a day is a mistake in the unit.
pub(crate) type LimitMs = Integer<1, 86_400_000>;

/// The time added to a first answer, in milliseconds.
pub(crate) type StartupMs = Integer<0, 86_400_000>;

/// The memory that a process of a bot may have, in megabytes: the least that an interpreter starts with, up to a terabyte.
pub(crate) type MemoryMb = Integer<64, 1_048_576>;

/// A config as it is written, no default decided. Flags of verbs without a config fill the same.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    run: Run,
    clock: ClockTable,
    limits: LimitsTable,
    sandbox: SandboxTable,
    sprt: Option<SprtTable>,
    /// Read apart into the two fields below, because only the games know their options.
    #[serde(rename = "game")]
    _game: BTreeMap<String, IgnoredAny>,
    /// The options of games of the arena, by id.
    #[serde(skip)]
    options: BTreeMap<String, Options>,
    /// The games whose referee is a program of its own.
    #[serde(skip)]
    foreign: Vec<ForeignGame>,
    sweep: Option<SweepTable>,
    tune: Option<TuneTable>,
    language: Languages,
    bot: Vec<Bot>,
}

/// `format` in `[run]`: who meets whom in a list of games, or the kind of another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
enum Format {
    Gauntlet,
    RoundRobin,
    Sprt,
    Sweep,
    Tune,
}

/// `[run]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Run {
    name: Option<String>,
    game: OneOrMore<String>,
    format: Option<Choice<Format>>,
    design: Option<Choice<Design>>,
    games: Option<GamesPerPairing>,
    total_games: Option<GamesPerPairing>,
    seed: Option<Integer<0, { u64::MAX }>>,
    jobs: Option<Jobs>,
    opening_plies: Option<Plies>,
    pin: Option<bool>,
    workers: Option<String>,
    metrics: Option<bool>,
    stderr: Option<Choice<KeptStderr>>,
}

/// `[clock]`. Its defaults are those of each game.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ClockTable {
    first_turn_ms: Option<LimitMs>,
    turn_ms: Option<LimitMs>,
    startup_ms: Option<StartupMs>,
    rules: Option<Choice<TimeRules>>,
    no_ponder: Option<bool>,
}

/// `[limits]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LimitsTable {
    memory_mb: Option<MemoryMb>,
}

/// `[sandbox]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SandboxTable {
    mode: Option<Choice<Mode>>,
}

/// `[[bot]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bot {
    name: String,
    command: Command,
    build: Option<Command>,
    games: Option<OneOrMore<String>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    read: Vec<PathBuf>,
}

/// What command line flags say instead of the config.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    /// `--out`: the run directory.
    pub(crate) out: Option<PathBuf>,
    /// `--jobs`: the number of games played at the same time, within [`Jobs`].
    pub(crate) jobs: Option<u64>,
    /// `--games`: the games per pairing, within [`GamesPerPairing`].
    pub(crate) games: Option<u64>,
    /// `--seed`: the run's seed.
    pub(crate) seed: Option<u64>,
    /// `--trace`: records carry every prompt.
    pub(crate) trace: bool,
    /// `--metrics`: records carry what bots tell of themselves, whatever the config says.
    pub(crate) metrics: bool,
    /// `--stderr`: what records carry of what bots write to standard error.
    pub(crate) stderr: Option<KeptStderr>,
    /// `--workers`: the server whose workers play.
    pub(crate) workers: Option<String>,
    /// `--slice`: the part of the run that is played.
    pub(crate) slice: Slice,
    /// `--resume`, `--force`: what is done if the run directory holds a run.
    pub(crate) existing: Existing,
}

/// What a plan needs to know of the world outside the config. An error is the end of a sentence.
#[derive(Clone, Copy)]
pub(crate) struct Outside {
    /// Whether a command can be started, by its program or its source.
    pub(crate) find_start: fn(&Languages, &[String]) -> Result<(), String>,
    /// What is in a folder that a game wants.
    pub(crate) read_folder: fn(Wanted<'_>) -> Result<Folder, String>,
}

impl Outside {
    /// The world as it is.
    pub(crate) const WORLD: Outside = Outside {
        find_start: |languages, command| {
            samples::find_start(languages, command).map_err(|error| format!("{error:#}"))
        },
        read_folder,
    };
}

/// Why a config gives no plan: the file cannot be read, or there is a mistake in it. Then the text has several lines: what is
/// wrong, the file, the line and column, the line itself with a caret, what was expected.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ConfigError(String);

/// What the config in the file `path` comes to. `games` are those that it may name.
pub(crate) fn load(
    path: &Path,
    games: &Games,
    overrides: &Overrides,
) -> Result<(Plan, Session), ConfigError> {
    let (source, text) = text_of(path)?;
    read(&source, &text, games, overrides, Outside::WORLD)
}

/// The games in the file `path` whose referee is a program of its own, by id.
pub(crate) fn foreign_games(
    path: &Path,
    games: &Games,
) -> Result<Vec<(String, Referee)>, ConfigError> {
    let (source, text) = text_of(path)?;
    let found = Document::parse(&text).and_then(|document| referees::read(&document, games));
    match found {
        Ok(found) => Ok(found
            .into_iter()
            .map(|game| (game.id, game.referee))
            .collect()),
        Err(mistake) => Err(ConfigError(mistake.show(&source, &text))),
    }
}

/// The name and the text of a config.
fn text_of(path: &Path) -> Result<(String, String), ConfigError> {
    let source = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|error| ConfigError(format!("read the config `{source}`: {error}")))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((source, text)),
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
            let why = "isn't UTF-8: save the file as UTF-8";
            Err(ConfigError(format!(
                "read the config `{source}`: line {line} {why}"
            )))
        }
    }
}

/// What a config comes to. `source` names the file in messages and gives the run its default name;
/// `games` are those that the config may name. `outside` is asked
/// about the program of every build, and of every bot that has none: the program of a bot that has to be built can be
/// looked for only afterwards.
pub(crate) fn read(
    source: &str,
    text: &str,
    games: &Games,
    overrides: &Overrides,
    outside: Outside,
) -> Result<(Plan, Session), ConfigError> {
    let read = || {
        let document = Document::parse(text)?;
        let mut config: Config = document.read("")?;
        config.foreign = referees::read(&document, games)?;
        config.options = games::read(&document, &config.known_games(games))?;
        resolve(&config, source, games, overrides, outside)
    };
    read().map_err(|mistake| ConfigError(mistake.show(source, text)))
}

#[cfg(test)]
mod tests;
