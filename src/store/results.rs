//! Reading results without a run around them: any `games.csv`, or a table of counts.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::lines::Lines;
use super::row::{GameRow, seats_of};
use super::{GAMES, StoreError, named_file};

/// The columns of a table of counts: games of which `first` moved first, told from its side.
pub(crate) const CROSSTABLE: [&str; 5] = ["first", "second", "wins", "draws", "losses"];

/// A line of results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ResultLine {
    /// A game, from a `games.csv`.
    Game(Box<GameRow>),
    /// Counted games of two bots.
    Count(CountRow),
}

/// Games between two bots, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountRow {
    /// The bot that moved first.
    pub(crate) first: String,
    /// Its opponent.
    pub(crate) second: String,
    /// Games that `first` won, that were drawn, and that it lost.
    pub(crate) wins_draws_losses: [u64; 3],
}

/// Reads every line of a file of results, or of the `games.csv` in a folder. A last game without its newline is left
/// out, because it is still being written.
pub(crate) fn read_results(path: &Path, found: &mut dyn FnMut(ResultLine)) -> Result<(), StoreError> {
    let path = &named_file(path, GAMES)?;
    let unreadable = |source: io::Error| StoreError::Unreadable { path: path.to_owned(), source };
    let mut lines = Lines::open(path)?.ok_or_else(|| unreadable(io::ErrorKind::NotFound.into()))?;
    match lines.next()? {
        Some(line) if seats_of(line.trim_ascii_end()).is_some() => read_games(path, found),
        Some(line) if is_crosstable(line) => read_counts(path, found),
        _ => {
            let expected = format!("expected the header of a games.csv, or `{}`", CROSSTABLE.join(","));
            Err(StoreError::Corrupt { path: path.to_owned(), line: 1, reason: expected })
        }
    }
}

fn read_games(path: &Path, found: &mut dyn FnMut(ResultLine)) -> Result<(), StoreError> {
    let complete = ends_in_newline(path).map_err(|source| StoreError::Unreadable { path: path.to_owned(), source })?;
    let game = |fields: &csv::StringRecord| GameRow::parse(fields).map_err(|error| error.to_string());
    read_csv(path, complete, &mut |fields| {
        found(ResultLine::Game(Box::new(game(fields)?)));
        Ok(())
    })
}

fn read_counts(path: &Path, found: &mut dyn FnMut(ResultLine)) -> Result<(), StoreError> {
    read_csv(path, true, &mut |fields| {
        found(ResultLine::Count(count_row(fields)?));
        Ok(())
    })
}

/// Whether the last line was written to its end.
fn ends_in_newline(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Hands out every line below the header, but for the last one if it is not `complete`.
fn read_csv(
    path: &Path,
    complete: bool,
    found: &mut dyn FnMut(&csv::StringRecord) -> Result<(), String>,
) -> Result<(), StoreError> {
    let corrupt = |line: u64, reason: String| StoreError::Corrupt { path: path.to_owned(), line, reason };
    let file = File::open(path).map_err(|source| StoreError::Unreadable { path: path.to_owned(), source })?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(file);
    let (mut next, mut held, mut holds) = (csv::StringRecord::new(), csv::StringRecord::new(), false);
    loop {
        let read = reader.read_record(&mut next);
        let more = read.map_err(|error| corrupt(reader.position().line(), error.to_string()))?;
        // A line is known to be complete when there is another one.
        if holds && (more || complete) {
            let line = held.position().map_or(0, csv::Position::line);
            found(&held).map_err(|reason| corrupt(line, reason))?;
        }
        if !more {
            return Ok(());
        }
        std::mem::swap(&mut next, &mut held);
        holds = true;
    }
}

fn is_crosstable(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let names = line.trim_start_matches('\u{feff}').split(',').map(|name| name.trim().trim_matches('"').to_lowercase());
    names.eq(CROSSTABLE)
}

fn count_row(fields: &csv::StringRecord) -> Result<CountRow, String> {
    let field = |at: usize| fields.get(at).map(str::trim).filter(|text| !text.is_empty());
    let text =
        |at: usize| field(at).map(str::to_owned).ok_or_else(|| format!("column {}: expected a name", CROSSTABLE[at]));
    let number = |at: usize| {
        let wrong = || format!("column {}: expected a count, found `{}`", CROSSTABLE[at], fields.get(at).unwrap_or(""));
        field(at).and_then(|text| text.parse::<u64>().ok()).ok_or_else(wrong)
    };
    if fields.len() != CROSSTABLE.len() {
        return Err(format!("expected {} fields, found {}", CROSSTABLE.len(), fields.len()));
    }
    let (first, second) = (text(0)?, text(1)?);
    if first == second {
        return Err(format!("expected two bots, found `{first}` against itself"));
    }
    Ok(CountRow { first, second, wins_draws_losses: [number(2)?, number(3)?, number(4)?] })
}
