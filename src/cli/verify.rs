//! `arena verify`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;

use super::contest::{NamedGame, games_of, named_game};
use super::supervised::{Supervised, supervised};
use super::{Failure, VerifyArgs};
use crate::foreign::{DEFAULT_REFEREE_MEMORY_MB, Referee};
use crate::languages::Languages;
use crate::process::Mode;
use crate::store::{StoreError, StoredGames};
use crate::{exit, record, store};
use arena_games::Games;

pub(super) fn verify(args: &VerifyArgs, known: &Games) -> Result<u8, Failure> {
    let foreign: Vec<Foreign> =
        args.files.iter().map(|file| foreign_games(args, file, known)).collect::<Result<_, _>>()?;
    let runs = || args.files.iter().zip(&foreign);
    if foreign.iter().all(Vec::is_empty) {
        return verify_all(&mut runs().map(|(file, _)| Ok((file, known.clone()))));
    }
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.heed_signals(None)?;
        verify_all(&mut runs().map(|(file, foreign)| Ok((file, housed(foreign, known, supervised)?))))
    })
}

/// Games whose referees are programs of their own, with the languages of their run.
type Foreign = Vec<(NamedGame, Languages)>;

/// Those of a file.
fn foreign_games(args: &VerifyArgs, file: &Path, known: &Games) -> Result<Foreign, Failure> {
    let run = if file.is_dir() { Some(file) } else { file.parent() };
    // What is wrong with a plan is told when its games are read.
    let plan = run.and_then(|run| store::read_run_files(run, known).ok()).map(|run| run.plan.plan);
    let own = || plan.iter().flat_map(games_of).filter(|game| game.referee.is_some());
    let Some(name) = &args.referee else {
        let languages = plan.as_ref().map(|plan| plan.languages.clone()).unwrap_or_default();
        return Ok(own().map(|game| (game, languages.clone())).collect());
    };
    let named = named_game(name, known)?;
    let NamedGame { referee: Some(referee), .. } = &named else {
        return Err(Failure::usage(anyhow!("`{name}` is a game of the arena itself, which needs no referee")));
    };
    // The file of a referee has no name for its game and no number of seats: those of the run's only one are meant.
    Ok(match own().collect::<Vec<_>>().as_slice() {
        [NamedGame { spec, referee: Some(own) }] => {
            let referee = Referee { seats: own.seats, ..referee.clone() };
            vec![(NamedGame::foreign(&spec.id, referee), Languages::new())]
        }
        _ => vec![(named, Languages::new())],
    })
}

/// These games, and the known ones with other ids.
fn housed(foreign: &Foreign, known: &Games, supervised: &Supervised) -> Result<Games, Failure> {
    let housed = foreign.iter().map(|(game, languages)| game.housed(languages, supervised));
    let mut games = Games(housed.collect::<Result<_, _>>()?);
    let others: Vec<_> = known.iter().filter(|game| games.find(&game.id).is_none()).map(Arc::clone).collect();
    games.0.extend(others);
    Ok(games)
}

/// Verifies files, each with the games that it may be of.
fn verify_all(files: &mut dyn Iterator<Item = Result<(&PathBuf, Games), Failure>>) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let (mut games, mut mismatches) = (0_u64, 0_u64);
    for file in files {
        let (path, known) = file?;
        let mut stored = StoredGames::new(&known);
        let path = store::named_file(path, store::RECORDS).map_err(Failure::input)?;
        for entry in store::read_records(&path).map_err(Failure::input)? {
            games += 1;
            let said = match entry {
                Ok((line, record)) => {
                    stored.of(&record).and_then(|spec| record::verify(&record, &spec)).map_err(|mismatch| {
                        let game = record.number.map_or_else(String::new, |number| format!(", game {number}"));
                        format!("{}:{line}{game} ({:?}): {mismatch}", path.display(), record.game)
                    })
                }
                // A line that is no record any more proves nothing either; the others may.
                Err(error @ StoreError::Corrupt { .. }) => Err(error.to_string()),
                Err(error) => return Err(Failure::input(error)),
            };
            if let Err(said) = said {
                mismatches += 1;
                let _ = writeln!(out, "{said}");
            }
        }
    }
    let _ = writeln!(out, "{games} games verified, {mismatches} mismatches");
    Ok(if mismatches == 0 { exit::OK } else { exit::CHECK_FAILED })
}
