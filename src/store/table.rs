//! Reads tables of counts: results without a run.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::{GAMES, PLAN, StoreError, corrupt, unreadable};
use crate::results::CountRow;
use arena_process::open_input;

/// Columns of a table of counts, in any order. The counts are those of `first`, the bot that moves
/// first.
pub(crate) const CROSSTABLE: [&str; 5] = ["first", "second", "wins", "draws", "losses"];
/// Columns by which a `games.csv` is known.
const OF_GAMES: [&str; 3] = ["number", "unit", "game"];

/// The run that a path means: a folder, or the folder of a run's `games.csv`.
pub(crate) fn run_of(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    if !path.ends_with(GAMES) {
        return None;
    }
    let folder = Path::new(".").join(path.parent()?);
    folder.join(PLAN).exists().then_some(folder)
}

/// Reads all lines of a table of counts.
pub(crate) fn read_table(path: &Path) -> Result<Vec<CountRow>, StoreError> {
    let file = open_input(path).map_err(unreadable(path))?;
    if starts_with_gzip(&file) {
        let reason = "it is compressed with gzip: unpack it first, with gunzip";
        return Err(corrupt(path, 1, reason));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&file);
    let header = reader.headers().map_err(|error| corrupt(path, 1, error))?;
    let width = header.len();
    let places = places(path, header)?;
    let mut rows = Vec::new();
    let mut fields = csv::StringRecord::new();
    while reader
        .read_record(&mut fields)
        .map_err(|error| corrupt(path, line_of(&file, error.position()), error))?
    {
        let row = count_row(&fields, width, places)
            .map_err(|wrong| corrupt(path, line_of(&file, fields.position()), wrong))?;
        rows.push(row);
    }
    Ok(rows)
}

fn starts_with_gzip(file: &File) -> bool {
    let mut start = [0; 2];
    file.read_exact_at(&mut start, 0).is_ok() && start == [0x1f, 0x8b]
}

/// Finds the columns of [`CROSSTABLE`].
fn places(path: &Path, header: &csv::StringRecord) -> Result<[usize; 5], StoreError> {
    let place = |name: &str| {
        header
            .iter()
            .position(|column| column.trim().eq_ignore_ascii_case(name))
    };
    if OF_GAMES.iter().all(|name| place(name).is_some()) {
        return Err(StoreError::Alone {
            path: path.to_owned(),
        });
    }
    let mut places = [0; 5];
    for (column, name) in CROSSTABLE.into_iter().enumerate() {
        places[column] = place(name).ok_or_else(|| {
            let columns = CROSSTABLE.join(",");
            let reason = format!("expected the header `{columns}`: the column `{name}` is missing");
            corrupt(path, 1, reason)
        })?;
    }
    Ok(places)
}

/// Returns the line, from 1, of a record from the place where the reader started to search: it
/// skips ends of lines before the record.
fn line_of(file: &File, place: Option<&csv::Position>) -> u64 {
    let Some(place) = place else { return 0 };
    let mut ahead = [0; 256];
    let read = file.read_at(&mut ahead, place.byte()).unwrap_or_default();
    let mut line = place.line();
    for byte in &ahead[..read] {
        match byte {
            b'\n' => line += 1,
            b'\r' => {}
            _ => break,
        }
    }
    line
}

/// What is wrong with a line of a table of counts.
#[derive(Debug, thiserror::Error)]
enum RowFault {
    #[error("expected {width} fields, found {found}")]
    Width { width: usize, found: usize },
    #[error("column {0}: expected a name")]
    NoName(&'static str),
    #[error("expected two bots, found `{0}` against itself")]
    Itself(String),
    #[error("column {column}: expected a count, found `{text}`")]
    NoCount { column: &'static str, text: String },
}

/// Reads a line of a table of counts.
fn count_row(
    fields: &csv::StringRecord,
    width: usize,
    places: [usize; 5],
) -> Result<CountRow, RowFault> {
    let found = fields.len();
    if found != width {
        return Err(RowFault::Width { width, found });
    }
    let name = |column: usize| match fields[places[column]].trim() {
        "" => Err(RowFault::NoName(CROSSTABLE[column])),
        name => Ok(name.to_owned()),
    };
    let count = |column: usize| {
        let text = &fields[places[column]];
        text.trim().parse().map_err(|_| RowFault::NoCount {
            column: CROSSTABLE[column],
            text: text.to_owned(),
        })
    };
    let (first, second) = (name(0)?, name(1)?);
    if first == second {
        return Err(RowFault::Itself(first));
    }
    Ok(CountRow {
        first,
        second,
        wins_draws_losses: [count(2)?, count(3)?, count(4)?],
    })
}
