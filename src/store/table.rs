//! Reads tables of counts: results without a run.

use std::path::{Path, PathBuf};

use csv::StringRecord;

use super::{GAMES, PLAN, StoreError, corrupt, unreadable};
use crate::results::CountRow;
use arena_process::read_input;

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
    let bytes = read_input(path).map_err(unreadable(path))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let reason = "it is compressed with gzip: unpack it first, with gunzip";
        return Err(corrupt(path, 1, reason));
    }
    let mut lines = (1..)
        .zip(bytes.split(|byte| *byte == b'\n'))
        .filter(|(_, line)| !line.trim_ascii().is_empty());
    let (_, header) = lines.next().unwrap_or_default();
    let header = csv_fields(header).map_err(|error| corrupt(path, 1, error))?;
    let places = places(path, &header)?;
    let mut rows = Vec::new();
    for (number, line) in lines {
        let wrong = |why: String| corrupt(path, number, why);
        let fields = csv_fields(line).map_err(|error| wrong(error.to_string()))?;
        let (expected, found) = (header.len(), fields.len());
        if found != expected {
            return Err(wrong(format!("expected {expected} fields, found {found}")));
        }
        let name = |column: usize| match fields[places[column]].trim() {
            "" => Err(wrong(format!(
                "column {}: expected a name",
                CROSSTABLE[column]
            ))),
            name => Ok(name.to_owned()),
        };
        let count = |column: usize| {
            let (text, column) = (&fields[places[column]], CROSSTABLE[column]);
            let why = || wrong(format!("column {column}: expected a count, found `{text}`"));
            text.trim().parse().map_err(|_| why())
        };
        let (first, second) = (name(0)?, name(1)?);
        if first == second {
            let why = format!("expected two bots, found `{first}` against itself");
            return Err(wrong(why));
        }
        rows.push(CountRow {
            first,
            second,
            wins_draws_losses: [count(2)?, count(3)?, count(4)?],
        });
    }
    Ok(rows)
}

/// Reads the fields of a line of CSV.
pub(super) fn csv_fields(line: &[u8]) -> csv::Result<StringRecord> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(line);
    reader.records().next().unwrap_or(Ok(StringRecord::new()))
}

/// Finds the columns of [`CROSSTABLE`].
fn places(path: &Path, header: &StringRecord) -> Result<[usize; 5], StoreError> {
    let place = |name: &str| {
        header
            .iter()
            .position(|column| column.trim().eq_ignore_ascii_case(name))
    };
    if OF_GAMES.iter().all(|name| place(name).is_some()) {
        return Err(StoreError::Alone(path.to_owned()));
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
