//! Reading results without a run around them: any `games.csv`, or a table of counts.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::row::{GameRow, is_header};
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
    let corrupt = |line: u64, reason: String| StoreError::Corrupt { path: path.to_owned(), line, reason };
    let file = File::open(path).map_err(unreadable)?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&file);
    let header = reader.headers().map_err(|error| corrupt(1, error.to_string()))?;
    let is_crosstable = header.iter().map(|name| name.trim().to_lowercase()).eq(CROSSTABLE);
    if !is_crosstable && !is_header(header) {
        return Err(corrupt(1, format!("expected the header of a games.csv, or `{}`", CROSSTABLE.join(","))));
    }
    let complete = is_crosstable || ends_in_newline(path).map_err(unreadable)?;
    let parse = |fields: &csv::StringRecord| {
        if is_crosstable {
            count_row(fields).map(ResultLine::Count)
        } else {
            GameRow::parse(fields).map(Box::new).map(ResultLine::Game)
        }
    };
    let mut lines = reader.records().peekable();
    while let Some(fields) = lines.next() {
        let fields =
            fields.map_err(|error| corrupt(error.position().map_or(0, csv::Position::line), error.to_string()))?;
        // A line is known to be complete when there is another one.
        if complete || lines.peek().is_some() {
            let line = fields.position().map_or(0, csv::Position::line);
            found(parse(&fields).map_err(|reason| corrupt(line, reason))?);
        }
    }
    Ok(())
}

/// Whether the last line was written to its end.
fn ends_in_newline(path: &Path) -> io::Result<bool> {
    let file = File::open(path)?;
    let mut last = [0];
    file.read_exact_at(&mut last, file.metadata()?.len().saturating_sub(1))?;
    Ok(last == *b"\n")
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
