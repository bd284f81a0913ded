//! The tuning of a plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Kind, Trial};
use crate::plan::{MAX_UNITS, Plan, PlannedGame, Unsound, unsound};
use arena_schedule::{Format, PanelLayout, Schedule};
use arena_stats::tune::{MOST_PARAMETERS, MOST_UNITS_IN_BLOCK, Parameter, Tuning};

/// A tuning: games between two sides of a bot with different values set its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tune {
    /// The name of the bot in the config. The run has two sides of it, see [`Tune::sides`].
    pub(crate) bot: String,
    /// The names of the opponents of both sides. If there are none, the sides play each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) against: Vec<String>,
    /// Units between two moves of the values.
    pub(crate) block: u64,
    /// Maximum number of units, a multiple of `block`.
    pub(crate) max_units: u64,
    /// The parameters, in the order of the config.
    #[serde(rename = "parameter")]
    pub(crate) parameters: Vec<TunedParameter>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TunedParameter {
    /// The name in braces.
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) range: Parameter,
}

impl Tune {
    /// The file of the blocks.
    pub(crate) const TABLE: &str = "tune.csv";
    /// The file of the bot with the values that the tuning came to.
    pub(crate) const TUNED: &str = "tuned.toml";

    /// Returns the names of the two sides.
    pub(crate) fn sides(&self) -> [String; 2] {
        ["a", "b"].map(|side| format!("{}[{side}]", self.bot))
    }

    /// Returns the games of a unit: between both sides, or of each against all opponents, with
    /// seats swapped.
    pub(crate) fn games_per_unit(&self) -> u64 {
        2 * (2 * self.against.len() as u64).max(1)
    }

    /// Returns the parameters without names.
    pub(crate) fn ranges(&self) -> Vec<Parameter> {
        self.parameters.iter().map(|it| it.range).collect()
    }

    /// Returns the values before the first game.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.ranges().iter().map(|range| range.start).collect()
    }

    /// Returns values as text by parameter.
    pub(crate) fn named(&self, values: &[f64]) -> BTreeMap<String, String> {
        let mut named = BTreeMap::new();
        for (parameter, value) in self.parameters.iter().zip(values) {
            named.insert(parameter.name.clone(), value.to_string());
        }
        named
    }

    /// Formats values with their parameters in one line.
    pub(crate) fn in_words(&self, values: &[f64]) -> String {
        let mut words = Vec::new();
        for (parameter, value) in self.parameters.iter().zip(values) {
            words.push(format!("{}={value}", parameter.name));
        }
        words.join(" ")
    }

    /// Returns the tuning before its first block.
    pub(crate) fn tuning(&self, seed: u64) -> Tuning {
        Tuning::new(&self.ranges(), self.block, seed)
    }
}

impl Kind for Tune {
    fn word(&self) -> &'static str {
        "tuning"
    }

    /// The fixtures between the sides, or of each against the opponents, without values.
    fn schedule(&self, plan: &Plan) -> Schedule {
        if self.against.is_empty() {
            return plan.pairings(Format::Gauntlet, plan.games_in_pairs());
        }
        let layout = PanelLayout {
            seats: plan.seats(),
            variants: &plan.numbers(&self.sides()),
            opponents: &plan.numbers(&self.against),
            seeds_per_block: 1,
            blocks: self.max_units,
        };
        Schedule::against_panel(&layout, plan.seed)
    }

    fn check(&self, plan: &Plan) -> Result<(), Unsound> {
        plan.check_names(&self.sides())?;
        plan.check_names(&self.against)?;
        let fits = (1..=MOST_UNITS_IN_BLOCK).contains(&self.block)
            && (1..=MAX_UNITS).contains(&self.max_units)
            && (1..=MOST_PARAMETERS).contains(&self.parameters.len())
            && self.ranges().iter().all(Parameter::is_sound);
        if fits {
            Ok(())
        } else {
            Err(unsound("its tuning is out of bounds"))
        }
    }

    /// The tuned bot.
    fn is_about(&self, _: &PlannedGame, bot: &str) -> bool {
        self.against.iter().all(|other| other != bot)
    }

    fn max_units(&self) -> Option<u64> {
        Some(self.max_units)
    }

    fn compares_programs(&self) -> bool {
        false
    }

    /// Both sides are the same program, so only the second is tried at the ends of each range, with
    /// all other parameters at their start.
    fn trials(&self, bot: &str) -> Vec<Trial> {
        let start = self.start();
        let trial = |values: &[f64], words: Option<String>| Trial {
            values: self.named(values),
            words: words.map(|words| format!("tune bot `{}`: with {words}", self.bot)),
        };
        match self.sides().iter().position(|side| side == bot) {
            None => return vec![Trial::default()],
            Some(0) => return vec![trial(&start, None)],
            Some(_) => {}
        }
        let words = format!("the values of the start, {}", self.in_words(&start));
        let mut trials = vec![trial(&start, Some(words))];
        for (at, TunedParameter { name, range }) in self.parameters.iter().enumerate() {
            for value in [range.min, range.max] {
                let mut values = start.clone();
                values[at] = value;
                let words = format!("{name}={value} and all else at the start");
                trials.push(trial(&values, Some(words)));
            }
        }
        trials
    }
}
