//! Matches that end when they know: how long they are, and how often they end with a wrong answer.

use std::cmp::Ordering;

use arena_stats::estimate::{Claim, Estimate};
use arena_stats::stopping::{End, Stopping};

use super::matches::{Model, Played};
use crate::random::{Random, mean, share, simulate};

/// How many matches ended how.
pub(crate) struct Ended {
    pub(crate) stronger: f64,
    pub(crate) weaker: f64,
    /// Ended by the precision.
    pub(crate) precise: f64,
    /// Intervals at the end that hold the truth.
    pub(crate) held: f64,
    pub(crate) games: f64,
}

/// Matches of two bots, the first of which is `elo` stronger.
pub(crate) fn duels(model: Model, elo: f64, most: u64, runs: usize) -> Ended {
    let played = model.with_elo(elo);
    let ended = simulate(runs, 91, |random| duel(&played, most, random));
    let is = |claim: Claim, ordering| claim == Claim::Compared(ordering);
    Ended {
        stronger: share(&ended, |(_, by)| is(by.claim(), Ordering::Greater)),
        weaker: share(&ended, |(_, by)| is(by.claim(), Ordering::Less)),
        precise: share(&ended, |(end, _)| end.0 == Some(End::Precise)),
        held: share(&ended, |(_, by)| by.lo95 <= elo && elo <= by.hi95),
        games: mean(&ended, |(end, _)| end.1),
    }
}

/// A match of at most so many games: its end, its games, and the estimate.
fn duel(played: &Played, most: u64, random: &mut Random) -> ((Option<End>, f64), Estimate) {
    let games_per_unit = played.model.games_per_unit();
    let (mut rule, mut scores) = (Stopping::new(Some(20.0), None), played.model.nothing());
    while rule.end.is_none() && scores.units() * u64::from(games_per_unit) < most {
        scores.add(played.play(random), 1).unwrap();
        rule.look(&scores, games_per_unit, scores.units());
    }
    let games = scores.units() as f64 * f64::from(games_per_unit);
    let by = Estimate::at_every_look(&scores, games_per_unit, scores.units()).unwrap();
    ((rule.end, games), by)
}
