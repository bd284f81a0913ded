//! The config: what a user writes to describe a tournament, and how it becomes a [`Plan`].
//!
//! Reading finds every mistake that lies within one value or table: syntax, unknown keys, wrong types, impossible
//! values. [`plan::resolve`] decides every default, lets command line flags override, and finds the mistakes that lie
//! between values, and programs that are not there. Nothing is started in either. `docs/config.md` lists the keys.
//!
//! To add a key: a field of its table and how it is read, its use in `resolve`, and its row in `docs/config.md`.

mod document;
mod games;
mod mistake;
mod parameters;
mod plan;
mod referees;
mod sprt;
mod sweep;
mod tune;
mod values;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toml::de::DeTable;

use self::document::{At, Found, Table};
use self::games::GameTable;
use self::mistake::{Mistake, Read};
pub(crate) use self::plan::{bot_name_problem, jobs};
pub(crate) use self::sprt::MaxUnits;
pub(crate) use self::tune::{DEFAULT_BLOCK, DEFAULT_UNITS, TuneUnits, with_ranges};
use self::values::{Command, Integer};
use crate::foreign::Referee;
use crate::plan::Plan;
use crate::play::{Clock, DEFAULT_STARTUP, KeptStderr};
use crate::samples;
use crate::schedule::{Design, Format, Slice};
use crate::store::{Existing, read_folder};
use crate::tournament::Session;
use arena_games::{Folder, GameSpec, Games, Wanted};
use arena_process::find_program;
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};

/// The games per pairing that a run may have. The upper end keeps every product of the schedule within 64 bits.
pub(crate) type GamesPerPairing = Integer<1, 1_000_000_000>;

/// The games of a run in all, within the same bounds.
type TotalGames = GamesPerPairing;

/// The games that may be played at the same time.
pub(crate) type Jobs = Integer<1, 4096>;

/// A time limit in milliseconds; a limit of more than a day is a mistake in the unit.
pub(crate) type LimitMs = Integer<1, 86_400_000>;

/// The time added to a first answer, in milliseconds.
pub(crate) type StartupMs = Integer<0, 86_400_000>;

/// The memory that a process of a bot may have, in megabytes: the least that an interpreter starts with, up to a terabyte.
pub(crate) type MemoryMb = Integer<64, 1_048_576>;

/// A config as it was written, no default decided.
struct Config<'d> {
    source: &'d str,
    run: Run,
    /// Read for each game, because its defaults are those of the game.
    clock: Table<'d>,
    memory_mb: Option<At<u64>>,
    sandbox: Option<At<Mode>>,
    game_tables: Vec<GameTable<'d>>,
    bots: Vec<Bot>,
}

/// `[run]`.
struct Run {
    /// Where it begins.
    place: Range<usize>,
    name: Option<At<String>>,
    games: At<Vec<At<Arc<GameSpec>>>>,
    format: Option<At<Format>>,
    design: Option<At<Design>>,
    games_per_pairing: Option<At<u64>>,
    /// In place of these, the most games in all.
    total_games: Option<At<u64>>,
    seed: Option<u64>,
    jobs: Option<u64>,
    /// Even: an odd number would give the first move to the second seat.
    opening_plies: Option<At<u64>>,
    pin: Option<bool>,
    workers: Option<String>,
    metrics: Option<bool>,
    stderr: Option<KeptStderr>,
}

impl Run {
    fn read(mut table: Table<'_>, known: &Games) -> Read<Run> {
        let even = |found: Found| {
            found.integer_that("an even integer from 0 to 100", |n| *n <= 100 && n % 2 == 0)
        };
        let run = Run {
            place: table.place.clone(),
            name: table.at("name", Found::string),
            games: table.need("game", |found| found.games(known)),
            format: table.at("format", Found::choice),
            design: table.at("design", Found::choice),
            games_per_pairing: table.at("games", GamesPerPairing::read),
            total_games: table.at("total_games", TotalGames::read),
            seed: table.value("seed", Integer::<0, { u64::MAX }>::read),
            jobs: table.value("jobs", Jobs::or_auto).flatten(),
            opening_plies: table.at("opening_plies", even),
            pin: table.value("pin", Found::boolean),
            workers: table.value("workers", Found::string),
            metrics: table.value("metrics", Found::boolean),
            stderr: table.value("stderr", Found::choice),
        };
        table.end().map(|()| run)
    }
}

/// `[clock]`, as it is for a game.
fn clock(mut table: Table<'_>, spec: &GameSpec) -> Read<Clock> {
    let clock = Clock {
        first_turn: table
            .value("first_turn_ms", LimitMs::read)
            .map_or(spec.first_turn, Duration::from_millis),
        turn: table
            .value("turn_ms", LimitMs::read)
            .map_or(spec.turn, Duration::from_millis),
        startup: table
            .value("startup_ms", StartupMs::read)
            .map_or(DEFAULT_STARTUP, Duration::from_millis),
        rules: table.value("rules", Found::choice).unwrap_or_default(),
        no_ponder: table.value("no_ponder", Found::boolean).unwrap_or(true),
    };
    table.end().map(|()| clock)
}

/// `[[bot]]`.
struct Bot {
    name: At<String>,
    command: At<Command>,
    build: Option<At<Command>>,
    games: Option<At<Vec<At<Arc<GameSpec>>>>>,
    env: Vec<(String, String)>,
    read: Vec<String>,
}

impl Bot {
    fn read(mut table: Table<'_>, known: &Games) -> Read<Bot> {
        let bot = Bot {
            name: table.need("name", Found::string),
            command: table.need("command", Found::command),
            build: table.at("build", Found::command),
            games: table.at("games", |found| found.games(known)),
            env: table.value("env", Found::environment).unwrap_or_default(),
            read: table.value("read", Found::paths).unwrap_or_default(),
        };
        table.end().map(|()| bot)
    }
}

/// A bot of the run: the one of the config that it is, or is a variant of, and how it is started.
type Player<'c> = (&'c Bot, Launch);

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

/// What a plan needs to know of the world outside the config. Both say what is wrong, as the end of a sentence.
#[derive(Clone, Copy)]
pub(crate) struct Outside {
    /// Whether a program can be started.
    pub(crate) find_program: fn(&str) -> Result<(), String>,
    /// Whether a bot can be, by its program or its source.
    pub(crate) find_start: fn(&Languages, &[String]) -> Result<(), String>,
    /// What is in a folder that a game wants.
    pub(crate) read_folder: fn(Wanted<'_>) -> Result<Folder, String>,
}

impl Outside {
    /// The world as it is.
    pub(crate) const WORLD: Outside = Outside {
        find_program: |program| {
            find_program(program)
                .map(drop)
                .map_err(|error| error.to_string())
        },
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
    let found = parsed(&text, |mut root| {
        referees::read(&mut root.table("game"), games).map(referees::named)
    });
    found.map_err(|mistake| ConfigError(mistake.show(&source, &text)))
}

/// The name and the text of a config.
fn text_of(path: &Path) -> Result<(String, String), ConfigError> {
    let source = path.display().to_string();
    let bytes = std::fs::read(path)
        .map_err(|error| ConfigError(format!("read the config `{source}`: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(&source, &error))?;
    Ok((source, text))
}

/// What comes of the tables of a config.
fn parsed<T>(text: &str, read: impl FnOnce(Table<'_>) -> Read<T>) -> Read<T> {
    let no_toml = |error: toml::de::Error| {
        let span = error.span().unwrap_or(text.len()..text.len());
        Mistake::new("the config is not valid TOML", &span, error.message())
    };
    DeTable::parse(text)
        .map_err(no_toml)
        .and_then(|document| read(Table::root(document.get_ref())))
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
    parsed(text, |root| {
        plan::resolve(source, root, games, overrides, outside)
    })
    .map_err(|mistake| ConfigError(mistake.show(source, text)))
}

/// Shows the first byte that is not UTF-8. The text before it is the same in the lossy text, so its place is too.
fn not_utf8(source: &str, error: &std::string::FromUtf8Error) -> ConfigError {
    let start = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(start).copied().unwrap_or_default();
    let label = format!("the byte 0x{byte:02x} does not belong here");
    let mistake = Mistake::new(
        "the config is not UTF-8",
        &(start..start + char::REPLACEMENT_CHARACTER.len_utf8()),
        label,
    )
    .help("save the file as UTF-8");
    ConfigError(mistake.show(source, &String::from_utf8_lossy(error.as_bytes())))
}

#[cfg(test)]
mod tests;
