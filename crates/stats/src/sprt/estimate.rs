//! The strength of a bot after a sequential test.
//!
//! A test stops early because of luck, among other things, so the Elo of its units is biased: too
//! extreme, with an interval that is too narrow. Given the true strength, the chance of a *less
//! favourable* end is known: an earlier end at the lower bound, or an LLR below the one reached.
//! The estimate is the strength that makes this chance one half (as in fishtest; D. Siegmund 1985).
//! The ends of the interval make it `1 - alpha` and `beta`, the error rates of the test. So the
//! interval says what the test says: after an acceptance it lies above `elo0`, because a bot of
//! that strength is accepted with a chance of `alpha` at most.

use super::brownian::Motion;
use super::hypotheses::{Hypotheses, State};
use super::likelihood::{LikelihoodRatio, regularised};
use crate::estimate::Estimate;
use crate::scores::UnitScores;
use crate::{bisect, elo_to_score, score_to_elo};

/// Estimates beyond this Elo are infinite.
const FURTHEST: f64 = 1000.0;

/// Returns the median-unbiased estimate after a test that ended with these units, by its LLR or at
/// its maximum; `None` without units. The true strength lies below the interval, and above it, with
/// these chances.
pub fn after_stop(
    scores: &UnitScores,
    games_per_unit: u32,
    hypotheses: &Hypotheses,
    errors: [f64; 2],
) -> Option<Estimate> {
    if scores.units() == 0 {
        return None;
    }
    let end = StoppedTest::new(scores, games_per_unit, hypotheses);
    let [lost, _, won] = scores.around_half();
    let (elo, los) = if lost + won == 0 {
        // The term that keeps the variance above 0 must not move level units.
        (0.0, 0.5)
    } else {
        (end.elo_where(0.5), end.less_favourable(0.0))
    };
    let mut interval = [end.elo_where(1.0 - errors[0]), end.elo_where(errors[1])];
    // The approximation may miss a bound by a little that the LLR itself reached.
    let half = end.difference / 2.0;
    match state_of(scores, games_per_unit, hypotheses) {
        State::Accepted => interval[0] = interval[0].max(score_to_elo(end.middle - half)),
        State::Rejected => interval[1] = interval[1].min(score_to_elo(end.middle + half)),
        State::Running => {}
    }
    let elo = elo.max(interval[0]).min(interval[1]);
    Some(Estimate::after_test(elo, interval, Some(los), errors))
}

/// Returns true if a test may have stopped with these units: it would still run without its last
/// unit, which may be any of them. No test played units that lie further beyond a bound, and their
/// usual estimate needs no correction.
pub fn may_have_stopped(scores: &UnitScores, games_per_unit: u32, hypotheses: &Hypotheses) -> bool {
    let is_running =
        |scores: &UnitScores| state_of(scores, games_per_unit, hypotheses) == State::Running;
    if is_running(scores) {
        return false;
    }
    let counts: Vec<(f64, u64)> = scores.values().collect();
    (0..counts.len()).any(|last| {
        // Without units of this score nothing changes, and the test still doesn't run.
        let mut before = counts.clone();
        before[last].1 = before[last].1.saturating_sub(1);
        UnitScores::from_values(before).is_ok_and(|before| is_running(&before))
    })
}

/// Returns the state of a test without bets after these units.
fn state_of(scores: &UnitScores, games_per_unit: u32, hypotheses: &Hypotheses) -> State {
    hypotheses.state(LikelihoodRatio::new(hypotheses, games_per_unit).llr(scores))
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
        let is_beyond = reached.abs() > llr.abs();
        let share = if is_beyond { llr / reached } else { 1.0 };
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
        let mut motion = self.motion;
        motion.drift = (elo_to_score(elo) - self.middle) / self.difference;
        motion.below(self.level, self.time)
    }

    fn elo_where(&self, chance: f64) -> f64 {
        if self.less_favourable(-FURTHEST) < chance {
            return f64::NEG_INFINITY;
        }
        if self.less_favourable(FURTHEST) > chance {
            return f64::INFINITY;
        }
        let is_less = |elo| self.less_favourable(elo) > chance;
        bisect(-FURTHEST, FURTHEST, is_less)
    }
}
