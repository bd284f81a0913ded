//! The rule that ends a match of two bots once it has shown enough.
//!
//! The interval that holds at every look is valid whenever play stops. So a match may stop as soon
//! as this interval answers the question: it excludes 0, or it is narrow enough. A match whose
//! units mostly repeat each other stops as well, because more of them show nothing new. So does one
//! that is hopeless for its first bot, if asked for: that saves games and proves nothing.

use crate::elo::match_elo_of;
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
/// The number of units at the first look at whether the match is hopeless.
pub const FIRST_LOOK_TO_DROP: u64 = 20;
/// The number of units from one such look to the next.
const UNITS_PER_LOOK_TO_DROP: u64 = 10;

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The interval excludes 0.
    Apart,
    /// The interval is narrow enough.
    Precise,
    /// The first bot is hardly likely to be stronger.
    Dropped,
    /// Nearly all units repeat others move for move.
    Repetitive,
}

/// The rule, which looks at a match after every unit.
#[derive(Debug, Clone)]
pub struct Stopping {
    /// The largest half-width of the interval that ends a match, if its width does.
    pub precision: Option<f64>,
    /// The likelihood of superiority below which a match ends, in percent.
    pub drop_below: Option<f64>,
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
    /// Elo wide on either side, or when the first bot is stronger with a likelihood below
    /// `drop_below` percent, but not before [`MIN_UNITS_FOR_CLAIM`] different units.
    pub fn new(precision: Option<f64>, drop_below: Option<f64>) -> Self {
        Self {
            precision,
            drop_below,
            next_look: 0,
            end: None,
        }
    }

    /// Looks at a match after its next unit. `scores` has its units from the side of the first bot,
    /// of which `distinct` repeat no other. Returns the end, once it has come.
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
        if self.is_hopeless(scores, games_per_unit, distinct) {
            return Some(End::Dropped);
        }
        let precision = self.precision?;
        if units < self.next_look {
            return None;
        }
        self.next_look = units + (units / UNITS_PER_LOOK).max(1);
        // The interval holds 0, so one that is narrow enough excludes these, which is quick to see.
        let beyond = [-2.0, 2.0].map(|times| times * precision);
        if !beyond.iter().all(|elo| is_refuted(scores, distinct, *elo)) {
            return None;
        }
        let estimate = Estimate::at_every_look(scores, games_per_unit, distinct)?;
        (half_width(&estimate) <= precision).then_some(End::Precise)
    }

    /// Whether the likelihood of superiority is below the limit, if this is a look at it.
    fn is_hopeless(&self, scores: &UnitScores, games_per_unit: u32, distinct: u64) -> bool {
        let units = scores.units();
        let Some(percent) = self.drop_below else {
            return false;
        };
        if units < FIRST_LOOK_TO_DROP || !units.is_multiple_of(UNITS_PER_LOOK_TO_DROP) {
            return false;
        }
        let now = match_elo_of(scores, games_per_unit, distinct);
        matches!(now, Some(now) if 100.0 * now.los < percent)
    }

    /// Returns the outlook for a match that has this estimate after so many units.
    pub fn outlook(&self, estimate: &Estimate, units: u64) -> Outlook {
        let half_width = half_width(estimate);
        let [elo, lo, hi] = [estimate.elo, estimate.lo95, estimate.hi95];
        let nearer_to_0 = if elo > 0.0 { elo - lo } else { hi - elo };
        let (end, from, to) = match self.precision {
            // The interval doesn't tell when the likelihood is low enough.
            _ if self.drop_below.is_some() && elo < 0.0 => (End::Dropped, f64::INFINITY, 1.0),
            Some(precision) if elo.abs() <= precision => (End::Precise, half_width, precision),
            _ => (End::Apart, nearer_to_0, elo.abs()),
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
