//! Trials: games before a run, which show whether its bots can play with the values that the run
//! will try.

use std::collections::{BTreeMap, VecDeque};

use anyhow::anyhow;

use super::{Control, RunError};
use crate::play::Played;
use crate::study::Trial;
use crate::worker::pool::{Executor, Feed, Finished, UnderWay};
use arena_games::Fate;
use arena_schedule::{Fixture, Next};

/// Plays the games of some trials. A bot that fails in its first turn fails its trial, and the run
/// isn't played.
pub(super) fn hold(
    trials: &[Trial],
    executor: &dyn Executor,
    control: &Control,
) -> Result<(), RunError> {
    let games = trials.iter().flat_map(|trial| trial.games.iter().cloned());
    let mut trials = Trials {
        all: trials,
        control,
        games: games.collect(),
        failed: BTreeMap::new(),
    };
    executor.execute(&mut trials).map_err(RunError::Internal)?;
    match trials.failed.into_values().next() {
        Some(why) => Err(RunError::Input(anyhow!(why))),
        None => Ok(()),
    }
}

/// Trials in progress.
struct Trials<'a> {
    all: &'a [Trial],
    control: &'a Control,
    /// The games to play, in order.
    games: VecDeque<Fixture>,
    /// Why bots failed, by their place in the trial and the game. The first bot of a trial comes
    /// first: its failure explains the others'.
    failed: BTreeMap<(usize, u64), String>,
}

impl Feed for Trials<'_> {
    fn next(&mut self) -> Next {
        if self.control.is_stopping() {
            return Next::Done;
        }
        let game = self.games.pop_front();
        game.map_or(Next::Done, Next::Play)
    }

    fn take(&mut self, finished: Finished) {
        let (fixture, outcome) = (finished.fixture, finished.outcome);
        let Ok(game) = &outcome.game else { return };
        let mut trials = self.all.iter();
        let trial = trials.find(|trial| {
            let mut games = trial.games.iter();
            games.any(|game| game.number == fixture.number)
        });
        let Some(trial) = trial else { return };
        for (seat, fate) in at_once(game) {
            let bots = trial.bots.iter().enumerate();
            let fault = outcome.faults.iter().find(|fault| fault.player == seat);
            let exit = fault.and_then(|fault| fault.exit.clone());
            let exit = exit.map_or_else(String::new, |exit| format!(", {exit}"));
            for (place, (_, values)) in bots.filter(|(_, (bot, _))| *bot == fixture.seating[seat]) {
                let why = format!(
                    "{}: with {values} it fails in its first turn ({fate}{exit}); {}",
                    trial.of, trial.advice
                );
                self.failed.entry((place, fixture.number)).or_insert(why);
            }
        }
    }

    fn idle(&mut self, _: UnderWay) {}

    fn wants(&self, _: u64) -> bool {
        !self.control.is_stopping()
    }
}

/// Returns the seats that failed before their second answer, with their fates.
fn at_once(game: &Played) -> impl Iterator<Item = (usize, Fate)> {
    let fates = game.standings.iter().map(|standing| standing.fate);
    fates.enumerate().filter(|(seat, fate)| {
        let answers = game.steps.iter().filter(|step| step.player == *seat);
        *fate != Fate::Ok && answers.count() <= 1
    })
}
