//! Ratings of one or several runs, as `arena rate` shows them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::game::{BotSummary, Game};
use crate::results::{BotCount, Count, Field, Misfit, Pair, Stop, Table, WinsDrawsLosses};
use arena_stats::StatsError;
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::ratings::{Comparison, Mark, Settings, Unit};

/// The scale of ratings.
#[derive(Clone, Debug)]
pub(crate) struct RatingScale {
    /// Bots with fixed ratings.
    pub(crate) anchors: Vec<(String, f64)>,
    /// The mean of all ratings if there is no anchor.
    pub(crate) mean: f64,
    /// Virtual draws of each bot if results set no limit; above 0.
    pub(crate) prior: f64,
    /// Whether to fit the advantage of moving first.
    pub(crate) first_advantage: bool,
}

impl RatingScale {
    fn settings(&self, count: &Count) -> Settings {
        let anchors = self.anchors.iter().filter_map(|(name, elo)| {
            let is_named = |bot: &BotCount| bot.games > 0 && bot.name == *name;
            Some((count.bots.iter().position(is_named)?, *elo))
        });
        Settings {
            anchors: anchors.collect(),
            mean: self.mean,
            prior: self.prior,
            // With more than two seats all bots act at once, or the order means something else.
            first_advantage: self.first_advantage && count.design.seats == 2,
            games_per_unit: count.design.games_per_unit,
        }
    }
}

impl RatedGame {
    /// Rates the bots of a game and design.
    pub(crate) fn new(field: &Field, scale: &RatingScale, stop: &Stop) -> Result<Self, StatsError> {
        let Field { game, count, .. } = field;
        // Bots are numbered by name, so that nothing depends on which run came first.
        let mut order: Vec<usize> = (0..count.bots.len()).collect();
        order.retain(|&bot| count.bots[bot].games > 0);
        order.sort_by_key(|&bot| &count.bots[bot].name);
        let rated = count.table(&order, scale.settings(count), stop)?;
        order.sort_by(|&a, &b| rated.elo(b).total_cmp(&rated.elo(a)));
        let mut game = Game::new(game, (count, &order), Some(&rated), stop);
        if let [best, other] = order[..]
            && let Some(by) = rated.of_two(best, other)
            && let Some(mut pair) = count.pair((best, other), stop)
        {
            pair.met.by = by;
            game.pairings.push(pair);
        }
        let results = count.results();
        Ok(RatedGame {
            runs_share_seeds: count.evidence.shared_by_runs().0 > 0,
            first_advantage: Advantage::of(count, &rated, stop),
            los_matrix: table(&order, |one, other| rated.los(one, other)),
            scores: table(&order, |one, other| {
                let met = results.get(&(one.min(other), one.max(other)))?;
                let own = if one > other { met.reversed() } else { *met };
                own.score()
            }),
            game,
            order,
            rated,
        })
    }

    /// How much stronger one bot is than another, each by its place in the standings.
    pub(crate) fn ahead_by(&self, one: usize, other: usize) -> Estimate {
        self.rated.ahead_by(self.order[one], self.order[other])
    }

    /// The place of a bot in the standings.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.game.bots.iter().position(|bot| bot.name == name)
    }
}

/// A value for each bot and each other one, in this order of bots.
fn table(order: &[usize], cell: impl Fn(usize, usize) -> Option<f64>) -> Vec<Vec<Option<f64>>> {
    let row = |one| order.iter().map(|&other| cell(one, other)).collect();
    order.iter().map(|&one| row(one)).collect()
}

/// Whether any two bots moved first equally often against each other. Otherwise the score of first
/// movers also depends on their strength.
fn seats_swapped(units: impl Iterator<Item = Unit>) -> bool {
    let mut surplus: BTreeMap<(usize, usize), i128> = BTreeMap::new();
    for unit in units {
        for &Comparison { first, second, .. } in &unit.comparisons {
            let sign = if first < second { 1 } else { -1 };
            let bots = (first.min(second), first.max(second));
            *surplus.entry(bots).or_default() += sign * i128::from(unit.weight);
        }
    }
    surplus.values().all(|&surplus| surplus == 0)
}

/// The ratings of one game in one design.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RatedGame {
    #[serde(flatten, serialize_with = "ratings")]
    #[schemars(with = "Ratings<'_>")]
    pub(crate) game: Game,
    /// Whether several runs have the same seeds.
    #[serde(skip)]
    pub(crate) runs_share_seeds: bool,
    /// Value of moving first; null if unknown.
    pub(crate) first_advantage: Option<Advantage>,
    /// Likelihood that each bot is stronger than each other one, in the order of `bots`; null if
    /// unknown.
    los_matrix: Vec<Vec<Option<f64>>>,
    /// The bots by their numbers, in the order of the standings.
    #[serde(skip)]
    order: Vec<usize>,
    #[serde(skip)]
    rated: Table,
    /// Mean score of each bot against each other one, in the order of `bots`; null if they didn't
    /// meet.
    #[serde(rename = "score_matrix")]
    pub(crate) scores: Vec<Vec<Option<f64>>>,
}

/// The keys of a game that are about ratings.
#[derive(Serialize, JsonSchema)]
struct Ratings<'g> {
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: &'g str,
    /// Seats of the game.
    seats: usize,
    /// Bots that play a game together.
    bots_per_table: usize,
    /// Games of each bot in a unit.
    games_per_unit: u32,
    /// Games that count.
    games: u64,
    /// Complete units that count.
    units: u64,
    /// Units that lack a game.
    incomplete_units: u64,
    /// Seeds, if units share them, and ratings have the intervals of so many; else null.
    shared_seeds: Option<u64>,
    /// Sets of bots that won and lost points among each other. Differences between sets mean
    /// little.
    groups: &'g [Vec<String>],
    /// Pairings whose results the ratings don't explain, the most surprising first.
    misfits: &'g [Misfit],
    /// Bots that are the same program with the same arguments, in sets.
    same_program: &'g [Vec<String>],
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    interval: Holds,
    /// The bots, the best first.
    bots: Vec<RatedBot<'g>>,
    /// Every two bots that met.
    pairings: &'g [Pair],
}

fn ratings<S: Serializer>(game: &Game, serializer: S) -> Result<S::Ok, S::Error> {
    let ratings = Ratings {
        game: &game.game,
        seats: game.design.seats,
        bots_per_table: game.design.bots,
        games_per_unit: game.design.games_per_unit,
        games: game.games,
        units: game.units,
        incomplete_units: game.incomplete_units,
        shared_seeds: game.shared_seeds,
        groups: &game.groups,
        misfits: &game.misfits,
        same_program: &game.same_program,
        interval: game.holds,
        bots: game.bots.iter().map(RatedBot).collect(),
        pairings: &game.pairings,
    };
    ratings.serialize(serializer)
}

/// The value of moving first.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Advantage {
    #[serde(flatten)]
    pub(crate) by: Estimate,
    /// Whether the value was fitted together with the ratings.
    pub(crate) fitted: bool,
}

impl Advantage {
    /// Returns what was fitted, or else what the scores of all first movers say.
    fn of(count: &Count, rated: &Table, stop: &Stop) -> Option<Advantage> {
        let fitted = rated.ratings.first_advantage;
        let by = match fitted {
            Some(fitted) => rated.estimate(fitted),
            None if seats_swapped(count.evidence.independent()) => count.first_player(stop)?.by,
            None => return None,
        };
        Some(Advantage {
            by,
            fitted: fitted.is_some(),
        })
    }
}

/// The keys of a bot that are about its rating.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "BotSummary")]
struct Rating {
    /// Place among all, from 1. Equal bots share the better place.
    rank: usize,
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    name: String,
    /// Elo of the bot, or of the first of two; null if unknown or infinite.
    elo: Option<f64>,
    /// Lower end of the 95% interval; null if unknown or infinite.
    lo95: Option<f64>,
    /// Upper end of the 95% interval; null if unknown or infinite.
    hi95: Option<f64>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    interval: Holds,
    /// Half the width of the 95% interval; null if unknown or infinite.
    error95: Option<f64>,
    /// Whether there are too few units to trust the interval.
    provisional: bool,
    /// `perfect` if it won everything, `zero` if it lost everything; else null.
    mark: Option<Mark>,
    /// Complete units that count.
    units: u64,
    /// Games that count.
    games: u64,
    /// Mean score, from 0 to 1; null if unknown.
    score: f64,
    #[serde(flatten)]
    results: WinsDrawsLosses,
    /// Mean place; null if places aren't known. Seats with the same score share the better place.
    mean_place: Option<f64>,
    /// Lower end of the 95% interval of `mean_place`; null if unknown, and with two seats.
    mean_place_lo95: Option<f64>,
    /// Upper end of the 95% interval of `mean_place`; null if unknown, and with two seats.
    mean_place_hi95: Option<f64>,
    /// Share of games in which the bot came first; null if places aren't known. A shared first
    /// place counts in part.
    firsts: Option<f64>,
    /// Lower end of the 95% interval of `firsts`; null if unknown, and with two seats.
    firsts_lo95: Option<f64>,
    /// Upper end of the 95% interval of `firsts`; null if unknown, and with two seats.
    firsts_hi95: Option<f64>,
    /// Likelihood that the bot is stronger than the next one; null if unknown.
    los_next: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct RatedBot<'a>(#[serde(with = "Rating")] &'a BotSummary);
