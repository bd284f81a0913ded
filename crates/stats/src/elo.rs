//! Elo of a match of two sides, with its confidence interval.
//!
//! The interval is Wilson's (E. B. Wilson 1927), taken at the *effective number* of units: how many
//! plain wins and losses would carry the same information. Draws and pairs make units steadier than
//! coin flips, so that number is above the number of units. Unlike the mean plus and minus two
//! standard errors, the interval keeps its coverage with few units and with scores near 0 and 1,
//! and it never shrinks to nothing.
//!
//! If you watch a match and may stop it, you need the wider interval that holds at every look
//! ([`super::estimate::Estimate::at_every_look`]).
//!
//! For the first player's advantage, count each unit from the first movers' side
//! ([`super::ratings::first_player_scores`]) and call [`match_elo`].

use schemars::JsonSchema;
use serde::Serialize;

use super::interval::{Beyond, Holds, beyond};
use super::scores::{Sums, UnitScores};
use super::{C, C2, Z95, elo_of_odds, elo_to_score, normal_cdf};

/// A match seen from one side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(into = "MatchFigures")]
pub struct MatchElo {
    /// Complete units.
    pub units: u64,
    /// Games in them.
    pub games: u64,
    /// Mean score, 0 to 1.
    pub score: f64,
    /// Lower 95% end of the score; always finite.
    pub score_lo: f64,
    /// Upper 95% end of the score; always finite.
    pub score_hi: f64,
    /// Elo of the score; infinite when everything was won or lost.
    pub elo: f64,
    /// Lower 95% end of Elo.
    pub lo95: f64,
    /// Upper 95% end of Elo.
    pub hi95: f64,
    /// Half the width of the 95% interval of Elo, which is symmetric; infinite if an end is.
    pub error95: f64,
    /// Likelihood of superiority. It is above 97.5% exactly if the 95% interval lies above 0.
    pub los: f64,
    /// Number of independent wins and losses, without draws, that carry the same information.
    pub n_eff: f64,
    /// Variance of the score of a unit.
    pub variance: f64,
    /// Normalized Elo (per game). Infinite if all units score alike, `None` if they all score one
    /// half.
    pub nelo: Option<f64>,
    /// Lower 95% end of normalized Elo; `None` if it isn't finite.
    pub nelo_lo95: Option<f64>,
    /// Upper 95% end.
    pub nelo_hi95: Option<f64>,
    /// Share of units that scored exactly one half: drawn games, or pairs whose games cancel.
    pub draw_ratio: f64,
    /// Units won to units lost; infinite if none was lost, `None` if none was won either.
    pub pairs_ratio: Option<f64>,
}

/// What JSON says of a match besides its Elo.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MatchFigures {
    /// Complete units that count.
    units: u64,
    /// Games that count.
    games: u64,
    /// Mean score, from 0 to 1; null if unknown.
    score: f64,
    #[serde(flatten)]
    figures: Figures,
}

/// The figures of a match for a single look.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Figures {
    /// Number of independent wins and losses that would say as much; null if unknown.
    n_eff: f64,
    /// Normalized Elo, per standard deviation of a game; null if unknown or infinite.
    nelo: Option<f64>,
    /// Lower end of the 95% interval of `nelo`; null if unknown.
    nelo_lo95: Option<f64>,
    /// Upper end of the 95% interval of `nelo`; null if unknown.
    nelo_hi95: Option<f64>,
    /// Share of units that scored exactly one half; null if unknown.
    draw_ratio: f64,
    /// Units won for each unit lost; null if unknown or infinite.
    pairs_ratio: Option<f64>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    interval: Holds,
    /// On which side each infinite number beside it lies, by its key.
    beyond: Beyond,
}

impl MatchElo {
    /// Returns what JSON says of it besides units and scores.
    pub fn figures(&self) -> Figures {
        Figures {
            n_eff: self.n_eff,
            nelo: self.nelo,
            nelo_lo95: self.nelo_lo95,
            nelo_hi95: self.nelo_hi95,
            draw_ratio: self.draw_ratio,
            pairs_ratio: self.pairs_ratio,
            interval: Holds::Once,
            beyond: beyond([("nelo", self.nelo), ("pairs_ratio", self.pairs_ratio)]),
        }
    }
}

impl From<MatchElo> for MatchFigures {
    fn from(result: MatchElo) -> MatchFigures {
        MatchFigures {
            units: result.units,
            games: result.games,
            score: result.score,
            figures: result.figures(),
        }
    }
}

/// Returns the Elo of `scores`, the complete units of a match from one side, with `games_per_unit`
/// games in each; `None` without units.
pub fn match_elo(scores: &UnitScores, games_per_unit: u32) -> Option<MatchElo> {
    match_elo_of(scores, games_per_unit, scores.units())
}

/// Like [`match_elo`], with the errors of so many units: those that repeat no other.
pub fn match_elo_of(scores: &UnitScores, games_per_unit: u32, distinct: u64) -> Option<MatchElo> {
    if scores.units() == 0 {
        return None;
    }
    let sums = scores.sums();
    // Two pseudo-units, at 0 and at 1, keep the variance away from 0. They enter nothing else.
    let n_eff = distinct as f64 * sums.with_pseudo_units().flips_per_unit();
    let [lo95, hi95] = elo_ends(&sums, n_eff);
    let nelo = normalized(&sums, games_per_unit);
    // Both ends by the same formula, so that the two sides of a match see exactly opposite results.
    let [score_lo, score_lo_of_other] = [lo95, -hi95].map(elo_to_score);
    let nelo_ends = nelo.filter(|nelo| nelo.is_finite()).map(|nelo| {
        let [mut lo, mut hi] = normalized_ends(scores, games_per_unit, nelo, distinct);
        // If nearly all units are level, few of them show the deviation, and the other interval is
        // safer.
        let of_score =
            |score: f64| C2 * (score - 0.5) / (f64::from(games_per_unit) * sums.variance()).sqrt();
        let (safe_lo, safe_hi) = (of_score(score_lo), -of_score(score_lo_of_other));
        let is_sure = lo > 0.0 || hi < 0.0;
        if is_sure && safe_lo <= 0.0 && safe_hi >= 0.0 {
            (lo, hi) = (lo.min(safe_lo), hi.max(safe_hi));
        }
        [lo, hi]
    });
    let [lost, level, won] = scores.around_half();
    Some(MatchElo {
        units: scores.units(),
        games: scores.units().saturating_mul(games_per_unit.into()),
        score: sums.mean(),
        score_lo,
        score_hi: 1.0 - score_lo_of_other,
        elo: elo_of_odds(sums.won(), sums.lost()),
        lo95,
        hi95,
        error95: half_width(&sums, n_eff),
        n_eff,
        los: normal_cdf(lead(&sums) * n_eff.sqrt()),
        variance: sums.variance(),
        nelo,
        nelo_lo95: nelo_ends.map(|ends| ends[0]),
        nelo_hi95: nelo_ends.map(|ends| ends[1]),
        draw_ratio: level as f64 / scores.units() as f64,
        pairs_ratio: (won + lost > 0).then(|| won as f64 / lost as f64),
    })
}

/// Returns both ends of the 95% interval of Elo.
fn elo_ends(sums: &Sums, n_eff: f64) -> [f64; 2] {
    let elo = elo_of_odds(sums.won(), sums.lost());
    let half = half_width(sums, n_eff);
    // If everything was won or lost, one end is infinite, and the other has the odds `n_eff` to the
    // square of the quantile.
    let open_end = C * (n_eff / (Z95 * Z95)).ln();
    let (won_all, lost_all) = (sums.lost() == 0.0, sums.won() == 0.0);
    [
        if won_all { open_end } else { elo - half },
        if lost_all { -open_end } else { elo + half },
    ]
}

/// Returns half the width of the interval; infinite at scores of 0 and 1.
fn half_width(sums: &Sums, n_eff: f64) -> f64 {
    let flip_deviation = (sums.won() * sums.lost()).sqrt() / sums.all();
    C2 * (Z95 / (2.0 * n_eff.sqrt() * flip_deviation)).asinh()
}

/// Twice the distance of the mean score from one half.
fn lead(sums: &Sums) -> f64 {
    (sums.won() - sums.lost()) / sums.all()
}

fn normalized(sums: &Sums, games_per_unit: u32) -> Option<f64> {
    let deviation = (f64::from(games_per_unit) * sums.variance()).sqrt();
    let nelo = C2 * (lead(sums) / 2.0) / deviation;
    (!nelo.is_nan()).then_some(nelo)
}

/// Returns the 95% interval of normalized Elo. A t-value near 0 has the error `1 / sqrt(units)`.
/// Far from 0 the error is larger, because the deviation was measured too: the variance is
/// `1 - t g + t^2 (k + 2) / 4` times as large for scores of skewness g and excess kurtosis k. If
/// all units are won or lost, `asinh t` is half the log-odds. On that scale the interval is
/// computed in Wilson's form: with nothing but wins and losses it is the interval of Elo.
fn normalized_ends(scores: &UnitScores, games_per_unit: u32, nelo: f64, distinct: u64) -> [f64; 2] {
    let sums = scores.sums().with_pseudo_units();
    let (lead, variance) = (lead(&sums) / 2.0, sums.variance());
    let [cubes, fourths] = [3, 4].map(|power| scores.moment_with_pseudo_units(power));
    let square = variance + lead * lead;
    let of_t = variance * variance - lead * cubes
        + lead * lead * (fourths - variance * variance) / (4.0 * variance);
    // The variance compared with that of as many wins and losses.
    let flips_per_unit = square * square / of_t.max(f64::MIN_POSITIVE);
    let scale = C2 / f64::from(games_per_unit).sqrt();
    let t = nelo / scale;
    let half = (Z95 * ((1.0 + t * t) / (distinct as f64 * flips_per_unit)).sqrt()).asinh();
    [t.asinh() - half, t.asinh() + half].map(|end| scale * end.sinh())
}
