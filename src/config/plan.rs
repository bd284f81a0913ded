//! From the config as written to the plan: defaults, flags, and what has to agree between tables.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::{At, Found, Table};
use super::mistake::{Mistake, Read, quoted};
use super::{
    Bot, Config, MemoryMb, Outside, Overrides, Player, Run, games, referees, sprt, sweep, tune,
};
use crate::plan::{DEFAULT_MEMORY_MB, Plan, PlannedGame, Tune};
use crate::play::KeptStderr;
use crate::schedule::{Balance, Design, Format};
use crate::text::is_hidden;
use crate::tournament::{Build, Session};
use arena_games::{GameSpec, Games};
use arena_process::languages::{Language, Languages};
use arena_process::{Launch, Mode};

const DEFAULT_GAMES: u64 = 200;
const DEFAULT_SEED: u64 = 1;
const RESULTS: &str = "results";

/// The most characters of a bot's name.
const LONGEST_NAME: usize = 100;

impl Config<'_> {
    /// The games of the run.
    pub(super) fn games(&self) -> impl Iterator<Item = &Arc<GameSpec>> {
        self.run.games.value.iter().map(|game| &game.value)
    }

    fn format(&self) -> Format {
        self.run
            .format
            .as_ref()
            .map_or(Format::Gauntlet, |format| format.value)
    }

    /// How seats are filled; in a test and in a sweep two bots share the seats.
    fn design(&self) -> Design {
        let default = match self.format() {
            Format::Sprt | Format::Sweep | Format::Tune => Design::Mirror,
            Format::Gauntlet | Format::RoundRobin => Design::default(),
        };
        self.run
            .design
            .as_ref()
            .map_or(default, |design| design.value)
    }

    /// Where the run is said to have this format, which has a table of its own, is about one game, and seats two bots for
    /// as long as it takes; `None` where it has another.
    pub(super) fn has_format(
        &self,
        format: Format,
        table: &Table<'_>,
    ) -> Read<Option<&At<Format>>> {
        let Some(written) = self
            .run
            .format
            .as_ref()
            .filter(|written| written.value == format)
        else {
            if !table.is_there() {
                return Ok(None);
            }
            let title = format!("`[{format}]` is for a run with `format = \"{format}\"`");
            let mistake = Mistake::new(title, &table.place, "expected no such table");
            return Err(mistake.help(format!(
                "add `format = \"{format}\"` to `[run]`, or leave this table out"
            )));
        };
        let what = match format {
            Format::Sprt => "a sequential test",
            Format::Tune => "a tuning",
            _ => "a sweep",
        };
        let because =
            |mistake: Mistake| Err(mistake.related(&written.span, "because of this format"));
        if let [_, second, ..] = &self.run.games.value[..] {
            let mistake = second.mistake(
                format!("{what} is about one game"),
                "expected one game only",
            );
            return because(mistake.help("give each game a config of its own"));
        }
        if let Some(games) = self
            .run
            .games_per_pairing
            .as_ref()
            .or(self.run.total_games.as_ref())
        {
            let mistake = games.mistake(
                format!("{what} has no fixed number of games"),
                "expected none",
            );
            return because(mistake.help(format!(
                "`max_units` in `[{format}]` says how long it is at most"
            )));
        }
        match self
            .run
            .design
            .as_ref()
            .filter(|design| design.value != Design::Mirror)
        {
            Some(design) => {
                let label = "expected `\"mirror\"`: two bots share the seats";
                because(design.mistake(format!("{what} divides the seats between two bots"), label))
            }
            None => Ok(Some(written)),
        }
    }
}

impl Bot {
    pub(super) fn launch(&self) -> Launch {
        Launch {
            name: self.name.value.clone(),
            command: self.command.value.words.clone(),
            env: self.env.iter().cloned().collect(),
            read: self.read.iter().map(PathBuf::from).collect(),
        }
    }

    fn plays(&self, game: &GameSpec) -> bool {
        self.games
            .as_ref()
            .is_none_or(|games| games.value.iter().any(|own| own.value.id == game.id))
    }
}

/// What is played, and how here; the cheap checks come first, programs are looked for last.
pub(super) fn resolve(
    source: &str,
    mut root: Table<'_>,
    known: &Games,
    overrides: &Overrides,
    outside: Outside,
) -> Read<(Plan, Session)> {
    let [
        run,
        clock,
        mut limits,
        mut sandbox,
        sprt,
        mut game,
        sweep,
        tune,
    ] = [
        "run", "clock", "limits", "sandbox", "sprt", "game", "sweep", "tune",
    ]
    .map(|table| root.table(table));
    let foreign = referees::read(&mut game, known)?;
    let known = &referees::and_known(&foreign, known);
    let languages = root.value("language", languages).unwrap_or_default();
    let bots = root
        .value("bot", |found| bots(found, known))
        .unwrap_or_default();
    root.end()?;
    let memory_mb = limits.at("memory_mb", MemoryMb::read);
    limits.end()?;
    let mode = sandbox.at("mode", Found::choice);
    sandbox.end()?;
    let config = Config {
        source,
        run: Run::read(run, known)?,
        clock,
        memory_mb,
        sandbox: mode,
        game_tables: games::read(game, known)?,
        bots,
    };
    let name = run_name(&config)?;
    check_bots(&config)?;
    let sprt = sprt::resolve(&config, sprt, overrides)?;
    check_uses(&config)?;
    check_games(&config.run)?;
    let tuned = tune::resolve(&config, tune, overrides)?;
    let (sweep, bots) = match sweep::resolve(&config, sweep, overrides)? {
        Some((sweep, bots)) => (Some(sweep), bots),
        None => (
            None,
            config.bots.iter().map(|bot| (bot, bot.launch())).collect(),
        ),
    };
    let (tune, confirm, bots) = match tuned {
        Some(tune::Resolved {
            tune,
            confirm,
            bots,
        }) => (Some(tune), confirm, bots),
        None => (None, false, bots),
    };
    let mut warnings = Vec::new();
    let mut games = Vec::new();
    for game in &config.run.games.value {
        let own = foreign.iter().find(|own| own.id == game.value.id);
        own.map_or(Ok(()), |own| own.check_program(&languages, outside))?;
        warnings.extend(own.and_then(referees::ForeignGame::warning));
        let referee = own.map(|own| own.referee.clone());
        games.push(PlannedGame {
            referee,
            ..planned_game(&config, game, &bots, outside, &mut warnings)?
        });
    }
    bots.iter()
        .try_for_each(|(bot, launch)| check_program(bot, launch, &languages, outside))?;
    let run = &config.run;
    let session = Session {
        out: overrides
            .out
            .clone()
            .unwrap_or_else(|| PathBuf::from(RESULTS).join(&name)),
        slice: overrides.slice,
        existing: overrides.existing,
        jobs: jobs(overrides.jobs.or(run.jobs)),
        pin: run.pin.unwrap_or(true),
        workers: overrides.workers.clone().or_else(|| run.workers.clone()),
        seed_is_given: sprt.is_none() || overrides.seed.or(run.seed).is_some(),
        builds: config
            .bots
            .iter()
            .filter_map(build)
            .chain(foreign.into_iter().filter_map(|game| game.build))
            .collect(),
        warnings,
        confirm,
    };
    let written_games = run.games_per_pairing.as_ref().map(|games| games.value);
    let stderr = overrides.stderr.or(run.stderr).unwrap_or_default();
    let plan = Plan {
        name,
        format: config.format(),
        design: config
            .games()
            .any(|game| game.default_seats() > 2)
            .then(|| config.design()),
        seed: overrides.seed.or(run.seed).unwrap_or(DEFAULT_SEED),
        games_per_pairing: match (&sprt, &sweep) {
            (Some(sprt), _) => sprt.max_games(),
            (_, Some(sweep)) => 2 * sweep.max_units,
            _ if tune.is_some() => tune.as_ref().map_or(0, Tune::games_per_pairing),
            _ => overrides.games.or(written_games).unwrap_or(DEFAULT_GAMES),
        },
        trace: overrides.trace,
        // Who reads what bots say also wants the numbers in it.
        metrics: overrides.metrics || run.metrics.unwrap_or(stderr == KeptStderr::Turn),
        stderr,
        sandbox: config
            .sandbox
            .as_ref()
            .map_or_else(Mode::default, |mode| mode.value),
        memory_mb: config
            .memory_mb
            .as_ref()
            .map_or(DEFAULT_MEMORY_MB, |memory| memory.value),
        sprt,
        languages,
        bots: bots.into_iter().map(|(_, launch)| launch).collect(),
        sweep,
        tune,
        balance: Balance::Exact,
        games,
    };
    let plan = if let Some(total) = run
        .total_games
        .as_ref()
        .filter(|_| overrides.games.is_none())
    {
        within(plan, total)?
    } else {
        let games = plan.games_per_pairing;
        plan.with_games(games)
    };
    Ok((plan, session))
}

/// The plan with as many games per pairing as come to the games that are wanted in all.
fn within(plan: Plan, total: &At<u64>) -> Read<Plan> {
    plan.within(total.value).map_err(|fewest| {
        let title = "too few games for every bot to play in every seat";
        total.mistake(
            title,
            format!("expected {fewest} or more, which is one game per pairing"),
        )
    })
}

/// The number of games is given in one way.
fn check_games(run: &Run) -> Read<()> {
    match (&run.games_per_pairing, &run.total_games) {
        (Some(games), Some(total)) => {
            let mistake = total.mistake(
                "`games` and `total_games` both say how many games are played",
                "expected one",
            );
            Err(mistake.related(&games.span, "the games per pairing"))
        }
        _ => Ok(()),
    }
}

/// All `[language.NAME]`.
fn languages(found: Found<'_>) -> Read<Languages> {
    let tables = found
        .entries()
        .ok_or_else(|| found.refuse("tables that begin with `[language.NAME]`"))?;
    let mut languages = Languages::new();
    for table in tables {
        let language = language(table)?;
        let taken = languages.iter().find(|(_, other)| {
            language
                .extensions
                .iter()
                .any(|end| other.extensions.contains(end))
        });
        if let Some((other, _)) = taken {
            let title = format!(
                "two languages have the same files, {} and this one",
                quoted(other)
            );
            return Err(table.key().mistake(title, "expected other `extensions`"));
        }
        languages.insert(table.key().value, language);
    }
    Ok(languages)
}

fn language(found: Found<'_>) -> Read<Language> {
    let mut table = found.table(&format!("[language.{}]", found.key().value))?;
    let language = Language {
        extensions: table.need("extensions", Found::extensions).value,
        compile: table.value("compile", Found::template).unwrap_or_default(),
        run: table.need("run", Found::template).value,
        package: table.value("package", Found::string).unwrap_or_default(),
        cache: table.value("cache", Found::boolean).unwrap_or_default(),
    };
    table.end()?;
    let first = if language.compile.is_empty() {
        &language.run
    } else {
        &language.compile
    };
    if !first.iter().any(|word| word.contains("{source}")) {
        return Err(found.key().mistake(
            "no command of this language names the source file",
            "expected `{source}` in one",
        ));
    }
    Ok(language)
}

/// All `[[bot]]`.
fn bots(found: Found<'_>, known: &Games) -> Read<Vec<Bot>> {
    let items = found
        .items()
        .filter(|items| items.iter().all(|item| item.value().is_table()));
    let items = items
        .ok_or_else(|| found.refuse("tables that begin with `[[bot]]`"))?
        .into_iter();
    let tables =
        items.map(|item| Table::new("[[bot]]", item.span(), item.entries().unwrap_or_default()));
    tables.map(|table| Bot::read(table, known)).collect()
}

/// Why `name` cannot name a bot.
pub(crate) fn bot_name_problem(name: &str) -> Option<String> {
    let length = name.chars().count();
    let is_too_long = length > LONGEST_NAME;
    is_too_long
        .then(|| format!("it has {length} characters, and a name {LONGEST_NAME} at most"))
        .or(name_problem(name))
}

/// Why `name` cannot name a bot or a run: it stands in one cell of a table and in one field of a CSV row.
fn name_problem(name: &str) -> Option<String> {
    if let Some((c, place)) = name.chars().zip(1..).find(|(c, _)| is_hidden(*c)) {
        let code = u32::from(c);
        let why = "line ends, tabs and what is not shown cannot be in a name";
        return Some(format!("its character {place} is U+{code:04X}: {why}"));
    }
    match name {
        "" => Some("a name cannot be empty".to_owned()),
        _ if name.trim() != name => Some("a name cannot begin or end with a space".to_owned()),
        _ => None,
    }
}

/// Why `name` cannot name a run: it is also the name of a directory.
fn run_name_problem(name: &str) -> Option<String> {
    name_problem(name).or(match name {
        "." | ".." => Some("a run's name is a directory: it cannot be `.` or `..`".to_owned()),
        _ if name.contains('/') => {
            Some("a run's name is a directory under `results`: it cannot contain `/`".to_owned())
        }
        _ if name.len() > 200 => {
            Some("a run's name is a directory: it cannot be longer than 200 bytes".to_owned())
        }
        _ => None,
    })
}

fn run_name(config: &Config<'_>) -> Read<String> {
    if let Some(name) = &config.run.name {
        return match run_name_problem(&name.value) {
            Some(problem) => Err(name.mistake("bad value for `name`", problem)),
            None => Ok(name.value.clone()),
        };
    }
    let stem = Path::new(config.source)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    match run_name_problem(&stem) {
        None => Ok(stem.into_owned()),
        Some(problem) => {
            let title = format!("the file's name {} cannot name the run", quoted(&stem));
            Err(Mistake::new(title, &config.run.place, problem).help("add `name = \"..\"`"))
        }
    }
}

/// Every bot has a name of its own, and plays a game of the run.
fn check_bots(config: &Config<'_>) -> Read<()> {
    let mut seen = HashMap::new();
    for Bot { name, .. } in &config.bots {
        if let Some(problem) = bot_name_problem(&name.value) {
            return Err(name.mistake("bad value for `name`", problem));
        }
        if let Some(first) = seen.insert(&name.value, &name.span) {
            let title = format!("two bots are called {}", quoted(&name.value));
            return Err(name
                .mistake(title, "used again here")
                .related(first, "first used here"));
        }
    }
    for bot in &config.bots {
        if let Some(games) = &bot.games
            && !config.games().any(|game| bot.plays(game))
        {
            let title = format!("bot {} plays no game of this run", quoted(&bot.name.value));
            let mistake = games.mistake(title, "none of these is played");
            return Err(mistake.related(&config.run.games.span, "the games of the run"));
        }
    }
    Ok(())
}

/// Nothing is written that this run has no use for: a design for two seats, options of a game that is not played, or limits,
/// which are part of the sandbox, without one.
fn check_uses(config: &Config<'_>) -> Read<()> {
    if let Some(design) = &config.run.design
        && config.games().all(|game| game.default_seats() == 2)
    {
        let label =
            "expected no `design`: every game of this run has two seats, which bots can only swap";
        return Err(design.mistake("`design` is for games of more than two seats", label));
    }
    let mut ids = config.game_tables.iter().map(|table| table.id.key());
    if let Some(id) = ids.find(|id| !config.games().any(|game| game.id == id.value)) {
        let title = format!(
            "`[game.{}]` is for a game that this run does not play",
            id.value
        );
        let help = format!(
            "add `{}` to the games of `[run]`, or leave this table out",
            id.value
        );
        return Err(id.mistake(title, "").help(help));
    }
    match (&config.memory_mb, &config.sandbox) {
        (Some(memory), Some(mode)) if mode.value == Mode::Off => {
            let title = "without the sandbox there are no limits";
            Err(memory
                .mistake(title, "expected none")
                .related(&mode.span, "turned off here"))
        }
        _ => Ok(()),
    }
}

fn planned_game(
    config: &Config<'_>,
    game: &At<Arc<GameSpec>>,
    bots: &[Player<'_>],
    outside: Outside,
    warnings: &mut Vec<String>,
) -> Read<PlannedGame> {
    let spec = &game.value;
    let players: Vec<&Player> = bots.iter().filter(|(bot, _)| bot.plays(spec)).collect();
    let needed = if config.design() == Design::Mirror {
        2
    } else {
        spec.default_seats()
    };
    if players.len() < needed {
        let label = format!("expected {needed} bots or more, found {}", players.len());
        let mut mistake = game.mistake(format!("too few bots play `{}`", spec.id), label);
        for (bot, _) in &players {
            mistake = mistake.related(&bot.name.span, "plays it");
        }
        return Err(mistake.help(match (needed, players.len()) {
            (3.., 2..) => {
                "`design = \"mirror\"` in `[run]` lets bots meet in pairs, which share the seats"
            }
            _ => "each bot has a table `[[bot]]` of its own",
        }));
    }
    Ok(PlannedGame {
        id: spec.id.clone(),
        clock: super::clock(config.clock.clone(), spec)?,
        opening_plies: opening_plies(config, spec)?,
        seats: spec.has_seat_choice().then_some(spec.default_seats()),
        options: games::options(config, spec, outside, warnings)?,
        bots: players
            .into_iter()
            .map(|(_, launch)| launch.name.clone())
            .collect(),
        referee: None,
        spec: Some(spec.clone()),
    })
}

/// Openings are for those games of the run that have them; one at least must.
fn opening_plies(config: &Config<'_>, spec: &GameSpec) -> Read<u32> {
    let Some(plies) = &config.run.opening_plies else {
        return Ok(0);
    };
    match &config.run.games.value[..] {
        _ if spec.has_opening => Ok(u32::try_from(plies.value).unwrap_or(u32::MAX)),
        [only] if plies.value > 0 => {
            let title = format!("`{}` is played without openings", spec.id);
            let mistake = plies.mistake(title, "expected 0 because of this game");
            Err(mistake.related(&only.span, "has no openings"))
        }
        _ => Ok(0),
    }
}

/// The program of a bot that has to be built can be looked for only afterwards.
fn check_program(bot: &Bot, launch: &Launch, languages: &Languages, outside: Outside) -> Read<()> {
    let (verb, place, found) = match &bot.build {
        Some(build) => (
            "built",
            &build.value.program,
            (outside.find_program)(&build.value.program.value),
        ),
        None => (
            "started",
            &bot.command.value.program,
            (outside.find_start)(languages, &launch.command),
        ),
    };
    found.map_err(|problem| {
        let title = format!("bot {} cannot be {verb}", quoted(&bot.name.value));
        let mistake = place.mistake(title, problem);
        mistake
            .help("paths start from the current folder; names without `/` are looked for in PATH")
    })
}

fn build(bot: &Bot) -> Option<Build> {
    let build = bot.build.as_ref()?;
    Some(Build {
        bot: bot.name.value.clone(),
        command: build.value.words.clone(),
    })
}

/// The games that are played at the same time: as many as there are cores unless somebody says otherwise.
pub(crate) fn jobs(wanted: Option<u64>) -> usize {
    let wanted = wanted.and_then(|jobs| usize::try_from(jobs).ok());
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
