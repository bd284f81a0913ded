//! Before a tuning: whether the bot plays at both ends of every range. A bot that refuses values decides games by that, and
//! a tuning would learn where it crashes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use anyhow::anyhow;

use super::{Control, RunError};
use crate::play::Played;
use crate::pool::{Executor, Finished, Fixtures};
use crate::schedule::Fixture;
use crate::tuner::Tuner;
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

/// Plays a unit with each parameter at its least and at its greatest value. Whoever fails there in its first turn is refused,
/// with the value.
pub(super) fn check(
    tuner: &Tuner,
    executor: &dyn Executor,
    control: &Control,
) -> Result<(), RunError> {
    let ends = tuner.at_ends();
    let games = ends
        .iter()
        .flat_map(|(.., games)| games.iter().cloned())
        .collect();
    let queue = Queue {
        games: Mutex::new(games),
        control,
    };
    // What fails at the start comes first: it fails everywhere.
    let mut failed: BTreeMap<(bool, u64), (Fate, String)> = BTreeMap::new();
    let played = executor.execute(&queue, &mut |finished| {
        let Some(Finished {
            fixture, outcome, ..
        }) = finished
        else {
            return;
        };
        let Ok(game) = &outcome.game else { return };
        for (seat, fate) in at_once(game) {
            let fault = outcome.faults.iter().find(|fault| fault.player == seat);
            let exit = fault
                .and_then(|fault| fault.exit.clone())
                .unwrap_or_default();
            let is_own = tuner.is_first_side(fixture.seating[seat]);
            let is_other = tuner.is_second_side(fixture.seating[seat]);
            if is_own || is_other {
                failed
                    .entry((is_own, fixture.number))
                    .or_insert((fate, exit));
            }
        }
    });
    played.map_err(RunError::Internal)?;
    let Some(((is_own, number), (fate, exit))) = failed.into_iter().next() else {
        return Ok(());
    };
    let end = ends
        .iter()
        .find(|(.., games)| games.iter().any(|game| game.number == number));
    let values = match end.filter(|_| is_own) {
        Some((at, value, _)) => format!(
            "{}={value} and all else at the start",
            tuner.tune.parameters[*at].name
        ),
        None => format!(
            "the values of the start, {}",
            tuner.tune.in_words(&tuner.tune.start())
        ),
    };
    let exit = if exit.is_empty() {
        exit
    } else {
        format!(", {exit}")
    };
    let bot = &tuner.tune.bot;
    let advice = "a range holds values only that the bot plays with; `arena check` tells more";
    Err(RunError::Input(anyhow!(
        "tune bot `{bot}`: with {values} it fails in its first turn ({fate}{exit}); {advice}"
    )))
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
