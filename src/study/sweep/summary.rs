//! The sweep of a run: its games counted, and what is to be said of it.

use std::collections::BTreeMap;

use serde::Serialize;
use strum::Display;

use super::contest::Contest;
use crate::plan::schedule::UnitDesign;
use arena_stats::Z95;
use arena_stats::elo::{match_elo, pairing_gain};
use arena_stats::race::{End, Lag, Standing, luck_of_the_best};
use arena_stats::scores::UnitScores;

/// The games in which a variant and an opponent swap seats.
const GAMES_PER_PAIR: u32 = UnitDesign::swapped(2).games_per_unit;

/// How a variant stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum VariantState {
    /// It is in a race that goes on.
    Racing,
    /// It remained at the end of the race.
    Survivor,
    /// It has left the race.
    Dropped,
}

/// What a sweep has found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SweepSummary {
    /// The bot that was swept.
    pub(crate) bot: String,
    /// The names of the parameters, in the order of the config.
    pub(crate) parameters: Vec<String>,
    /// Whom all variants met.
    pub(crate) against: Vec<String>,
    /// The probability at most that a variant as strong as the best is dropped.
    pub(crate) alpha: f64,
    /// Why it is over; `None` while it is not.
    pub(crate) end: Option<End>,
    /// The units that the remaining variants have played.
    pub(crate) units: u64,
    /// The most units of a variant.
    pub(crate) max_units: u64,
    /// The games of all variants that count: those of whole blocks.
    pub(crate) games: u64,
    /// The games of the full grid, in which all variants play all units.
    pub(crate) games_full: u64,
    /// The variants that remain, in the order of the plan: at the end the survivors.
    pub(crate) living: Vec<String>,
    /// The variant with the highest score of those that remain; `None` before the first block.
    pub(crate) leader: Option<String>,
    /// By how many standard errors the best of so many *equal* variants looks better than it is, on average.
    pub(crate) luck_of_the_best: f64,
    /// The same in Elo, with the error of the leader.
    pub(crate) luck_elo: Option<f64>,
    /// How the leader stands against each of its opponents, in their order.
    pub(crate) leader_against: Vec<Met>,
    /// How many independent games one game of a pair of a variant and an opponent is worth; `None` with too few pairs to tell.
    pub(crate) pairing_gain: Option<f64>,
    /// How many units on seeds of its own one on common seeds is worth where two variants are compared, likewise.
    pub(crate) seed_gain: Option<f64>,
    /// The command that tests the leader against the opponent of [`SweepSummary::to_beat`] on seeds that it was not chosen
    /// by; `None` while the sweep goes on, and where there is nothing to confirm.
    pub(crate) confirm: Option<String>,
    /// Whether so many units repeat others, move for move, that nothing here is as sure as it looks. What a tally tells of it
    /// itself is `false`.
    pub(crate) too_repetitive: bool,
    /// The variants, in the order of the plan.
    pub(crate) variants: Vec<VariantSummary>,
}

/// One variant of a sweep; a row of `sweep.csv`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct VariantSummary {
    /// The name of the bot.
    pub(crate) name: String,
    /// The value of each parameter.
    pub(crate) values: BTreeMap<String, String>,
    /// Its place among those that remain, or behind them among those that are not, by score; from 1.
    pub(crate) rank: usize,
    /// The units that count.
    pub(crate) units: u64,
    /// Their games.
    pub(crate) games: u64,
    /// The mean score against the opponents; `None` before the first block, like all that follows from it.
    pub(crate) score: Option<f64>,
    /// Elo against the opponents; not finite for a score of 0 or 1.
    pub(crate) elo: Option<f64>,
    /// The lower end of the 95% interval, of this variant alone.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    /// How it stands.
    pub(crate) state: VariantState,
    /// The units after which it was dropped.
    pub(crate) dropped_after: Option<u64>,
    /// How far it is behind the leader on the same seeds; of a variant that was dropped, the leader of that time.
    pub(crate) behind: Option<Behind>,
}

/// How a variant stands against one opponent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Met {
    /// The opponent.
    pub(crate) name: String,
    /// Elo of the variant against it; not finite for a score of 0 or 1.
    pub(crate) elo: f64,
    /// The lower end of the 95% interval.
    pub(crate) lo95: f64,
    /// The upper end.
    pub(crate) hi95: f64,
}

/// How far a variant is behind another one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Behind {
    /// The other one.
    pub(crate) leader: String,
    /// Elo of the variant less that of the leader: not above 0.
    pub(crate) elo: f64,
    /// The lower end of the interval that the race goes by.
    pub(crate) lo: f64,
    /// The upper end: below 0 where the variant was dropped.
    pub(crate) hi: f64,
}

impl SweepSummary {
    /// All that there is to say of a sweep, without the command that confirms it.
    pub(super) fn of(contest: &Contest) -> SweepSummary {
        let (sweep, race) = (&contest.sweep, &contest.race);
        let standings: Vec<Option<Standing>> = (0..sweep.variants.len())
            .map(|variant| race.standing(variant))
            .collect();
        let mut variants: Vec<VariantSummary> = standings
            .iter()
            .enumerate()
            .map(|(variant, standing)| VariantSummary::new(contest, variant, *standing))
            .collect();
        for (rank, variant) in (1..).zip(ranked(&variants)) {
            variants[variant].rank = rank;
        }
        let leader =
            standings[race.leader()].map(|standing| (race.leader(), standing.elo.error95 / Z95));
        let luck = luck_of_the_best(variants.len());
        let (games, games_full) = contest.games();
        let matches = contest
            .pairs
            .iter()
            .flatten()
            .zip(contest.games.iter().flatten())
            .map(|(pairs, games)| [pairs, games]);
        SweepSummary {
            bot: sweep.bot.clone(),
            parameters: sweep.parameters.clone(),
            against: sweep.against.clone(),
            alpha: sweep.alpha,
            end: race.end(),
            units: race.units(),
            max_units: sweep.max_units,
            games,
            games_full,
            living: race
                .living()
                .into_iter()
                .map(|variant| variants[variant].name.clone())
                .collect(),
            leader: leader.map(|(leader, _)| variants[leader].name.clone()),
            luck_of_the_best: luck,
            luck_elo: leader
                .map(|(_, error)| luck * error)
                .filter(|elo| elo.is_finite()),
            leader_against: leader.map_or_else(Vec::new, |(leader, _)| met(contest, leader)),
            pairing_gain: pairing_gain(matches, GAMES_PER_PAIR),
            seed_gain: race.seed_gain(),
            confirm: None,
            too_repetitive: false,
            variants,
        }
    }

    /// The variant that leads; `None` before the first block.
    pub(crate) fn led_by(&self) -> Option<&VariantSummary> {
        self.variants
            .iter()
            .find(|variant| Some(&variant.name) == self.leader.as_ref())
    }

    /// The variants, the best first; those that were dropped behind all others.
    pub(crate) fn ranking(&self) -> Vec<&VariantSummary> {
        let mut ranking: Vec<&VariantSummary> = self.variants.iter().collect();
        ranking.sort_by_key(|variant| variant.rank);
        ranking
    }

    /// The opponent that the leader of a finished sweep should be tested against: the strongest of those that it is ahead of.
    /// `None` while the sweep goes on, for a leader that is ahead of nobody (what it did not win here it need not confirm), and
    /// where too many units are repeats.
    pub(crate) fn to_beat(&self) -> Option<&Met> {
        self.end.filter(|_| !self.too_repetitive)?;
        self.leader_against
            .iter()
            .filter(|met| met.elo > 0.0)
            .min_by(|one, two| one.elo.total_cmp(&two.elo))
    }

    /// How many variants were left after so many units, at the beginning and after every block at which some were
    /// dropped; up to the end of what was played.
    pub(crate) fn survival(&self) -> Vec<(u64, usize)> {
        let mut drops: BTreeMap<u64, usize> = BTreeMap::from([(0, 0), (self.units, 0)]);
        for units in self
            .variants
            .iter()
            .filter_map(|variant| variant.dropped_after)
        {
            *drops.entry(units).or_default() += 1;
        }
        let mut left = self.variants.len();
        let after = |(units, dropped): (u64, usize)| {
            left -= dropped;
            (units, left)
        };
        drops.into_iter().map(after).collect()
    }
}

impl VariantSummary {
    fn new(contest: &Contest, number: usize, standing: Option<Standing>) -> VariantSummary {
        let variants = &contest.sweep.variants;
        let elo = standing.map(|standing| standing.elo);
        let dropped_after = standing.and_then(|standing| standing.dropped_after);
        let state = match (dropped_after, contest.race.end()) {
            (Some(_), _) => VariantState::Dropped,
            (None, Some(_)) => VariantState::Survivor,
            (None, None) => VariantState::Racing,
        };
        let behind = |Lag {
                          leader,
                          elo,
                          lo,
                          hi,
                      }: Lag| Behind {
            leader: variants[leader].bot.clone(),
            elo,
            lo,
            hi,
        };
        VariantSummary {
            name: variants[number].bot.clone(),
            values: variants[number].values.clone(),
            rank: 0,
            units: elo.map_or(0, |elo| elo.units),
            games: elo.map_or(0, |elo| elo.games),
            score: elo.map(|elo| elo.score),
            elo: elo.map(|elo| elo.elo),
            lo95: elo.map(|elo| elo.lo95),
            hi95: elo.map(|elo| elo.hi95),
            state,
            dropped_after,
            behind: standing.and_then(|standing| standing.lag).map(behind),
        }
    }
}

/// A variant against each of its opponents.
fn met(contest: &Contest, variant: usize) -> Vec<Met> {
    let met = |(name, scores): (&String, &UnitScores)| {
        let elo = match_elo(scores, GAMES_PER_PAIR)?;
        Some(Met {
            name: name.clone(),
            elo: elo.elo,
            lo95: elo.lo95,
            hi95: elo.hi95,
        })
    };
    contest
        .sweep
        .against
        .iter()
        .zip(&contest.pairs[variant])
        .filter_map(met)
        .collect()
}

/// The indices of the variants, the best first. The first of several equal ones comes first.
fn ranked(variants: &[VariantSummary]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..variants.len()).collect();
    let is_out = |index: usize| variants[index].state == VariantState::Dropped;
    let score = |index: usize| variants[index].score.unwrap_or_default();
    order.sort_by(|&a, &b| {
        is_out(a)
            .cmp(&is_out(b))
            .then(score(b).total_cmp(&score(a)))
    });
    order
}
