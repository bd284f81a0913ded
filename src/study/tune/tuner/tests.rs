//! Games of MiniShogi between the sides of a bot, written by hand.

use arena_games::Fate;
use serde_json::json;

use super::*;
use crate::plan::StudyPlan;
use crate::results::SeatResult;
use crate::results::tests::plan;

/// A tuning of one parameter in two blocks of four units.
fn tuner() -> Tuner {
    let mut plan = plan("minishogi", &["bot[a]", "bot[b]"], "rotations", false);
    let parameter = json!({"name": "x", "min": 0.0, "max": 10.0, "start": 5.0, "step": 1.0});
    let study =
        json!({"kind": "tune", "bot": "bot", "block": 4, "max_units": 8, "parameter": [parameter]});
    plan.study = serde_json::from_value(study).unwrap();
    let StudyPlan::Tune(tune) = &plan.study else {
        panic!("no tuning")
    };
    Tuner::new(&plan, tune).unwrap()
}

/// Plays the next block. Both games of a unit have the same moves, or different ones, and a seat
/// may fail in the first game.
fn play(tuner: &mut Tuner, is_alike: bool, failing: Option<usize>) {
    let first = tuner.tuning.units() * 2;
    for number in first..first + 8 {
        let seat = |seat| SeatResult {
            bot: String::new(),
            score: 0,
            place: 1,
            fate: match failing {
                Some(failing) if failing == seat && number == first => Fate::Crashed,
                _ => Fate::Ok,
            },
        };
        let result = GameResult {
            number,
            unit: number / 2,
            game: "minishogi".to_owned(),
            seed: 1,
            reason: "max_rounds".to_owned(),
            turns: 1,
            moves: Some(if is_alike { 0 } else { number }),
            lower_is_better: false,
            seats: vec![seat(0), seat(1)],
        };
        tuner.add(&result).unwrap();
    }
}

#[test]
fn a_bot_that_plays_alike_in_the_first_block_ignores_its_parameters() {
    for (blocks, failing, end) in [
        (&[true][..], None, Some(TuneEnd::Ignored)),
        (&[true], Some(0), None),
        (&[false], None, None),
        (&[false, true], None, Some(TuneEnd::Units)),
    ] {
        let mut tuner = tuner();
        for &is_alike in blocks {
            play(&mut tuner, is_alike, failing);
        }
        assert_eq!(
            (tuner.end, tuner.blocks.len()),
            (end, blocks.len()),
            "{blocks:?}"
        );
    }
}

#[test]
fn faults_are_counted_for_the_side_that_failed() {
    for seat in [0, 1] {
        let mut tuner = tuner();
        let bot = tuner.schedule.fixture(0).seating[seat];
        let side = tuner.sides.iter().position(|side| *side == bot).unwrap();
        let [a, b] = tuner.tuning.sides(0).unwrap().map(|values| values[0]);
        let [own, other] = if side == 0 { [a, b] } else { [b, a] };
        let expected = if own > other { [0, 1] } else { [1, 0] };
        play(&mut tuner, false, Some(seat));
        assert_eq!(tuner.faults, [expected], "{own} against {other}");
        assert_eq!(tuner.first_fault, Some(vec![own]));
    }
}
