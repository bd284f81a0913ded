//! `arena verify`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::contest::{NamedGame, foreign_games_of_run, named_referee, ready_games, takes_no_seed};
use super::exit;
use super::failure::{InputError, Result};
use super::output::print;
use super::supervised::supervised;

use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::play::record;
use crate::store::{self, StoreError, StoredGames};
use crate::tournament::{self, RunError};
use arena_games::Games;
use arena_process::Mode;
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
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
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
#[derive(Default)]
struct Verified {
    games: u64,
    mismatches: u64,
    /// Games whose referees take no seed.
    unproved: u64,
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
    if verified.games + verified.mismatches + verified.unproved == 0 {
        let files = list(files.iter().map(|(file, _)| file.display().to_string()));
        return Err(InputError::NothingToVerify(files.unwrap_or_default()).into());
    }
    let [games, unproved] =
        [verified.games, verified.unproved].map(|games| count(games, "game", "games"));
    if verified.unproved > 0 {
        print(format!(
            "{unproved} cannot be proved: their referees take no seed\n"
        ))?;
    }
    let mismatches = count(verified.mismatches, "mismatch", "mismatches");
    print(format!("{games} verified, {mismatches}\n"))?;
    match verified.mismatches {
        0 => Ok(exit::OK),
        _ => Ok(exit::CHECK_FAILED),
    }
}

impl Verified {
    /// Verifies a file or a run directory, and prints what differs.
    fn add(&mut self, run: &Path, foreign: &[NamedGame], known: &Games) -> Result<()> {
        let mut stored = StoredGames::new(known);
        let path = store::named_file(run, store::RECORDS)?;
        let mut is_broken = false;
        for entry in store::read_records(&path)? {
            let said = match entry {
                Ok((_, record)) if takes_no_seed(foreign, &record.game) => {
                    self.unproved += 1;
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
                // A broken line is a mismatch; the other lines may verify.
                Err(error @ StoreError::Corrupt { .. }) => {
                    is_broken = true;
                    Err(error.to_string())
                }
                Err(error) => return Err(error.into()),
            };
            self.games += 1;
            if let Err(said) = said {
                self.differs(said)?;
            }
        }
        // Broken lines belong to no plan, and neither do records outside a run directory.
        if is_broken || !run.join(store::PLAN).exists() {
            return Ok(());
        }
        match tournament::check(run, known) {
            Err(RunError::Store(
                error @ (StoreError::Corrupt { .. } | StoreError::Refused { .. }),
            )) => self.differs(error.to_string()),
            checked => Ok(checked?),
        }
    }

    fn differs(&mut self, said: String) -> Result<()> {
        self.mismatches += 1;
        print(said + "\n").map(drop)
    }
}
