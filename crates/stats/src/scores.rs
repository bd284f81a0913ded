//! Counted scores of units.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::StatsError;

/// The grid of [`UnitScores::from_values`]. It has every fraction that a unit can score
/// (denominators up to 16, and 24, 32, 48, ..) and every decimal of four digits exactly.
const GRID: u32 = 720_720_000;

/// The limit of units times denominator. Below it, sums of squares fit 128 bits.
const MAX_POINTS: u64 = 1 << 60;

/// Returns the half points for an outcome: 0, 1 or 2.
pub fn half_points(outcome: Ordering) -> u8 {
    (1 + outcome as i8).unsigned_abs()
}

/// The number of units with each score, from one side.
///
/// A score is a whole number of parts of a full score, and sums are whole numbers too. So results
/// don't depend on the order of the units, and the two sides of a match see exactly opposite
/// results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitScores {
    denominator: u32,
    counts: BTreeMap<u32, u64>,
    units: u64,
}

impl UnitScores {
    /// Returns counts without units, for scores in parts of `denominator`.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(denominator: u32) -> Self {
        assert!(denominator > 0, "scores in parts of 0");
        Self {
            denominator,
            counts: BTreeMap::new(),
            units: 0,
        }
    }

    /// Returns counts of units that scored 0, 1, 2, .. parts: lost, drawn and won games in parts of
    /// 2, or pairs of games in parts of 4.
    ///
    /// # Errors
    /// More counts than scores, or too many units.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn from_counts(
        denominator: u32,
        counts: impl IntoIterator<Item = u64>,
    ) -> Result<Self, StatsError> {
        let mut scores = Self::new(denominator);
        for (numerator, count) in (0..).zip(counts) {
            scores.add(numerator, count)?;
        }
        Ok(scores)
    }

    /// Returns counts of units with any scores in [0, 1], each with its number of units. Scores
    /// that aren't simple fractions are rounded to nine decimals.
    ///
    /// # Errors
    /// Values outside [0, 1], or too many units.
    pub fn from_values(values: impl IntoIterator<Item = (f64, u64)>) -> Result<Self, StatsError> {
        let mut scores = Self::new(GRID);
        for (value, count) in values {
            if !(0.0..=1.0).contains(&value) {
                return Err(StatsError(format!(
                    "count a score of {value}: scores run from 0 to 1"
                )));
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and GRID"
            )]
            let numerator = (value * f64::from(GRID)).round() as u32;
            scores.add(numerator, count)?;
        }
        Ok(scores)
    }

    /// Counts `count` more units that scored `numerator` parts. A count of 0 makes the score a
    /// possible one.
    ///
    /// # Errors
    /// A score above 1, or too many units. Nothing is counted then.
    pub fn add(&mut self, numerator: u32, count: u64) -> Result<(), StatsError> {
        let denominator = self.denominator;
        if numerator > denominator {
            return Err(StatsError(format!(
                "count a score of {numerator}/{denominator}: scores run from 0 to 1"
            )));
        }
        let most = MAX_POINTS / u64::from(denominator);
        if count > most - self.units {
            return Err(StatsError(format!(
                "count so many units: at most {most} with scores in parts of {denominator}"
            )));
        }
        *self.counts.entry(numerator).or_default() += count;
        self.units += count;
        Ok(())
    }

    /// Returns the number of units.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Returns the possible scores, worst first, each with its number of units.
    pub fn values(&self) -> impl Iterator<Item = (f64, u64)> {
        let full = f64::from(self.denominator);
        self.counts
            .iter()
            .map(move |(&numerator, &count)| (f64::from(numerator) / full, count))
    }

    /// Returns the numbers of units that scored less than one half, exactly one half, and more.
    pub fn around_half(&self) -> [u64; 3] {
        let mut tally = [0; 3];
        for (&numerator, count) in &self.counts {
            let compared = (2 * u64::from(numerator)).cmp(&u64::from(self.denominator));
            tally[usize::from(half_points(compared))] += count;
        }
        tally
    }

    /// Returns the mean score, or `None` without units.
    pub fn mean(&self) -> Option<f64> {
        (self.units > 0).then(|| self.sums().mean())
    }

    /// Returns the variance of the score of a unit (divided by the number of units, not by one
    /// less), or `None` without units.
    pub fn variance(&self) -> Option<f64> {
        (self.units > 0).then(|| self.sums().variance())
    }

    /// Returns the mean power of the deviations from the mean, with two pseudo-units: see
    /// [`Sums::with_pseudo_units`].
    pub(super) fn moment_with_pseudo_units(&self, power: i32) -> f64 {
        let sums = self.sums().with_pseudo_units();
        let scores = self.counts.iter().map(|(&at, &count)| (at, count));
        let scores = [(0, 1)].into_iter().chain(scores);
        let (mut below, mut terms_above) = (0.0, Vec::new());
        for (at, count) in scores.chain([(self.denominator, 1)]) {
            // A whole number before the division.
            let off = i128::from(at) * i128::from(sums.units) - sums.points.cast_signed();
            let term = count as f64 * (off as f64 / sums.all()).powi(power);
            match off.cmp(&0) {
                Ordering::Less => below += term,
                Ordering::Equal => {}
                Ordering::Greater => terms_above.push(term),
            }
        }
        // From both ends to the mean, so that the other side adds the same numbers in the same
        // order.
        let above: f64 = terms_above.iter().rev().sum();
        (below + above) / sums.units as f64
    }

    pub(super) fn sums(&self) -> Sums {
        let mut sums = Sums {
            units: self.units,
            full: self.denominator,
            points: 0,
            squares: 0,
        };
        for (&numerator, &count) in &self.counts {
            let (numerator, count) = (u128::from(numerator), u128::from(count));
            sums.points += count * numerator;
            sums.squares += count * numerator * numerator;
        }
        sums
    }
}

/// Exact sums over units, in parts of a full score.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub(super) units: u64,
    pub(super) full: u32,
    pub(super) points: u128,
    squares: u128,
}

impl Sums {
    /// Adds two pseudo-units, one that scored nothing and one that scored everything.
    pub(super) fn with_pseudo_units(self) -> Self {
        let full = u128::from(self.full);
        Self {
            units: self.units + 2,
            points: self.points + full,
            squares: self.squares + full * full,
            full: self.full,
        }
    }

    /// Parts won.
    pub(super) fn won(&self) -> f64 {
        self.points as f64
    }

    /// Parts lost.
    pub(super) fn lost(&self) -> f64 {
        (self.available() - self.points) as f64
    }

    /// Parts that could be won.
    pub(super) fn all(&self) -> f64 {
        self.available() as f64
    }

    pub(super) fn mean(&self) -> f64 {
        self.won() / self.all()
    }

    pub(super) fn variance(&self) -> f64 {
        self.scatter() / (self.all() * self.all())
    }

    /// The number of units of full wins and full losses that have the same variance of the mean as
    /// one unit.
    pub(super) fn flips_per_unit(&self) -> f64 {
        self.won() * self.lost() / self.scatter()
    }

    fn available(&self) -> u128 {
        u128::from(self.units) * u128::from(self.full)
    }

    /// The variance in units of 1 / (units * full)^2. It is a whole number before the last step, so
    /// that it is exactly 0 if all units score alike.
    pub(super) fn scatter(&self) -> f64 {
        (u128::from(self.units) * self.squares - self.points * self.points) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_fractions_and_decimals_are_exact() {
        let values = [
            0.0,
            0.1,
            1.0 / 3.0,
            7.0 / 24.0,
            23.0 / 48.0,
            0.5,
            0.7654,
            1.0,
        ];
        let scores = UnitScores::from_values(values.map(|value| (value, 1))).unwrap();
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        assert_eq!(
            scores.values().map(|(value, _)| value).collect::<Vec<_>>(),
            sorted
        );
    }

    #[test]
    fn wrong_scores_are_refused() {
        let refused = |message: &str| Err(StatsError(message.to_owned()));
        assert_eq!(
            UnitScores::from_values([(1.5, 1)]),
            refused("count a score of 1.5: scores run from 0 to 1")
        );
        assert!(UnitScores::from_values([(f64::NAN, 1)]).is_err());
        assert_eq!(
            UnitScores::from_counts(2, [0, u64::MAX, 1]),
            refused("count so many units: at most 576460752303423488 with scores in parts of 2")
        );
        let mut pairs = UnitScores::from_counts(4, [1, 0, 2, 0, 3]).unwrap();
        assert_eq!(
            pairs.add(5, 1),
            Err(StatsError(
                "count a score of 5/4: scores run from 0 to 1".to_owned()
            ))
        );
        assert_eq!(pairs, UnitScores::from_counts(4, [1, 0, 2, 0, 3]).unwrap());
    }

    #[test]
    fn the_largest_counts_do_not_overflow() {
        let most = MAX_POINTS / 2;
        let scores = UnitScores::from_counts(2, [most / 2, 0, most / 2]).unwrap();
        assert_eq!(scores.variance(), Some(0.25));
        assert_eq!(scores.around_half(), [most / 2, 0, most / 2]);
        assert!(scores.sums().with_pseudo_units().flips_per_unit() > 0.0);
    }
}
