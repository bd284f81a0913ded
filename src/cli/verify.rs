//! `arena verify`.

use std::io::Write;
use std::sync::Arc;

use super::{Failure, VerifyArgs};
use crate::record::{Mismatch, Record};
use crate::store::{MapFolders, StoreError};
use crate::{exit, record, store};
use arena_games::kutulu::MapSet;

pub(super) fn verify(args: &VerifyArgs) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let mut folders = MapFolders::default();
    let (mut games, mut mismatches) = (0_u64, 0_u64);
    for path in &args.files {
        let path = store::named_file(path, store::RECORDS).map_err(Failure::input)?;
        for entry in store::read_records(&path).map_err(Failure::input)? {
            games += 1;
            let said = match entry {
                Ok((line, record)) => verify_record(&record, &mut folders).map_err(|mismatch| {
                    let game = record.number.map_or_else(String::new, |number| format!(", game {number}"));
                    format!("{}:{line}{game} ({:?}): {mismatch}", path.display(), record.game)
                }),
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

fn verify_record(record: &Record, folders: &mut MapFolders) -> Result<(), Mismatch> {
    record::verify(record, maps_of(record, folders)?.as_ref())
}

/// The maps of the folder that a record's map was picked from, as they are now.
pub(super) fn maps_of(record: &Record, folders: &mut MapFolders) -> Result<Option<Arc<MapSet>>, Mismatch> {
    let no_maps = |error| {
        let why = format!("failed to {:#}", anyhow::Error::from(error));
        Mismatch::Unplayable(format!("its maps cannot be had: {why}"))
    };
    folders.maps_of(record).map_err(no_maps)
}
