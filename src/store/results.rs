//! Reading results without a run around them: any `games.csv`, or a table of counts.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::left::LeftGame;
use super::row::{GameRow, Layout};
use super::{GAMES, LeftSummary, StoreError, named_file};

/// The columns of a table of counts, in any order: games of which `first` moved first, told from its side.
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

/// Whether a file of results ends as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileEnd {
    Whole,
    /// Its last game has no newline and was left out: it is still being written, or copied.
    Cut,
}

/// Reads every line of a file of results, or of the `games.csv` in a folder.
pub(crate) fn read_results(
    path: &Path,
    found: &mut dyn FnMut(ResultLine),
) -> Result<FileEnd, StoreError> {
    let path = &named_file(path, GAMES)?;
    let unreadable = |source: io::Error| StoreError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let corrupt = |line: u64, reason: String| StoreError::Corrupt {
        path: path.to_owned(),
        line,
        reason,
    };
    let file = File::open(path).map_err(unreadable)?;
    if starts_with_gzip(&file) {
        return Err(corrupt(
            1,
            "it is compressed with gzip: unpack it first, with gunzip".to_owned(),
        ));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&file);
    let header = reader
        .headers()
        .map_err(|error| corrupt(1, error.to_string()))?;
    let place = |name: &&str| {
        header
            .iter()
            .position(|column| column.trim().eq_ignore_ascii_case(name))
    };
    let counts: Vec<usize> = CROSSTABLE.iter().filter_map(place).collect();
    let counts: Option<[usize; 5]> = counts.try_into().ok();
    let layout = match Layout::of(header) {
        _ if counts.is_some() => None,
        Some(layout) => Some(
            layout
                .map_err(|why| corrupt(1, why + " in the header of this games.csv"))?
                .without_times(),
        ),
        None => {
            return Err(corrupt(
                1,
                format!(
                    "expected the header of a games.csv, or `{}`",
                    CROSSTABLE.join(",")
                ),
            ));
        }
    };
    let complete = counts.is_some() || ends_in_newline(path).map_err(unreadable)?;
    let width = header.len();
    let parse = |fields: &csv::StringRecord| match (&layout, counts) {
        (Some(layout), _) => {
            GameRow::parse(fields, layout).map(|row| ResultLine::Game(Box::new(row)))
        }
        (None, places) => {
            count_row(fields, width, places.unwrap_or_default()).map(ResultLine::Count)
        }
    };
    let unreadable_line =
        |error: csv::Error| corrupt(line_of(&file, error.position()), error.to_string());
    let mut end = FileEnd::Whole;
    let (mut fields, mut ahead) = (csv::StringRecord::new(), csv::StringRecord::new());
    let mut is_there = reader.read_record(&mut fields).map_err(unreadable_line)?;
    while is_there {
        // A line is known to be complete when there is another one.
        let next = reader.read_record(&mut ahead);
        if complete || !matches!(next, Ok(false)) {
            found(
                parse(&fields)
                    .map_err(|reason| corrupt(line_of(&file, fields.position()), reason))?,
            );
        } else {
            end = FileEnd::Cut;
        }
        is_there = next.map_err(unreadable_line)?;
        std::mem::swap(&mut fields, &mut ahead);
    }
    Ok(end)
}

/// The line, from 1, of a place at which the reader began to look for a record: the ends of lines before it are skipped.
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

/// What the `summary.json` of a run that is read from its folder, or from its file there, says of games that repeat others
/// move for move: results alone do not show that. A line for each game.
pub(crate) fn repeats_of_run(path: &Path) -> Vec<String> {
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(path)
    };
    let is_of_run = path.is_dir() || path.file_name().is_some_and(|name| name == GAMES);
    let summary = LeftSummary::read(folder)
        .ok()
        .flatten()
        .filter(|_| is_of_run);
    let games = summary
        .into_iter()
        .flat_map(|summary| summary.games)
        .filter(|game| game.repeated_games > 0);
    let told = games.map(|LeftGame { id, games, repeated_games }| {
        format!(
            "{}: {repeated_games} of {games} games of {id} repeat others move for move; they say nothing new, and the \
             intervals are too narrow",
            path.display()
        )
    });
    told.collect()
}

/// Whether a file begins as gzip does; of a pipe that is not known.
fn starts_with_gzip(file: &File) -> bool {
    let mut start = [0; 2];
    file.read_exact_at(&mut start, 0).is_ok() && start == [0x1f, 0x8b]
}

/// Whether the last line was written to its end.
fn ends_in_newline(path: &Path) -> io::Result<bool> {
    let file = File::open(path)?;
    let mut last = [0];
    file.read_exact_at(&mut last, file.metadata()?.len().saturating_sub(1))?;
    Ok(last == *b"\n")
}

/// A line of a table of so many columns, of which those of [`CROSSTABLE`] stand at these places.
fn count_row(
    fields: &csv::StringRecord,
    width: usize,
    places: [usize; 5],
) -> Result<CountRow, String> {
    let field = |at: usize| {
        fields
            .get(places[at])
            .map(str::trim)
            .filter(|text| !text.is_empty())
    };
    let text = |at: usize| {
        field(at)
            .map(str::to_owned)
            .ok_or_else(|| format!("column {}: expected a name", CROSSTABLE[at]))
    };
    let number = |at: usize| {
        let wrong = || {
            format!(
                "column {}: expected a count, found `{}`",
                CROSSTABLE[at],
                fields.get(places[at]).unwrap_or("")
            )
        };
        field(at)
            .and_then(|text| text.parse::<u64>().ok())
            .ok_or_else(wrong)
    };
    if fields.len() != width {
        return Err(format!("expected {width} fields, found {}", fields.len()));
    }
    let (first, second) = (text(0)?, text(1)?);
    if first == second {
        return Err(format!("expected two bots, found `{first}` against itself"));
    }
    Ok(CountRow {
        first,
        second,
        wins_draws_losses: [number(2)?, number(3)?, number(4)?],
    })
}
