//! Two players: how matches come out, and how often intervals hold the truth.

use arena_stats::elo::match_elo;
use arena_stats::scores::UnitScores;
use arena_stats::sprt;
use arena_stats::sprt::outlook::Units;
use arena_stats::{C2, Z95, elo_to_score, score_to_elo};

use crate::random::{Random, share, simulate, solve};

/// Games that are drawn where bots are within `draw` Elo, alone or in pairs on seeds that favour a
/// side by `bias`.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) draw: f64,
    pub(crate) bias: Option<f64>,
}

pub(crate) const TRI0: Model = Model {
    name: "tri0",
    draw: 0.0,
    bias: None,
};
pub(crate) const TRI3: Model = Model {
    name: "tri3",
    draw: 120.0,
    bias: None,
};
pub(crate) const PAIR_B: Model = Model {
    name: "pairB",
    draw: 0.0,
    bias: Some(150.0),
};
pub(crate) const PAIR_C: Model = Model {
    name: "pairC",
    draw: 120.0,
    bias: Some(100.0),
};
/// Even bots draw 80%.
const TRI8: Model = Model {
    name: "tri8",
    draw: 382.0,
    bias: None,
};
pub(crate) const PAIR8: Model = Model {
    name: "pair8",
    draw: 382.0,
    bias: Some(100.0),
};

impl Model {
    fn game(&self, edge: f64) -> [f64; 3] {
        let (win, loss) = (
            elo_to_score(edge - self.draw),
            elo_to_score(-edge - self.draw),
        );
        [loss, 1.0 - win - loss, win]
    }

    /// The chances of all scores of a unit, the worst first.
    fn chances(&self, edge: f64) -> Vec<f64> {
        let Some(bias) = self.bias else {
            return self.game(edge).to_vec();
        };
        let (one, two) = (self.game(edge + bias), self.game(edge - bias));
        let mut pair = vec![0.0; 5];
        for (i, p) in one.into_iter().enumerate() {
            for (j, q) in two.into_iter().enumerate() {
                pair[i + j] += p * q;
            }
        }
        pair
    }

    /// A bot that is so much stronger in ordinary Elo.
    pub(crate) fn with_elo(self, elo: f64) -> Played {
        let edge = solve(-4000.0, 4000.0, elo_to_score(elo), |edge| {
            moments(&self.chances(edge)).0
        });
        Played::new(self, &self.chances(edge))
    }

    /// A bot that is so much stronger in normalized Elo.
    pub(crate) fn with_normalized_elo(self, nelo: f64) -> Played {
        let normalized = |edge: f64| {
            let (mean, variance) = moments(&self.chances(edge));
            C2 * (mean - 0.5) / (f64::from(self.games_per_unit()) * variance).sqrt()
        };
        let edge = solve(-400.0, 400.0, nelo, normalized);
        Played::new(self, &self.chances(edge))
    }

    /// A bot that is so much stronger in the Elo of a test.
    pub(crate) fn with_elo_of(self, model: sprt::Model, elo: f64) -> Played {
        match model {
            sprt::Model::Logistic => self.with_elo(elo),
            sprt::Model::Normalized => self.with_normalized_elo(elo),
        }
    }

    pub(crate) fn games_per_unit(&self) -> u32 {
        if self.bias.is_some() { 2 } else { 1 }
    }

    pub(crate) fn nothing(&self) -> UnitScores {
        if self.bias.is_some() {
            UnitScores::from_counts(4, [0; 5])
        } else {
            UnitScores::from_counts(2, [0; 3])
        }
        .unwrap()
    }
}

fn moments(chances: &[f64]) -> (f64, f64) {
    let full = (chances.len() - 1) as f64;
    let mean: f64 = chances
        .iter()
        .enumerate()
        .map(|(at, p)| p * at as f64 / full)
        .sum();
    let variance = chances
        .iter()
        .enumerate()
        .map(|(at, p)| p * (at as f64 / full - mean).powi(2))
        .sum();
    (mean, variance)
}

/// Units of a model at a strength.
pub(crate) struct Played {
    pub(crate) model: Model,
    pub(crate) score: f64,
    pub(crate) units: Units,
    up_to: Vec<f64>,
}

impl Played {
    fn new(model: Model, chances: &[f64]) -> Self {
        let (score, variance) = moments(chances);
        let mut sum = 0.0;
        let up_to = chances.iter().map(|p| {
            sum += p;
            sum
        });
        let units = Units {
            games: model.games_per_unit(),
            variance,
            level_share: None,
            score: None,
        };
        Self {
            model,
            score,
            units,
            up_to: up_to.collect(),
        }
    }

    pub(crate) fn play(&self, random: &mut Random) -> u32 {
        self.score_at(random.uniform())
    }

    /// The score of a unit by a number between 0 and 1: the higher the luckier.
    pub(crate) fn score_at(&self, x: f64) -> u32 {
        self.up_to
            .iter()
            .take(self.up_to.len() - 1)
            .filter(|&&limit| x > limit)
            .count() as u32
    }
}

/// How often 95% intervals of matches of so many units hold the truth, over six models and four
/// strengths.
pub(crate) struct Coverage {
    pub(crate) units: u32,
    /// The least and the mean over all cases: the usual interval, and ours.
    pub(crate) usual: [f64; 2],
    pub(crate) ours: [f64; 2],
    pub(crate) most: f64,
}

pub(crate) fn coverage(units: u32, runs: usize) -> Coverage {
    let models = [TRI0, TRI3, TRI8, PAIR_B, PAIR_C, PAIR8];
    let cases = models
        .iter()
        .flat_map(|model| [0.0, 100.0, 300.0, 600.0].map(|elo| model.with_elo(elo)));
    let (usual, ours): (Vec<f64>, Vec<f64>) = cases
        .map(|played| {
            let held = simulate(runs, u64::from(units), |random| {
                held(&played, units, random)
            });
            (share(&held, |held| held[0]), share(&held, |held| held[1]))
        })
        .unzip();
    let least = |shares: &[f64]| shares.iter().copied().fold(1.0, f64::min);
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    Coverage {
        units,
        usual: [least(&usual), mean(&usual)],
        ours: [least(&ours), mean(&ours)],
        most: ours.iter().copied().fold(0.0, f64::max),
    }
}

/// Whether the usual interval, mean plus and minus two standard errors, holds the truth, and
/// whether ours does.
fn held(played: &Played, units: u32, random: &mut Random) -> [bool; 2] {
    let mut scores = played.model.nothing();
    for _ in 0..units {
        scores.add(played.play(random), 1).unwrap();
    }
    let result = match_elo(&scores, played.model.games_per_unit()).unwrap();
    let usual = Z95 * (result.variance / f64::from(units)).sqrt();
    let ours = (result.score_lo..=result.score_hi).contains(&played.score);
    [(result.score - played.score).abs() <= usual, ours]
}

/// How often 95% intervals of normalized Elo of matches of so many units hold the truth, over six
/// models: the least share of even bots, and if one is 400 Elo ahead, the least by an error that
/// only uses the number of games, and by ours.
pub(crate) struct NormalizedCoverage {
    pub(crate) even: f64,
    pub(crate) ahead_by_games: f64,
    pub(crate) ahead: f64,
    /// The least and the mean over leads of 0 to 400 Elo.
    pub(crate) all: [f64; 2],
}

pub(crate) fn normalized_coverage(units: u32, runs: usize) -> NormalizedCoverage {
    let models = [TRI0, TRI3, TRI8, PAIR_B, PAIR_C, PAIR8];
    let held = [0.0, 50.0, 100.0, 200.0, 400.0].map(|elo| {
        models.map(|model| {
            let played = model.with_elo(elo);
            let held = simulate(runs, u64::from(units) + 87, |random| {
                held_normalized(&played, units, random)
            });
            (share(&held, |held| held[0]), share(&held, |held| held[1]))
        })
    });
    let least = |shares: [f64; 6]| shares.into_iter().fold(1.0, f64::min);
    let ours = held.map(|held| held.map(|held| held.1));
    NormalizedCoverage {
        even: least(ours[0]),
        ahead_by_games: least(held[4].map(|held| held.0)),
        ahead: least(ours[4]),
        all: [
            ours.map(least).into_iter().fold(1.0, f64::min),
            ours.as_flattened().iter().sum::<f64>() / 30.0,
        ],
    }
}

/// Whether the interval by the number of games holds the truth, and whether ours does; one without
/// a number is no interval.
fn held_normalized(played: &Played, units: u32, random: &mut Random) -> [bool; 2] {
    let mut scores = played.model.nothing();
    for _ in 0..units {
        scores.add(played.play(random), 1).unwrap();
    }
    let result = match_elo(&scores, played.model.games_per_unit()).unwrap();
    let truth = played.units.normalized_elo(score_to_elo(played.score));
    let ends = result.nelo_lo95.zip(result.nelo_hi95);
    let error = C2 * Z95 / (result.games as f64).sqrt();
    [
        result.nelo.is_none_or(|nelo| (nelo - truth).abs() <= error),
        ends.is_none_or(|(lo, hi)| (lo..=hi).contains(&truth)),
    ]
}
