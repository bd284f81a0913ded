//! What is to be expected of a test: its length, and how often it passes.
//!
//! The LLR of a test is taken for a Brownian motion (A. Wald 1947; D. Siegmund 1985). Real tests take up to 5% more
//! units than that for narrow bounds, and 10 to 30% more where fewer than 50 units are expected.

use serde::Serialize;

use super::betting::Walk;
use super::brownian::Motion;
use super::{Hypotheses, Model};
use crate::scores::UnitScores;
use crate::{C2, StatsError, by_halves, elo_to_score, score_to_elo};

/// Below this, the drift of a motion is negligible.
const LEVEL: f64 = 1e-6;

/// What is assumed of the units to be played. They vary: of units that all score alike nothing can be expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// Games in a unit.
    pub games: u32,
    /// Variance of the score of a unit.
    pub variance: f64,
    /// Share of units that score exactly one half, where known.
    pub level_share: Option<f64>,
}

impl Units {
    /// Units like those already played; `None` without any. Where all scored alike, the two ends of the scale are
    /// counted a little, as in the likelihood, to leave some variance.
    pub fn like(scores: &UnitScores, games_per_unit: u32) -> Option<Self> {
        let variance = match scores.variance()? {
            0.0 => super::likelihood::regularised(scores)[1],
            variance => variance,
        };
        let level_share = Some(scores.around_half()[1] as f64 / scores.units() as f64);
        Some(Self {
            games: games_per_unit,
            variance,
            level_share,
        })
    }

    /// Units of which only the share of drawn games is known, and by how many Elo a start position typically favours
    /// a side; in units of two or more games with swapped seats that takes variance away:
    /// `(1 - draw_ratio) / 4 - (L(bias) - 1/2)^2` per game.
    ///
    /// # Errors
    /// [`StatsError`] for what is no share, and for a bias that leaves no variance.
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
        let level_share = (games_per_unit == 1).then_some(draw_ratio);
        Ok(Self {
            games: games_per_unit,
            variance: per_game / f64::from(games_per_unit),
            level_share,
        })
    }

    /// Variance of a score per game: of a single game, were all independent.
    pub fn variance_per_game(&self) -> f64 {
        self.variance * f64::from(self.games)
    }

    /// The normalized Elo of a bot that is `elo` stronger in ordinary Elo.
    pub fn normalized_elo(&self, elo: f64) -> f64 {
        C2 * (elo_to_score(elo) - 0.5) / self.variance_per_game().sqrt()
    }

    /// The ordinary Elo of a bot that is `nelo` stronger in normalized Elo; infinite or NaN where no score is so high.
    pub fn logistic_elo(&self, nelo: f64) -> f64 {
        score_to_elo(0.5 + nelo / C2 * self.variance_per_game().sqrt())
    }
}

/// What is to be expected of a test, if the true strength is known.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Outlook {
    /// The chance to end accepted.
    pub pass_probability: f64,
    /// Mean number of units, never less than `fewest_units`.
    pub expected_units: f64,
    /// Mean number of games.
    pub expected_games: f64,
    /// Fewer units can hardly end the test, whatever their results, unless almost none is level.
    #[serde(skip)]
    pub fewest_units: f64,
    #[serde(skip)]
    motion: Motion,
    /// Variance of the LLR per unit.
    #[serde(skip)]
    pace: f64,
    /// The way of a bet that ends the test sooner than the LLR.
    #[serde(skip)]
    bet: Option<Walk>,
}

impl Outlook {
    /// What is to be expected if a bet may end the test as well.
    pub(super) fn or_sooner(self, bet: Option<Walk>) -> Self {
        let Some(bet) = bet.filter(|bet| bet.units() < self.expected_units) else {
            return self;
        };
        let games_per_unit = self.expected_games / self.expected_units;
        Self {
            expected_units: bet.units(),
            expected_games: bet.units() * games_per_unit,
            bet: Some(bet),
            ..self
        }
    }

    /// The number of units within which the test has ended with this probability, which must be less than 1.
    pub fn units_quantile(&self, probability: f64) -> f64 {
        let by_bet = self
            .bet
            .map_or(f64::INFINITY, |bet| bet.units_quantile(probability));
        by_bet.min(self.llr_quantile(probability))
    }

    fn llr_quantile(&self, probability: f64) -> f64 {
        let mut hi = 1.0;
        while self.motion.inside(hi) > 1.0 - probability && hi < 1e9 {
            hi *= 2.0;
        }
        let time = by_halves(0.0, hi, |time| self.motion.inside(time) > 1.0 - probability);
        (time / self.pace).max(self.fewest_units)
    }
}

/// What is to be expected of the rest of a test, if the true mean score is `score` and the LLR has come to `llr`,
/// which lies between the bounds.
pub fn outlook(hypotheses: &Hypotheses, units: &Units, score: f64, llr: f64) -> Outlook {
    let [s0, s1] = hypotheses.scores(units.games, units.variance);
    let (lower, upper) = (hypotheses.lower(), hypotheses.upper());
    let pace = (s1 - s0) * (s1 - s0) / units.variance;
    let height = upper - lower;
    // The LLR per variance of the LLR: half of what is called h in the literature.
    let drift = (2.0 * score - s0 - s1) / (s1 - s0) / 2.0;
    let flat = (2.0 * drift * height).abs() < LEVEL;
    let motion = Motion {
        start: llr - lower,
        height,
        drift: if flat { 0.0 } else { drift },
    };
    let pass_probability = Motion {
        start: upper - llr,
        drift: -motion.drift,
        ..motion
    }
    .lower_ever();
    let time = if flat {
        (upper - llr) * (llr - lower)
    } else {
        (upper * pass_probability + lower * (1.0 - pass_probability) - llr) / drift
    };
    let way = pass_probability * (upper - llr) + (1.0 - pass_probability) * (llr - lower);
    // Where nearly all units are level, each moves the LLR by no more than this step: both hypotheses explain a level
    // unit well, and differ only in how many units they expect to be won outright.
    let step = -(1.0 - 2.0 * (s1 - s0)).max(0.0).ln();
    let fewest_units = way / step;
    let expected_units = (time / pace).max(fewest_units);
    let expected_games = expected_units * f64::from(units.games);
    Outlook {
        pass_probability,
        expected_units,
        expected_games,
        fewest_units,
        motion,
        pace,
        bet: None,
    }
}

/// Whether bots draw so much that `elo1` can hardly be reached, and a test will reject what is a real gain: even if all units
/// that are not level are better than level, by the least amount. Bounds in normalized Elo, or closer to 0, do better then.
pub fn out_of_reach(hypotheses: &Hypotheses, units: &Units) -> bool {
    let [_, s1] = hypotheses.scores(units.games, units.variance);
    let least_win = if units.games == 1 { 0.5 } else { 0.25 };
    let Some(level) = units.level_share else {
        return false;
    };
    hypotheses.model == Model::Logistic && s1 - 0.5 > (1.0 - level) * least_win
}
