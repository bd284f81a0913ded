//! The files of a run: one directory, written by one thread, safe against being killed at any
//! moment.
//!
//! A game exists when its line in `records.jsonl` ends in a newline. Its row in `games.csv` follows
//! from that record, and every other file from all records. Resuming a killed run cuts a torn last
//! line.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

mod folder;
mod follow;
mod games;
mod lines;
mod metrics;
mod pick;
mod plan_file;
mod reading;
mod row;
mod rows;
mod summary;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use folder::{Existing, Found, RunFolder, is_in_use, wait_for_end};
pub(crate) use follow::Follower;
pub(crate) use games::{StoredGames, read_folder};
pub(crate) use lines::RecordLine;
pub(crate) use pick::{PickedLine, pick_lines, pick_record};
pub(crate) use plan_file::{PlanFault, PlanFile, Program, VERSION, hash_file};
pub(crate) use reading::{
    RunFiles, count_games, known_plan, named_file, read_plan, read_run_files,
};
pub(crate) use row::Columns;
pub(crate) use rows::RowCheck;
pub(crate) use summary::{Header, SavedSummary};
pub(crate) use table::{read_table, run_of};

pub(crate) use arena_process::PLAN;

use crate::plan::STUDY_FILES;
use crate::play::record::Record;
use crate::results::{StoredGame, Unfit};
use arena_process::{is_at, open_input, persist, read_input_text, rename};
pub(crate) use folder::lock;
use lines::GameReader;
use rows::RowFormat;

/// The row of every game.
pub(crate) const GAMES: &str = "games.csv";
/// The record of every game.
pub(crate) const RECORDS: &str = "records.jsonl";
/// Elo of every bot.
pub(crate) const RATINGS: &str = "ratings.csv";
/// Every pairing.
pub(crate) const PAIRINGS: &str = "pairings.csv";
/// Response times of every bot.
pub(crate) const TIMINGS: &str = "timings.csv";
/// The bots' metrics, turn by turn.
pub(crate) const METRICS: &str = "metrics.csv";
/// The page that shows the run.
pub(crate) const REPORT: &str = "report.html";
/// The summary of the run. Only [`METRICS`] and [`REPORT`] are written later, so a run with a
/// summary ended in order.
pub(crate) const SUMMARY: &str = "summary.json";

/// The name of [`Pending`].
const PENDING: &str = "pending";
/// The files that the program writes into any run directory.
const OURS: [&str; 10] = [
    GAMES, RECORDS, PLAN, RATINGS, PAIRINGS, TIMINGS, METRICS, REPORT, SUMMARY, PENDING,
];

/// Returns the names of all files that the program writes into a run directory.
fn ours() -> impl Iterator<Item = &'static str> {
    OURS.into_iter().chain(STUDY_FILES)
}

/// An error in using the files of a run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The system failed.
    #[error("can't {action} {}", .path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// An input file cannot be read.
    #[error("can't read {}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The directory can't be used. The reason ends with a hint.
    #[error("can't use {}: {reason}", .path.display())]
    Refused { path: PathBuf, reason: String },
    /// A file has wrong content in this line, from 1.
    #[error("can't read {}, line {line}: {reason}", .path.display())]
    Corrupt {
        path: PathBuf,
        line: u64,
        reason: String,
    },
    /// Games without their run.
    #[error("can't rate {}: it isn't in a run folder, so its end, units and programs aren't known\nhint: name the folder of the run, or count its results: arena elo --wdl W,D,L", .0.display())]
    Alone(PathBuf),
    /// A plan was changed, or written by an incompatible version.
    #[error("can't use {path}: {1}", path = .0.display())]
    Plan(PathBuf, PlanFault),
}

impl StoreError {
    /// The file or folder, with the line if that is known.
    pub(crate) fn place(&self) -> String {
        match self {
            StoreError::Corrupt { path, line, .. } => format!("{}:{line}", path.display()),
            StoreError::Io { path, .. }
            | StoreError::Unreadable { path, .. }
            | StoreError::Refused { path, .. }
            | StoreError::Alone(path)
            | StoreError::Plan(path, _) => path.display().to_string(),
        }
    }
}

pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |source| StoreError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn corrupt(path: &Path, line: u64, reason: impl Display) -> StoreError {
    StoreError::Corrupt {
        path: path.to_owned(),
        line,
        reason: reason.to_string(),
    }
}

/// Makes the error that a run directory can't be used.
pub(crate) fn refused(path: &Path, reason: impl Into<String>) -> StoreError {
    StoreError::Refused {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

/// An open run directory. Only one process at a time can open it.
#[derive(Debug)]
pub(crate) struct RunDir {
    pub(crate) path: PathBuf,
    games: File,
    records: File,
    /// The directory itself, for its lock.
    _lock: File,
    format: RowFormat,
    /// The highest number of a game so far.
    last: Option<u64>,
    /// Whether a game follows one with a higher number.
    is_unordered: bool,
}

impl RunDir {
    /// Opens the directory of a run to write reports again; `None` while another process writes to
    /// it. Writes rows only if they don't agree with the records, because the maps in them may be
    /// gone.
    pub(crate) fn of_games(
        path: &Path,
        plan: &PlanFile,
        rows_agree: bool,
    ) -> Result<Option<RunDir>, StoreError> {
        let Some(lock) = lock(path)? else {
            return Ok(None);
        };
        let mut run = RunDir::locked(path, lock, plan)?;
        if !rows_agree {
            run.write_rows(&mut |_| Ok(()))?;
        }
        Ok(Some(run))
    }

    /// Returns the directory under this lock before any game is read.
    fn locked(path: &Path, lock: File, plan: &PlanFile) -> Result<RunDir, StoreError> {
        // A killed arena may have left it. A pipe of that name would make every write wait.
        remove(&path.join(PENDING))?;
        Ok(RunDir {
            games: appending(&path.join(GAMES))?,
            records: appending(&path.join(RECORDS))?,
            path: path.to_owned(),
            _lock: lock,
            format: RowFormat::of(plan),
            last: None,
            is_unordered: false,
        })
    }

    /// Writes all rows again from the records, and returns where these end. Calls `found` for every
    /// game.
    fn write_rows(
        &mut self,
        found: &mut dyn FnMut(&StoredGame) -> Result<(), Unfit>,
    ) -> Result<u64, StoreError> {
        let mut rows = Pending::create(&self.path)?;
        rows.write(self.format.columns.header().as_bytes())?;
        (self.last, self.is_unordered) = (None, false);
        let mut end = 0;
        let mut games = GameReader::open_at(&self.path, 0)?;
        while let Some(line) = games.next()? {
            rows.write(&self.format.line(line.game))?;
            self.note(line.game.result.number);
            end = line.place.end;
            found(line.game).map_err(|unfit| games.corrupt(unfit))?;
        }
        rows.finish(GAMES, Some(&mut self.games))?;
        Ok(end)
    }

    /// Notes the number of the next game. No other game has it: the study discards those.
    fn note(&mut self, number: u64) {
        self.is_unordered |= Some(number) < self.last;
        self.last = self.last.max(Some(number));
    }

    /// Appends one game.
    pub(crate) fn append(&mut self, game: &StoredGame) -> Result<(), StoreError> {
        let records = self.path.join(RECORDS);
        let mut line = serde_json::to_vec(&game.record)
            .map_err(|error| io_error("write", &records)(error.into()))?;
        line.push(b'\n');
        if !is_at(&self.records, &records) {
            // Writes to a removed or moved file would be lost.
            let gone = "it was removed, moved or replaced during the run";
            return Err(io_error("write", &records)(io::Error::other(gone)));
        }
        self.records
            .write_all(&line)
            .map_err(io_error("write", &records))?;
        self.games
            .write_all(&self.format.line(game))
            .map_err(io_error("write", &self.path.join(GAMES)))?;
        self.note(game.result.number);
        Ok(())
    }

    /// Writes a file that follows from the games.
    pub(crate) fn write_derived(&self, name: &str, content: &[u8]) -> Result<(), StoreError> {
        replace(&self.path, name, content)
    }

    /// Sorts the games by number, if games that had to be tried again came late.
    pub(crate) fn finish(&mut self) -> Result<(), StoreError> {
        if !self.is_unordered {
            return Ok(());
        }
        let mut places = Vec::new();
        let mut games = GameReader::open_at(&self.path, 0)?;
        while let Some(line) = games.next()? {
            places.push((line.game.result.number, line.place));
        }
        places.sort_unstable_by_key(|(number, _)| *number);
        let path = self.path.join(RECORDS);
        let mut unordered = open_input(&path).map_err(io_error("open", &path))?;
        let mut sorted = Pending::create(&self.path)?;
        for (_, Range { start, end }) in places {
            let mut line = vec![0; usize::try_from(end - start).unwrap_or_default()];
            unordered
                .seek(SeekFrom::Start(start))
                .and_then(|_| unordered.read_exact(&mut line))
                .map_err(io_error("read", &path))?;
            sorted.write(&line)?;
        }
        sorted.sync()?;
        drop((games, unordered));
        sorted.finish(RECORDS, Some(&mut self.records))?;
        self.write_rows(&mut |_| Ok(())).map(drop)
    }
}

/// Replaces the page of a run that another process may play. A browser never sees a part of it.
pub(crate) fn replace_page(run: &Path, page: &str) -> Result<(), StoreError> {
    let path = run.join(REPORT);
    // The file in progress has its own name: the run or another process may be writing, too.
    let mut file = tempfile::Builder::new()
        .make_in(run, |path| File::create_new(path))
        .map_err(io_error("write", &path))?;
    file.write_all(page.as_bytes())
        .map_err(io_error("write", &path))?;
    persist(file, &path).map_err(io_error("replace", &path))
}

fn read_if_present(path: &Path) -> Result<Option<String>, StoreError> {
    match read_input_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
            ErrorKind::InvalidData => {
                let why = "it is not UTF-8 text\nhint: bring back the file as it was written";
                Err(unreadable(path)(io::Error::other(why)))
            }
            _ => Err(unreadable(path)(error)),
        },
    }
}

fn appending(path: &Path) -> Result<File, StoreError> {
    if let Err(error) = open_input(path)
        && error.kind() != ErrorKind::NotFound
    {
        return Err(unreadable(path)(error));
    }
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(io_error("open", path))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(io_error("remove", path)),
    }
}

/// Writes a whole file atomically.
pub(crate) fn replace(folder: &Path, name: &str, content: &[u8]) -> Result<(), StoreError> {
    let mut file = Pending::create(folder)?;
    file.write(content)?;
    file.finish(name, None)
}

/// A file in progress, beside the place into which it is then renamed.
struct Pending {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Pending {
    fn create(folder: &Path) -> Result<Pending, StoreError> {
        let path = folder.join(PENDING);
        let file = File::create(&path).map_err(io_error("create", &path))?;
        let file = BufWriter::new(file);
        Ok(Pending { path, file })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file
            .write_all(bytes)
            .map_err(io_error("write", &self.path))
    }

    /// Waits until the system has stored everything.
    fn sync(&mut self) -> Result<(), StoreError> {
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(io_error("write", &self.path))
    }

    /// Renames it. If a file of the new name is open, closes it first and puts this one in its
    /// place, because not every system replaces an open file.
    fn finish(self, name: &str, replaced: Option<&mut File>) -> Result<(), StoreError> {
        let Pending { path, file } = self;
        let file = file
            .into_inner()
            .map_err(|error| io_error("write", &path)(error.into_error()))?;
        match replaced {
            Some(replaced) => *replaced = file,
            None => drop(file),
        }
        let place = path.with_file_name(name);
        rename(&path, &place).map_err(io_error("replace", &place))
    }
}

/// Reads a file as plain text, also if it is gzip.
pub(crate) fn unpacked(file: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::with_capacity(1 << 18, file);
    Ok(if file.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    })
}

/// Returns the lines of a file of records, plain or gzip, that aren't blank. Each has its number
/// and keeps its newline. An error is the last item: a damaged file fails at every read.
fn record_lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(u64, Vec<u8>), StoreError>> + use<>, StoreError> {
    let mut reader = open_input(path)
        .and_then(unpacked)
        .map_err(unreadable(path))?;
    let path = path.to_owned();
    let (mut number, mut has_failed) = (0, false);
    Ok(iter::from_fn(move || {
        while !has_failed {
            let mut line = Vec::new();
            number += 1;
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) if line.trim_ascii().is_empty() => {}
                read => {
                    has_failed = read.is_err();
                    return Some(read.map(|_| (number, line)).map_err(unreadable(&path)));
                }
            }
        }
        None
    }))
}

/// Reads a line of a file of records.
fn parse_record(path: &Path, number: u64, line: &[u8]) -> Result<Record, StoreError> {
    serde_json::from_slice(line)
        .map_err(|error| corrupt(path, number, format!("expected a record: {error}")))
}

/// Returns the records of a file, plain or gzip, with their line numbers.
pub(crate) fn read_records(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(u64, Record), StoreError>> + use<>, StoreError> {
    let lines = record_lines(path)?;
    let path = path.to_owned();
    Ok(lines.map(move |line| {
        let (number, line) = line?;
        Ok((number, parse_record(&path, number, &line)?))
    }))
}
