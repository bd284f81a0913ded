//! The sweep of a plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Kind;
use crate::plan::{MAX_UNITS, MOST_VARIANTS, Plan, PlannedGame, Unsound, unsound};
use arena_schedule::{PanelLayout, Schedule, UnitDesign};
use arena_stats::StatsError;
use arena_stats::race::{Race, Rules};

/// A sweep: variants of one bot against the same opponents on the same seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sweep {
    /// The name of the swept bot in the config.
    pub(crate) bot: String,
    /// The names of the parameters, in the order of the config.
    pub(crate) parameters: Vec<String>,
    /// The names of the opponents: a baseline, or a panel.
    pub(crate) against: Vec<String>,
    /// Units of a block. Variants can be dropped after each block.
    pub(crate) block: u64,
    /// Maximum units of a variant, a multiple of `block`.
    pub(crate) max_units: u64,
    /// The error rate of the race, between 0 and 1.
    pub(crate) alpha: f64,
    /// The indifference zone in Elo, above 0. The race ends when all remaining variants are within
    /// it; without one it plays all units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) indifference: Option<f64>,
    /// The variants, at least two.
    #[serde(rename = "variant")]
    pub(crate) variants: Vec<Variant>,
}

/// A variant: a set of values, and the bot with these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    pub(crate) bot: String,
    /// The value of each parameter, as text for the bot's command or environment.
    pub(crate) values: BTreeMap<String, String>,
}

impl Sweep {
    /// The file of the variants.
    pub(crate) const TABLE: &str = "sweep.csv";

    /// Returns the games of a unit: a variant on one seed against all opponents, with seats
    /// swapped.
    pub(crate) fn games_per_unit(&self) -> u32 {
        u32::try_from(2 * self.against.len()).unwrap_or(u32::MAX)
    }

    /// Returns the race before its first block, in a game of this number of seats.
    pub(crate) fn race(&self, seats: usize) -> Result<Race, StatsError> {
        let rules = Rules {
            alpha: self.alpha,
            block: self.block,
            max_units: self.max_units,
            indifference: self.indifference,
        };
        let design = UnitDesign::swapped(seats);
        let points = design.full_points().saturating_mul(self.games_per_unit());
        let against = u32::try_from(self.against.len()).unwrap_or(u32::MAX);
        let own_games = design.games_per_unit.saturating_mul(against);
        Race::new(rules, self.variants.len(), points, own_games)
    }
}

impl Kind for Sweep {
    fn schedule(&self, plan: &Plan) -> Schedule {
        let variants = self.variants.iter().map(|variant| &variant.bot);
        let layout = PanelLayout {
            seats: plan.seats(),
            variants: &plan.numbers(variants),
            opponents: &plan.numbers(&self.against),
            seeds_per_block: self.block,
            blocks: self.max_units.div_ceil(self.block.max(1)),
        };
        Schedule::against_panel(&layout, plan.seed)
    }

    fn check(&self, plan: &Plan) -> Result<(), Unsound> {
        plan.check_names(self.variants.iter().map(|variant| &variant.bot))?;
        plan.check_names(&self.against)?;
        let fits = (1..=MAX_UNITS).contains(&self.block)
            && (1..=MAX_UNITS).contains(&self.max_units)
            && (1..=MOST_VARIANTS).contains(&self.variants.len())
            && !self.against.is_empty();
        if !fits {
            return Err(unsound("its sweep is out of bounds"));
        }
        self.race(plan.seats()).map(drop).map_err(unsound)
    }

    /// The variants.
    fn is_about(&self, _: &PlannedGame, bot: &str) -> bool {
        self.against.iter().all(|other| other != bot)
    }

    fn max_units(&self) -> Option<u64> {
        Some(self.max_units)
    }

    fn shares_seeds(&self) -> bool {
        true
    }

    fn compares_programs(&self) -> bool {
        false
    }
}
