//! Reads the records of a running run, a part at a time.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::lines::{GameReader, RecordLine};
use super::{RECORDS, StoreError};
use crate::results::Unfit;
use arena_process::{is_at, open_input};

/// A reader of a run that remembers its place.
#[derive(Debug)]
pub(crate) struct Follower {
    run: PathBuf,
    /// Number of bytes read.
    read: u64,
    /// The open file; `None` before the first read.
    file: Option<File>,
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
        self.file.as_ref().is_some_and(|file| {
            let is_cut = || file.metadata().is_ok_and(|now| now.len() < self.read);
            !is_at(file, &self.run.join(RECORDS)) || is_cut()
        })
    }

    /// Calls `found` for every game since the last time. An error of `found` says why a game
    /// doesn't belong there.
    pub(crate) fn read_on(
        &mut self,
        found: &mut dyn FnMut(&RecordLine<'_>) -> Result<(), Unfit>,
    ) -> Result<(), StoreError> {
        if self.file.is_none() {
            self.file = open_input(&self.run.join(RECORDS)).ok();
        }
        let mut games = GameReader::open_at(&self.run, self.read)?;
        while let Some(line) = games.next()? {
            self.read = line.place.end;
            found(&line).map_err(|unfit| games.corrupt(unfit))?;
        }
        Ok(())
    }
}
