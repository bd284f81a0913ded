//! `games.csv` follows from the records: how its lines are written, and whether they still agree.

use std::path::Path;

use super::lines::{GameReader, Lines};
use super::maps::RunMaps;
use super::row::LEAST_SEATS;
use super::{Columns, GAMES, GameRow, PlanFile, RECORDS, StoreError, corrupt};
use crate::plan::PlannedGame;

/// How the rows of a run are written.
#[derive(Debug)]
pub(super) struct RowFormat {
    columns: Columns,
    maps: RunMaps,
}

impl RowFormat {
    pub(super) fn of(plan: &PlanFile) -> RowFormat {
        let seats = plan.plan.games.iter().map(PlannedGame::seats);
        let maps = RunMaps::of(&plan.plan.games);
        let columns = Columns {
            seats: seats.fold(LEAST_SEATS, usize::max),
            has_map: !maps.is_empty(),
        };
        RowFormat { columns, maps }
    }

    /// The first line of the file, with its newline.
    pub(super) fn header(&self) -> String {
        self.columns.header() + "\n"
    }

    /// Returns the line of a game, with its newline.
    pub(super) fn line(&self, row: &GameRow) -> Vec<u8> {
        row.to_line(self.columns, &self.maps.name(row).unwrap_or_default())
    }

    /// Returns whether a line is that of a game. A map that is unknown by now may be any.
    fn is_line(&self, line: &[u8], row: &GameRow) -> bool {
        let map = self.maps.name(row);
        let map = map.unwrap_or_else(|| self.columns.map_of(line).unwrap_or_default());
        row.to_line(self.columns, &map) == line
    }
}

/// Compares the lines of `games.csv` with the games of the records, in their order.
pub(crate) struct RowCheck<'r> {
    run: &'r Path,
    format: RowFormat,
    rows: Lines,
    line: Vec<u8>,
    /// The number of the line, from 1.
    number: u64,
    found: Result<(), StoreError>,
}

impl RowCheck<'_> {
    /// Opens the file and compares its header.
    pub(crate) fn open<'r>(run: &'r Path, plan: &PlanFile) -> Result<RowCheck<'r>, StoreError> {
        let format = RowFormat::of(plan);
        let header = format.header();
        let mut check = RowCheck {
            run,
            format,
            rows: Lines::open(&run.join(GAMES))?,
            line: Vec::new(),
            number: 0,
            found: Ok(()),
        };
        check.next();
        if check.found.is_ok() && check.line != header.as_bytes() {
            check.differs("expected the columns of this run");
        }
        Ok(check)
    }

    /// Compares the next line with a game.
    pub(crate) fn compare(&mut self, row: &GameRow) {
        if self.found.is_err() {
            return;
        }
        self.next();
        if self.found.is_ok() && !self.format.is_line(&self.line, row) {
            let number = row.number;
            self.differs(&format!("expected game {number} as in {RECORDS}"));
        }
    }

    /// Returns an error for the first difference, which may be a line after those of all games.
    pub(crate) fn end(mut self) -> Result<(), StoreError> {
        if self.found.is_ok() {
            self.next();
            if self.found.is_ok() && !self.line.is_empty() {
                self.differs(&format!(
                    "{RECORDS} lacks this game; bring it back, or leave it out"
                ));
            }
        }
        self.found
    }

    /// Reads the next line, which is empty after the last one.
    fn next(&mut self) {
        self.line.clear();
        self.number += 1;
        self.found = self.rows.append_next(&mut self.line).map(|_| ());
    }

    fn differs(&mut self, what: &str) {
        let run = self.run.display();
        let advice = format!("`arena report {run}` writes {GAMES} again from {RECORDS}");
        let file = self.run.join(GAMES);
        self.found = Err(corrupt(&file, self.number, format!("{what}; {advice}")));
    }
}

/// Returns whether `games.csv` has the games of the records, as they are there.
pub(super) fn rows_agree(run: &Path, plan: &PlanFile) -> Result<bool, StoreError> {
    let mut check = RowCheck::open(run, plan)?;
    let mut games = GameReader::open(run)?;
    while let Some(game) = games.next()? {
        check.compare(game.row);
    }
    Ok(check.end().is_ok())
}
