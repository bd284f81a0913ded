//! The rule that ends a match once it has shown enough.

use std::cmp::Ordering;

use arena_stats::estimate::{Claim, Estimate};
use arena_stats::scores::UnitScores;
use arena_stats::stopping::{End, Stopping};
use proptest::prelude::*;

/// Plays units that score these points of 4, of which a share repeats no other, until the end.
/// Returns the end and the units.
fn play(
    precision: f64,
    points: impl Iterator<Item = u32>,
    distinct: fn(u64) -> u64,
) -> (Option<End>, UnitScores) {
    let (mut rule, mut scores) = (Stopping::new(precision), UnitScores::new(4));
    for points in points {
        scores.add(points, 1).unwrap();
        if rule.look(&scores, 2, distinct(scores.units())).is_some() {
            break;
        }
    }
    (rule.end, scores)
}

fn all(units: u64) -> u64 {
    units
}

/// Rows: what is played, and its end with the number of units.
#[test]
fn a_match_ends_when_it_knows_and_not_before_ten_units() {
    let won = |units| vec![4; units];
    let level = |units| vec![2; units];
    let by_turns = |units: usize| (0..units as u32).map(|unit| unit % 2 * 4).collect();
    for (points, expected) in [
        (won(9), None),
        (won(50), Some((End::Apart, 10))),
        (vec![0; 50], Some((End::Apart, 10))),
        (level(9), None),
        (by_turns(40), None),
    ] {
        let (end, scores) = play(20.0, points.into_iter(), all);
        let units = scores.units();
        assert_eq!(end.map(|end| (end, units)), expected);
    }
    // Level units are as precise as can be: after ten, any wide precision is reached.
    assert_eq!(play(1000.0, level(50).into_iter(), all).1.units(), 10);
    let (end, scores) = play(20.0, by_turns(20_000).into_iter(), all);
    assert!(end == Some(End::Precise) && scores.units() > 1000);
}

/// Rows: the number of different units, and the end with the number of units.
#[test]
fn a_match_of_repeats_ends_when_nothing_is_new() {
    type Case = (fn(u64) -> u64, Option<(End, u64)>);
    let cases: [Case; 4] = [
        (|_| 1, Some((End::Repetitive, 100))),
        (|_| 9, Some((End::Repetitive, 100))),
        (|units| units.min(20), Some((End::Repetitive, 200))),
        (|units| units.min(300), None),
    ];
    for (distinct, expected) in cases {
        let points = (0..2000).map(|unit| unit % 2 * 4);
        let (end, scores) = play(20.0, points, distinct);
        assert_eq!(end.map(|end| (end, scores.units())), expected);
    }
    // A bot that wins the same nine games again and again isn't known to be stronger.
    assert_eq!(
        play(20.0, [4; 99].into_iter(), |units| units.min(9)).0,
        None
    );
}

#[test]
fn a_few_repeated_units_are_no_verdict() {
    let scores = UnitScores::from_counts(2, [0, 0, 100]).unwrap();
    for (distinct, claim) in [
        (1, Claim::NoVerdict),
        (9, Claim::NoVerdict),
        (10, Claim::Compared(Ordering::Greater)),
    ] {
        let estimate = Estimate::at_every_look(&scores, 2, distinct).unwrap();
        assert_eq!(estimate.claim(), claim, "{distinct}");
    }
}

#[test]
fn the_nearer_end_is_foretold() {
    let rule = Stopping::new(20.0);
    let outlook = |elo: f64, lo95: f64, hi95: f64| {
        let scores = UnitScores::from_counts(2, [5, 5, 5]).unwrap();
        let estimate = Estimate {
            elo,
            lo95,
            hi95,
            ..Estimate::at_every_look(&scores, 2, 15).unwrap()
        };
        let outlook = rule.outlook(&estimate, 100);
        (outlook.end, outlook.half_width, outlook.units)
    };
    let inf = f64::INFINITY;
    for (estimate, expected) in [
        ([0.0, -40.0, 40.0], (End::Precise, 40.0, Some(400.0))),
        ([-10.0, -70.0, 50.0], (End::Precise, 60.0, Some(900.0))),
        ([50.0, -50.0, 160.0], (End::Apart, 105.0, Some(400.0))),
        ([-50.0, -160.0, 50.0], (End::Apart, 105.0, Some(400.0))),
        ([50.0, -50.0, inf], (End::Apart, inf, Some(400.0))),
        ([50.0, -inf, inf], (End::Apart, inf, None)),
        ([inf, -50.0, inf], (End::Apart, inf, None)),
        ([0.0, -inf, inf], (End::Precise, inf, None)),
    ] {
        let [elo, lo, hi] = estimate;
        assert_eq!(outlook(elo, lo, hi), expected);
    }
}

proptest! {
    /// What is shown at the end is why it ended, and nothing before was.
    #[test]
    fn the_interval_at_the_end_says_why(
        points in proptest::collection::vec(0..5_u32, 1..300),
        precision in 30.0..300.0,
    ) {
        let (end, scores) = play(precision, points.iter().copied(), all);
        let by = Estimate::at_every_look(&scores, 2, scores.units()).unwrap();
        let excludes_0 = by.claim() != Claim::Compared(Ordering::Equal);
        match end {
            Some(End::Apart) => prop_assert!(excludes_0),
            Some(End::Precise) => prop_assert!(by.hi95 - by.lo95 <= 2.0 * precision),
            Some(End::Repetitive) => prop_assert!(false),
            None => prop_assert!(scores.units() < 10 || !excludes_0),
        }
    }
}
