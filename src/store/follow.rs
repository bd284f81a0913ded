//! Reads the records of a running run, a part at a time.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::lines::{GameReader, RecordLine};
use super::{RECORDS, StoreError};
use crate::results::Unfit;

/// A reader of a run that remembers its place.
#[derive(Debug)]
pub(crate) struct Follower {
    run: PathBuf,
    /// Number of bytes read.
    read: u64,
    /// The inode of the file; `None` before the first read.
    file: Option<u64>,
}

impl Follower {
    /// Starts at the beginning.
    pub(crate) fn new(run: &Path) -> Follower {
        Follower {
            run: run.to_owned(),
            read: 0,
            file: None,
        }
    }

    /// Whether the records are now in another file, or fewer than before.
    pub(crate) fn is_replaced(&self) -> bool {
        match (self.file, file_of(&self.run)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(file), Some((number, length))) => number != file || length < self.read,
        }
    }

    /// Calls `found` for every game since the last time. An error of `found` says why a game
    /// doesn't belong there.
    pub(crate) fn read_on(
        &mut self,
        found: &mut dyn FnMut(&RecordLine<'_>) -> Result<(), Unfit>,
    ) -> Result<(), StoreError> {
        if self.file.is_none() {
            self.file = file_of(&self.run).map(|(number, _)| number);
        }
        let mut games = GameReader::open_at(&self.run, self.read)?;
        while let Some(line) = games.next()? {
            self.read = line.place.end;
            found(&line).map_err(|unfit| games.corrupt(unfit))?;
        }
        Ok(())
    }
}

/// Returns the inode and the length of the file of records.
fn file_of(run: &Path) -> Option<(u64, u64)> {
    let there = fs::metadata(run.join(RECORDS)).ok()?;
    Some((there.ino(), there.len()))
}
