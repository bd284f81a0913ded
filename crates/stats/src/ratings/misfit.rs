//! The test whether one rating per bot fits the results of every two bots.
//!
//! Ratings can't show that a beats b, b beats c and c beats a. They settle on a compromise, and
//! what every two bots scored against each other then differs from what their ratings say. This
//! test names the two whose difference is more than luck.
//!
//! Two bots i and j met in N units, in c games each on average. The ratings give i the expected
//! score p. In unit u, i has `e[u,k]` points beyond the expected ones, where k is the pair of bots.
//! The sum of these over all units is the residual `r_k`. The ratings were fitted to the same
//! units, and so each unit also moved what it is compared with. With the vector `x_k = e_i - e_j`:
//!
//! ```text
//! W = diag(c N p (1-p)),  A = X'WX + 11'/n,  M = 1 - W X A⁻¹ X'
//! V_k = (Σ_u (M e_u)_k² + M_kk² c² (p² + (1-p)²)) · N/(N+2) · N/(N-1)
//! z_k = r_k / √V_k
//! ```
//!
//! The residuals `M e_u` of a fit are those of the least squares with the weights W, and the sum of
//! their squares over units is the variance of White (1980). Two pseudo-units, one lost and one
//! won, keep it away from 0, as in the interval of a match ([`super::super::elo`]). Testing all
//! pairings takes Holm's step-down method (S. Holm 1979).
//!
//! M isn't needed as a matrix. With `g_u = X'e_u`, which has as many entries as the unit has bots,
//! and the scatter `S = Σ_u g_u g_u'`:
//!
//! ```text
//! Σ_u (M e_u)_k² = Σ_u e[u,k]² - 2 W_k x_k' A⁻¹ Σ_u e[u,k] g_u + W_k² x_k' A⁻¹ S A⁻¹ x_k
//! ```
//!
//! If the advantage of moving first was fitted, `W_k x_k` becomes the derivative of the expected
//! points by all parameters.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use nalgebra::DMatrix;
use statrs::function::erf::erfc;

use super::super::{C, logistic, score_to_elo};
use super::errors::{Covariance, product};
use super::table::{Comparison, Settings, Unit, unit_pairings};
use super::{Ratings, rate};

/// The chance that the test names any two bots if one rating per bot fits all results.
const LEVEL: f64 = 0.05;
/// The least misfit that matters, in Elo.
const LEAST: f64 = 20.0;
/// The least share of a residual that isn't fitted away. Below it the ratings follow the two bots
/// whatever they score, because nothing else links them.
const LEAST_FREE: f64 = 1e-6;
/// The correlation of residuals that say the same. In a cycle of three bots all three do.
const SAME: f64 = 0.999;

/// Two bots whose results against each other their ratings don't fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Misfit {
    /// Index of the bot that scored more than its rating says.
    pub bot: usize,
    /// Index of the other.
    pub other: usize,
    /// The score of `bot` against `other`, from 0 to 1.
    pub score: f64,
    /// The score that the ratings predict.
    pub expected: f64,
    /// How far the two are apart, in Elo; infinite if `bot` won everything.
    pub elo: f64,
}

/// Returns the pairings that these ratings of these units don't fit, at a level of 5% for all of
/// them together, if the misfit is at least 20 Elo. The first ones are those where the bot with
/// the lower rating scored more, then those with the largest misfit.
///
/// If no finite ratings exist, each group of bots that results link both ways is tested by itself,
/// with ratings of its own games and no virtual ones. These exist (L. Ford 1957), and the ratings
/// with virtual draws approach them as the draws become fewer: every result between groups is then
/// as expected, and pulls at no rating. So a misfit that remains comes from the games, not from the
/// virtual draws.
pub fn misfits(
    units: impl IntoIterator<Item = impl Borrow<Unit>>,
    ratings: &Ratings,
) -> Vec<Misfit> {
    let mut residuals = Vec::new();
    if let [bots] = &ratings.components[..] {
        residuals = of_group(units, ratings, bots);
    } else {
        for (bots, units) in ratings.components.iter().zip(groups(units, ratings)) {
            let place = |&(bot, elo): &(usize, f64)| Some((bots.binary_search(&bot).ok()?, elo));
            let settings = Settings {
                anchors: ratings.settings.anchors.iter().filter_map(place).collect(),
                ..ratings.settings.clone()
            };
            // Without a limit to the advantage of moving first there is nothing to compare with.
            if let Ok(own) = rate(bots.len(), &units, &settings) {
                residuals.extend(of_group(&units, &own, bots));
            }
        }
    }
    let mut found = rejected(&residuals);
    found.retain(|misfit| misfit.elo >= LEAST);
    found.sort_by_key(|misfit| {
        let is_upset = misfit.score > 0.5 && misfit.expected < 0.5 - 1e-6;
        // Rounded, so that no last digit decides between equals. The bits of numbers above 0 are
        // in their order.
        let size = (1e6 * misfit.elo).round().to_bits();
        (!is_upset, Reverse(size), misfit.bot, misfit.other)
    });
    found
}

/// Returns, for each group, its own comparisons, with bots numbered by their places in the group.
fn groups(units: impl IntoIterator<Item = impl Borrow<Unit>>, ratings: &Ratings) -> Vec<Vec<Unit>> {
    let mut places = vec![(0, 0); ratings.bots.len()];
    for (group, bots) in ratings.components.iter().enumerate() {
        for (place, &bot) in bots.iter().enumerate() {
            places[bot] = (group, place);
        }
    }
    let mut groups = vec![Vec::new(); ratings.components.len()];
    for unit in units {
        let unit = unit.borrow();
        let mut own: BTreeMap<usize, Vec<Comparison>> = BTreeMap::new();
        for mut met in unit.comparisons.iter().copied() {
            let ((group, first), (other, second)) = (places[met.first], places[met.second]);
            if group == other {
                (met.first, met.second) = (first, second);
                own.entry(group).or_default().push(met);
            }
        }
        for (group, comparisons) in own {
            groups[group].push(Unit {
                comparisons,
                weight: unit.weight,
            });
        }
    }
    groups
}

/// Returns the residuals of the pairings in a group of linked bots, rated by themselves.
fn of_group(
    units: impl IntoIterator<Item = impl Borrow<Unit>>,
    ratings: &Ratings,
    bots: &[usize],
) -> Vec<Residual> {
    let Some(errors) = &ratings.errors else {
        return Vec::new();
    };
    let first = ratings.first_advantage.map(|_| ratings.bots.len());
    let size = ratings.bots.len() + usize::from(first.is_some());
    let mut sums = Sums {
        ratings,
        errors,
        first,
        of: BTreeMap::new(),
        scatter: DMatrix::zeros(size, size),
    };
    for unit in units {
        sums.add(unit.borrow());
    }
    let mut residuals = sums.residuals();
    for residual in &mut residuals {
        residual.bots = residual.bots.map(|place| bots[place]);
    }
    unite(&mut residuals, errors);
    residuals
}

/// A vector over the parameters of a fit, as its entries that aren't 0.
type Sparse = Vec<(usize, f64)>;

/// Sums over units.
struct Sums<'r> {
    ratings: &'r Ratings,
    errors: &'r Covariance,
    /// The parameter of moving first, after those of the bots.
    first: Option<usize>,
    /// The two bots of each pairing, the lower index first.
    of: BTreeMap<[usize; 2], Sum>,
    /// S.
    scatter: DMatrix<f64>,
}

/// Sums of a pairing, from the side of the bot with the lower index.
#[derive(Default)]
struct Sum {
    /// N.
    units: f64,
    /// Half points and games, moving first and second.
    results: [[u64; 2]; 2],
    /// Σ e².
    squares: f64,
    /// Σ e x' A⁻¹ g.
    along: f64,
    /// Σ e a' A⁻¹ g, for the parameter a of moving first.
    along_first: f64,
}

/// Two bots and how their results differ from the expected ones.
struct Residual {
    bots: [usize; 2],
    /// The bots of the first residual that says the same.
    same: [usize; 2],
    score: f64,
    expected: f64,
    /// W.
    information: f64,
    /// `W x`.
    slope: Sparse,
    /// `M_kk`.
    free: f64,
    /// The probability of a larger z, with either sign.
    p: f64,
}

impl Sums<'_> {
    fn add(&mut self, unit: &Unit) {
        let (copies, weight) = (unit.weight, unit.weight as f64);
        let mut beyond: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        let mut pull: BTreeMap<usize, f64> = BTreeMap::new();
        for pairing in &unit_pairings(unit, self.first.is_some()) {
            let [surplus, _] = pairing.beyond(self.chances([pairing.first, pairing.second]));
            // The lower index first, and 0 or 1 if it moved first or second.
            let (key, sign, side) = match (pairing.first, pairing.second) {
                (first, second) if first < second => ([first, second], 1.0, 0),
                (first, second) => ([second, first], -1.0, 1),
            };
            *beyond.entry(key).or_default() += sign * surplus;
            *pull.entry(pairing.first).or_default() += surplus;
            *pull.entry(pairing.second).or_default() -= surplus;
            if let Some(first) = self.first {
                *pull.entry(first).or_default() += surplus;
            }
            let [half_points, games] = &mut self.of.entry(key).or_default().results[side];
            let won = [pairing.half_points, pairing.half_points_against()][side];
            *half_points = half_points.saturating_add(copies.saturating_mul(won));
            *games = games.saturating_add(copies.saturating_mul(pairing.games));
        }
        let pull: Sparse = pull.into_iter().collect();
        for &(row, one) in &pull {
            for &(column, other) in &pull {
                self.scatter[(row, column)] += weight * one * other;
            }
        }
        for (key @ [one, other], beyond) in beyond {
            let sum = self.of.entry(key).or_default();
            sum.units += weight;
            sum.squares += weight * beyond * beyond;
            sum.along += weight * beyond * self.errors.between(&[(one, 1.0), (other, -1.0)], &pull);
            if let Some(first) = self.first {
                sum.along_first += weight * beyond * self.errors.between(&[(first, 1.0)], &pull);
            }
        }
    }

    /// Returns the expected scores of the bot that moves first, and of the other.
    fn chances(&self, [first, second]: [usize; 2]) -> [f64; 2] {
        let bots = &self.ratings.bots;
        let advantage = self.ratings.first_advantage.map_or(0.0, |first| first.elo);
        let elo = bots[first].elo - bots[second].elo + advantage;
        [logistic(elo / C), logistic(-elo / C)]
    }

    fn residuals(&self) -> Vec<Residual> {
        let spread = self.errors.around(&self.scatter);
        self.of
            .iter()
            .filter(|(_, sum)| sum.units > 1.5)
            .map(|(bots, sum)| self.residual(*bots, sum, &spread))
            // Below this share, nothing but these results fixes what is expected.
            .filter(|residual| residual.free > LEAST_FREE)
            .collect()
    }

    fn residual(&self, bots: [usize; 2], sum: &Sum, spread: &DMatrix<f64>) -> Residual {
        let [one, other] = bots;
        let chances = [self.chances(bots)[0], self.chances([other, one])[1]];
        let games = sum.results.map(|[_, games]| games as f64);
        let [moving_first, second] =
            [0, 1].map(|side| games[side] * chances[side] * (1.0 - chances[side]));
        let all = games[0] + games[1];
        let information = moving_first + second;
        let mut slope = vec![(one, information), (other, -information)];
        let tilt = moving_first - second;
        slope.extend(self.first.map(|first| (first, tilt)));
        let free = 1.0 - self.errors.between(&slope, &slope) / information;
        let half_points = sum.results[0][0] as f64 + sum.results[1][0] as f64;
        let score = half_points / (2.0 * all);
        let expected = (games[0] * chances[0] + games[1] * chances[1]) / all;
        let (n, c) = (sum.units, all / sum.units);
        let squares = sum.squares - 2.0 * (information * sum.along + tilt * sum.along_first)
            + product(&slope, spread, &slope);
        let pseudo = (free * c).powi(2) * (expected.powi(2) + (1.0 - expected).powi(2));
        let variance = (squares.max(0.0) + pseudo) * n / (n + 2.0) * n / (n - 1.0);
        let z = (half_points / 2.0 - all * expected) / variance.sqrt();
        Residual {
            bots,
            same: bots,
            score,
            expected,
            information,
            slope,
            free,
            p: erfc(z.abs() / std::f64::consts::SQRT_2),
        }
    }
}

impl Residual {
    fn misfit(&self) -> Misfit {
        let [one, other] = self.bots;
        let (score, expected) = (self.score, self.expected);
        let elo = (score_to_elo(score) - score_to_elo(expected)).abs();
        let (bot, other, score, expected) = if score > expected {
            (one, other, score, expected)
        } else {
            (other, one, 1.0 - score, 1.0 - expected)
        };
        Misfit {
            bot,
            other,
            score,
            expected,
            elo,
        }
    }
}

/// Returns the residuals that luck doesn't explain, by Holm's method. Residuals that say the same
/// count as one, the one with the largest p, and are rejected together.
fn rejected(residuals: &[Residual]) -> Vec<Misfit> {
    let mut largest: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    for residual in residuals {
        let p = largest.entry(residual.same).or_insert(residual.p);
        *p = p.max(residual.p);
    }
    let mut by_p: Vec<([usize; 2], f64)> = largest.into_iter().collect();
    by_p.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let is_luck = |place: &usize| by_p[*place].1 > LEVEL / (by_p.len() - place) as f64;
    let least = (0..by_p.len()).find(is_luck).unwrap_or(by_p.len());
    let rejected: BTreeSet<[usize; 2]> = by_p[..least].iter().map(|(same, _)| *same).collect();
    residuals
        .iter()
        .filter(|residual| rejected.contains(&residual.same))
        .map(Residual::misfit)
        .collect()
}

/// Sets, for each residual, the bots of the first one that says the same.
///
/// For the correlation ρ of two residuals, `M_kk + M_ll` is at most 2 - ρ² or so, because M is a
/// projection. As few M are below one half, this leaves few to compare.
fn unite(residuals: &mut [Residual], errors: &Covariance) {
    let most = 1.0 + 2.0 * (1.0 - SAME);
    let mut first: Vec<usize> = (0..residuals.len()).collect();
    let mut by_free = first.clone();
    by_free.sort_by(|&one, &other| residuals[one].free.total_cmp(&residuals[other].free));
    for (place, &at) in by_free.iter().enumerate() {
        let one = &residuals[at];
        for &next in &by_free[place + 1..] {
            let other = &residuals[next];
            if one.free + other.free > most {
                break;
            }
            let shared = errors.between(&one.slope, &other.slope);
            let alone = (one.information * one.free * other.information * other.free).sqrt();
            if shared.abs() > SAME * alone {
                let least = first[at].min(first[next]);
                first[at] = least;
                first[next] = least;
            }
        }
    }
    for (at, first) in first.into_iter().enumerate() {
        residuals[at].same = residuals[first].bots;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DVector;

    use super::*;

    /// Units of up to three comparisons of five bots, most with copies.
    fn units(count: usize) -> Vec<Unit> {
        let mut state = 1_u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from((state >> 33) % limit).unwrap()
        };
        let mut unit = || {
            let comparisons = 1 + below(3);
            let mut comparison = || {
                let first = below(5);
                Comparison {
                    first,
                    second: (first + 1 + below(4)) % 5,
                    outcome: below(3).cmp(&1),
                }
            };
            Unit {
                comparisons: (0..comparisons).map(|_| comparison()).collect(),
                weight: 1 + below(4) as u64,
            }
        };
        (0..count).map(|_| unit()).collect()
    }

    fn chance(ratings: &Ratings, [one, other]: [usize; 2]) -> f64 {
        logistic((ratings.bots[one].elo - ratings.bots[other].elo) / C)
    }

    /// The points of the first bot of a pairing beyond the expected ones in a unit, and their
    /// games.
    fn beyond(unit: &Unit, pair: [usize; 2], ratings: &Ratings) -> [f64; 2] {
        let mut sums = [0.0, 0.0];
        for played in &unit.comparisons {
            let won = f64::from(played.outcome as i8) / 2.0 + 0.5;
            let side = [played.first, played.second];
            let points = if side == pair {
                won
            } else if side == [pair[1], pair[0]] {
                1.0 - won
            } else {
                continue;
            };
            sums[0] += points - chance(ratings, pair);
            sums[1] += 1.0;
        }
        sums
    }

    /// The probabilities by the formula, with M as a matrix.
    fn by_formula(units: &[Unit], ratings: &Ratings) -> Vec<f64> {
        let bots = ratings.bots.len();
        let pairs: Vec<[usize; 2]> = (0..bots)
            .flat_map(|one| (one + 1..bots).map(move |other| [one, other]))
            .collect();
        let met: Vec<Vec<[f64; 2]>> = pairs
            .iter()
            .map(|&pair| {
                units
                    .iter()
                    .map(|unit| beyond(unit, pair, ratings))
                    .collect()
            })
            .collect();
        let weights: Vec<f64> = units.iter().map(|unit| unit.weight as f64).collect();
        let sum = |pair: usize, of: &dyn Fn([f64; 2]) -> f64| -> f64 {
            let values = met[pair].iter().zip(&weights);
            values.map(|(&sums, weight)| weight * of(sums)).sum()
        };
        let information = DVector::from_fn(pairs.len(), |pair, _| {
            let chance = chance(ratings, pairs[pair]);
            sum(pair, &|[_, games]| games) * chance * (1.0 - chance)
        });
        let design = DMatrix::from_fn(pairs.len(), bots, |pair, bot| {
            f64::from(i8::from(pairs[pair][0] == bot) - i8::from(pairs[pair][1] == bot))
        });
        let weighted = DMatrix::from_diagonal(&information) * &design;
        let level = DMatrix::from_element(bots, bots, 1.0 / bots as f64);
        let inverse = (design.transpose() * &weighted + level).try_inverse();
        let left = DMatrix::identity(pairs.len(), pairs.len())
            - weighted * inverse.unwrap() * design.transpose();
        let p = |pair: usize| {
            let units = sum(pair, &|[_, games]| games.min(1.0));
            let per_unit = sum(pair, &|[_, games]| games) / units;
            let of_unit = |(unit, weight): (usize, &f64)| {
                let all = DVector::from_fn(pairs.len(), |pair, _| met[pair][unit][0]);
                weight * (&left * all)[pair].powi(2)
            };
            let squares: f64 = weights.iter().enumerate().map(of_unit).sum();
            let chance = chance(ratings, pairs[pair]);
            let pseudo = chance.powi(2) + (1.0 - chance).powi(2);
            let squares = squares + (left[(pair, pair)] * per_unit).powi(2) * pseudo;
            let variance = squares * units / (units + 2.0) * units / (units - 1.0);
            let z = sum(pair, &|[beyond, _]| beyond) / variance.sqrt();
            erfc(z.abs() / std::f64::consts::SQRT_2)
        };
        (0..pairs.len()).map(p).collect()
    }

    #[test]
    fn residuals_are_those_of_the_formula() {
        let units = units(200);
        for anchors in [vec![], vec![(2, 1500.0)]] {
            let settings = Settings {
                anchors,
                ..Settings::new(1)
            };
            let ratings = rate(5, &units, &settings).unwrap();
            let residuals = of_group(&units, &ratings, &[0, 1, 2, 3, 4]);
            let expected = by_formula(&units, &ratings);
            assert_eq!(residuals.len(), expected.len());
            for (residual, expected) in residuals.iter().zip(expected) {
                let off = (residual.p - expected).abs();
                assert!(off < 1e-7, "{:?}: {} {expected}", residual.bots, residual.p);
            }
        }
    }
}
