//! A test made by hand, for tests of what is said about it.

use arena_schedule::UnitDesign;
use arena_stats::elo::match_elo;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::{Hypotheses, Model, Sprt, State};

use super::finding;
use super::test::{Decision, SprtSummary, summary};
use crate::plan::{SprtPlan, UnitSize};
use crate::results::tests::result;
use crate::results::{AfterUnit, Match, Rule};
use crate::study::Finding;

/// What is said about the example.
pub(crate) fn found(outside: &str) -> Finding {
    finding(&example(outside), &history(), "; faults: x c failed 1 time")
}

/// What is said about a test that a bet ended.
pub(crate) fn found_clear() -> Finding {
    let (test, history) = clear_case(&[2, 3, 4, 4, 4]);
    finding(&test, &history, "")
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

/// A test that a bet ended, with its state after each unit. The units score these points of 4 and
/// are repeated until the end.
pub(super) fn clear_case(points: &[u32]) -> (SprtSummary, Vec<AfterUnit>) {
    let mut test = example("x");
    let nothing = UnitScores::from_counts(4, [0; 5]).unwrap();
    let mut sprt = Sprt::new(true, test.hypotheses, 2, nothing);
    let mut history = Vec::new();
    for (unit, points) in (0..).zip(points.iter().cycle()) {
        if sprt.state() != State::Running {
            break;
        }
        sprt.add(*points).unwrap();
        history.push(AfterUnit {
            bets: sprt.capitals(),
            ..after(unit, sprt.llr())
        });
    }
    (test.state, test.ended_by, test.estimate) = (sprt.state(), sprt.ended_by(), sprt.estimate());
    (test.llr, test.bets) = (sprt.llr(), sprt.capitals());
    (test.unit_scores, test.unit_counts) = sprt.scores().values().unzip();
    test.distinct_units = sprt.scores().units();
    test.result = match_elo(sprt.scores(), 2);
    if sprt.state() == State::Rejected {
        test.verdict = Some(Decision::Rejected);
    }
    (test, history)
}

/// The plan of the example.
pub(crate) fn planned() -> SprtPlan {
    SprtPlan {
        hypotheses: Hypotheses::new(Model::Logistic, 0.0, 10.0, 0.05, 0.05).unwrap(),
        early: false,
        max_units: 10,
    }
}

/// A test that the first bot has passed.
pub(super) fn example(outside: &str) -> SprtSummary {
    let bots = ["a", "b"].map(|bot| format!("{outside} {bot}"));
    let sprt = planned();
    let size = UnitSize {
        design: UnitDesign::swapped(2),
        games: 2,
    };
    let test = Match::between(bots, size, false, Rule::test(&sprt, size));
    SprtSummary {
        verdict: Some(Decision::Accepted),
        llr: 3.1,
        ..summary(&sprt, &test, None)
    }
}

#[test]
fn the_same_moves_pass_a_test_that_asks_for_no_gain() {
    for (elo1, verdict) in [(0.0, Decision::Accepted), (0.5, Decision::Inconclusive)] {
        let sprt = SprtPlan {
            hypotheses: Hypotheses::new(Model::Logistic, -10.0, elo1, 0.05, 0.05).unwrap(),
            ..planned()
        };
        let size = UnitSize {
            design: UnitDesign::swapped(2),
            games: 2,
        };
        let bots = ["a", "b"].map(str::to_owned);
        let mut test = Match::between(bots, size, false, Rule::test(&sprt, size));
        for number in 0..2 * sprt.max_units {
            let bots = ["a b", "b a"][usize::from(number % 2 == 1)];
            let line = format!("{0} {0} {bots} 0-0 {0}", number / 2);
            test.add(&result("minishogi", number, &line)).unwrap();
        }
        assert_eq!(summary(&sprt, &test, None).verdict, Some(verdict), "{elo1}");
    }
}
