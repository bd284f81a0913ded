//! The words of a match of two bots that ends once it has shown enough.

use crate::results::GAMES_OF_TWO;
use crate::standings::Game;
use crate::study::Ended;
use arena_stats::estimate::MIN_UNITS_FOR_CLAIM;
use arena_stats::stopping::{End, Stopping};

/// What is left of the match.
pub(super) struct Left {
    /// The end that is near.
    pub(super) words: String,
    /// Games to that end, as far as it can be foretold.
    pub(super) games: Option<f64>,
    /// The share of its games that were played.
    pub(super) share: f64,
}

/// The rule of a match, for people.
pub(super) fn question(rule: &Stopping) -> String {
    format!(
        "ends once the interval at every look excludes 0 or is within ±{} Elo, after {MIN_UNITS_FOR_CLAIM} different units at the earliest",
        rule.precision
    )
}

/// What is left of a match, which stands like this and has at most so many games.
pub(super) fn left(rule: &Stopping, game: &Game, most: u64) -> Left {
    let (Some(pair), MIN_UNITS_FOR_CLAIM..) = (game.pair(), game.distinct_units) else {
        return Left {
            words: format!("ends after {MIN_UNITS_FOR_CLAIM} different units at the earliest"),
            games: None,
            share: 0.0,
        };
    };
    let outlook = rule.outlook(&pair.met.by, game.units);
    let (played, precision) = (game.games as f64, rule.precision);
    let games = outlook.units.map(|units| {
        let games = units * GAMES_OF_TWO as f64;
        games.clamp(played, played.max(most as f64))
    });
    Left {
        words: match outlook.end {
            End::Precise => format!("±{:.0} Elo, ends at ±{precision}", outlook.half_width),
            _ => "ends once the interval excludes 0".to_owned(),
        },
        games: games.map(|games| games - played),
        share: games.map(|all| played / all.max(1.0)).unwrap_or_default(),
    }
}

/// Why the match has ended after so many games, if it has, and how to play on.
pub(super) fn ended(rule: &Stopping, games: u64, most: u64) -> Option<Ended> {
    let (why, how) = match rule.end {
        Some(End::Apart) => (
            "the interval excludes 0".to_owned(),
            "--games N without --precision plays N games, whatever they show",
        ),
        Some(End::Precise) => (
            format!("the interval is within ±{} Elo", rule.precision),
            "a smaller --precision plays on, and so does --games N without --precision",
        ),
        Some(End::Repetitive) => (
            "nearly all units repeat others".to_owned(),
            "in a new run, set --opening-plies, or give the bots {seed}",
        ),
        None if games >= most => (
            "its maximum of games is reached".to_owned(),
            "more --games play on",
        ),
        None => return None,
    };
    Some(Ended { why, how })
}
