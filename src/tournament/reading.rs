//! A run game by game, as it is played or read: which games belong to it, and what they show.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::plan::Plan;
use crate::report::RunReport;
use crate::report::replays::{self, Chooser, Embedded, GameList, Selection};
use crate::results::{Stop, StoredGame, Unfit};
use crate::standings::faults::FaultLog;
use crate::standings::metrics::MetricTally;
use crate::standings::{Summary, Tally};
use crate::store::{Header, RECORDS, StoreError, read_folder, refused};
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
    /// Returns a plan without games, or says why it can't be played. `out` is its run directory,
    /// and bots that are `alike` are the same program.
    pub(super) fn new(
        plan: &'p Plan,
        out: &'p Path,
        alike: &[Vec<String>],
    ) -> Result<Reading<'p>, StoreError> {
        let study = begin(plan).map_err(|why| refused(out, why.to_string()))?;
        let (mut tally, mut mapped) = (Tally::default(), BTreeMap::new());
        for (index, game) in plan.games.iter().enumerate() {
            let Some(spec) = &game.spec else { continue };
            tally.expect(spec, plan.unit(index), &game.bots);
            // The boards are those of the run as far as they are known: a folder may have changed.
            if let Ok(spec) = game.configured(&read_folder) {
                tally.expect_boards(&spec);
                mapped.insert(game.id.as_str(), spec);
            }
        }
        tally.expect_study(&plan.study, alike);
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

    /// Adds a stored game, and returns whether it is rated. The error says why it doesn't belong to
    /// the run.
    pub(super) fn add(&mut self, game: &StoredGame) -> Result<bool, Unfit> {
        let number = game.result.number;
        match self.study.recall(number) {
            Some(fixture) if self.is_of(&fixture, game) => match self.take(&fixture, game)? {
                Verdict::Keep { is_rated } => Ok(is_rated),
                Verdict::Discard => Err(Unfit::Again(number)),
            },
            _ => Err(Unfit::NotPlanned(number)),
        }
    }

    /// Adds the game of a fixture, unless the study discards it.
    pub(super) fn take(&mut self, fixture: &Fixture, game: &StoredGame) -> Result<Verdict, Unfit> {
        let result = &game.result;
        let verdict = self.study.record(result)?;
        if let Verdict::Keep { is_rated } = verdict {
            self.count += 1;
            self.tally.add(game, is_rated)?;
            self.chooser.add(game);
            let spec = self.mapped.get(result.game.as_str());
            self.list
                .add(game, spec.and_then(|spec| spec.board(result.seed)));
            if self.plan.metrics {
                self.metrics.add(&game.record);
            }
            for (seat, of) in result.seats.iter().enumerate() {
                if of.fate != Fate::Ok {
                    self.faults.add(self.blame(fixture, game, seat));
                }
            }
        }
        Ok(verdict)
    }

    /// Returns whether a stored game is the one of this fixture.
    fn is_of(&self, fixture: &Fixture, StoredGame { result, record }: &StoredGame) -> bool {
        let spec = self.mapped.get(result.game.as_str());
        let bots = fixture.seating.iter().map(|&bot| &self.plan.bots[bot].name);
        (result.unit, result.seed) == (fixture.unit, fixture.seed)
            && result.game == self.plan.games[fixture.game].id
            && result.seats.iter().map(|seat| &seat.bot).eq(bots)
            && spec.is_none_or(|spec| spec.rules.options() == record.options.game)
    }

    /// Returns why no more games are played. They came to their announced end if this number was
    /// announced before the first one, and no rule of the run could end it.
    pub(super) fn stop(&self, planned: u64, is_extended: bool) -> Stop {
        match self.study.stop() {
            Some(stop) => stop,
            None if !is_extended && self.count >= planned => Stop::Announced,
            None => Stop::Watched,
        }
    }

    /// Returns the state of the run for the terminal.
    pub(super) fn live(&self) -> Live {
        self.study.live(&self.tally)
    }

    /// Returns the report of the run, without games to watch: [`Reading::replays`] reads those.
    pub(super) fn report(&self, mut header: Header) -> RunReport {
        header.finished |= self.study.has_ended() || self.count >= header.games_planned;
        let stop = self.stop(header.games_planned, header.extended);
        let mut summary = Summary::new(header, &self.tally, &stop);
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
    pub(super) fn replays(
        &self,
        asked: &Selection,
        summary: &Summary,
    ) -> Result<Embedded, StoreError> {
        replays::embed(
            &self.out.join(RECORDS),
            (asked, &self.chooser.chosen(&summary.games)),
            &self.list,
            &self.plan.known_games(),
        )
    }
}
