//! The errors of ratings.

use nalgebra::{DMatrix, DVector};

use super::super::{C, StatsError};
use super::fit;
use super::table::{Settings, Table};

/// The fewest units of a bot that isn't provisional. The error of a provisional bot is the larger
/// of two estimates.
pub const FEW_UNITS: u64 = 30;

/// The covariance of ratings in Elo squared, relative to the anchor. The first player's advantage,
/// if it was fitted, comes after the bots.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Covariance {
    /// From the scatter of units and a few pseudo-units. It is enlarged by K / (K - f) for K units
    /// and f free ratings, because it was measured around ratings that were fitted to the same
    /// units.
    sandwich: DMatrix<f64>,
    /// From the curvature of the likelihood alone, as if all comparisons were decided and
    /// independent.
    naive: DMatrix<f64>,
    games_per_unit: f64,
}

impl Covariance {
    /// Returns `None` unless there are more units than free ratings.
    pub(super) fn new(
        table: &Table,
        theta: &DVector<f64>,
        settings: &Settings,
    ) -> Result<Option<Self>, StatsError> {
        let anchors = &settings.anchors;
        let fixed = anchors.len().max(1);
        let (units, free) = (table.units as f64, table.bots.saturating_sub(fixed) as f64);
        if table.units == 0 || units <= free {
            return Ok(None);
        }
        let inverse = fit::inverse_hessian(table, theta).ok_or_else(fit::lopsided)?;
        let factor = units / (units - free);
        let mut scatter = scatter(table, theta);
        add_pseudo_units(&mut scatter, table, theta);
        let sandwich = &inverse * scatter * &inverse * (factor * C * C);
        Ok(Some(Self {
            sandwich: seen_from(anchors, table.bots, sandwich),
            naive: seen_from(anchors, table.bots, inverse * (C * C)),
            games_per_unit: settings.games_per_unit.into(),
        }))
    }

    /// Returns `x' A⁻¹ y` for the negative second derivative A, in log-odds. Both vectors are given
    /// by their entries that aren't 0. One of them must not have a common level of all strengths.
    pub(super) fn between(&self, x: &[(usize, f64)], y: &[(usize, f64)]) -> f64 {
        product(x, &self.naive, y) / (C * C)
    }

    /// Returns `A⁻¹ S A⁻¹` for such an S.
    pub(super) fn around(&self, scatter: &DMatrix<f64>) -> DMatrix<f64> {
        &self.naive * scatter * &self.naive / C.powi(4)
    }

    /// Returns the variance of the rating of a bot (or of the first player's advantage) that took
    /// part in `units` units.
    pub(super) fn of(&self, bot: usize, units: u64) -> f64 {
        self.floored(self.sandwich[(bot, bot)], self.naive[(bot, bot)], units)
    }

    /// Returns the variance of the difference of two ratings if the bot with fewer units took part
    /// in `units`. The floors apply to the difference itself, so that it doesn't depend on the
    /// anchor.
    pub(super) fn difference(&self, one: usize, other: usize, units: u64) -> f64 {
        let (one, other) = (one.min(other), one.max(other));
        let variance =
            |of: &DMatrix<f64>| of[(one, one)] + of[(other, other)] - 2.0 * of[(one, other)];
        self.floored(variance(&self.sandwich), variance(&self.naive), units)
    }

    /// Raises a variance to its floors: units that happen to agree don't prove a rating exact, and
    /// few units scatter too little.
    fn floored(&self, sandwich: f64, naive: f64, units: u64) -> f64 {
        let floor = self.games_per_unit / units as f64;
        let share = match units {
            0 => 1.0,
            1..FEW_UNITS => floor.max(1.0),
            _ => floor,
        };
        sandwich.max(share * naive).max(0.0)
    }
}

/// Returns `x' matrix y` for vectors given by their entries that aren't 0.
pub(super) fn product(x: &[(usize, f64)], matrix: &DMatrix<f64>, y: &[(usize, f64)]) -> f64 {
    let mut sum = 0.0;
    for &(row, one) in x {
        for &(column, other) in y {
            sum += one * other * matrix[(row, column)];
        }
    }
    sum
}

/// Returns the sum over units of the square of their pull on the parameters. Virtual games aren't
/// units.
fn scatter(table: &Table, theta: &DVector<f64>) -> DMatrix<f64> {
    let size = table.parameters();
    let mut scatter = DMatrix::zeros(size, size);
    for (kind, copies) in &table.kinds {
        let mut pulls = Vec::new();
        for pairing in &table.pairings[kind.clone()] {
            let [surplus, _] = fit::pull(pairing, theta, table);
            for (parameter, sign) in fit::direction(pairing, table) {
                pulls.push((parameter, sign * surplus));
            }
        }
        // A seed that all pairings share has far more pulls than parameters.
        if pulls.len() > size {
            let mut sums = vec![0.0; size];
            for (parameter, pull) in pulls {
                sums[parameter] += pull;
            }
            pulls = sums.into_iter().enumerate().collect();
        }
        for &(row, pull) in &pulls {
            for &(column, other) in &pulls {
                scatter[(row, column)] += *copies as f64 * pull * other;
            }
        }
    }
    scatter
}

/// Adds pseudo-units to the scatter, which are won or lost as a whole with the expected chances,
/// and scales it back to the real number of units. If nearly all games are drawn, few units are
/// decided, and by chance they often scatter too little.
///
/// A bot with one opponent has one pseudo-unit. A bot with several opponents shares it among its
/// pairings, because its rating rests on all of them. More than that would make intervals of usual
/// results too wide.
fn add_pseudo_units(scatter: &mut DMatrix<f64>, table: &Table, theta: &DVector<f64>) {
    let mut opponents = vec![0_u32; table.bots];
    for pairing in &table.totals {
        opponents[pairing.first] += 1;
        opponents[pairing.second] += 1;
    }
    let (mut real, mut pseudo) = (0.0, 0.0);
    for (pairing, &met) in table.totals.iter().zip(&table.met) {
        let fewest = opponents[pairing.first].min(opponents[pairing.second]);
        let weight = f64::from(fewest).recip();
        let games = pairing.games as f64 / met as f64;
        let [p, q] = fit::chances(pairing, theta, table);
        let square = weight * games * games * p * q;
        for (row, sign) in fit::direction(pairing, table) {
            for (column, other) in fit::direction(pairing, table) {
                scatter[(row, column)] += sign * other * square;
            }
        }
        real += met as f64;
        pseudo += weight;
    }
    *scatter *= real / (real + pseudo);
}

/// Returns T V T', for the T that subtracts the anchor's level from every strength and leaves the
/// first player's advantage alone. Several anchors don't move.
fn seen_from(anchors: &[(usize, f64)], bots: usize, variance: DMatrix<f64>) -> DMatrix<f64> {
    let mut shift = DMatrix::<f64>::identity(variance.nrows(), variance.ncols());
    match anchors {
        [_, _, ..] => return variance,
        &[(anchored, _)] => shift
            .view_mut((0, anchored), (bots, 1))
            .add_scalar_mut(-1.0),
        [] => shift
            .view_mut((0, 0), (bots, bots))
            .add_scalar_mut(-1.0 / bots as f64),
    }
    &shift * variance * shift.transpose()
}
