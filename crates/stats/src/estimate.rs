//! An estimate of how much stronger one bot is than another, with its interval.

use serde::Serialize;

use crate::elo::MatchElo;

/// The looks that an interval is valid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Holds {
    /// A single look, at an end that was fixed before the first game.
    #[default]
    Once,
    /// Every look, whenever play stops.
    EveryLook,
    /// The look after a sequential test; the interval allows for the stop.
    AfterStop,
}

/// How much stronger one bot is than another, in ordinary Elo whatever the model of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// After a test it is as often too high as too low, and infinite beyond 1000 Elo.
    pub elo: f64,
    /// Lower 95% end.
    pub lo95: f64,
    /// Upper 95% end.
    pub hi95: f64,
    /// Likelihood of superiority, for a single look.
    pub los: f64,
    /// When the interval holds.
    #[serde(skip)]
    pub holds: Holds,
}

impl Estimate {
    /// Returns the estimate of a match.
    pub fn of_match(result: &MatchElo, holds: Holds) -> Estimate {
        let [lo95, hi95] = result.interval(holds == Holds::EveryLook);
        Estimate {
            elo: result.elo,
            lo95,
            hi95,
            los: result.los,
            holds,
        }
    }

    /// Returns the ends of the interval.
    pub fn interval(&self) -> [f64; 2] {
        [self.lo95, self.hi95]
    }

    /// Returns the estimate from the other side.
    #[must_use]
    pub fn reversed(self) -> Estimate {
        Estimate {
            elo: -self.elo,
            lo95: -self.hi95,
            hi95: -self.lo95,
            los: 1.0 - self.los,
            holds: self.holds,
        }
    }
}
