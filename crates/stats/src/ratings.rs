//! Ratings of many bots on one scale.
//!
//! The model is Bradley and Terry's, on expected scores: a draw is half a win and half a loss, and
//! for two bots the rating difference is the Elo of their match. The fit is by Newton's method
//! (`fit`). Errors are sandwich errors by unit (White 1980; Liang and Zeger 1986). They measure the
//! scatter of whole units instead of assuming it, so they account for draws, pairs and seats that
//! share a seed (`errors`).
//!
//! With four seats every game gives six comparisons. They share the game's luck, so all comparisons
//! of all games on one seed belong to one [`Unit`].
//!
//! Finite ratings exist only if no group of bots won everything against the rest (L. Ford 1957).
//! Otherwise every bot gets a few virtual draws against a virtual bot, and the result says so.

mod errors;
mod fit;
mod links;
pub mod misfit;
mod table;

use std::borrow::Borrow;

use schemars::JsonSchema;
use serde::Serialize;

use self::errors::Covariance;
pub use self::errors::FEW_UNITS;
use self::table::Table;
pub use self::table::{Comparison, Settings, Unit};
use super::scores::UnitScores;
pub use super::scores::half_points;
use super::{C, StatsError, Z95, normal_cdf};

/// The reason why a bot's true rating is beyond any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It won everything; shown as `>`.
    Perfect,
    /// It lost everything; shown as `<`.
    Zero,
}

/// The rating of one bot.
#[derive(Debug, Clone, PartialEq)]
pub struct BotRating {
    /// Rating.
    pub elo: f64,
    /// Half-width of the 95% interval; `None` while there are too few games.
    pub error95: Option<f64>,
    /// Units it took part in.
    pub units: u64,
    /// Whether it took part in fewer than [`FEW_UNITS`] units.
    pub provisional: bool,
    /// Whether it won or lost everything.
    pub mark: Option<Mark>,
}

/// One bot against another, or moving first against moving second. It is a test, unlike a
/// comparison of two intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Elo of the first less that of the second.
    pub elo: f64,
    /// Half-width of the 95% interval; `None` while there are too few games.
    pub error95: Option<f64>,
    /// Likelihood that the first is stronger; `None` while there are too few games.
    pub los: Option<f64>,
}

impl Difference {
    /// Returns the difference with an interval so many times as wide.
    #[must_use]
    pub fn wider(self, times: f64) -> Self {
        let variance = self.error95.map(|error| (times * error / Z95).powi(2));
        Self::new(self.elo, variance)
    }

    fn new(elo: f64, variance: Option<f64>) -> Self {
        let deviation = variance.map(f64::sqrt);
        Self {
            elo,
            error95: deviation.map(|deviation| Z95 * deviation),
            los: deviation.map(|deviation| match elo {
                0.0 => 0.5,
                _ => normal_cdf(elo / deviation),
            }),
        }
    }
}

/// The ratings of all bots.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// One entry per bot, by index.
    pub bots: Vec<BotRating>,
    /// Units with at least one comparison.
    pub units: u64,
    /// Groups of bots, each linked by results both ways. If there are several, virtual games were
    /// needed: ratings between groups mean nothing, and errors belong in parentheses.
    pub components: Vec<Vec<usize>>,
    /// The first player's advantage, if the settings ask for it.
    pub first_advantage: Option<Difference>,
    settings: Settings,
    errors: Option<Covariance>,
}

impl Ratings {
    /// Returns how much stronger bot `one` is than bot `other`.
    ///
    /// # Panics
    /// If there is no such bot.
    pub fn difference(&self, one: usize, other: usize) -> Difference {
        let (a, b) = (&self.bots[one], &self.bots[other]);
        let errors = self.errors.as_ref();
        let variance = errors.map(|errors| errors.difference(one, other, a.units.min(b.units)));
        Difference::new(a.elo - b.elo, variance)
    }
}

/// Rates `bots` bots, named by their indices, from `units`, which need not be in memory all at
/// once.
///
/// # Errors
/// A first player's advantage without a limit, or results beyond floating point.
///
/// # Panics
/// If a comparison or an anchor names a bot that does not exist.
pub fn rate(
    bots: usize,
    units: impl IntoIterator<Item = impl Borrow<Unit>>,
    settings: &Settings,
) -> Result<Ratings, StatsError> {
    let mut table = Table::new(bots, units, settings.first_advantage);
    let level = settings.anchors.iter().map(|(_, elo)| elo).sum::<f64>()
        / settings.anchors.len().max(1) as f64;
    if let [_, _, ..] = settings.anchors[..] {
        for &(bot, elo) in &settings.anchors {
            table.fixed.push((bot, (elo - level) / C));
        }
    }
    let components = links::components(&table);
    if components.len() > 1 {
        table.prior = settings.prior;
    }
    if settings.first_advantage && !links::first_advantage_is_finite(&table) {
        return Err(StatsError(
            "fit the first player's advantage: these results set no limit to it; leave it out, or play more games with \
             swapped seats"
                .to_owned(),
        ));
    }
    let theta = fit::fit(&table).ok_or_else(fit::lopsided)?;
    let errors = Covariance::new(&table, &theta, settings)?;
    let shift = match settings.anchors[..] {
        [] => settings.mean - C * theta.iter().take(bots).sum::<f64>() / bots as f64,
        [(bot, elo)] => elo - C * theta[bot],
        _ => level,
    };
    let records = table.records();
    let mut rated = Vec::with_capacity(bots);
    for (bot, &units) in table.units_of.iter().enumerate() {
        let variance = errors.as_ref().map(|errors| errors.of(bot, units));
        rated.push(BotRating {
            elo: C * theta[bot] + shift,
            error95: variance.map(|variance| Z95 * variance.sqrt()),
            units,
            provisional: units < FEW_UNITS,
            mark: match records[bot] {
                [_, 0] => None,
                [0, _] => Some(Mark::Zero),
                [half_points, games] if half_points == 2 * games => Some(Mark::Perfect),
                _ => None,
            },
        });
    }
    let first_advantage = settings.first_advantage.then(|| {
        let variance = errors.as_ref().map(|errors| errors.of(bots, table.units));
        Difference::new(C * theta[bots], variance)
    });
    Ok(Ratings {
        bots: rated,
        units: table.units,
        components,
        first_advantage,
        settings: settings.clone(),
        errors,
    })
}

/// Returns the first movers' scores, unit by unit, for [`super::elo::match_elo`], which then gives
/// the advantage of moving first. Units without comparisons are left out.
///
/// # Errors
/// Too many units.
pub fn first_player_scores(units: &[Unit]) -> Result<UnitScores, StatsError> {
    let played = units.iter().filter(|unit| !unit.comparisons.is_empty());
    UnitScores::from_values(played.map(|unit| {
        let met = unit.comparisons.iter();
        let points: u64 = met.map(|met| u64::from(half_points(met.outcome))).sum();
        let full = 2 * unit.comparisons.len() as u64;
        (points as f64 / full as f64, unit.weight)
    }))
}
