//! What the games of a run add up to, game by game: counts, and the faults that are told in full.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::blame::blame;
use crate::plan::Plan;
use crate::plan::schedule::Fixture;
use crate::play::record::Record;
use crate::report::RunReport;
use crate::report::replays::{self, Chooser, Embedded, GameList, Selection};
use crate::standings::Summary;
use crate::standings::Tally;
use crate::standings::faults::{FaultDetails, FaultLog};
use crate::standings::metrics::MetricTally;
use crate::store::{GameRow, Header, RECORDS, StoreError, read_folder, read_workers};
use crate::study::{Context, Live, Study};
use arena_games::{Fate, GameSpec};

/// The findings so far. They do not depend on the order of the games.
pub(super) struct Findings<'p> {
    plan: &'p Plan,
    /// The run directory, for commands that people are told.
    out: &'p Path,
    tally: Tally,
    faults: FaultLog,
    metrics: MetricTally,
    /// Which games are worth watching.
    chooser: Chooser,
    /// The games as a page lists them.
    list: GameList,
    /// The games that have maps, by id, as far as these are known.
    mapped: BTreeMap<&'p str, Arc<GameSpec>>,
}

impl<'p> Findings<'p> {
    /// No games yet, of all that the plan has.
    pub(super) fn new(plan: &'p Plan, out: &'p Path) -> Findings<'p> {
        let schedule = plan.schedule();
        let (mut tally, mut mapped) = (Tally::default(), BTreeMap::new());
        for (index, game) in plan.games.iter().enumerate() {
            let Some(spec) = &game.spec else { continue };
            tally.expect(
                spec,
                game.seats(),
                schedule.games_per_unit(index),
                &game.bots,
            );
            // The boards are those of the run as far as that is known: a folder may have changed since.
            if let Ok(spec) = game.configured(&read_folder) {
                tally.expect_boards(&spec);
                mapped.insert(game.id.as_str(), spec);
            }
        }
        let (faults, metrics, chooser, list) = Default::default();
        Findings {
            plan,
            out,
            tally,
            faults,
            metrics,
            chooser,
            list,
            mapped,
        }
    }

    /// Counts a game; `fixture` is what the plan has under its number.
    pub(super) fn add(
        &mut self,
        fixture: &Fixture,
        row: &GameRow,
        record: &Record,
        is_rated: bool,
    ) {
        self.tally.add(row, record, is_rated);
        self.chooser.add(row);
        let mapped = self.mapped.get(row.game.as_str());
        let map = mapped.and_then(|spec| spec.board(row.seed));
        self.list.add(row, record, map);
        if self.plan.metrics {
            self.metrics.add(record);
        }
        for (seat, result) in row.seats.iter().enumerate() {
            if result.fate != Fate::Ok {
                self.faults.add(self.blame(fixture, (row, record), seat));
            }
        }
    }

    /// What is told of the bot in this seat, which failed.
    pub(super) fn blame(
        &self,
        fixture: &Fixture,
        (row, record): (&GameRow, &Record),
        seat: usize,
    ) -> FaultDetails {
        blame(self.plan, self.out, fixture, (row, record), seat)
    }

    /// How the run stands.
    pub(super) fn live(&self, study: &dyn Study) -> Live {
        study.live(&self.tally)
    }

    /// All of it but the games to be watched, which [`Findings::replays`] reads.
    pub(super) fn report(&self, study: &dyn Study, header: Header) -> RunReport {
        let mut summary = Summary::new(header, &self.tally, study.stop());
        summary.fault_causes = self.faults.causes();
        if !summary.workers.is_empty() {
            let seen = read_workers(self.out);
            for worker in &mut summary.workers {
                worker.update(&seen);
            }
        }
        let seen = Context {
            games: &summary.games,
            plan: self.plan,
            out: self.out,
        };
        RunReport {
            finding: study.finding(&seen),
            files: study.files(self.plan),
            summary,
            plan: self.plan.clone(),
            faults: self.faults.shown(),
            metrics: self.metrics.clone(),
            replays: Embedded::default(),
        }
    }

    /// The games of the page, of which those that are `asked` for can be watched.
    pub(super) fn replays(&self, asked: &Selection) -> Result<Embedded, StoreError> {
        replays::embed(
            &self.out.join(RECORDS),
            (asked, &self.chooser.chosen()),
            &self.list,
            &self.plan.known_games(),
        )
    }
}
