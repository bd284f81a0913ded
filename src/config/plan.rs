//! From the config as written to the plan: defaults, flags, and what has to agree between tables.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;

use super::mistake::{Mistake, quoted};
use super::reader::Read;
use super::{Bot, Config, Overrides, run_name_problem};
use crate::games::GameSpec;
use crate::play::Clock;
use crate::schedule::Format;
use crate::tournament::{Plan, PlannedBot, PlannedGame};

const DEFAULT_GAMES: u64 = 200;
const DEFAULT_SEED: u64 = 1;
const DEFAULT_STARTUP: Duration = Duration::from_secs(2);
const RESULTS: &str = "results";

/// The plan; the cheap checks come first, programs are looked for last.
pub(super) fn resolve(
    config: &Config,
    overrides: &Overrides,
    find_program: &dyn Fn(&str) -> Result<(), String>,
) -> Read<Plan> {
    let run = &config.run;
    let name = run_name(config)?;
    check_names(&config.bots)?;
    config.bots.iter().try_for_each(|bot| check_plays(config, bot))?;
    let games = run.game.iter().map(|game| planned_game(config, game)).collect::<Read<_>>()?;
    config.bots.iter().try_for_each(|bot| check_program(bot, find_program))?;
    Ok(Plan {
        out: overrides.out.clone().unwrap_or_else(|| PathBuf::from(RESULTS).join(&name)),
        name,
        format: run.format.unwrap_or(Format::Gauntlet),
        seed: overrides.seed.or(run.seed).unwrap_or(DEFAULT_SEED),
        games_per_pairing: overrides.games.or(run.games).unwrap_or(DEFAULT_GAMES),
        games,
        bots: config.bots.iter().map(planned_bot).collect(),
        jobs: overrides.jobs.or(run.jobs).and_then(|jobs| usize::try_from(jobs).ok()).unwrap_or_else(cores),
        pin: run.pin.unwrap_or(true),
        trace: overrides.trace,
    })
}

fn run_name(config: &Config) -> Read<String> {
    if let Some(name) = &config.run.name {
        return Ok(name.clone());
    }
    let stem = Path::new(&config.source).file_stem().unwrap_or_default().to_string_lossy();
    match run_name_problem(&stem) {
        None => Ok(stem.into_owned()),
        Some(problem) => {
            let title = format!("the file's name {} cannot name the run", quoted(&stem));
            Err(Mistake::new(title, config.run.header.clone(), problem).help("add `name = \"..\"`"))
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
fn check_plays(config: &Config, bot: &Bot) -> Read<()> {
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

fn planned_game(config: &Config, game: &Spanned<&'static GameSpec>) -> Read<PlannedGame> {
    let spec = *game.get_ref();
    check_seats(game)?;
    Ok(PlannedGame {
        spec,
        clock: clock(config, spec),
        opening_plies: opening_plies(config, game)?,
        bots: players(config, game)?,
    })
}

/// The schedule seats two bots.
fn check_seats(game: &Spanned<&'static GameSpec>) -> Read<()> {
    let GameSpec { id, seats, .. } = game.get_ref();
    if *seats == 2 {
        return Ok(());
    }
    let label = format!("has {seats} seats; runs seat two bots so far");
    let mistake = Mistake::new(format!("`{id}` cannot be played in a run yet"), game.span(), label);
    Err(mistake.help("`arena verify` plays its records again"))
}

fn clock(config: &Config, spec: &GameSpec) -> Clock {
    let written = &config.clock;
    Clock {
        first_turn: written.first_turn.unwrap_or(spec.first_turn),
        turn: written.turn.unwrap_or(spec.turn),
        startup: written.startup.unwrap_or(DEFAULT_STARTUP),
    }
}

fn opening_plies(config: &Config, game: &Spanned<&'static GameSpec>) -> Read<u32> {
    let Some(written) = &config.run.opening_plies else { return Ok(0) };
    let plies = u32::try_from(*written.get_ref()).unwrap_or(u32::MAX);
    if plies > 0 && !game.get_ref().has_opening {
        let title = format!("`{}` is played without openings", game.get_ref().id);
        let mistake = Mistake::new(title, written.span(), "expected 0 because of this game");
        return Err(mistake.related(game.span(), "has no openings"));
    }
    Ok(plies)
}

fn players(config: &Config, game: &Spanned<&'static GameSpec>) -> Read<Vec<usize>> {
    let id = game.get_ref().id;
    let playing = |(index, bot)| plays(bot, game.get_ref()).then_some(index);
    let players: Vec<usize> = config.bots.iter().enumerate().filter_map(playing).collect();
    if players.len() >= 2 {
        return Ok(players);
    }
    let title = if players.is_empty() { format!("no bot plays `{id}`") } else { format!("only one bot plays `{id}`") };
    let mut mistake = Mistake::new(title, game.span(), "expected two bots or more");
    for bot in players.iter().filter_map(|&index| config.bots.get(index)) {
        mistake = mistake.related(bot.name.span(), "the only one");
    }
    Err(mistake.help("each bot has a table `[[bot]]` of its own"))
}

fn check_program(bot: &Bot, find_program: &dyn Fn(&str) -> Result<(), String>) -> Read<()> {
    let (verb, command) = match &bot.build {
        Some(build) => ("built", build),
        None => ("started", &bot.command),
    };
    let Some(program) = command.words.first() else { return Ok(()) };
    find_program(program).map_err(|problem| {
        let title = format!("bot {} cannot be {verb}", quoted(bot.name.get_ref()));
        Mistake::new(title, command.program.clone(), problem)
            .help("paths start from the current folder; names without `/` are looked for in PATH")
    })
}

fn planned_bot(bot: &Bot) -> PlannedBot {
    PlannedBot {
        name: bot.name.get_ref().clone(),
        command: bot.command.words.clone(),
        env: bot.env.clone(),
        build: bot.build.as_ref().map(|build| build.words.clone()),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
