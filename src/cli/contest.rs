//! Games as people name them on the command line, also those whose referee is a program of its own.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use super::Failure;
use super::supervised::Supervised;
use crate::config;
use crate::plan::Plan;
use crate::play::foreign::Referee;
use crate::section::text::did_you_mean;
use crate::store;
use arena_games::{GameSpec, Games};
use arena_process::languages::Languages;

/// A game that somebody named.
#[derive(Clone, Debug)]
pub(super) struct NamedGame {
    /// The game without options; one of another referee cannot be started before it is [housed](NamedGame::housed).
    pub(super) spec: Arc<GameSpec>,
    /// Its referee, where that is a program of its own.
    pub(super) referee: Option<Referee>,
}

impl NamedGame {
    pub(super) fn foreign(id: &str, referee: Referee) -> NamedGame {
        NamedGame {
            spec: Arc::new(referee.spec(id)),
            referee: Some(referee),
        }
    }

    /// The game as it can be played here.
    pub(super) fn housed(
        &self,
        languages: &Languages,
        supervised: &Supervised,
    ) -> Result<Arc<GameSpec>, Failure> {
        let Some(referee) = &self.referee else {
            return Ok(Arc::clone(&self.spec));
        };
        let start = supervised.ready_referee(languages, referee, &self.spec.id)?;
        let (sandbox, interrupt) = (&supervised.sandbox, &supervised.control.kill);
        let start = referee.proved(&self.spec, start, sandbox, interrupt);
        Ok(referee.playable(&self.spec, &start, sandbox, interrupt))
    }
}

/// The games of a plan.
pub(super) fn games_of(plan: &Plan) -> impl Iterator<Item = NamedGame> {
    plan.games.iter().filter_map(|game| {
        Some(NamedGame {
            spec: game.spec.clone()?,
            referee: game.referee.clone(),
        })
    })
}

/// Games whose referees are programs of their own, with the languages of their run.
pub(super) type Foreign = Vec<(NamedGame, Languages)>;

/// Those of a run, of which the file may be the records.
pub(super) fn games_of_run(file: &Path, known: &Games) -> Foreign {
    let run = Some(file).filter(|file| file.is_dir());
    let run = run.or(file.parent());
    // What is wrong with a plan is told when its games are read.
    let Some(run) = run.and_then(|run| store::read_run_files(run, known).ok()) else {
        return Foreign::new();
    };
    let plan = run.plan.plan;
    games_of(&plan)
        .filter(|game| game.referee.is_some())
        .map(|game| (game, plan.languages.clone()))
        .collect()
}

/// These games as they can be played here, and the known ones with other ids.
pub(super) fn housed(
    foreign: &Foreign,
    known: &Games,
    supervised: &Supervised,
) -> Result<Games, Failure> {
    let mut games = Games(Vec::new());
    for (game, languages) in foreign {
        games.0.push(game.housed(languages, supervised)?);
    }
    for game in known.iter() {
        if games.find(&game.id).is_none() {
            games.0.push(Arc::clone(game));
        }
    }
    Ok(games)
}

/// A game of the arena as people call it.
pub(super) fn known_game<'g>(name: &str, games: &'g Games) -> Result<&'g Arc<GameSpec>, Failure> {
    games.search(name).ok_or_else(|| {
        let ids = games.ids();
        let (meant, ids) = (did_you_mean(name, &ids), ids.join(", "));
        Failure::usage(anyhow!(
            "unknown game `{name}`: {meant}expected one of {ids}"
        ))
    })
}

/// The game that a word means: one of the arena, a game of a config (`FILE.toml`, or `FILE.toml:NAME` where it has several), that of
/// a run directory, or the file of a referee that speaks the protocol of `CodinGame`.
pub(super) fn named_game(name: &str, games: &Games) -> Result<NamedGame, Failure> {
    let (file, of_config) = match name.split_once(".toml") {
        Some((stem, rest)) => (&name[..stem.len() + ".toml".len()], Some(rest)),
        None => (name, None),
    };
    if Path::new(file).is_file() {
        return match of_config {
            Some(rest) => {
                let wanted = rest.strip_prefix(':').unwrap_or_default();
                game_of_config(file, wanted, games)
            }
            None => Ok(game_of_file(file)),
        };
    }
    if games.search(name).is_none() {
        if Path::new(name).is_dir() {
            return game_of_run(Path::new(name), games);
        }
        if file.contains(['.', '/']) {
            return Err(Failure::usage(anyhow!(
                "find the game in `{file}`: there is no such file; paths start from the current folder"
            )));
        }
    }
    Ok(NamedGame {
        spec: Arc::clone(known_game(name, games)?),
        referee: None,
    })
}

fn game_of_config(file: &str, wanted: &str, games: &Games) -> Result<NamedGame, Failure> {
    let mut found = config::foreign_games(Path::new(file), games).map_err(Failure::input)?;
    let ids: Vec<String> = found.iter().map(|(id, _)| format!("{file}:{id}")).collect();
    found.retain(|(id, _)| wanted.is_empty() || id == wanted);
    if let [(id, referee)] = &found[..] {
        return Ok(NamedGame::foreign(id, referee.clone()));
    }
    let known = match &ids[..] {
        [] => "it has no table [game.NAME] with `referee` or `jar`".to_owned(),
        ids => format!("it has {}", ids.join(", ")),
    };
    Err(Failure::usage(anyhow!("find one game in {file}: {known}")))
}

fn game_of_run(run: &Path, games: &Games) -> Result<NamedGame, Failure> {
    let files = store::read_run_files(run, games).map_err(Failure::input)?;
    let plan = files.plan.plan;
    match &games_of(&plan).collect::<Vec<_>>()[..] {
        [only] => Ok(only.clone()),
        several => {
            let count = several.len();
            Err(Failure::usage(anyhow!(
                "find the game of {}: the run has {count} games, name one",
                run.display()
            )))
        }
    }
}

/// The game of a referee of which nothing is known but its file.
fn game_of_file(file: &str) -> NamedGame {
    let path = Path::new(file);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let id = stem.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
    let command = match path.extension() {
        Some(end) if end == "jar" => Referee::of_jar(file, None),
        _ if file.contains('/') => vec![file.to_owned()],
        _ => vec![format!("./{file}")],
    };
    NamedGame::foreign(&id, Referee::new(&stem, command))
}
