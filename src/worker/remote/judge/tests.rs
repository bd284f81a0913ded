use std::sync::Arc;

use super::*;
use crate::play::Clock;
use crate::play::foreign::Referee;
use crate::play::record::Record;
use arena_games::Options;

/// Nothing beside answers and results.
const BARE: Kept = Kept {
    input: false,
    metrics: false,
    stderr: false,
};

/// A game that was played, with its plan and its fixture.
fn played() -> (PlannedGame, Arc<GameSpec>, Fixture, Played) {
    let spec = Arc::new(arena_games::onitama::spec());
    let planned = PlannedGame {
        id: spec.id.clone(),
        clock: Clock::of(&spec),
        opening_plies: 4,
        seats: None,
        options: Options::new(),
        bots: vec!["one".into(), "two".into()],
        referee: None,
        spec: Some(Arc::clone(&spec)),
    };
    let (number, unit, game, seed, seating) = (3, 1, 0, 7, vec![1, 0]);
    let fixture = Fixture {
        number,
        unit,
        game,
        seed,
        seating,
        variant: None,
        values: Vec::new(),
    };
    let opening = spec
        .start(seed, 2, &Opening::Plies(4))
        .unwrap()
        .opening()
        .to_vec();
    // No bot answers.
    let record: Record = serde_json::from_value(serde_json::json!({
        "game": spec.id, "seed": seed, "options": { "opening": opening }, "scores": [0, 0], "reason": "",
        "steps": [{ "turn": 5, "player": 0, "output": null }], "ms": [1000.0],
    }))
    .unwrap();
    let played = record::replay(&record, &spec, false).unwrap();
    (planned, spec, fixture, played)
}

#[test]
fn what_was_played_is_taken_with_its_times() {
    let (planned, spec, fixture, played) = played();
    assert_eq!(
        replayed(&planned, &spec, &fixture, played.clone(), BARE).unwrap(),
        played
    );
    let traced = replayed(
        &planned,
        &spec,
        &fixture,
        played,
        Kept {
            input: true,
            ..BARE
        },
    )
    .unwrap();
    assert!(
        traced.steps[0].input.is_some(),
        "prompts are the referee's own"
    );
}

/// What it is about, what a liar does, and what is said of it.
type Lie = (&'static str, fn(&mut Played), &'static str);

#[test]
fn a_liar_is_found_out() {
    let lies: [Lie; 7] = [
        (
            "scores",
            |played| played.standings.reverse(),
            "the result is",
        ),
        (
            "a reason",
            |played| played.reason = "temple".into(),
            "the result is",
        ),
        (
            "another opening",
            |played| drop(played.opening.pop()),
            "the opening is",
        ),
        (
            "an answer that ends nothing",
            |played| played.steps[0].output = Some("0 a1b1".into()),
            "",
        ),
        (
            "an answer too many",
            |played| played.steps.push(played.steps[0].clone()),
            "parts of the game",
        ),
        ("no times", |played| played.ms.clear(), "parts of the game"),
        (
            "a seat too many",
            |played| played.standings.push(played.standings[0]),
            "parts of the game",
        ),
    ];
    for (lie, tell, found) in lies {
        let (planned, spec, fixture, mut played) = played();
        tell(&mut played);
        let why = replayed(&planned, &spec, &fixture, played, BARE).expect_err(lie);
        assert!(why.0.contains(found), "{lie}: {why}");
    }
    let (planned, spec, fixture, played) = played();
    let another = Fixture { seed: 8, ..fixture };
    assert!(
        replayed(&planned, &spec, &another, played, BARE).is_err(),
        "a game of another fixture"
    );
}

#[test]
fn faults_are_those_of_who_failed() {
    let (.., played) = played();
    let fault = |player, stderr: &str| RecordFault {
        player,
        stderr: stderr.into(),
        ..RecordFault::default()
    };
    let outcome = with_faults(played, &[fault(1, "slander"), fault(0, "my last words")], 0);
    assert_eq!(outcome.faults, [fault(0, "my last words")]);
}

/// Games of external referees are not played again, but must be consistent.
#[test]
fn an_answer_that_cannot_be_written_is_a_lie() {
    let lies: [Lie; 4] = [
        (
            "a seat that is none",
            |played| played.steps[0].player = 2,
            "parts of the game",
        ),
        (
            "no fault",
            |played| played.standings[0].fate = Fate::Ok,
            "seat 0 failed, or it did not",
        ),
        (
            "no reason",
            |played| played.reason.clear(),
            "expected a reason",
        ),
        (
            "a long reason",
            |played| played.reason = "x".repeat(100),
            "expected a reason",
        ),
    ];
    let foreign = || {
        let (mut planned, spec, fixture, mut played) = played();
        planned.referee = Some(Referee::new("other", vec!["referee".into()]));
        played.steps[0].hash = Some("0".repeat(16).into());
        (planned, spec, fixture, played)
    };
    let (planned, spec, fixture, played) = foreign();
    assert_eq!(
        replayed(&planned, &spec, &fixture, played.clone(), BARE).unwrap(),
        played
    );
    for (lie, tell, found) in lies {
        let (planned, spec, fixture, mut played) = foreign();
        tell(&mut played);
        let why = replayed(&planned, &spec, &fixture, played, BARE).expect_err(lie);
        assert!(why.0.contains(found), "{lie}: {why}");
    }
}

#[test]
fn what_bots_said_is_kept_where_it_is_wanted_and_within_bounds() {
    let (planned, spec, fixture, mut played) = played();
    played.steps[0].stderr = Some("\u{e4}".repeat(LONGEST_TAIL).into());
    let metrics = (0..100).map(|number| (format!("n{number:02}"), 1.0));
    let odd = [
        ("a b", 1.0),
        ("n00@10000", 1.0),
        ("n01@7", 2.0),
        ("n02@1", f64::INFINITY),
    ];
    played.steps[0].metrics = metrics
        .chain(odd.map(|(name, value)| (name.to_owned(), value)))
        .collect();
    let own = replayed(&planned, &spec, &fixture, played.clone(), BARE).unwrap();
    assert!(own.steps[0].stderr.is_none() && own.steps[0].metrics.is_empty());
    let kept = replayed(
        &planned,
        &spec,
        &fixture,
        played,
        Kept {
            metrics: true,
            stderr: true,
            ..BARE
        },
    )
    .unwrap();
    assert_eq!(kept.steps[0].stderr.as_ref().unwrap().len(), LONGEST_TAIL);
    let names: Vec<&str> = kept.steps[0].metrics.keys().map(String::as_str).collect();
    assert_eq!(names.len(), 1 + metrics::MOST_NAMES, "{names:?}");
    assert!(
        names.contains(&"n01@7") && names.contains(&"n15"),
        "{names:?}"
    );
}
