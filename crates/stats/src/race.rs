//! A race of variants: all play the same units, and a variant that is significantly worse than the
//! leader is eliminated.
//!
//! After every block of units each variant is compared with the leader by the differences of their
//! scores, unit by unit, so that common effects (the luck of the seed, the opponent) cancel. It is
//! eliminated when the sum of the differences crosses a boundary that a variant as strong as the
//! leader crosses with a probability of alpha at most, however often you look: the normal mixture
//! of H. Robbins, with alpha divided among the variants. Such confidence has a price: equal
//! variants are hardly ever distinguished, and the result is a *set* of survivors.
//!
//! The leader's own Elo is too high on average, because part of its lead is luck (the winner's
//! curse): see [`luck_of_the_best`]. Only a test on fresh seeds confirms it.
//!
//! A race takes nothing but scores, block by block in the order of the schedule, so the stored rows
//! are enough to repeat it.

use std::f64::consts::PI;

use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;

use super::anytime::standard_errors;
use super::elo::{MatchElo, match_elo};
use super::scores::{Sums, UnitScores};
use super::sprt::betting::at_every_look_among;
use super::{C, StatsError, elo_of_odds, normal_cdf, score_to_elo};

/// The rules of a race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The highest probability that a variant as strong as the best is eliminated, at every block
    /// size. It holds for each such variant by itself. Divided by half of the number of other
    /// variants, it holds for all of them together.
    pub alpha: f64,
    /// Units between two looks.
    pub block: u64,
    /// The race ends after this many units, at the end of the block.
    pub max_units: u64,
    /// An indifference zone in Elo: the race also ends once all remaining variants are
    /// significantly closer to the leader.
    pub indifference: Option<f64>,
}

impl Rules {
    fn check(&self) -> Result<(), StatsError> {
        let (alpha, block, max_units) = (self.alpha, self.block, self.max_units);
        Err(StatsError(match self.indifference {
            _ if !(alpha > 0.0 && alpha < 1.0) => {
                format!("race with alpha = {alpha}: it must be above 0 and below 1")
            }
            _ if block == 0 || max_units == 0 => {
                format!("race over {max_units} units in blocks of {block}: both must be at least 1")
            }
            Some(elo) if !(elo > 0.0 && elo.is_finite()) => {
                format!("race with an indifference of {elo} Elo: it must be a number above 0")
            }
            _ => return Ok(()),
        }))
    }
}

/// The reason why a race is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum End {
    /// One variant is left.
    One,
    /// All remaining variants are within the indifference zone of the leader.
    Indifferent,
    /// All units were played.
    Units,
}

/// The result of one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Its result against the baseline or the panel, over all units that it played.
    pub elo: MatchElo,
    /// Both ends of its 95% interval. The intervals of all variants hold together and at every
    /// look, so that of the best one holds as well.
    pub ends: [f64; 2],
    /// The number of units that it had played when it was dropped.
    pub dropped_after: Option<u64>,
    /// Its distance to the leader on the same seeds. A variant that was dropped keeps the distance
    /// to the leader of that time. `None` for the leader, and if the distance isn't a number.
    pub lag: Option<Lag>,
}

/// A race in progress. The variants are numbered from 0.
#[derive(Debug, Clone)]
pub struct Race {
    rules: Rules,
    games_per_unit: u32,
    variants: Vec<Variant>,
    /// Sums of the products of the scores of any two variants, row by row, in parts of a full score
    /// squared.
    products: Vec<u128>,
    units: u64,
}

#[derive(Debug, Clone)]
struct Variant {
    scores: UnitScores,
    dropped_after: Option<u64>,
    /// Its distance to the leader when it was dropped.
    lag: Option<Lag>,
}

impl Race {
    /// Returns a race whose units have `games_per_unit` games and score whole parts of
    /// `denominator`.
    ///
    /// # Errors
    /// Rules that make no sense, or no variants.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(
        rules: Rules,
        variants: usize,
        denominator: u32,
        games_per_unit: u32,
    ) -> Result<Self, StatsError> {
        rules.check()?;
        if variants == 0 {
            return Err(StatsError("race without variants".to_owned()));
        }
        let state = Variant {
            scores: UnitScores::new(denominator),
            dropped_after: None,
            lag: None,
        };
        Ok(Self {
            rules,
            games_per_unit,
            variants: vec![state; variants],
            products: vec![0; variants * variants],
            units: 0,
        })
    }

    /// Returns the remaining variants, in order. At the end these are the survivors, a set: unless
    /// there is only one, the best of them is unknown.
    pub fn remaining(&self) -> Vec<usize> {
        let is_left = |variant: &usize| self.variants[*variant].dropped_after.is_none();
        (0..self.variants.len()).filter(is_left).collect()
    }

    /// Returns the number of units that each remaining variant has played.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Returns the remaining variant with the highest score, the first of several.
    pub fn leader(&self) -> usize {
        // `max_by_key` takes the last of several equal ones.
        self.remaining()
            .into_iter()
            .rev()
            .max_by_key(|&variant| self.variants[variant].scores.sums().points)
            .unwrap_or_default()
    }

    /// Returns why the race is over, if it is.
    pub fn end(&self) -> Option<End> {
        if self.remaining().len() == 1 {
            Some(End::One)
        } else if self.is_indifferent() {
            Some(End::Indifferent)
        } else {
            (self.units >= self.rules.max_units).then_some(End::Units)
        }
    }

    /// Counts one block: for each remaining variant, in the order of [`Race::remaining`], the
    /// scores of its units in the order of their seeds, in parts of a full score. Returns the
    /// variants that this drops. All of them have played [`Race::units`] units.
    ///
    /// # Errors
    /// [`StatsError`]. Nothing is counted then.
    pub fn add(&mut self, block: &[Vec<u32>]) -> Result<Vec<usize>, StatsError> {
        let remaining = self.remaining();
        let is_partial = |units: &Vec<u32>| units.len() as u64 != self.rules.block;
        let is_other = remaining.len() != block.len() || block.iter().any(is_partial);
        if self.end().is_some() || is_other {
            return Err(StatsError(
                "count scores that are not the next block of every remaining variant".to_owned(),
            ));
        }
        let mut variants = self.variants.clone();
        for (at, &variant) in remaining.iter().enumerate() {
            for &score in &block[at] {
                variants[variant].scores.add(score, 1)?;
            }
        }
        self.variants = variants;
        for (at, &variant) in remaining.iter().enumerate() {
            for (other_at, &other) in remaining.iter().enumerate() {
                let product = &mut self.products[variant * self.variants.len() + other];
                for (&one, &two) in block[at].iter().zip(&block[other_at]) {
                    *product += u128::from(one) * u128::from(two);
                }
            }
        }
        self.units += self.rules.block;
        Ok(self.eliminate(&remaining))
    }

    /// Returns the scores of the units of a variant.
    ///
    /// # Panics
    /// If there is no variant with this number.
    pub fn scores(&self, variant: usize) -> &UnitScores {
        &self.variants[variant].scores
    }

    /// Returns the result of a variant; `None` before the first block.
    ///
    /// # Panics
    /// If there is no variant with this number.
    pub fn standing(&self, variant: usize) -> Option<Standing> {
        let state = &self.variants[variant];
        let elo = match_elo(&state.scores, self.games_per_unit)?;
        let leader = self.leader();
        let lag = if variant != leader && state.dropped_after.is_none() {
            let pair = self.pair(leader, variant);
            pair.lag(leader, self.boundary(&pair))
        } else {
            state.lag
        };
        Some(Standing {
            elo,
            ends: at_every_look_among(&state.scores, self.variants.len()),
            dropped_after: state.dropped_after,
            lag,
        })
    }

    fn eliminate(&mut self, remaining: &[usize]) -> Vec<usize> {
        let leader = self.leader();
        let mut dropped = Vec::new();
        for &variant in remaining {
            let pair = self.pair(leader, variant);
            let boundary = self.boundary(&pair);
            if variant != leader && pair.difference() > boundary {
                let state = &mut self.variants[variant];
                state.dropped_after = Some(self.units);
                state.lag = pair.lag(leader, boundary);
                dropped.push(variant);
            }
        }
        dropped
    }

    fn is_indifferent(&self) -> bool {
        let Some(elo) = self.rules.indifference else {
            return false;
        };
        let leader = self.leader();
        let is_near = |&variant: &usize| {
            let pair = self.pair(leader, variant);
            variant == leader
                || pair.elo_if_ahead_by(pair.difference() + self.boundary(&pair)) <= elo
        };
        self.units > 0 && self.remaining().iter().all(is_near)
    }

    /// Returns the boundary for the sum of the differences of a pair. It is tightest after half of
    /// the most units.
    fn boundary(&self, pair: &Pair) -> f64 {
        let (units, tightest) = (pair.units(), self.rules.max_units.div_ceil(2) as f64);
        let alpha = self.rules.alpha / self.variants.len() as f64;
        standard_errors(units, tightest, alpha) * (units * pair.variance()).sqrt()
    }

    fn pair(&self, leader: usize, variant: usize) -> Pair {
        Pair {
            sums: [leader, variant].map(|variant| self.variants[variant].scores.sums()),
            products: self.products[leader * self.variants.len() + variant],
        }
    }
}

/// The distance of a variant to the leader, from the differences of their scores on the same seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lag {
    /// The leader.
    pub leader: usize,
    /// Elo of the variant less that of the leader: not above 0.
    pub elo: f64,
    /// Lower end of the interval that the race uses, valid at every look: the probability that it
    /// ever misses the truth of a variant is alpha at most.
    pub lo: f64,
    /// Upper end, below 0 exactly if the variant is eliminated.
    pub hi: f64,
}

/// A leader and another variant over the units that both played. The sum of the products of their
/// scores is in parts of a full score squared.
struct Pair {
    sums: [Sums; 2],
    products: u128,
}

impl Pair {
    fn units(&self) -> f64 {
        self.sums[0].units as f64
    }

    /// The lead of the leader in full scores.
    fn difference(&self) -> f64 {
        self.sums[0].points.saturating_sub(self.sums[1].points) as f64 / self.full()
    }

    /// The variance of the difference of a unit. Half a unit keeps it away from 0.
    fn variance(&self) -> f64 {
        let [first, second] = self
            .sums
            .map(|sums| sums.scatter() / (self.full() * self.full()));
        let scatter = (first - 2.0 * self.common_scatter() + second).max(0.0);
        (scatter / self.units() + 0.5) / (self.units() + 1.0)
    }

    /// The covariance of the two scores times the units squared. It is a whole number up to the
    /// last step, so that variants that score alike have no difference at all.
    fn common_scatter(&self) -> f64 {
        let [first, second] = self.sums;
        let products = u128::from(first.units) * self.products;
        let scatter = products.cast_signed() - (first.points * second.points).cast_signed();
        scatter as f64 / (self.full() * self.full())
    }

    /// Returns the lead of the leader in Elo if it is ahead by this many full scores.
    fn elo_if_ahead_by(&self, scores: f64) -> f64 {
        let leader = self.sums[0].mean();
        let other = (leader - scores / self.units()).max(0.0);
        score_to_elo(leader) - score_to_elo(other)
    }

    /// Returns the difference in Elo, with an interval of `boundary` full scores to either side.
    fn lag(&self, leader: usize, boundary: f64) -> Option<Lag> {
        let [first, second] = self.sums.map(|sums| elo_of_odds(sums.won(), sums.lost()));
        let (elo, ahead) = (second - first, self.difference());
        if !elo.is_finite() {
            return None;
        }
        // The error is in proportion to the difference, so that the interval excludes 0 exactly if
        // the difference is beyond the boundary. Without a difference, a point of score is worth C
        // / (s (1 - s)) Elo at a score of s, here with two pseudo-units.
        let score = (self.sums[0].won() / self.full() + 1.0) / (self.units() + 2.0);
        let per_score = if ahead > 0.0 {
            -elo / ahead
        } else {
            C / (score * (1.0 - score)) / self.units()
        };
        let error = boundary * per_score;
        Some(Lag {
            leader,
            elo,
            lo: elo - error,
            hi: elo + error,
        })
    }

    fn full(&self) -> f64 {
        f64::from(self.sums[0].full)
    }
}

/// Returns by how many standard errors the best of several *equal* variants looks better than it
/// is, on average: the winner's curse.
pub fn luck_of_the_best(variants: usize) -> f64 {
    // The mean of the largest of several normal numbers, by the trapezium rule, which is exact to
    // rounding here.
    const STEP: f64 = 0.05;
    let power = i32::try_from(variants.max(1) - 1).unwrap_or(i32::MAX);
    let mut sum = 0.0;
    for step in -200..=200 {
        let x = f64::from(step) * STEP;
        sum += x * ((-x * x / 2.0).exp() / (2.0 * PI).sqrt() * normal_cdf(x).powi(power));
    }
    variants.max(1) as f64 * STEP * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(block: u64, max_units: u64) -> Rules {
        Rules {
            alpha: 0.05,
            block,
            max_units,
            indifference: None,
        }
    }

    fn race(variants: usize, block: u64, max_units: u64) -> Race {
        Race::new(rules(block, max_units), variants, 4, 2).unwrap()
    }

    fn refused<T: std::fmt::Debug>(result: Result<T, StatsError>) -> String {
        result.unwrap_err().to_string()
    }

    /// Two variants: one won every unit and the other lost it, so v' = 1/2 / (n + 1).
    #[test]
    fn the_boundary_is_the_one_of_the_formula() {
        let mut race = race(2, 4, 1600);
        assert_eq!(
            race.add(&[vec![4; 4], vec![0; 4]]),
            Ok(Vec::new()),
            "four units are too few"
        );
        let pair = race.pair(0, 1);
        assert!((pair.variance() - 0.1).abs() < 1e-15 && (pair.difference() - 4.0).abs() < 1e-15);
        let l = 40.0_f64.ln();
        let r = 800.0 * 0.1 / (2.0 * l + (1.0 + 2.0 * l).ln());
        let boundary = ((0.4 + r) * (2.0 * l + ((0.4 + r) / r).ln())).sqrt();
        assert!(
            (race.boundary(&pair) - boundary).abs() < 1e-12,
            "{boundary}"
        );
        assert_eq!(race.add(&[vec![4; 4], vec![0; 4]]), Ok(vec![1]));
        assert_eq!((race.units(), race.end()), (8, Some(End::One)));
    }

    #[test]
    fn a_variant_leaves_and_the_others_go_on() {
        let mut race = race(3, 8, 80);
        let (good, even, bad) = (
            vec![4, 2, 3, 2, 4, 1, 3, 2],
            vec![2, 3, 2, 4, 1, 3, 2, 4],
            vec![0; 8],
        );
        let mut dropped = race
            .add(&[good.clone(), bad.clone(), even.clone()])
            .unwrap();
        while dropped.is_empty() {
            dropped = race
                .add(&[good.clone(), bad.clone(), even.clone()])
                .unwrap();
        }
        let units = race.units();
        assert_eq!(
            (dropped, race.remaining(), race.leader(), race.end()),
            (vec![1], vec![0, 2], 0, None)
        );
        let not_a_block =
            "can't count scores that are not the next block of every remaining variant";
        let wrong = race.add(&[good.clone(), bad, even.clone()]);
        assert_eq!(
            refused(wrong),
            not_a_block,
            "one of three variants was dropped"
        );
        assert_eq!(refused(race.add(&[vec![4; 8], vec![4; 7]])), not_a_block);
        assert_eq!(
            refused(race.add(&[vec![5; 8], vec![4; 8]])),
            "can't count a score of 5/4: scores run from 0 to 1"
        );
        while race.end().is_none() {
            assert_eq!(race.add(&[good.clone(), even.clone()]), Ok(Vec::new()));
        }
        assert_eq!(
            (race.end(), race.units(), race.remaining()),
            (Some(End::Units), 80, vec![0, 2])
        );
        assert_eq!(refused(race.add(&[good, even])), not_a_block);
        let [first, second, third] = [0, 1, 2].map(|variant| race.standing(variant).unwrap());
        assert_eq!(
            (first.elo.units, second.elo.units, third.elo.units),
            (80, units, 80)
        );
        assert_eq!(
            [first, second, third].map(|standing| standing.dropped_after),
            [None, Some(units), None]
        );
        assert_eq!(
            (first.lag, third.lag.map(|lag| (lag.leader, lag.elo))),
            (None, Some((0, 0.0)))
        );
    }

    /// On common seeds a constant advantage shows at once, however much luck the seeds bring; the
    /// same scores in another order are two lots of luck.
    #[test]
    fn what_is_common_cancels() {
        let luck: Vec<u32> = (0..16).map(|unit| [0, 3, 1, 2][unit % 4]).collect();
        let ahead: Vec<u32> = luck.iter().map(|score| score + 1).collect();
        let mut apart = ahead.clone();
        apart.rotate_left(1);
        let until_dropped = |ahead: &Vec<u32>| {
            let mut race = race(2, 16, 1600);
            while race.end().is_none() {
                race.add(&[ahead.clone(), luck.clone()]).unwrap();
            }
            let dropped = race.standing(1).unwrap();
            (dropped.dropped_after.unwrap(), dropped.lag.unwrap())
        };
        let ((together, lag), (by_luck, other)) = (until_dropped(&ahead), until_dropped(&apart));
        assert!(2 * together < by_luck, "{together} {by_luck}");
        assert!(
            lag.hi < 0.0 && lag.hi - lag.lo < other.hi - other.lo,
            "{lag:?} {other:?}"
        );
    }

    #[test]
    fn nobody_cares_about_little() {
        let same = |indifference: Option<f64>| {
            let mut race = Race::new(
                Rules {
                    indifference,
                    ..rules(16, 16_000)
                },
                3,
                4,
                2,
            )
            .unwrap();
            assert_eq!(race.end(), None, "nothing is known before the first block");
            let block: Vec<u32> = (0..16).map(|unit| unit % 5).collect();
            while race.end().is_none() {
                assert_eq!(
                    race.add(&[block.clone(), block.clone(), block.clone()]),
                    Ok(Vec::new())
                );
            }
            (race.end(), race.units())
        };
        assert_eq!(same(None), (Some(End::Units), 16_000));
        let [near, nearer] = [10.0, 2.0].map(|elo| same(Some(elo)));
        assert!(
            near.0 == Some(End::Indifferent) && nearer.0 == near.0 && near.1 < nearer.1,
            "{near:?} {nearer:?}"
        );
    }

    #[test]
    fn impossible_rules_are_refused() {
        let new = |rules: Rules| Race::new(rules, 2, 4, 2);
        for alpha in [0.0, 1.0, f64::NAN] {
            let message = refused(new(Rules {
                alpha,
                ..rules(16, 100)
            }));
            assert_eq!(
                message,
                format!("can't race with alpha = {alpha}: it must be above 0 and below 1")
            );
        }
        for (block, units) in [(0, 100), (16, 0)] {
            let message = refused(new(rules(block, units)));
            assert_eq!(
                message,
                format!(
                    "can't race over {units} units in blocks of {block}: both must be at least 1"
                )
            );
        }
        for elo in [0.0, -1.0, f64::INFINITY] {
            let message = refused(new(Rules {
                indifference: Some(elo),
                ..rules(16, 100)
            }));
            assert_eq!(
                message,
                format!(
                    "can't race with an indifference of {elo} Elo: it must be a number above 0"
                )
            );
        }
        assert_eq!(
            refused(Race::new(rules(16, 100), 0, 4, 2)),
            "can't race without variants"
        );
    }

    #[test]
    fn the_best_is_lucky() {
        assert!(luck_of_the_best(1).abs() < 1e-12);
        // The larger of two normal numbers is 1 / sqrt(pi) on average.
        assert!((luck_of_the_best(2) - PI.sqrt().recip()).abs() < 1e-9);
        assert!((luck_of_the_best(8) - 1.4236).abs() < 1e-4);
    }
}
