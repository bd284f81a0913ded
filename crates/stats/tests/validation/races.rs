//! Races of variants against a common baseline, on common seeds.

use arena_stats::Z95;
use arena_stats::race::{End, Race, Rules};

use super::matches::{PAIR_B, Played};
use super::random::{Random, mean, share, simulate};

pub(crate) const ALPHA: f64 = 0.05;
const BLOCK: usize = 16;
const MAX_UNITS: u64 = 1600;

/// Variants of known strength.
pub(crate) struct Variants {
    pub(crate) name: &'static str,
    pub(crate) elos: Vec<f64>,
}

/// What races of these variants came to.
pub(crate) struct Races {
    /// Of the variants that are as strong as any, those that were never dropped.
    pub(crate) best_survive: f64,
    pub(crate) leader_is_best: f64,
    pub(crate) leader_within_10: f64,
    /// Units, as a share of those of a full grid.
    pub(crate) used: f64,
    /// Races that ended with one variant.
    pub(crate) alone: f64,
}

struct Raced {
    survivors: Vec<usize>,
    leader: usize,
    units: u64,
    end: End,
}

pub(crate) fn all_variants() -> Vec<Variants> {
    let ladder = (0..8).map(|step| 40.0 - 10.0 * f64::from(step)).collect();
    let one_ahead = [vec![40.0], vec![0.0; 7]].concat();
    let clear_cut = [vec![60.0], vec![0.0; 10], vec![-60.0; 5]].concat();
    vec![
        Variants { name: "40 and 7 x 0", elos: one_ahead },
        Variants { name: "40, 30, .., -30", elos: ladder },
        Variants { name: "8 equal", elos: vec![0.0; 8] },
        Variants { name: "60, 10 x 0, 5 x -60", elos: clear_cut },
    ]
}

impl Variants {
    /// Races in which two variants see the same luck in a unit with a chance of `common`.
    pub(crate) fn races(&self, common: f64, runs: usize) -> Races {
        let rules = Rules { alpha: Some(ALPHA), block: BLOCK as u64, max_units: MAX_UNITS, indifference: None };
        let played = self.played();
        self.judged(&simulate(runs, 86, |random| race(rules, &played, common, random)))
    }

    /// The same where a variant is dropped as soon as it is 1.96 standard errors behind the leader: a rule that looks
    /// a hundred times and must be seen to lose the best.
    pub(crate) fn races_by_standard_errors(&self, common: f64, runs: usize) -> Races {
        let played = self.played();
        self.judged(&simulate(runs, 86, |random| race_by_standard_errors(&played, common, random)))
    }

    fn played(&self) -> Vec<Played> {
        self.elos.iter().map(|&elo| PAIR_B.with_elo(elo)).collect()
    }

    fn judged(&self, races: &[Raced]) -> Races {
        let best = self.elos.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let behind = |variant: usize| best - self.elos[variant];
        let all_best: Vec<usize> = (0..self.elos.len()).filter(|&variant| behind(variant) < 1.0).collect();
        let grid = (MAX_UNITS as usize * self.elos.len()) as f64;
        Races {
            best_survive: mean(races, |race| share(&all_best, |variant| race.survivors.contains(variant))),
            leader_is_best: share(races, |race| behind(race.leader) < 1.0),
            leader_within_10: share(races, |race| behind(race.leader) < 10.5),
            used: mean(races, |race| race.units as f64 / grid),
            alone: share(races, |race| race.end == End::One),
        }
    }
}

/// A block of every variant that remains.
fn block(played: &[Played], living: &[usize], common: f64, random: &mut Random) -> Vec<Vec<u32>> {
    let mut scores = vec![Vec::with_capacity(BLOCK); living.len()];
    for _ in 0..BLOCK {
        let luck = random.uniform();
        for (scores, &variant) in scores.iter_mut().zip(living) {
            // Two variants share the luck if both take it.
            let own = random.uniform();
            let takes = random.uniform() < common.sqrt();
            scores.push(played[variant].score_at(if takes { luck } else { own }));
        }
    }
    scores
}

fn race(rules: Rules, played: &[Played], common: f64, random: &mut Random) -> Raced {
    let mut race = Race::new(rules, played.len(), 4, 2).unwrap();
    loop {
        race.add(&block(played, &race.living(), common, random)).unwrap();
        if let Some(end) = race.end() {
            let units = (0..played.len()).map(|variant| race.standing(variant).unwrap().elo.units).sum();
            return Raced { survivors: race.living(), leader: race.leader(), units, end };
        }
    }
}

fn race_by_standard_errors(played: &[Played], common: f64, random: &mut Random) -> Raced {
    let mut scores: Vec<Vec<f64>> = vec![Vec::new(); played.len()];
    let (mut living, mut units): (Vec<usize>, u64) = ((0..played.len()).collect(), 0);
    loop {
        let block = block(played, &living, common, random);
        for (&variant, block) in living.iter().zip(block) {
            units += block.len() as u64;
            scores[variant].extend(block.into_iter().map(|score| f64::from(score) / 4.0));
        }
        let total = |variant: usize| scores[variant].iter().sum::<f64>();
        let leader = living.iter().copied().max_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap();
        living.retain(|&variant| {
            let behind: Vec<f64> = scores[leader].iter().zip(&scores[variant]).map(|(a, b)| a - b).collect();
            let squares: f64 = behind.iter().map(|d| d * d).sum();
            behind.iter().sum::<f64>() <= Z95 * squares.sqrt()
        });
        let end = if living.len() == 1 { End::One } else { End::Units };
        if end == End::One || scores[leader].len() as u64 >= MAX_UNITS {
            return Raced { survivors: living, leader, units, end };
        }
    }
}
