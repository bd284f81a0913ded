//! `arena verify`.

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::contest::{Foreign, NamedGame, games_of_run, housed, named_game};
use super::supervised::supervised;
use super::{Failure, VerifyArgs};
use crate::play::foreign::{DEFAULT_REFEREE_MEMORY_MB, Referee};
use crate::play::record;
use crate::store::{StoreError, StoredGames};
use crate::{exit, store};
use arena_games::Games;
use arena_process::Mode;
use arena_process::languages::Languages;

pub(super) fn verify(args: &VerifyArgs, known: &Games) -> Result<u8, Failure> {
    let foreign: Vec<Foreign> = args
        .files
        .iter()
        .map(|file| foreign_games(args, file, known))
        .collect::<Result<_, _>>()?;
    let runs = || args.files.iter().zip(&foreign);
    if foreign.iter().all(Vec::is_empty) {
        return verify_all(&mut runs().map(|(file, foreign)| Ok((file, known.clone(), foreign))));
    }
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.heed_signals(None)?;
        verify_all(
            &mut runs()
                .map(|(file, foreign)| Ok((file, housed(foreign, known, supervised)?, foreign))),
        )
    })
}

/// Those of a file.
fn foreign_games(args: &VerifyArgs, file: &Path, known: &Games) -> Result<Foreign, Failure> {
    let own = games_of_run(file, known);
    let Some(name) = &args.referee else {
        return Ok(own);
    };
    let named = named_game(name, known)?;
    let NamedGame {
        referee: Some(referee),
        ..
    } = &named
    else {
        return Err(Failure::usage(anyhow!(
            "`{name}` is a game of the arena itself, which needs no referee"
        )));
    };
    // The file of a referee has no name for its game and no number of seats: those of the run's only one are meant.
    let named = match &own[..] {
        [
            (
                NamedGame {
                    spec,
                    referee: Some(own),
                },
                _,
            ),
        ] => NamedGame::foreign(
            &spec.id,
            Referee {
                seats: own.seats,
                ..referee.clone()
            },
        ),
        _ => named,
    };
    Ok(vec![(named, Languages::new())])
}

/// Verifies files, each with the games that it may be of, and those of them whose referees are programs of their own.
fn verify_all(
    files: &mut dyn Iterator<Item = Result<(&PathBuf, Games, &Foreign), Failure>>,
) -> Result<u8, Failure> {
    let (mut games, mut mismatches, mut unproved) = (0_u64, 0_u64, 0_u64);
    for file in files {
        let (path, known, foreign) = file?;
        let can_prove = |id: &str| {
            foreign
                .iter()
                .all(|(game, _)| game.spec.id != id || game.spec.seed_decides)
        };
        let mut stored = StoredGames::new(&known);
        let path = store::named_file(path, store::RECORDS).map_err(Failure::input)?;
        for entry in store::read_records(&path).map_err(Failure::input)? {
            let said = match entry {
                Ok((_, record)) if !can_prove(&record.game) => {
                    unproved += 1;
                    continue;
                }
                Ok((line, record)) => stored
                    .of(&record)
                    .and_then(|spec| record::verify(&record, &spec))
                    .map_err(|mismatch| {
                        let game = record
                            .number
                            .map_or_else(String::new, |number| format!(", game {number}"));
                        format!(
                            "{}:{line}{game} ({:?}): {mismatch}",
                            path.display(),
                            record.game
                        )
                    }),
                // A line that is no record any more proves nothing either; the others may.
                Err(error @ StoreError::Corrupt { .. }) => Err(error.to_string()),
                Err(error) => return Err(Failure::input(error)),
            };
            games += 1;
            if let Err(said) = said {
                mismatches += 1;
                super::print(said + "\n")?;
            }
        }
    }
    if unproved > 0 {
        let why = "their referees take no seed";
        super::print(format!("{unproved} games cannot be proved: {why}\n"))?;
    }
    super::print(format!("{games} games verified, {mismatches} mismatches\n"))?;
    Ok(if mismatches == 0 {
        exit::OK
    } else {
        exit::CHECK_FAILED
    })
}
