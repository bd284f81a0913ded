//! How often something rare happens, such as a time-out: counted by game, with exact intervals.

use statrs::function::beta::beta_reg;
use statrs::function::factorial::ln_binomial;

/// A rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Games in which it happened, to all games.
    pub rate: f64,
    /// Lower 95% end, after Clopper and Pearson.
    pub lo95: f64,
    /// Upper 95% end.
    pub hi95: f64,
    /// With 95% confidence the true rate is below this, if only that is asked: the honest reading of "none in 300
    /// games" is "below 1%".
    pub below: f64,
}

/// The rate of games in which something happened at least once; `None` without games. More faults than games count as
/// all games.
#[must_use]
pub fn rate(faults: u64, games: u64) -> Option<Rate> {
    if games == 0 {
        return None;
    }
    let (faults, games) = (faults.min(games) as f64, games as f64);
    Some(Rate {
        rate: faults / games,
        lo95: if faults == 0.0 { 0.0 } else { beta_quantile(0.025, faults, games - faults + 1.0) },
        hi95: upper(0.975, faults, games),
        below: upper(0.95, faults, games),
    })
}

fn upper(confidence: f64, faults: f64, games: f64) -> f64 {
    if faults >= games { 1.0 } else { beta_quantile(confidence, faults + 1.0, games - faults) }
}

fn beta_quantile(chance: f64, a: f64, b: f64) -> f64 {
    let (mut lo, mut hi) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(lo, hi);
        if beta_reg(a, b, middle) < chance { lo = middle } else { hi = middle }
    }
    f64::midpoint(lo, hi)
}

/// Fisher's exact test of whether two bots fail equally often, from their games with and without a fault: the chance,
/// if they do, of a split at most as likely as this one.
#[must_use]
pub fn fisher([faults_a, clean_a]: [u64; 2], [faults_b, clean_b]: [u64; 2]) -> f64 {
    let (games_a, games_b) = (faults_a + clean_a, faults_b + clean_b);
    let faults = faults_a + faults_b;
    let ln_chance = |of_a: u64| {
        ln_binomial(games_a, of_a) + ln_binomial(games_b, faults - of_a) - ln_binomial(games_a + games_b, faults)
    };
    // Splits that are equally likely but for rounding are as likely.
    let limit = ln_chance(faults_a) + 1e-7;
    let splits = faults.saturating_sub(games_b)..=faults.min(games_a);
    splits.map(ln_chance).filter(|&chance| chance <= limit).map(f64::exp).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fisher_agrees_with_the_lady_tasting_tea() {
        // R. A. Fisher 1935: of 8 cups, 4 and 4, three of each are told right. The chances are k/70 by counting.
        let close = |p: f64, parts: f64| assert!((p - parts / 70.0).abs() < 1e-12, "{p}");
        close(fisher([3, 1], [1, 3]), 34.0);
        close(fisher([4, 0], [0, 4]), 2.0);
        close(fisher([2, 2], [2, 2]), 70.0);
        assert!((fisher([0, 10], [0, 5]) - 1.0).abs() < 1e-12);
        let uneven = fisher([1, 24], [5, 20]);
        assert!((uneven - fisher([5, 20], [1, 24])).abs() < 1e-12 && uneven > 0.1);
    }
}
