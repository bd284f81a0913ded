//! The games that a config names, and `[game.ID]`: the options of a game.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::document::Document;
use super::mistake::{Mistake, Read, listed};
use super::values::OneOrMore;
use super::{Config, Outside};
use arena_games::{GameSpec, Games, OptionError, Options};

/// The path to a game's name, and the game.
pub(super) type PlacedGame = (String, Arc<GameSpec>);

/// Reads the options of built-in games, by id. Each game knows its own.
pub(super) fn read(document: &Document<'_>, known: &Games) -> Read<BTreeMap<String, Options>> {
    let mut read = BTreeMap::new();
    let mut with_options: Vec<&Arc<GameSpec>> = known.iter().collect();
    with_options.retain(|game| !game.options.is_empty());
    for id in document.keys("game") {
        let path = format!("game.{id}");
        let keys = document.keys(&path);
        if keys.iter().any(|key| key == "referee" || key == "jar") {
            continue;
        }
        let Some(game) = with_options.iter().find(|game| game.id == id) else {
            let ids: Vec<&str> = with_options.iter().map(|game| game.id.as_str()).collect();
            let takes = listed(&ids, "and");
            let help = format!("[game] takes {takes}, and games with a `referee` or `jar`");
            return Err(Mistake::unknown_key(&path, &ids).help(help));
        };
        let known: Vec<&str> = game.options.iter().map(|option| option.key).collect();
        if let Some(key) = keys.iter().find(|key| !known.contains(&key.as_str())) {
            return Err(Mistake::unknown_key(&format!("{path}.{key}"), &known));
        }
        read.insert(id, document.read(&path)?);
    }
    Ok(read)
}

/// Returns the options of a game for the plan.
pub(super) fn options(
    config: &Config,
    spec: &GameSpec,
    outside: Outside,
    warnings: &mut Vec<String>,
) -> Read<Options> {
    let path = format!("game.{}", spec.id);
    let none = Options::new();
    let options = config.options.get(&spec.id).unwrap_or(&none);
    let configured = spec.configured(options, &outside.read_folder);
    let configured = configured.map_err(|error| match error {
        OptionError::Value { key, expected } => {
            Mistake::expected(format!("{path}.{key}"), expected)
        }
        OptionError::Unusable {
            key,
            title,
            problem,
            help,
        } => Mistake::new(format!("{path}.{key}"), format!("{title}: can't {problem}")).help(help),
        error => Mistake::new(path, error),
    })?;
    warnings.extend_from_slice(configured.rules.warnings());
    Ok(configured.rules.options())
}

/// Finds the games with these names, each once.
pub(super) fn find(path: &str, names: &OneOrMore<String>, known: &Games) -> Read<Vec<PlacedGame>> {
    let mut games: Vec<PlacedGame> = Vec::new();
    for (item, name) in names.0.iter().enumerate() {
        let path = format!("{path}.{item}");
        for game in called(&path, name, known)? {
            if let Some((first, _)) = games.iter().find(|(_, first)| first.id == game.id) {
                let mistake = Mistake::new(path, format!("`{}` for the second time", game.id));
                return Err(mistake.related(first, "first here"));
            }
            games.push((path.clone(), game));
        }
    }
    Ok(games)
}

/// Finds the game with this name, or all games `NAME-SEATS` of a referee with several numbers of
/// seats.
fn called(path: &str, name: &str, known: &Games) -> Read<Vec<Arc<GameSpec>>> {
    if let Some(game) = known.search(name) {
        return Ok(vec![Arc::clone(game)]);
    }
    let mut of_referee: Vec<_> = known.iter().cloned().collect();
    of_referee.retain(|game| game.id == format!("{name}-{}", game.default_seats()));
    if of_referee.is_empty() {
        return Err(Mistake::unknown(path, "game", name, &known.ids()));
    }
    Ok(of_referee)
}
