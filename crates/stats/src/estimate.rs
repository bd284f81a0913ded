//! How much stronger one bot is than another, with an interval and when it holds.

use serde::Serialize;

use crate::elo::MatchElo;

/// When an interval holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Holds {
    /// At a single look, at an end that was fixed before the first game.
    #[default]
    Once,
    /// At every look, whenever play stops.
    EveryLook,
    /// After a sequential test: it allows for the stop.
    AfterStop,
}

/// How much stronger one bot is than another, in ordinary Elo whatever the model of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// After a test as often too high as too low, and infinite beyond 1000 Elo.
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
    /// What a match says.
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

    /// The ends of the interval.
    pub fn interval(&self) -> [f64; 2] {
        [self.lo95, self.hi95]
    }

    /// The same from the other side.
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
