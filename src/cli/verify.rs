//! `arena verify`.

use std::io::Write;

use super::{Failure, VerifyArgs};
use crate::store::{StoreError, StoredGames};
use crate::{exit, record, store};
use arena_games::Games;

pub(super) fn verify(args: &VerifyArgs, known: &Games) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let mut stored = StoredGames::new(known);
    let (mut games, mut mismatches) = (0_u64, 0_u64);
    for path in &args.files {
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
