//! The rule that ends a match once it has shown enough.

use std::cmp::Ordering;

use arena_stats::elo::match_elo;
use arena_stats::estimate::{Claim, Estimate};
use arena_stats::scores::UnitScores;
use arena_stats::stopping::{End, Stopping};
use proptest::prelude::*;

/// Plays units that score these points of 4, of which a share repeats no other, until the end.
/// Returns the end and the units.
fn play(
    mut rule: Stopping,
    points: impl Iterator<Item = u32>,
    distinct: fn(u64) -> u64,
) -> (Option<End>, UnitScores) {
    let mut scores = UnitScores::new(4);
    for points in points {
        scores.add(points, 1).unwrap();
        if rule.look(&scores, 2, distinct(scores.units())).is_some() {
            break;
        }
    }
    (rule.end, scores)
}

fn precise(elo: f64) -> Stopping {
    Stopping::new(Some(elo), None)
}

fn dropping(percent: f64) -> Stopping {
    Stopping::new(None, Some(percent))
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
        let (end, scores) = play(precise(20.0), points.into_iter(), all);
        let units = scores.units();
        assert_eq!(end.map(|end| (end, units)), expected);
    }
    // Level units are as precise as can be: after ten, any wide precision is reached.
    assert_eq!(
        play(precise(1000.0), level(50).into_iter(), all).1.units(),
        10
    );
    let (end, scores) = play(precise(20.0), by_turns(20_000).into_iter(), all);
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
        let (end, scores) = play(precise(20.0), points, distinct);
        assert_eq!(end.map(|end| (end, scores.units())), expected);
    }
    // A bot that wins the same nine games again and again isn't known to be stronger.
    assert_eq!(
        play(precise(20.0), [4; 99].into_iter(), |units| units.min(9)).0,
        None
    );
}

/// Rows: the limit in percent, units with their points of 4, and the end with the number of units.
#[test]
fn a_hopeless_match_ends_at_every_tenth_unit_from_20_on() {
    let behind: [&[(u32, usize)]; 3] = [
        &[(2, 7), (1, 12)],
        &[(2, 8), (1, 12)],
        &[(2, 20), (1, 9), (2, 99)],
    ];
    for (percent, units, expected) in [
        (10.0, behind[0], None),
        (10.0, behind[1], Some((End::Dropped, 20))),
        (10.0, behind[2], Some((End::Dropped, 30))),
        // Level, that is a likelihood of 50%, isn't below it.
        (50.0, &[(2, 20), (1, 1), (2, 99)], Some((End::Dropped, 30))),
        (50.0, &[(2, 2000)], None),
        // Ahead at every look, and behind only between them.
        (50.0, &[(2, 17), (3, 3), (0, 3), (3, 7)], None),
        (50.0, &[(4, 50)], Some((End::Apart, 10))),
        (50.0, &[(0, 50)], Some((End::Apart, 10))),
    ] {
        let mut points = Vec::new();
        for (point, times) in units {
            points.extend(vec![*point; *times]);
        }
        let (end, scores) = play(dropping(percent), points.into_iter(), all);
        assert_eq!(end.map(|end| (end, scores.units())), expected, "{units:?}");
    }
    // Few units that are played again and again say nothing.
    let repeated = play(dropping(10.0), [1; 200].into_iter(), |_| 9);
    assert_eq!(repeated.0, Some(End::Repetitive));
}

#[test]
fn a_match_is_dropped_below_the_limit_and_not_at_it() {
    let points = || (0..20).map(|unit| [0, 2, 3][unit % 3]);
    let (_, scores) = play(precise(0.1), points(), all);
    let percent = 100.0 * match_elo(&scores, 2).unwrap().los;
    for (limit, expected) in [(percent, None), (percent.next_up(), Some(End::Dropped))] {
        assert_eq!(play(dropping(limit), points(), all).0, expected, "{limit}");
    }
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
    let outlook = |rule: &Stopping, elo: f64, lo95: f64, hi95: f64| {
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
        assert_eq!(outlook(&precise(20.0), elo, lo, hi), expected);
    }
    // Without a precision only the interval or the likelihood ends it.
    for (elo, expected) in [
        (-1.0, (End::Dropped, 10.0, None)),
        (0.0, (End::Apart, 10.0, None)),
        (5.0, (End::Apart, 10.0, Some(400.0))),
    ] {
        let limits = (elo - 10.0, elo + 10.0);
        assert_eq!(outlook(&dropping(10.0), elo, limits.0, limits.1), expected);
    }
}

proptest! {
    /// What is shown at the end is why it ended, and nothing before was.
    #[test]
    fn the_interval_at_the_end_says_why(
        points in proptest::collection::vec(0..5_u32, 1..300),
        precision in 30.0..300.0,
    ) {
        let (end, scores) = play(precise(precision), points.iter().copied(), all);
        let by = Estimate::at_every_look(&scores, 2, scores.units()).unwrap();
        let excludes_0 = by.claim() != Claim::Compared(Ordering::Equal);
        match end {
            Some(End::Apart) => prop_assert!(excludes_0),
            Some(End::Precise) => prop_assert!(by.hi95 - by.lo95 <= 2.0 * precision),
            Some(End::Dropped | End::Repetitive) => prop_assert!(false),
            None => prop_assert!(scores.units() < 10 || !excludes_0),
        }
    }

    /// It is dropped at the first look at which the likelihood is below the limit, and at no other
    /// number of units. An interval that excludes 0 is the better reason.
    #[test]
    fn the_likelihood_at_the_looks_says_when_a_match_is_dropped(
        points in proptest::collection::vec(0..4_u32, 1..200),
        percent in 0.1..50.0,
    ) {
        let (end, scores) = play(dropping(percent), points.iter().copied(), all);
        let mut so_far = UnitScores::new(4);
        for unit in 1..=scores.units() {
            so_far.add(points[unit as usize - 1], 1).unwrap();
            let is_below = 100.0 * match_elo(&so_far, 2).unwrap().los < percent;
            let is_look = unit >= 20 && unit % 10 == 0;
            let is_last = unit == scores.units();
            let by = Estimate::at_every_look(&so_far, 2, unit).unwrap();
            let is_open = by.claim() == Claim::Compared(Ordering::Equal);
            let drops = is_open && is_below && is_look;
            prop_assert_eq!(drops, is_last && end == Some(End::Dropped), "{}", unit);
        }
    }
}
