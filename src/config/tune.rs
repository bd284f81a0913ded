//! `[tune]`: the parameters of a bot to tune.

mod braces;

use indexmap::IndexMap;
use serde::Deserialize;

use super::mistake::{Mistake, Read};
use super::parameters::{BotLaunch, Subject, name_problem};
use super::values::{Choice, Finite, Integer, OneOrMore, Positive};
use super::{Config, Overrides};
use crate::plan::{Tune, TunedParameter};
use arena_process::Launch;
use arena_stats::tune::{MOST_PARAMETERS, Parameter, Scale};
pub(crate) use braces::with_ranges;

type Block = Integer<1, 64>;

const DEFAULT_BLOCK: Block = Integer(32);
const DEFAULT_UNITS: TuneUnits = Integer(4000);
/// Minimum number of steps of a parameter. A sweep suits fewer values.
const FEWEST_STEPS: f64 = 3.0;

/// Maximum number of units of a tuning.
pub(crate) type TuneUnits = Integer<1, 1_000_000>;

/// Parameters of a bot to tune, for `format = "tune"`, see docs/how-to/tune.md.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TuneTable {
    /// The bot to tune.
    /// Example: `"search"`.
    pub(crate) bot: String,
    /// Up to 32 parameters with their ranges. The values replace `{NAME}` in the bot's `command`
    /// and `env`.
    /// Example: `{ depth = { min = 1, max = 9, start = 4 } }`.
    pub(crate) parameters: IndexMap<String, TuneRange>,
    /// Opponents of both sides, on the same seeds.
    /// Default: none, the sides play each other. Example: `["baseline"]`.
    pub(crate) against: Option<OneOrMore<String>>,
    /// Maximum number of units, rounded up to whole blocks.
    /// Default: `4000`. Example: `1000`.
    pub(crate) max_units: Option<TuneUnits>,
    /// Units played before the values move.
    /// Default: `32`. Example: `16`.
    pub(crate) block: Option<Block>,
    /// Test the tuned values at the end, against the first ones.
    /// Default: `false`. Example: `true`.
    #[serde(default)]
    pub(crate) confirm: bool,
}

/// The range of a parameter. Its values are integers if `min`, `max` and `start` are.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TuneRange {
    /// The smallest value.
    /// Example: `0`.
    min: Number,
    /// The largest value.
    /// Example: `40`.
    max: Number,
    /// The value to start from.
    /// Example: `10`.
    start: Number,
    /// The distance between two values.
    /// Default: 1 for integers, otherwise none. Example: `2`.
    step: Option<Positive>,
    /// On the scale `log`, moves are shares of the value, and `min` is above 0.
    /// Default: `"linear"`. Example: `"log"`.
    scale: Option<Choice<Scale>>,
}

/// A number, which may be written as an integer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a finite number")]
enum Number {
    Integer(i64),
    Float(Finite),
}

impl Number {
    #[expect(
        clippy::cast_precision_loss,
        reason = "values of parameters have far fewer digits"
    )]
    fn value(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Float(Finite(number)) => number,
        }
    }
}

/// Returns the tuning of a config and all bots, with both sides in the place of the tuned bot.
pub(super) fn resolve(
    config: &Config,
    table: &TuneTable,
    overrides: &Overrides,
) -> Read<(Tune, Vec<BotLaunch>)> {
    let subject = Subject::new(config, ["tune", "parameters", "tuned"], &table.bot)?;
    let against = subject.against(&table.against.clone().unwrap_or_default())?;
    let parameters = table.parameters(&subject)?;
    let names: Vec<&str> = table.parameters.keys().map(String::as_str).collect();
    subject.check_placeholders(&names)?;
    let block = table.block.unwrap_or(DEFAULT_BLOCK).0;
    // `--games` counts those of a side against each opponent.
    let games_per_unit = 2 * (2 * against.len() as u64).max(1);
    let units = match overrides.games {
        Some(games) => games.div_ceil(games_per_unit),
        None => table.max_units.unwrap_or(DEFAULT_UNITS).0,
    };
    let tune = Tune {
        bot: table.bot.clone(),
        max_units: units.next_multiple_of(block),
        against,
        block,
        parameters,
    };
    let launch = subject.bot.launch();
    let sides = tune.sides().map(|name| Launch {
        name,
        ..launch.clone()
    });
    Ok((tune, subject.players(sides)))
}

impl TuneTable {
    fn parameters(&self, subject: &Subject<'_>) -> Read<Vec<TunedParameter>> {
        let count = self.parameters.len();
        if !(1..=MOST_PARAMETERS).contains(&count) {
            let problem = format!("expected 1 to {MOST_PARAMETERS} parameters, found {count}");
            let mistake = Mistake::new("tune.parameters", problem);
            return Err(mistake.help("tune those first that cost most"));
        }
        let mut parameters = Vec::new();
        for (name, written) in &self.parameters {
            let path = subject.path(name);
            if let Some(problem) = name_problem(name) {
                return Err(Mistake::new(path, problem));
            }
            let range = written.parameter();
            check_range(&range, &path)?;
            parameters.push(TunedParameter {
                name: name.clone(),
                range,
            });
        }
        Ok(parameters)
    }
}

impl TuneRange {
    /// Converts the range. Values are integers if both ends and the start are.
    fn parameter(&self) -> Parameter {
        Parameter {
            min: self.min.value(),
            max: self.max.value(),
            start: self.start.value(),
            step: match (self.step, [self.min, self.max, self.start]) {
                (Some(step), _) => Some(step.0),
                (None, [Number::Integer(_), Number::Integer(_), Number::Integer(_)]) => Some(1.0),
                (None, _) => None,
            },
            scale: self.scale.unwrap_or_default().0,
        }
    }
}

/// Checks that a range can be tuned.
fn check_range(range: &Parameter, path: &str) -> Read<()> {
    let (min, max, start) = (range.min, range.max, range.start);
    let wrong = |key: &str, problem: String, help: &str| {
        Err(Mistake::new(format!("{path}.{key}"), problem).help(help))
    };
    if min >= max {
        let problem = format!("an empty range: expected a number above `min`, which is {min}");
        let help = "a parameter with one value needs no tuning: write the value";
        return wrong("max", problem, help);
    }
    if range.scale == Scale::Log && min <= 0.0 {
        let problem = "a logarithmic scale begins above 0: expected a number above 0".to_owned();
        let help = "on a scale of logarithms steps are shares of the value; without `scale` the range may begin anywhere";
        return wrong("min", problem, help);
    }
    if !(min..=max).contains(&start) {
        let expected = format!("expected a number from {min} to {max}");
        let problem = format!("the start is outside of the range: {expected}");
        return wrong("start", problem, "a wider range costs little");
    }
    let Some(step) = range.step else {
        return Ok(());
    };
    if (max - min) / step < FEWEST_STEPS - 1e-9 {
        let expected = format!("expected {FEWEST_STEPS} steps or more from `min` to `max`");
        let problem = format!("too few values to be tuned: {expected}");
        let help = "a sweep compares a few values: docs/how-to/sweep.md";
        return wrong("step", problem, help);
    }
    for (key, value) in [("max", max), ("start", start)] {
        let steps = (value - min) / step;
        if (steps - steps.round()).abs() > 1e-6 {
            let before = range.rounded(min + step * steps.floor());
            let problem = format!(
                "steps that miss a value: steps of {step} from {min} have {before}, and not {value}"
            );
            let help = "`min`, `max` and `start` are whole steps apart";
            return wrong(key, problem, help);
        }
    }
    Ok(())
}
