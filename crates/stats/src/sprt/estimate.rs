//! The strength of a bot after a sequential test.
//!
//! A test stops early because of luck, among other things, so the Elo of its units is biased: too
//! extreme, with an interval that is too narrow. Given the true strength, the chance of a *less
//! favourable* end is known: an earlier end at the lower bound, or an LLR below the one reached.
//! The estimate is the strength that makes this chance one half, and the ends of the interval make
//! it 97.5% and 2.5% (as in fishtest; D. Siegmund 1985).

use super::brownian::Motion;
use super::likelihood::regularised;
use super::{Hypotheses, Sprt, State, UnitScores};
use crate::estimate::{Estimate, Holds};
use crate::{bisect, elo_to_score};

/// Estimates beyond this Elo are infinite.
const FURTHEST: f64 = 1000.0;

/// Returns the median-unbiased estimate after a test that ended with these units, or at its maximum
/// of units; `None` without units.
pub fn after_stop(
    scores: &UnitScores,
    games_per_unit: u32,
    hypotheses: &Hypotheses,
) -> Option<Estimate> {
    if scores.units() == 0 {
        return None;
    }
    let end = StoppedTest::new(scores, games_per_unit, hypotheses);
    Some(Estimate {
        elo: end.elo_where(0.5),
        lo95: end.elo_where(0.975),
        hi95: end.elo_where(0.025),
        los: end.less_favourable(0.0),
        holds: Holds::AfterStop,
    })
}

/// Returns true if a test may have stopped with these units: it would still run without its last
/// unit, which may be any of them. No test played units that lie further beyond a bound, and their
/// usual estimate needs no correction.
pub fn may_have_stopped(scores: &UnitScores, games_per_unit: u32, hypotheses: &Hypotheses) -> bool {
    if is_running(scores.clone(), games_per_unit, hypotheses) {
        return false;
    }
    let mut counts: Vec<(f64, u64)> = scores.values().collect();
    for last in 0..counts.len() {
        if counts[last].1 > 0 {
            counts[last].1 -= 1;
            let before = UnitScores::from_values(counts.iter().copied());
            if before.is_ok_and(|before| is_running(before, games_per_unit, hypotheses)) {
                return true;
            }
            counts[last].1 += 1;
        }
    }
    false
}

fn is_running(scores: UnitScores, games_per_unit: u32, hypotheses: &Hypotheses) -> bool {
    Sprt::new(false, *hypotheses, games_per_unit, scores).state() == State::Running
}

/// The end of a test.
struct StoppedTest {
    middle: f64,
    difference: f64,
    /// The motion of the LLR, without its drift.
    motion: Motion,
    time: f64,
    /// The level of the motion at the end, above the lower bound.
    level: f64,
}

impl StoppedTest {
    fn new(scores: &UnitScores, games_per_unit: u32, hypotheses: &Hypotheses) -> Self {
        let [mean, variance, units] = regularised(scores);
        let [s0, s1] = hypotheses.scores(games_per_unit, variance);
        let (lower, upper) = (hypotheses.lower(), hypotheses.upper());
        let (middle, difference) = (f64::midpoint(s0, s1), s1 - s0);
        // The motion is about the normal approximation of the LLR. If that overshot a bound, time
        // goes back to the moment when it reached the bound.
        let reached = units * difference * (mean - middle) / variance;
        let llr = reached.clamp(lower, upper);
        let share = if reached.abs() > llr.abs() {
            llr / reached
        } else {
            1.0
        };
        let time = difference * difference / variance * units * share;
        let motion = Motion {
            start: -lower,
            height: upper - lower,
            drift: 0.0,
        };
        Self {
            middle,
            difference,
            motion,
            time,
            level: llr - lower,
        }
    }

    /// Returns the chance of a less favourable end if the strength is `elo`. It falls with `elo`.
    fn less_favourable(&self, elo: f64) -> f64 {
        let drift = (elo_to_score(elo) - self.middle) / self.difference;
        Motion {
            drift,
            ..self.motion
        }
        .below(self.level, self.time)
    }

    fn elo_where(&self, chance: f64) -> f64 {
        if self.less_favourable(-FURTHEST) < chance {
            return f64::NEG_INFINITY;
        }
        if self.less_favourable(FURTHEST) > chance {
            return f64::INFINITY;
        }
        bisect(-FURTHEST, FURTHEST, |elo| {
            self.less_favourable(elo) > chance
        })
    }
}
