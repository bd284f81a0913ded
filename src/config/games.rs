//! `[game.NAME]`: what a game is told beyond the keys that all games have.

use std::path::Path;

use super::mistake::{KEY, Mistake, Read, listed};
use super::values::{Argument, At, Found, Kind, Raw};
use super::{Config, Outside};
use arena_games::GameSpec;
use arena_games::kutulu::MapSet;

/// Tables by the names of games.
pub(super) struct GameTables;

/// What a game is told.
pub(super) struct GameTable {
    name: At<String>,
    maps: Option<At<Argument>>,
}

impl Kind for GameTables {
    type Value = Vec<GameTable>;

    fn read(found: &Found) -> Read<Vec<GameTable>> {
        let Raw::Table(tables) = &found.value else { return Err(found.refuse("a table")) };
        let known: Vec<&str> = arena_games::ALL.iter().filter(|spec| spec.has_maps).map(|spec| spec.id).collect();
        let mut games = Vec::new();
        for (name, table) in tables {
            if !known.contains(&name.value.as_str()) {
                let mistake = Mistake::unknown("table", &name.value, &name.span, &known);
                return Err(mistake.help(format!("[game] takes {}", listed(&known, "and"))));
            }
            let Raw::Table(entries) = &table.value else {
                return Err(table.refuse(&format!("a table that begins with `[game.{KEY}]`")));
            };
            let mut maps = None;
            for (key, value) in entries {
                match key.value.as_str() {
                    "maps" => maps = Some(value.to()?),
                    word => {
                        let mistake = Mistake::unknown("key", word, &key.span, &["maps"]);
                        return Err(mistake.help(format!("[game.{}] takes `maps`", name.value)));
                    }
                }
            }
            games.push(GameTable { name: At { value: name.value.clone(), span: name.span.clone() }, maps });
        }
        Ok(games)
    }
}

/// Refuses what is told to a game that is not played.
pub(super) fn check(config: &Config<'_>) -> Read<()> {
    for GameTable { name, .. } in config.tables.game.iter().flat_map(|tables| &tables.value) {
        if !config.games().any(|game| game.id == name.value) {
            let title = format!("`[game.{}]` is for a game that this run does not play", name.value);
            let help = format!("add `{}` to the games of `[run]`, or leave this table out", name.value);
            return Err(name.mistake(title, "").help(help));
        }
    }
    Ok(())
}

/// The maps that a game is played on, where they are not its own.
pub(super) fn maps(
    config: &Config<'_>,
    spec: &GameSpec,
    outside: Outside,
    warnings: &mut Vec<String>,
) -> Read<Option<MapSet>> {
    let mut tables = config.tables.game.iter().flat_map(|tables| &tables.value);
    let Some(folder) = tables.find(|table| table.name.value == spec.id).and_then(|table| table.maps.as_ref()) else {
        return Ok(None);
    };
    if folder.value.is_empty() {
        return Err(folder.wrong("expected the path of a folder"));
    }
    let read = (outside.read_maps)(Path::new(&folder.value)).map_err(|problem| {
        let mistake = folder.mistake("no games can be played on these maps", problem);
        mistake.help("the path starts from the current folder; every file in it that ends in .txt is a map")
    })?;
    warnings.extend(read.warnings);
    Ok(Some(read.maps))
}
