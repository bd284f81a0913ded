//! Battles of the site: they are all there, and none is played.

use super::list::{answers, block};
use super::{Context, Cursor, Finding, Live, Next, Study, UNDER_WAY, Verdict};
use crate::plan::Import;
use crate::results::{GameResult, Stop, Unfit};
use crate::standings::Tally;
use arena_schedule::Fixture;

/// The battles of an import.
pub(super) struct ImportStudy {
    import: Import,
    cursor: Cursor,
}

impl ImportStudy {
    pub(super) fn new(import: &Import) -> ImportStudy {
        ImportStudy {
            import: import.clone(),
            cursor: Cursor::default(),
        }
    }
}

impl Study for ImportStudy {
    fn next(&mut self) -> Next {
        Next::Done
    }

    fn record(&mut self, result: &GameResult) -> Result<Verdict, Unfit> {
        if !self.cursor.record(result.number) {
            return Ok(Verdict::Discard);
        }
        Ok(Verdict::KEEP)
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        self.import.fixture(number)
    }

    fn has_ended(&self) -> bool {
        true
    }

    fn live(&self, tally: &Tally) -> Live {
        let games = tally.standings(&Stop::Watched);
        Live {
            blocks: games.iter().map(block).collect(),
            ..Live::default()
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        Finding {
            answers: answers(seen.games, None),
            unused: UNDER_WAY.to_owned(),
            ..Finding::default()
        }
    }
}
