//! A run game by game, as it is played or read: which games belong to it, and what they show.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::plan::Plan;
use crate::play::record::Record;
use crate::report::RunReport;
use crate::report::replays::{self, Chooser, Embedded, GameList, Selection};
use crate::standings::faults::FaultLog;
use crate::standings::metrics::MetricTally;
use crate::standings::{Summary, Tally};
use crate::store::{GameRow, Header, RECORDS, StoreError, read_folder};
use crate::study::{Context, Live, Study, Verdict, begin};
use arena_games::{Fate, GameSpec};
use arena_schedule::Fixture;

/// The games of a run so far.
pub(super) struct Reading<'p> {
    pub(super) plan: &'p Plan,
    /// The run directory, for commands in reports.
    pub(super) out: &'p Path,
    pub(super) study: Box<dyn Study>,
    /// The number of games.
    pub(super) count: u64,
    tally: Tally,
    faults: FaultLog,
    metrics: MetricTally,
    /// The games that are worth watching.
    chooser: Chooser,
    /// The list of games of the page.
    list: GameList,
    /// The games that have maps, by id, as far as these are known.
    mapped: BTreeMap<&'p str, Arc<GameSpec>>,
}

impl<'p> Reading<'p> {
    /// Returns a plan without games, or says why it can't be played. `out` is its run directory.
    pub(super) fn new(plan: &'p Plan, out: &'p Path) -> Result<Reading<'p>, String> {
        let study = begin(plan)?;
        let schedule = plan.schedule();
        let (mut tally, mut mapped) = (Tally::default(), BTreeMap::new());
        for (index, game) in plan.games.iter().enumerate() {
            let Some(spec) = &game.spec else { continue };
            let unit = schedule.games_per_unit(index);
            tally.expect(spec, game.seats(), unit, &game.bots);
            // The boards are those of the run as far as they are known: a folder may have changed.
            if let Ok(spec) = game.configured(&read_folder) {
                tally.expect_boards(&spec);
                mapped.insert(game.id.as_str(), spec);
            }
        }
        tally.expect_study(&plan.study);
        Ok(Reading {
            plan,
            out,
            study,
            count: 0,
            tally,
            faults: FaultLog::default(),
            metrics: MetricTally::default(),
            chooser: Chooser::default(),
            list: GameList::default(),
            mapped,
        })
    }

    /// Adds a stored game, or says why it doesn't belong to the run.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) -> Result<(), String> {
        let number = row.number;
        let fixture = self.study.recall(number);
        let Some(fixture) = fixture.filter(|fixture| self.is_of(fixture, row, record)) else {
            return Err(format!("game {number} is not as planned"));
        };
        match self.take(&fixture, row, record) {
            Verdict::Keep { .. } => Ok(()),
            Verdict::Discard => Err(format!("game {number} is stored twice or out of order")),
        }
    }

    /// Adds the game of a fixture, unless the study discards it.
    pub(super) fn take(&mut self, fixture: &Fixture, row: &GameRow, record: &Record) -> Verdict {
        let verdict = self.study.record(row, record);
        if let Verdict::Keep { is_rated } = verdict {
            self.count += 1;
            self.keep(fixture, row, record, is_rated);
        }
        verdict
    }

    fn keep(&mut self, fixture: &Fixture, row: &GameRow, record: &Record, is_rated: bool) {
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

    /// Returns whether a stored game is the one of this fixture.
    fn is_of(&self, fixture: &Fixture, row: &GameRow, record: &Record) -> bool {
        let spec = self.mapped.get(row.game.as_str());
        let bots = fixture.seating.iter().map(|&bot| &self.plan.bots[bot].name);
        (row.unit, row.seed) == (fixture.unit, fixture.seed)
            && row.game == self.plan.games[fixture.game].id
            && row.seats.iter().map(|seat| &seat.bot).eq(bots)
            && spec.is_none_or(|spec| spec.rules.options() == record.options.game)
    }

    /// Returns the state of the run for the terminal.
    pub(super) fn live(&self) -> Live {
        self.study.live(&self.tally)
    }

    /// Returns the report of the run, without games to watch: [`Reading::replays`] reads those.
    pub(super) fn report(&self, mut header: Header) -> RunReport {
        header.finished |= self.study.has_ended() || self.count >= header.games_planned;
        let mut summary = Summary::new(header, &self.tally, self.study.stop());
        summary.fault_causes = self.faults.causes();
        let seen = Context {
            games: &summary.games,
            plan: self.plan,
            out: self.out,
        };
        RunReport {
            finding: self.study.finding(&seen),
            files: self.study.files(self.plan),
            summary,
            is_played: false,
            plan: self.plan.clone(),
            faults: self.faults.shown(),
            metrics: self.metrics.clone(),
            replays: Embedded::default(),
        }
    }

    /// Returns the games of the page, with boards for the games that are `asked` for.
    pub(super) fn replays(&self, asked: &Selection) -> Result<Embedded, StoreError> {
        replays::embed(
            &self.out.join(RECORDS),
            (asked, &self.chooser.chosen()),
            &self.list,
            &self.plan.known_games(),
        )
    }
}
