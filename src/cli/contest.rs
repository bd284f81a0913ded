//! Games as you name them on the command line, including those with external referees.

use std::path::{Path, is_separator};
use std::sync::Arc;

use super::failure::{Result, UsageError};
use super::order::{lacks_game, without_game};
use super::output::say;
use super::supervised::Supervised;
use crate::config;
use crate::plan::{Plan, id_of};
use crate::play::foreign::{Referee, SDK_MAIN};
use crate::play::probe;
use crate::store;
use arena_games::{GameSpec, Games};
use arena_process::languages::{Languages, has_class};
use arena_section::text::nearest;
use arena_section::words::count;

/// The time for the first question of a program that may be a bot. A bot asks nothing, and waits.
const PATIENCE_WITH_A_BOT_MS: u64 = 3000;

/// A game that a command line or a run names.
#[derive(Clone, Debug)]
pub(super) struct NamedGame {
    /// The game without options. A game with an external referee can't be started before it is
    /// [ready](NamedGame::ready).
    pub(super) spec: Arc<GameSpec>,
    /// The external referee, if there is one.
    pub(super) referee: Option<Referee>,
    /// The languages of its config.
    languages: Languages,
    /// The word that names the file of the referee, if that may be a bot in the place of a game.
    may_be_bot: Option<String>,
}

impl NamedGame {
    fn new(spec: Arc<GameSpec>, referee: Option<Referee>) -> NamedGame {
        NamedGame {
            spec,
            referee,
            languages: Languages::new(),
            may_be_bot: None,
        }
    }

    pub(super) fn foreign(id: &str, referee: Referee) -> NamedGame {
        NamedGame::new(Arc::new(referee.spec(id)), Some(referee))
    }

    /// Returns its title, or the one that its referee has for it.
    pub(super) fn title(&self, of_referee: Option<String>) -> String {
        let own = &self.spec.title;
        match of_referee {
            Some(title) if id_of(own) == self.spec.id => title,
            _ => own.clone(),
        }
    }

    /// Returns the game as it can be played here.
    pub(super) fn ready(&self, supervised: &Supervised) -> Result<Arc<GameSpec>> {
        let Some(referee) = &self.referee else {
            return Ok(Arc::clone(&self.spec));
        };
        let start = supervised.ready_referee(&self.languages, referee, &self.spec.id)?;
        let (sandbox, interrupt) = (&supervised.sandbox, &supervised.control.kill);
        let (start, warning) = referee.proved(&self.spec, start, sandbox, interrupt);
        if let Some(warning) = warning {
            say(&format!("warning: {warning}"));
        }
        Ok(referee.playable(&self.spec, &start, sandbox, interrupt))
    }

    /// Asks the referee for a first question. If it refuses the number of seats, takes the one that
    /// it promises, and returns true.
    pub(super) fn settle(&mut self, games: &Games, supervised: &Supervised) -> Result<bool> {
        let mut asked = self.clone();
        let (Some(referee), Some(patient)) = (&mut self.referee, &mut asked.referee) else {
            return Ok(false);
        };
        // A Java machine takes seconds to start, and the SDK promises no seats.
        if referee.command[0] == "java" {
            return Ok(false);
        }
        if self.may_be_bot.is_some() {
            patient.patience_ms = PATIENCE_WITH_A_BOT_MS;
        }
        let spec = asked.ready(supervised)?;
        let first = probe::first_question(&spec);
        referee.seats = match (first.map_err(|why| why.seats), &self.may_be_bot) {
            (Err(Some(seats)), _) => seats,
            (Err(None), Some(word)) => return Err(without_game(word, games).into()),
            _ => return Ok(false),
        };
        let in_words = count(referee.seats as u64, "seat", "seats");
        self.spec = Arc::new(referee.spec(&self.spec.id));
        say(&format!(
            "{} is played with {in_words}, as its referee says",
            self.spec.id
        ));
        Ok(true)
    }
}

/// The games of a plan.
pub(super) fn games_of(plan: &Plan) -> impl Iterator<Item = NamedGame> {
    plan.games.iter().filter_map(|game| {
        Some(NamedGame {
            languages: plan.languages.clone(),
            ..NamedGame::new(game.spec.clone()?, game.referee.clone())
        })
    })
}

/// Returns the games of a run that have external referees. `file` is the run directory or a file in
/// it.
pub(super) fn foreign_games_of_run(file: &Path, known: &Games) -> Vec<NamedGame> {
    let run = file.is_dir().then_some(file).or(file.parent());
    let mut games = Vec::new();
    // Reading the games reports what is wrong with a plan.
    if let Some(run) = run
        && let Ok(files) = store::read_run_files(run, known)
    {
        games.extend(games_of(&files.plan.plan));
    }
    games.retain(|game| game.referee.is_some());
    games
}

/// Whether the external referee of a game takes no seed, so that the game can't be played again.
pub(super) fn takes_no_seed(foreign: &[NamedGame], id: &str) -> bool {
    foreign
        .iter()
        .any(|game| game.spec.id == id && !game.spec.seed_decides)
}

/// Makes these games ready, and adds the known ones with other ids.
pub(super) fn ready_games(
    foreign: &[NamedGame],
    known: &Games,
    supervised: &Supervised,
) -> Result<Games> {
    let mut games = known.clone();
    games
        .0
        .retain(|known| foreign.iter().all(|game| game.spec.id != known.id));
    for game in foreign {
        games.0.push(game.ready(supervised)?);
    }
    Ok(games)
}

/// Finds a game that arena knows, by its id or title.
pub(super) fn known_game<'g>(name: &str, games: &'g Games) -> Result<&'g Arc<GameSpec>> {
    games.search(name).ok_or_else(|| {
        let ids = games.ids();
        let hint = match nearest(name, &ids) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`arena list games` shows them".to_owned(),
        };
        UsageError::Unknown("play the game", name.to_owned(), ids.join(", "), hint).into()
    })
}

/// Finds the game that a word names: one that arena knows, a game of a config (`FILE.toml`, or
/// `FILE.toml:NAME` if it has several), the game of a run directory, or the game of a referee's
/// file.
pub(super) fn named_game(name: &str, games: &Games) -> Result<NamedGame> {
    let (file, of_config) = match name.split_once(".toml") {
        Some((stem, rest)) => (&name[..stem.len() + ".toml".len()], Some(rest)),
        None => (name, None),
    };
    if Path::new(file).is_file() {
        if let Some(rest) = of_config {
            let wanted = rest.strip_prefix(':').unwrap_or_default();
            return game_of_config(file, wanted, games);
        }
        let (id, referee) = referee_of_file(file);
        return Ok(NamedGame {
            may_be_bot: lacks_game(name, games).then(|| name.to_owned()),
            ..NamedGame::foreign(&id, referee)
        });
    }
    if games.search(name).is_none() {
        if Path::new(name).is_dir() {
            return game_of_run(Path::new(name), games);
        }
        if file.contains(|letter| letter == '.' || is_separator(letter)) {
            return Err(UsageError::NoGameFile(file.to_owned()).into());
        }
    }
    let known = known_game(name, games)?;
    Ok(NamedGame::new(Arc::clone(known), None))
}

/// Finds the referee that a word names, and the id of its game. `hint` helps if it names a game of
/// arena.
pub(super) fn named_referee(name: &str, games: &Games, hint: &str) -> Result<(String, Referee)> {
    let NamedGame { spec, referee, .. } = named_game(name, games)?;
    match referee {
        Some(referee) => Ok((spec.id.clone(), referee)),
        None => Err(UsageError::OwnGame(name.to_owned(), hint.to_owned()).into()),
    }
}

fn game_of_config(file: &str, wanted: &str, games: &Games) -> Result<NamedGame> {
    let mut found = config::foreign_games(Path::new(file), games)?;
    let ids: Vec<String> = found.iter().map(|(id, _)| format!("{file}:{id}")).collect();
    found.retain(|(id, _)| wanted.is_empty() || id == wanted);
    if let [(id, referee)] = &found[..] {
        return Ok(NamedGame::foreign(id, referee.clone()));
    }
    let known = match &ids[..] {
        [] => "it has no table [game.NAME] with `referee` or `jar`\nhint: docs/how-to/referees.md shows one".to_owned(),
        [first, ..] => format!("it has {}\nhint: {first}", ids.join(", ")),
    };
    Err(UsageError::NotOneGame(file.to_owned(), known).into())
}

fn game_of_run(run: &Path, games: &Games) -> Result<NamedGame> {
    let files = store::read_run_files(run, games)?;
    let plan = files.plan.plan;
    match &games_of(&plan).collect::<Vec<_>>()[..] {
        [only] => Ok(only.clone()),
        several => Err(UsageError::RunOfGames(run.to_owned(), several.len()).into()),
    }
}

/// Says what is wrong with a jar that lacks the main class of the SDK of `CodinGame`.
pub(super) fn jar_problem(jar: &str) -> Option<String> {
    (!has_class(jar, SDK_MAIN)).then(|| {
        format!("it has no class {SDK_MAIN}: the jar of `mvn package` lacks the SDK, for example")
    })
}

/// Describes a referee by its file, and names its game after the file.
pub(super) fn referee_of_file(file: &str) -> (String, Referee) {
    let path = Path::new(file);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let command = match path.extension() {
        Some(end) if end == "jar" => Referee::of_jar(file, None, false),
        _ if file.contains(is_separator) => vec![file.to_owned()],
        _ => vec![format!("./{file}")],
    };
    (id_of(&stem), Referee::new(&stem, command))
}
