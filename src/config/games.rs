//! Games by their ids, and `[game.ID]`: the options of a game.

use std::sync::Arc;

use super::mistake::{KEY, Mistake, Read, listed};
use super::values::{At, Found, GameId, Json, Kind, Raw};
use super::{Config, Outside};
use arena_games::{GameSpec, Games, OptionError, Options};

/// Tables by the ids of games.
pub(super) struct GameTables;

/// The options of a game. Which there are only the game knows.
pub(super) struct GameTable {
    id: At<String>,
    options: Vec<(At<String>, At<Json>)>,
}

impl Kind for GameTables {
    type Value = Vec<GameTable>;

    fn read(found: &Found) -> Read<Vec<GameTable>> {
        let Raw::Table(tables) = &found.value else { return Err(found.refuse("a table")) };
        let table = |(id, table): &(At<String>, Found)| {
            let Raw::Table(options) = &table.value else {
                return Err(table.refuse(&format!("a table that begins with `[game.{KEY}]`")));
            };
            let option = |(key, value): &(At<String>, Found)| Ok((copy(key), value.to()?));
            Ok(GameTable { id: copy(id), options: options.iter().map(option).collect::<Read<_>>()? })
        };
        tables.iter().map(table).collect()
    }
}

fn copy(name: &At<String>) -> At<String> {
    At { value: name.value.clone(), span: name.span.clone() }
}

/// A game by its id.
pub(super) fn find(id: &At<GameId>, known: &Games) -> Read<Arc<GameSpec>> {
    known.find(&id.value).cloned().ok_or_else(|| {
        let ids = known.ids();
        Mistake::unknown("game", &id.value, &id.span, &ids).help(format!("the games are {}", listed(&ids, "and")))
    })
}

/// Refuses what no game takes, and what is told to a game that is not played.
pub(super) fn check(config: &Config<'_>) -> Read<()> {
    for table in tables(config) {
        check_names(table, config.known)?;
    }
    for GameTable { id, .. } in tables(config) {
        if !config.games().any(|game| game.id == id.value) {
            let title = format!("`[game.{}]` is for a game that this run does not play", id.value);
            let help = format!("add `{}` to the games of `[run]`, or leave this table out", id.value);
            return Err(id.mistake(title, "").help(help));
        }
    }
    Ok(())
}

fn check_names(GameTable { id, options }: &GameTable, known: &Games) -> Read<()> {
    let games = || known.iter().filter(|game| !game.options.is_empty());
    let Some(game) = games().find(|game| game.id == id.value) else {
        let ids: Vec<&str> = games().map(|game| game.id.as_str()).collect();
        let mistake = Mistake::unknown("table", &id.value, &id.span, &ids);
        return Err(mistake.help(format!("[game] takes {}", listed(&ids, "and"))));
    };
    let keys: Vec<&str> = game.options.iter().map(|option| option.key).collect();
    match options.iter().find(|(key, _)| !keys.contains(&key.value.as_str())) {
        Some((key, _)) => {
            let mistake = Mistake::unknown("key", &key.value, &key.span, &keys);
            Err(mistake.help(format!("[game.{}] takes {}", id.value, listed(&keys, "and"))))
        }
        None => Ok(()),
    }
}

fn tables<'c>(config: &'c Config<'_>) -> impl Iterator<Item = &'c GameTable> {
    config.tables.game.iter().flat_map(|tables| &tables.value)
}

/// The options of a game, as the plan keeps them.
pub(super) fn options(
    config: &Config<'_>,
    spec: &GameSpec,
    outside: Outside,
    warnings: &mut Vec<String>,
) -> Read<Options> {
    let Some(table) = tables(config).find(|table| table.id.value == spec.id) else { return Ok(Options::new()) };
    let value = |(key, value): &(At<String>, At<Json>)| (key.value.clone(), value.value.clone());
    let options = table.options.iter().map(value).collect();
    let configured = spec.configured(&options, &outside.read_folder).map_err(|error| wrong_option(table, &error))?;
    warnings.extend(configured.warnings);
    Ok(configured.game.rules.options())
}

fn wrong_option(GameTable { id, options }: &GameTable, error: &OptionError) -> Mistake {
    let given = |key: &str| options.iter().find(|(given, _)| given.value == key).map(|(_, value)| value);
    match error {
        OptionError::Value { key, expected } => given(key).map(|value| value.refuse(expected)),
        OptionError::Unusable { key, title, problem, help } => {
            given(key).map(|value| value.mistake(*title, problem).help(*help))
        }
        OptionError::Unknown(_) | OptionError::Changed(_) => None,
    }
    .unwrap_or_else(|| id.mistake(format!("bad options for `{}`", id.value), error.to_string()))
}
