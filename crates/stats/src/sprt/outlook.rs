//! The expected length of a test, and how often it passes.
//!
//! The LLR is treated as a Brownian motion (A. Wald 1947; D. Siegmund 1985). Real tests take up to
//! 5% more units for narrow bounds, and 10 to 30% more if fewer than 50 units are expected.

use schemars::JsonSchema;
use serde::Serialize;

use super::betting::Walk;
use super::brownian::Motion;
use super::hypotheses::{Hypotheses, Model};
use super::likelihood::regularised;
use crate::scores::UnitScores;
use crate::{C2, StatsError, bisect, elo_to_score, score_to_elo};

/// Below this, the drift of a motion is negligible.
const LEVEL: f64 = 1e-6;

/// The most lopsided scores that a variance is scaled to. Closer to 0 or 1 none would be left.
const LOPSIDED: [f64; 2] = [0.01, 0.99];

/// Assumptions about the units to be played. Their scores vary: without variance there is no
/// outlook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// Games in a unit.
    pub games: u32,
    /// Variance of the score of a unit.
    pub variance: f64,
    /// Share of units that score exactly one half, if it is known.
    pub level_share: Option<f64>,
    /// The mean score of measured units. The variance holds at this score.
    pub score: Option<f64>,
}

impl Units {
    /// Returns units like those already played; `None` without any. If all scored alike, the two
    /// ends of the scale are counted a little, as in the likelihood, to leave some variance.
    pub fn like(scores: &UnitScores, games_per_unit: u32) -> Option<Self> {
        let (mut score, mut variance) = (scores.mean()?, scores.variance()?);
        if variance == 0.0 {
            [score, variance, _] = regularised(scores);
        }
        Some(Self {
            games: games_per_unit,
            variance,
            level_share: Some(scores.around_half()[1] as f64 / scores.units() as f64),
            score: Some(score),
        })
    }

    /// Returns measured units as they would be if the bot had this mean score, limited to 1% to
    /// 99%. The variance of a score p is taken to be in proportion to `p (1 - p)`, as that of games
    /// without draws. Assumed units stay as they are.
    #[must_use]
    pub fn at(self, score: f64) -> Self {
        let Some(measured) = self.score else {
            return self;
        };
        let score = score.clamp(LOPSIDED[0], LOPSIDED[1]);
        Self {
            variance: self.variance * score * (1.0 - score) / (measured * (1.0 - measured)),
            score: Some(score),
            ..self
        }
    }

    /// Returns units with this share of drawn games, in a game that favours one side by `bias` Elo
    /// at a typical start. In units of two or more games with swapped seats the bias takes variance
    /// away: `(1 - draw_ratio) / 4 - (L(bias) - 1/2)^2` per game.
    ///
    /// # Errors
    /// [`StatsError`] for a ratio that isn't a share, and for a bias that leaves no variance.
    pub fn assumed(games_per_unit: u32, draw_ratio: f64, bias: f64) -> Result<Self, StatsError> {
        if !(0.0..1.0).contains(&draw_ratio) {
            return Err(StatsError(format!(
                "assume a draw ratio of {draw_ratio}: numbers from 0 up to, but not including, 1 are needed"
            )));
        }
        let per_game = (1.0 - draw_ratio) / 4.0 - (elo_to_score(bias) - 0.5).powi(2);
        if per_game.is_nan() || per_game <= 0.0 {
            return Err(StatsError(format!(
                "assume draw ratio {draw_ratio} and start positions {bias} Elo out of balance: they leave no variance"
            )));
        }
        Ok(Self {
            games: games_per_unit,
            variance: per_game / f64::from(games_per_unit),
            level_share: (games_per_unit == 1).then_some(draw_ratio),
            score: None,
        })
    }

    /// Returns the variance of a score per game: that of a single game if all were independent.
    pub fn variance_per_game(&self) -> f64 {
        self.variance * f64::from(self.games)
    }

    /// Returns the normalized Elo of a bot that is `elo` stronger in ordinary Elo.
    pub fn normalized_elo(&self, elo: f64) -> f64 {
        C2 * (elo_to_score(elo) - 0.5) / self.variance_per_game().sqrt()
    }

    /// Returns the ordinary Elo of a bot that is `nelo` stronger in normalized Elo; infinite or NaN
    /// if no score is so high.
    pub fn logistic_elo(&self, nelo: f64) -> f64 {
        score_to_elo(0.5 + nelo / C2 * self.variance_per_game().sqrt())
    }
}

/// The expected course of a test if the true strength is known.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Outlook {
    /// Chance to end accepted.
    pub pass_probability: f64,
    /// Mean number of units.
    pub expected_units: f64,
    /// Mean number of games.
    pub expected_games: f64,
    /// The fewest units that can end the test, whatever their results, unless almost none is level.
    #[serde(skip)]
    pub fewest_units: f64,
    #[serde(skip)]
    motion: Motion,
    /// Variance of the LLR per unit.
    #[serde(skip)]
    pace: f64,
    /// The walk of a bet that ends the test sooner than the LLR.
    #[serde(skip)]
    bet: Option<Walk>,
}

impl Outlook {
    /// Returns the outlook if a bet may end the test as well.
    pub(super) fn or_sooner(self, bet: Option<Walk>) -> Self {
        let games_per_unit = self.expected_games / self.expected_units;
        match bet {
            Some(bet) if bet.units() < self.expected_units => Self {
                expected_units: bet.units(),
                expected_games: bet.units() * games_per_unit,
                bet: Some(bet),
                ..self
            },
            _ => self,
        }
    }

    /// Returns the number of units that end the test with this probability, which must be less than
    /// 1.
    pub fn units_quantile(&self, probability: f64) -> f64 {
        let is_inside = |time| self.motion.inside(time) > 1.0 - probability;
        let mut hi = 1.0;
        while is_inside(hi) && hi < 1e9 {
            hi *= 2.0;
        }
        let by_llr = (bisect(0.0, hi, is_inside) / self.pace).max(self.fewest_units);
        self.bet
            .map_or(by_llr, |bet| bet.units_quantile(probability).min(by_llr))
    }
}

/// Returns the outlook for the rest of a test if the true mean score is `score` and the LLR is
/// `llr`, between the bounds.
pub fn outlook(hypotheses: &Hypotheses, units: &Units, score: f64, llr: f64) -> Outlook {
    let [s0, s1] = hypotheses.scores(units.games, units.variance);
    let (lower, upper) = (hypotheses.lower(), hypotheses.upper());
    let pace = (s1 - s0) * (s1 - s0) / units.variance;
    let height = upper - lower;
    // The LLR per variance of the LLR: half of what the literature calls h.
    let drift = (2.0 * score - s0 - s1) / (s1 - s0) / 2.0;
    let flat = (2.0 * drift * height).abs() < LEVEL;
    let motion = Motion {
        start: llr - lower,
        height,
        drift: if flat { 0.0 } else { drift },
    };
    let mut mirrored = motion;
    (mirrored.start, mirrored.drift) = (upper - llr, -motion.drift);
    let pass_probability = mirrored.lower_ever();
    let time = if flat {
        (upper - llr) * (llr - lower)
    } else {
        (upper * pass_probability + lower * (1.0 - pass_probability) - llr) / drift
    };
    let way = pass_probability * (upper - llr) + (1.0 - pass_probability) * (llr - lower);
    // If nearly all units are level, none moves the LLR by more than this step: both hypotheses
    // explain a level unit well, and differ only in how many won units they expect.
    let step = -(1.0 - 2.0 * (s1 - s0)).max(0.0).ln();
    let fewest_units = way / step;
    let expected_units = (time / pace).max(fewest_units);
    Outlook {
        pass_probability,
        expected_units,
        expected_games: expected_units * f64::from(units.games),
        fewest_units,
        motion,
        pace,
        bet: None,
    }
}

/// Returns true if bots draw so much that `elo1` can hardly be reached and a test will reject a
/// real gain: even if all units that aren't level are better than level, by the least amount. Then
/// use bounds in normalized Elo, or closer to 0.
pub fn out_of_reach(hypotheses: &Hypotheses, units: &Units) -> bool {
    let [_, s1] = hypotheses.scores(units.games, units.variance);
    let least_win = if units.games == 1 { 0.5 } else { 0.25 };
    let is_beyond = |level| s1 - 0.5 > (1.0 - level) * least_win;
    hypotheses.model == Model::Logistic && units.level_share.is_some_and(is_beyond)
}
