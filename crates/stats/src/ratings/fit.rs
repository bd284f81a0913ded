//! The most likely ratings.
//!
//! Newton's method from 0 takes 5 to 8 rounds. Should it not arrive, the slower method of minorization and
//! maximization (D. Hunter 2004) does.

use nalgebra::{DMatrix, DVector};

use super::super::logistic;
use super::table::{Bout, Table};

/// The largest step of a Newton round, in log-odds; a longer one is shortened.
const LONGEST_STEP: f64 = 2.0;
const NEWTON_ROUNDS: usize = 300;
const NEWTON_PRECISION: f64 = 1e-10;
const MM_ROUNDS: usize = 100_000;
const MM_PRECISION: f64 = 1e-8;
/// The largest gradient at the maximum, per game.
const FLAT: f64 = 1e-8;

/// The maximum.
#[derive(Debug)]
pub(super) struct Fitted {
    /// Strengths in log-odds, then the first player's advantage if it was fitted.
    pub(super) theta: DVector<f64>,
    /// Virtual draws per bot.
    pub(super) prior: f64,
    bots: usize,
}

impl Fitted {
    pub(super) fn strengths(&self) -> impl Iterator<Item = f64> {
        self.theta.iter().copied().take(self.bots)
    }

    pub(super) fn first_advantage(&self) -> Option<f64> {
        self.theta.get(self.bots).copied()
    }
}

/// What a bout adds at given strengths.
pub(super) struct Pull {
    /// Points of the first bot beyond the expected ones.
    pub(super) surplus: f64,
    /// Variance of those points, were all games decided and independent.
    pub(super) information: f64,
}

/// `None` if neither method arrives.
pub(super) fn fit(table: &Table, prior: f64) -> Option<Fitted> {
    let theta = newton(table, prior).or_else(|| minorize_maximize(table, prior))?;
    Some(Fitted { theta, prior, bots: table.bots })
}

pub(super) fn pull(bout: &Bout, theta: &DVector<f64>, table: &Table) -> Pull {
    let advantage = if table.first_advantage { theta[table.bots] } else { 0.0 };
    let log_odds = theta[bout.first] - theta[bout.second] + advantage;
    // Both chances from the log-odds: 1 - p would lose all digits of a small one.
    let (p, q) = (logistic(log_odds), logistic(-log_odds));
    let (points, lost) = (bout.half_points as f64 / 2.0, bout.half_points_against() as f64 / 2.0);
    Pull { surplus: points * q - lost * p, information: bout.games as f64 * p * q }
}

/// The parameters that a bout touches, with the signs of its pull on them.
pub(super) fn direction(bout: &Bout, table: &Table) -> impl Iterator<Item = (usize, f64)> + Clone {
    let advantage = table.first_advantage.then_some((table.bots, 1.0));
    [(bout.first, 1.0), (bout.second, -1.0)].into_iter().chain(advantage)
}

/// Gradient and negative second derivative of the log-likelihood.
fn slope(table: &Table, prior: f64, theta: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let size = table.parameters();
    let (mut gradient, mut hessian) = (DVector::zeros(size), DMatrix::zeros(size, size));
    for bout in &table.totals {
        let pull = pull(bout, theta, table);
        for (row, sign) in direction(bout, table) {
            gradient[row] += sign * pull.surplus;
            for (column, other) in direction(bout, table) {
                hessian[(row, column)] += sign * other * pull.information;
            }
        }
    }
    for bot in 0..table.bots {
        let (p, q) = (logistic(theta[bot]), logistic(-theta[bot]));
        gradient[bot] += prior * (q - p) / 2.0;
        hessian[(bot, bot)] += prior * p * q;
    }
    (gradient, hessian)
}

/// The inverse of the negative second derivative at the maximum; without virtual games, on the strengths whose sum
/// is 0. `None` if it has none in floating point.
pub(super) fn inverse_hessian(table: &Table, fitted: &Fitted) -> Option<DMatrix<f64>> {
    let (_, hessian) = slope(table, fitted.prior, &fitted.theta);
    let mut inverse = hold_level(hessian, table, fitted.prior).cholesky()?.inverse();
    if fitted.prior == 0.0 {
        // The direction that was added to the matrix: 1/n along (1..1)/n.
        let added = (table.bots as f64).powi(2).recip();
        inverse.view_mut((0, 0), (table.bots, table.bots)).add_scalar_mut(-added);
    }
    Some(inverse)
}

/// Without virtual games nothing holds the common level of all strengths: add 1 along it.
fn hold_level(mut hessian: DMatrix<f64>, table: &Table, prior: f64) -> DMatrix<f64> {
    if prior == 0.0 {
        hessian.view_mut((0, 0), (table.bots, table.bots)).add_scalar_mut(1.0);
    }
    hessian
}

fn newton(table: &Table, prior: f64) -> Option<DVector<f64>> {
    let mut theta = DVector::zeros(table.parameters());
    for _ in 0..NEWTON_ROUNDS {
        let (gradient, hessian) = slope(table, prior, &theta);
        let mut step = hold_level(hessian, table, prior).cholesky()?.solve(&gradient);
        let longest = step.amax();
        if longest > LONGEST_STEP {
            step *= LONGEST_STEP / longest;
        }
        theta += step;
        if longest < NEWTON_PRECISION {
            break;
        }
    }
    let (gradient, _) = slope(table, prior, &theta);
    (gradient.amax() <= FLAT * table.games().max(1.0)).then_some(theta)
}

/// Every strength becomes the one that would explain the points, were the expected ones in proportion to it.
fn minorize_maximize(table: &Table, prior: f64) -> Option<DVector<f64>> {
    let mut theta = DVector::zeros(table.parameters());
    (0..MM_ROUNDS).find_map(|_| {
        let mut step = strength_step(table, prior, &theta);
        theta += &step;
        if table.first_advantage {
            let advantage = advantage_step(table, &theta);
            theta[table.bots] += advantage;
            step[table.bots] = advantage;
        }
        (step.amax() < MM_PRECISION).then(|| theta.clone())
    })
}

fn strength_step(table: &Table, prior: f64, theta: &DVector<f64>) -> DVector<f64> {
    let mut scored = vec![prior / 2.0; table.bots];
    let mut expected: Vec<f64> = theta.iter().take(table.bots).map(|&theta| prior * logistic(theta)).collect();
    for bout in &table.totals {
        let (points, lost) = (bout.half_points as f64 / 2.0, bout.half_points_against() as f64 / 2.0);
        let surplus = pull(bout, theta, table).surplus;
        scored[bout.first] += points;
        scored[bout.second] += lost;
        expected[bout.first] += points - surplus;
        expected[bout.second] += lost + surplus;
    }
    let mut step = DVector::zeros(theta.len());
    for (step, (scored, expected)) in step.iter_mut().zip(scored.iter().zip(expected)).take(table.bots) {
        *step = if expected > 0.0 { (scored / expected).ln() } else { 0.0 };
    }
    if prior == 0.0 {
        let level = step.sum() / table.bots as f64;
        step.iter_mut().take(table.bots).for_each(|step| *step -= level);
    }
    step
}

fn advantage_step(table: &Table, theta: &DVector<f64>) -> f64 {
    let points: f64 = table.totals.iter().map(|bout| bout.half_points as f64 / 2.0).sum();
    let surplus: f64 = table.totals.iter().map(|bout| pull(bout, theta, table).surplus).sum();
    (points / (points - surplus)).ln()
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, Outcome, Unit};
    use super::*;

    fn table(results: &[(usize, usize, [u64; 3])], bots: usize, first_advantage: bool) -> Table {
        let units = results.iter().flat_map(|&(first, second, counts)| {
            [Outcome::Loss, Outcome::Draw, Outcome::Win]
                .into_iter()
                .zip(counts)
                .map(move |(outcome, weight)| Unit { comparisons: vec![Comparison { first, second, outcome }], weight })
        });
        Table::new(bots, &units.collect::<Vec<_>>(), first_advantage)
    }

    #[test]
    fn both_methods_find_the_same_maximum() {
        let linked =
            [(0, 1, [9, 4, 20]), (1, 0, [12, 2, 7]), (1, 2, [3, 1, 30]), (2, 0, [40, 0, 1]), (2, 1, [5, 5, 9])];
        let islands = [(0, 1, [0, 0, 9]), (2, 3, [3, 1, 2]), (3, 2, [1, 0, 3])];
        for (results, bots, prior) in [(&linked[..], 3, 0.0), (&islands[..], 4, 1.0)] {
            for first_advantage in [false, true] {
                let table = table(results, bots, first_advantage);
                let (one, two) = (newton(&table, prior).unwrap(), minorize_maximize(&table, prior).unwrap());
                assert!((&one - &two).amax() < 1e-6, "{one} {two}");
            }
        }
    }

    #[test]
    fn a_ladder_of_lopsided_results_is_climbed() {
        let rungs: Vec<_> = (0..40).map(|rung| (rung, rung + 1, [1, 0, 9_999])).collect();
        let theta = newton(&table(&rungs, 41, false), 0.0).unwrap();
        assert!((theta[0] - theta[40] - 40.0 * 9_999_f64.ln()).abs() < 1e-6);
    }
}
