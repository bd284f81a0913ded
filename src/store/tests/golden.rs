//! Games recorded from the original referees, verified: every prompt byte for byte, who had to
//! answer, scores and reason. And the proof that verification would notice.

use std::sync::{Arc, LazyLock};

use arena_games::{GameSpec, Games};
use proptest::prelude::*;

use crate::play::record::{self, Mismatch, Record};
use crate::store::{StoredGames, read_records};
use crate::testing::golden_file;

static GAMES: LazyLock<Games> = LazyLock::new(Games::standard);

fn verify(record: &Record) -> Result<(), Mismatch> {
    let spec = StoredGames::new(&GAMES).of(record)?;
    record::verify(record, &spec)
}

fn golden() -> impl Iterator<Item = Record> {
    GAMES
        .iter()
        .flat_map(|spec| read_records(&golden_file(spec)).unwrap())
        .map(|record| record.unwrap().1)
}

#[test]
fn the_originals_games_are_ours() {
    for (spec, games) in GAMES.iter().zip([43, 40, 43, 47]) {
        let records: Vec<_> = read_records(&golden_file(spec))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(records.len(), games);
        for (line, record) in records {
            assert_eq!(record.game, spec.id);
            assert!(
                record.steps.iter().all(|step| step.input.is_some()),
                "the golden records hold every input"
            );
            assert_eq!(verify(&record), Ok(()), "{} line {line}", spec.id);
        }
    }
}

#[test]
fn every_game_has_golden_records() {
    for spec in GAMES.iter() {
        assert!(
            golden_file(spec).exists(),
            "no golden records of {}",
            spec.id
        );
    }
}

/// The turn and seat that a mismatch points at or says it follows.
fn leads_to(mismatch: &Mismatch, turn: u32, seat: usize) -> bool {
    mismatch
        .to_string()
        .contains(&format!("turn {turn}, seat {seat}"))
}

#[test]
fn a_changed_byte_of_an_input_is_found_where_it_is() {
    for record in golden() {
        for at in (0..record.steps.len()).step_by(7) {
            let mut changed = record.clone();
            let step = &mut changed.steps[at];
            let (turn, seat) = (step.turn, step.player);
            let input = step.input.as_mut().unwrap();
            // Another place each time; the alphabet of prompts is ASCII.
            let place = at * 31 % input.len();
            let other = if &input[place..=place] == "1" {
                "2"
            } else {
                "1"
            };
            input.replace_range(place..=place, other);
            match verify(&changed) {
                Err(Mismatch(text)) => {
                    assert!(
                        text.starts_with(&format!("turn {turn}, seat {seat}: input line")),
                        "{text}"
                    );
                }
                other => panic!("turn {turn}: {other:?}"),
            }
        }
    }
}

/// Whether the shogi referees choose the action for this answer.
fn is_random(output: &str) -> bool {
    output.trim_start().to_lowercase().starts_with("random")
}

#[test]
fn a_changed_action_is_found_where_it_is_or_right_after() {
    let mut count = 0;
    // Where all act at once, an action shows in the next turn only: see below.
    for record in golden().filter(|record| record.game != "kutulu") {
        // What follows the last action is the result alone, which another action may well share.
        for at in 0..record.steps.len() - 1 {
            let Some(output) = &record.steps[at].output else {
                continue;
            };
            let Some(place) = output.find(|c: char| ('1'..='5').contains(&c)) else {
                continue;
            };
            // A message may hold digits too, but they mean nothing.
            if is_random(output) {
                continue;
            }
            let mut changed = record.clone();
            let digit = if &output[place..=place] == "3" {
                "4"
            } else {
                "3"
            };
            changed.steps[at].output =
                Some((output[..place].to_owned() + digit + &output[place + 1..]).into());
            let (turn, seat) = (record.steps[at].turn, record.steps[at].player);
            let mismatch = verify(&changed).expect_err("an action was changed");
            assert!(
                leads_to(&mismatch, turn, seat),
                "turn {turn}, seat {seat}: {mismatch}"
            );
            count += 1;
        }
    }
    assert!(count > 6500, "only {count} actions were changed");
}

#[test]
fn another_listed_action_is_found_right_after() {
    let mut count = 0;
    // In Kutulu a prompt lists no actions.
    for record in golden().filter(|record| record.game != "kutulu") {
        for at in (0..record.steps.len() - 1).step_by(5) {
            let step = &record.steps[at];
            let (Some(input), Some(output)) = (&step.input, &step.output) else {
                continue;
            };
            // Without the draw for it, a game may differ only later.
            if is_random(output) {
                continue;
            }
            // One of the last two may be the action that was played.
            let found = input.lines().rev().take(2).filter(|action| {
                let mut changed = record.clone();
                changed.steps[at].output = Some((*action).into());
                let mismatch = verify(&changed).err();
                assert!(
                    mismatch
                        .iter()
                        .all(|mismatch| leads_to(mismatch, step.turn, step.player)),
                    "{action} in turn {}, seat {}: {mismatch:?}",
                    step.turn,
                    step.player
                );
                mismatch.is_some()
            });
            let found = found.count();
            assert!(found > 0, "turn {}, seat {}", step.turn, step.player);
            count += found;
        }
    }
    assert!(count > 2200, "only {count} actions were changed");
}

/// A seat's own line in an input of Kutulu, without what it does not decide itself: place, plans,
/// lights.
fn own_doing(input: &str) -> Vec<&str> {
    let own: Vec<&str> = input
        .lines()
        .find(|line| line.starts_with("EXPLORER"))
        .unwrap()
        .split(' ')
        .collect();
    [&own[2..4], &own[5..]].concat()
}

/// Where all act at once, an action shows in the first input of the next turn, if it does anything.
#[test]
fn a_changed_answer_of_kutulu_is_found_in_the_next_turn() {
    let (mut faults, mut idle, mut said) = (0, 0, 0);
    for record in golden().filter(|record| record.game == "kutulu").step_by(3) {
        for (at, step) in record.steps.iter().enumerate() {
            let later = || record.steps[at + 1..].iter();
            let next = later().find(|next| next.turn == step.turn + 1);
            let own_next = later().find(|next| next.player == step.player);
            let with_output = |output: String| {
                let mut changed = record.clone();
                changed.steps[at].output = Some(output.into());
                verify(&changed)
            };
            let found_next = |result: Result<(), Mismatch>| match result {
                Err(Mismatch(text)) => {
                    let place =
                        next.map(|next| format!("turn {}, seat {}: ", next.turn, next.player));
                    assert!(
                        place.is_some_and(|place| text.starts_with(&place)),
                        "after {step:?}: {text}"
                    );
                }
                other => panic!("after {step:?}: {other:?}"),
            };
            let (Some(output), Some(own_next)) = (&step.output, own_next) else {
                continue;
            };
            let (input, input_next) = (
                step.input.as_ref().unwrap(),
                own_next.input.as_ref().unwrap(),
            );
            // One turn in three, in turn.
            match at % 3 {
                0 => {
                    found_next(with_output("nonsense".into()));
                    faults += 1;
                }
                1 => {
                    let yelled =
                        input_next.contains(&format!("EFFECT_YELL -1 -1 -1 1 {} ", step.player));
                    if yelled || own_doing(input) != own_doing(input_next) {
                        found_next(with_output("WAIT".into()));
                        idle += 1;
                    }
                }
                _ => {
                    assert_eq!(
                        with_output(format!("{output} and 4 words more")),
                        Ok(()),
                        "after {step:?}"
                    );
                    said += 1;
                }
            }
        }
    }
    assert!(
        faults > 800 && idle > 400 && said > 800,
        "only {faults}, {idle} and {said} answers were changed"
    );
}

#[test]
fn a_changed_result_or_order_is_found() {
    for record in golden() {
        let mut variants: Vec<Record> = vec![record.clone(); 6];
        variants[0].scores[0] += 1;
        variants[1].scores.push(0);
        variants[2].reason.replace_range(..1, "x");
        variants[3].steps.pop();
        variants[4].steps[0].turn += 1;
        variants[5].steps[0].player ^= 1;
        for (change, changed) in variants.iter().enumerate() {
            assert!(
                verify(changed).is_err(),
                "change {change} of {} seed {}",
                record.game,
                record.seed.0
            );
        }
    }
}

#[test]
fn a_record_with_its_map_needs_no_folder() {
    let mut record = golden()
        .find(|record| record.options.game.contains_key("map"))
        .unwrap();
    record.options.game.insert("maps".into(), "gone".into());
    assert_eq!(verify(&record), Ok(()));
}

/// The first two records of every game, without their long inputs but for the first.
fn short_records() -> Vec<Record> {
    static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
        let first = |spec: &Arc<GameSpec>| {
            read_records(&golden_file(spec))
                .unwrap()
                .take(2)
                .map(|record| record.unwrap().1)
        };
        let short = |mut record: Record| {
            record
                .steps
                .iter_mut()
                .skip(1)
                .for_each(|step| step.input = None);
            record
        };
        GAMES.iter().flat_map(first).map(short).collect()
    });
    RECORDS.clone()
}

proptest! {
    /// Whatever a line holds, it is no record, or its game is proved or not: there is no third way.
    #[test]
    fn a_changed_record_is_read_without_panic(
        game in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, r#"[\[\]{}:,"0-9a-zA-Z#.\n-]{0,5}"#), 1..4),
    ) {
        let records: Vec<Record> = short_records();
        let mut line = serde_json::to_vec(&records[game.index(records.len())]).unwrap();
        for (at, removed, inserted) in changes {
            let start = at.index(line.len());
            let end = (start + removed).min(line.len());
            line.splice(start..end, inserted.into_bytes());
        }
        if let Ok(mut record) = serde_json::from_slice::<Record>(&line) {
            // The last digit of a time may be rounded.
            record.ms.clear();
            let written = serde_json::to_string(&record).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Record>(&written).unwrap(), &record);
            prop_assert_eq!(verify(&record), verify(&record));
        }
    }
}
