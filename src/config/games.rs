//! `[game.ID]`: the options of a game.

use super::document::{Found, Table};
use super::mistake::{Mistake, Read};
use super::{Config, Outside};
use arena_games::{GameSpec, Games, OptionError, Options};

/// The options of a game. Which there are only the game knows.
pub(super) struct GameTable<'d> {
    pub(super) id: Found<'d>,
    options: Vec<Found<'d>>,
}

/// All tables of games that have options.
pub(super) fn read<'d>(mut tables: Table<'d>, known: &'d Games) -> Read<Vec<GameTable<'d>>> {
    let mut read = Vec::new();
    for game in known.iter().filter(|game| !game.options.is_empty()) {
        let Some(found) = tables.take(&game.id) else {
            continue;
        };
        let mut table = found.table(&format!("[game.{}]", game.id))?;
        let options = game
            .options
            .iter()
            .filter_map(|option| table.take(option.key))
            .collect();
        table.end()?;
        read.push(GameTable { id: found, options });
    }
    tables.end()?;
    Ok(read)
}

/// The options of a game, as the plan keeps them.
pub(super) fn options(
    config: &Config<'_>,
    spec: &GameSpec,
    outside: Outside,
    warnings: &mut Vec<String>,
) -> Read<Options> {
    let Some(table) = config
        .game_tables
        .iter()
        .find(|table| table.id.key().value == spec.id)
    else {
        return Ok(spec.rules.options());
    };
    let option = |found: &Found| Ok((found.key().value, found.json()?));
    let options = table.options.iter().map(option).collect::<Read<_>>()?;
    let configured = spec
        .configured(&options, &outside.read_folder)
        .map_err(|error| wrong_option(table, &error))?;
    warnings.extend(configured.warnings);
    Ok(configured.game.rules.options())
}

fn wrong_option(GameTable { id, options }: &GameTable<'_>, error: &OptionError) -> Mistake {
    let given = |key: &str| options.iter().find(|option| option.key().value == key);
    match error {
        OptionError::Value { key, expected } => given(key).map(|value| value.refuse(expected)),
        OptionError::Unusable {
            key,
            title,
            problem,
            help,
        } => given(key).map(|value| value.mistake(*title, problem).help(*help)),
        OptionError::Unknown(_) | OptionError::Changed(_) => None,
    }
    .unwrap_or_else(|| {
        let id = id.key();
        id.mistake(format!("bad options for `{}`", id.value), error.to_string())
    })
}
