//! The list of a plan: games that are known before the first one.

use serde::{Deserialize, Serialize};

use super::{Kind, StudyPlan};
use crate::plan::{Plan, PlannedGame, Unsound, is_default, unsound};
use arena_schedule::{Format, Schedule, last_where};
use arena_stats::stopping::Stopping;

/// A list of games that is known before the first game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct List {
    /// The format of pairings.
    pub(crate) format: Format,
    /// Whether all pairings of a game play on the same seeds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) same_seeds: bool,
    /// Games per pairing of each game, rounded up to whole units by the schedule.
    pub(crate) games_per_pairing: u64,
    /// The half-width of the interval, in Elo, that ends a match of two bots before that. So does
    /// an interval that excludes 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) precision: Option<f64>,
    /// The percentage that ends it, too: once the first bot is stronger with a likelihood below it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) drop_below: Option<f64>,
}

impl Plan {
    /// Returns the plan of a list with as many games per pairing as fit into `total_games`. The
    /// error is the minimum of total games.
    pub(crate) fn within(&self, list: List, total_games: u64) -> Result<Plan, u64> {
        let with = |games_per_pairing| Plan {
            study: StudyPlan::List(List {
                games_per_pairing,
                ..list
            }),
            ..self.clone()
        };
        let fewest = with(1).schedule().len();
        if fewest > total_games {
            return Err(fewest);
        }
        // Games per pairing can't exceed the total.
        let fits = |games| with(games).schedule().len() <= total_games;
        Ok(with(last_where(total_games + 1, fits)))
    }
}

impl Kind for List {
    fn schedule(&self, plan: &Plan) -> Schedule {
        let schedule = plan.pairings(self.format, self.games_per_pairing);
        if self.same_seeds {
            return schedule.on_same_seeds();
        }
        schedule
    }

    fn check(&self, plan: &Plan) -> Result<(), Unsound> {
        if self.same_seeds && plan.games.iter().any(|game| game.seats() != 2) {
            let why = "its pairings share seeds in a game that hasn't two seats";
            return Err(unsound(why));
        }
        let is_match = matches!(&plan.games[..], [game] if game.bots.len() == 2);
        for (key, limit) in [
            ("precision", self.precision),
            ("drop_below", self.drop_below),
        ] {
            if let Some(limit) = limit
                && !(is_match && limit > 0.0 && limit.is_finite())
            {
                return Err(unsound(format!(
                    "its {key} is {limit}, but only a match of two bots has one, above 0"
                )));
            }
        }
        Ok(())
    }

    /// The challenger of a gauntlet, the first of two bots, and every bot of a larger round robin.
    fn is_about(&self, game: &PlannedGame, bot: &str) -> bool {
        let is_large = self.format == Format::RoundRobin && game.bots.len() > 2;
        is_large || game.bots.first().map(String::as_str) == Some(bot)
    }

    fn games_per_pairing(&self) -> u64 {
        self.games_per_pairing
    }

    fn is_ended_by_results(&self) -> bool {
        self.stopping().is_some()
    }

    fn stopping(&self) -> Option<Stopping> {
        match (self.precision, self.drop_below) {
            (None, None) => None,
            (precision, drop_below) => Some(Stopping::new(precision, drop_below)),
        }
    }

    fn is_gauntlet(&self) -> bool {
        self.format == Format::Gauntlet
    }

    fn shares_seeds(&self) -> bool {
        self.same_seeds
    }
}
