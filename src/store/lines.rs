//! Reading files of lines of which the last may be torn.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::vec;

use super::{GameRow, RECORDS, StoreError, io_error};
use crate::record::Record;

/// The bytes of records that are parsed at a time.
const BATCH: u64 = 1 << 16;

/// The complete lines of a file, without their newlines. A last line without a newline is left out.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    /// Where the line behind those that were handed out begins in the file.
    pub(super) consumed: u64,
    line: Vec<u8>,
}

impl Lines {
    /// Opens the file; one that does not exist has no lines.
    pub(super) fn open(path: &Path) -> Result<Lines, StoreError> {
        Lines::open_at(path, 0)
    }

    /// Opens the file behind so many bytes.
    fn open_at(path: &Path, start: u64) -> Result<Lines, StoreError> {
        let file: Box<dyn Read> = match File::open(path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(start))
                    .map_err(io_error("read", path))?;
                Box::new(file)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Box::new(io::empty()),
            Err(error) => return Err(io_error("open", path)(error)),
        };
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Lines {
            path: path.to_owned(),
            reader,
            consumed: start,
            line: Vec::new(),
        })
    }

    /// The number of lines of a file.
    pub(super) fn count(path: &Path) -> Result<u64, StoreError> {
        let mut lines = Lines::open(path)?.reader;
        let mut count = 0;
        loop {
            let chunk = lines.fill_buf().map_err(io_error("read", path))?;
            if chunk.is_empty() {
                return Ok(count);
            }
            count += memchr::memchr_iter(b'\n', chunk).count() as u64;
            let read = chunk.len();
            lines.consume(read);
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, StoreError> {
        self.line.clear();
        self.reader
            .read_until(b'\n', &mut self.line)
            .map_err(io_error("read", &self.path))?;
        if self.line.pop() != Some(b'\n') {
            return Ok(None);
        }
        self.consumed += self.line.len() as u64 + 1;
        Ok(Some(&self.line))
    }
}

/// The games of a run directory, in the order of its records. A record that is not written to its end is no game yet. Records are
/// parsed in batches by other threads, a few batches ahead of the one that is handed out.
pub(super) struct Games {
    records: Lines,
    /// Batches under way, the next one in front.
    batches: VecDeque<Receiver<Vec<Result<StoredGame, String>>>>,
    /// What is left of the batch before them.
    batch: vec::IntoIter<Result<StoredGame, String>>,
    /// Why reading ended, behind the last batch; nothing while it goes on.
    end: Option<Result<(), StoreError>>,
    /// The number of games that were handed out, each of which is a line.
    number: u64,
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

impl StoredGame {
    fn parse(line: Vec<u8>, place: Range<u64>) -> Result<StoredGame, String> {
        // All at once, and not string by string.
        let text = std::str::from_utf8(&line).map_err(|error| error.to_string())?;
        let record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(StoredGame {
            row: GameRow::of(&record)?,
            record,
            line,
            place,
        })
    }
}

impl Games {
    /// Opens the records of a run directory.
    pub(super) fn open(run: &Path) -> Result<Games, StoreError> {
        Games::open_at(run, 0)
    }

    /// Opens them behind so many bytes, which end with a line.
    pub(super) fn open_at(run: &Path, start: u64) -> Result<Games, StoreError> {
        let records = Lines::open_at(&run.join(RECORDS), start)?;
        Ok(Games {
            records,
            batches: VecDeque::new(),
            batch: Vec::new().into_iter(),
            end: None,
            number: 0,
        })
    }

    /// The error that the game handed out last does not belong there.
    pub(super) fn corrupt(&self, reason: String) -> StoreError {
        StoreError::Corrupt {
            path: self.records.path.clone(),
            line: self.number,
            reason,
        }
    }

    /// Reads the lines of a batch, with their places.
    fn read_batch(&mut self) -> Vec<(Vec<u8>, Range<u64>)> {
        let first = self.records.consumed;
        let mut batch = Vec::new();
        while self.end.is_none() && self.records.consumed - first < BATCH {
            let start = self.records.consumed;
            match self.records.next().map(|line| line.map(<[u8]>::to_vec)) {
                Ok(Some(line)) => batch.push((line, start..self.records.consumed)),
                Ok(None) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        batch
    }

    fn read_ahead(&mut self) {
        while self.end.is_none() && self.batches.len() <= 2 * rayon::current_num_threads() {
            let lines = self.read_batch();
            let (done, batch) = mpsc::sync_channel(1);
            rayon::spawn_fifo(move || {
                // Nobody waits for it where reading was given up.
                let _ = done.send(
                    lines
                        .into_iter()
                        .map(|(line, place)| StoredGame::parse(line, place))
                        .collect(),
                );
            });
            self.batches.push_back(batch);
        }
    }
}

impl Iterator for Games {
    type Item = Result<StoredGame, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.batch.next() {
                self.number += 1;
                return Some(game.map_err(|reason| self.corrupt(reason)));
            }
            self.read_ahead();
            let Some(batch) = self.batches.pop_front() else {
                return self.end.replace(Ok(()))?.err().map(Err);
            };
            self.batch = batch
                .recv()
                .unwrap_or_else(|_| unreachable!("a batch is parsed to its end"))
                .into_iter();
        }
    }
}
