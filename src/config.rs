//! The config: what a user writes to describe a tournament, and how it becomes a [`Plan`].
//!
//! Reading has two steps. [`Config::parse`] finds every mistake that lies within one table: syntax, unknown
//! keys, wrong types, impossible values. [`Config::plan`] decides every default, lets command line flags
//! override, and finds the mistakes that lie between tables, and programs that are not there. Nothing is
//! started in either. `docs/config.md` lists the keys.
//!
//! To add a key: a field, one line that takes it, its use in `plan`, and its row in `docs/config.md`.

mod mistake;
mod plan;
mod reader;
mod sprt;
mod sweep;

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeTable;

pub(crate) use self::mistake::Diagnostic;
use self::mistake::Mistake;
pub(crate) use self::plan::cores;
use self::reader::{
    Command, GameOption, Read, Table, boolean, choice, command, environment, even_number, game_ids, milliseconds, name,
    number_or_auto, option, paths, spanned, whole_number,
};
pub(crate) use self::sprt::{DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR, DEFAULT_MAX_UNITS};
use self::sprt::{SprtTable, read_sprt};
use crate::plan::Plan;
use crate::play::TimeRules;
use crate::process::Mode;
use crate::schedule::Slice;
use crate::schedule::{Design, Format};
use crate::store::Existing;
use crate::tournament::Session;
use arena_games::{GameSpec, Games, ReadFolder};

/// The games per pairing that a run may have. The upper end keeps every product of the schedule within 64 bits.
pub(crate) const GAMES: RangeInclusive<u64> = 1..=1_000_000_000;

/// The games that may be played at the same time.
pub(crate) const JOBS: RangeInclusive<u64> = 1..=4096;

/// The turns an opening may have; an odd number would give the first move to the second seat.
const OPENING_PLIES: RangeInclusive<u64> = 0..=100;

/// A time limit in milliseconds; a limit of more than a day is a mistake in the unit.
pub(crate) const LIMIT_MS: RangeInclusive<u64> = 1..=86_400_000;

/// The time added to a first answer, in milliseconds.
pub(crate) const STARTUP_MS: RangeInclusive<u64> = 0..=86_400_000;

/// The memory that a process of a bot may have, in megabytes: the least that an interpreter starts with, up to a terabyte.
pub(crate) const MEMORY_MB: RangeInclusive<u64> = 64..=1_048_576;

/// A config as it was written: typed, every value with its place, no default decided.
#[derive(Debug)]
pub(crate) struct Config {
    source: String,
    text: String,
    tables: Tables,
}

/// All tables.
#[derive(Debug)]
struct Tables {
    run: Run,
    clock: ClockTable,
    limits: LimitsTable,
    sandbox: SandboxTable,
    options: Vec<GameTable>,
    sprt: SprtTable,
    sweep: Option<sweep::SweepTable>,
    bots: Vec<Bot>,
}

/// `[run]`.
#[derive(Debug)]
struct Run {
    header: Range<usize>,
    name: Option<String>,
    game: Vec<Spanned<Arc<GameSpec>>>,
    format: Option<Spanned<Format>>,
    design: Option<Spanned<Design>>,
    games: Option<Spanned<u64>>,
    seed: Option<u64>,
    /// `None` for "auto" too, which is the default.
    jobs: Option<u64>,
    opening_plies: Option<Spanned<u64>>,
    pin: Option<bool>,
}

/// `[clock]`.
#[derive(Debug)]
struct ClockTable {
    first_turn: Option<Duration>,
    turn: Option<Duration>,
    startup: Option<Duration>,
    rules: Option<TimeRules>,
    no_ponder: Option<bool>,
}

/// `[limits]`.
#[derive(Debug)]
struct LimitsTable {
    memory_mb: Option<Spanned<u64>>,
}

/// `[sandbox]`.
#[derive(Debug)]
struct SandboxTable {
    mode: Option<Spanned<Mode>>,
}

/// `[game.ID]`: the options of a game.
#[derive(Debug)]
struct GameTable {
    id: String,
    header: Range<usize>,
    options: BTreeMap<&'static str, GameOption>,
}

/// One `[[bot]]`.
#[derive(Debug)]
struct Bot {
    name: Spanned<String>,
    command: Command,
    build: Option<Command>,
    games: Option<Spanned<Vec<Spanned<Arc<GameSpec>>>>>,
    env: BTreeMap<String, String>,
    read: Vec<PathBuf>,
}

/// What command line flags say instead of the config.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    /// `--out`: the run directory.
    pub(crate) out: Option<PathBuf>,
    /// `--jobs`: the number of games played at the same time, within [`JOBS`].
    pub(crate) jobs: Option<u64>,
    /// `--games`: the games per pairing, within [`GAMES`].
    pub(crate) games: Option<u64>,
    /// `--seed`: the run's seed.
    pub(crate) seed: Option<u64>,
    /// `--trace`: records carry every prompt.
    pub(crate) trace: bool,
    /// `--slice`: the part of the run that is played.
    pub(crate) slice: Slice,
    /// `--resume`, `--force`: what is done if the run directory holds a run.
    pub(crate) existing: Existing,
}

/// What a plan needs to know of the world outside the config. Both say what is wrong, as the end of a sentence.
#[derive(Clone, Copy)]
pub(crate) struct Outside<'a> {
    /// Whether a program can be started.
    pub(crate) find_program: &'a dyn Fn(&str) -> Result<(), String>,
    /// What is in a folder that a game wants.
    pub(crate) read_folder: &'a ReadFolder<'a>,
}

/// Why a config gives no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// The file cannot be read.
    #[error("read the config `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// There is a mistake in the config. The text is complete and has several lines: what is wrong, the file,
    /// the line and column, the line itself with a caret, what was expected.
    #[error("{0}")]
    Mistake(Box<Diagnostic>),
}

impl Config {
    /// Reads the config in the file `path`. `games` are those that it may name.
    pub(crate) fn load(path: &Path, games: &Games) -> Result<Config, ConfigError> {
        let source = path.display().to_string();
        let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
        let bytes = std::fs::read(path).map_err(unreadable)?;
        match String::from_utf8(bytes) {
            Ok(text) => Config::parse(&source, &text, games),
            Err(error) => Err(not_utf8(&source, &error)),
        }
    }

    /// Reads a config. `source` names the file in messages and gives the run its default name; `games` are
    /// those that the config may name.
    pub(crate) fn parse(source: &str, text: &str, games: &Games) -> Result<Config, ConfigError> {
        let tables = read(text, games).map_err(|mistake| show(source, text, mistake))?;
        Ok(Config { source: source.to_owned(), text: text.to_owned(), tables })
    }

    /// Decides what the config leaves open. `outside` is asked about the program of every build, and of every bot that
    /// has none: the program of a bot that has to be built can be looked for only afterwards.
    pub(crate) fn plan(&self, overrides: &Overrides, outside: Outside<'_>) -> Result<(Plan, Session), ConfigError> {
        plan::resolve(&self.tables, &self.source, overrides, outside)
            .map_err(|mistake| show(&self.source, &self.text, mistake))
    }
}

fn show(source: &str, text: &str, mistake: Mistake) -> ConfigError {
    ConfigError::Mistake(Box::new(Diagnostic { source: source.to_owned(), text: text.to_owned(), mistake }))
}

/// Shows the first byte that is not UTF-8. The text before it is the same in the lossy text, so its place is too.
fn not_utf8(source: &str, error: &std::string::FromUtf8Error) -> ConfigError {
    let start = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(start).copied().unwrap_or_default();
    let label = format!("the byte 0x{byte:02x} does not belong here");
    let mistake = Mistake::new("the config is not UTF-8", start..start + char::REPLACEMENT_CHARACTER.len_utf8(), label)
        .help("save the file as UTF-8");
    show(source, &String::from_utf8_lossy(error.as_bytes()), mistake)
}

fn read<'t>(text: &'t str, games: &'t Games) -> Read<Tables> {
    let parsed = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(text.len()..text.len());
        Mistake::new("the config is not valid TOML", span, error.message())
    })?;
    let mut root = Table::root(parsed.into_inner());
    let run = root.table("run", "[run]")?;
    let clock = root.table("clock", "[clock]")?;
    let limits = root.table("limits", "[limits]")?;
    let sandbox = root.table("sandbox", "[sandbox]")?;
    let sprt = root.table("sprt", "[sprt]")?;
    let mut game = root.table("game", "[game]")?;
    let sweep = root.table("sweep", "[sweep]")?;
    let bots = root.tables("bot", "[[bot]]")?;
    root.finish()?;
    let options = read_options(&mut game, games)?;
    game.finish()?;
    Ok(Tables {
        run: read_run(run, games)?,
        clock: read_clock(clock)?,
        limits: read_limits(limits)?,
        sandbox: read_sandbox(sandbox)?,
        options,
        sprt: read_sprt(sprt)?,
        sweep: sweep::read_sweep(sweep)?,
        bots: bots.into_iter().map(|bot| read_bot(bot, games)).collect::<Read<_>>()?,
    })
}

fn read_run(mut run: Table<'_>, games: &Games) -> Read<Run> {
    let name = run.take("name", name(run_name_problem))?;
    let game = run.take("game", game_ids(games))?;
    let format = run.take("format", spanned(choice))?;
    let design = run.take("design", spanned(choice))?;
    let per_pairing = run.take("games", spanned(whole_number(GAMES)))?;
    let seed = run.take("seed", whole_number(0..=u64::MAX))?;
    let jobs = run.take("jobs", number_or_auto(JOBS))?.flatten();
    let opening_plies = run.take("opening_plies", spanned(even_number(OPENING_PLIES)))?;
    let pin = run.take("pin", boolean)?;
    run.finish()?;
    let example = games.ids().first().copied().unwrap_or("..");
    let game = run.required("game", game, &format!("game = \"{example}\""))?;
    Ok(Run { header: run.header(), name, game, format, design, games: per_pairing, seed, jobs, opening_plies, pin })
}

fn read_clock(mut clock: Table<'_>) -> Read<ClockTable> {
    let first_turn = clock.take("first_turn_ms", milliseconds(LIMIT_MS))?;
    let turn = clock.take("turn_ms", milliseconds(LIMIT_MS))?;
    let startup = clock.take("startup_ms", milliseconds(STARTUP_MS))?;
    let rules = clock.take("rules", choice)?;
    let no_ponder = clock.take("no_ponder", boolean)?;
    clock.finish()?;
    Ok(ClockTable { first_turn, turn, startup, rules, no_ponder })
}

fn read_limits(mut limits: Table<'_>) -> Read<LimitsTable> {
    let memory_mb = limits.take("memory_mb", spanned(whole_number(MEMORY_MB)))?;
    limits.finish()?;
    Ok(LimitsTable { memory_mb })
}

fn read_sandbox(mut sandbox: Table<'_>) -> Read<SandboxTable> {
    let mode = sandbox.take("mode", spanned(choice))?;
    sandbox.finish()?;
    Ok(SandboxTable { mode })
}

/// The tables of the games that have options.
fn read_options<'t>(tables: &mut Table<'t>, games: &'t Games) -> Read<Vec<GameTable>> {
    let mut read = Vec::new();
    for spec in games.iter().filter(|spec| !spec.options.is_empty()) {
        let mut table = tables.table(&spec.id, format!("[game.{}]", spec.id))?;
        let mut options = BTreeMap::new();
        for info in &spec.options {
            options.extend(table.take(info.key, option)?.map(|option| (info.key, option)));
        }
        table.finish()?;
        read.push(GameTable { id: spec.id.clone(), header: table.header(), options });
    }
    Ok(read)
}

fn read_bot(mut bot: Table<'_>, known: &Games) -> Read<Bot> {
    let name = bot.take("name", spanned(name(bot_name_problem)))?;
    let program = bot.take("command", command)?;
    let build = bot.take("build", command)?;
    let games = bot.take("games", spanned(game_ids(known)))?;
    let env = bot.take("env", environment)?.unwrap_or_default();
    let read = bot.take("read", paths)?.unwrap_or_default();
    bot.finish()?;
    let name = bot.required("name", name, "name = \"my-bot\"")?;
    let command = bot.required("command", program, "command = [\"path/to/my-bot\"]")?;
    Ok(Bot { name, command, build, games, env, read })
}

/// Why `name` cannot name a bot: it stands in one cell of a table and in one field of a CSV row.
fn bot_name_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("a name cannot be empty")
    } else if name.contains(char::is_control) {
        Some("a name cannot contain line ends, tabs or other control characters")
    } else if name.trim() != name {
        Some("a name cannot begin or end with a space")
    } else {
        None
    }
}

/// Why `name` cannot name a run: it is also the name of a directory.
fn run_name_problem(name: &str) -> Option<&'static str> {
    bot_name_problem(name).or(match name {
        "." | ".." => Some("a run's name is a directory: it cannot be `.` or `..`"),
        _ if name.contains('/') => Some("a run's name is a directory under `results`: it cannot contain `/`"),
        _ if name.len() > 200 => Some("a run's name is a directory: it cannot be longer than 200 bytes"),
        _ => None,
    })
}
