//! What a worker sends is no result but answers: the arena's own referee plays the game again with them.

use crate::plan::PlannedGame;
use crate::play::Played;
use crate::record::{self, Mismatch, Record, RecordFault};
use crate::schedule::Fixture;
use crate::worker::Outcome;
use arena_games::{Fate, GameSpec, Opening};

/// What bots told of themselves, and what is kept of their error output, cannot be longer, in bytes.
const LONGEST_TAIL: usize = 16 << 10;

/// The game as the arena's own referee sees it, with the times that the worker took. An error says where they differ.
pub(super) fn judged(
    planned: &PlannedGame,
    spec: &GameSpec,
    fixture: &Fixture,
    played: Played,
    trace: bool,
) -> Result<Played, Mismatch> {
    let seats = fixture.seating.len();
    let is_whole = played.standings.len() == seats
        && played.ms.len() == played.steps.len()
        && played.ms.iter().all(|ms| ms.is_finite() && *ms >= 0.0)
        && played.host_late.iter().all(|&step| step < played.steps.len());
    if !is_whole {
        return Err(Mismatch("parts of the game are missing".to_owned()));
    }
    if planned.referee.is_some() {
        return Ok(played);
    }
    let opening = Opening::Plies(planned.opening_plies);
    let game = spec.start(fixture.seed, seats, &opening).map_err(|error| Mismatch(error.to_string()))?;
    if game.opening() != played.opening {
        return Err(Mismatch(format!("the opening is {:?}, not {:?}", game.opening(), played.opening)));
    }
    let record = Record::new(spec, fixture.seed, &played);
    let own = record::replay(&record, spec, trace)?;
    if own.standings != played.standings || own.reason != played.reason {
        let said =
            |game: &Played| format!("{} {:?}", game.reason, game.standings.iter().map(|s| s.score).collect::<Vec<_>>());
        return Err(Mismatch(format!("the result is {}, not {}", said(&own), said(&played))));
    }
    let mut steps = own.steps;
    for (step, theirs) in steps.iter_mut().zip(played.steps) {
        step.metrics = theirs.metrics;
    }
    Ok(Played { steps, ms: played.ms, host_late: played.host_late, ..own })
}

/// The outcome of a game that was judged: what is said of bots that failed is for those that did.
pub(super) fn outcome(played: Played, theirs: &[RecordFault], voided: u32) -> Outcome {
    let failed = played.standings.iter().enumerate().filter(|(_, standing)| standing.fate != Fate::Ok);
    let fault = |seat: usize| {
        let own = theirs.iter().find(|fault| fault.player == seat).cloned().unwrap_or_default();
        let stderr = if own.stderr.len() > LONGEST_TAIL { String::new() } else { own.stderr };
        RecordFault { player: seat, stderr, ..own }
    };
    let faults = failed.map(|(seat, _)| fault(seat)).collect();
    Outcome { game: Ok(played), faults, hit_by_signal: false, voided }
}

#[cfg(test)]
#[path = "judge/tests.rs"]
mod tests;
