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
    let folder = path.parent().filter(|_| path.ends_with(GAMES))?;
    let folder = Path::new(".").join(folder);
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
    let header = reader
        .headers()
        .map_err(|error| corrupt(path, 1, error.to_string()))?;
    let width = header.len();
    let places = places(path, header)?;
    let mut rows = Vec::new();
    let mut fields = csv::StringRecord::new();
    while reader.read_record(&mut fields).map_err(|error| {
        let line = line_of(&file, error.position());
        corrupt(path, line, error.to_string())
    })? {
        let row = count_row(&fields, width, places);
        rows.push(row.map_err(|why| corrupt(path, line_of(&file, fields.position()), why))?);
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
    for (at, name) in places.iter_mut().zip(CROSSTABLE) {
        *at = place(name).ok_or_else(|| {
            let columns = CROSSTABLE.join(",");
            corrupt(
                path,
                1,
                format!("expected the header `{columns}`: the column `{name}` is missing"),
            )
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
    let skipped = ahead[..read]
        .iter()
        .take_while(|byte| b"\r\n".contains(byte))
        .filter(|byte| **byte == b'\n');
    place.line() + skipped.count() as u64
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
