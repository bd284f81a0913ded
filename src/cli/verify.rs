//! `arena verify`.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::{Failure, VerifyArgs};
use crate::games::kutulu::MapSet;
use crate::record::{Mismatch, Record};
use crate::store::StoreError;
use crate::{exit, record, store};

pub(super) fn verify(args: &VerifyArgs) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let mut folders = Folders::default();
    let (mut games, mut mismatches) = (0_u64, 0_u64);
    for path in &args.files {
        for entry in store::read_records(path).map_err(Failure::input)? {
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

/// Folders of maps as they were found, so that each is read once: most records name the same.
#[derive(Default)]
struct Folders(HashMap<String, Result<Arc<MapSet>, String>>);

fn verify_record(record: &Record, folders: &mut Folders) -> Result<(), Mismatch> {
    let maps = folders.maps_of(record)?;
    record::verify(record, maps.as_ref())
}

/// The folder that a record's map was picked from, as it is now.
pub(super) fn maps_of(record: &Record) -> Result<Option<Arc<MapSet>>, Mismatch> {
    Folders::default().maps_of(record)
}

impl Folders {
    fn maps_of(&mut self, record: &Record) -> Result<Option<Arc<MapSet>>, Mismatch> {
        // Nothing was picked where the map was given.
        let picked_from = record.options.maps.as_ref().filter(|_| record.options.map.is_empty());
        let Some(folder) = picked_from else { return Ok(None) };
        let read = || match store::read_maps(Path::new(folder)) {
            Ok(folder) => Ok(Arc::new(folder.maps)),
            Err(error) => Err(format!("failed to {:#}", anyhow::Error::from(error))),
        };
        let maps = self.0.entry(folder.clone()).or_insert_with(read);
        let maps = maps.as_ref().map_err(|why| Mismatch::Unplayable(format!("its maps cannot be had: {why}")))?;
        Ok(Some(Arc::clone(maps)))
    }
}
