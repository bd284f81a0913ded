//! From the config as written to the plan: defaults, flags, and what has to agree between tables.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::games::{self, Named};
use super::mistake::{Mistake, Read, quoted};
use super::parameters::Player;
use super::values::{Command, Plies};
use super::{Bot, ClockTable, Config, Format, LimitMs, Outside, Overrides, sprt, sweep, tune};
use crate::plan::schedule::{self, Design, Slice};
use crate::plan::{DEFAULT_MEMORY_MB, Plan, PlannedGame, StudyPlan};
use crate::play::{Clock, DEFAULT_STARTUP, KeptStderr};
use crate::text::is_hidden;
use crate::tournament::{Build, Session};
use arena_games::{GameSpec, Games};
use arena_process::languages::{Languages, NAMES};
use arena_process::{Launch, Mode};

const DEFAULT_GAMES: u64 = 200;
const DEFAULT_SEED: u64 = 1;
const RESULTS: &str = "results";

/// The most characters of a bot's name.
const LONGEST_NAME: usize = 100;

/// What a missing program may be due to.
pub(super) const PATHS: &str =
    "paths start from the current folder; names without `/` are looked for in PATH";

impl Config {
    /// All games that may be named: those of the arena, and those of its own referees.
    pub(super) fn known_games(&self, known: &Games) -> Games {
        let own = self
            .foreign
            .iter()
            .map(|game| game.referee.spec(&game.id).into());
        Games(known.iter().cloned().chain(own).collect())
    }

    fn format(&self) -> Format {
        self.run.format.map_or(Format::Gauntlet, |format| format.0)
    }

    /// How seats are filled; in a test, a sweep and a tuning two bots share the seats.
    fn design(&self) -> Design {
        match (self.run.design, self.format()) {
            (Some(design), _) => design.0,
            (None, Format::Sprt | Format::Sweep | Format::Tune) => Design::Mirror,
            (None, Format::Gauntlet | Format::RoundRobin) => Design::default(),
        }
    }

    /// All bots, as they are written.
    pub(super) fn players(&self) -> Vec<Player> {
        let bots = self.bot.iter().enumerate();
        bots.map(|(table, bot)| (table, bot.launch())).collect()
    }
}

impl Bot {
    pub(super) fn launch(&self) -> Launch {
        Launch {
            name: self.name.clone(),
            command: self.command.0.clone(),
            env: self.env.clone(),
            read: self.read.clone(),
        }
    }
}

/// What is played, and how here; the cheap checks come first, programs are looked for last.
pub(super) fn resolve(
    config: &Config,
    source: &str,
    known: &Games,
    overrides: &Overrides,
    outside: Outside,
) -> Read<(Plan, Session)> {
    let run = &config.run;
    let known = &config.known_games(known);
    let languages = languages(config)?;
    let name = run_name(config, source)?;
    if run.game.0.is_empty() {
        return Err(Mistake::missing_key("run", "game", "game = \"minishogi\""));
    }
    let named = games::find("run.game", &run.game, known)?;
    check_format(config, &named, overrides)?;
    check_uses(config, &named)?;
    let (study, players) = study(config, overrides)?;
    check_bots(config, &players)?;
    let mut warnings = Vec::new();
    let planned = Planner {
        config,
        known,
        players: &players,
        languages: &languages,
        outside,
    };
    let games = planned.games(&named, &mut warnings)?;
    for player in &players {
        planned.check_program(player)?;
    }
    let session = session(config, overrides, &name, warnings);
    let stderr = overrides
        .stderr
        .or(run.stderr.map(|kept| kept.0))
        .unwrap_or_default();
    let has_groups = named.iter().any(|(_, spec)| spec.default_seats() > 2);
    let plan = Plan {
        name,
        design: has_groups.then(|| config.design()),
        seed: seed(config, overrides).unwrap_or(DEFAULT_SEED),
        trace: overrides.trace,
        // Who reads what bots say also wants the numbers in it.
        metrics: overrides.metrics || run.metrics.unwrap_or(stderr == KeptStderr::Turn),
        stderr,
        sandbox: config.sandbox.mode.unwrap_or_default().0,
        memory_mb: config.limits.memory_mb.map_or(DEFAULT_MEMORY_MB, |mb| mb.0),
        study,
        languages,
        bots: players.into_iter().map(|(_, launch)| launch).collect(),
        games,
    };
    let plan = match (run.total_games, &plan.study) {
        (Some(total), &StudyPlan::List(list)) if overrides.games.is_none() => plan.within(list, total.0).map_err(|fewest| {
            let problem = format!("too few for every bot to play in every seat: expected {fewest} or more, which is one game per pairing");
            Mistake::new("run.total_games", problem)
        })?,
        _ => plan.balanced(),
    };
    Ok((plan, session))
}

/// What is to be found out, and the bots that play for that.
fn study(config: &Config, overrides: &Overrides) -> Read<(StudyPlan, Vec<Player>)> {
    let format = match (config.format(), &config.sweep, &config.tune) {
        (Format::Sprt, _, _) => {
            let test = sprt::resolve(config, &config.sprt.unwrap_or_default())?;
            return Ok((StudyPlan::Sprt(test), config.players()));
        }
        (Format::Sweep, Some(table), _) => {
            let (sweep, variants) = sweep::resolve(config, table, overrides)?;
            return Ok((StudyPlan::Sweep(sweep), variants));
        }
        (Format::Tune, _, Some(table)) => {
            let (tune, sides) = tune::resolve(config, table, overrides)?;
            return Ok((StudyPlan::Tune(tune), sides));
        }
        (Format::RoundRobin, _, _) => schedule::Format::RoundRobin,
        _ => schedule::Format::Gauntlet,
    };
    let written = config.run.games.map(|games| games.0);
    let games = overrides.games.or(written).unwrap_or(DEFAULT_GAMES);
    Ok((StudyPlan::list(format, games), config.players()))
}

fn seed(config: &Config, overrides: &Overrides) -> Option<u64> {
    overrides.seed.or(config.run.seed.map(|seed| seed.0))
}

fn session(config: &Config, overrides: &Overrides, name: &str, warnings: Vec<String>) -> Session {
    let run = &config.run;
    let out = overrides.out.clone();
    let mut builds = Vec::new();
    for bot in &config.bot {
        builds.extend(bot.build.as_ref().map(|build| Build {
            bot: bot.name.clone(),
            command: build.0.clone(),
        }));
    }
    builds.extend(config.foreign.iter().filter_map(|game| game.build.clone()));
    Session {
        out: out.unwrap_or_else(|| PathBuf::from(RESULTS).join(name)),
        slice: overrides.slice,
        existing: overrides.existing,
        jobs: jobs(overrides.jobs.or(run.jobs.map(|jobs| jobs.0))),
        pin: run.pin.unwrap_or(true),
        workers: overrides.workers.clone().or_else(|| run.workers.clone()),
        seed_is_given: config.format() != Format::Sprt || seed(config, overrides).is_some(),
        builds,
        warnings,
        confirm: config.tune.as_ref().is_some_and(|tune| tune.confirm),
    }
}

/// The languages that the config adds.
fn languages(config: &Config) -> Read<Languages> {
    let mut languages = config.language.clone();
    let mut taken = HashMap::new();
    for (name, language) in &mut languages {
        let path = format!("language.{name}");
        for extension in &mut language.extensions {
            *extension = extension.trim_start_matches('.').to_owned();
            if extension.is_empty() {
                let problem = "expected the end of a file name, as in `[\"zig\"]`";
                return Err(Mistake::new(format!("{path}.extensions"), problem));
            }
            if let Some(other) = taken
                .insert(extension.clone(), name)
                .filter(|other| *other != name)
            {
                let problem = format!(
                    "two languages have the same files, {} and this one: expected other ends of file names",
                    quoted(other)
                );
                return Err(Mistake::new(format!("{path}.extensions"), problem));
            }
        }
        for (key, command) in [("compile", &language.compile), ("run", &language.run)] {
            let parts = command.iter().flat_map(|word| word.split('{').skip(1));
            let mut words = parts.filter_map(|part| Some(part.split_once('}')?.0));
            if let Some(word) = words.find(|word| !NAMES.contains(word)) {
                let path = format!("{path}.{key}");
                return Err(Mistake::unknown(&path, "name in braces", word, &NAMES));
            }
        }
        let commands = [&language.compile, &language.run];
        let first = commands.into_iter().find(|command| !command.is_empty());
        let is_named =
            first.is_some_and(|words| words.iter().any(|word| word.contains("{source}")));
        if language.run.is_empty() || !is_named {
            let problem =
                "no command of this language names the source file: expected `{source}` in one";
            return Err(Mistake::new(format!("{path}.run"), problem));
        }
    }
    Ok(languages)
}

/// Why `name` cannot name a bot.
pub(crate) fn bot_name_problem(name: &str) -> Option<String> {
    match name.chars().count() {
        length if length > LONGEST_NAME => Some(format!(
            "it has {length} characters, and a name {LONGEST_NAME} at most"
        )),
        _ => name_problem(name),
    }
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

/// The name of the run, which is also the name of a directory; by default that of its file.
fn run_name(config: &Config, source: &str) -> Read<String> {
    let stem = || {
        Path::new(source)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let name = config.run.name.clone().unwrap_or_else(stem);
    let problem = match &*name {
        "." | ".." => Some("it cannot be `.` or `..`"),
        _ if name.contains('/') => Some("it cannot contain `/`"),
        _ if name.len() > 200 => Some("it cannot be longer than 200 bytes"),
        _ => None,
    };
    let problem = problem.map(|why| format!("a run's name is a directory under `results`: {why}"));
    match problem.or_else(|| name_problem(&name)) {
        None => Ok(name),
        Some(problem) => Err(Mistake::new("run.name", problem)),
    }
}

/// Checks that every bot has a name of its own, and nothing that the system refuses.
fn check_bots(config: &Config, players: &[Player]) -> Read<()> {
    let mut seen = HashMap::new();
    for (
        table,
        Launch {
            name,
            command,
            env,
            read,
        },
    ) in players
    {
        let path = format!("bot.{table}");
        let name_path = format!("{path}.name");
        if let Some(problem) = bot_name_problem(&config.bot[*table].name) {
            return Err(Mistake::new(name_path, problem));
        }
        if let Some(first) = seen.insert(name, *table) {
            let mistake = Mistake::new(name_path, format!("two bots are called {}", quoted(name)));
            return Err(mistake.related(format!("bot.{first}.name"), "first used here"));
        }
        if let Some(key) = env.keys().find(|key| key.is_empty() || key.contains('=')) {
            let problem = "expected a name of a variable that is not empty and without `=`";
            return Err(Mistake::new(format!("{path}.env.{key}"), problem));
        }
        if read.iter().any(|path| path.as_os_str().is_empty()) {
            return Err(Mistake::new(
                format!("{path}.read"),
                "expected the path of a folder or file, found an empty one",
            ));
        }
        if env
            .iter()
            .flat_map(|(key, value)| [key, value])
            .chain(command)
            .any(|text| text.contains('\0'))
        {
            return Err(Mistake::new(
                path,
                "a NUL character cannot be handed to a program",
            ));
        }
    }
    Ok(())
}

/// Checks that a test, a sweep or a tuning has its table and nothing that it has no use for.
fn check_format(config: &Config, games: &[Named], overrides: &Overrides) -> Read<()> {
    let (run, format) = (&config.run, config.format());
    for (own, is_written) in [
        (Format::Sprt, config.sprt.is_some()),
        (Format::Sweep, config.sweep.is_some()),
        (Format::Tune, config.tune.is_some()),
    ] {
        // A test without a table has the default hypotheses.
        if is_written != (own == format) && (is_written || own != Format::Sprt) {
            let path = if is_written {
                own.to_string()
            } else {
                "run.format".to_owned()
            };
            let problem =
                format!("a table `[{own}]` is for a run with `format = \"{own}\"`, which needs it");
            return Err(Mistake::new(path, problem).help("write both, or none of them"));
        }
    }
    let what = match format {
        Format::Sprt => "a sequential test",
        Format::Sweep => "a sweep",
        Format::Tune => "a tuning",
        Format::Gauntlet | Format::RoundRobin => return Ok(()),
    };
    let no_number = format!("{what} has no fixed number of games");
    let max_units = format!("`max_units` in `[{format}]` says how long it is at most");
    let mistake = if let [_, (second, _), ..] = games {
        Mistake::new(second, format!("{what} is about one game"))
            .help("give each game a config of its own")
    } else if run.games.is_some() || run.total_games.is_some() {
        let key = run.games.map_or("run.total_games", |_| "run.games");
        Mistake::new(key, format!("{no_number}: expected none")).help(max_units)
    } else if run.design.is_some_and(|design| design.0 != Design::Mirror) {
        let problem = format!("{what} divides the seats between two bots: expected `\"mirror\"`");
        Mistake::new("run.design", problem)
    } else if overrides.slice != Slice::WHOLE {
        let problem = format!(
            "{what} cannot be played in slices: what is played depends on all games before"
        );
        return Err(Mistake::new("run.format", problem).help("leave out `--slice`"));
    } else if format == Format::Sprt && overrides.games.is_some() {
        return Err(
            Mistake::new("run.format", no_number).help(format!("leave out `--games`; {max_units}"))
        );
    } else {
        return Ok(());
    };
    Err(mistake.related("run.format", "because of this format"))
}

/// Checks that nothing is written that this run has no use for: a design for two seats, options of a game that is not played, or limits,
/// which are part of the sandbox, without one.
fn check_uses(config: &Config, games: &[Named]) -> Read<()> {
    let run = &config.run;
    if run.design.is_some() && games.iter().all(|(_, spec)| spec.default_seats() == 2) {
        let problem =
            "`design` is for games of more than two seats, and no game of this run has them";
        return Err(Mistake::new("run.design", problem));
    }
    let is_unused = |id: &&String| !games.iter().any(|(_, spec)| spec.id == **id);
    if let Some(id) = config.options.keys().find(is_unused) {
        let problem = format!("`[game.{id}]` is for a game that this run does not play");
        let help = format!("add `{id}` to the games of `[run]`, or leave this table out");
        return Err(Mistake::new(format!("game.{id}"), problem).help(help));
    }
    if run.games.is_some() && run.total_games.is_some() {
        let problem = "`games` and `total_games` both say how many games are played: expected one";
        return Err(
            Mistake::new("run.total_games", problem).related("run.games", "the games per pairing")
        );
    }
    let is_off = config.sandbox.mode.is_some_and(|mode| mode.0 == Mode::Off);
    if config.limits.memory_mb.is_some() && is_off {
        let mistake = Mistake::new(
            "limits.memory_mb",
            "without the sandbox there are no limits: expected none",
        );
        return Err(mistake.related("sandbox.mode", "turned off here"));
    }
    Ok(())
}

/// What the games of a plan follow from.
struct Planner<'c> {
    config: &'c Config,
    known: &'c Games,
    players: &'c [Player],
    languages: &'c Languages,
    outside: Outside,
}

impl Planner<'_> {
    fn games(&self, named: &[Named], warnings: &mut Vec<String>) -> Read<Vec<PlannedGame>> {
        let plays = self.who_plays(named)?;
        let mut games = Vec::new();
        for (path, spec) in named {
            let foreign = self.config.foreign.iter().find(|own| own.id == spec.id);
            if let Some(foreign) = foreign {
                foreign.check_program(self.languages, self.outside)?;
                warnings.extend(foreign.warning());
            }
            games.push(PlannedGame {
                id: spec.id.clone(),
                clock: clock(&self.config.clock, spec),
                opening_plies: opening_plies(self.config, named, spec)?,
                seats: spec.has_seat_choice().then_some(spec.default_seats()),
                options: games::options(self.config, spec, self.outside, warnings)?,
                bots: self.bots_of(path, spec, &plays)?,
                referee: foreign.map(|foreign| foreign.referee.clone()),
                spec: Some(spec.clone()),
            });
        }
        Ok(games)
    }

    /// Of each bot the ids of its games, of which the run plays one at least; `None` if it plays all.
    fn who_plays(&self, named: &[Named]) -> Read<Vec<Option<Vec<String>>>> {
        let mut plays = Vec::new();
        for (number, bot) in self.config.bot.iter().enumerate() {
            let Some(names) = &bot.games else {
                plays.push(None);
                continue;
            };
            let path = format!("bot.{number}.games");
            let own = games::find(&path, names, self.known)?;
            let own: Vec<String> = own.into_iter().map(|(_, spec)| spec.id.clone()).collect();
            if !named.iter().any(|(_, spec)| own.contains(&spec.id)) {
                let mistake = Mistake::new(path, "the bot plays no game of this run");
                return Err(mistake.related("run.game", "the games of the run"));
            }
            plays.push(Some(own));
        }
        Ok(plays)
    }

    /// The bots that play a game, as many as it needs at least.
    fn bots_of(
        &self,
        path: &str,
        spec: &GameSpec,
        plays: &[Option<Vec<String>>],
    ) -> Read<Vec<String>> {
        let does_play = |(table, _): &&Player| {
            plays[*table]
                .as_ref()
                .is_none_or(|games| games.contains(&spec.id))
        };
        let players: Vec<&Player> = self.players.iter().filter(does_play).collect();
        let needed = match self.config.design() {
            Design::Mirror => 2,
            Design::Rotations => spec.default_seats(),
        };
        if players.len() >= needed {
            return Ok(players
                .iter()
                .map(|(_, launch)| launch.name.clone())
                .collect());
        }
        let count = players.len();
        let problem = format!(
            "too few bots play `{}`: expected {needed} or more, found {count}",
            spec.id
        );
        let mut mistake = Mistake::new(path, problem);
        for (table, _) in &players {
            mistake = mistake.related(format!("bot.{table}.name"), "plays it");
        }
        Err(mistake.help(if needed > 2 && count >= 2 {
            "`design = \"mirror\"` in `[run]` lets bots meet in pairs, which share the seats"
        } else {
            "each bot has a table `[[bot]]` of its own"
        }))
    }

    /// Checks that a bot can be built or started. The program of one that has to be built can be looked for only afterwards.
    fn check_program(&self, (table, launch): &Player) -> Read<()> {
        let (key, verb, command) = match &self.config.bot[*table].build {
            Some(Command(words)) => ("build", "built", words),
            None => ("command", "started", &launch.command),
        };
        (self.outside.find_start)(self.languages, command).map_err(|problem| {
            let problem = format!("bot {} cannot be {verb}: {problem}", quoted(&launch.name));
            Mistake::new(format!("bot.{table}.{key}.0"), problem).help(PATHS)
        })
    }
}

fn clock(table: &ClockTable, spec: &GameSpec) -> Clock {
    let limit =
        |written: Option<LimitMs>, own| written.map_or(own, |ms| Duration::from_millis(ms.0));
    Clock {
        first_turn: limit(table.first_turn_ms, spec.first_turn),
        turn: limit(table.turn_ms, spec.turn),
        startup: table
            .startup_ms
            .map_or(DEFAULT_STARTUP, |ms| Duration::from_millis(ms.0)),
        rules: table.rules.unwrap_or_default().0,
        no_ponder: table.no_ponder.unwrap_or(true),
    }
}

/// Openings are for those games of the run that have them; one at least must.
fn opening_plies(config: &Config, games: &[Named], spec: &GameSpec) -> Read<u32> {
    match (&config.run.opening_plies, games) {
        (Some(Plies(plies)), _) if spec.has_opening => Ok(*plies),
        (Some(Plies(1..)), [(only, _)]) => {
            let problem = format!("`{}` is played without openings: expected 0", spec.id);
            let mistake = Mistake::new("run.opening_plies", problem);
            Err(mistake.related(only, "has no openings"))
        }
        _ => Ok(0),
    }
}

/// The games that are played at the same time: as many as there are cores unless somebody says otherwise.
pub(crate) fn jobs(wanted: Option<u64>) -> usize {
    let wanted = wanted.and_then(|jobs| usize::try_from(jobs).ok());
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
