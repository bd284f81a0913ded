//! Matches of `new` against `old`, written by hand.

use arena_games::Fate;
use arena_schedule::UnitDesign;
use arena_stats::sprt::{Hypotheses, Model};

use super::*;
use crate::results::tests::result;

fn between(rule: impl FnOnce(UnitSize) -> Rule) -> Match {
    in_seats(2, rule)
}

fn in_seats(seats: usize, rule: impl FnOnce(UnitSize) -> Rule) -> Match {
    let size = UnitSize {
        design: UnitDesign::swapped(seats),
        games: GAMES_OF_TWO,
    };
    Match::between(["new", "old"].map(str::to_owned), size, false, rule(size))
}

/// A test of so many units at most.
fn test(max_units: u64) -> Match {
    let hypotheses = Hypotheses::new(Model::Logistic, 0.0, 10.0, 0.05, 0.05).unwrap();
    let early = false;
    between(|size| {
        Rule::test(
            &SprtPlan {
                hypotheses,
                early,
                max_units,
            },
            size,
        )
    })
}

/// Adds a unit of draws, which `moves` tells from others, and in which a bot may fail.
fn add(test: &mut Match, unit: u64, moves: [u64; 2], failing: Option<&str>) {
    for (at, bots) in ["new old", "old new"].into_iter().enumerate() {
        let line = format!("{unit} {unit} {bots} 0-0 {}", moves[at]);
        let mut result = result("minishogi", 2 * unit + at as u64, &line);
        for seat in &mut result.seats {
            if Some(&*seat.bot) == failing {
                seat.fate = Fate::Crashed;
            }
        }
        test.add(&result).unwrap();
    }
}

#[test]
fn a_test_ends_at_its_maximum_of_units_in_order() {
    let mut test = test(3);
    assert!(!test.same_moves());
    // Units that end early wait for those before them.
    for (unit, counted) in [(1, 0), (0, 2), (3, 2), (2, 3), (4, 3)] {
        add(&mut test, unit, [2 * unit, 2 * unit + 1], None);
        assert_eq!(test.history.len(), counted, "{unit}");
        assert_eq!(test.has_ended(), counted == 3, "{unit}");
    }
    assert_eq!(test.distinct(), 3);
    assert!(matches!(test.stop(), Some(Stop::Test { bot, .. }) if bot == "new"));
}

#[test]
fn units_that_repeat_take_away_what_a_test_promises() {
    for (failing, distinct, same_moves) in [(None, 1, true), (Some("new"), 20, false)] {
        let mut test = test(20);
        for unit in 0..20 {
            add(&mut test, unit, [7, 7], failing);
        }
        // A bot that fails the same way every time is evidence.
        assert_eq!((test.distinct(), test.same_moves()), (distinct, same_moves));
        assert_eq!(test.stop() == Some(Stop::Watched), same_moves);
    }
}

#[test]
fn a_bot_that_fails_in_most_of_the_first_ten_units_ends_a_match() {
    let promised = include_str!("../../../docs/reference/commands.md");
    assert!(promised.contains("fails in most of the first 10 units"));
    for (failed, said) in [
        (5, None),
        (6, Some("new failed in 6 of its first 10 units")),
    ] {
        let mut length = between(|_| Rule::Length);
        for unit in 0..12 {
            let failing = Some("new").filter(|_| unit < failed);
            add(&mut length, unit, [2 * unit, 2 * unit + 1], failing);
            assert_eq!(length.has_ended(), unit >= 9 && said.is_some(), "{unit}");
        }
        let found: Vec<String> = length.failed().iter().map(FailedBot::to_string).collect();
        assert_eq!(found, Vec::from_iter(said));
    }
}

/// The first bot loses two of three units. Later units don't count, whatever their order.
#[test]
fn a_match_is_dropped_whatever_its_seats() {
    let units: [[&str; 2]; 3] = [
        ["new 1", "old 2"],
        ["new old 1-2", "old new 2-1"],
        ["new old old new 1-2-2-1", "old new new old 2-1-1-2"],
    ];
    for lost in units {
        let seats = lost[0].matches('-').count() + 1;
        let rule = Stopping::new(None, Some(10.0));
        let mut dropped = in_seats(seats, |_| Rule::Stopping(rule));
        let order = (0..18).chain([20, 22, 21, 18, 19]);
        for unit in order {
            for (at, line) in lost.into_iter().enumerate() {
                let line = match unit % 3 {
                    2 => line.replace('1', "3"),
                    _ => line.to_owned(),
                };
                let moves = 2 * unit + at as u64;
                let line = format!("{unit} {unit} {line} {moves}");
                dropped.add(&result("minishogi", moves, &line)).unwrap();
            }
            assert_eq!(dropped.has_ended(), unit == 19, "{seats} {unit}");
        }
        assert_eq!(dropped.distinct(), 20, "{seats}");
        assert_eq!(dropped.stop(), Some(Stop::Watched));
    }
}

/// A candidate that fails just loses.
#[test]
fn only_failures_of_the_opponent_end_a_test() {
    for (failing, ends) in [("new", false), ("old", true)] {
        let mut test = test(100);
        for unit in 0..12 {
            add(&mut test, unit, [2 * unit, 2 * unit + 1], Some(failing));
            let has_ended = ends && unit >= 9;
            assert_eq!(test.has_ended(), has_ended, "{failing} {unit}");
            assert_eq!(
                test.failed().len(),
                usize::from(has_ended),
                "{failing} {unit}"
            );
        }
    }
}
