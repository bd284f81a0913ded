//! Games as people name them on the command line, also those whose referee is a program of its own.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use super::Failure;
use super::supervised::Supervised;
use crate::config;
use crate::plan::Plan;
use crate::play::foreign::Referee;
use crate::store;
use crate::text::nearest;
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
        Ok(referee.housed(&self.spec, &start, sandbox, interrupt))
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
    let run = if file.is_dir() {
        Some(file)
    } else {
        file.parent()
    };
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
    let housed = foreign
        .iter()
        .map(|(game, languages)| game.housed(languages, supervised));
    let mut games = Games(housed.collect::<Result<_, _>>()?);
    let others: Vec<_> = known
        .iter()
        .filter(|game| games.find(&game.id).is_none())
        .map(Arc::clone)
        .collect();
    games.0.extend(others);
    Ok(games)
}

/// A game of the arena as people call it.
pub(super) fn known_game<'g>(name: &str, games: &'g Games) -> Result<&'g Arc<GameSpec>, Failure> {
    games.search(name).ok_or_else(|| {
        let ids = games.ids();
        let meant = nearest(name, &ids)
            .map(|id| format!("did you mean `{id}`? "))
            .unwrap_or_default();
        Failure::usage(anyhow!(
            "unknown game `{name}`: {meant}expected one of {}",
            ids.join(", ")
        ))
    })
}

/// The game that a word means: one of the arena, a game of a config (`FILE.toml`, or `FILE.toml:NAME` where it has several), that of
/// a run directory, or the file of a referee that speaks the protocol of `CodinGame`.
pub(super) fn named_game(name: &str, games: &Games) -> Result<NamedGame, Failure> {
    let (file, of_config) =
        name.split_once(".toml")
            .map_or((name.to_owned(), None), |(stem, rest)| {
                (
                    format!("{stem}.toml"),
                    Some(rest.strip_prefix(':').unwrap_or_default()),
                )
            });
    if !Path::new(&file).is_file() {
        if games.search(name).is_none() && Path::new(name).is_dir() {
            return game_of_run(Path::new(name), games);
        }
        let spec = known_game(name, games);
        let spec = if file.contains(['.', '/']) {
            spec.map_err(|_| no_file(&file))
        } else {
            spec
        }?;
        return Ok(NamedGame {
            spec: Arc::clone(spec),
            referee: None,
        });
    }
    match of_config {
        Some(wanted) => game_of_config(&file, wanted, games),
        None => Ok(game_of_file(&file)),
    }
}

fn no_file(file: &str) -> Failure {
    Failure::usage(anyhow!(
        "find the game in `{file}`: there is no such file; paths start from the current folder"
    ))
}

fn game_of_config(file: &str, wanted: &str, games: &Games) -> Result<NamedGame, Failure> {
    let found = config::foreign_games(Path::new(file), games).map_err(Failure::input)?;
    let fits = |(id, _): &&(String, Referee)| wanted.is_empty() || id == wanted;
    if let [(id, referee)] = found.iter().filter(fits).collect::<Vec<_>>()[..] {
        return Ok(NamedGame::foreign(id, referee.clone()));
    }
    let ids: Vec<String> = found.iter().map(|(id, _)| format!("{file}:{id}")).collect();
    let none = "it has no table [game.NAME] with `referee` or `jar`".to_owned();
    let known = if ids.is_empty() {
        none
    } else {
        format!("it has {}", ids.join(", "))
    };
    Err(Failure::usage(anyhow!("find one game in {file}: {known}")))
}

fn game_of_run(run: &Path, games: &Games) -> Result<NamedGame, Failure> {
    let plan = store::read_run_files(run, games)
        .map_err(Failure::input)?
        .plan
        .plan;
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
    let id: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let command = match path.extension() {
        Some(end) if end == "jar" => Referee::of_jar(file, None),
        _ if file.contains('/') => vec![file.to_owned()],
        _ => vec![format!("./{file}")],
    };
    NamedGame::foreign(&id, Referee::new(&stem, command))
}
