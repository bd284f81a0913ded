//! Games before the first one of a run, which show whether its bots play at all as they will be
//! started.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use anyhow::anyhow;

use super::{Control, RunError};
use crate::play::Played;
use crate::pool::{Executor, Finished, Fixtures};
use crate::schedule::Fixture;
use crate::study::Trial;
use arena_games::Fate;

/// Games to be played, in order.
struct Queue<'a> {
    games: Mutex<VecDeque<Fixture>>,
    control: &'a Control,
}

impl Fixtures for Queue<'_> {
    fn next(&self) -> Option<Fixture> {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.pop_front().filter(|_| !self.control.is_stopping())
    }

    fn close(&self) {
        self.games
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn is_wanted(&self, _: &Fixture) -> bool {
        !self.control.is_stopping()
    }
}

/// Plays the games of some trials. A bot that fails in its first turn fails its trial, and the run
/// isn't played.
pub(super) fn hold(
    trials: &[Trial],
    executor: &dyn Executor,
    control: &Control,
) -> Result<(), RunError> {
    let games = trials.iter().flat_map(|trial| trial.games.iter().cloned());
    let queue = Queue {
        games: Mutex::new(games.collect()),
        control,
    };
    // The first bot of a trial comes first: its failure explains the others'.
    let mut failed: BTreeMap<(usize, u64), String> = BTreeMap::new();
    let played = executor.execute(&queue, &mut |finished| {
        let Some(Finished {
            fixture, outcome, ..
        }) = finished
        else {
            return;
        };
        let Ok(game) = &outcome.game else { return };
        let mut trials = trials.iter();
        let of_game = |trial: &&Trial| trial.games.iter().any(|game| game.number == fixture.number);
        let Some(trial) = trials.find(of_game) else {
            return;
        };
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
                failed.entry((place, fixture.number)).or_insert(why);
            }
        }
    });
    played.map_err(RunError::Internal)?;
    match failed.into_values().next() {
        Some(why) => Err(RunError::Input(anyhow!(why))),
        None => Ok(()),
    }
}

/// The seats that failed before they answered a second time, and how.
fn at_once(game: &Played) -> impl Iterator<Item = (usize, Fate)> {
    let fates = game
        .standings
        .iter()
        .map(|standing| standing.fate)
        .enumerate();
    let answers = |seat: usize| game.steps.iter().filter(|step| step.player == seat).count();
    fates.filter(move |(seat, fate)| *fate != Fate::Ok && answers(*seat) <= 1)
}
