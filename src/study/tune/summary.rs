//! The result of a tuning: the key `tune` of `summary.json`.

use schemars::JsonSchema;
use serde::Serialize;

use super::tuner::{Block, TuneEnd, Tuner};
use crate::plan::TunedParameter;
use crate::results::FailedBot;
use arena_stats::tune::{Parameter, Scale, rounded};

/// The least ratio of faults between the sides, and the fewest faults, for a remark.
const LOPSIDED: u64 = 4;
const FEWEST_FAULTS: u64 = 8;
/// The largest distance of an answer at an end of the range, as a share of the range.
const AT_END: f64 = 0.02;

/// The result of a tuning.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct TuneSummary {
    /// Name of the bot.
    pub(crate) bot: String,
    /// Opponents. Without any in a tuning, the bot plays itself.
    pub(crate) against: Vec<String>,
    /// Why the tuning is over: `units` were played, the bot `ignored` its values, or it was
    /// `failing` in most of the first ten units; null before.
    pub(crate) end: Option<TuneEnd>,
    /// Complete units that count.
    pub(crate) units: u64,
    /// The complete units of the next block.
    #[serde(skip)]
    pub(crate) units_of_block: u64,
    /// Games that count.
    pub(crate) games: u64,
    /// Most units that are played.
    pub(crate) max_units: u64,
    /// Units of a block.
    pub(crate) block: u64,
    /// How often the bot failed in the first units; null unless it did in most.
    pub(crate) failed: Option<Failing>,
    /// Command that tests the answer on fresh seeds; null if there is nothing to confirm.
    pub(crate) confirm: Option<String>,
    /// The tuned numbers.
    pub(crate) parameters: Vec<ParameterSummary>,
    /// The blocks with the centre after each, as values. They have a separate file.
    #[serde(skip)]
    pub(super) blocks: Vec<(Block, Vec<f64>)>,
}

/// How often a bot failed in the first units.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Failing {
    /// Units in which the bot failed.
    pub(crate) failed: usize,
    /// Complete units that count.
    pub(crate) units: usize,
    /// Values at the first failure.
    pub(crate) values: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ParameterSummary {
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) range: Parameter,
    /// Present value of the parameter.
    pub(crate) centre: f64,
    /// Lowest and highest value that is played now.
    pub(crate) band: [f64; 2],
    /// Value that the tuning answers with: the mean of its last fifth, rounded to steps.
    pub(crate) answer: f64,
    /// End of the range that `answer` has come to, `min` or `max`; null if neither.
    pub(crate) at_end: Option<&'static str>,
    /// Failures of the side with the lower value.
    pub(crate) faults_lower: u64,
    /// Failures of the side with the higher value.
    pub(crate) faults_higher: u64,
}

impl Failing {
    fn of(tuner: &Tuner) -> Option<Failing> {
        let FailedBot { failed, units, .. } = tuner.failures.of_first(0)?;
        Some(Failing {
            failed,
            units,
            values: tuner.tune.in_words(tuner.first_fault.as_ref()?),
        })
    }
}

impl TuneSummary {
    /// Returns what a tuning has found, without the command that confirms it.
    pub(super) fn new(tuner: &Tuner) -> TuneSummary {
        let tune = &tuner.tune;
        let units = tuner.tuning.units();
        let mut blocks = Vec::new();
        for (block, centre) in tuner.blocks.iter().zip(tuner.tuning.centres()) {
            let value = |(own, place): (&TunedParameter, &f64)| own.range.value(*place);
            let values = tune.parameters.iter().zip(centre).map(value);
            blocks.push((*block, values.collect()));
        }
        TuneSummary {
            bot: tune.bot.clone(),
            against: tune.against.clone(),
            end: tuner.end,
            units,
            units_of_block: tuner.complete.len() as u64,
            games: units * tune.games_per_unit(),
            max_units: tune.max_units,
            block: tune.block,
            failed: Failing::of(tuner),
            confirm: None,
            parameters: (0..tune.parameters.len())
                .map(|at| ParameterSummary::new(tuner, at))
                .collect(),
            blocks,
        }
    }

    /// Returns true if the answer is the start, so there is nothing to adopt.
    #[expect(clippy::float_cmp, reason = "both are values that can be played")]
    pub(crate) fn is_at_start(&self) -> bool {
        self.parameters
            .iter()
            .all(|parameter| parameter.answer == parameter.range.start)
    }

    /// Returns true if nothing was measured.
    pub(crate) fn is_in_vain(&self) -> bool {
        matches!(self.end, Some(TuneEnd::Ignored | TuneEnd::Failing))
    }

    /// Returns true if there is an answer that may be a gain.
    pub(crate) fn has_answer(&self) -> bool {
        self.units > 0 && !self.is_at_start() && !self.is_in_vain()
    }

    /// Returns the answer, a value for each parameter.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.parameters.iter().map(|it| it.answer).collect()
    }

    /// Returns the answer with the names of its parameters.
    pub(crate) fn answer(&self) -> String {
        let named = |it: &ParameterSummary| format!("{}={}", it.name, it.answer);
        let named: Vec<String> = self.parameters.iter().map(named).collect();
        named.join(" ")
    }
}

impl ParameterSummary {
    fn new(tuner: &Tuner, at: usize) -> ParameterSummary {
        let parameter = &tuner.tune.parameters[at];
        let range = parameter.range;
        let (centre, answer) = (tuner.tuning.centre()[at], tuner.tuning.answer()[at]);
        let (place, width) = (range.coordinate(centre), tuner.tuning.widths()[at]);
        let band =
            [-width, width].map(|width| range.value(place + width).clamp(range.min, range.max));
        let mut at_end = None;
        for (name, end) in [("max", range.max), ("min", range.min)] {
            let gap = |value| (range.coordinate(value) - range.coordinate(end)).abs();
            // An answer that began there says nothing of what lies beyond.
            if gap(answer) <= AT_END * range.range() && gap(answer) < gap(range.start) {
                at_end = Some(name);
            }
        }
        let [faults_lower, faults_higher] = tuner.faults[at];
        ParameterSummary {
            name: parameter.name.clone(),
            range,
            centre,
            band,
            answer,
            at_end,
            faults_lower,
            faults_higher,
        }
    }

    /// Returns the place of a value in the range, from 0 to 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let low = self.range.coordinate(self.range.min);
        ((self.range.coordinate(value) - low) / self.range.range()).clamp(0.0, 1.0)
    }

    /// Returns `lower` or `higher` if nearly all faults come with such values.
    pub(crate) fn fails_when(&self) -> Option<&'static str> {
        let most = |more, less| more >= FEWEST_FAULTS && more >= LOPSIDED * less;
        match (self.faults_lower, self.faults_higher) {
            (lower, higher) if most(lower, higher) => Some("lower"),
            (lower, higher) if most(higher, lower) => Some("higher"),
            _ => None,
        }
    }

    /// Returns a value as text, shortened if it has no step.
    pub(crate) fn shown(&self, value: f64) -> String {
        if self.range.step.is_some() && (value - self.range.rounded(value)).abs() < 1e-9 {
            return self.range.rounded(value).to_string();
        }
        let size = match self.range.scale {
            Scale::Linear => self.range.max - self.range.min,
            Scale::Log => value.abs(),
        };
        match (0..=9_u8).find(|power| size * 10_f64.powi((*power).into()) >= 100.0) {
            Some(places) => format!("{value:.*}", places.into()),
            None => format!("{:?}", rounded(value, 3)),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a parameter without steps that is still at its start, which is its minimum.
    pub(crate) fn example(min: f64, max: f64, scale: Scale) -> ParameterSummary {
        let range = Parameter {
            min,
            max,
            start: min,
            step: None,
            scale,
        };
        ParameterSummary {
            name: "depth".to_owned(),
            range,
            centre: min,
            band: [min; 2],
            answer: min,
            at_end: None,
            faults_lower: 0,
            faults_higher: 0,
        }
    }
}
