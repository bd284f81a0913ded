//! The rule that ends a match of two bots once it has shown enough.
//!
//! The interval that holds at every look is valid whenever play stops. So a match may stop as soon
//! as this interval answers the question: it excludes 0, or it is narrow enough. A match whose
//! units mostly repeat each other stops as well, because more of them show nothing new.

use crate::estimate::{Estimate, MIN_UNITS_FOR_CLAIM};
use crate::scores::UnitScores;
use crate::sprt::betting::is_refuted;

/// The fewest units of a match that ends because they repeat each other.
const MIN_UNITS_OF_REPEATS: u64 = 100;
/// Such a match has so many units for each one that repeats no other.
const REPEATS: u64 = 10;
/// The width is looked at again when there is one more unit for so many. It takes a hundred times
/// as long to compute as whether the interval excludes a strength.
const UNITS_PER_LOOK: u64 = 50;

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The interval excludes 0.
    Apart,
    /// The interval is narrow enough.
    Precise,
    /// Nearly all units repeat others move for move.
    Repetitive,
}

/// The rule, which looks at a match after every unit.
#[derive(Debug, Clone)]
pub struct Stopping {
    /// The largest half-width of the interval that ends a match.
    pub precision: f64,
    /// The number of units at the next look at the width.
    next_look: u64,
    /// The end, once it has come.
    pub end: Option<End>,
}

/// The end that a match comes to if its units stay as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// The condition that is expected to end it.
    pub end: End,
    /// Half the width of the interval so far, in Elo; infinite if nothing limits a side.
    pub half_width: f64,
    /// The number of units at the end; `None` if it can't be told yet.
    pub units: Option<f64>,
}

impl Stopping {
    /// Returns the rule that ends a match when the interval excludes 0 or is at most `precision`
    /// Elo wide on either side, but not before [`MIN_UNITS_FOR_CLAIM`] different units.
    pub fn new(precision: f64) -> Self {
        Self {
            precision,
            next_look: 0,
            end: None,
        }
    }

    /// Looks at a match after its next unit. `scores` has its units, of which `distinct` repeat no
    /// other. Returns the end, once it has come.
    ///
    /// The same units give the same end, because the looks depend on their number alone.
    pub fn look(&mut self, scores: &UnitScores, games_per_unit: u32, distinct: u64) -> Option<End> {
        if self.end.is_none() {
            self.end = self.end_at(scores, games_per_unit, distinct);
        }
        self.end
    }

    fn end_at(&mut self, scores: &UnitScores, games_per_unit: u32, distinct: u64) -> Option<End> {
        let units = scores.units();
        if units >= MIN_UNITS_OF_REPEATS && units >= REPEATS.saturating_mul(distinct) {
            return Some(End::Repetitive);
        }
        if distinct < MIN_UNITS_FOR_CLAIM {
            return None;
        }
        if is_refuted(scores, distinct, 0.0) {
            return Some(End::Apart);
        }
        if units < self.next_look {
            return None;
        }
        self.next_look = units + (units / UNITS_PER_LOOK).max(1);
        // The interval holds 0, so one that is narrow enough excludes these, which is quick to see.
        let beyond = [-2.0, 2.0].map(|times| times * self.precision);
        if !beyond.iter().all(|elo| is_refuted(scores, distinct, *elo)) {
            return None;
        }
        let estimate = Estimate::at_every_look(scores, games_per_unit, distinct)?;
        (half_width(&estimate) <= self.precision).then_some(End::Precise)
    }

    /// Returns the outlook for a match that has this estimate after so many units.
    pub fn outlook(&self, estimate: &Estimate, units: u64) -> Outlook {
        let half_width = half_width(estimate);
        let [elo, lo, hi] = [estimate.elo, estimate.lo95, estimate.hi95];
        let (end, from, to) = if elo.abs() > self.precision {
            let nearer_to_0 = if elo > 0.0 { elo - lo } else { hi - elo };
            (End::Apart, nearer_to_0, elo.abs())
        } else {
            (End::Precise, half_width, self.precision)
        };
        // Four times the units, half the width.
        let needed = units as f64 * (from / to).powi(2);
        Outlook {
            end,
            half_width,
            units: needed.is_finite().then_some(needed),
        }
    }
}

/// Returns half the width of an interval.
fn half_width(estimate: &Estimate) -> f64 {
    (estimate.hi95 - estimate.lo95) / 2.0
}
