//! Ratings of many bots on one scale.
//!
//! The model is Bradley and Terry's, on expected scores: a draw is half a win and half a loss, and for two bots the
//! rating difference is the Elo of their match. The fit is by Newton's method (`fit`). Errors are sandwich errors
//! by unit (White 1980; Liang and Zeger 1986), which measure the scatter of whole units instead of assuming it, so
//! that draws, pairs and seats that share a seed are all accounted for (`errors`).
//!
//! With four seats every game gives six comparisons. They share the game's luck, so all comparisons of all games on
//! one seed belong into one [`Unit`].
//!
//! Finite ratings exist only if no group of bots won everything against the rest (L. Ford 1957). Where they do not,
//! every bot is given a few virtual draws against a virtual bot, and the result says so.

mod errors;
mod fit;
mod links;
mod table;

use serde::Serialize;
use thiserror::Error;

use self::errors::Spread;
use self::fit::Fitted;
use self::table::Table;
use super::scores::{ScoresError, UnitScores};
use super::{C, Z95, normal_cdf};

/// A bot with fewer units is provisional: its error is the larger of two estimates.
pub const FEW_UNITS: u64 = 30;

/// What a comparison gave the first of its two bots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Nothing.
    Loss,
    /// Half a point.
    Draw,
    /// The whole point.
    Win,
}

impl Outcome {
    /// What the other bot got.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// Two bots compared: a game with two seats, or two seats of a larger game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comparison {
    /// Index of a bot; the one that moved first, if anybody did.
    pub first: usize,
    /// Index of the other. A bot compared with itself says nothing and is ignored.
    pub second: usize,
    /// What `first` got.
    pub outcome: Outcome,
}

/// All comparisons of all games on one seed. The order of units, and of comparisons in them, is of no account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Who met whom.
    pub comparisons: Vec<Comparison>,
    /// How many units gave these same comparisons.
    pub weight: u64,
}

/// What fixes the level of the ratings. It changes the errors too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// The mean of all ratings, in Elo.
    Mean(f64),
    /// One bot, which then has no error.
    Bot {
        /// Its index.
        bot: usize,
        /// Its rating.
        elo: f64,
    },
}

/// How to rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What fixes the level.
    pub anchor: Anchor,
    /// Whether to fit the advantage of moving first. Needless, and less exact, where units swap the seats.
    pub first_advantage: bool,
    /// Virtual draws given to each bot where no finite ratings exist; 0 refuses to rate instead.
    pub prior: f64,
    /// Games in a unit.
    pub games_per_unit: u32,
}

impl Settings {
    /// Mean 0, no first player's advantage, one virtual game where needed.
    #[must_use]
    pub fn new(games_per_unit: u32) -> Self {
        Self { anchor: Anchor::Mean(0.0), first_advantage: false, prior: 1.0, games_per_unit }
    }
}

/// Why bots could not be rated.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RatingsError {
    /// A comparison or the anchor names a bot that does not exist.
    #[error("find bot {bot} (counted from 0) among {bots} bots")]
    UnknownBot {
        /// The index given.
        bot: usize,
        /// Number of bots.
        bots: usize,
    },
    /// The anchor is no finite number.
    #[error("anchor ratings at {0}: a finite number is needed")]
    Anchor(f64),
    /// The number of virtual games is no number.
    #[error("add {0} virtual games: 0 or a positive number is needed")]
    Prior(f64),
    /// No finite ratings exist, and virtual games were not allowed.
    #[error(
        "rate bots in {} groups that are not linked by results both ways: play more games, or allow virtual games",
        .components.len()
    )]
    NotLinked {
        /// The groups, as indices of bots.
        components: Vec<Vec<usize>>,
    },
    /// No finite advantage exists.
    #[error(
        "fit the first player's advantage: these results set no limit to it; leave it out, or play more games with \
         swapped seats"
    )]
    FirstAdvantage,
    /// Neither method found the maximum.
    #[error("find the most likely ratings: the results are too lopsided to compute with; allow virtual games")]
    NotConverged,
}

/// Why a bot's true rating lies beyond any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It won everything; shown as `>`.
    Perfect,
    /// It lost everything; shown as `<`.
    Zero,
}

/// One bot.
#[derive(Debug, Clone, PartialEq)]
pub struct BotRating {
    /// Rating.
    pub elo: f64,
    /// Half-width of the 95% interval; `None` while there are not enough games.
    pub error95: Option<f64>,
    /// Units it took part in.
    pub units: u64,
    /// Comparisons it took part in.
    pub comparisons: u64,
    /// Points from them.
    pub points: f64,
    /// Whether it took part in fewer than [`FEW_UNITS`] units.
    pub provisional: bool,
    /// Whether it won or lost everything.
    pub mark: Option<Mark>,
}

impl BotRating {
    /// Lower 95% end.
    #[must_use]
    pub fn lo95(&self) -> Option<f64> {
        self.error95.map(|error| self.elo - error)
    }

    /// Upper 95% end.
    #[must_use]
    pub fn hi95(&self) -> Option<f64> {
        self.error95.map(|error| self.elo + error)
    }
}

/// The advantage of moving first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstAdvantage {
    /// How much moving first is worth.
    pub elo: f64,
    /// Half-width of the 95% interval; `None` while there are not enough games.
    pub error95: Option<f64>,
}

/// One bot against another: a test, where two separate intervals would be none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// How much stronger the one is.
    pub elo: f64,
    /// Half-width of the 95% interval; `None` while there are not enough games.
    pub error95: Option<f64>,
    /// Likelihood that it is the stronger; `None` while there are not enough games.
    pub los: Option<f64>,
}

/// The rated bots.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// One entry per bot, by index.
    pub bots: Vec<BotRating>,
    /// Units with at least one comparison.
    pub units: u64,
    /// Groups of bots, each linked by results both ways. With more than one, ratings between groups mean nothing.
    pub components: Vec<Vec<usize>>,
    /// If there was more than one group, the rating of the virtual bot of the virtual games that were needed. Errors of such
    /// ratings belong in parentheses.
    pub virtual_elo: Option<f64>,
    /// The first player's advantage, if it was asked for.
    pub first_advantage: Option<FirstAdvantage>,
    spread: Option<Spread>,
}

impl Ratings {
    /// How much stronger bot `one` is than bot `other`.
    ///
    /// # Panics
    /// If there is no such bot.
    #[must_use]
    pub fn difference(&self, one: usize, other: usize) -> Difference {
        let (a, b) = (&self.bots[one], &self.bots[other]);
        let elo = a.elo - b.elo;
        let variance = self.spread.as_ref().map(|spread| spread.difference(one, other, a.units.min(b.units)));
        Difference {
            elo,
            error95: variance.map(|variance| Z95 * variance.sqrt()),
            los: variance.map(|variance| if elo == 0.0 { 0.5 } else { normal_cdf(elo / variance.sqrt()) }),
        }
    }
}

/// Rates `bots` bots, named by their indices, from `units`.
///
/// # Errors
/// Settings or comparisons that make no sense; a first player's advantage without a limit; and, if `prior` is 0,
/// results that have no finite ratings.
pub fn rate(bots: usize, units: &[Unit], settings: &Settings) -> Result<Ratings, RatingsError> {
    check(bots, units, settings)?;
    let table = Table::new(bots, units, settings.first_advantage);
    let components = links::components(&table);
    let prior = if components.len() > 1 { settings.prior } else { 0.0 };
    if components.len() > 1 && prior == 0.0 {
        return Err(RatingsError::NotLinked { components });
    }
    if settings.first_advantage && !links::first_advantage_is_finite(&table, prior > 0.0) {
        return Err(RatingsError::FirstAdvantage);
    }
    let fitted = fit::fit(&table, prior).ok_or(RatingsError::NotConverged)?;
    let spread = Spread::new(&table, &fitted, settings)?;
    Ok(assemble(&table, &fitted, spread, components, settings.anchor))
}

/// The first movers' scores, unit by unit: what moving first is worth, to be given to [`super::elo::match_elo`].
///
/// # Errors
/// Too many units, or units of so many different sizes that their scores have no common parts.
pub fn first_player_scores(units: &[Unit]) -> Result<UnitScores, ScoresError> {
    let units = || units.iter().filter(|unit| !unit.comparisons.is_empty());
    let parts = units().try_fold(2, |parts: usize, unit| {
        let half_points = 2 * unit.comparisons.len();
        (half_points / gcd(parts, half_points)).checked_mul(parts)
    });
    let too_many = ScoresError::TooMany { denominator: u32::MAX };
    let parts = parts.and_then(|parts| u32::try_from(parts).ok()).ok_or(too_many)?;
    let mut scores = UnitScores::new(parts)?;
    for unit in units() {
        let half_points: u32 = unit.comparisons.iter().map(|comparison| comparison.outcome as u32).sum();
        let all = 2 * u32::try_from(unit.comparisons.len()).unwrap_or(parts);
        scores.add(half_points * (parts / all), unit.weight)?;
    }
    Ok(scores)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn check(bots: usize, units: &[Unit], settings: &Settings) -> Result<(), RatingsError> {
    let anchored = match settings.anchor {
        Anchor::Mean(elo) => (None, elo),
        Anchor::Bot { bot, elo } => (Some(bot), elo),
    };
    if !anchored.1.is_finite() {
        return Err(RatingsError::Anchor(anchored.1));
    }
    if !(settings.prior.is_finite() && settings.prior >= 0.0) {
        return Err(RatingsError::Prior(settings.prior));
    }
    let compared = units.iter().flat_map(|unit| &unit.comparisons).flat_map(|c| [c.first, c.second]);
    match compared.chain(anchored.0).find(|&bot| bot >= bots) {
        Some(bot) => Err(RatingsError::UnknownBot { bot, bots }),
        None => Ok(()),
    }
}

fn assemble(
    table: &Table,
    fitted: &Fitted,
    spread: Option<Spread>,
    components: Vec<Vec<usize>>,
    anchor: Anchor,
) -> Ratings {
    let shift = match anchor {
        Anchor::Mean(elo) => elo - C * fitted.strengths().sum::<f64>() / table.bots as f64,
        Anchor::Bot { bot, elo } => elo - C * fitted.theta[bot],
    };
    let error = |bot: usize| spread.as_ref().map(|spread| Z95 * spread.of_bot(bot, table.units_of[bot]).sqrt());
    let bots = fitted.strengths().enumerate().map(|(bot, theta)| {
        let (half_points, comparisons) = table.record(bot);
        BotRating {
            elo: C * theta + shift,
            error95: error(bot),
            units: table.units_of[bot],
            comparisons,
            points: half_points as f64 / 2.0,
            provisional: table.units_of[bot] < FEW_UNITS,
            mark: mark(half_points, comparisons),
        }
    });
    Ratings {
        bots: bots.collect(),
        units: table.units,
        virtual_elo: (components.len() > 1).then_some(shift),
        components,
        first_advantage: fitted.first_advantage().map(|theta| FirstAdvantage {
            elo: C * theta,
            error95: spread.as_ref().map(|spread| Z95 * spread.of_bot(table.bots, table.units).sqrt()),
        }),
        spread,
    }
}

fn mark(half_points: u64, comparisons: u64) -> Option<Mark> {
    match half_points {
        _ if comparisons == 0 => None,
        0 => Some(Mark::Zero),
        _ => (half_points == 2 * comparisons).then_some(Mark::Perfect),
    }
}
