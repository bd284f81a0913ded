//! A test made by hand, for tests of what is said about it.

use arena_stats::sprt::{Hypotheses, Model};

use super::finding;
use super::test::{AfterUnit, Decision, SprtSummary, Test};
use crate::plan::SprtPlan;
use crate::study::Finding;

/// What is said about the example.
pub(crate) fn found(outside: &str) -> Finding {
    finding(&example(outside), &history(), "; faults: x c failed 1 time")
}

pub(super) fn history() -> Vec<AfterUnit> {
    vec![after(0, 0.5), after(1, 3.1)]
}

fn after(unit: u64, llr: f64) -> AfterUnit {
    AfterUnit {
        unit,
        games: 2 * unit + 2,
        llr,
        score: 0.5,
        elo: 0.0,
        state: arena_stats::sprt::State::Running,
        bets: None,
    }
}

/// A test that the first bot has passed.
pub(super) fn example(outside: &str) -> SprtSummary {
    let hypotheses = Hypotheses::new(Model::Logistic, 0.0, 10.0, 0.05, 0.05).unwrap();
    let bots = ["a", "b"].map(|bot| format!("{outside} {bot}"));
    let sprt = SprtPlan {
        hypotheses,
        early: false,
        max_units: 10,
    };
    SprtSummary {
        verdict: Some(Decision::Accepted),
        llr: 3.1,
        ..Test::new(sprt, bots, 2, false).summary()
    }
}
