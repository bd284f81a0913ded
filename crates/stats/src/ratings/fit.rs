//! The most likely ratings, by Newton's method: from 0 it takes 5 to 8 rounds.

use nalgebra::{DMatrix, DVector};

use super::super::{StatsError, logistic};
use super::table::{Pairing, Table};

/// The most rows of a matrix that is inverted at once. Larger ones are inverted block by block, so
/// that nearly all of the work is products of matrices, which are ten times faster than the rest.
const BLOCK: usize = 128;
/// The largest step of a Newton round, in log-odds. A longer one is shortened.
const LONGEST_STEP: f64 = 2.0;
const ROUNDS: usize = 300;
const PRECISION: f64 = 1e-10;
/// The largest gradient at the maximum, per game.
const FLAT: f64 = 1e-8;

/// Returns the expected scores of the first bot and of the second.
pub(super) fn chances(pairing: &Pairing, theta: &DVector<f64>, table: &Table) -> [f64; 2] {
    let advantage = theta.get(table.bots).copied().unwrap_or(0.0);
    let log_odds = theta[pairing.first] - theta[pairing.second] + advantage;
    // Both chances from the log-odds: 1 - p would lose all digits of a small one.
    [logistic(log_odds), logistic(-log_odds)]
}

/// Returns the points of the first bot beyond the expected ones, and the variance of those points
/// if all games were decided and independent.
pub(super) fn pull(pairing: &Pairing, theta: &DVector<f64>, table: &Table) -> [f64; 2] {
    pairing.beyond(chances(pairing, theta, table))
}

/// Returns the parameters of a pairing, with the signs of its pull on them.
pub(super) fn direction(
    pairing: &Pairing,
    table: &Table,
) -> impl Iterator<Item = (usize, f64)> + Clone + use<> {
    let advantage = table.first_advantage.then_some((table.bots, 1.0));
    [(pairing.first, 1.0), (pairing.second, -1.0)]
        .into_iter()
        .chain(advantage)
}

/// Returns the gradient and the negative second derivative of the log-likelihood, which has 1 added
/// along the common level of all strengths if nothing fixes it. Fixed strengths don't move.
fn slope(table: &Table, theta: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let size = table.parameters();
    let (mut gradient, mut hessian) = (DVector::zeros(size), DMatrix::zeros(size, size));
    for pairing in &table.totals {
        let [surplus, information] = pull(pairing, theta, table);
        for (row, sign) in direction(pairing, table) {
            gradient[row] += sign * surplus;
            for (column, other) in direction(pairing, table) {
                hessian[(row, column)] += sign * other * information;
            }
        }
    }
    for bot in 0..table.bots {
        let (p, q) = (logistic(theta[bot]), logistic(-theta[bot]));
        gradient[bot] += table.prior * (q - p) / 2.0;
        hessian[(bot, bot)] += table.prior * p * q;
    }
    for &(bot, _) in &table.fixed {
        gradient[bot] = 0.0;
        hessian.row_mut(bot).fill(0.0);
        hessian.column_mut(bot).fill(0.0);
        hessian[(bot, bot)] = 1.0;
    }
    if is_afloat(table) {
        let mut strengths = hessian.view_mut((0, 0), (table.bots, table.bots));
        strengths.add_scalar_mut(1.0);
    }
    (gradient, hessian)
}

/// Returns the inverse of the negative second derivative at the maximum; without virtual games, on
/// the strengths with sum 0. `None` if it has none in floating point.
pub(super) fn inverse_hessian(table: &Table, theta: &DVector<f64>) -> Option<DMatrix<f64>> {
    let (_, hessian) = slope(table, theta);
    let mut inverse = inverse(&hessian)?;
    for &(bot, _) in &table.fixed {
        inverse[(bot, bot)] = 0.0;
    }
    if is_afloat(table) {
        // The direction that was added to the matrix: 1/n along (1..1)/n.
        let added = (table.bots as f64).powi(2).recip();
        let mut strengths = inverse.view_mut((0, 0), (table.bots, table.bots));
        strengths.add_scalar_mut(-added);
    }
    Some(inverse)
}

/// Solves a system with a positive definite matrix; `None` if it isn't positive definite in
/// floating point.
fn solve(matrix: DMatrix<f64>, product: &DVector<f64>) -> Option<DVector<f64>> {
    if matrix.nrows() <= BLOCK {
        Some(matrix.cholesky()?.solve(product))
    } else {
        Some(inverse(&matrix)? * product)
    }
}

/// Returns the inverse of a positive definite matrix, from the inverses of its upper left quarter
/// and of the Schur complement of that.
fn inverse(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let size = matrix.nrows();
    if size <= BLOCK {
        return Some(matrix.clone().cholesky()?.inverse());
    }
    let (half, rest) = (size / 2, size - size / 2);
    let beside = matrix.view((0, half), (half, rest));
    let upper = inverse(&matrix.view((0, 0), (half, half)).into_owned())?;
    let across = &upper * beside;
    let lower = inverse(&(matrix.view((half, half), (rest, rest)) - beside.tr_mul(&across)))?;
    let corner = &across * &lower;
    let mut inverse = DMatrix::zeros(size, size);
    let mut set = |at, part: &DMatrix<f64>| inverse.view_mut(at, part.shape()).copy_from(part);
    set((0, 0), &(upper + &corner * across.transpose()));
    set((0, half), &-&corner);
    set((half, 0), &-corner.transpose());
    set((half, half), &lower);
    Some(inverse)
}

/// Returns true if nothing fixes the common level of all strengths.
fn is_afloat(table: &Table) -> bool {
    table.prior == 0.0 && table.fixed.is_empty()
}

/// Returns the error of a fit without a result.
pub(super) fn lopsided() -> StatsError {
    StatsError(
        "find the most likely ratings: the results are too lopsided to compute with".to_owned(),
    )
}

/// Returns the strengths in log-odds, then the first player's advantage if it is fitted; `None` if
/// floating point doesn't reach the maximum.
pub(super) fn fit(table: &Table) -> Option<DVector<f64>> {
    let mut theta = DVector::zeros(table.parameters());
    for &(bot, strength) in &table.fixed {
        theta[bot] = strength;
    }
    for _ in 0..ROUNDS {
        let (gradient, hessian) = slope(table, &theta);
        let mut step = solve(hessian, &gradient)?;
        let longest = step.amax();
        if longest > LONGEST_STEP {
            step *= LONGEST_STEP / longest;
        }
        theta += step;
        if longest < PRECISION {
            break;
        }
    }
    let (gradient, _) = slope(table, &theta);
    let games: f64 = table
        .totals
        .iter()
        .map(|pairing| pairing.games as f64)
        .sum();
    (gradient.amax() <= FLAT * games.max(1.0)).then_some(theta)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::super::table::{Comparison, Unit};
    use super::*;

    fn table(results: &[(usize, usize, [u64; 3])], bots: usize, first_advantage: bool) -> Table {
        let units = results.iter().flat_map(|&(first, second, counts)| {
            [Ordering::Less, Ordering::Equal, Ordering::Greater]
                .into_iter()
                .zip(counts)
                .map(move |(outcome, weight)| Unit {
                    comparisons: vec![Comparison {
                        first,
                        second,
                        outcome,
                    }],
                    weight,
                })
        });
        Table::new(bots, units, first_advantage)
    }

    /// The logarithm of the likelihood by the formula, half a win and half a loss for a draw.
    fn log_likelihood(table: &Table, theta: &DVector<f64>) -> f64 {
        let chance = |log_odds: f64| (1.0 / (1.0 + (-log_odds).exp())).ln();
        let advantage = theta.get(table.bots).copied().unwrap_or_default();
        let of_bout = |pairing: &Pairing| {
            let log_odds = theta[pairing.first] - theta[pairing.second] + advantage;
            let lost = 2 * pairing.games - pairing.half_points;
            f64::midpoint(
                pairing.half_points as f64 * chance(log_odds),
                lost as f64 * chance(-log_odds),
            )
        };
        let of_prior = |&theta: &f64| table.prior * (chance(theta) + chance(-theta)) / 2.0;
        table.totals.iter().map(of_bout).sum::<f64>()
            + theta.iter().take(table.bots).map(of_prior).sum::<f64>()
    }

    #[test]
    fn no_other_ratings_are_more_likely() {
        let linked = [
            (0, 1, [9, 4, 20]),
            (1, 0, [12, 2, 7]),
            (1, 2, [3, 1, 30]),
            (2, 0, [40, 0, 1]),
            (2, 1, [5, 5, 9]),
        ];
        let islands = [(0, 1, [0, 0, 9]), (2, 3, [3, 1, 2]), (3, 2, [1, 0, 3])];
        for (results, bots, prior) in [(&linked[..], 3, 0.0), (&islands[..], 4, 1.0)] {
            for first_advantage in [false, true] {
                for fixed in [Vec::new(), vec![(0, 0.5), (2, -0.5)]] {
                    let table = Table {
                        prior,
                        fixed,
                        ..table(results, bots, first_advantage)
                    };
                    let theta = fit(&table).unwrap();
                    let most = log_likelihood(&table, &theta);
                    let is_free = |at: &usize| table.fixed.iter().all(|(bot, _)| bot != at);
                    for (parameter, step) in (0..theta.len())
                        .filter(is_free)
                        .flat_map(|at| [(at, 1e-4), (at, -1e-4)])
                    {
                        let mut other = theta.clone();
                        other[parameter] += step;
                        assert!(
                            log_likelihood(&table, &other) < most,
                            "{theta} {parameter} {step}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn matrices_are_inverted_block_by_block() {
        for size in [1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let root = DMatrix::from_fn(size, size, |row, column| {
                ((row * 31 + column * 17) % 23) as f64 / 23.0
            });
            let matrix = &root * root.transpose() / size as f64 + DMatrix::identity(size, size);
            let product = inverse(&matrix).unwrap() * &matrix;
            assert!(
                (product - DMatrix::identity(size, size)).amax() < 1e-9,
                "{size}"
            );
            let vector = DVector::from_fn(size, |row, _| row as f64);
            assert!(
                (&matrix * solve(matrix.clone(), &vector).unwrap() - vector).amax() < 1e-6,
                "{size}"
            );
        }
        assert_eq!(
            inverse(&-DMatrix::<f64>::identity(2 * BLOCK, 2 * BLOCK)),
            None
        );
    }

    #[test]
    fn a_ladder_of_lopsided_results_is_climbed() {
        let rungs: Vec<_> = (0..40)
            .map(|rung| (rung, rung + 1, [1, 0, 9_999]))
            .collect();
        let theta = fit(&table(&rungs, 41, false)).unwrap();
        assert!((theta[0] - theta[40] - 40.0 * 9_999_f64.ln()).abs() < 1e-6);
    }
}
