//! Ratings from results of any number of runs, or from tables of counts. The order of the files and of their lines is of
//! no account.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::count::{self, Count, Pairing, Rated, UnitDesign};
use crate::store::ResultLine;
use crate::summary::{BotSummary, Only};
use arena_stats::StatsError;
use arena_stats::elo::MatchElo;
use arena_stats::ratings::{Comparison, Difference, Settings, Unit};

/// Results, counted by the id of the game, which is empty for tables of counts, and by design.
#[derive(Debug, Default)]
pub(crate) struct Results {
    counts: BTreeMap<(String, UnitDesign), Count>,
}

impl Results {
    /// Counts a line of file number `file`.
    pub(crate) fn add(&mut self, file: usize, line: ResultLine) {
        match line {
            ResultLine::Game(row) => {
                let count = self.count(row.game.clone(), UnitDesign::of(&row));
                let game = count.game(&row, 0);
                count.add(file, &row, game);
            }
            ResultLine::Count(row) => self.count(String::new(), UnitDesign::SINGLE_GAMES).add_counted(&row),
        }
    }

    fn count(&mut self, game: String, design: UnitDesign) -> &mut Count {
        self.counts.entry((game, design)).or_insert_with(|| Count::new(design))
    }

    /// The names of all bots.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.counts.values().flat_map(|count| &count.bots).map(|bot| bot.name.as_str())
    }

    /// Rates the bots of every game and design. An anchor is a bot and its rating; without one the mean of all bots is 0. The
    /// advantage of moving first is fitted if that is asked for.
    pub(crate) fn rate(
        &self,
        anchor: Option<&(String, f64)>,
        first_advantage: bool,
    ) -> Result<Vec<RatedField>, StatsError> {
        let rate = |((game, _), count): (&(String, UnitDesign), &Count)| {
            RatedField::new(game, count, settings(count, anchor, first_advantage))
        };
        self.counts.iter().map(rate).collect()
    }
}

fn settings(count: &Count, anchor: Option<&(String, f64)>, first_advantage: bool) -> Settings {
    let number = |name: &String| count.bots.iter().position(|bot| bot.name == *name);
    Settings {
        anchor: anchor.and_then(|(name, elo)| Some((number(name)?, *elo))),
        // With more seats than two, all act at once or the order means something else.
        first_advantage: first_advantage && count.design.seats == 2,
        ..Settings::new(count.design.games_per_unit)
    }
}

impl RatedField {
    fn new(game: &str, count: &Count, settings: Settings) -> Result<RatedField, StatsError> {
        // Bots are numbered by name, so that nothing depends on which file came first.
        let mut order: Vec<usize> = (0..count.bots.len()).collect();
        order.sort_by_key(|&bot| &count.bots[bot].name);
        let rated = count.rate(&order, settings)?;
        order.sort_by(|&a, &b| rated.elo(b).total_cmp(&rated.elo(a)));
        let pairings = count.pairings();
        Ok(RatedField {
            game: game.to_owned(),
            seats: count.design.seats,
            bots_per_table: count.design.bots,
            games_per_unit: count.design.games_per_unit,
            games: count.games,
            units: rated.ratings.units,
            incomplete_units: count.incomplete_units(),
            first_player: Advantage::of(count, &rated),
            bots: (0..order.len()).map(|rank| BotSummary::new(count, &order, rank, Some(&rated))).collect(),
            los: table(&order, |one, other| rated.los(one, other)),
            scores: table(&order, |one, other| score(&pairings, one, other)),
            groups: rated.groups,
        })
    }
}

/// What is known of each bot and each other one.
fn table(order: &[usize], cell: impl Fn(usize, usize) -> Option<f64>) -> Vec<Vec<Option<f64>>> {
    order.iter().map(|&one| order.iter().map(|&other| cell(one, other)).collect()).collect()
}

/// The mean score of one bot against another.
fn score(pairings: &BTreeMap<(usize, usize), Pairing>, one: usize, other: usize) -> Option<f64> {
    let [losses, draws, wins] = pairings.get(&(one.min(other), one.max(other)))?.ldw;
    count::score(if one < other { [losses, draws, wins] } else { [wins, draws, losses] })
}

/// Whether any two bots moved first equally often against each other. Otherwise the score of those who moved first
/// tells of their strength too.
fn seats_swapped(units: &[Unit]) -> bool {
    let mut surplus: BTreeMap<(usize, usize), i128> = BTreeMap::new();
    for unit in units {
        for &Comparison { first, second, .. } in &unit.comparisons {
            let sign = if first < second { 1 } else { -1 };
            *surplus.entry((first.min(second), first.max(second))).or_default() += sign * i128::from(unit.weight);
        }
    }
    surplus.values().all(|&surplus| surplus == 0)
}

/// The ratings of one game in one design.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RatedField {
    /// The id of the game; empty for tables of counts.
    pub(crate) game: String,
    /// The seats of the game.
    pub(crate) seats: usize,
    /// Different bots at a table: with four seats four, or two of which one or both have several seats.
    pub(crate) bots_per_table: usize,
    /// The games of a unit.
    pub(crate) games_per_unit: u32,
    /// All games.
    pub(crate) games: u64,
    /// Complete units. Only these enter ratings.
    pub(crate) units: u64,
    /// Units of which a game is missing.
    pub(crate) incomplete_units: u64,
    /// The bots, in groups linked by results both ways. With more than one, ratings rest on virtual draws.
    pub(crate) groups: Vec<Vec<String>>,
    /// What moving first is worth.
    pub(crate) first_player: Option<Advantage>,
    /// The bots, the best first.
    #[serde(serialize_with = "rated")]
    pub(crate) bots: Vec<BotSummary>,
    /// How likely each bot is stronger than each other one, in the order of `bots`.
    pub(crate) los: Vec<Vec<Option<f64>>>,
    /// Each bot's mean score against each other one, in the order of `bots`; `None` where they did not meet.
    pub(crate) scores: Vec<Vec<Option<f64>>>,
}

/// What moving first is worth, in Elo.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Advantage {
    /// Elo; not finite where the first player won or lost everything.
    pub(crate) elo: f64,
    /// The lower end of the 95% interval.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    /// Whether it was fitted together with the ratings.
    pub(crate) fitted: bool,
}

impl Advantage {
    /// Fitted, or else from the scores of those who moved first.
    fn of(count: &Count, rated: &Rated) -> Option<Advantage> {
        if let Some(Difference { elo, error95, .. }) = rated.ratings.first_advantage {
            let end = |sign: f64| error95.map(|error| elo + sign * error);
            return Some(Advantage { elo, lo95: end(-1.0), hi95: end(1.0), fitted: true });
        }
        let MatchElo { elo, lo95, hi95, .. } = count.first_player().filter(|_| seats_swapped(&count.units()))?;
        Some(Advantage { elo, lo95: Some(lo95), hi95: Some(hi95), fitted: false })
    }
}

/// Bots with all that is known of their ratings, and nothing of a run.
fn rated<S: Serializer>(bots: &[BotSummary], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct WithUnits<'a> {
        #[serde(flatten)]
        bot: &'a BotSummary,
        error95: Option<f64>,
        units: u64,
    }
    const KEYS: &str = "rank name elo lo95 hi95 error95 provisional mark units games score wins draws losses mean_place \
                        firsts los_next";
    let rated = bots.iter().map(|bot| WithUnits { bot, error95: bot.error95, units: bot.units });
    serializer.collect_seq(rated.map(|bot| Only(bot, KEYS)))
}
