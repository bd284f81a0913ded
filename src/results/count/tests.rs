//! Counts of games written by hand.

use super::*;
use crate::results::tests::result;

/// A game whose first `winners` seats share the first place. Each letter is a bot.
fn row(number: u64, unit: u64, bots: &str, winners: usize) -> GameResult {
    let (mut names, mut scores) = (Vec::new(), Vec::new());
    for (at, bot) in bots.chars().enumerate() {
        names.push(bot.to_string());
        scores.push(if at < winners { "1" } else { "0" });
    }
    let (names, scores) = (names.join(" "), scores.join("-"));
    let line = format!("{unit} 1 {names} {scores} {number}");
    result("any", number, &line)
}

fn count(design: UnitDesign) -> Count {
    let games = design.games_per_unit.into();
    Count::new(UnitSize { design, games }, true)
}

#[test]
fn up_to_eight_seats_are_counted_and_share_first_places() {
    for seats in 2..=8_usize {
        let games = u32::try_from(seats).unwrap();
        let mut count = count(UnitDesign::new(seats, games));
        for number in 0..seats {
            let (last, first) = "abcdefgh"[..seats].split_at(number);
            let bots = format!("{first}{last}");
            count.add(&row(number as u64, 0, &bots, seats - 1)).unwrap();
            assert_eq!(count.units(), u64::from(number == seats - 1));
        }
        let share = 1.0 / seats as f64;
        for bot in &count.bots {
            assert_eq!((bot.by_seat.len(), bot.games), (seats, seats as u64));
            assert!((bot.firsts().unwrap() - share).abs() < 1e-15);
            assert!((bot.score() - 0.5).abs() < 1e-15);
            assert_eq!(bot.mean_place95().is_some(), seats > 2);
            assert_eq!(bot.firsts95().is_some(), seats > 2);
        }
        let pairs = count.pairs(&Stop::Announced).len();
        assert_eq!((count.units(), pairs), (1, seats * (seats - 1) / 2));
    }
}

/// Ratings of several runs have faults, too: `arena pool` shows them.
#[test]
fn faults_are_counted_by_fate() {
    for seats in 1..=4_usize {
        let mut count = count(UnitDesign::new(seats, 2));
        for number in 0..2 {
            let mut game = row(number, 0, &"abcd"[..seats], 1);
            game.seats[seats - 1].fate = Fate::Crashed;
            count.add(&game).unwrap();
        }
        let faults: Vec<u64> = count
            .bots
            .iter()
            .map(|bot| bot.faults.values().sum())
            .collect();
        assert_eq!(faults.iter().sum::<u64>(), 2);
        assert_eq!(count.bots[seats - 1].faults["crashed"], 2);
    }
}

/// The first place of a game is a win or a loss of it, so that with one game in a unit the
/// interval is Wilson's: of 3 in 10 it is [0.1078, 0.6032].
#[test]
fn intervals_of_places_are_those_of_units() {
    for copies in [1, 4] {
        let mut count = count(UnitDesign::new(4, copies));
        for unit in 0..10 {
            let bots = if unit < 3 { "abcd" } else { "bacd" };
            for game in 0..u64::from(copies) {
                count.add(&row(4 * unit + game, unit, bots, 1)).unwrap();
            }
        }
        let [lo, hi] = count.bots[0].firsts95().unwrap();
        assert!((lo - 0.1078).abs() < 1e-4, "{copies}: {lo}");
        assert!((hi - 0.6032).abs() < 1e-4, "{copies}: {hi}");
        // Places 1 and 2 of this table, of 4: between them are 0 and 1 of three steps.
        let [lo, hi] = count.bots[0].mean_place95().unwrap();
        assert!(lo > 1.0 && lo < 1.7 && hi > 1.7 && hi < 4.0, "{lo} {hi}");
    }
}
