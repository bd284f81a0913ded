//! A round robin of bots of two kinds. Each seed favours one kind, in all games on it.

use std::cmp::Ordering;

use arena_stats::elo_to_score;
use arena_stats::ratings::misfit::misfits;
use arena_stats::ratings::{Comparison, Ratings, Settings, Unit, rate};

use crate::random::{Random, share, simulate};

/// Bots of two kinds, in turn.
pub(crate) struct Kinds {
    pub(crate) bots: usize,
    /// Units of each pairing.
    pub(crate) units: usize,
    /// Deviation in Elo of how much a seed favours one kind.
    pub(crate) luck: f64,
}

/// Which seeds pairings play on, and what the errors are taken by.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Seeds {
    Own,
    Shared,
    /// Shared ones, but with errors as if they were not.
    SharedByUnit,
}

/// The shares of 95% intervals of differences that hold the truth: over all two bots, and the
/// least. Then the mean error of the difference of two bots of one kind, of two kinds, and the
/// share of runs that find a misfit, although there is none.
pub(crate) struct Held {
    pub(crate) mean: f64,
    pub(crate) least: f64,
    pub(crate) alike: f64,
    pub(crate) unlike: f64,
    pub(crate) misfits: f64,
}

impl Kinds {
    fn cycle(&self, seeds: Seeds, random: &mut Random, units: &mut Vec<Unit>) {
        let mut luck = self.luck * random.normal();
        let mut shared = Vec::new();
        for first in 0..self.bots {
            for second in first + 1..self.bots {
                if seeds == Seeds::Own {
                    luck = self.luck * random.normal();
                }
                let sides = [first, second].map(|bot| 20.0 * bot as f64 + luck * (bot % 2) as f64);
                let score = elo_to_score(sides[0] - sides[1]);
                let games = [(); 2].map(|()| Comparison {
                    first,
                    second,
                    outcome: if random.uniform() < score {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    },
                });
                if seeds == Seeds::Shared {
                    shared.extend(games);
                } else {
                    units.push(unit(games.to_vec()));
                }
            }
        }
        if seeds == Seeds::Shared {
            units.push(unit(shared));
        }
    }

    fn rated(&self, seeds: Seeds, cycles: usize, random: &mut Random) -> (Ratings, Vec<Unit>) {
        let mut units = Vec::new();
        for _ in 0..cycles {
            self.cycle(seeds, random, &mut units);
        }
        let ratings = rate(self.bots, &units, &Settings::new(2)).unwrap();
        (ratings, units)
    }

    pub(crate) fn held(&self, seeds: Seeds, runs: usize) -> Held {
        let truth = self.rated(Seeds::Own, 30_000, &mut Random::new(6, 0)).0;
        let pairs = (0..self.bots).flat_map(|one| (0..one).map(move |other| (one, other)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let runs = simulate(runs, 96, |random| {
            let (ratings, units) = self.rated(seeds, self.units, random);
            let of_pair = |&(one, other): &(usize, usize)| {
                let found = ratings.difference(one, other);
                let off = (found.elo - truth.difference(one, other).elo).abs();
                let error = found.error95.unwrap_or(f64::INFINITY);
                (off <= error, error)
            };
            let found: Vec<(bool, f64)> = pairs.iter().map(of_pair).collect();
            (found, !misfits(&units, &ratings).is_empty())
        });
        let by_pair = (0..pairs.len()).map(|pair| share(&runs, |(found, _)| found[pair].0));
        let by_pair: Vec<f64> = by_pair.collect();
        let error = |are_alike: bool| {
            let of_pairs = runs.iter().flat_map(|(found, _)| found.iter().zip(&pairs));
            let errors = of_pairs
                .filter(|(_, (one, other))| (one % 2 == other % 2) == are_alike)
                .map(|((_, error), _)| *error);
            let errors: Vec<f64> = errors.collect();
            errors.iter().sum::<f64>() / errors.len() as f64
        };
        Held {
            mean: by_pair.iter().sum::<f64>() / by_pair.len() as f64,
            least: by_pair.iter().copied().fold(1.0, f64::min),
            alike: error(true),
            unlike: error(false),
            misfits: share(&runs, |(_, found)| *found),
        }
    }
}

fn unit(comparisons: Vec<Comparison>) -> Unit {
    Unit {
        comparisons,
        weight: 1,
    }
}
