//! `[game.NAME]` of a game whose referee is a program of its own.

use std::path::PathBuf;
use std::sync::Arc;

use super::document::{Found, Table};
use super::mistake::{Mistake, Read};
use super::values::{Command, Integer};
use super::{LimitMs, MemoryMb, Outside};
use crate::foreign::Referee;
use crate::tournament::Build;
use arena_games::{Games, MAX_SEATS};
use arena_process::languages::Languages;

/// The leagues of the site.
type League = Integer<1, 100>;

/// A game of the config.
#[derive(Clone)]
pub(super) struct ForeignGame<'d> {
    pub(super) id: String,
    pub(super) referee: Referee,
    pub(super) build: Option<Build>,
    /// Where its command is written.
    command: Found<'d>,
}

/// Takes the tables of such games, which are those with a `referee` or a `jar`.
pub(super) fn read<'d>(tables: &mut Table<'d>, known: &Games) -> Read<Vec<ForeignGame<'d>>> {
    let names_referee = |found: &Found<'_>| {
        found
            .value()
            .as_table()
            .is_some_and(|table| table.contains_key("referee") || table.contains_key("jar"))
    };
    let games: Vec<Vec<ForeignGame<'d>>> = tables
        .take_all(names_referee)
        .into_iter()
        .map(|found| games(found, known))
        .collect::<Read<_>>()?;
    let games: Vec<ForeignGame<'d>> = games.into_iter().flatten().collect();
    for (place, game) in games.iter().enumerate() {
        if games[..place].iter().any(|other| other.id == game.id) {
            let title = format!("two games are called `{}`", game.id);
            return Err(game.command.mistake(
                title,
                "expected another name of the table, or other `seats`",
            ));
        }
    }
    Ok(games)
}

/// All games that a config may name.
pub(super) fn and_known(games: &[ForeignGame<'_>], known: &Games) -> Games {
    let own = games
        .iter()
        .map(|game| Arc::new(game.referee.spec(&game.id)));
    Games(known.iter().cloned().chain(own).collect())
}

/// The referees with the ids of their games.
pub(super) fn named(games: Vec<ForeignGame<'_>>) -> Vec<(String, Referee)> {
    games
        .into_iter()
        .map(|game| (game.id, game.referee))
        .collect()
}

/// The game of a table; one for each number of seats where there are several.
fn games<'d>(found: Found<'d>, known: &Games) -> Read<Vec<ForeignGame<'d>>> {
    let id = found.key();
    let is_name = !id.value.is_empty()
        && id
            .value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if !is_name {
        return Err(id.mistake(
            "bad name of a game",
            "expected letters, digits, `_` and `-`",
        ));
    }
    if known.search(&id.value).is_some() {
        return Err(id.mistake(
            format!("`{}` is a game of the arena itself", id.value),
            "expected another name",
        ));
    }
    let mut table = found.table(&format!("[game.{}]", id.value))?;
    let written = table.take("referee");
    let command = written.map(Found::command).transpose()?;
    let jar = table.take("jar");
    let league = table.at("league", League::read);
    let (command, place) = match (command, written, jar) {
        (Some(Command { words, .. }), Some(place), None) => (words, place),
        (None, _, Some(jar)) => (
            Referee::of_jar(&jar.argument()?, league.as_ref().map(|league| league.value)),
            jar,
        ),
        (_, _, Some(jar)) => {
            return Err(jar.mistake("`jar` stands for a `referee`", "expected one of the two"));
        }
        _ => return Err(found.refuse("a table with `referee` or `jar`")),
    };
    if let Some(league) = league.filter(|_| written.is_some()) {
        return Err(league.mistake(
            "`league` goes with `jar`",
            "expected it in the command, as `-Dleague.level=N`",
        ));
    }
    let plain = Referee::new(&id.value, command);
    let seats = table.value("seats", seats).unwrap_or_default();
    let build = table.value("build", Found::command);
    let title = table.value("title", Found::string);
    let protocol = table.value("protocol", Found::choice);
    let seed = table.value("seed", Found::boolean);
    let written_reuse = table.at("reuse", reuse);
    let referee = Referee {
        title: title.unwrap_or(plain.title),
        protocol: protocol.unwrap_or_default(),
        seats: plain.seats,
        seed: seed.unwrap_or(plain.seed),
        reuse: written_reuse.as_ref().and_then(|reuse| reuse.value),
        patience_ms: table
            .value("referee_ms", LimitMs::read)
            .unwrap_or(plain.patience_ms),
        memory_mb: table
            .value("memory_mb", MemoryMb::read)
            .unwrap_or(plain.memory_mb),
        read: table
            .value("read", Found::paths)
            .unwrap_or_default()
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        options: table
            .value("options", options)
            .unwrap_or_default()
            .into_iter()
            .collect(),
        command: plain.command,
    };
    table.end()?;
    if let Some(written) =
        written_reuse.filter(|_| referee.reuse == Some(true) && !referee.is_reusable())
    {
        let title = format!(
            "a process that speaks the protocol {} plays one game",
            referee.protocol
        );
        return Err(written.mistake(title, "expected `false`, or no `reuse`"));
    }
    let build = build.map(|Command { words, .. }| Build {
        bot: format!("referee of {}", id.value),
        command: words,
    });
    let game = ForeignGame {
        id: id.value,
        referee,
        build,
        command: place,
    };
    Ok(match &seats[..] {
        [] => vec![game],
        [seats] => vec![game.with_seats(*seats)],
        several => several
            .iter()
            .map(|seats| game.with_seats(*seats).named_by_seats(*seats))
            .collect(),
    })
}

/// A number of seats, or several, all different.
fn seats(found: Found<'_>) -> Read<Vec<usize>> {
    let expected = format!("an integer from 2 to {MAX_SEATS} or a list of such integers");
    let number = |found: Found<'_>| {
        let seats = found.integer_that(&expected, |seats| (2..=MAX_SEATS as u64).contains(seats));
        seats.map(|seats| usize::try_from(seats).unwrap_or(MAX_SEATS))
    };
    let Some(items) = found.items() else {
        return number(found).map(|seats| vec![seats]);
    };
    let mut seats: Vec<usize> = Vec::new();
    for item in &items {
        let own = number(*item)?;
        if seats.contains(&own) {
            return Err(item.wrong(format!("{own} seats for the second time")));
        }
        seats.push(own);
    }
    if seats.is_empty() {
        Err(found.refuse(&expected))
    } else {
        Ok(seats)
    }
}

/// `"auto"`, `true` or `false`.
fn reuse(found: Found<'_>) -> Read<Option<bool>> {
    if found.value().as_str() == Some("auto") {
        return Ok(None);
    }
    found
        .value()
        .as_bool()
        .map(Some)
        .ok_or_else(|| found.refuse("`\"auto\"`, `true` or `false`"))
}

/// Lines `key=value` for the referee.
fn options(found: Found<'_>) -> Read<Vec<(String, String)>> {
    let option = |found: Found| {
        let (key, value) = (found.key(), found.argument()?);
        let is_line = |text: &str| !text.contains(['\n', '\r']);
        if key.value.is_empty()
            || key.value.contains('=')
            || !is_line(&key.value)
            || !is_line(&value)
        {
            return Err(found.wrong("expected a name without `=` and a value of one line"));
        }
        if ["seed", "arena"].contains(&key.value.as_str()) {
            let title = format!("the arena itself tells a referee its `{}`", key.value);
            return Err(key.mistake(title, "expected another name"));
        }
        Ok((key.value, value))
    };
    found
        .entries()
        .ok_or_else(|| found.refuse("a table of strings"))?
        .into_iter()
        .map(option)
        .collect()
}

impl ForeignGame<'_> {
    /// What is lost with such a referee.
    pub(super) fn warning(&self) -> Option<String> {
        (!self.referee.seed).then(|| {
            format!(
                "`{}`: its referee takes no seed: bots that swap seats share no deal, and `arena verify` cannot prove its games",
                self.id
            )
        })
    }

    fn with_seats(&self, seats: usize) -> Self {
        ForeignGame {
            referee: Referee {
                seats,
                ..self.referee.clone()
            },
            ..self.clone()
        }
    }

    /// With a name that tells it from the same game with other seats.
    fn named_by_seats(mut self, seats: usize) -> Self {
        self.id = format!("{}-{seats}", self.id);
        self.referee.title = format!("{}, {seats} seats", self.referee.title);
        self
    }

    /// Whether the referee can be started; one that has to be built can be looked for only afterwards.
    pub(super) fn check_program(&self, languages: &Languages, outside: Outside) -> Read<()> {
        if self.build.is_some() {
            return Ok(());
        }
        (outside.find_start)(languages, &self.referee.command).map_err(|problem| {
            let mistake: Mistake = self.command.mistake(
                format!("the referee of `{}` cannot be started", self.id),
                problem,
            );
            mistake.help(
                "paths start from the current folder; names without `/` are looked for in PATH",
            )
        })
    }
}
