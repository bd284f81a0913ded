//! `[game.NAME]` of a game with an external referee.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::document::Document;
use super::mistake::{Mistake, Read};
use super::parameters::has_only_name_characters;
use super::resolve::PATHS;
use super::values::{Choice, Command, Integer, OneOrMore, or_auto};
use super::{LimitMs, MemoryMb, Outside};
use crate::play::foreign::{Protocol, Referee};
use crate::tournament::Build;
use arena_games::{Games, MAX_SEATS};
use arena_process::languages::Languages;
use arena_section::words::count;

/// The table as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefereeTable {
    referee: Option<Command>,
    jar: Option<String>,
    league: Option<Integer<1, 100>>,
    seats: Option<OneOrMore<Integer<1, { MAX_SEATS as u64 }>>>,
    build: Option<Command>,
    title: Option<String>,
    protocol: Option<Choice<Protocol>>,
    seed: Option<bool>,
    #[serde(default)]
    lower_is_better: bool,
    #[serde(default, deserialize_with = "or_auto")]
    reuse: Option<bool>,
    referee_ms: Option<LimitMs>,
    memory_mb: Option<MemoryMb>,
    #[serde(default)]
    read: Vec<PathBuf>,
    #[serde(default)]
    options: BTreeMap<String, String>,
}

/// A game with an external referee.
#[derive(Clone, Debug)]
pub(crate) struct ForeignGame {
    pub(super) id: String,
    pub(super) referee: Referee,
    pub(super) build: Option<Build>,
    /// The path to the key of its command.
    command: String,
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
                let problem = format!(
                    "two games are called `{}`: expected other `seats`, or another name of the table",
                    game.id
                );
                return Err(Mistake::new(path, problem));
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
        let command_path = format!("{path}.{key}");
        let referee = self.referee(name, path, command)?;
        let seats = self.seats(path)?;
        check_scores(&referee, &seats, path)?;
        let build = self.build.clone().map(|Command(command)| Build {
            bot: format!("referee of {name}"),
            command,
        });
        let mut games = Vec::new();
        for &own in &seats {
            let mut game = ForeignGame {
                id: name.to_owned(),
                referee: Referee {
                    seats: own,
                    ..referee.clone()
                },
                build: build.clone(),
                command: command_path.clone(),
            };
            if seats.len() > 1 {
                game.id = format!("{name}-{own}");
                game.referee.title =
                    format!("{}, {}", referee.title, count(own as u64, "seat", "seats"));
            }
            games.push(game);
        }
        Ok(games)
    }

    /// Returns the key of the command that starts the referee, and the command.
    fn command(&self, path: &str) -> Read<(&'static str, Vec<String>)> {
        match (&self.referee, &self.jar, &self.league) {
            (Some(Command(words)), None, None) => Ok(("referee", words.clone())),
            (None, Some(jar), league) => {
                let league = league.map(|league| league.0);
                Ok(("jar", Referee::of_jar(jar, league)))
            }
            (_, jar, _) => {
                let key = jar.as_ref().map_or("league", |_| "jar");
                let problem = "`jar` with `league` stands for a `referee`: expected one of the two";
                let help = "a command names its league as `-Dleague.level=N`";
                Err(Mistake::new(format!("{path}.{key}"), problem).help(help))
            }
        }
    }

    fn referee(&self, name: &str, path: &str, command: Vec<String>) -> Read<Referee> {
        self.check_options(path)?;
        let plain = Referee::new(name, command);
        let referee = Referee {
            title: self.title.clone().unwrap_or(plain.title),
            protocol: self.protocol.map_or(plain.protocol, |protocol| protocol.0),
            seed: self.seed.unwrap_or(plain.seed),
            lower_is_better: self.lower_is_better,
            reuse: self.reuse,
            patience_ms: self.referee_ms.map_or(plain.patience_ms, |ms| ms.0),
            memory_mb: self.memory_mb.map_or(plain.memory_mb, |mb| mb.0),
            read: self.read.clone(),
            options: self.options.clone(),
            ..plain
        };
        if referee.reuse == Some(true) && !referee.is_reusable() {
            let protocol = referee.protocol;
            let problem = format!(
                "a process that speaks the protocol {protocol} plays one game: expected `false`, or no `reuse`"
            );
            return Err(Mistake::new(format!("{path}.reuse"), problem));
        }
        Ok(referee)
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
            build: None,
            command: String::new(),
        }
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
