//! Watched matches: how often an interval ever excludes the truth if you look after every unit.

use arena_stats::elo::match_elo;
use arena_stats::estimate::Estimate;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::betting::is_refuted;

use super::fours::{Design, World};
use super::matches::Model;
use crate::random::{Random, share, simulate};

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
