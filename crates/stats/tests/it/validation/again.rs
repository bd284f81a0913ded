//! Equal bots that play the same seeds again, in several runs. A seed that suits a bot suits it in
//! all games.

use std::cmp::Ordering;

use arena_stats::elo_to_score;
use arena_stats::estimate::Estimate;
use arena_stats::ratings::{Comparison, Settings, Unit, rate};
use arena_stats::scores::UnitScores;

use crate::random::{Random, share, simulate};

/// Deviation in Elo of how much a seed suits a bot.
const LUCK: f64 = 500.0;

/// Runs with so many units of two games for each pairing.
pub(crate) struct Again {
    pub(crate) units: usize,
    pub(crate) runs: usize,
}

/// Which seeds a run plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seeds {
    /// Those of the first run.
    Same,
    /// In turn new ones, and those of the run before.
    InTurn,
}

/// A unit of two bots on a seed that makes the first one so much stronger.
fn play(edge: f64, random: &mut Random) -> [Ordering; 2] {
    [(); 2].map(|()| elo_to_score(edge).total_cmp(&random.uniform()))
}

impl Again {
    /// Rates three bots after all runs. Returns the share of 95% intervals of differences that
    /// exclude the truth: with each unit as an observation, and with each seed.
    pub(crate) fn missed(&self, many: usize) -> [f64; 2] {
        let sets = simulate(many, 101, |random| {
            let (mut by_unit, mut by_seed) = (Vec::new(), Vec::new());
            for (first, second) in [(0, 1), (1, 2), (2, 0)] {
                for _ in 0..self.units {
                    let edge = LUCK * (random.normal() - random.normal());
                    let of_seed = by_unit.len();
                    by_unit.extend((0..self.runs).map(|_| Unit {
                        comparisons: Vec::from(play(edge, random).map(|outcome| Comparison {
                            first,
                            second,
                            outcome,
                        })),
                        weight: 1,
                    }));
                    let units = by_unit[of_seed..].iter();
                    let comparisons = units.flat_map(|unit| unit.comparisons.clone());
                    by_seed.push(Unit {
                        comparisons: comparisons.collect(),
                        weight: 1,
                    });
                }
            }
            [by_unit, by_seed].map(|units| {
                let ratings = rate(3, &units, &Settings::new(2)).unwrap();
                [(0, 1), (1, 2), (2, 0)].map(|(one, other)| {
                    let by = ratings.difference(one, other);
                    by.error95.is_some_and(|error| by.elo.abs() > error)
                })
            })
        });
        [0, 1].map(|by| {
            let of_pairs: Vec<bool> = sets.iter().flat_map(|set| set[by]).collect();
            share(&of_pairs, |missed| *missed)
        })
    }

    /// Looks at two bots after each run. Returns how often an interval for every look ever
    /// excludes the truth: with each unit as an observation, and with each seed, which scores the
    /// mean of its units.
    pub(crate) fn ever_missed(&self, seeds: Seeds, many: usize) -> [f64; 2] {
        let sets = simulate(many, 102, |random| {
            // How much a seed suits the first bot, its wins, and its units.
            let mut played: Vec<(f64, u32, u32)> = Vec::new();
            let (mut by_unit, mut ever) = (UnitScores::new(2), [false; 2]);
            for run in 0..self.runs {
                if run == 0 || seeds == Seeds::InTurn && run % 2 == 0 {
                    played.extend((0..self.units).map(|_| {
                        let edge = LUCK * (random.normal() - random.normal());
                        (edge, 0, 0)
                    }));
                }
                for (edge, won, units) in played.iter_mut().rev().take(self.units) {
                    let wins = play(*edge, random).map(|game| u32::from(game.is_gt()));
                    by_unit.add(wins[0] + wins[1], 1).unwrap();
                    *won += wins[0] + wins[1];
                    *units += 1;
                }
                let means = played.iter().map(|(_, won, units)| {
                    let games = 2 * units;
                    (f64::from(*won) / f64::from(games), 1)
                });
                let by_seed = UnitScores::from_values(means).unwrap();
                for (ever, scores) in ever.iter_mut().zip([&by_unit, &by_seed]) {
                    let by = Estimate::at_every_look(scores, 2, scores.units()).unwrap();
                    *ever |= !(by.lo95..=by.hi95).contains(&0.0);
                }
            }
            ever
        });
        [0, 1].map(|by| share(&sets, |ever| ever[by]))
    }
}
