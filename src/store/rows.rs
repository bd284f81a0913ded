//! `games.csv` follows from the records: how its lines are written, and whether they still agree.

use std::collections::BTreeMap;
use std::mem;
use std::path::Path;
use std::sync::Arc;

use super::lines::{GameReader, Lines};
use super::row::{self, LEAST_SEATS};
use super::{Columns, GAMES, PlanFile, RECORDS, StoreError, corrupt, read_folder};
use crate::results::{GameResult, StoredGame};
use arena_games::GameSpec;

/// How the rows of a run are written.
#[derive(Debug)]
pub(super) struct RowFormat {
    pub(super) columns: Columns,
    /// The games with maps, by id, with their options; `None` if the folder of maps is gone or has
    /// changed.
    maps: BTreeMap<String, Option<Arc<GameSpec>>>,
}

impl RowFormat {
    pub(super) fn of(plan: &PlanFile) -> RowFormat {
        let (mut seats, mut maps) = (LEAST_SEATS, BTreeMap::new());
        for game in &plan.plan.games {
            seats = seats.max(game.seats());
            if let Some(spec) = &game.spec
                && !spec.rules.boards().is_empty()
            {
                maps.insert(game.id.clone(), game.configured(&read_folder).ok());
            }
        }
        let has_map = !maps.is_empty();
        let columns = Columns { seats, has_map };
        RowFormat { columns, maps }
    }

    /// Returns the name of a game's map, which is empty if the game has no maps; `None` if unknown.
    fn map(&self, result: &GameResult) -> Option<String> {
        match self.maps.get(&result.game) {
            Some(spec) => Some(spec.as_ref()?.board(result.seed).unwrap_or_default()),
            None => Some(String::new()),
        }
    }

    /// Returns the line of a game, with its newline.
    pub(super) fn line(&self, game: &StoredGame) -> Vec<u8> {
        let map = self.map(&game.result).unwrap_or_default();
        row::line(game, self.columns, &map)
    }

    /// Returns whether a line is that of a game. A map that is unknown by now may be any.
    fn is_line(&self, line: &[u8], game: &StoredGame) -> bool {
        let map = self.map(&game.result);
        let map = map.unwrap_or_else(|| self.columns.map_of(line).unwrap_or_default());
        row::line(game, self.columns, &map) == line
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
        let mut check = RowCheck {
            run,
            format: RowFormat::of(plan),
            rows: Lines::open_at(&run.join(GAMES), 0)?,
            line: Vec::new(),
            number: 0,
            found: Ok(()),
        };
        check.found = check.check_next(None);
        Ok(check)
    }

    /// Compares the next line with a game.
    pub(crate) fn compare(&mut self, game: &StoredGame) {
        if self.found.is_ok() {
            self.found = self.check_next(Some(game));
        }
    }

    /// Returns an error for the first difference, which may be a line after those of all games.
    pub(crate) fn end(mut self) -> Result<(), StoreError> {
        mem::replace(&mut self.found, Ok(()))?;
        self.check_next(None)
    }

    /// Reads the next line, and compares it with a game; without one, with the header or the end.
    fn check_next(&mut self, game: Option<&StoredGame>) -> Result<(), StoreError> {
        self.line.clear();
        self.number += 1;
        self.rows.append_next(&mut self.line)?;
        let what = match game {
            Some(game) if !self.format.is_line(&self.line, game) => {
                format!("expected game {} as in {RECORDS}", game.result.number)
            }
            None if self.number == 1 && self.line != self.format.columns.header().as_bytes() => {
                "expected the columns of this run".to_owned()
            }
            None if self.number > 1 && !self.line.is_empty() => {
                format!("{RECORDS} lacks this game; bring it back, or leave it out")
            }
            _ => return Ok(()),
        };
        let run = self.run.display();
        let why = format!("{what}; `arena report {run}` writes {GAMES} again from {RECORDS}");
        Err(corrupt(&self.run.join(GAMES), self.number, why))
    }
}

/// Returns whether `games.csv` has the games of the records, as they would be written.
pub(super) fn rows_agree(run: &Path, plan: &PlanFile) -> Result<bool, StoreError> {
    let mut check = RowCheck::open(run, plan)?;
    let mut games = GameReader::open_at(run, 0)?;
    while let Some(line) = games.next()? {
        check.compare(line.game);
    }
    Ok(check.end().is_ok())
}
