//! Results that are watched: how often an interval ever excludes the truth if you look after every
//! unit of a match, after every cycle of a round robin, or after every one of several runs.

use arena_stats::anytime::times_as_wide;
use arena_stats::elo::match_elo;
use arena_stats::estimate::Estimate;
use arena_stats::ratings::{Settings, Unit, rate};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::betting::is_refuted;

use super::fours::{Design, Meeting, Robin, World, pair};
use super::matches::Model;
use crate::random::{Random, mean, share, simulate};

/// Units of a match, from the side of one bot, and its true Elo.
pub(crate) struct Watched<'a> {
    pub(crate) name: String,
    elo: f64,
    games_per_unit: u32,
    nothing: UnitScores,
    play: Box<dyn Fn(&mut Random) -> u32 + Sync + 'a>,
}

/// The misses in matches of this length.
pub(crate) struct Seen {
    pub(crate) units: u64,
    /// How many matches had, after any unit so far, an interval without the truth: the one for a
    /// single look, and ours.
    pub(crate) usual: f64,
    pub(crate) ours: f64,
    /// How many times as wide ours is after the last unit, on average where both have two ends.
    pub(crate) times_as_wide: f64,
}

impl Watched<'_> {
    pub(crate) fn of_two(model: Model, elo: f64) -> Self {
        let played = model.with_elo(elo);
        Self {
            name: format!("{}, {elo} Elo", model.name),
            elo,
            games_per_unit: model.games_per_unit(),
            nothing: model.nothing(),
            play: Box::new(move |random| played.play(random)),
        }
    }

    /// Equal bots that share four seats.
    pub(crate) fn of_four(design: Design, world: World) -> Self {
        Self {
            name: format!("{}, {}", design.name, world.name),
            elo: 0.0,
            games_per_unit: design.games(),
            nothing: UnitScores::new(2 * design.comparisons()),
            play: Box::new(move |random| design.unit(world, 0.0, random).into_iter().sum()),
        }
    }

    /// Matches up to the last of these numbers of units.
    pub(crate) fn seen(&self, units: &[u64], runs: usize) -> Vec<Seen> {
        let matches = simulate(runs, 89, |random| self.watch(units, random));
        let of = |(at, &units): (usize, &u64)| Seen {
            units,
            usual: share(&matches, |seen| seen[at].0[0]),
            ours: share(&matches, |seen| seen[at].0[1]),
            times_as_wide: mean_of_finite(matches.iter().map(|seen| seen[at].1)),
        };
        units.iter().enumerate().map(of).collect()
    }

    fn watch(&self, units: &[u64], random: &mut Random) -> Vec<([bool; 2], f64)> {
        let mut scores = self.nothing.clone();
        let mut missed = [false; 2];
        let mut seen = Vec::new();
        for unit in 1..=units.last().copied().unwrap_or(0) {
            scores.add((self.play)(random), 1).unwrap();
            let result = match_elo(&scores, self.games_per_unit).unwrap();
            missed[0] |= !(result.lo95..=result.hi95).contains(&self.elo);
            missed[1] |= is_refuted(&scores, unit, self.elo);
            if units.contains(&unit) {
                let watched = Estimate::at_every_look(&scores, self.games_per_unit, unit).unwrap();
                let usual = result.hi95 - result.lo95;
                seen.push((missed, (watched.hi95 - watched.lo95) / usual));
            }
        }
        seen
    }
}

fn mean_of_finite(values: impl Iterator<Item = f64>) -> f64 {
    let finite: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    finite.iter().sum::<f64>() / finite.len() as f64
}

/// The shares of runs with an interval that excluded the truth at some look: the one for a single
/// look, and the wider one.
pub(crate) struct Misses {
    /// Misses of a bot's rating, on average.
    pub(crate) rating: [f64; 2],
    /// Misses of the difference of two bots, on average.
    pub(crate) pair: [f64; 2],
    /// Misses of the difference of any two bots.
    pub(crate) any_pair: [f64; 2],
}

/// Whether these intervals of each rating, and of each difference, missed the truth.
type Missed = [Vec<[bool; 2]>; 2];

impl Robin {
    /// Plays a unit of each pairing in turn and looks after every so many cycles.
    pub(crate) fn watched(&self, every: usize, runs: usize) -> Misses {
        let truth = self.truth();
        let meetings = self.meetings(&truth, |_, _| 0.0);
        let watch = |random: &mut Random| self.watch(every, &truth, &meetings, random);
        let runs: Vec<Missed> = simulate(runs, 98, watch);
        let by = |what: usize| {
            [0, 1].map(|rule| mean(&runs, |run| share(&run[what], |missed| missed[rule])))
        };
        let any = |rule: usize| share(&runs, |run| run[1].iter().any(|missed| missed[rule]));
        Misses {
            rating: by(0),
            pair: by(1),
            any_pair: [0, 1].map(any),
        }
    }

    fn watch(
        &self,
        every: usize,
        truth: &[f64],
        meetings: &[Meeting],
        random: &mut Random,
    ) -> Missed {
        let kinds = meetings.iter().flat_map(|&(first, second, _)| {
            [0, 1, 2, 3, 4].map(|score| pair(first, second, score, 0))
        });
        let mut units: Vec<Unit> = kinds.collect();
        let mut missed = [self.bots, meetings.len()].map(|of| vec![[false; 2]; of]);
        for cycle in 1..=self.pairs {
            for (kinds, (_, _, played)) in units.chunks_exact_mut(5).zip(meetings) {
                kinds[played.play(random) as usize].weight += 1;
            }
            if !cycle.is_multiple_of(every) {
                continue;
            }
            let met = units.iter().filter(|unit| unit.weight > 0);
            let ratings = rate(self.bots, met, &Settings::new(2)).unwrap();
            // The intervals of bots that nothing links are in parentheses.
            if ratings.components.len() > 1 {
                continue;
            }
            let fewest = ratings.bots.iter().map(|bot| bot.units).min().unwrap();
            let widths = [1.0, times_as_wide(fewest)];
            let bots = ratings.bots.iter().zip(truth);
            let off = bots.map(|(bot, elo)| (bot.elo - elo, bot.error95));
            miss(&mut missed[0], off, widths);
            let off = meetings.iter().map(|&(one, other, _)| {
                let by = ratings.difference(one, other);
                (by.elo - truth[one] + truth[other], by.error95)
            });
            miss(&mut missed[1], off, widths);
        }
        missed
    }
}

/// Notes which numbers that are so far off, with their errors, miss the truth if these are so many
/// times as wide.
fn miss(missed: &mut [[bool; 2]], off: impl Iterator<Item = (f64, Option<f64>)>, widths: [f64; 2]) {
    for (missed, (off, error)) in missed.iter_mut().zip(off) {
        for (missed, width) in missed.iter_mut().zip(widths) {
            *missed |= error.is_some_and(|error| off.abs() > width * error);
        }
    }
}

/// Finished runs of the same two equal bots, rated together after each run.
pub(crate) struct Pooled {
    pub(crate) model: Model,
    /// Units of a run.
    pub(crate) units: u64,
}

impl Pooled {
    /// Returns, for each of these numbers of runs, how often some interval so far excluded the
    /// truth: the one for a single look, the one for every look, and what a user sees, who gets
    /// the one for a single look while there is one run.
    pub(crate) fn missed<const N: usize>(&self, runs: [usize; N], many: usize) -> [[f64; 3]; N] {
        let most = runs.into_iter().max().unwrap();
        let found = simulate(many, 99, |random| self.add_runs(most, random));
        runs.map(|runs| [0, 1, 2].map(|rule| share(&found, |missed| missed[runs - 1][rule])))
    }

    fn add_runs(&self, runs: usize, random: &mut Random) -> Vec<[bool; 3]> {
        let played = self.model.with_elo(0.0);
        let games = self.model.games_per_unit();
        let mut scores = self.model.nothing();
        let mut missed = [false; 3];
        let add_run = |run: usize| {
            for _ in 0..self.units {
                scores.add(played.play(random), 1).unwrap();
            }
            let units = scores.units();
            let [once, always] = [Estimate::once, Estimate::at_every_look].map(|estimate| {
                let found = estimate(&scores, games, units).unwrap();
                !(found.lo95..=found.hi95).contains(&0.0)
            });
            missed[0] |= once;
            missed[1] |= always;
            missed[2] |= if run == 0 { once } else { always };
            missed
        };
        (0..runs).map(add_run).collect()
    }
}
