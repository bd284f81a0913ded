//! What the games of a run add up to, game by game: counts, and the faults that are told in full.

use std::path::Path;

use super::blame::blame;
use super::question;
use super::swept::{confirm, sweep_tally};
use crate::record::Record;
use crate::report::faults::FaultLog;
use crate::report::replays::{self, Choice, Chooser};
use crate::report::{Blame, RunReport};
use crate::schedule::{Fixture, Schedule};
use crate::store::{self, GAMES, GameRow, GameText, PlanText, RECORDS, ResultLine, StoreError, read_maps};
use crate::summary::sprt::Test;
use crate::summary::{Header, Summary, Tally};
use arena_games::Fate;
use arena_games::kutulu::OWN_MAPS;

/// The findings so far. They do not depend on the order of the games.
pub(super) struct Findings<'p> {
    plan: &'p PlanText,
    /// The run directory, for commands that people are told.
    out: &'p Path,
    tally: Tally,
    faults: FaultLog,
}

impl<'p> Findings<'p> {
    /// No games yet, of all that the plan has.
    pub(super) fn new(plan: &'p PlanText, schedule: &Schedule, out: &'p Path) -> Findings<'p> {
        let mut tally = Tally::default();
        for (index, game) in plan.game.iter().enumerate() {
            let seats = arena_games::find(&game.id).map_or(0, |spec| spec.seats);
            tally.expect(&game.id, seats, schedule.games_per_unit(index), &game.bots);
            tally.expect_maps(&game.id, &map_names(game));
        }
        if let Some(question) = question(plan, schedule) {
            tally.test(question);
        }
        if let Some(sweep) = sweep_tally(plan, schedule) {
            tally.sweep(sweep);
        }
        Findings { plan, out, tally, faults: FaultLog::default() }
    }

    /// Counts a game; `fixture` is what the plan has under its number.
    pub(super) fn add(&mut self, fixture: &Fixture, row: &GameRow, record: &Record) {
        self.tally.add(row, record);
        for (seat, result) in row.seats.iter().enumerate().filter(|(_, result)| result.fate != Fate::Ok) {
            if self.faults.wants(row.number, &row.game, &result.bot, result.fate) {
                let blame = self.blame(fixture, (row, record), seat);
                self.faults.add(&blame);
            }
        }
    }

    /// What is told of the bot in this seat, which failed.
    pub(super) fn blame<'a>(
        &self,
        fixture: &Fixture,
        (row, record): (&'a GameRow, &'a Record),
        seat: usize,
    ) -> Blame<'a> {
        blame(self.plan, self.out, fixture, (row, record), seat)
    }

    /// The counts.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// All of it.
    pub(super) fn report(&self, header: Header, asked: &[u64]) -> Result<RunReport, StoreError> {
        let mut summary = self.tally.summary(header);
        if let Some(sweep) = &mut summary.sweep {
            sweep.confirm = confirm(self.plan, sweep);
        }
        let choices = if asked.is_empty() { self.worth_watching(&summary)? } else { replays::asked(asked) };
        let budget = asked.is_empty().then_some(replays::BUDGET);
        let replays = replays::embed(&self.out.join(RECORDS), &choices, budget)?;
        let llr = self.tally.the_test().map_or(&[][..], Test::history).iter().map(|after| after.llr).collect();
        Ok(RunReport { summary, plan: self.plan.clone(), faults: self.faults.told(), llr, replays })
    }

    fn worth_watching(&self, summary: &Summary) -> Result<Vec<Choice>, StoreError> {
        let mut chooser = Chooser::new(&summary.games);
        if summary.games_played > 0 {
            store::read_results(&self.out.join(GAMES), &mut |line| {
                if let ResultLine::Game(row) = line {
                    chooser.add(&row);
                }
            })?;
        }
        Ok(chooser.finish())
    }
}

/// The maps that a game's seeds pick from, as far as they are known: a folder may have changed since the run.
fn map_names(game: &GameText) -> Vec<String> {
    if !arena_games::find(&game.id).is_some_and(|spec| spec.has_maps) {
        return Vec::new();
    }
    let Some(folder) = &game.maps else { return OWN_MAPS.map(str::to_owned).to_vec() };
    let folder = read_maps(Path::new(folder)).ok();
    folder.filter(|folder| Some(&folder.maps.digest) == game.maps_digest.as_ref()).map_or_else(Vec::new, |it| it.names)
}
