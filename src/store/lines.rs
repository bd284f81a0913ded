//! Reading files of lines of which the last may be torn.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{GameRow, RECORDS, StoreError, io_error};
use crate::record::Record;

/// The complete lines of a file, without their newlines. A last line without a newline is left out.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    /// The bytes of all lines that were handed out, newlines included.
    pub(super) consumed: u64,
    /// The number of lines that were handed out.
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    /// Opens the file; one that does not exist has no lines.
    pub(super) fn open(path: &Path) -> Result<Lines, StoreError> {
        let file: Box<dyn Read> = match File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Box::new(io::empty()),
            Err(error) => return Err(io_error("open", path)(error)),
        };
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Lines { path: path.to_owned(), reader, consumed: 0, number: 0, line: Vec::new() })
    }

    /// The number of lines of a file.
    pub(super) fn count(path: &Path) -> Result<u64, StoreError> {
        let mut lines = Lines::open(path)?;
        while lines.next()?.is_some() {}
        Ok(lines.number)
    }

    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, StoreError> {
        self.line.clear();
        self.reader.read_until(b'\n', &mut self.line).map_err(io_error("read", &self.path))?;
        if self.line.pop() != Some(b'\n') {
            return Ok(None);
        }
        self.consumed += self.line.len() as u64 + 1;
        self.number += 1;
        Ok(Some(&self.line))
    }

    /// The error that the line handed out last is not what it should be.
    pub(super) fn corrupt(&self, reason: String) -> StoreError {
        StoreError::Corrupt { path: self.path.clone(), line: self.number, reason }
    }
}

/// The games of a run directory, in the order of its records. A record that is not written to its end is no game yet.
pub(super) struct Games {
    records: Lines,
}

/// One game as it was read.
pub(super) struct StoredGame {
    pub(super) row: GameRow,
    pub(super) record: Record,
    /// The line of the record, without its newline.
    pub(super) line: Vec<u8>,
    /// Where the line stands in the file, its newline included.
    pub(super) place: Range<u64>,
}

impl Games {
    /// Opens the records of a run directory.
    pub(super) fn open(run: &Path) -> Result<Games, StoreError> {
        Ok(Games { records: Lines::open(&run.join(RECORDS))? })
    }

    /// The error that the game handed out last does not belong there.
    pub(super) fn corrupt(&self, reason: String) -> StoreError {
        self.records.corrupt(reason)
    }

    fn read(&mut self) -> Result<Option<StoredGame>, StoreError> {
        let start = self.records.consumed;
        let Some(line) = self.records.next()?.map(<[u8]>::to_vec) else { return Ok(None) };
        let record: Record = serde_json::from_slice(&line).map_err(|error| self.corrupt(error.to_string()))?;
        let row = GameRow::of(&record).map_err(|reason| self.corrupt(reason))?;
        Ok(Some(StoredGame { row, record, line, place: start..self.records.consumed }))
    }
}

impl Iterator for Games {
    type Item = Result<StoredGame, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
