//! Four players: performance is strength, luck of the seat on its seed, and noise.

use std::cmp::Ordering;

use arena_stats::C;
use arena_stats::elo::match_elo;
use arena_stats::elo_to_score;
use arena_stats::ratings::misfit::misfits;
use arena_stats::ratings::{Comparison, Ratings, Settings, Unit, rate};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::{Hypotheses, Model, Sprt, State};

use crate::curvature::curvature_errors;
use crate::random::{Random, mean, share, simulate};

/// How a game comes out.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) name: &'static str,
    /// Deviation of the luck of a seat, which is the same in all games on a seed.
    luck: f64,
    /// Deviation of how well a seed suits the best bot, whatever its seat; only for places.
    pub(crate) suits: f64,
    /// Performances are compared in steps of this size, so that some are level.
    step: Option<f64>,
}

pub(crate) const PLAIN: World = World {
    name: "plain",
    luck: 0.0,
    suits: 0.0,
    step: None,
};
pub(crate) const SEAT: World = World {
    name: "seat",
    luck: 0.7,
    suits: 0.0,
    step: Some(0.5),
};
pub(crate) const MAPS: World = World {
    name: "maps",
    luck: 0.0,
    suits: 1.2,
    step: None,
};

impl World {
    fn seats(&self, random: &mut Random) -> [f64; 4] {
        [(); 4].map(|()| self.luck * random.normal())
    }

    fn play(&self, strengths: [f64; 4], luck: &[f64; 4], random: &mut Random) -> [f64; 4] {
        let mut seat = 0;
        strengths.map(|strength| {
            let performance = strength + luck[seat] + random.gumbel();
            seat += 1;
            self.step
                .map_or(performance, |step| (performance / step).floor())
        })
    }
}

/// What is counted in a test.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Counting {
    /// Units.
    Units,
    /// Units, and clear cases end early.
    UnitsEarly,
    /// Every comparison, as though they were independent.
    Comparisons,
}

/// Which seats bot A takes in each game of a unit.
#[derive(Clone, Copy)]
pub(crate) struct Design {
    pub(crate) name: &'static str,
    kinds: &'static [&'static [[bool; 4]]],
}

const A: bool = true;
const B: bool = false;

pub(crate) const MIRROR: Design = Design {
    name: "2v2 mirror",
    kinds: &[
        &[[A, A, B, B], [B, B, A, A]],
        &[[A, B, A, B], [B, A, B, A]],
        &[[A, B, B, A], [B, A, A, B]],
    ],
};

pub(crate) const ROTATIONS: Design = Design {
    name: "1v3 rotations",
    kinds: &[&[[A, B, B, B], [B, A, B, B], [B, B, A, B], [B, B, B, A]]],
};

impl Design {
    pub(crate) fn games(&self) -> u32 {
        self.kinds[0].len() as u32
    }

    /// Half points of A in every comparison of a unit.
    pub(crate) fn unit(&self, world: World, theta: f64, random: &mut Random) -> Vec<u32> {
        let (luck, kind) = (
            world.seats(random),
            self.kinds[random.below(self.kinds.len())],
        );
        let mut half_points = Vec::new();
        for seats in kind {
            let performed = world.play(
                seats.map(|is_a| if is_a { theta } else { 0.0 }),
                &luck,
                random,
            );
            for (a, b) in (0..16)
                .map(|pair| (pair / 4, pair % 4))
                .filter(|&(a, b)| seats[a] && !seats[b])
            {
                half_points.push(match performed[a].total_cmp(&performed[b]) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 2,
                });
            }
        }
        half_points
    }

    pub(crate) fn comparisons(&self) -> u32 {
        if self.games() == 2 { 8 } else { 12 }
    }

    /// The strength whose mean score is that of so many Elo.
    fn theta(&self, world: World, elo: f64) -> f64 {
        if elo == 0.0 {
            return 0.0;
        }
        let score = |theta: f64| {
            let scores = simulate(40_000, 4, |random| {
                f64::from(self.unit(world, theta, random).iter().sum::<u32>())
            });
            mean(&scores, |&score| score) / f64::from(2 * self.comparisons())
        };
        // Equal bots score one half, so what they score here is luck, and nearly the same luck
        // helps the stronger bot: without it few units tell the strength well.
        let luck = score(0.0) - 0.5;
        let wanted = elo_to_score(elo) + luck;
        let guess = 2.0 * elo / C;
        let slope = (score(guess) - 0.5 - luck) / guess;
        let straight = (wanted - 0.5 - luck) / slope;
        straight + (wanted - score(straight)) / slope
    }

    /// How often null tests pass, how often tests of a real gain fail, and the mean number of games
    /// of null tests. Counting every comparison as a unit is what must be seen to fail.
    pub(crate) fn errors(
        &self,
        world: World,
        bounds: [f64; 2],
        counting: Counting,
        runs: usize,
    ) -> [f64; 3] {
        let hypotheses =
            Hypotheses::new(Model::Logistic, bounds[0], bounds[1], 0.05, 0.05).unwrap();
        let ended = bounds.map(|elo| {
            let theta = self.theta(world, elo);
            simulate(runs, 41, |random| {
                let independent = counting == Counting::Comparisons;
                let denominator = if independent {
                    2
                } else {
                    2 * self.comparisons()
                };
                let mut test = Sprt::new(
                    counting == Counting::UnitsEarly,
                    hypotheses,
                    self.games(),
                    UnitScores::new(denominator),
                );
                let mut units = 0_u32;
                while test.state() == State::Running {
                    let half_points = self.unit(world, theta, random);
                    units += 1;
                    if independent {
                        for score in half_points {
                            test.add(score).unwrap();
                        }
                    } else {
                        test.add(half_points.into_iter().sum()).unwrap();
                    }
                }
                (
                    test.state() == State::Accepted,
                    f64::from(units * self.games()),
                )
            })
        });
        [
            share(&ended[0], |end| end.0),
            1.0 - share(&ended[1], |end| end.0),
            mean(&ended[0], |end| end.1),
        ]
    }
}

/// A field of bots whose ratings are fitted again and again.
pub(crate) struct Field {
    pub(crate) world: World,
    pub(crate) bots: usize,
    /// The number of seeds; on each, four bots play all rotations.
    pub(crate) groups: usize,
}

/// How often errors hold the truth: ours, of ratings and of differences, and those that only the
/// curvature gives.
pub(crate) struct Held {
    pub(crate) ours: f64,
    pub(crate) differences: f64,
    /// The least share among the differences of two bots.
    pub(crate) least: f64,
    pub(crate) naive: f64,
}

/// Which errors of a run hold the truth: the shares of ours and of those by curvature, and each
/// difference of two bots.
struct Judged {
    ours: f64,
    differences: Vec<bool>,
    naive: f64,
}

impl Field {
    pub(crate) fn new(world: World, bots: usize, groups: usize) -> Field {
        Field {
            world,
            bots,
            groups,
        }
    }

    fn strengths(&self) -> Vec<f64> {
        // Spread evenly, with a deviation of 0.6, which is 104 Elo.
        let middle = (self.bots - 1) as f64 / 2.0;
        (0..self.bots)
            .map(|bot| (bot as f64 - middle) / middle)
            .map(|x| x * 0.6 * 1.5_f64.sqrt())
            .collect()
    }

    fn rated(&self, groups: usize, random: &mut Random) -> (Ratings, Vec<Unit>) {
        let strengths = self.strengths();
        let units: Vec<Unit> = (0..groups)
            .map(|_| {
                let mut table: Vec<usize> = (0..self.bots).collect();
                (0..4).for_each(|seat| table.swap(seat, seat + random.below(self.bots - seat)));
                let luck = self.world.seats(random);
                let comparisons = (0..4).flat_map(|turn| {
                    let seats = [0, 1, 2, 3].map(|seat| table[(seat + turn) % 4]);
                    compared(
                        seats,
                        self.world
                            .play(seats.map(|bot| strengths[bot]), &luck, random),
                    )
                });
                Unit {
                    comparisons: comparisons.collect(),
                    weight: 1,
                }
            })
            .collect();
        (rate(self.bots, &units, &Settings::new(4)).unwrap(), units)
    }

    pub(crate) fn held(&self, runs: usize) -> Held {
        let truth: Vec<f64> = self
            .rated(40_000, &mut Random::new(5, 0))
            .0
            .bots
            .iter()
            .map(|bot| bot.elo)
            .collect();
        let runs = simulate(runs, 85, |random| {
            let (ratings, units) = self.rated(self.groups, random);
            judge(&ratings, &units, &truth)
        });
        Held::mean(&runs)
    }
}

impl Field {
    /// Returns the share of runs that find a misfit, although there is none.
    pub(crate) fn misfits(&self, runs: usize) -> f64 {
        let found = simulate(runs, 88, |random| {
            let (ratings, units) = self.rated(self.groups, random);
            misfits(&units, &ratings).len()
        });
        share(&found, |&found| found > 0)
    }
}

/// How often 95% intervals of the mean place of a bot, and of its share of first places, hold the
/// truth: by units, and with games taken as independent.
pub(crate) struct Placed {
    pub(crate) by_unit: [f64; 2],
    pub(crate) by_game: [f64; 2],
}

impl Field {
    /// The distance from the first place, and the first places, of the best bot of the field, in
    /// each game of a unit, of 3 and of 1.
    fn placed(&self, random: &mut Random) -> [[f64; 4]; 2] {
        let strengths = self.strengths();
        let mut table: Vec<usize> = (0..self.bots - 1).collect();
        (0..3).for_each(|seat| table.swap(seat, seat + random.below(self.bots - 1 - seat)));
        let mut seats = [self.bots - 1, table[0], table[1], table[2]].map(|bot| strengths[bot]);
        seats[0] += self.world.suits * random.normal();
        let luck = self.world.seats(random);
        let mut found = [[0.0; 4]; 2];
        for turn in 0..4 {
            let performed = self.world.play(
                [0, 1, 2, 3].map(|seat| seats[(seat + turn) % 4]),
                &luck,
                random,
            );
            let own = performed[(4 - turn) % 4];
            found[0][turn] = performed.iter().filter(|&&other| other > own).count() as f64 / 3.0;
            let sharing = performed
                .iter()
                .filter(|other| other.total_cmp(&own).is_eq())
                .count() as f64;
            found[1][turn] = if found[0][turn] == 0.0 {
                1.0 / sharing
            } else {
                0.0
            };
        }
        found
    }

    /// The places of the best bot, by units.
    pub(crate) fn places(&self, runs: usize) -> Placed {
        let many = simulate(200_000, 7, |random| self.placed(random));
        let truth = [0, 1].map(|kind| mean(&many, |unit| unit[kind].iter().sum::<f64>() / 4.0));
        let held = simulate(runs, 95, |random| {
            let units: Vec<_> = (0..self.groups).map(|_| self.placed(random)).collect();
            [0, 1].map(|kind| {
                let holds = |values: Vec<f64>| {
                    let scores =
                        UnitScores::from_values(values.into_iter().map(|value| (value, 1)))
                            .unwrap();
                    let found = match_elo(&scores, 1).unwrap();
                    (found.score_lo..=found.score_hi).contains(&truth[kind])
                };
                let by_unit = units
                    .iter()
                    .map(|unit| unit[kind].iter().sum::<f64>() / 4.0)
                    .collect();
                [
                    holds(by_unit),
                    holds(units.iter().flat_map(|unit| unit[kind]).collect()),
                ]
            })
        });
        let held = |rule: usize| [0, 1].map(|kind: usize| share(&held, |run| run[kind][rule]));
        Placed {
            by_unit: held(0),
            by_game: held(1),
        }
    }
}

fn compared(seats: [usize; 4], performed: [f64; 4]) -> Vec<Comparison> {
    let pairs = (0..4).flat_map(|one| (0..one).map(move |other| (one, other)));
    let compare = |(one, other): (usize, usize)| {
        let outcome = performed[one].total_cmp(&performed[other]);
        Comparison {
            first: seats[one],
            second: seats[other],
            outcome,
        }
    };
    pairs.map(compare).collect()
}

fn judge(ratings: &Ratings, units: &[Unit], truth: &[f64]) -> Judged {
    let off = |bot: usize| (ratings.bots[bot].elo - truth[bot]).abs();
    let bots: Vec<usize> = (0..truth.len()).collect();
    let pairs = bots
        .iter()
        .flat_map(|&one| (0..one).map(move |other| (one, other)));
    let by_curvature = curvature_errors(ratings, units);
    let holds = |(one, other): (usize, usize)| {
        let difference = ratings.difference(one, other);
        (difference.elo - truth[one] + truth[other]).abs() <= difference.error95.unwrap()
    };
    Judged {
        ours: share(&bots, |&bot| off(bot) <= ratings.bots[bot].error95.unwrap()),
        differences: pairs.map(holds).collect(),
        naive: share(&bots, |&bot| off(bot) <= by_curvature[bot]),
    }
}

impl Held {
    fn mean(runs: &[Judged]) -> Self {
        let pairs = 0..runs[0].differences.len();
        let by_pair: Vec<f64> = pairs
            .map(|pair| share(runs, |run| run.differences[pair]))
            .collect();
        Self {
            ours: mean(runs, |run| run.ours),
            differences: mean(&by_pair, |&held| held),
            least: by_pair.iter().copied().fold(1.0, f64::min),
            naive: mean(runs, |run| run.naive),
        }
    }
}

/// Two bots and how their units come out.
pub(super) type Meeting = (usize, usize, super::matches::Played);

/// Pairs of two players, every bot against every other.
pub(crate) struct Robin {
    pub(crate) model: super::matches::Model,
    pub(crate) bots: usize,
    pub(crate) pairs: usize,
    /// How far the best bot and the worst are from the middle, in Elo. The others lie evenly
    /// between them.
    pub(crate) spread: f64,
}

impl Robin {
    pub(crate) fn new(
        model: super::matches::Model,
        bots: usize,
        pairs: usize,
        spread: f64,
    ) -> Robin {
        Robin {
            model,
            bots,
            pairs,
            spread,
        }
    }

    pub(crate) fn held(&self, runs: usize) -> Held {
        let truth = self.truth();
        let meetings = self.meetings(&truth, |_, _| 0.0);
        let runs = simulate(runs, 86, |random| {
            let units = self.units(&meetings, random);
            judge(
                &rate(self.bots, &units, &Settings::new(2)).unwrap(),
                &units,
                &truth,
            )
        });
        Held::mean(&runs)
    }

    /// Returns the share of runs that find a misfit if a bot is `more(bot, other)` Elo
    /// stronger against one before it than their strengths say.
    pub(crate) fn misfits(&self, more: impl Fn(usize, usize) -> f64, runs: usize) -> f64 {
        self.misfits_beside(0, more, runs)
    }

    /// Returns the same beside other bots that lose all their units.
    pub(crate) fn misfits_beside(
        &self,
        losers: usize,
        more: impl Fn(usize, usize) -> f64,
        runs: usize,
    ) -> f64 {
        let meetings = self.meetings(&self.truth(), more);
        let found = simulate(runs, 87, |random| {
            let mut units = self.units(&meetings, random);
            for (bot, loser) in (0..self.bots).flat_map(|bot| (0..losers).map(move |at| (bot, at)))
            {
                units.push(pair(bot, self.bots + loser, 4, self.pairs as u64));
            }
            let ratings = rate(self.bots + losers, &units, &Settings::new(2)).unwrap();
            misfits(&units, &ratings).len()
        });
        share(&found, |&found| found > 0)
    }

    /// Strengths, spread evenly.
    pub(super) fn truth(&self) -> Vec<f64> {
        let middle = (self.bots - 1) as f64 / 2.0;
        (0..self.bots)
            .map(|bot| (bot as f64 - middle) / middle * self.spread)
            .collect()
    }

    pub(super) fn meetings(
        &self,
        truth: &[f64],
        more: impl Fn(usize, usize) -> f64,
    ) -> Vec<Meeting> {
        let pairs = (0..self.bots).flat_map(|one| (0..one).map(move |other| (one, other)));
        let meeting = |(one, other): (usize, usize)| {
            let elo = truth[one] - truth[other] + more(one, other);
            (one, other, self.model.with_elo(elo))
        };
        pairs.map(meeting).collect()
    }

    fn units(&self, meetings: &[Meeting], random: &mut Random) -> Vec<Unit> {
        let mut units = Vec::new();
        for (first, second, played) in meetings {
            for _ in 0..self.pairs {
                units.push(pair(*first, *second, played.play(random), 1));
            }
        }
        units
    }
}

/// Returns `weight` pairs of games with this score.
pub(super) fn pair(first: usize, second: usize, score: u32, weight: u64) -> Unit {
    // The games in one order or the other: ratings see only their sum.
    let outcomes = match score {
        0 => [Ordering::Less, Ordering::Less],
        1 => [Ordering::Less, Ordering::Equal],
        2 => [Ordering::Equal, Ordering::Equal],
        3 => [Ordering::Equal, Ordering::Greater],
        _ => [Ordering::Greater, Ordering::Greater],
    };
    let compared = outcomes.map(|outcome| Comparison {
        first,
        second,
        outcome,
    });
    Unit {
        comparisons: compared.to_vec(),
        weight,
    }
}
