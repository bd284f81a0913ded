//! `arena verify`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::contest::{NamedGame, games_of, named_game};
use super::supervised::{Supervised, supervised};
use super::{Failure, VerifyArgs};
use crate::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::languages::Languages;
use crate::process::Mode;
use crate::store::{StoreError, StoredGames};
use crate::{exit, record, store};
use arena_games::Games;

pub(super) fn verify(args: &VerifyArgs, known: &Games) -> Result<u8, Failure> {
    let foreign = foreign_games(args, known)?;
    if foreign.is_empty() {
        return verify_all(&args.files, known);
    }
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.heed_signals(None)?;
        verify_all(&args.files, &housed(&foreign, known, supervised)?)
    })
}

/// The games of these runs whose referees are programs of their own, with their languages.
fn foreign_games(args: &VerifyArgs, known: &Games) -> Result<Vec<(NamedGame, Languages)>, Failure> {
    if let Some(name) = &args.referee {
        return Ok(vec![(named_game(name, known)?, Languages::new())]);
    }
    let mut foreign: Vec<(NamedGame, Languages)> = Vec::new();
    for file in &args.files {
        let run = if file.is_dir() { Some(file.as_path()) } else { file.parent() };
        // What is wrong with a plan is told when its games are read.
        let Some(run) = run.and_then(|run| store::read_run_files(run, known).ok()) else { continue };
        let plan = run.plan.plan;
        let own = games_of(&plan).filter(|game| game.referee.is_some());
        foreign.extend(own.map(|game| (game, plan.languages.clone())));
    }
    Ok(foreign)
}

/// The known games and these; of two with one id the first.
fn housed(foreign: &[(NamedGame, Languages)], known: &Games, supervised: &Supervised) -> Result<Games, Failure> {
    let mut games = Games(known.iter().map(Arc::clone).collect());
    for (game, languages) in foreign {
        if games.find(&game.spec.id).is_none() {
            games.0.push(game.housed(languages, supervised)?);
        }
    }
    Ok(games)
}

fn verify_all(files: &[PathBuf], known: &Games) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let mut stored = StoredGames::new(known);
    let (mut games, mut mismatches) = (0_u64, 0_u64);
    for path in files {
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
