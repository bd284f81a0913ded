//! A race of variants: all play the same units, and those that are significantly worse than the leader are eliminated.
//!
//! After every block of units each variant is compared with the leader by the differences of their scores, unit by unit,
//! so that what is common to both (the luck of the seed, the opponent) cancels. It is eliminated when the sum of the
//! differences crosses a boundary that a variant as good as the leader crosses with a chance of alpha at most, however
//! often one looks: the normal mixture of H. Robbins, with alpha divided among the variants. Confidence for ever
//! has a price: equal variants are hardly ever told apart, and what is left at the end is a *set*.
//!
//! The leader's own Elo is too high on average, because part of its lead is luck (the winner's curse): see
//! [`super::multiple::luck_of_the_best`]. Only a test on fresh seeds confirms it.
//!
//! A race knows nothing but scores, taken block by block in the order of the schedule. So it can be made again from the
//! stored rows alone.

use serde::Serialize;
use strum::Display;
use thiserror::Error;

use self::compare::Pair;
pub use self::compare::{Compared, GridVerdict, Lag, against_baseline};
use super::elo::{MatchElo, match_elo};
use super::scores::{ScoresError, UnitScores};

mod compare;

/// Why a race cannot be held.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum RulesError {
    /// The chance of error is no probability.
    #[error("race with alpha = {0}: it must be above 0 and below 1")]
    Alpha(f64),
    /// Nothing would be played between two looks, or at all.
    #[error("race over {max_units} units in blocks of {block}: both must be at least 1")]
    Units {
        /// The units of a block, as given.
        block: u64,
        /// The most units, as given.
        max_units: u64,
    },
    /// The zone of indifference is no distance.
    #[error("race with an indifference of {0} Elo: it must be a number above 0")]
    Indifference(f64),
}

/// How a race is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    alpha: f64,
    block: u64,
    max_units: u64,
    indifference: Option<f64>,
}

impl Rules {
    /// Looks after every `block` units, and ends after `max_units`, rounded up to whole blocks. A variant that is as good
    /// as any is dropped with a chance of `alpha` at most.
    ///
    /// # Errors
    /// [`RulesError`].
    pub fn new(alpha: f64, block: u64, max_units: u64) -> Result<Self, RulesError> {
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(RulesError::Alpha(alpha));
        }
        let wrong = RulesError::Units { block, max_units };
        if block == 0 || max_units == 0 {
            return Err(wrong);
        }
        let max_units = max_units.checked_next_multiple_of(block).ok_or(wrong)?;
        Ok(Self { alpha, block, max_units, indifference: None })
    }

    /// Ends the race, too, once all remaining variants are significantly within so many Elo of the leader: an indifference
    /// zone.
    ///
    /// # Errors
    /// [`RulesError::Indifference`].
    pub fn with_indifference(self, elo: f64) -> Result<Self, RulesError> {
        if elo > 0.0 && elo.is_finite() {
            Ok(Self { indifference: Some(elo), ..self })
        } else {
            Err(RulesError::Indifference(elo))
        }
    }

    /// The most units: a multiple of the block.
    #[must_use]
    pub fn max_units(&self) -> u64 {
        self.max_units
    }

    /// The boundary for the sum of the differences of `pair`, one of so many variants (Robbins; S. Howard et al. 2021).
    fn boundary(&self, pair: &Pair, variants: usize) -> f64 {
        let doubled = 2.0 * (variants as f64 / self.alpha).ln();
        let per_unit = pair.variance();
        let total = pair.units() * per_unit;
        // Tightest after half of the most units.
        let tuned = self.max_units.div_ceil(2) as f64 * per_unit / (doubled + doubled.ln_1p());
        ((total + tuned) * (doubled + (total / tuned).ln_1p())).sqrt()
    }
}

/// Why scores cannot be counted; nothing is counted then.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RaceError {
    /// Fewer than one variant.
    #[error("race without variants")]
    Empty,
    /// The race is over.
    #[error("count a block after the end of the race")]
    Ended,
    /// Not one list for every remaining variant.
    #[error("count a block of {found} variants: {living} are still in")]
    Variants {
        /// The remaining variants.
        living: usize,
        /// The lists given.
        found: usize,
    },
    /// Not the units of a block.
    #[error("count a block of {found} units: a block has {block}")]
    Units {
        /// The units of a block.
        block: u64,
        /// The units given.
        found: usize,
    },
    /// A score that cannot be.
    #[error(transparent)]
    Score(#[from] ScoresError),
}

/// Why a race is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
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

/// A variant that has left the race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropped {
    /// The units it had played by then.
    pub units: u64,
    /// How far behind the leader it was, if that is a number.
    pub lag: Option<Lag>,
}

/// What is known of one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Its result against the baseline or the panel, over all units that it played.
    pub elo: MatchElo,
    /// When it was dropped, if it was.
    pub dropped: Option<Dropped>,
    /// How far it is behind the leader, on the same seeds; for one that was dropped, the leader of that time. `None` for
    /// the leader, and where it is no number.
    pub lag: Option<Lag>,
}

/// A race under way. The variants are numbered from 0.
#[derive(Debug, Clone)]
pub struct Race {
    rules: Rules,
    games_per_unit: u32,
    rivals: Vec<Rival>,
    /// Sums of the products of the scores of any two variants, row by row, in parts of a full score squared.
    products: Vec<u128>,
    units: u64,
}

#[derive(Debug, Clone)]
struct Rival {
    scores: UnitScores,
    points: u128,
    dropped: Option<Dropped>,
}

impl Race {
    /// A race of so many variants, whose units have `games_per_unit` games and score whole parts of `denominator`.
    ///
    /// # Errors
    /// No variants, or a denominator of 0.
    pub fn new(rules: Rules, variants: usize, denominator: u32, games_per_unit: u32) -> Result<Self, RaceError> {
        if variants == 0 {
            return Err(RaceError::Empty);
        }
        let rival = Rival { scores: UnitScores::new(denominator)?, points: 0, dropped: None };
        let products = vec![0; variants * variants];
        Ok(Self { rules, games_per_unit, rivals: vec![rival; variants], products, units: 0 })
    }

    /// The remaining variants, in order. At the end these are the survivors: a set, of which none is known to
    /// be the best unless it is alone.
    #[must_use]
    pub fn living(&self) -> Vec<usize> {
        (0..self.rivals.len()).filter(|&variant| self.rivals[variant].dropped.is_none()).collect()
    }

    /// The units that each remaining variant has played.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units
    }

    /// The remaining variant with the highest score, the first of several.
    #[must_use]
    pub fn leader(&self) -> usize {
        let points = |&variant: &usize| self.rivals[variant].points;
        // The last of several equal ones is taken, so the first is last.
        self.living().into_iter().rev().max_by_key(points).unwrap_or_default()
    }

    /// Why the race is over, if it is.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        if self.living().len() == 1 {
            Some(End::One)
        } else if self.is_indifferent() {
            Some(End::Indifferent)
        } else {
            (self.units >= self.rules.max_units).then_some(End::Units)
        }
    }

    /// Counts one block: for each remaining variant, in the order of [`Race::living`], the scores of its units in
    /// the order of their seeds, in parts of a full score. Gives the variants that are dropped for it; all have played
    /// [`Race::units`] units.
    ///
    /// # Errors
    /// [`RaceError`]; nothing is counted then.
    pub fn add(&mut self, block: &[Vec<u32>]) -> Result<Vec<usize>, RaceError> {
        let living = self.living();
        self.check(&living, block)?;
        for (&variant, scores) in living.iter().zip(block) {
            let rival = &mut self.rivals[variant];
            for &score in scores {
                rival.scores.add(score, 1)?;
                rival.points += u128::from(score);
            }
            for (&other, others) in living.iter().zip(block) {
                let products = scores.iter().zip(others).map(|(&one, &two)| u128::from(one) * u128::from(two));
                self.products[variant * self.rivals.len() + other] += products.sum::<u128>();
            }
        }
        self.units += self.rules.block;
        Ok(self.eliminate(&living))
    }

    /// What is known of a variant; `None` before the first block.
    ///
    /// # Panics
    /// If there is no variant with this number.
    #[must_use]
    pub fn standing(&self, variant: usize) -> Option<Standing> {
        let rival = &self.rivals[variant];
        let elo = match_elo(&rival.scores, self.games_per_unit)?;
        let leader = self.leader();
        let lag = match rival.dropped {
            Some(dropped) => dropped.lag,
            None if variant == leader => None,
            None => self.pair(leader, variant).lag(leader),
        };
        Some(Standing { elo, dropped: rival.dropped, lag })
    }

    fn check(&self, living: &[usize], block: &[Vec<u32>]) -> Result<(), RaceError> {
        if self.end().is_some() {
            return Err(RaceError::Ended);
        }
        if living.len() != block.len() {
            return Err(RaceError::Variants { living: living.len(), found: block.len() });
        }
        for (&variant, scores) in living.iter().zip(block) {
            if scores.len() as u64 != self.rules.block {
                return Err(RaceError::Units { block: self.rules.block, found: scores.len() });
            }
            let mut counted = self.rivals[variant].scores.clone();
            scores.iter().try_for_each(|&score| counted.add(score, 1))?;
        }
        Ok(())
    }

    fn eliminate(&mut self, living: &[usize]) -> Vec<usize> {
        let leader = self.leader();
        let (units, mut dropped) = (self.units, Vec::new());
        for &variant in living.iter().filter(|&&variant| variant != leader) {
            let pair = self.pair(leader, variant);
            if pair.difference() > self.rules.boundary(&pair, self.rivals.len()) {
                self.rivals[variant].dropped = Some(Dropped { units, lag: pair.lag(leader) });
                dropped.push(variant);
            }
        }
        dropped
    }

    fn is_indifferent(&self) -> bool {
        let Some(elo) = self.rules.indifference.filter(|_| self.units > 0) else { return false };
        let leader = self.leader();
        let mut others = self.living().into_iter().filter(|&variant| variant != leader);
        others.all(|variant| {
            let pair = self.pair(leader, variant);
            pair.elo_if_ahead_by(pair.difference() + self.rules.boundary(&pair, self.rivals.len())) <= elo
        })
    }

    fn pair(&self, leader: usize, variant: usize) -> Pair {
        let product = |one: usize, two: usize| self.products[one * self.rivals.len() + two];
        Pair {
            units: self.units,
            full: self.rivals[variant].scores.denominator(),
            points: [leader, variant].map(|variant| self.rivals[variant].points),
            squares: [leader, variant].map(|variant| product(variant, variant)),
            products: product(leader, variant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(variants: usize, block: u64, max_units: u64) -> Race {
        Race::new(Rules::new(0.05, block, max_units).unwrap(), variants, 4, 2).unwrap()
    }

    /// Two variants of which one won every unit and the other lost it: v' = 1/2 / (n + 1).
    #[test]
    fn the_boundary_is_the_one_of_the_formula() {
        let mut race = race(2, 4, 1600);
        assert_eq!(race.add(&[vec![4; 4], vec![0; 4]]), Ok(Vec::new()), "four units are too few");
        let pair = race.pair(0, 1);
        assert!((pair.variance() - 0.1).abs() < 1e-15 && (pair.difference() - 4.0).abs() < 1e-15);
        let l = 40.0_f64.ln();
        let r = 800.0 * 0.1 / (2.0 * l + (1.0 + 2.0 * l).ln());
        let boundary = ((0.4 + r) * (2.0 * l + ((0.4 + r) / r).ln())).sqrt();
        assert!((race.rules.boundary(&pair, 2) - boundary).abs() < 1e-12, "{boundary}");
        assert_eq!(race.add(&[vec![4; 4], vec![0; 4]]), Ok(vec![1]));
        assert_eq!((race.units(), race.end()), (8, Some(End::One)));
    }

    #[test]
    fn a_variant_leaves_and_the_others_go_on() {
        let mut race = race(3, 8, 80);
        let (good, even, bad) = (vec![4, 2, 3, 2, 4, 1, 3, 2], vec![2, 3, 2, 4, 1, 3, 2, 4], vec![0; 8]);
        let mut dropped = race.add(&[good.clone(), bad.clone(), even.clone()]).unwrap();
        while dropped.is_empty() {
            dropped = race.add(&[good.clone(), bad.clone(), even.clone()]).unwrap();
        }
        let units = race.units();
        assert_eq!((dropped, race.living(), race.leader(), race.end()), (vec![1], vec![0, 2], 0, None));
        let wrong = race.add(&[good.clone(), bad, even.clone()]);
        assert_eq!(wrong, Err(RaceError::Variants { living: 2, found: 3 }));
        assert_eq!(race.add(&[vec![4; 8], vec![4; 7]]), Err(RaceError::Units { block: 8, found: 7 }));
        assert!(matches!(race.add(&[vec![5; 8], vec![4; 8]]), Err(RaceError::Score(_))));
        while race.end().is_none() {
            assert_eq!(race.add(&[good.clone(), even.clone()]), Ok(Vec::new()));
        }
        assert_eq!((race.end(), race.units(), race.living()), (Some(End::Units), 80, vec![0, 2]));
        assert_eq!(race.add(&[good, even]), Err(RaceError::Ended));
        let [first, second, third] = [0, 1, 2].map(|variant| race.standing(variant).unwrap());
        assert_eq!((first.elo.units, second.elo.units, third.elo.units), (80, units, 80));
        assert!(first.dropped.is_none() && third.dropped.is_none());
        assert_eq!(second.dropped.map(|dropped| dropped.units), Some(units));
        assert_eq!((first.lag, third.lag.map(|lag| (lag.leader, lag.elo))), (None, Some((0, 0.0))));
    }

    /// On common seeds a constant advantage shows at once, however much luck the seeds bring; the same scores in
    /// another order are two lots of luck.
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
            let dropped = race.standing(1).unwrap().dropped.unwrap();
            (dropped.units, dropped.lag.unwrap())
        };
        let ((together, lag), (by_luck, other)) = (until_dropped(&ahead), until_dropped(&apart));
        assert!(2 * together < by_luck, "{together} {by_luck}");
        assert!(lag.hi95 < 0.0 && lag.hi95 - lag.lo95 < other.hi95 - other.lo95, "{lag:?} {other:?}");
    }

    #[test]
    fn nobody_cares_about_little() {
        let rules = Rules::new(0.05, 16, 16_000).unwrap();
        let same = |rules: Rules| {
            let mut race = Race::new(rules, 3, 4, 2).unwrap();
            assert_eq!(race.end(), None, "nothing is known before the first block");
            let block: Vec<u32> = (0..16).map(|unit| unit % 5).collect();
            while race.end().is_none() {
                assert_eq!(race.add(&[block.clone(), block.clone(), block.clone()]), Ok(Vec::new()));
            }
            (race.end(), race.units())
        };
        assert_eq!(same(rules), (Some(End::Units), 16_000));
        let [near, nearer] = [10.0, 2.0].map(|elo| same(rules.with_indifference(elo).unwrap()));
        assert!(near.0 == Some(End::Indifferent) && nearer.0 == near.0 && near.1 < nearer.1, "{near:?} {nearer:?}");
    }

    #[test]
    fn impossible_rules_are_refused() {
        assert_eq!(Rules::new(0.05, 16, 100).map(|rules| rules.max_units()), Ok(112));
        assert!([0.0, 1.0, f64::NAN].into_iter().all(|alpha| Rules::new(alpha, 16, 100).is_err()));
        assert!(Rules::new(0.05, 0, 100).is_err() && Rules::new(0.05, 16, 0).is_err());
        assert!(Rules::new(0.05, 16, u64::MAX).is_err());
        let rules = Rules::new(0.05, 16, 100).unwrap();
        assert!([0.0, -1.0, f64::INFINITY].into_iter().all(|elo| rules.with_indifference(elo).is_err()));
        assert!(matches!(Race::new(rules, 0, 4, 2), Err(RaceError::Empty)));
        assert!(matches!(Race::new(rules, 2, 0, 2), Err(RaceError::Score(_))));
    }

    #[test]
    fn many_against_a_baseline() {
        let scores = [[10, 20, 60, 40, 30], [30, 40, 60, 20, 10], [20, 30, 60, 30, 20], [20, 30, 50, 35, 25]];
        let scores = scores.map(|counts| UnitScores::pentanomial(counts).unwrap());
        let compared = against_baseline(&scores, 2).unwrap();
        let verdicts: Vec<GridVerdict> = compared.iter().map(|variant| variant.verdict).collect();
        assert_eq!(verdicts, [GridVerdict::Stronger, GridVerdict::Weaker, GridVerdict::Open, GridVerdict::Open]);
        assert!((compared[0].adjusted - 4.0 * compared[0].p).abs() < 1e-12);
        assert_eq!(against_baseline(&[UnitScores::new(4).unwrap()], 2), None);
    }
}
