//! Plays the games that a run is missing and writes them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, UNIX_EPOCH};

use super::reading::Reading;
use super::{Control, RunError, internal, write_kind};
use crate::play::Abort;
use crate::play::record::Record;
use crate::report::{Event, Progress, Reporter};
use crate::results::StoredGame;
use crate::store::{Header, RunDir};
use crate::study::Verdict;
use crate::worker::pool::{Executor, Feed, Finished, UnderWay};
use arena_games::GameSpec;
use arena_schedule::{Fixture, Next};
use arena_section::terminal::pause;

/// The distance, at least, between the first game that isn't written yet and the last one that was
/// handed out. The limit keeps memory bounded, and the games of a unit close together.
const LOOKAHEAD: usize = 256;
/// The distance in a sequential study, in units: this number for each worker, and in addition.
/// Games that started too early are discarded.
const UNITS_AHEAD: usize = 2;
/// How often to write the files that only some kind of run has.
const KIND_WRITTEN: Duration = Duration::from_secs(5);
/// Number of aborts in a row after which the run starts no more games: the machine or a referee has
/// stopped working since the probes. Aborts aren't results, so `failures` doesn't count them.
const GIVE_UP: u32 = 20;

/// Supplies the games that the study proposes, until the run ends, and writes them.
struct Missing<'a, 'p> {
    control: &'a Control,
    executor: &'a dyn Executor,
    games: &'a [Arc<GameSpec>],
    run_dir: &'a mut RunDir,
    reading: &'a mut Reading<'p>,
    reporter: &'a mut dyn Reporter,
    header: &'a mut Header,
    /// The number of games of a unit, in a sequential study.
    unit: Option<u64>,
    /// The games that were handed out and are not written yet, by number, with their results. A
    /// study proposes games in the order of their numbers.
    handed_out: BTreeMap<u64, Option<Finished>>,
    aborted_in_a_row: u32,
    /// Whether a game is missing without which no other can be written.
    is_broken_off: bool,
    failure: Option<RunError>,
    /// When the run was found to be stopped, and when it last reported which games it waits for.
    stopped: Option<[Instant; 2]>,
    /// The number of games that were stored before.
    stored: u64,
    start: Instant,
    kind_written: Instant,
}

/// Plays until the study has no more fixtures, or the run ends early.
pub(super) fn play<'a>(
    control: &'a Control,
    executor: &'a dyn Executor,
    games: &'a [Arc<GameSpec>],
    run_dir: &'a mut RunDir,
    reading: &'a mut Reading<'_>,
    reporter: &'a mut dyn Reporter,
    header: &'a mut Header,
) -> Result<(), RunError> {
    let is_sequential = reading.study.is_sequential();
    let mut missing = Missing {
        unit: is_sequential.then(|| reading.plan.schedule().games_per_unit(0)),
        stored: reading.count,
        control,
        executor,
        games,
        run_dir,
        reading,
        reporter,
        header,
        handed_out: BTreeMap::new(),
        aborted_in_a_row: 0,
        is_broken_off: false,
        failure: None,
        stopped: None,
        start: Instant::now(),
        kind_written: Instant::now(),
    };
    let executed = executor.execute(&mut missing);
    control.is_over.store(true, Ordering::Relaxed);
    executed.map_err(RunError::Internal)?;
    if let Some(failure) = missing.failure {
        return Err(failure);
    }
    missing.complete();
    Ok(())
}

impl Missing<'_, '_> {
    /// Returns whether the run ends early.
    fn is_over(&self) -> bool {
        self.failure.is_some()
            || self.is_broken_off
            || self.aborted_in_a_row >= GIVE_UP
            || self.control.is_stopping()
    }

    /// Returns the limit of games that are handed out and not written.
    fn lookahead(&self) -> usize {
        let width = self.executor.width();
        match self.unit {
            Some(games) => usize::try_from(games).unwrap_or(1) * UNITS_AHEAD * (width + 1),
            None => LOOKAHEAD.max(4 * width),
        }
    }

    /// Takes the next result in order.
    fn enter(&mut self, finished: Finished) -> Result<(), RunError> {
        let (fixture, outcome) = (finished.fixture, finished.outcome);
        self.header.games_voided += u64::from(outcome.voided);
        self.header.first_replay = self.header.first_replay.take().or(outcome.failed);
        match outcome.game {
            _ if self.is_broken_off => {}
            // The signal that stops the run hit the bot as well: it didn't crash.
            Ok(_) if self.control.is_stopping() && outcome.hit_by_signal => {
                self.is_broken_off = self.unit.is_some();
            }
            Ok(game) => {
                let spec = &self.games[fixture.game];
                let name = |bot: &usize| self.reading.plan.bots[*bot].name.clone();
                let record = Record {
                    number: Some(fixture.number),
                    unit: Some(fixture.unit),
                    bots: fixture.seating.iter().map(name).collect(),
                    faults: outcome.faults,
                    worker: finished.worker,
                    ..Record::new(spec, fixture.seed, game)
                };
                self.write(&fixture, record)?;
            }
            Err(_) if !self.reading.study.wants(fixture.number) => {}
            Err(abort) => {
                self.is_broken_off = self.unit.is_some();
                if let Abort::Failed(why) = abort {
                    self.header.games_aborted += 1;
                    self.header.first_abort.get_or_insert_with(|| why.clone());
                    self.aborted_in_a_row += 1;
                    let number = fixture.number;
                    self.reporter.event(&Event::Aborted { number, why });
                }
            }
        }
        Ok(())
    }

    /// Writes a game, if it counts.
    fn write(&mut self, fixture: &Fixture, record: Record) -> Result<(), RunError> {
        let game = StoredGame::new(record).map_err(internal)?;
        if self.reading.take(fixture, &game).map_err(internal)? == Verdict::Discard {
            self.header.games_unused += 1;
            return Ok(());
        }
        self.run_dir.append(&game)?;
        self.aborted_in_a_row = 0;
        if self.kind_written.elapsed() >= KIND_WRITTEN {
            self.kind_written = Instant::now();
            write_kind(self.run_dir, &self.reading.study.files(self.reading.plan))?;
        }
        for fault in &game.record.faults {
            let blame = self.reading.blame(fixture, &game, fault.player);
            self.reporter.event(&Event::Fault(blame));
        }
        let mut progress = Progress {
            played: self.reading.count,
            planned: self.header.games_planned,
            per_second: self.per_second(self.start.elapsed().as_secs_f64()),
            live: None,
        };
        if self.reporter.wants_live(&progress) {
            progress.live = Some(self.reading.live());
        }
        self.reporter.event(&Event::Played(progress));
        Ok(())
    }

    /// Notes when and how fast the games of this session were played, if there are any.
    fn complete(&mut self) {
        if self.reading.count > self.stored {
            let seconds = self.start.elapsed().as_secs_f64();
            self.header.games_per_second = Some(self.per_second(seconds));
            self.header.ended_at = UNIX_EPOCH.elapsed().ok().map(|now| now.as_secs());
            self.header.seconds = Some(seconds);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 games")]
    fn per_second(&self, seconds: f64) -> f64 {
        (self.reading.count - self.stored) as f64 / seconds
    }
}

impl Feed for Missing<'_, '_> {
    fn next(&mut self) -> Next {
        if self.is_over() {
            return Next::Done;
        }
        if self.handed_out.len() >= self.lookahead() {
            return Next::Wait;
        }
        let next = self.reading.study.next();
        if let Next::Play(fixture) = &next {
            self.handed_out.insert(fixture.number, None);
        }
        next
    }

    fn take(&mut self, finished: Finished) {
        self.handed_out
            .insert(finished.fixture.number, Some(finished));
        while let Some(first) = self.handed_out.first_entry()
            && first.get().is_some()
        {
            if let Some(finished) = first.remove()
                && self.failure.is_none()
            {
                self.failure = self.enter(finished).err();
            }
        }
    }

    /// Reports from time to time which games a stopped run waits for.
    fn idle(&mut self, UnderWay { games, longest }: UnderWay) {
        if !self.control.is_stopping() {
            return;
        }
        let [begun, last] = self.stopped.get_or_insert_with(|| [Instant::now(); 2]);
        if last.elapsed() >= pause(begun.elapsed()) {
            *last = Instant::now();
            self.reporter.event(&Event::Waiting { games, longest });
        }
    }

    fn wants(&self, number: u64) -> bool {
        !self.is_over() && self.reading.study.wants(number)
    }
}
