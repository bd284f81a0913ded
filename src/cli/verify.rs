//! `arena verify`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::anyhow;

use super::contest::{Foreign, NamedGame, games_of_run, housed, named_game};
use super::exit;
use super::supervised::supervised;
use super::{Failure, VerifyArgs};
use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::play::record::{self, Record};
use crate::store;
use crate::store::{StoreError, StoredGames};
use arena_games::Games;
use arena_process::Mode;
use arena_process::languages::Languages;

pub(super) fn verify(args: &VerifyArgs, known: &Games) -> Result<u8, Failure> {
    let mut files: Vec<(&Path, Foreign)> = Vec::new();
    for file in &args.files {
        files.push((file, foreign_games(args, file, known)?));
    }
    if files.iter().all(|(_, foreign)| foreign.is_empty()) {
        return verify_all(&files, &|_| Ok(known.clone()));
    }
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.heed_signals(None)?;
        verify_all(&files, &|foreign| housed(foreign, known, supervised))
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
        [(only, _)] => {
            let mut referee = referee.clone();
            if let Some(own) = &only.referee {
                referee.seats = own.seats;
            }
            NamedGame::foreign(&only.spec.id, referee)
        }
        _ => named,
    };
    Ok(vec![(named, Languages::new())])
}

/// Verifies files, each with the games of its run whose referees are programs of their own; `known` makes
/// all games that it may be of from these.
fn verify_all(
    files: &[(&Path, Foreign)],
    known: &dyn Fn(&Foreign) -> Result<Games, Failure>,
) -> Result<u8, Failure> {
    let (mut games, mut mismatches, mut unproved) = (0_u64, 0_u64, 0_u64);
    for (path, foreign) in files {
        let known = known(foreign)?;
        let mut stored = StoredGames::new(&known);
        let path = store::named_file(path, store::RECORDS).map_err(Failure::input)?;
        for entry in store::read_records(&path).map_err(Failure::input)? {
            let said = match entry {
                Ok((_, record)) if is_unproved(&record, foreign) => {
                    unproved += 1;
                    continue;
                }
                Ok((line, record)) => stored
                    .of(&record)
                    .and_then(|spec| record::verify(&record, &spec))
                    .map_err(|mismatch| {
                        let mut place = format!("{}:{line}", path.display());
                        if let Some(number) = record.number {
                            let _ = write!(place, ", game {number}");
                        }
                        format!("{place} ({:?}): {mismatch}", record.game)
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

/// Whether the referee of a game takes no seed, so that it cannot play the game again.
fn is_unproved(record: &Record, foreign: &Foreign) -> bool {
    let mut own = foreign
        .iter()
        .filter(|(game, _)| game.spec.id == record.game);
    own.any(|(game, _)| !game.spec.seed_decides)
}
