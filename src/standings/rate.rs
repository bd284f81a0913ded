//! Ratings of one or several runs, as `arena rate` shows them.

use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::game::{BotSummary, Game};
use crate::results::{BotCount, Count, Field, Stop, Table, WinsDrawsLosses};
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
            first_player: Advantage::of(count, &rated, stop),
            los: table(&order, |one, other| rated.los(one, other)),
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
#[derive(Clone, Debug)]
pub(crate) struct RatedGame {
    pub(crate) game: Game,
    /// Whether several runs have the same seeds.
    pub(crate) runs_share_seeds: bool,
    /// The value of moving first.
    pub(crate) first_player: Option<Advantage>,
    /// How likely each bot is stronger than each other one, in the order of the standings.
    los: Vec<Vec<Option<f64>>>,
    /// The bots by their numbers, in the order of the standings.
    order: Vec<usize>,
    rated: Table,
    /// The mean score of each bot against each other one, in the order of the standings; `None` if
    /// they didn't meet.
    pub(crate) scores: Vec<Vec<Option<f64>>>,
}

impl Serialize for RatedGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Game { design, .. } = self.game;
        let bots: Vec<_> = self.game.bots.iter().map(RatedBot).collect();
        let mut json = serializer.serialize_map(None)?;
        json.serialize_entry("game", &self.game.game)?;
        json.serialize_entry("seats", &design.seats)?;
        json.serialize_entry("bots_per_table", &design.bots)?;
        json.serialize_entry("games_per_unit", &design.games_per_unit)?;
        json.serialize_entry("games", &self.game.games)?;
        json.serialize_entry("units", &self.game.units)?;
        json.serialize_entry("incomplete_units", &self.game.incomplete_units)?;
        if let Some(seeds) = self.game.shared_seeds {
            json.serialize_entry("shared_seeds", &seeds)?;
        }
        json.serialize_entry("groups", &self.game.groups)?;
        json.serialize_entry("misfits", &self.game.misfits)?;
        if !self.game.same_program.is_empty() {
            json.serialize_entry("same_program", &self.game.same_program)?;
        }
        json.serialize_entry("first_player", &self.first_player)?;
        json.serialize_entry("interval", &self.game.holds)?;
        json.serialize_entry("bots", &bots)?;
        json.serialize_entry("los", &self.los)?;
        json.serialize_entry("scores", &self.scores)?;
        json.end()
    }
}

/// The value of moving first, in Elo.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Advantage {
    /// Not finite if the first player won or lost everything.
    pub(crate) elo: f64,
    pub(crate) lo95: f64,
    pub(crate) hi95: f64,
    /// The looks that the interval is valid for.
    pub(crate) interval: Holds,
    /// Whether it was fitted together with the ratings.
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
            elo: by.elo,
            lo95: by.lo95,
            hi95: by.hi95,
            interval: by.holds,
            fitted: fitted.is_some(),
        })
    }
}

/// The keys of a bot that are about its rating.
#[derive(Serialize)]
#[serde(remote = "BotSummary")]
struct Rating {
    rank: usize,
    name: String,
    elo: Option<f64>,
    lo95: Option<f64>,
    hi95: Option<f64>,
    error95: Option<f64>,
    provisional: bool,
    mark: Option<Mark>,
    units: u64,
    games: u64,
    score: f64,
    #[serde(flatten)]
    results: WinsDrawsLosses,
    mean_place: Option<f64>,
    mean_place_lo95: Option<f64>,
    mean_place_hi95: Option<f64>,
    firsts: Option<f64>,
    firsts_lo95: Option<f64>,
    firsts_hi95: Option<f64>,
    los_next: Option<f64>,
}

#[derive(Serialize)]
struct RatedBot<'a>(#[serde(with = "Rating")] &'a BotSummary);
