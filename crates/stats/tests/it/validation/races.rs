//! Races of variants against a common baseline, on common seeds.

use arena_stats::Z95;
use arena_stats::race::{End, Lag, Race, Rules, Standing};

use super::matches::{PAIR_B, Played};
use crate::random::{Random, mean, share, simulate};

pub(crate) const ALPHA: f64 = 0.05;
const BLOCK: usize = 16;
const MAX_UNITS: u64 = 1600;

/// Variants of known strength.
pub(crate) struct Variants {
    pub(crate) name: &'static str,
    pub(crate) elos: Vec<f64>,
}

/// The results of races of these variants.
pub(crate) struct Races {
    /// The share of the best variants that were never dropped.
    pub(crate) best_survive: f64,
    pub(crate) leader_is_best: f64,
    pub(crate) leader_within_10: f64,
    /// Units, as a share of those of a full grid.
    pub(crate) used: f64,
    /// Races that ended with one variant.
    pub(crate) alone: f64,
    /// Races that eliminated some variant that is as strong as any.
    pub(crate) some_best_dropped: f64,
    pub(crate) lags: Held,
    /// The coverage of intervals of 1.96 standard errors.
    pub(crate) lags_by_errors: Held,
}

/// The coverage of intervals to the leader at the end of races.
pub(crate) struct Held {
    /// The share of intervals that hold the truth.
    pub(crate) each: f64,
    /// The share of races whose intervals all hold it.
    pub(crate) all: f64,
    /// The share of races with an interval below 0 of a survivor as strong as the leader.
    pub(crate) equal_below: f64,
}

struct Raced {
    survivors: Vec<usize>,
    leader: usize,
    units: u64,
    end: End,
    /// Variants with their distance to the leader, and with how many standard errors it reaches to
    /// either side.
    lags: Vec<(usize, Lag, f64)>,
    /// Both intervals of the leader: that of all variants, and one for a single look at it alone.
    leader_ends: [[f64; 2]; 2],
}

pub(crate) fn all_variants() -> Vec<Variants> {
    let ladder = (0..8).map(|step| 40.0 - 10.0 * f64::from(step)).collect();
    let one_ahead = [vec![40.0], vec![0.0; 7]].concat();
    let clear_cut = [vec![60.0], vec![0.0; 10], vec![-60.0; 5]].concat();
    vec![
        Variants {
            name: "40 and 7 x 0",
            elos: one_ahead,
        },
        Variants {
            name: "40, 30, .., -30",
            elos: ladder,
        },
        equal(8),
        Variants {
            name: "60, 10 x 0, 5 x -60",
            elos: clear_cut,
        },
    ]
}

pub(crate) fn equal(variants: usize) -> Variants {
    Variants {
        name: if variants == 8 { "8 equal" } else { "16 equal" },
        elos: vec![0.0; variants],
    }
}

impl Variants {
    /// Plays races whose variants see the same luck in a unit with a chance of `common`.
    pub(crate) fn races(&self, common: f64, runs: usize) -> Races {
        self.races_with(ALPHA, BLOCK, common, runs)
    }

    /// Plays races whose alpha is for all of the best variants together.
    pub(crate) fn races_as_a_whole(&self, block: usize, runs: usize) -> Races {
        self.races_with(2.0 * ALPHA / (self.elos.len() - 1) as f64, block, 0.0, runs)
    }

    pub(crate) fn races_with(&self, alpha: f64, block: usize, common: f64, runs: usize) -> Races {
        let rules = Rules {
            alpha,
            block: block as u64,
            max_units: MAX_UNITS,
            indifference: None,
        };
        let played = self.played();
        self.judged(&simulate(runs, 86, |random| {
            race(rules, &played, common, random)
        }))
    }

    /// Races that drop a variant as soon as the leader is 1.96 standard errors ahead. This rule
    /// looks a hundred times, and tests must show that it loses the best.
    pub(crate) fn races_by_standard_errors(&self, common: f64, runs: usize) -> Races {
        let played = self.played();
        self.judged(&simulate(runs, 86, |random| {
            race_by_standard_errors(&played, common, random)
        }))
    }

    /// How often the interval of the leader misses 0 if all variants are equal: the one that holds
    /// for all of them, and one for a single look.
    pub(crate) fn leader_missed(&self, runs: usize) -> [f64; 2] {
        let rules = Rules {
            alpha: ALPHA,
            block: BLOCK as u64,
            max_units: MAX_UNITS,
            indifference: None,
        };
        let played = self.played();
        let races = simulate(runs, 87, |random| race(rules, &played, 0.0, random));
        [0, 1].map(|which| {
            share(&races, |race| {
                let [lo, hi] = race.leader_ends[which];
                lo > 0.0 || hi < 0.0
            })
        })
    }

    fn played(&self) -> Vec<Played> {
        self.elos.iter().map(|&elo| PAIR_B.with_elo(elo)).collect()
    }

    fn judged(&self, races: &[Raced]) -> Races {
        let best = self.elos.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let behind = |variant: usize| best - self.elos[variant];
        let all_best: Vec<usize> = (0..self.elos.len())
            .filter(|&variant| behind(variant) < 1.0)
            .collect();
        let grid = (MAX_UNITS as usize * self.elos.len()) as f64;
        Races {
            best_survive: mean(races, |race| {
                share(&all_best, |variant| race.survivors.contains(variant))
            }),
            leader_is_best: share(races, |race| behind(race.leader) < 1.0),
            leader_within_10: share(races, |race| behind(race.leader) < 10.5),
            used: mean(races, |race| race.units as f64 / grid),
            alone: share(races, |race| race.end == End::One),
            some_best_dropped: share(races, |race| {
                all_best
                    .iter()
                    .any(|variant| !race.survivors.contains(variant))
            }),
            lags: self.held(races, |_| 1.0),
            lags_by_errors: self.held(races, |errors| Z95 / errors),
        }
    }

    /// The coverage of intervals that are `narrower` times as wide, given their standard errors to
    /// either side.
    fn held(&self, races: &[Raced], narrower: impl Fn(f64) -> f64) -> Held {
        let misses = |(variant, lag, errors): &(usize, Lag, f64)| {
            let truth = self.elos[*variant] - self.elos[lag.leader];
            (lag.elo - truth).abs() > narrower(*errors) * (lag.hi - lag.elo)
        };
        let is_below = |race: &Raced, (variant, lag, errors): &(usize, Lag, f64)| {
            let is_equal =
                self.elos[*variant] >= self.elos[lag.leader] && race.survivors.contains(variant);
            is_equal && lag.elo + narrower(*errors) * (lag.hi - lag.elo) < 0.0
        };
        let all: usize = races.iter().map(|race| race.lags.len()).sum();
        let wrong: usize = races
            .iter()
            .map(|race| race.lags.iter().filter(|lag| misses(lag)).count())
            .sum();
        Held {
            each: 1.0 - wrong as f64 / all.max(1) as f64,
            all: share(races, |race| !race.lags.iter().any(misses)),
            equal_below: share(races, |race| {
                race.lags.iter().any(|lag| is_below(race, lag))
            }),
        }
    }
}

/// A block of every variant that remains.
fn block(
    size: usize,
    played: &[Played],
    living: &[usize],
    common: f64,
    random: &mut Random,
) -> Vec<Vec<u32>> {
    let mut scores = vec![Vec::with_capacity(size); living.len()];
    for _ in 0..size {
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
    while race.end().is_none() {
        race.add(&block(
            rules.block as usize,
            played,
            &race.remaining(),
            common,
            random,
        ))
        .unwrap();
    }
    let standings: Vec<_> = (0..played.len())
        .map(|variant| race.standing(variant).unwrap())
        .collect();
    let lag = |(variant, standing): (usize, &Standing)| {
        Some((
            variant,
            standing.lag?,
            standard_errors(rules, played.len(), standing.elo.units),
        ))
    };
    let led = &standings[race.leader()];
    Raced {
        survivors: race.remaining(),
        leader: race.leader(),
        units: standings.iter().map(|standing| standing.elo.units).sum(),
        end: race.end().unwrap(),
        lags: standings.iter().enumerate().filter_map(lag).collect(),
        leader_ends: [led.ends, [led.elo.lo95, led.elo.hi95]],
    }
}

/// The boundary of a race after so many units, in standard errors, by the formula.
fn standard_errors(rules: Rules, variants: usize, units: u64) -> f64 {
    let doubled = 2.0 * (variants as f64 / rules.alpha).ln();
    let tuned = rules.max_units.div_ceil(2) as f64 / (doubled + doubled.ln_1p());
    ((1.0 + tuned / units as f64) * (doubled + (units as f64 / tuned).ln_1p())).sqrt()
}

fn race_by_standard_errors(played: &[Played], common: f64, random: &mut Random) -> Raced {
    let mut scores: Vec<Vec<f64>> = vec![Vec::new(); played.len()];
    let (mut living, mut units): (Vec<usize>, u64) = ((0..played.len()).collect(), 0);
    loop {
        let block = block(BLOCK, played, &living, common, random);
        for (&variant, block) in living.iter().zip(block) {
            units += block.len() as u64;
            scores[variant].extend(block.into_iter().map(|score| f64::from(score) / 4.0));
        }
        let total = |variant: usize| scores[variant].iter().sum::<f64>();
        let leader = living
            .iter()
            .copied()
            .max_by(|&a, &b| total(a).total_cmp(&total(b)))
            .unwrap();
        living.retain(|&variant| {
            let behind: Vec<f64> = scores[leader]
                .iter()
                .zip(&scores[variant])
                .map(|(a, b)| a - b)
                .collect();
            let squares: f64 = behind.iter().map(|d| d * d).sum();
            behind.iter().sum::<f64>() <= Z95 * squares.sqrt()
        });
        let end = if living.len() == 1 {
            End::One
        } else {
            End::Units
        };
        if end == End::One || scores[leader].len() as u64 >= MAX_UNITS {
            return Raced {
                survivors: living,
                leader,
                units,
                end,
                lags: Vec::new(),
                leader_ends: [[0.0; 2]; 2],
            };
        }
    }
}
