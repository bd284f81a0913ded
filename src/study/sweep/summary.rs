//! The result of a sweep: the key `sweep` of `summary.json`.

use std::collections::BTreeMap;

use serde::Serialize;
use strum::Display;

use super::contest::Contest;
use crate::plan::Variant;
use arena_stats::Z95;
use arena_stats::estimate::Estimate;
use arena_stats::race::{End, luck_of_the_best};

/// The state of a variant in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum VariantState {
    /// The race isn't over.
    Racing,
    Survivor,
    Dropped,
}

/// The result of a sweep.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SweepSummary {
    pub(crate) bot: String,
    /// Names in the order of the config.
    pub(crate) parameters: Vec<String>,
    /// The opponents of all variants.
    pub(crate) against: Vec<String>,
    /// The highest probability that a variant as strong as the best is dropped.
    pub(crate) alpha: f64,
    /// `None` until the race is over.
    pub(crate) end: Option<End>,
    /// The units that the remaining variants have played.
    pub(crate) units: u64,
    /// The most units of a variant.
    pub(crate) max_units: u64,
    /// The counted games of all variants, which are those of whole blocks.
    pub(crate) games: u64,
    /// The games of the block that isn't complete.
    #[serde(skip)]
    pub(crate) games_of_block: u64,
    /// The games if all variants played all units.
    pub(crate) games_full: u64,
    /// The remaining variants, in the order of the plan. At the end they are the survivors.
    pub(crate) living: Vec<String>,
    /// The remaining variant with the highest score; `None` before the first block.
    pub(crate) leader: Option<String>,
    /// By how many standard errors the best of as many *equal* variants looks better than it is, on
    /// average.
    pub(crate) luck_of_the_best: f64,
    /// This luck in Elo, given the error of the leader.
    pub(crate) luck_elo: Option<f64>,
    /// The results of the leader against each opponent, in their order.
    pub(crate) leader_against: Vec<OpponentResult>,
    /// The command that tests the leader against the opponent of [`SweepSummary::to_beat`] on fresh
    /// seeds; `None` before the end, and if there is nothing to confirm.
    pub(crate) confirm: Option<String>,
    /// Whether so many units repeat others, move for move, that nothing here is as sure as it
    /// looks. [`SweepSummary::of`] can't know it and says `false`.
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
    /// Its place by score, from 1. Dropped variants come after the remaining ones.
    pub(crate) rank: usize,
    pub(crate) units: u64,
    pub(crate) games: u64,
    /// The mean score against the opponents; `None` before the first block, like the Elo.
    pub(crate) score: Option<f64>,
    /// Elo against the opponents; not finite for a score of 0 or 1.
    pub(crate) elo: Option<f64>,
    /// The lower end of the 95% interval. Those of all variants hold together, at every look.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    pub(crate) state: VariantState,
    /// The units that it had played when it was dropped.
    pub(crate) dropped_after: Option<u64>,
    /// The distance to the leader on the same seeds. For a dropped variant that is the leader when
    /// it was dropped.
    pub(crate) behind: Option<GapToLeader>,
}

/// The results of a variant against one opponent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OpponentResult {
    pub(crate) name: String,
    /// Elo of the variant against it; not finite for a score of 0 or 1.
    pub(crate) elo: f64,
    /// The lower end of the 95% interval.
    pub(crate) lo95: f64,
    /// The upper end.
    pub(crate) hi95: f64,
}

/// The distance of a variant to the leader.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GapToLeader {
    pub(crate) leader: String,
    /// Elo of the variant less that of the leader: not above 0.
    pub(crate) elo: f64,
    /// The lower end of the interval that the race uses.
    pub(crate) lo: f64,
    /// The upper end, below 0 if the variant was dropped.
    pub(crate) hi: f64,
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
            .filter(|met| met.elo > 0.0)
            .min_by(|one, two| one.elo.total_cmp(&two.elo))
    }
}

impl VariantSummary {
    /// Returns Elo with its interval; `None` before the first block.
    pub(super) fn elo95(&self) -> Option<[f64; 3]> {
        Some([self.elo?, self.lo95?, self.hi95?])
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
            elo: elo.map(|elo| elo.elo),
            lo95: standing.map(|standing| standing.ends[0]),
            hi95: standing.map(|standing| standing.ends[1]),
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
            elo: by.elo,
            lo95: by.lo95,
            hi95: by.hi95,
        }));
    }
    met
}
