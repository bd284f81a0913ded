//! Makes a plan and a session from a config: defaults, flags, and checks between tables.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::path::{Path, is_separator};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::games;
use super::mistake::{Mistake, Mistakes, Read, quoted};
use super::parameters::{BotLaunch, braced};
use super::settings::is_within;
use super::values::{Choice, Command, Integer, Plies};
use super::{
    Bot, ClockTable, Config, Outside, Overrides, Run, RunFormat, Unusable, sprt, sweep, tune,
};
use crate::plan::{
    DEFAULT_MEMORY_MB, DEFAULT_PRECISION, List, Plan, PlannedGame, StudyPlan, bots_needed,
};
use crate::play::{Clock, DEFAULT_STARTUP, KeptStderr};
use crate::tournament::{Build, Session};
use arena_games::GameSpec;
use arena_process::languages::{Languages, NAMES};
use arena_process::{ESCAPES, Launch, Mode};
use arena_schedule::Design;
use arena_section::text::is_hidden;
use arena_section::words::count;

/// Folder for run directories.
pub(crate) const RESULTS: &str = "results";

/// The default number of games per pairing.
const GAMES: u64 = 200;
/// The default maximum if something else ends the games.
const MAX_GAMES: u64 = 20_000;

/// The default length of openings, in games that have any. Without an opening, bots without
/// randomness repeat one game.
const OPENING_PLIES: u32 = 4;

/// Maximum number of characters in a bot's name.
const LONGEST_NAME: usize = 100;

/// What becomes of backslashes, and how to write them.
pub(crate) const BACKSLASHES: &str = if ESCAPES {
    r"`\` escapes the next character, in commands and in double quotes of TOML: write paths with `/`"
} else {
    r"`\` escapes the next character in double quotes of TOML: write paths with `/`, or in single quotes"
};

/// Advice on a missing program.
pub(super) const PATHS: &str =
    "paths start from the current folder; names without `/` are looked for in PATH";

impl Config {
    /// Makes this the config of a tuning.
    pub(crate) fn set_tuning(&mut self, table: tune::TuneTable) {
        self.run.format = Some(Choice(RunFormat::Tune));
        self.tune = Some(table);
    }

    /// Returns the memory limit of each process of a bot, in megabytes.
    pub(crate) fn memory_mb(&self) -> u64 {
        let default = Integer(DEFAULT_MEMORY_MB);
        self.limits.memory_mb.unwrap_or(default).0
    }

    /// Returns all bots as written.
    pub(super) fn players(&self) -> Vec<BotLaunch> {
        self.bot.iter().map(Bot::launch).enumerate().collect()
    }
}

impl Bot {
    pub(super) fn launch(&self) -> Launch {
        Launch {
            env: self.env.clone(),
            read: self.read.clone(),
            folder: self.folder.clone(),
            ..Launch::new(&self.name, &self.command.0)
        }
    }
}

/// Makes the plan and the session, of a file or else `is_ad_hoc`. Cheap checks come first; programs
/// are looked up last.
pub(super) fn resolve(
    config: &Config,
    is_ad_hoc: bool,
    overrides: &Overrides,
    outside: Outside,
) -> Result<(Plan, Session), Mistakes> {
    let run = &config.run;
    let Choice(format) = run.format.unwrap_or(Choice(RunFormat::Gauntlet));
    let mut mistakes = Vec::new();
    mistakes.extend(check_format(config, format, overrides).err());
    mistakes.extend(check_stopping(config, format).err());
    mistakes.extend(check_uses(config).err());
    let study = study(config, is_ad_hoc, format, overrides);
    let study = study.map_err(|mistake| mistakes.push(mistake));
    let languages = languages(config).map_err(|mistake| mistakes.push(mistake));
    let (Ok((study, players)), Ok(languages)) = (study, languages) else {
        return Err(Mistakes(mistakes));
    };
    let mut planner = Planner {
        config,
        design: design(config, is_ad_hoc, &study),
        players: &players,
        languages: &languages,
        outside,
        warnings: Vec::new(),
    };
    mistakes.extend(planner.mistakes_of_bots());
    if !mistakes.is_empty() {
        return Err(Mistakes(mistakes));
    }
    let games = planner.games()?;
    check_same_seeds(config, &games)?;
    let mut warnings = planner.warnings;
    warnings.extend(repeated_tests(&study, &games));
    let session = session(config, overrides, warnings)?;
    let stderr = run.stderr.unwrap_or_default().0;
    let plan = Plan {
        name: run.name.clone().unwrap_or_default(),
        design: has_groups(config).then_some(planner.design),
        // Without a seed, one that no bot can guess: the system draws the keys of this hash.
        seed: match run.seed {
            Some(seed) => seed.0,
            None => RandomState::new().hash_one(()),
        },
        trace: overrides.trace,
        // Bots write metrics to standard error, so keeping one keeps the other.
        metrics: run.metrics.unwrap_or(stderr == KeptStderr::Turn),
        stderr,
        sandbox: config.sandbox.mode.unwrap_or_default().0,
        memory_mb: config.memory_mb(),
        study,
        languages,
        bots: players.into_iter().map(|(_, launch)| launch).collect(),
        games,
    };
    Ok((within_total(plan, run, overrides)?, session))
}

/// Returns the plan with as many games as `total_games` allows, if the config has it.
fn within_total(plan: Plan, run: &Run, overrides: &Overrides) -> Read<Plan> {
    match (run.total_games, &plan.study, overrides.games) {
        (Some(total), &StudyPlan::List(list), None) => {
            plan.within(list, total.0).map_err(|fewest| {
                let too_few = "too few for every bot to play in every seat";
                let expected = format!("expected {fewest} or more, which is one game per pairing");
                Mistake::new("run.total_games", format!("{too_few}: {expected}"))
            })
        }
        _ => Ok(plan),
    }
}

/// Returns the study and the bots that play in it.
fn study(
    config: &Config,
    is_ad_hoc: bool,
    format: RunFormat,
    overrides: &Overrides,
) -> Read<(StudyPlan, Vec<BotLaunch>)> {
    let format = match (format, &config.sweep, &config.tune) {
        (RunFormat::Sprt, _, _) => {
            let test = sprt::resolve(config, &config.sprt.unwrap_or_default())?;
            return Ok((StudyPlan::Sprt(test), config.players()));
        }
        (RunFormat::Sweep, Some(table), _) => {
            let (sweep, variants) = sweep::resolve(config, table, overrides)?;
            return Ok((StudyPlan::Sweep(sweep), variants));
        }
        (RunFormat::Tune, _, Some(table)) => {
            let (tune, sides) = tune::resolve(config, table, overrides)?;
            return Ok((StudyPlan::Tune(tune), sides));
        }
        (RunFormat::RoundRobin, _, _) => arena_schedule::Format::RoundRobin,
        _ => arena_schedule::Format::Gauntlet,
    };
    let (games_per_pairing, precision) = length(config, is_ad_hoc, overrides);
    let list = List {
        format,
        same_seeds: config.run.same_seeds,
        games_per_pairing,
        precision,
        drop_below: config.run.drop_below.map(|percent| percent.0),
    };
    Ok((StudyPlan::List(list), config.players()))
}

/// Returns the games per pairing of a list, and the precision that ends it before. A duel that
/// doesn't say how long it is, in a file or by its time, ends once it has shown enough.
fn length(config: &Config, is_ad_hoc: bool, overrides: &Overrides) -> (u64, Option<f64>) {
    let run = &config.run;
    let games = overrides.games.or(run.games.map(|games| games.0));
    let ends_by_time = is_ad_hoc && overrides.has_time_limit;
    let ends_by_itself = is_ad_hoc && games.is_none() && !ends_by_time && config.bot.len() == 2;
    let precision = run.precision.map(|precision| precision.0);
    let precision = precision.or(ends_by_itself.then_some(DEFAULT_PRECISION));
    let is_open = precision.is_some() || run.drop_below.is_some() || ends_by_time;
    let most = if is_open { MAX_GAMES } else { GAMES };
    (games.unwrap_or(most), precision)
}

/// Returns how bots share the seats. Without a config, too few bots for them meet in pairs.
fn design(config: &Config, is_ad_hoc: bool, study: &StudyPlan) -> Design {
    let has_too_few = config.bot.len() < most_seats(config);
    match (config.run.design, study) {
        (Some(design), _) => design.0,
        (None, StudyPlan::List(_)) if !(is_ad_hoc && has_too_few) => Design::default(),
        (None, _) => Design::Mirror,
    }
}

fn session(config: &Config, overrides: &Overrides, warnings: Vec<String>) -> Read<Session> {
    let run = &config.run;
    let wanted = run.jobs.filter(|_| run.workers.is_none());
    let jobs =
        jobs(wanted.map(|jobs| jobs.0)).map_err(|too_many| Mistake::new("run.jobs", too_many))?;
    let mut builds = Vec::new();
    for Bot { name, build, .. } in &config.bot {
        builds.extend(build.clone().map(|command| Build {
            bot: name.clone(),
            command: command.0,
        }));
    }
    builds.extend(config.foreign.iter().filter_map(|game| game.build.clone()));
    let place = || Path::new(RESULTS).join(run.name.as_deref().unwrap_or_default());
    Ok(Session {
        out: overrides.out.clone().unwrap_or_else(place),
        existing: overrides.existing,
        jobs,
        pin: run.pin.unwrap_or(true),
        start_anyway: run.start_anyway,
        workers: run.workers.clone(),
        server: config.workers.clone(),
        seed_is_given: run.seed.is_some(),
        builds,
        warnings,
        go_on: None,
        confirm: config.tune.as_ref().is_some_and(|tune| tune.confirm),
    })
}

/// Returns the languages that the config adds, after checks.
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
            let other = taken.insert(extension.clone(), name);
            if let Some(other) = other.filter(|other| *other != name) {
                let same = format!("two languages have the same files, {}", quoted(other));
                let problem = format!("{same} and this one: expected other ends of file names");
                return Err(Mistake::new(format!("{path}.extensions"), problem));
            }
        }
        for (key, command) in [("compile", &language.compile), ("run", &language.run)] {
            for name in command.iter().flat_map(|word| braced(word)) {
                if !NAMES.contains(&name) {
                    let path = format!("{path}.{key}");
                    return Err(Mistake::unknown(&path, "name in braces", name, &NAMES));
                }
            }
        }
        let first = match &language.compile[..] {
            [] => &language.run,
            _ => &language.compile,
        };
        let is_named = first.iter().any(|word| word.contains("{source}"));
        if language.run.is_empty() || !is_named {
            let problem =
                "no command of this language names the source file: expected `{source}` in one";
            return Err(Mistake::new(format!("{path}.run"), problem));
        }
    }
    Ok(languages)
}

/// Explains why `name` can't name a bot, if so.
pub(crate) fn bot_name_problem(name: &str) -> Option<String> {
    match name.chars().count() {
        ..=LONGEST_NAME => name_problem(name),
        length => Some(format!(
            "it has {length} characters, and a name {LONGEST_NAME} at most"
        )),
    }
}

/// Explains why `name` can't name a bot or a run, if so. A name has to fit into a table cell and a
/// CSV field.
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

/// Returns the name of the run, which also names a directory. The default is the file's name.
pub(super) fn run_name(config: &Config, source: &str) -> Read<String> {
    let name = config.run.name.clone().unwrap_or_else(|| {
        let stem = Path::new(source).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    });
    let is_folder =
        !matches!(&*name, "." | "..") && !name.contains(is_separator) && name.len() <= 200;
    if !is_folder {
        let expected = "expected at most 200 bytes without `/`, and neither `.` nor `..`";
        let problem = format!("a run's name is a directory under `results`: {expected}");
        return Err(Mistake::new("run.name", problem));
    }
    match name_problem(&name) {
        None => Ok(name),
        Some(problem) => Err(Mistake::new("run.name", problem)),
    }
}

/// Checks the settings of a bot. `first` is the bot before it with the same name, if any.
fn check_bot(
    config: &Config,
    path: &str,
    (table, launch): &BotLaunch,
    first: Option<usize>,
) -> Read<()> {
    let Launch { name, env, .. } = launch;
    let bot = &config.bot[*table];
    let wrong = |key: &str, problem: &str| Mistake::new(format!("{path}.{key}"), problem);
    let plays = |own: &Vec<String>| config.games.iter().any(|(_, spec)| own.contains(&spec.id));
    Err(if let Some(problem) = bot_name_problem(&bot.name) {
        wrong("name", &problem)
    } else if let Some(first) = first {
        wrong("name", &format!("two bots are called {}", quoted(name)))
            .help("give one of them another name")
            .related(format!("bot.{first}.name"), "first used here")
    } else if let Some(key) = env.keys().find(|key| key.is_empty() || key.contains('=')) {
        let problem = "expected a name of a variable that is not empty and without `=`";
        wrong(&format!("env.{key}"), problem)
    } else if !bot.own.as_ref().is_none_or(plays) {
        wrong("games", "the bot plays no game of this run")
            .related("run.game", "the games of the run")
    } else if launch.read.iter().any(|path| path.as_os_str().is_empty()) {
        let problem = "expected the path of a folder or file, found an empty one";
        wrong("read", problem)
    } else {
        return Ok(());
    })
}

/// Checks that a sweep or tuning has its table, and that no run has settings of another format.
fn check_format(config: &Config, format: RunFormat, overrides: &Overrides) -> Read<()> {
    let run = &config.run;
    let mut kind = None;
    for (own, what, is_written) in [
        (RunFormat::Sprt, "a sequential test", config.sprt.is_some()),
        (RunFormat::Sweep, "a sweep", config.sweep.is_some()),
        (RunFormat::Tune, "a tuning", config.tune.is_some()),
    ] {
        if own == format {
            kind = Some(what);
        }
        if is_written && own != format {
            let problem = format!("a table `[{own}]` is for a run with `format = \"{own}\"`");
            let help = "write both, or none of them";
            return Err(Mistake::new(own.to_string(), problem).help(help));
        }
        // A test without a table has the default hypotheses.
        if !is_written && own == format && own != RunFormat::Sprt {
            let problem = format!("{what} needs a table `[{own}]`, which is missing");
            return Err(Mistake::new("run.format", problem));
        }
    }
    let Some(what) = kind else { return Ok(()) };
    let no_number = format!("{what} has no fixed number of games");
    let max_units = format!("`max_units` in `[{format}]` says how long it is at most");
    let mistake = if let [_, (second, _), ..] = &config.games[..] {
        Mistake::new(second, format!("{what} is about one game"))
            .help("give each game its own config")
    } else if run.games.is_some() {
        Mistake::new("run.games", format!("{no_number}: expected none")).help(max_units)
    } else if run.total_games.is_some() {
        Mistake::new("run.total_games", format!("{no_number}: expected none")).help(max_units)
    } else if run.same_seeds {
        let problem = "`same_seeds` is for a gauntlet or a round robin: expected none";
        Mistake::new("run.same_seeds", problem)
    } else if !matches!(run.design, None | Some(Choice(Design::Mirror))) {
        let problem = format!("{what} divides the seats between two bots: expected `\"mirror\"`");
        Mistake::new("run.design", problem)
    } else if format == RunFormat::Sprt && overrides.games.is_some() {
        let problem = format!("{no_number}: expected no `--games`");
        return Err(Mistake::new("run.format", problem).help(max_units));
    } else {
        return Ok(());
    };
    Err(mistake.related("run.format", "because of this format"))
}

/// Rejects a precision and `drop_below` unless they end a match of two bots.
fn check_stopping(config: &Config, format: RunFormat) -> Read<()> {
    let bots = config.bot.len();
    let (key, what) = match (config.run.precision, config.run.drop_below) {
        (None, None) => return Ok(()),
        (Some(_), _) => ("run.precision", "a precision"),
        (None, Some(_)) => ("run.drop_below", "`drop_below`"),
    };
    let mistake = if !matches!(format, RunFormat::Gauntlet | RunFormat::RoundRobin) {
        let problem =
            format!("a run with `format = \"{format}\"` ends by its own rule: expected none");
        Mistake::new(key, problem).related("run.format", "because of this format")
    } else if let [_, (second, _), ..] = &config.games[..] {
        let problem = format!("{what} ends a match in one game: expected none");
        Mistake::new(key, problem).related(second, "the second game")
    } else if bots != 2 {
        let bots = count(bots as u64, "bot plays", "bots play");
        let problem = format!("{what} ends a match of two bots, and {bots}: expected none");
        Mistake::new(key, problem)
    } else {
        return Ok(());
    };
    Err(mistake)
}

/// Returns the largest number of seats of a game.
fn most_seats(config: &Config) -> usize {
    config
        .games
        .iter()
        .fold(0, |most, (_, spec)| most.max(spec.default_seats()))
}

/// Whether a game has more than two seats.
fn has_groups(config: &Config) -> bool {
    most_seats(config) > 2
}

/// Rejects settings that this run can't use: a design for two seats, options of a game that it
/// doesn't play, or limits without the sandbox.
fn check_uses(config: &Config) -> Read<()> {
    let Config { run, games, .. } = config;
    if run.design.is_some() && !has_groups(config) {
        let problem =
            "`design` is for games of more than two seats, and no game of this run has them";
        return Err(Mistake::new("run.design", problem));
    }
    let mut with_options = config.options.keys();
    if let Some(id) = with_options.find(|id| !games.iter().any(|(_, spec)| spec.id == **id)) {
        let problem = format!("`[game.{id}]` is for a game that this run does not play");
        let help = format!("add `{id}` to the games of `[run]`, or leave this table out");
        return Err(Mistake::new(format!("game.{id}"), problem).help(help));
    }
    if run.games.is_some() && run.total_games.is_some() {
        let problem = "`games` and `total_games` both say how many games are played: expected one";
        let mistake = Mistake::new("run.total_games", problem);
        return Err(mistake.related("run.games", "the games per pairing"));
    }
    if config.limits.memory_mb.is_some() && config.sandbox.mode == Some(Choice(Mode::Off)) {
        let problem = "without the sandbox there are no limits: expected none";
        let mistake = Mistake::new("limits.memory_mb", problem);
        return Err(mistake.related("sandbox.mode", "turned off here"));
    }
    Ok(())
}

/// Rejects the same seeds for all pairings where there is one pairing, or where a unit isn't played
/// by two bots.
fn check_same_seeds(config: &Config, games: &[PlannedGame]) -> Read<()> {
    const KEY: &str = "run.same_seeds";
    if !config.run.same_seeds {
        return Ok(());
    }
    for (game, (path, _)) in games.iter().zip(&config.games) {
        if game.seats() != 2 {
            let problem = "`same_seeds` is for games of two seats: expected none";
            let seats = count(game.seats() as u64, "seat", "seats");
            let why = format!("`{}` has {seats}", game.id);
            return Err(Mistake::new(KEY, problem).related(path, why));
        }
    }
    if games.iter().all(|game| game.bots.len() == 2) {
        let problem =
            "`same_seeds` is for three or more bots, because two have one pairing: expected none";
        return Err(Mistake::new(KEY, problem));
    }
    Ok(())
}

/// Plans the games of a run, and checks its bots.
struct Planner<'c> {
    config: &'c Config,
    design: Design,
    players: &'c [BotLaunch],
    languages: &'c Languages,
    outside: Outside,
    warnings: Vec<String>,
}

/// Warns of a list of games that plays test cases more than once.
fn repeated_tests(study: &StudyPlan, games: &[PlannedGame]) -> Option<String> {
    if !matches!(study, StudyPlan::List(_)) {
        return None;
    }
    for PlannedGame { id, referee, .. } in games {
        let tests = referee.as_ref().map_or(0, |referee| referee.tests.len()) as u64;
        if (1..study.games_per_pairing()).contains(&tests) {
            return Some(format!(
                "`{id}` has {tests} test cases, which repeat: `games = {tests}` plays each once"
            ));
        }
    }
    None
}

impl Planner<'_> {
    /// Returns the first mistake of each bot: its name, which must be unique, its other settings,
    /// or its program.
    fn mistakes_of_bots(&self) -> Vec<Mistake> {
        let mut seen = HashMap::new();
        let mut mistakes: Vec<Mistake> = Vec::new();
        for player in self.players {
            let (table, launch) = player;
            let path = format!("bot.{table}");
            let first = seen.insert(&launch.name, *table);
            let checked = check_bot(self.config, &path, player, first)
                .and_then(|()| self.check_program(&path, player));
            // All variants of a bot have the same mistakes.
            let is_known = |known: &Mistake| is_within(known.path(), &path);
            if !mistakes.iter().any(is_known) {
                mistakes.extend(checked.err());
            }
        }
        mistakes
    }

    /// Checks that a bot can be built or, without a build command, started, and that it may read
    /// what exists.
    fn check_program(&self, path: &str, (table, launch): &BotLaunch) -> Read<()> {
        let (key, verb, command) = match &self.config.bot[*table].build {
            Some(Command(words)) => ("build", "built", words),
            None => ("command", "started", &launch.command),
        };
        let bot = quoted(&launch.name);
        (self.outside.find_start)(self.languages, command).map_err(|problem| {
            let problem = format!("bot {bot} cannot be {verb}: {problem}");
            Mistake::new(format!("{path}.{key}.0"), problem).help(PATHS)
        })?;
        if key == "build" {
            // The build may make what the bot reads.
            return Ok(());
        }
        for (item, read) in launch.read.iter().enumerate() {
            (self.outside.exists)(read).map_err(|problem| {
                let read = quoted(&read.display().to_string());
                let problem = format!("bot {bot} cannot read {read}: {problem}");
                Mistake::new(format!("{path}.read.{item}"), problem).help(PATHS)
            })?;
        }
        Ok(())
    }

    fn games(&mut self) -> Read<Vec<PlannedGame>> {
        let mut games = Vec::new();
        for (path, spec) in &self.config.games {
            let mut referee = None;
            if let Some(foreign) = self.config.foreign.iter().find(|own| own.id == spec.id) {
                foreign.check_program(self.languages, self.outside)?;
                self.warnings.extend(foreign.warning());
                referee = Some(foreign.with_tests(self.outside)?);
            }
            games.push(PlannedGame {
                id: spec.id.clone(),
                clock: self.config.clock.clock(spec),
                opening_plies: self.opening_plies(spec)?,
                seats: (spec.seats.start() < spec.seats.end()).then_some(spec.default_seats()),
                options: games::options(self.config, spec, self.outside, &mut self.warnings)?,
                bots: self.bots_of(path, spec)?,
                referee,
                spec: Some(Arc::clone(spec)),
            });
        }
        Ok(games)
    }

    /// Returns the bots that play a game, or an error if there are too few.
    fn bots_of(&self, path: &str, spec: &GameSpec) -> Read<Vec<String>> {
        let mut players: Vec<&BotLaunch> = self.players.iter().collect();
        players.retain(|(table, _)| {
            let own = &self.config.bot[*table].own;
            own.as_ref().is_none_or(|own| own.contains(&spec.id))
        });
        let needed = bots_needed(self.design, spec.default_seats());
        let count = players.len();
        if count >= needed {
            let name = |player: &BotLaunch| player.1.name.clone();
            return Ok(players.into_iter().map(name).collect());
        }
        let too_few = format!("too few bots play `{}`", spec.id);
        let problem = format!("{too_few}: expected {needed} or more, found {count}");
        let mut mistake = Mistake::new(path, problem);
        for (table, _) in &players {
            mistake = mistake.related(format!("bot.{table}.name"), "plays it");
        }
        Err(mistake.help(if needed > 2 && count >= 2 {
            "`design = \"mirror\"` in `[run]` lets bots meet in pairs, which share the seats"
        } else {
            "each bot has its own table `[[bot]]`"
        }))
    }

    /// Returns the opening length of a game. Rejects openings for a run whose only game has none.
    fn opening_plies(&self, spec: &GameSpec) -> Read<u32> {
        match (self.config.run.opening_plies, &self.config.games[..]) {
            (Some(Plies(plies)), _) if spec.has_opening => Ok(plies),
            (Some(Plies(1..)), [(only, _)]) => {
                let problem = format!("`{}` is played without openings: expected 0", spec.id);
                let mistake = Mistake::new("run.opening_plies", problem);
                Err(mistake.related(only, "has no openings"))
            }
            (None, _) if spec.has_opening => Ok(OPENING_PLIES),
            _ => Ok(0),
        }
    }
}

impl ClockTable {
    /// Returns the time limits of a game.
    pub(crate) fn clock(&self, spec: &GameSpec) -> Clock {
        let duration = |ms: Option<u64>, default| ms.map_or(default, Duration::from_millis);
        Clock {
            first_turn: duration(self.first_turn_ms.map(|ms| ms.0), spec.first_turn),
            turn: duration(self.turn_ms.map(|ms| ms.0), spec.turn),
            startup: duration(self.startup_ms.map(|ms| ms.0), DEFAULT_STARTUP),
            rules: self.rules.unwrap_or_default().0,
            no_ponder: self.no_ponder.unwrap_or(true),
        }
    }
}

/// The most games that a core can play at the same time. Beyond it, bots wait so long for a core
/// that they lose on time.
const MOST_JOBS_PER_CORE: usize = 16;

/// Returns how many games these cores play at the same time by default: one each, or half as many
/// on Windows, where nothing makes up for a wait for a core.
pub(crate) fn default_jobs(cores: usize) -> usize {
    if cfg!(windows) {
        cores.div_ceil(2)
    } else {
        cores
    }
}

/// Returns the number of games to play at the same time.
///
/// # Errors
/// If the cores can't play so many.
pub(crate) fn jobs(wanted: Option<u64>) -> Result<usize, Unusable> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let jobs = wanted.map_or(default_jobs(cores), |jobs| {
        usize::try_from(jobs).unwrap_or(usize::MAX)
    });
    let most = MOST_JOBS_PER_CORE * cores;
    if jobs <= most {
        return Ok(jobs);
    }
    let cores = count(cores as u64, "core", "cores");
    Err(Unusable(format!(
        "{jobs} games at the same time are too many for {cores}: expected {most} or fewer"
    )))
}
