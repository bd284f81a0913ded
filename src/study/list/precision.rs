//! A match of two bots that ends once it has shown enough.

use crate::plan::Plan;
use crate::play::record::Record;
use crate::standings::{GAMES_OF_TWO, Game, Repeats, UnitsInOrder, unit_points};
use crate::store::GameRow;
use crate::study::Ended;
use arena_schedule::UnitDesign;
use arena_stats::estimate::MIN_UNITS_FOR_CLAIM;
use arena_stats::scores::UnitScores;
use arena_stats::stopping::{End, Stopping};

/// The units of the match, from the side of the first bot, and the rule that ends it.
pub(super) struct Precision {
    rule: Stopping,
    units: UnitsInOrder,
    scores: UnitScores,
    repeats: Repeats,
    /// Games of each bot in a unit.
    games_per_unit: u32,
    /// The most games.
    most: u64,
}

/// What is left of the match.
pub(super) struct Left {
    /// The end that is near.
    pub(super) words: String,
    /// Games to that end, as far as it can be foretold.
    pub(super) games: Option<f64>,
    /// The share of its games that were played.
    pub(super) share: f64,
}

impl Precision {
    /// The match of a plan before its first game; `None` if its results don't end it.
    pub(super) fn new(plan: &Plan, most: u64) -> Option<Precision> {
        let precision = plan.study.precision()?;
        let game = plan.games.first()?;
        let design = UnitDesign::swapped(game.seats());
        let seed_decides = game.spec.as_ref().is_none_or(|spec| spec.seed_decides);
        let first = game.bots.first()?.clone();
        Some(Precision {
            rule: Stopping::new(precision),
            units: UnitsInOrder::new(first, seed_decides),
            scores: UnitScores::new(2 * design.full_points()),
            repeats: Repeats::default(),
            games_per_unit: design.games_per_unit,
            most,
        })
    }

    /// Counts a game.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) {
        for unit in self.units.add(row, record) {
            let points = unit_points(&unit, 0);
            if self.has_ended() || self.scores.add(points, 1).is_err() {
                return;
            }
            self.repeats.add(&unit);
            let distinct = self.scores.units() - self.repeats.count();
            self.rule.look(&self.scores, self.games_per_unit, distinct);
        }
    }

    /// Returns true if no further game counts.
    pub(super) fn has_ended(&self) -> bool {
        self.rule.end().is_some()
    }

    /// The rule, for people.
    pub(super) fn question(&self) -> String {
        format!(
            "ends once the interval at every look excludes 0 or is within ±{} Elo, after {MIN_UNITS_FOR_CLAIM} different units at the earliest",
            self.rule.precision()
        )
    }

    /// What is left of the match, which stands like this.
    pub(super) fn left(&self, game: &Game) -> Left {
        let mut left = Left {
            words: format!("ends after {MIN_UNITS_FOR_CLAIM} different units at the earliest"),
            games: None,
            share: 0.0,
        };
        let Some(two) = &game.difference else {
            return left;
        };
        if game.distinct_units < MIN_UNITS_FOR_CLAIM {
            return left;
        }
        let outlook = self.rule.outlook(&two.by, game.units);
        left.words = if outlook.end == End::Precise {
            let precision = self.rule.precision();
            format!("±{:.0} Elo, ends at ±{precision}", outlook.half_width)
        } else {
            "ends once the interval excludes 0".to_owned()
        };
        let games = outlook.units.map(|units| {
            let games = units * GAMES_OF_TWO as f64;
            games.clamp(game.games as f64, self.most.max(game.games) as f64)
        });
        if let Some(games) = games {
            left.games = Some(games - game.games as f64);
            left.share = game.games as f64 / games.max(1.0);
        }
        left
    }

    /// Why the match has ended after so many games, if it has, and how to play on.
    pub(super) fn ended(&self, games: u64) -> Option<Ended> {
        let (why, how) = match self.rule.end() {
            Some(End::Apart) => (
                "the interval excludes 0".to_owned(),
                "--games N without --precision plays N games, whatever they show",
            ),
            Some(End::Precise) => (
                format!("the interval is within ±{} Elo", self.rule.precision()),
                "a smaller --precision plays on, and so does --games N without --precision",
            ),
            Some(End::Repetitive) => (
                "nearly all units repeat others".to_owned(),
                "in a new run, set --opening-plies, or give the bots {seed}",
            ),
            None if games >= self.most => (
                "its maximum of games is reached".to_owned(),
                "more --games play on",
            ),
            None => return None,
        };
        Some(Ended { why, how })
    }
}
