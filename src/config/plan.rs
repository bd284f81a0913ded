//! From the config as written to the plan: defaults, flags, and what has to agree between tables.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::Document;
use super::mistake::{Mistake, Read, in_words, quoted, seats_each};
use super::sweep::{self, Swept};
use super::values::{At, GameId, Given};
use super::{Bot, Config, Outside, Overrides, Tables, games, sprt};
use crate::plan::{DEFAULT_MEMORY_MB, Plan, PlannedGame};
use crate::process::{Launch, Mode};
use crate::schedule::{Design, Format};
use crate::tournament::{Build, Session};
use arena_games::{GameSpec, Games};

const DEFAULT_GAMES: u64 = 200;
const DEFAULT_SEED: u64 = 1;
const RESULTS: &str = "results";

impl<'t> Config<'t> {
    /// A config whose games are all known.
    pub(super) fn new(
        source: &'t str,
        document: &'t Document<'t>,
        tables: Tables,
        known: &'t Games,
    ) -> Read<Config<'t>> {
        let find = |id: &At<GameId>| games::find(id, known);
        let games = tables.run.game.value.iter().map(find).collect::<Read<_>>()?;
        let of_bots = tables.bot.iter().filter_map(|bot| bot.games.as_ref());
        of_bots.flat_map(|games| &games.value).try_for_each(|id| find(id).map(drop))?;
        Ok(Config { source, document, tables, known, games })
    }
}

impl Config<'_> {
    pub(super) fn bots(&self) -> impl Iterator<Item = &Bot> {
        self.tables.bot.iter()
    }

    /// The games of the run.
    pub(super) fn games(&self) -> impl Iterator<Item = &Arc<GameSpec>> {
        self.games.iter()
    }

    pub(super) fn format(&self) -> Format {
        self.tables.run.format.value().unwrap_or(Format::Gauntlet)
    }

    /// How seats are filled; in a test and in a sweep two bots share the seats.
    fn design(&self) -> Design {
        let default = match self.format() {
            Format::Sprt | Format::Sweep => Design::Mirror,
            Format::Gauntlet | Format::RoundRobin => Design::default(),
        };
        self.tables.run.design.value().unwrap_or(default)
    }
}

impl Bot {
    pub(super) fn launch(&self) -> Launch {
        Launch {
            name: self.name.value.clone(),
            command: self.command.value.words.clone(),
            env: self.env.iter().flat_map(|env| env.value.iter().cloned()).collect(),
            read: self.read.iter().flat_map(|read| &read.value).map(PathBuf::from).collect(),
        }
    }

    fn plays(&self, game: &GameSpec) -> bool {
        self.games.as_ref().is_none_or(|games| games.value.iter().any(|own| own.value == game.id))
    }
}

/// What is played, and how here; the cheap checks come first, programs are looked for last.
pub(super) fn resolve(config: &Config<'_>, overrides: &Overrides, outside: Outside) -> Read<(Plan, Session)> {
    let run = &config.tables.run;
    let name = run_name(config)?;
    check_bots(config)?;
    let sprt = sprt::resolve(config, overrides)?;
    check_design(config)?;
    games::check(config)?;
    check_limits(config)?;
    let swept = sweep::resolve(config, overrides)?;
    let mut warnings = Vec::new();
    let mut games = Vec::new();
    for game in config.games().zip(&run.game.value) {
        games.push(planned_game(config, game, swept.as_ref(), outside, &mut warnings)?);
    }
    config.bots().try_for_each(|bot| check_program(bot, swept.as_ref(), outside))?;
    let session = Session {
        out: overrides.out.clone().unwrap_or_else(|| PathBuf::from(RESULTS).join(&name)),
        slice: overrides.slice,
        existing: overrides.existing,
        jobs: jobs(overrides.jobs.or(run.jobs.value().flatten())),
        pin: run.pin.value().unwrap_or(true),
        builds: config.bots().filter_map(build).collect(),
        warnings,
    };
    let plan = Plan {
        name,
        format: config.format(),
        design: config.games().any(|game| game.default_seats() > 2).then(|| config.design()),
        seed: overrides.seed.or(run.seed.value()).unwrap_or(DEFAULT_SEED),
        games_per_pairing: match (&sprt, &swept) {
            (Some(sprt), _) => sprt.max_games(),
            (_, Some(swept)) => 2 * swept.sweep.max_units,
            _ => overrides.games.or(run.games.value()).unwrap_or(DEFAULT_GAMES),
        },
        trace: overrides.trace,
        sandbox: config.tables.sandbox.mode.value().unwrap_or_default(),
        memory_mb: config.tables.limits.memory_mb.value().unwrap_or(DEFAULT_MEMORY_MB),
        sprt,
        bots: match &swept {
            Some(swept) => swept.bots.clone(),
            None => config.bots().map(Bot::launch).collect(),
        },
        sweep: swept.map(|swept| swept.sweep),
        games,
    };
    Ok((plan, session))
}

/// Why `name` cannot name a bot: it stands in one cell of a table and in one field of a CSV row.
fn bot_name_problem(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("a name cannot be empty"),
        _ if name.contains(char::is_control) => {
            Some("a name cannot contain line ends, tabs or other control characters")
        }
        _ if name.trim() != name => Some("a name cannot begin or end with a space"),
        _ => None,
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

fn run_name(config: &Config<'_>) -> Read<String> {
    if let Some(name) = &config.tables.run.name {
        return match run_name_problem(&name.value) {
            Some(problem) => Err(name.wrong(problem)),
            None => Ok(name.value.clone()),
        };
    }
    let stem = Path::new(config.source).file_stem().unwrap_or_default().to_string_lossy();
    match run_name_problem(&stem) {
        None => Ok(stem.into_owned()),
        Some(problem) => {
            let title = format!("the file's name {} cannot name the run", quoted(&stem));
            Err(Mistake::new(title, &config.document.header("run"), problem).help("add `name = \"..\"`"))
        }
    }
}

/// Every bot has a name of its own, and plays a game of the run.
fn check_bots(config: &Config<'_>) -> Read<()> {
    let mut seen = HashMap::new();
    for Bot { name, .. } in config.bots() {
        if let Some(problem) = bot_name_problem(&name.value) {
            return Err(name.wrong(problem));
        }
        if let Some(first) = seen.insert(&name.value, &name.span) {
            let title = format!("two bots are called {}", quoted(&name.value));
            return Err(name.mistake(title, "used again here").related(first, "first used here"));
        }
    }
    for bot in config.bots() {
        if let Some(games) = &bot.games
            && !config.games().any(|game| bot.plays(game))
        {
            let title = format!("bot {} plays no game of this run", quoted(&bot.name.value));
            let of_run = config.tables.run.game.value.iter().map(|game| game.span.clone());
            let of_run = of_run.reduce(|first, last| first.start..last.end).unwrap_or_default();
            let mistake = games.mistake(title, "none of these is played");
            return Err(mistake.related(&of_run, "the games of the run"));
        }
    }
    Ok(())
}

fn check_design(config: &Config<'_>) -> Read<()> {
    match &config.tables.run.design {
        Some(design) if config.games().all(|game| game.default_seats() == 2) => {
            let label = "expected no `design`: every game of this run has two seats, which bots can only swap";
            Err(design.mistake("`design` is for games of more than two seats", label))
        }
        _ => Ok(()),
    }
}

/// Limits are part of the sandbox.
fn check_limits(config: &Config<'_>) -> Read<()> {
    match (&config.tables.limits.memory_mb, &config.tables.sandbox.mode) {
        (Some(memory), Some(mode)) if mode.value == Mode::Off => {
            let title = "there are no limits without the sandbox";
            Err(memory.mistake(title, "expected none").related(&mode.span, "turned off here"))
        }
        _ => Ok(()),
    }
}

fn planned_game(
    config: &Config<'_>,
    (spec, id): (&Arc<GameSpec>, &At<GameId>),
    swept: Option<&Swept>,
    outside: Outside,
    warnings: &mut Vec<String>,
) -> Read<PlannedGame> {
    let players = players(config, spec, id)?;
    let opening_plies = opening_plies(config, spec)?;
    let options = games::options(config, spec, outside, warnings)?;
    let bots = match swept {
        // All bots of a sweep play its only game.
        Some(swept) => swept.bots.iter().map(|bot| bot.name.clone()).collect(),
        None => players.into_iter().map(|bot| bot.name.value.clone()).collect(),
    };
    Ok(PlannedGame {
        id: spec.id.clone(),
        clock: config.tables.clock.resolve(spec),
        opening_plies,
        seats: spec.has_seat_choice().then_some(spec.default_seats()),
        options,
        bots,
        spec: Some(spec.clone()),
    })
}

/// Openings are for those games of the run that have them; one at least must.
fn opening_plies(config: &Config<'_>, spec: &GameSpec) -> Read<u32> {
    let Some(plies) = &config.tables.run.opening_plies else { return Ok(0) };
    match &config.tables.run.game.value[..] {
        _ if spec.has_opening => Ok(u32::try_from(plies.value).unwrap_or(u32::MAX)),
        [only] if plies.value > 0 => {
            let title = format!("`{}` is played without openings", spec.id);
            let mistake = plies.mistake(title, "expected 0 because of this game");
            Err(mistake.related(&only.span, "has no openings"))
        }
        _ => Ok(0),
    }
}

fn players<'c>(config: &'c Config<'_>, spec: &GameSpec, game: &At<GameId>) -> Read<Vec<&'c Bot>> {
    let id = &spec.id;
    let players: Vec<&Bot> = config.bots().filter(|bot| bot.plays(spec)).collect();
    let seats = spec.default_seats();
    let needed = if config.design() == Design::Mirror { 2 } else { seats };
    if players.len() >= needed {
        return Ok(players);
    }
    let (title, label) = match players.len() {
        0 => (format!("no bot plays `{id}`"), "plays it"),
        1 => (format!("only one bot plays `{id}`"), "the only one"),
        count => (format!("only {count} bots play `{id}`"), "plays it"),
    };
    let mut mistake = game.mistake(title, format!("expected {} bots or more", in_words(needed)));
    for bot in &players {
        mistake = mistake.related(&bot.name.span, label);
    }
    Err(mistake.help(match (needed, players.len()) {
        (3.., 2..) => {
            let sharing =
                seats_each(seats).map_or("which share the seats".into(), |each| format!("each with {each} seats"));
            format!("`design = \"mirror\"` in `[run]` lets bots meet in pairs, {sharing}")
        }
        _ => "each bot has a table `[[bot]]` of its own".to_owned(),
    }))
}

fn check_program(bot: &Bot, swept: Option<&Swept>, outside: Outside) -> Read<()> {
    let (verb, command) = match &bot.build {
        Some(build) => ("built", build),
        None => ("started", &bot.command),
    };
    let found = match swept.filter(|swept| bot.build.is_none() && swept.sweep.bot == bot.name.value) {
        Some(swept) => swept.programs().try_for_each(outside.find_program),
        None => (outside.find_program)(&command.value.program.value),
    };
    found.map_err(|problem| {
        let title = format!("bot {} cannot be {verb}", quoted(&bot.name.value));
        let mistake = command.value.program.mistake(title, problem);
        mistake.help("paths start from the current folder; names without `/` are looked for in PATH")
    })
}

fn build(bot: &Bot) -> Option<Build> {
    Some(Build { bot: bot.name.value.clone(), command: bot.build.as_ref()?.value.words.clone() })
}

/// The games that are played at the same time: as many as there are cores unless somebody says otherwise.
pub(crate) fn jobs(wanted: Option<u64>) -> usize {
    let wanted = wanted.and_then(|jobs| usize::try_from(jobs).ok());
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
