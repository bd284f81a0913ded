//! From the config as written to the plan: defaults, flags, and what has to agree between tables.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use super::mistake::{Mistake, quoted};
use super::reader::{GameOption, Read};
use super::sprt;
use super::sweep::{self, Swept};
use super::{Bot, GameTable, Outside, Overrides, Run, Tables, run_name_problem};
use crate::plan::{DEFAULT_MEMORY_MB, Plan, PlannedGame, SprtPlan};
use crate::play::{Clock, DEFAULT_STARTUP};
use crate::process::{Launch, Mode};
use crate::schedule::{Design, Format};
use crate::tournament::{Build, Session};
use arena_games::{GameSpec, OptionError, Options};

const DEFAULT_GAMES: u64 = 200;
const DEFAULT_SEED: u64 = 1;
const RESULTS: &str = "results";

/// What is played, and how here; the cheap checks come first, programs are looked for last.
pub(super) fn resolve(
    config: &Tables,
    source: &str,
    overrides: &Overrides,
    outside: Outside<'_>,
) -> Read<(Plan, Session)> {
    let run = &config.run;
    let name = run_name(run, source)?;
    check_names(&config.bots)?;
    config.bots.iter().try_for_each(|bot| check_plays(config, bot))?;
    let sprt = sprt::resolve(config, overrides)?;
    check_design(run)?;
    check_options(config)?;
    let mut warnings = Vec::new();
    check_limits(config)?;
    let swept = sweep::resolve(config, overrides)?;
    let bots = match &swept {
        Some(swept) => swept.bots.clone(),
        None => config.bots.iter().map(planned_bot).collect(),
    };
    let mut games = Vec::new();
    for game in &run.game {
        games.push(planned_game(config, game, swept.as_ref(), outside, &mut warnings)?);
    }
    config.bots.iter().try_for_each(|bot| check_program(bot, swept.as_ref(), outside))?;
    let has_design = run.game.iter().any(|game| game.get_ref().default_seats() > 2);
    let session = Session {
        out: overrides.out.clone().unwrap_or_else(|| PathBuf::from(RESULTS).join(&name)),
        slice: overrides.slice,
        existing: overrides.existing,
        jobs: overrides.jobs.or(run.jobs).and_then(|jobs| usize::try_from(jobs).ok()).unwrap_or_else(cores),
        pin: run.pin.unwrap_or(true),
        builds: config.bots.iter().filter_map(build).collect(),
        warnings,
    };
    let plan = Plan {
        name,
        format: format(run),
        design: has_design.then(|| design(config)),
        seed: overrides.seed.or(run.seed).unwrap_or(DEFAULT_SEED),
        games_per_pairing: games_per_pairing(run, overrides, sprt.as_ref(), swept.as_ref()),
        trace: overrides.trace,
        sandbox: sandbox(config),
        memory_mb: config.limits.memory_mb.as_ref().map_or(DEFAULT_MEMORY_MB, |memory| *memory.get_ref()),
        sprt,
        sweep: swept.map(|swept| swept.sweep),
        games,
        bots,
    };
    Ok((plan, session))
}

fn format(run: &Run) -> Format {
    run.format.as_ref().map_or(Format::Gauntlet, |format| *format.get_ref())
}

fn games_per_pairing(run: &Run, overrides: &Overrides, sprt: Option<&SprtPlan>, swept: Option<&Swept>) -> u64 {
    let written = run.games.as_ref().map(|games| *games.get_ref());
    match (sprt, swept) {
        (Some(sprt), _) => sprt.max_games(),
        (_, Some(swept)) => 2 * swept.sweep.max_units,
        _ => overrides.games.or(written).unwrap_or(DEFAULT_GAMES),
    }
}

fn run_name(run: &Run, source: &str) -> Read<String> {
    if let Some(name) = &run.name {
        return Ok(name.clone());
    }
    let stem = Path::new(source).file_stem().unwrap_or_default().to_string_lossy();
    match run_name_problem(&stem) {
        None => Ok(stem.into_owned()),
        Some(problem) => {
            let title = format!("the file's name {} cannot name the run", quoted(&stem));
            Err(Mistake::new(title, run.header.clone(), problem).help("add `name = \"..\"`"))
        }
    }
}

fn check_names(bots: &[Bot]) -> Read<()> {
    let mut seen = HashMap::new();
    for bot in bots {
        if let Some(first) = seen.insert(bot.name.get_ref(), bot.name.span()) {
            let title = format!("two bots are called {}", quoted(bot.name.get_ref()));
            return Err(Mistake::new(title, bot.name.span(), "used again here").related(first, "first used here"));
        }
    }
    Ok(())
}

/// A bot that was given games must play one of those of the run.
fn check_plays(config: &Tables, bot: &Bot) -> Read<()> {
    match &bot.games {
        Some(games) if !config.run.game.iter().any(|game| plays(bot, game.get_ref())) => {
            let title = format!("bot {} plays no game of this run", quoted(bot.name.get_ref()));
            let run_games = config.run.game.iter().map(Spanned::span).reduce(|first, last| first.start..last.end);
            let mistake = Mistake::new(title, games.span(), "none of these is played");
            Err(mistake.related(run_games.unwrap_or_default(), "the games of the run"))
        }
        _ => Ok(()),
    }
}

fn plays(bot: &Bot, game: &GameSpec) -> bool {
    bot.games.as_ref().is_none_or(|games| games.get_ref().iter().any(|own| own.get_ref().id == game.id))
}

/// How seats are filled; in a test and in a sweep two bots share a table.
fn design(config: &Tables) -> Design {
    let default = match format(&config.run) {
        Format::Sprt | Format::Sweep => Design::Mirror,
        Format::Gauntlet | Format::RoundRobin => Design::default(),
    };
    config.run.design.as_ref().map_or(default, |design| *design.get_ref())
}

fn check_design(run: &Run) -> Read<()> {
    match &run.design {
        Some(design) if run.game.iter().all(|game| game.get_ref().default_seats() == 2) => {
            let label = "expected no `design`: every game of this run has two seats, which bots can only swap";
            Err(Mistake::new("`design` is for games of four seats", design.span(), label))
        }
        _ => Ok(()),
    }
}

fn sandbox(config: &Tables) -> Mode {
    config.sandbox.mode.as_ref().map(|mode| *mode.get_ref()).unwrap_or_default()
}

/// Limits are part of the sandbox.
fn check_limits(config: &Tables) -> Read<()> {
    match (&config.limits.memory_mb, &config.sandbox.mode) {
        (Some(memory), Some(mode)) if *mode.get_ref() == Mode::Off => {
            let mistake = Mistake::new("there are no limits without the sandbox", memory.span(), "expected none");
            Err(mistake.related(mode.span(), "turned off here"))
        }
        _ => Ok(()),
    }
}

/// Options are for games of the run.
fn check_options(config: &Tables) -> Read<()> {
    let is_played = |table: &GameTable| config.run.game.iter().any(|game| game.get_ref().id == table.id);
    let Some(table) = config.options.iter().find(|table| !table.options.is_empty() && !is_played(table)) else {
        return Ok(());
    };
    let title = format!("`[game.{}]` is for a game that this run does not play", table.id);
    let help = format!("add `{}` to the games of `[run]`, or leave this table out", table.id);
    Err(Mistake::new(title, table.header.clone(), "").help(help))
}

fn planned_game(
    config: &Tables,
    game: &Spanned<Arc<GameSpec>>,
    swept: Option<&Swept>,
    outside: Outside<'_>,
    warnings: &mut Vec<String>,
) -> Read<PlannedGame> {
    let spec = game.get_ref();
    let players = players(config, game)?;
    let opening_plies = opening_plies(&config.run, spec)?;
    let options = options(config, spec, outside, warnings)?;
    let bots = match swept {
        // All bots of a sweep play its only game.
        Some(swept) => swept.bots.iter().map(|bot| bot.name.clone()).collect(),
        None => players.into_iter().map(|bot| config.bots[bot].name.get_ref().clone()).collect(),
    };
    Ok(PlannedGame {
        id: spec.id.clone(),
        clock: clock(config, spec),
        opening_plies,
        seats: spec.has_seat_choice().then_some(spec.default_seats()),
        options,
        bots,
        spec: Some(spec.clone()),
    })
}

/// The options of a game as the plan keeps them.
fn options(config: &Tables, spec: &GameSpec, outside: Outside<'_>, warnings: &mut Vec<String>) -> Read<Options> {
    let Some(table) = config.options.iter().find(|table| table.id == spec.id) else { return Ok(Options::new()) };
    let value = |(key, option): (&&str, &GameOption)| ((*key).to_owned(), option.value.clone());
    let options: Options = table.options.iter().map(value).collect();
    let configured = spec.configured(&options, outside.read_folder).map_err(|error| wrong_option(table, error))?;
    warnings.extend(configured.warnings);
    Ok(configured.game.rules.options())
}

fn wrong_option(table: &GameTable, error: OptionError) -> Mistake {
    let span = |key| table.options.get(key).map_or(table.header.clone(), |option| option.span.clone());
    match error {
        OptionError::Value { key, expected } => {
            let found = table.options.get(key).map_or("none", |option| &option.described);
            Mistake::new(format!("bad value for `{key}`"), span(key), format!("expected {expected}, found {found}"))
        }
        OptionError::Unusable { key, title, problem, help } => Mistake::new(title, span(key), problem).help(help),
        other => Mistake::new(format!("bad options for `{}`", table.id), table.header.clone(), other.to_string()),
    }
}

fn clock(config: &Tables, spec: &GameSpec) -> Clock {
    let written = &config.clock;
    Clock {
        first_turn: written.first_turn.unwrap_or(spec.first_turn),
        turn: written.turn.unwrap_or(spec.turn),
        startup: written.startup.unwrap_or(DEFAULT_STARTUP),
        rules: written.rules.unwrap_or_default(),
        no_ponder: written.no_ponder.unwrap_or(true),
    }
}

/// Openings are for those games of the run that have them; one at least must.
fn opening_plies(run: &Run, spec: &GameSpec) -> Read<u32> {
    let Some(written) = &run.opening_plies else { return Ok(0) };
    let plies = u32::try_from(*written.get_ref()).unwrap_or(u32::MAX);
    match &run.game[..] {
        _ if spec.has_opening => Ok(plies),
        [only] if plies > 0 => {
            let title = format!("`{}` is played without openings", spec.id);
            let mistake = Mistake::new(title, written.span(), "expected 0 because of this game");
            Err(mistake.related(only.span(), "has no openings"))
        }
        _ => Ok(0),
    }
}

fn players(config: &Tables, game: &Spanned<Arc<GameSpec>>) -> Read<Vec<usize>> {
    let id = &game.get_ref().id;
    let playing = |(index, bot)| plays(bot, game.get_ref()).then_some(index);
    let players: Vec<usize> = config.bots.iter().enumerate().filter_map(playing).collect();
    let needed = if design(config) == Design::Mirror { 2 } else { game.get_ref().default_seats() };
    if players.len() >= needed {
        return Ok(players);
    }
    let (title, label) = match players.len() {
        0 => (format!("no bot plays `{id}`"), "plays it"),
        1 => (format!("only one bot plays `{id}`"), "the only one"),
        count => (format!("only {count} bots play `{id}`"), "plays it"),
    };
    let number = if needed == 2 { "two" } else { "four" };
    let mut mistake = Mistake::new(title, game.span(), format!("expected {number} bots or more"));
    for bot in players.iter().filter_map(|&index| config.bots.get(index)) {
        mistake = mistake.related(bot.name.span(), label);
    }
    Err(mistake.help(match (needed, players.len()) {
        (4, 2..) => "`design = \"mirror\"` in `[run]` lets bots meet in pairs, each with two seats",
        _ => "each bot has a table `[[bot]]` of its own",
    }))
}

fn check_program(bot: &Bot, swept: Option<&Swept>, outside: Outside<'_>) -> Read<()> {
    let (verb, command) = match &bot.build {
        Some(build) => ("built", build),
        None => ("started", &bot.command),
    };
    let found = match swept.filter(|swept| bot.build.is_none() && swept.sweep.bot == *bot.name.get_ref()) {
        Some(swept) => swept.programs().try_for_each(outside.find_program),
        None => command.words.first().map_or(Ok(()), |program| (outside.find_program)(program)),
    };
    found.map_err(|problem| {
        let title = format!("bot {} cannot be {verb}", quoted(bot.name.get_ref()));
        Mistake::new(title, command.program.clone(), problem)
            .help("paths start from the current folder; names without `/` are looked for in PATH")
    })
}

pub(super) fn planned_bot(bot: &Bot) -> Launch {
    Launch {
        name: bot.name.get_ref().clone(),
        command: bot.command.words.clone(),
        env: bot.env.clone(),
        read: bot.read.clone(),
    }
}

fn build(bot: &Bot) -> Option<Build> {
    Some(Build { bot: bot.name.get_ref().clone(), command: bot.build.as_ref()?.words.clone() })
}

/// The games that are played at the same time unless somebody says otherwise: as many as there are cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
