//! `arena verify`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::contest::{NamedGame, foreign_games_of_run, named_referee, ready_games, takes_no_seed};
use super::exit;
use super::failure::{InputError, Result};
use super::output::{is_json, print, show};
use super::supervised::interruptible;
use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::play::record;
use crate::store::{self, StoreError, StoredGames};
use crate::tournament::{self, RunError};
use arena_games::Games;
use arena_section::words::{count, list};

/// Play recorded games again and compare them with the record
///
/// Compares the inputs, the turns of every seat, the scores and the reason for the end. In a run
/// directory, also compares the records with the plan, and games.csv and summary.json with the
/// records. The exit status is 1 if anything differs.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// Run directories, or files of records, JSON lines, plain or gzip
    #[arg(required = true, value_name = "RECORDS")]
    files: Vec<PathBuf>,
    /// The referee of games that arena doesn't know
    ///
    /// Its file, or a config with [game.NAME], as FILE.toml or FILE.toml:NAME. The default is the
    /// one of the run.
    #[arg(long, value_name = "REFEREE")]
    referee: Option<String>,
}

pub(super) fn verify(args: &VerifyArgs, known: &Games) -> Result<u8> {
    let mut files: Vec<(&Path, Vec<NamedGame>)> = Vec::new();
    for file in &args.files {
        files.push((file, foreign_games(args, file, known)?));
    }
    if files.iter().all(|(_, foreign)| foreign.is_empty()) {
        return verify_all(&files, &|_| Ok(known.clone()));
    }
    interruptible(DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        verify_all(&files, &|foreign| ready_games(foreign, known, supervised))
    })
}

/// Returns the games of a file that have external referees.
fn foreign_games(args: &VerifyArgs, file: &Path, known: &Games) -> Result<Vec<NamedGame>> {
    let own = foreign_games_of_run(file, known);
    let Some(name) = &args.referee else {
        return Ok(own);
    };
    let (named, mut referee) = named_referee(name, known, "leave out --referee")?;
    let mut id = &named;
    // A referee's file doesn't say its game and seats: take those of the run, if it has one such
    // game.
    if let [only] = &own[..] {
        id = &only.spec.id;
        if let Some(own) = &only.referee {
            referee.seats = own.seats;
        }
    }
    Ok(vec![NamedGame::foreign(id, referee)])
}

/// What verifying has come to so far.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct Verified {
    /// Games that were played again, also those that differ.
    #[serde(rename = "games_verified")]
    games: u64,
    /// Games that can't be proved, because their referees take no seed.
    games_unproved: u64,
    /// What differs.
    mismatches: Vec<Mismatch>,
}

/// A record that doesn't agree with its game, or a file of a run that doesn't agree with its
/// records.
#[derive(Serialize, JsonSchema)]
struct Mismatch {
    /// File or folder, with the line or the index if it is known; null if there is none.
    place: String,
    /// What is wrong, without hints.
    message: String,
}

/// Verifies files, each with the games of its run that have external referees. `known` adds the
/// games that arena knows.
fn verify_all(
    files: &[(&Path, Vec<NamedGame>)],
    known: &dyn Fn(&[NamedGame]) -> Result<Games>,
) -> Result<u8> {
    let mut verified = Verified::default();
    for (run, foreign) in files {
        verified.add(run, foreign, &known(foreign)?)?;
    }
    let (games, unproved) = (verified.games, verified.games_unproved);
    let status = match &verified.mismatches[..] {
        [] if games + unproved == 0 => {
            let files = list(files.iter().map(|(file, _)| file.display().to_string()));
            return Err(InputError::NothingToVerify(files.unwrap_or_default()).into());
        }
        [] => exit::OK,
        _ => exit::CHECK_FAILED,
    };
    show(status, &verified, || {
        let mut text = String::new();
        if unproved > 0 {
            let games = count(unproved, "game", "games");
            text = format!("{games} cannot be proved: their referees take no seed\n");
        }
        let games = count(games, "game", "games");
        let mismatches = count(verified.mismatches.len() as u64, "mismatch", "mismatches");
        text + &format!("{games} verified, {mismatches}\n")
    })
}

impl Verified {
    /// Verifies a file or a run directory, and prints what differs.
    fn add(&mut self, run: &Path, foreign: &[NamedGame], known: &Games) -> Result<()> {
        let mut stored = StoredGames::new(known);
        let path = store::named_file(run, store::RECORDS)?;
        let mut is_broken = false;
        for entry in store::read_records(&path)? {
            let verified = match entry {
                Ok((_, record)) if takes_no_seed(foreign, &record.game) => {
                    self.games_unproved += 1;
                    continue;
                }
                Ok((line, record)) => stored
                    .of(&record)
                    .and_then(|spec| record::verify(&record, &spec))
                    .map_err(|mismatch| {
                        let place = format!("{}:{line}", path.display());
                        let mut message = place.clone();
                        if let Some(number) = record.number {
                            let _ = write!(message, ", game {number}");
                        }
                        let _ = write!(message, " ({:?}): {mismatch}", record.game);
                        Mismatch { place, message }
                    }),
                // A broken line is a mismatch; the other lines may verify.
                Err(error @ StoreError::Corrupt { .. }) => {
                    is_broken = true;
                    Err(Mismatch::from(error))
                }
                Err(error) => return Err(error.into()),
            };
            self.games += 1;
            if let Err(mismatch) = verified {
                self.differs(mismatch)?;
            }
        }
        // Broken lines belong to no plan, and neither do records outside a run directory.
        if is_broken || !run.join(store::PLAN).exists() {
            return Ok(());
        }
        match tournament::check(run, known) {
            Err(RunError::Store(
                error @ (StoreError::Corrupt { .. } | StoreError::Refused { .. }),
            )) => self.differs(error.into()),
            checked => Ok(checked?),
        }
    }

    /// Keeps a mismatch. People see it at once.
    fn differs(&mut self, mismatch: Mismatch) -> Result<()> {
        if !is_json() {
            print(format!("{}\n", mismatch.message))?;
        }
        self.mismatches.push(mismatch);
        Ok(())
    }
}

impl From<StoreError> for Mismatch {
    fn from(error: StoreError) -> Mismatch {
        Mismatch {
            place: error.place(),
            message: error.to_string(),
        }
    }
}
