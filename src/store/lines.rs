//! Reading files of lines of which the last may be torn.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{RECORDS, StoreError, io_error};
use crate::record::Record;
use crate::store::row::{GameRow, LEAST_SEATS, header, seats_of};

/// The complete lines of a file, without their newlines. A last line without a newline is left out.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    /// The bytes of all lines that were handed out, newlines included.
    pub(super) consumed: u64,
    /// The number of lines that were handed out.
    number: u64,
    line: Vec<u8>,
}

impl Lines {
    /// Opens the file; one that does not exist has no lines.
    pub(super) fn open(path: &Path) -> Result<Option<Lines>, StoreError> {
        match File::open(path) {
            Ok(file) => {
                let reader = BufReader::with_capacity(1 << 16, file);
                Ok(Some(Lines { path: path.to_owned(), reader, consumed: 0, number: 0, line: Vec::new() }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_error("open", path)(error)),
        }
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

/// The games of a run directory, row and record side by side.
pub(super) struct Games {
    pub(super) rows: Lines,
    pub(super) records: Lines,
}

/// One game as it was read, and the two lines that hold it.
pub(super) struct StoredGame<'a> {
    pub(super) row: GameRow,
    pub(super) record: Record,
    pub(super) row_line: &'a [u8],
    pub(super) record_line: &'a [u8],
}

impl Games {
    /// Opens both files; `None` where there is not even a complete header.
    pub(super) fn open(rows: &Path, records: &Path) -> Result<Option<Games>, StoreError> {
        let (Some(mut rows), Some(records)) = (Lines::open(rows)?, Lines::open(records)?) else { return Ok(None) };
        match rows.next()? {
            None => Ok(None),
            Some(line) if seats_of(line).is_some() => Ok(Some(Games { rows, records })),
            Some(_) => Err(rows.corrupt(format!("expected the header `{}`", header(LEAST_SEATS)))),
        }
    }

    /// The next game that has both its record and its complete row.
    pub(super) fn next(&mut self) -> Result<Option<StoredGame<'_>>, StoreError> {
        let Some(row_line) = self.rows.next()? else { return Ok(None) };
        let row = GameRow::parse_line(row_line).map_err(|error| self.rows.corrupt(error.to_string()))?;
        let Some(record_line) = self.records.next()? else {
            return Err(self
                .rows
                .corrupt(format!("{RECORDS} ends before the record of game {}; --force starts again", row.number)));
        };
        let record: Record =
            serde_json::from_slice(record_line).map_err(|error| self.records.corrupt(error.to_string()))?;
        if record.number != Some(row.number) {
            let found = record.number.map_or_else(|| "no game".to_owned(), |number| format!("game {number}"));
            let reason = format!("expected the record of game {}, found that of {found}", row.number);
            return Err(self.records.corrupt(reason));
        }
        Ok(Some(StoredGame { row, record, row_line: &self.rows.line, record_line: &self.records.line }))
    }
}
