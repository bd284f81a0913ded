//! A tuning, as a plan holds it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{MAX_UNITS, Plan, is_default};
use crate::plan::schedule::{Schedule, SweepLayout};
use arena_process::Launch;
use arena_stats::tune::spsa::Rates;
use arena_stats::tune::{MOST_PARAMETERS, MOST_UNITS_IN_BLOCK, Parameter, Tuning};

/// Parameters of one bot, set by games in which it meets itself with other values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tune {
    /// The name of the bot, as the config has it. The run has two of it, see [`Tune::sides`].
    pub(crate) bot: String,
    /// Whom both sides meet, by name; each other if there is nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) against: Vec<String>,
    /// Units between two moves of the centre.
    pub(crate) block: u64,
    /// After so many units it ends, a multiple of the block.
    pub(crate) max_units: u64,
    /// It ends, too, once no more than so many Elo seem to be left to gain, above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) indifference: Option<f64>,
    /// How wide units are and how far the centre moves.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) rates: Rates,
    /// The parameters, in the order in which they were written.
    #[serde(rename = "parameter")]
    pub(crate) parameters: Vec<TunedParameter>,
}

/// A parameter with its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TunedParameter {
    /// As it stands in braces.
    pub(crate) name: String,
    /// Its values.
    #[serde(flatten)]
    pub(crate) range: Parameter,
}

impl Tune {
    /// The names of its two sides.
    pub(crate) fn sides(&self) -> [String; 2] {
        sides(&self.bot)
    }

    /// Both sides of a bot that is tuned.
    pub(crate) fn both_sides(bot: &Launch) -> [Launch; 2] {
        sides(&bot.name).map(|name| Launch {
            name,
            ..bot.clone()
        })
    }

    /// The games of a unit: of both sides with each other, or of each with all opponents, seats swapped.
    pub(crate) fn games_per_unit(&self) -> u64 {
        2 * (2 * self.against.len() as u64).max(1)
    }

    /// The parameters without their names.
    pub(crate) fn ranges(&self) -> Vec<Parameter> {
        let parameters = self.parameters.iter();
        parameters.map(|parameter| parameter.range).collect()
    }

    /// The values before the first game.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.ranges().iter().map(|range| range.start).collect()
    }

    /// Values with the names of their parameters, as text.
    pub(crate) fn named(&self, values: &[f64]) -> BTreeMap<String, String> {
        let mut named = BTreeMap::new();
        for (parameter, value) in self.parameters.iter().zip(values) {
            named.insert(parameter.name.clone(), value.to_string());
        }
        named
    }

    /// The same for people, in the order of the parameters.
    pub(crate) fn in_words(&self, values: &[f64]) -> String {
        let mut words = Vec::new();
        for (parameter, value) in self.parameters.iter().zip(values) {
            words.push(format!("{}={value}", parameter.name));
        }
        words.join(" ")
    }

    /// The tuning before its first block.
    pub(crate) fn tuning(&self, seed: u64) -> Tuning {
        Tuning::new(&self.ranges(), self.block, self.rates, seed)
    }

    /// The fixtures against opponents, without values.
    pub(super) fn schedule(&self, plan: &Plan, seats: usize) -> Schedule {
        let layout = SweepLayout {
            seats,
            variants: &plan.numbers(&self.sides()),
            opponents: &plan.numbers(&self.against),
            seeds_per_block: 1,
            blocks: self.max_units,
        };
        Schedule::sweep(&layout, plan.seed)
    }

    /// Whether a plan that was read can be played.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        plan.check_names(&self.sides())?;
        plan.check_names(&self.against)?;
        let fits = (1..=MOST_UNITS_IN_BLOCK).contains(&self.block)
            && (1..=MAX_UNITS).contains(&self.max_units)
            && (1..=MOST_PARAMETERS).contains(&self.parameters.len())
            && self.rates.is_sound()
            && self.ranges().iter().all(Parameter::is_sound);
        if fits {
            Ok(())
        } else {
            Err("its tuning is out of bounds".to_owned())
        }
    }
}

/// The names of the two sides of a bot that is tuned.
fn sides(bot: &str) -> [String; 2] {
    ["a", "b"].map(|side| format!("{bot}[{side}]"))
}
