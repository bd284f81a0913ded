//! The result of a sweep: the key `sweep` of `summary.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;

use super::contest::Contest;
use crate::plan::Variant;
use arena_stats::Z95;
use arena_stats::estimate::{Estimate, Holds, Shown, or_null};
use arena_stats::race::{End, luck_of_the_best};

/// The state of a variant in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum VariantState {
    /// The race isn't over.
    Racing,
    /// It was left when the race ended.
    Survivor,
    /// It is out of the race.
    Dropped,
}

/// The result of a sweep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SweepSummary {
    /// Name of the bot.
    pub(crate) bot: String,
    /// Names of the parameters.
    pub(crate) parameters: Vec<String>,
    /// Opponents. Without any in a tuning, the bot plays itself.
    pub(crate) against: Vec<String>,
    /// Highest probability that a variant as strong as the best is dropped.
    pub(crate) alpha: f64,
    /// Why the race is over: `one` variant is left, the rest is `indifferent`, or all `units` were
    /// played; null before.
    pub(crate) end: Option<End>,
    /// Complete units that count.
    pub(crate) units: u64,
    /// Most units that are played.
    pub(crate) max_units: u64,
    /// Games that count.
    pub(crate) games: u64,
    /// The games of the block that isn't complete.
    #[serde(skip)]
    pub(crate) games_of_block: u64,
    /// Games if all variants played all units.
    pub(crate) games_full: u64,
    /// Remaining variants.
    pub(crate) living: Vec<String>,
    /// Variant with the highest score; null before the first block.
    pub(crate) leader: Option<String>,
    /// Standard errors by which the best of as many equal variants looks better than it is, on
    /// average.
    pub(crate) luck_of_the_best: f64,
    /// `luck_of_the_best` in Elo, given the error of the leader; null if unknown.
    pub(crate) luck_elo: Option<f64>,
    /// Results of the leader against each opponent.
    pub(crate) leader_against: Vec<OpponentResult>,
    /// Command that tests the answer on fresh seeds; null if there is nothing to confirm.
    pub(crate) confirm: Option<String>,
    /// Whether so many units repeat others that nothing is as sure as it looks.
    pub(crate) too_repetitive: bool,
    /// The variants.
    pub(crate) variants: Vec<VariantSummary>,
}

/// One variant of a sweep; a row of `sweep.csv`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct VariantSummary {
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    pub(crate) name: String,
    /// Value of each parameter.
    pub(crate) values: BTreeMap<String, String>,
    /// Place among all, from 1. Equal bots share the better place.
    pub(crate) rank: usize,
    /// Complete units that count.
    pub(crate) units: u64,
    /// Games that count.
    pub(crate) games: u64,
    /// Mean score, from 0 to 1; null if unknown.
    pub(crate) score: Option<f64>,
    /// Elo against the opponents. The intervals of all variants hold together.
    #[serde(flatten, serialize_with = "or_null")]
    #[schemars(with = "Shown")]
    pub(crate) by: Option<Estimate>,
    /// State of the variant in the race.
    pub(crate) state: VariantState,
    /// Units that the variant had played when it was dropped; null if it wasn't.
    pub(crate) dropped_after: Option<u64>,
    /// Distance to the leader, now or when the variant was dropped; null if unknown.
    pub(crate) behind: Option<GapToLeader>,
}

/// The results of a variant against one opponent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OpponentResult {
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) by: Estimate,
}

/// The distance of a variant to the leader.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct GapToLeader {
    /// Variant with the highest score; null before the first block.
    pub(crate) leader: String,
    /// Elo of the bot, or of the first of two; null if unknown or infinite.
    pub(crate) elo: f64,
    /// Lower end of the interval that the race uses.
    pub(crate) lo: f64,
    /// Upper end of the interval that the race uses; below 0 it drops the variant.
    pub(crate) hi: f64,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    pub(crate) interval: Holds,
}

impl SweepSummary {
    /// Returns what a sweep has found, without the command that confirms it.
    pub(super) fn of(contest: &Contest) -> SweepSummary {
        let (sweep, race) = (&contest.sweep, &contest.race);
        let mut variants: Vec<VariantSummary> = (0..sweep.variants.len())
            .map(|variant| VariantSummary::new(contest, variant))
            .collect();
        // The best first. Equal ones keep their order.
        let mut order: Vec<&mut VariantSummary> = variants.iter_mut().collect();
        order.sort_by(|a, b| f64::total_cmp(&b.score.unwrap_or(0.0), &a.score.unwrap_or(0.0)));
        order.sort_by_key(|variant| variant.state == VariantState::Dropped);
        for (rank, variant) in (1..).zip(order) {
            variant.rank = rank;
        }
        let leader = race.leader();
        let error = race.standing(leader).map(|led| led.elo.error95 / Z95);
        let luck = luck_of_the_best(variants.len());
        let (games, games_full) = contest.games();
        let living = race.remaining().into_iter();
        SweepSummary {
            bot: sweep.bot.clone(),
            parameters: sweep.parameters.clone(),
            against: sweep.against.clone(),
            alpha: sweep.alpha,
            end: race.end(),
            units: race.units(),
            max_units: sweep.max_units,
            games,
            games_of_block: contest.block.len() as u64,
            games_full,
            living: living.map(|one| variants[one].name.clone()).collect(),
            leader: error.map(|_| variants[leader].name.clone()),
            luck_of_the_best: luck,
            luck_elo: error.map(|it| luck * it).filter(|it| it.is_finite()),
            leader_against: opponent_results(contest, leader),
            confirm: None,
            too_repetitive: false,
            variants,
        }
    }

    /// Returns the leader; `None` before the first block.
    pub(crate) fn led_by(&self) -> Option<&VariantSummary> {
        self.variants
            .iter()
            .find(|variant| Some(&variant.name) == self.leader.as_ref())
    }

    /// Returns the variants, the best first and dropped ones last.
    pub(crate) fn ranking(&self) -> Vec<&VariantSummary> {
        let mut ranking: Vec<&VariantSummary> = self.variants.iter().collect();
        ranking.sort_by_key(|variant| variant.rank);
        ranking
    }

    /// Returns the opponent against which the leader of a finished sweep should be tested: the
    /// strongest of those that it beat. `None` before the end, if it beat none, and if too many
    /// units are repeats.
    pub(crate) fn to_beat(&self) -> Option<&OpponentResult> {
        if self.end.is_none() || self.too_repetitive {
            return None;
        }
        self.leader_against
            .iter()
            .filter(|met| met.by.elo > 0.0)
            .min_by(|one, two| one.by.elo.total_cmp(&two.by.elo))
    }
}

impl VariantSummary {
    /// Returns Elo against the opponents; `None` before the first block.
    pub(super) fn elo(&self) -> Option<f64> {
        self.by.map(|by| by.elo)
    }

    /// Returns Elo with its interval; `None` before the first block.
    pub(super) fn elo95(&self) -> Option<[f64; 3]> {
        self.by.map(|by| [by.elo, by.lo95, by.hi95])
    }

    fn new(contest: &Contest, number: usize) -> VariantSummary {
        let Variant { bot, values } = &contest.sweep.variants[number];
        let standing = contest.race.standing(number);
        let elo = standing.map(|standing| standing.elo);
        let dropped_after = standing.and_then(|standing| standing.dropped_after);
        VariantSummary {
            name: bot.clone(),
            values: values.clone(),
            rank: 0,
            units: elo.map_or(0, |elo| elo.units),
            games: elo.map_or(0, |elo| elo.games),
            score: elo.map(|elo| elo.score),
            by: standing.map(|standing| {
                Estimate::new(standing.elo.elo, standing.ends, None, Holds::EveryLook)
            }),
            state: match (dropped_after, contest.race.end()) {
                (Some(_), _) => VariantState::Dropped,
                (None, Some(_)) => VariantState::Survivor,
                (None, None) => VariantState::Racing,
            },
            dropped_after,
            behind: standing
                .and_then(|standing| standing.lag)
                .map(|lag| GapToLeader {
                    leader: contest.sweep.variants[lag.leader].bot.clone(),
                    elo: lag.elo,
                    lo: lag.lo,
                    hi: lag.hi,
                    interval: Holds::EveryLook,
                }),
        }
    }
}

/// Returns the results of a variant against each of its opponents.
fn opponent_results(contest: &Contest, variant: usize) -> Vec<OpponentResult> {
    let against = &contest.sweep.against;
    let intervals = contest.pairs.len() * against.len();
    let mut met = Vec::new();
    for (name, scores) in against.iter().zip(&contest.pairs[variant]) {
        let by = Estimate::among(scores, contest.design.games_per_unit, intervals);
        met.extend(by.map(|by| OpponentResult {
            name: name.clone(),
            by,
        }));
    }
    met
}
