//! Judges games of workers. The main machine replays built-in games with the answers that the
//! worker sent. With an external referee, it only checks that the game can be stored.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use crate::plan::PlannedGame;
use crate::play::metrics;
use crate::play::record::{self, Mismatch, Record, RecordFault};
use crate::play::{Kept, Played, Step};
use crate::results::GameResult;
use crate::worker::GameOutcome;
use arena_games::{Fate, GameSpec, Opening, Seat};
use arena_schedule::Fixture;

/// The size limit of a turn's error output, in bytes.
const LONGEST_TAIL: usize = 16 << 10;
/// The size limit of a bot's exit and of its unfinished line, in bytes: 160 characters.
const LONGEST_WORD: usize = 4 * 160;

/// Returns an outcome that the main machine has checked. The error says what is wrong, such as a
/// result that differs from the replay.
pub(super) fn judged(
    planned: &PlannedGame,
    spec: &GameSpec,
    fixture: &Fixture,
    outcome: GameOutcome,
    kept: Kept,
) -> Result<GameOutcome, Mismatch> {
    let Ok(played) = outcome.game else {
        return Err(Mismatch("it was not played".to_owned()));
    };
    let played = replayed(planned, spec, fixture, played, kept)?;
    Ok(with_faults(played, &outcome.faults, outcome.voided))
}

/// Returns a game with the result of the replay and the times of the worker. A game of an external
/// referee keeps the worker's result.
fn replayed(
    planned: &PlannedGame,
    spec: &GameSpec,
    fixture: &Fixture,
    played: Played,
    kept: Kept,
) -> Result<Played, Mismatch> {
    let seats = fixture.seating.len();
    let steps = played.steps.len();
    let is_whole = played.standings.len() == seats
        && played.ms.len() == steps
        && played.ms.iter().all(|ms| ms.is_finite() && *ms >= 0.0)
        && played.host_late.iter().all(|&step| step < steps)
        && played.steps.iter().all(|step| step.player < seats);
    if !is_whole {
        return Err(Mismatch("parts of the game are missing".to_owned()));
    }
    if planned.referee.is_some() {
        check(spec, fixture, played.clone())?;
        return Ok(Played {
            steps: bounded(played.steps, kept),
            ..played
        });
    }
    let opening = Opening::Plies(planned.opening_plies);
    let game = spec
        .start(fixture.seed, seats, &opening)
        .map_err(|error| Mismatch(error.to_string()))?;
    let (own, theirs) = (game.opening(), &played.opening);
    if own != theirs {
        return Err(Mismatch(format!("the opening is {own:?}, not {theirs:?}")));
    }
    let standings = played.standings.clone();
    let record = Record::new(spec, fixture.seed, played);
    let own = record::replay(&record, spec, kept.input)?;
    if own.standings != standings || own.reason != record.reason {
        let scores: Vec<i64> = own.standings.iter().map(|seat| seat.score).collect();
        return Err(Mismatch(format!(
            "the result is {} {scores:?}, not {} {:?}",
            own.reason, record.reason, record.scores
        )));
    }
    let mut steps = own.steps;
    for (step, theirs) in steps.iter_mut().zip(record.steps) {
        (step.metrics, step.stderr) = (theirs.metrics, theirs.stderr);
    }
    Ok(Played {
        steps: bounded(steps, kept),
        ms: record.ms,
        host_late: record.host_late,
        ..own
    })
}

/// Checks that a game of an external referee, which isn't played again, can be written.
fn check(spec: &GameSpec, fixture: &Fixture, played: Played) -> Result<(), Mismatch> {
    let failed = failed_seats(&played);
    let record = Record {
        number: Some(fixture.number),
        unit: Some(fixture.unit),
        bots: vec![String::new(); fixture.seating.len()],
        ..Record::new(spec, fixture.seed, played)
    };
    let result = GameResult::of(&record).map_err(|unfit| Mismatch(unfit.to_string()))?;
    for (seat, own) in result.seats.iter().enumerate() {
        if (own.fate == Fate::Ok) == failed.contains(&seat) {
            let why = format!("seat {seat} failed, or it did not: it is said to have done both");
            return Err(Mismatch(why));
        }
    }
    Ok(())
}

fn failed_seats(played: &Played) -> Vec<Seat> {
    let mut seats: Vec<Seat> = (0..played.standings.len()).collect();
    seats.retain(|&seat| played.standings[seat].fate != Fate::Ok);
    seats
}

/// Returns the steps with the metrics and error output that the run keeps, under the limits of the
/// main machine.
fn bounded(mut steps: Vec<Step>, kept: Kept) -> Vec<Step> {
    let mut names: BTreeMap<Seat, BTreeSet<String>> = BTreeMap::new();
    for step in &mut steps {
        let metrics = mem::take(&mut step.metrics);
        if kept.metrics {
            step.metrics = metrics::bounded(metrics, names.entry(step.player).or_default());
        }
        let stderr = step.stderr.take().filter(|_| kept.stderr);
        step.stderr = stderr.map(|text| cut(text.into(), LONGEST_TAIL).into());
    }
    steps
}

/// Returns the beginning of a text, up to a number of bytes.
fn cut(mut text: String, most: usize) -> String {
    let end = (0..=most.min(text.len())).rfind(|&end| text.is_char_boundary(end));
    text.truncate(end.unwrap_or_default());
    text
}

/// Returns the outcome of a judged game. Only bots that failed keep the details of their faults.
fn with_faults(played: Played, theirs: &[RecordFault], voided: u32) -> GameOutcome {
    let faults = failed_seats(&played).into_iter().map(|seat| {
        let own = theirs.iter().find(|fault| fault.player == seat);
        let own = own.cloned().unwrap_or_default();
        RecordFault {
            player: seat,
            exit: own.exit.map(|text| cut(text, LONGEST_WORD)),
            unfinished: own.unfinished.map(|text| cut(text, LONGEST_WORD)),
            stderr: cut(own.stderr, LONGEST_TAIL),
        }
    });
    GameOutcome {
        faults: faults.collect(),
        voided,
        ..GameOutcome::new(Ok(played))
    }
}

#[cfg(test)]
#[path = "judge/tests.rs"]
mod tests;
