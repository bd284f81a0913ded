//! Reads results without a run: any `games.csv`, or a table of counts.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::row::{GameRow, Layout};
use super::summary::SavedGame;
use super::{
    GAMES, PlanFile, SavedSummary, StoreError, corrupt, named_file, read_plan, unreadable,
};
use arena_process::open_input;

/// Columns of a table of counts, in any order. The counts are those of `first`, the bot that moves
/// first.
pub(crate) const CROSSTABLE: [&str; 5] = ["first", "second", "wins", "draws", "losses"];

/// A line of a file of results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ResultLine {
    /// A game, from a `games.csv`.
    Game(Box<GameRow>),
    /// Counted games between two bots, from a table of counts.
    Count(CountRow),
}

/// Games between two bots, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountRow {
    /// The bot that moved first.
    pub(crate) first: String,
    /// Its opponent.
    pub(crate) second: String,
    /// Games that `first` won, drew and lost.
    pub(crate) wins_draws_losses: [u64; 3],
}

/// The end of a file of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileEnd {
    Whole,
    /// The last game has no newline and was left out: the file is still being written or copied.
    Cut,
}

/// Reads all lines of a file of results, or of the `games.csv` in a folder.
pub(crate) fn read_results(
    path: &Path,
    found: &mut dyn FnMut(ResultLine),
) -> Result<FileEnd, StoreError> {
    let path = &named_file(path, GAMES)?;
    let file = open_input(path).map_err(unreadable(path))?;
    if starts_with_gzip(&file) {
        let reason = "it is compressed with gzip: unpack it first, with gunzip";
        return Err(corrupt(path, 1, reason));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&file);
    let header = reader
        .headers()
        .map_err(|error| corrupt(path, 1, error.to_string()))?;
    let table = ResultsTable::of(header).map_err(|why| corrupt(path, 1, why))?;
    let is_whole = matches!(table, ResultsTable::Counts { .. })
        || ends_in_newline(path).map_err(unreadable(path))?;
    // A line is complete if another one follows.
    let mut last: Option<Result<ResultLine, StoreError>> = None;
    let mut fields = csv::StringRecord::new();
    while reader.read_record(&mut fields).map_err(|error| {
        let line = line_of(&file, error.position());
        corrupt(path, line, error.to_string())
    })? {
        if let Some(line) = last.take() {
            found(line?);
        }
        let line = table.parse(&fields);
        last = Some(line.map_err(|why| corrupt(path, line_of(&file, fields.position()), why)));
    }
    match last {
        Some(_) if !is_whole => Ok(FileEnd::Cut),
        Some(line) => {
            found(line?);
            Ok(FileEnd::Whole)
        }
        None => Ok(FileEnd::Whole),
    }
}

fn starts_with_gzip(file: &File) -> bool {
    let mut start = [0; 2];
    file.read_exact_at(&mut start, 0).is_ok() && start == [0x1f, 0x8b]
}

/// The kind and the columns of a file of results.
enum ResultsTable {
    Games(Layout),
    /// Number of columns, and places of those of [`CROSSTABLE`].
    Counts {
        width: usize,
        places: [usize; 5],
    },
}

impl ResultsTable {
    fn of(header: &csv::StringRecord) -> Result<ResultsTable, String> {
        let mut places = Vec::new();
        for name in CROSSTABLE {
            let mut columns = header.iter();
            places.extend(columns.position(|column| column.trim().eq_ignore_ascii_case(name)));
        }
        if let Ok(places) = places.try_into() {
            let width = header.len();
            return Ok(ResultsTable::Counts { width, places });
        }
        let layout = Layout::of(header).map_err(|why| {
            let columns = CROSSTABLE.join(",");
            format!("expected the header of a games.csv, or `{columns}`: {why}")
        })?;
        Ok(ResultsTable::Games(layout))
    }

    fn parse(&self, fields: &csv::StringRecord) -> Result<ResultLine, String> {
        match self {
            ResultsTable::Games(layout) => {
                GameRow::parse(fields, layout).map(|row| ResultLine::Game(Box::new(row)))
            }
            ResultsTable::Counts { width, places } => {
                count_row(fields, *width, *places).map(ResultLine::Count)
            }
        }
    }
}

/// Returns the line, from 1, of a record from the place where the reader started to search: it
/// skips ends of lines before the record.
fn line_of(file: &File, place: Option<&csv::Position>) -> u64 {
    let Some(place) = place else { return 0 };
    let mut ahead = [0; 256];
    let read = file.read_at(&mut ahead, place.byte()).unwrap_or_default();
    let skipped = ahead[..read]
        .iter()
        .take_while(|byte| b"\r\n".contains(byte))
        .filter(|byte| **byte == b'\n');
    place.line() + skipped.count() as u64
}

/// The run directory of a file of results.
fn run_of(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return Some(path);
    }
    path.parent().filter(|_| path.ends_with(GAMES))
}

/// The plan of the run of a file of results.
pub(crate) fn plan_beside(path: &Path) -> Option<PlanFile> {
    read_plan(run_of(path)?).ok()?
}

/// The games of that run, as its summary has them.
pub(crate) fn saved_games(path: &Path) -> Vec<SavedGame> {
    let summary = run_of(path).and_then(|run| SavedSummary::read(run).ok()?);
    summary.map_or_else(Vec::new, |summary| summary.games)
}

/// Whether the last line ends in a newline.
fn ends_in_newline(path: &Path) -> io::Result<bool> {
    let file = open_input(path)?;
    let mut last = [0];
    file.read_exact_at(&mut last, file.metadata()?.len().saturating_sub(1))?;
    Ok(last == *b"\n")
}

/// Reads a line of a table of counts.
fn count_row(
    fields: &csv::StringRecord,
    width: usize,
    places: [usize; 5],
) -> Result<CountRow, String> {
    if fields.len() != width {
        return Err(format!("expected {width} fields, found {}", fields.len()));
    }
    let [first, second] = [places[0], places[1]].map(|place| fields[place].trim().to_owned());
    for (name, column) in [&first, &second].into_iter().zip(CROSSTABLE) {
        if name.is_empty() {
            return Err(format!("column {column}: expected a name"));
        }
    }
    if first == second {
        return Err(format!("expected two bots, found `{first}` against itself"));
    }
    let mut wins_draws_losses = [0; 3];
    for (at, count) in (2..).zip(&mut wins_draws_losses) {
        let text = &fields[places[at]];
        *count = text.trim().parse().map_err(|_| {
            format!(
                "column {}: expected a count, found `{text}`",
                CROSSTABLE[at]
            )
        })?;
    }
    Ok(CountRow {
        first,
        second,
        wins_draws_losses,
    })
}
