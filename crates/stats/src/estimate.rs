//! An estimate of how much stronger one bot is than another, with its interval in force.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::elo::{match_elo, match_elo_of};
pub use crate::interval::Holds;
use crate::interval::{Beyond, beyond};
use crate::rates::sign_test;
use crate::scores::UnitScores;
use crate::sprt::betting::{at_every_look, at_every_look_among};

/// With fewer units than this, an interval alone is no reason to call a bot stronger.
pub const MIN_UNITS_FOR_CLAIM: u64 = 10;
/// The error rate of a claim.
const LEVEL: f64 = 0.05;

/// How much stronger one bot is than another, in ordinary Elo whatever the model of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(into = "Shown")]
pub struct Estimate {
    /// Infinite if everything was won, and beyond 1000 Elo after a test.
    pub elo: f64,
    /// Lower end of the interval in force.
    pub lo95: f64,
    /// Upper end.
    pub hi95: f64,
    /// Likelihood of superiority; `None` where it isn't known, because the number of units depends
    /// on the results.
    pub los: Option<f64>,
    /// When the interval holds.
    pub holds: Holds,
    /// The probability that the interval holds the truth: 95%, or after a test what its error rates
    /// leave.
    pub confidence: f64,
    /// Whether there are too few different units for a claim, whatever the interval says.
    pub is_thin: bool,
    /// Whether units repeat others.
    pub repeats: bool,
}

/// An estimate as JSON has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// Elo of the bot, or of the first of two; null if unknown or infinite.
    elo: Option<f64>,
    /// Lower end of the 95% interval; null if unknown or infinite.
    lo95: Option<f64>,
    /// Upper end of the 95% interval; null if unknown or infinite.
    hi95: Option<f64>,
    /// Likelihood that the bot, or the first of two, is the stronger; null if unknown.
    los: Option<f64>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    interval: Option<Holds>,
    /// How likely the interval of `elo` holds the truth: 0.95, or after a sequential test what its
    /// two errors leave; null without an interval.
    confidence: Option<f64>,
    /// On which side each infinite number beside it lies, by its key.
    beyond: Beyond,
}

impl Shown {
    /// Returns an estimate, if there is one, beside these other numbers that may be infinite.
    pub fn beside(by: Option<&Estimate>, others: &[(&'static str, Option<f64>)]) -> Shown {
        let [elo, lo95, hi95] = [
            by.map(|by| by.elo),
            by.map(|by| by.lo95),
            by.map(|by| by.hi95),
        ];
        let own = [("elo", elo), ("lo95", lo95), ("hi95", hi95)];
        Shown {
            elo,
            lo95,
            hi95,
            los: by.and_then(|by| by.los),
            interval: by.map(|by| by.holds),
            confidence: by.map(|by| by.confidence),
            beyond: beyond(own.iter().chain(others).copied()),
        }
    }
}

impl From<Estimate> for Shown {
    fn from(by: Estimate) -> Shown {
        Shown::beside(Some(&by), &[])
    }
}

/// Writes an estimate, or null for each of its keys.
///
/// # Errors
/// Those of the serializer.
pub fn or_null<S: Serializer>(by: &Option<Estimate>, serializer: S) -> Result<S::Ok, S::Error> {
    Shown::beside(by.as_ref(), &[]).serialize(serializer)
}

/// What an estimate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The bot is stronger (`Greater`) or weaker (`Less`), or the interval holds 0 (`Equal`).
    Compared(Ordering),
    /// There are too few different units, though the interval excludes 0 or units repeat.
    NoVerdict,
}

impl Estimate {
    /// Returns the estimate after a match with an end that was fixed before the first game, of
    /// which so many units repeat no other; `None` without units.
    pub fn once(scores: &UnitScores, games_per_unit: u32, distinct: u64) -> Option<Estimate> {
        let result = match_elo_of(scores, games_per_unit, distinct)?;
        let ends = [result.lo95, result.hi95];
        let mut estimate = Estimate {
            is_thin: is_thin(scores, distinct),
            repeats: distinct < scores.units(),
            ..Estimate::new(result.elo, ends, Some(result.los), Holds::Once)
        };
        if estimate.claim() == Claim::NoVerdict {
            estimate.los = None;
        }
        Some(estimate)
    }

    /// Returns the estimate of a match that may be stopped at any time; `None` without units.
    pub fn at_every_look(scores: &UnitScores, games_per_unit: u32, distinct: u64) -> Option<Self> {
        let result = match_elo_of(scores, games_per_unit, distinct)?;
        let ends = at_every_look(scores, distinct);
        let repeats = distinct < scores.units();
        Some(Estimate {
            // The interval holds for few units, too, but not for few that are played again and
            // again.
            is_thin: repeats && distinct < MIN_UNITS_FOR_CLAIM,
            repeats,
            ..Estimate::new(result.elo, ends, None, Holds::EveryLook)
        })
    }

    /// Returns one of several estimates whose intervals hold together, so that the best one may be
    /// picked, and at every look; `None` without units.
    pub fn among(scores: &UnitScores, games_per_unit: u32, estimates: usize) -> Option<Estimate> {
        let result = match_elo(scores, games_per_unit)?;
        let ends = at_every_look_among(scores, estimates);
        Some(Estimate::new(result.elo, ends, None, Holds::EveryLook))
    }

    /// Returns an estimate with a 95% interval, from enough units that repeat no other.
    pub fn new(elo: f64, [lo95, hi95]: [f64; 2], los: Option<f64>, holds: Holds) -> Estimate {
        Estimate {
            elo,
            lo95,
            hi95,
            los,
            holds,
            confidence: 1.0 - LEVEL,
            is_thin: false,
            repeats: false,
        }
    }

    /// Returns the estimate after a test with these two error rates.
    pub(crate) fn after_test(elo: f64, ends: [f64; 2], los: Option<f64>, errors: [f64; 2]) -> Self {
        let mut estimate = Estimate::new(elo, ends, los, Holds::Test);
        estimate.confidence = 1.0 - errors[0] - errors[1];
        estimate
    }

    /// Returns the ends of the interval.
    pub fn interval(&self) -> [f64; 2] {
        [self.lo95, self.hi95]
    }

    /// Returns what the estimate says.
    pub fn claim(&self) -> Claim {
        let compared = match self.interval() {
            [lo, _] if lo > 0.0 => Ordering::Greater,
            [_, hi] if hi < 0.0 => Ordering::Less,
            _ => Ordering::Equal,
        };
        let is_tempting = compared != Ordering::Equal || self.repeats;
        if self.is_thin && is_tempting {
            Claim::NoVerdict
        } else {
            Claim::Compared(compared)
        }
    }

    /// Returns the estimate, from the other side if `is_reversed`.
    #[must_use]
    pub fn reversed_if(self, is_reversed: bool) -> Estimate {
        if is_reversed { self.reversed() } else { self }
    }

    /// Returns the estimate from the other side.
    #[must_use]
    pub fn reversed(self) -> Estimate {
        Estimate {
            elo: -self.elo,
            lo95: -self.hi95,
            hi95: -self.lo95,
            los: self.los.map(|los| 1.0 - los),
            ..self
        }
    }
}

/// Whether so few units need the exact sign test, and don't pass it: 6 of 6 pass, 5 of 5 don't.
fn is_thin(scores: &UnitScores, distinct: u64) -> bool {
    let [lost, _, won] = scores.around_half();
    // Repeated units count once.
    let different = |count: u64| {
        let share = u128::from(count) * u128::from(distinct) / u128::from(scores.units().max(1));
        u64::try_from(share).unwrap_or(count)
    };
    distinct < MIN_UNITS_FOR_CLAIM && sign_test(different(won), different(lost)) > LEVEL
}
