//! Counts of games written by hand.

use arena_games::{Fate, Reason};

use super::*;
use crate::results::{Moves, SeatResult};

/// A game whose first `winners` seats share the first place. Each letter is a bot.
fn row(number: u64, unit: u64, bots: &str, winners: usize) -> GameResult {
    let seat = |(at, bot): (usize, char)| SeatResult {
        bot: bot.to_string(),
        score: i64::from(at < winners),
        place: if at < winners { 1 } else { winners + 1 },
        fate: Fate::Ok,
    };
    let seats = bots.chars().enumerate().map(seat).collect();
    GameResult {
        number,
        unit,
        game: "any".to_owned(),
        seed: 1,
        reason: Reason::MaxRounds.to_string(),
        turns: 1,
        moves: Some(Moves(number)),
        lower_is_better: false,
        seats,
    }
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
            let mut bots: Vec<char> = "abcdefgh"[..seats].chars().collect();
            bots.rotate_left(number);
            let row = row(
                number as u64,
                0,
                &bots.iter().collect::<String>(),
                seats - 1,
            );
            count.add(&row).unwrap();
            assert_eq!(count.units(), u64::from(number == seats - 1));
        }
        let share = 1.0 / seats as f64;
        for bot in &count.bots {
            assert_eq!((bot.by_seat.len(), bot.games), (seats, seats as u64));
            assert!(
                (bot.firsts().unwrap() - share).abs() < 1e-15 && (bot.score() - 0.5).abs() < 1e-15
            );
            assert_eq!(
                (bot.mean_place95().is_some(), bot.firsts95().is_some()),
                (seats > 2, seats > 2)
            );
        }
        assert_eq!(
            (count.units(), count.pairs(&Stop::Announced).len()),
            (1, seats * (seats - 1) / 2)
        );
    }
}

/// The first place of a game is a win or a loss of it, so that with one game in a unit the
/// interval is Wilson's: of 3 in 10 it is [0.1078, 0.6032].
#[test]
fn intervals_of_places_are_those_of_units() {
    for copies in [1, 4] {
        let design = UnitDesign {
            seats: 4,
            bots: 4,
            games_per_unit: copies,
        };
        let mut count = count(design);
        for unit in 0..10 {
            let bots = if unit < 3 { "abcd" } else { "bacd" };
            for game in 0..u64::from(copies) {
                count.add(&row(4 * unit + game, unit, bots, 1)).unwrap();
            }
        }
        let [lo, hi] = count.bots[0].firsts95().unwrap();
        assert!(
            (lo - 0.1078).abs() < 1e-4 && (hi - 0.6032).abs() < 1e-4,
            "{copies}: {lo} {hi}"
        );
        // Places 1 and 2 of this table, of 4: between them are 0 and 1 of three steps.
        let [lo, hi] = count.bots[0].mean_place95().unwrap();
        assert!(lo > 1.0 && lo < 1.7 && hi > 1.7 && hi < 4.0, "{lo} {hi}");
    }
}
