//! The tuning of a run: where its parameters are, and what is to be said of them.

use serde::Serialize;

use super::tuner::{Block, TuneEnd, Tuner};
use crate::standings::FailedBot;
use arena_stats::tune::readout::{Reading, Readout};
use arena_stats::tune::{Parameter, Scale};

/// A best value that is more likely than this to be better than the start has an effect.
pub(crate) const SEEN: f64 = 0.69;
/// A side has to have so many faults more than the other, and so many at least, before that is told.
const LOPSIDED: u64 = 4;
const FEWEST_FAULTS: u64 = 8;
/// An answer this near to an end of its range, as a share of it, stands at the end.
const AT_END: f64 = 0.02;

/// What a tuning has found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TuneSummary {
    /// The bot that is tuned.
    pub(crate) bot: String,
    /// Whom its sides meet; each other if there is nobody.
    pub(crate) against: Vec<String>,
    /// Why it is over; `None` while it is not.
    pub(crate) end: Option<TuneEnd>,
    /// The units that count: those of whole blocks.
    pub(crate) units: u64,
    /// Their games.
    pub(crate) games: u64,
    /// The most units.
    pub(crate) max_units: u64,
    /// Units between two moves of the centre.
    pub(crate) block: u64,
    /// An estimate of the Elo that is left to gain; `None` before the first look.
    pub(crate) left: Option<f64>,
    /// The first units, and those of them in which the bot failed; with what it had when it failed first.
    pub(crate) failed: Option<Failing>,
    /// The command that tests the answer against the start on fresh seeds; `None` where there is nothing to confirm.
    pub(crate) confirm: Option<String>,
    /// The parameters, in the order of the config.
    pub(crate) parameters: Vec<TunedParameter>,
    /// The blocks with the centre behind each, as values; they have a file of their own.
    #[serde(skip)]
    pub(crate) blocks: Vec<(Block, Vec<f64>)>,
}

/// A bot that failed at first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failing {
    /// Units in which it failed.
    pub(crate) failed: usize,
    /// Of so many, the first.
    pub(crate) units: usize,
    /// The values that it had when it failed first.
    pub(crate) values: String,
}

/// A parameter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TunedParameter {
    /// Its name.
    pub(crate) name: String,
    /// Its values.
    #[serde(flatten)]
    pub(crate) range: Parameter,
    /// Where the centre is.
    pub(crate) centre: f64,
    /// The lowest and the highest value that is played at the moment.
    pub(crate) band: [f64; 2],
    /// The answer so far.
    pub(crate) answer: f64,
    /// What the units tell of it; `None` before the first look.
    pub(crate) readout: Option<ParameterReadout>,
    /// The end of the range at which the answer stands, `min` or `max`.
    pub(crate) at_end: Option<&'static str>,
    /// The faults of the side that had less of it.
    pub(crate) faults_lower: u64,
    /// The faults of the side that had more of it.
    pub(crate) faults_higher: u64,
}

/// What the units tell of a parameter.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ParameterReadout {
    /// The lower end of the 95% interval of the best value.
    pub(crate) lo95: f64,
    /// The upper end.
    pub(crate) hi95: f64,
    /// What half the range away from the best value costs, in Elo.
    pub(crate) cost: f64,
    /// The likelihood that the answer is better than the start in this parameter alone.
    pub(crate) los: f64,
}

impl From<&Reading> for ParameterReadout {
    fn from(
        &Reading {
            lo95,
            hi95,
            cost,
            los,
        }: &Reading,
    ) -> ParameterReadout {
        ParameterReadout {
            lo95,
            hi95,
            cost,
            los,
        }
    }
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
    /// How a tuning stands, with what was told at the last look.
    pub(super) fn standing(tuner: &Tuner) -> TuneSummary {
        TuneSummary::new(tuner, tuner.looked.as_ref())
    }

    /// All that there is to say of a tuning, without the command that confirms it.
    pub(super) fn of(tuner: &Tuner) -> TuneSummary {
        TuneSummary::new(tuner, tuner.readout().as_ref())
    }

    fn new(tuner: &Tuner, readout: Option<&Readout>) -> TuneSummary {
        let tune = &tuner.tune;
        let units = tuner.tuning.units();
        let value = |at: usize, coordinate: f64| tune.parameters[at].range.value(coordinate);
        let centres = tuner.tuning.centres().iter();
        let centres = centres.map(|centre| {
            centre
                .iter()
                .enumerate()
                .map(|(at, &place)| value(at, place))
                .collect()
        });
        TuneSummary {
            bot: tune.bot.clone(),
            against: tune.against.clone(),
            end: tuner.end,
            units,
            games: units * tune.games_per_unit(),
            max_units: tune.max_units,
            block: tune.block,
            left: readout.map(|readout| readout.left),
            failed: Failing::of(tuner),
            confirm: None,
            parameters: (0..tune.parameters.len())
                .map(|at| TunedParameter::new(tuner, at, readout))
                .collect(),
            blocks: tuner.blocks.iter().copied().zip(centres).collect(),
        }
    }

    /// Whether the answer is the start, so that there is nothing to adopt.
    pub(crate) fn is_at_start(&self) -> bool {
        self.parameters.iter().all(TunedParameter::is_at_start)
    }

    /// Whether nothing was measured.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.end.is_some_and(TuneEnd::is_in_vain)
    }

    /// Whether there is an answer that may be a gain.
    pub(crate) fn has_answer(&self) -> bool {
        self.units > 0 && !self.is_at_start() && !self.is_in_vain()
    }

    /// The answer with the names of its parameters.
    pub(crate) fn answer(&self) -> String {
        let shown = |parameter: &TunedParameter| format!("{}={}", parameter.name, parameter.answer);
        self.parameters
            .iter()
            .map(shown)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl TunedParameter {
    fn new(tuner: &Tuner, at: usize, readout: Option<&Readout>) -> TunedParameter {
        let parameter = &tuner.tune.parameters[at];
        let range = parameter.range;
        let (centre, answer) = (tuner.tuning.centre()[at], tuner.tuning.answer()[at]);
        let (place, width) = (range.coordinate(centre), tuner.tuning.widths()[at]);
        let band =
            [-width, width].map(|width| range.value(place + width).clamp(range.min, range.max));
        let is_near = |end: f64| {
            (range.coordinate(answer) - range.coordinate(end)).abs() <= AT_END * range.range()
        };
        let at_end = [("min", range.min), ("max", range.max)]
            .into_iter()
            .find(|(_, end)| is_near(*end));
        let [faults_lower, faults_higher] = tuner.faults[at];
        TunedParameter {
            name: parameter.name.clone(),
            range,
            centre,
            band,
            answer,
            readout: readout.map(|readout| (&readout.parameters[at]).into()),
            at_end: at_end
                .map(|(name, _)| name)
                .filter(|_| tuner.tuning.units() > 0),
            faults_lower,
            faults_higher,
        }
    }

    #[expect(clippy::float_cmp, reason = "both are values that can be played")]
    fn is_at_start(&self) -> bool {
        self.answer == self.range.start
    }

    /// Where a value stands in the range, from 0 to 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let low = self.range.coordinate(self.range.min);
        ((self.range.coordinate(value) - low) / self.range.range()).clamp(0.0, 1.0)
    }

    /// Whether its values decide anything, as far as the units tell.
    pub(crate) fn is_seen(&self) -> bool {
        self.readout.is_none_or(|readout| readout.los >= SEEN)
    }

    /// Whether nearly all faults come with one side of its values: `lower` or `higher`.
    pub(crate) fn fails_when(&self) -> Option<&'static str> {
        let is_lopsided = |more: u64, less: u64| more >= FEWEST_FAULTS && more >= LOPSIDED * less;
        match (self.faults_lower, self.faults_higher) {
            (lower, higher) if is_lopsided(lower, higher) => Some("lower"),
            (lower, higher) if is_lopsided(higher, lower) => Some("higher"),
            _ => None,
        }
    }

    /// A value in words, short where it has no step.
    pub(crate) fn shown(&self, value: f64) -> String {
        if self.range.step.is_some() && (value - self.range.rounded(value)).abs() < 1e-9 {
            return self.range.rounded(value).to_string();
        }
        let width = self.range.max - self.range.min;
        let size = if self.range.scale == Scale::Log {
            value.abs()
        } else {
            width
        };
        let places = (0..9)
            .find(|&places| size * 10_f64.powi(places) >= 100.0)
            .unwrap_or(9);
        format!("{value:.*}", usize::try_from(places).unwrap_or_default())
    }
}
