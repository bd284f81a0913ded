//! The words of a match of two bots that ends once it has shown enough.

use crate::results::GAMES_OF_TWO;
use crate::standings::Game;
use crate::study::Ended;
use arena_stats::estimate::MIN_UNITS_FOR_CLAIM;
use arena_stats::stopping::{End, FIRST_LOOK_TO_DROP, Stopping};

/// What is left of the match.
pub(super) struct Left {
    /// The end that is near.
    pub(super) words: String,
    /// Games to that end, as far as it can be foretold.
    pub(super) games: Option<f64>,
    /// The share of its games that were played.
    pub(super) share: f64,
}

/// The rule of a match, for people, in lines.
pub(super) fn question(rule: &Stopping, bots: &[String; 2]) -> Vec<String> {
    let within = match rule.precision {
        Some(precision) => format!(" or is within ±{precision} Elo"),
        None => String::new(),
    };
    let mut lines = vec![format!(
        "ends once the interval at every look excludes 0{within}, after {MIN_UNITS_FOR_CLAIM} different units at the earliest"
    )];
    if let Some(percent) = rule.drop_below {
        lines.push(format!(
            "also ends once {}: looked at after {FIRST_LOOK_TO_DROP} units and then after every tenth",
            unlikely(bots, percent)
        ));
    }
    lines
}

/// What drops the first bot.
fn unlikely([first, second]: &[String; 2], percent: f64) -> String {
    format!("{first} is stronger than {second} with a likelihood below {percent}%")
}

/// What is left of a match, which stands like this and has at most so many games.
pub(super) fn left(rule: &Stopping, bots: &[String; 2], game: &Game, most: u64) -> Left {
    let mut left = Left {
        words: format!("ends after {MIN_UNITS_FOR_CLAIM} different units at the earliest"),
        games: None,
        share: game.games as f64 / most.max(1) as f64,
    };
    let Some(pair) = game.pair() else {
        return left;
    };
    if game.distinct_units < MIN_UNITS_FOR_CLAIM {
        return left;
    }
    let outlook = rule.outlook(&pair.by(&bots[0]), game.units);
    left.words = match (outlook.end, rule.precision, rule.drop_below) {
        (End::Precise, Some(precision), _) => {
            format!("±{:.0} Elo, ends at ±{precision}", outlook.half_width)
        }
        (End::Dropped, _, Some(percent)) => {
            format!("ends once {}", unlikely(bots, percent))
        }
        _ => "ends once the interval excludes 0".to_owned(),
    };
    let games = outlook.units.map(|units| {
        let games = units * GAMES_OF_TWO as f64;
        games.clamp(game.games as f64, most.max(game.games) as f64)
    });
    if let Some(games) = games {
        left.games = Some(games - game.games as f64);
        left.share = game.games as f64 / games.max(1.0);
    }
    left
}

/// Why the match has ended after so many games, if it has, and how to play on.
pub(super) fn ended(rule: &Stopping, bots: &[String; 2], games: u64, most: u64) -> Option<Ended> {
    let [precision, percent] = [rule.precision, rule.drop_below].map(Option::unwrap_or_default);
    let (why, how) = match rule.end {
        Some(End::Apart) => (
            "the interval excludes 0".to_owned(),
            match rule.drop_below {
                None => "--games N without --precision plays N games, whatever they show",
                Some(_) => "to play on, resume it with --games N alone",
            },
        ),
        Some(End::Dropped) => (
            unlikely(bots, percent),
            "to play on, resume it with a smaller drop_below, or without",
        ),
        Some(End::Precise) => (
            format!("the interval is within ±{precision} Elo"),
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
