//! `[game.NAME]` of a game with an external referee.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::document::Document;
use super::mistake::{Mistake, Read};
use super::parameters::has_only_name_characters;
use super::resolve::PATHS;
use super::values::{Choice, Command, Integer, OneOrMore};
use super::{LimitMs, MemoryMb, Outside, Unusable};
use crate::play::foreign::{Protocol, Referee, config_of_project};
use crate::tournament::Build;
use arena_games::{Games, MAX_SEATS};
use arena_process::languages::Languages;
use arena_process::{LIST, read_input_text};
use arena_section::words::count;

/// A game with an external referee, see docs/how-to/referees.md. `game` in `[run]` lists its NAME
/// like any other game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefereeTable {
    /// The command that starts the referee. A source file is compiled first, as for bots.
    /// Default: this or `jar` is required. Example: `["python3", "referees/tictactoe.py"]`.
    referee: Option<Command>,
    /// A referee made with CodinGame's SDK, which `java` starts: its jar, or a list of jars and
    /// folders of classes. `DIR/*` is all jars of a folder.
    /// Default: none. Example: `["target/classes", "target/dependency/*"]`.
    jar: Option<OneOrMore<String>>,
    /// The league, with `jar` only.
    /// Default: the referee's own. Example: `4`.
    league: Option<Integer<1, 100>>,
    /// The seats of a game. With 1, bots play alone. For a list, there is a game for each number,
    /// such as `ants-2` and `ants-3`. If the referee promises others, arena takes those.
    /// Default: `2`. Example: `[2, 3]`.
    seats: Option<OneOrMore<Integer<1, { MAX_SEATS as u64 }>>>,
    /// Run once before the first game, outside the sandbox.
    /// Default: none. Example: `"make tracks"`.
    build: Option<Command>,
    /// What people call the game.
    /// Default: its name. Example: `"The race"`.
    title: Option<String>,
    /// How the referee talks to arena.
    /// Default: `"codingame"`. Example: `"brutaltester"`.
    protocol: Option<Choice<Protocol>>,
    /// Whether games follow from a seed. If not, they can't be verified, and bots that swap seats
    /// play different games.
    /// Default: `true`. Example: `false`.
    seed: Option<bool>,
    /// The lower score is the better one.
    /// Default: `false`. Example: `true`.
    #[serde(default)]
    lower_is_better: bool,
    /// Play many games with one process.
    /// Default: if the referee promises to support it. Example: `true`.
    reuse: Option<bool>,
    /// Milliseconds until its next question.
    /// Default: `20000`. Example: `5000`.
    referee_ms: Option<LimitMs>,
    /// Megabytes of memory for each of its processes.
    /// Default: `1024`. Example: `512`.
    memory_mb: Option<MemoryMb>,
    /// Further folders and files that it may read in the sandbox.
    /// Default: `[]`. Example: `["tracks"]`.
    #[serde(default)]
    read: Vec<PathBuf>,
    /// Lines `key=value` for the referee, after the seed.
    /// Default: `{}`. Example: `{ track = "7" }`.
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// The folder of test cases of a game for one player, `test1.json` and so on. The seeds are the
    /// cases that count on the site, in order.
    /// Default: none. Example: `"config"`.
    tests: Option<PathBuf>,
    /// With `tests`, the name of the score among the game's metadata; fractions are rounded. A lost
    /// game without it is a fault.
    /// Default: none, 1 for a win. Example: `"Points"`.
    criteria: Option<String>,
}

/// A game with an external referee.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForeignGame {
    pub(super) id: String,
    pub(super) referee: Referee,
    pub(super) build: Option<Build>,
    /// The path to the key of its command.
    command: String,
    /// The folder of its test cases.
    tests: Option<PathBuf>,
    /// The folder of its league, if it is a project of the SDK of `CodinGame`.
    league: Option<PathBuf>,
}

/// Reads the tables of games with an external referee, which have a `referee` or a `jar`.
pub(super) fn read(document: &Document<'_>, known: &Games) -> Read<Vec<ForeignGame>> {
    let mut games: Vec<ForeignGame> = Vec::new();
    for name in document.keys("game") {
        let path = format!("game.{name}");
        let keys = document.keys(&path);
        if !keys.iter().any(|key| key == "referee" || key == "jar") {
            continue;
        }
        if name.is_empty() || !has_only_name_characters(&name) {
            let problem = "expected a name of letters, digits, `_` and `-`";
            return Err(Mistake::new(path, problem));
        }
        if known.search(&name).is_some() {
            let problem = format!("`{name}` is a game of the arena itself: expected another name");
            return Err(Mistake::new(path, problem));
        }
        let table: RefereeTable = document.read(&path)?;
        for game in table.games(&name, &path)? {
            if games.iter().any(|other| other.id == game.id) {
                let same = format!("two games are called `{}`", game.id);
                let expected = "expected other `seats`, or another name of the table";
                return Err(Mistake::new(path, format!("{same}: {expected}")));
            }
            games.push(game);
        }
    }
    Ok(games)
}

impl RefereeTable {
    /// Returns the game, or one for each number of seats.
    fn games(&self, name: &str, path: &str) -> Read<Vec<ForeignGame>> {
        let (key, command) = self.command(path)?;
        let referee = self.referee(name, path, command)?;
        let seats = self.seats(path)?;
        self.check_tests(&seats, path)?;
        check_scores(&referee, &seats, path)?;
        let build = self.build.clone().map(|Command(command)| Build {
            bot: format!("referee of {name}"),
            command,
        });
        let table = ForeignGame {
            build,
            command: format!("{path}.{key}"),
            tests: self.tests.clone(),
            league: self.league_folder(),
            ..ForeignGame::new(name, referee)
        };
        let mut games = vec![table; seats.len()];
        for (game, own) in games.iter_mut().zip(&seats) {
            let referee = &mut game.referee;
            referee.seats = *own;
            if seats.len() > 1 {
                game.id = format!("{name}-{own}");
                let seats = count(*own as u64, "seat", "seats");
                referee.title = format!("{}, {seats}", referee.title);
            }
        }
        Ok(games)
    }

    /// Returns the key of the command that starts the referee, and the command.
    fn command(&self, path: &str) -> Read<(&'static str, Vec<String>)> {
        match (&self.referee, &self.jar, &self.league) {
            (Some(Command(words)), None, None) => Ok(("referee", words.clone())),
            (None, Some(OneOrMore(jars)), league) => {
                let league = league.map(|league| league.0);
                let solo = self.tests.is_some();
                Ok(("jar", Referee::of_jar(&jars.join(LIST), league, solo)))
            }
            (_, jar, _) => {
                let key = if jar.is_some() { "jar" } else { "league" };
                let problem = "`jar` with `league` replaces `referee`: expected one of the two";
                let help = "a command names its league as `-Dleague.level=N`";
                Err(Mistake::new(format!("{path}.{key}"), problem).help(help))
            }
        }
    }

    fn league_folder(&self) -> Option<PathBuf> {
        let config = config_of_project(&self.jar.as_ref()?.0.join(LIST))?;
        Some(config.join(format!("level{}", self.league?.0)))
    }

    fn referee(&self, name: &str, path: &str, command: Vec<String>) -> Read<Referee> {
        self.check_options(path)?;
        let plain = Referee::new(name, command);
        let referee = Referee {
            title: self.title.clone().unwrap_or(plain.title),
            protocol: self.protocol.unwrap_or(Choice(plain.protocol)).0,
            seed: self.seed.unwrap_or(plain.seed),
            lower_is_better: self.lower_is_better,
            reuse: self.reuse,
            patience_ms: self.referee_ms.unwrap_or(Integer(plain.patience_ms)).0,
            memory_mb: self.memory_mb.unwrap_or(Integer(plain.memory_mb)).0,
            read: self.read.clone(),
            options: self.options.clone(),
            criteria: self.criteria.clone(),
            ..plain
        };
        if referee.reuse == Some(true) && !referee.is_reusable() {
            let only = format!("a process that speaks the protocol {}", referee.protocol);
            let problem = format!("{only} plays one game: expected `false`, or no `reuse`");
            return Err(Mistake::new(format!("{path}.reuse"), problem));
        }
        Ok(referee)
    }

    /// Checks the keys of a game for one player.
    fn check_tests(&self, seats: &[usize], path: &str) -> Read<()> {
        let (key, problem) = match (&self.tests, &self.criteria) {
            (Some(_), _) if seats != [1] => {
                ("seats", "test cases are for one player: expected `1`")
            }
            (None, Some(_)) => ("criteria", "only games with `tests` have a criterion"),
            _ => return Ok(()),
        };
        Err(Mistake::new(format!("{path}.{key}"), problem))
    }

    /// Checks the lines `key=value` for the referee.
    fn check_options(&self, path: &str) -> Read<()> {
        for (key, value) in &self.options {
            let is_taken = ["", "seed", "arena"].contains(&key.as_str());
            let is_one_line = !format!("{key}{value}").contains(['\n', '\r', '\0']);
            if is_taken || key.contains('=') || !is_one_line {
                let problem = "expected a name without `=` that isn't `seed` or `arena`, and a value of one line";
                return Err(Mistake::new(format!("{path}.options.{key}"), problem));
            }
        }
        Ok(())
    }

    /// Returns the numbers of seats, each once.
    fn seats(&self, path: &str) -> Read<Vec<usize>> {
        let Some(OneOrMore(written)) = &self.seats else {
            return Ok(vec![2]);
        };
        let mut seats = Vec::new();
        for (item, Integer(own)) in written.iter().enumerate() {
            let own = usize::try_from(*own).unwrap_or(MAX_SEATS);
            if seats.contains(&own) {
                let problem = format!("{own} seats for the second time");
                return Err(Mistake::new(format!("{path}.seats.{item}"), problem));
            }
            seats.push(own);
        }
        Ok(seats)
    }
}

/// A test case of a game for one player, as the SDK of `CodinGame` stores it.
#[derive(Deserialize)]
struct TestCase {
    #[serde(rename = "testIn")]
    input: String,
    /// Whether it counts on the site; a truth value or its name.
    #[serde(rename = "isValidator", default)]
    counts: serde_json::Value,
}

/// Reads the test cases in a folder in the order of their numbers: those that count on the site, or
/// all if none does.
pub(crate) fn test_cases(folder: &Path) -> Result<Vec<String>, Unusable> {
    fn unreadable<E: Display>(path: &Path) -> impl Fn(E) -> Unusable {
        move |error| Unusable(format!("can't read {}: {error}", path.display()))
    }
    let number_of = |name: &OsStr| -> Option<u32> {
        let number = name.to_str()?.strip_prefix("test")?.strip_suffix(".json")?;
        number.parse().ok()
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable(folder))?.flatten() {
        files.extend(number_of(&entry.file_name()).zip(Some(entry.path())));
    }
    files.sort();
    let mut cases: Vec<TestCase> = Vec::new();
    for (_, file) in files {
        let text = read_input_text(&file).map_err(unreadable(&file))?;
        cases.push(serde_json::from_str(&text).map_err(unreadable(&file))?);
    }
    if cases.is_empty() {
        return Err(Unusable(format!("{} has no test1.json", folder.display())));
    }
    let counts = |case: &TestCase| case.counts == true || case.counts == "true";
    if cases.iter().any(counts) {
        cases.retain(counts);
    }
    Ok(cases.into_iter().map(|case| case.input).collect())
}

/// Rejects settings that need scores in a protocol without scores.
fn check_scores(referee: &Referee, seats: &[usize], path: &str) -> Read<()> {
    let key = match referee.protocol {
        Protocol::Brutaltester if seats.contains(&1) => "seats",
        Protocol::Brutaltester if referee.lower_is_better => "lower_is_better",
        _ => return Ok(()),
    };
    let problem = "the protocol brutaltester has places and no scores: expected another value";
    let help = "`protocol = \"codingame\"` has scores";
    Err(Mistake::new(format!("{path}.{key}"), problem).help(help))
}

impl ForeignGame {
    /// Makes a game from its referee alone.
    pub(crate) fn new(id: &str, referee: Referee) -> ForeignGame {
        ForeignGame {
            id: id.to_owned(),
            referee,
            ..ForeignGame::default()
        }
    }

    /// Returns its referee with its test cases, after a check of its league.
    pub(super) fn with_tests(&self, outside: Outside) -> Read<Referee> {
        let mut referee = self.referee.clone();
        if let Some(folder) = &self.tests {
            let path = format!("game.{}.tests", self.id);
            let read = (outside.test_cases)(folder);
            referee.tests = read.map_err(|why| Mistake::new(path, why).help(PATHS))?;
        }
        if let Some(folder) = &self.league
            && (outside.exists)(&folder.with_file_name("level1")).is_ok()
        {
            (outside.exists)(folder).map_err(|_| {
                let path = format!("game.{}.league", self.id);
                let expected = "expected a league of its project: there is no folder";
                Mistake::new(path, format!("{expected} {}", folder.display()))
            })?;
        }
        Ok(referee)
    }

    /// Warns if the referee takes no seed.
    pub(super) fn warning(&self) -> Option<String> {
        let lost = "bots that swap seats share no deal, and `arena verify` cannot prove its games";
        (!self.referee.seed).then(|| format!("`{}`: its referee takes no seed: {lost}", self.id))
    }

    /// Checks that the referee can be started, unless it has to be built first.
    pub(super) fn check_program(&self, languages: &Languages, outside: Outside) -> Read<()> {
        if self.build.is_some() {
            return Ok(());
        }
        (outside.find_start)(languages, &self.referee.command).map_err(|problem| {
            let problem = format!("the referee of `{}` cannot be started: {problem}", self.id);
            Mistake::new(self.command.as_str(), problem).help(PATHS)
        })
    }
}
