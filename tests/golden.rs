//! Games recorded from the original referees, verified: every prompt byte for byte, who had to answer, scores and
//! reason. And the proof that verification would notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use arena::games::{self, GameSpec};
use arena::record::{Mismatch, Record, verify};
use arena::store::read_records;

fn path(spec: &GameSpec) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(spec.id).with_extension("jsonl.gz")
}

fn golden() -> impl Iterator<Item = Record> {
    games::ALL.iter().flat_map(|spec| read_records(&path(spec)).unwrap()).map(|record| record.unwrap().1)
}

#[test]
fn the_originals_games_are_ours() {
    let counts = [
        (&games::minishogi::SPEC, 43),
        (&games::dice_shogi::SPEC, 40),
        (&games::onitama::SPEC, 43),
        (&games::kutulu::SPEC, 47),
    ];
    for (spec, games) in counts {
        let records: Vec<_> = read_records(&path(spec)).unwrap().map(Result::unwrap).collect();
        assert_eq!(records.len(), games);
        for (line, record) in records {
            assert_eq!(record.game, spec.id);
            assert!(record.steps.iter().all(|step| step.input.is_some()), "the golden records hold every input");
            assert_eq!(verify(&record, None), Ok(()), "{} line {line}", spec.id);
        }
    }
}

#[test]
fn every_game_has_golden_records() {
    for spec in games::ALL {
        assert!(path(spec).exists(), "no golden records of {}", spec.id);
    }
}

/// Records that this program wrote stay good: the committed example is never written anew without need.
#[test]
fn the_example_run_still_verifies() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example");
    let records: Vec<Record> =
        read_records(&run.join("records.jsonl")).unwrap().map(|record| record.unwrap().1).collect();
    assert_eq!(records.len(), 20);
    for record in records {
        assert_eq!(verify(&record, None), Ok(()), "game {:?}", record.number);
    }
}

/// The turn and seat that a mismatch points at or says it follows.
fn leads_to(mismatch: &Mismatch, turn: u32, seat: usize) -> bool {
    mismatch.to_string().contains(&format!("turn {turn}, seat {seat}"))
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
            let other = if &input[place..=place] == "1" { "2" } else { "1" };
            input.replace_range(place..=place, other);
            match verify(&changed, None) {
                Err(Mismatch::Step { turn: t, seat: s, detail, .. }) => {
                    assert_eq!((t, s), (turn, seat), "{detail}");
                    assert!(detail.contains("input line"), "{detail}");
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
    for record in golden() {
        // What follows the last action is the result alone, which another action may well share.
        for at in 0..record.steps.len() - 1 {
            let Some(output) = &record.steps[at].output else { continue };
            let Some(place) = output.find(|c: char| ('1'..='5').contains(&c)) else { continue };
            // A message may hold digits too, but they mean nothing.
            if is_random(output) {
                continue;
            }
            let mut changed = record.clone();
            let digit = if &output[place..=place] == "3" { "4" } else { "3" };
            changed.steps[at].output = Some(output[..place].to_owned() + digit + &output[place + 1..]);
            let (turn, seat) = (record.steps[at].turn, record.steps[at].player);
            let mismatch = verify(&changed, None).expect_err("an action was changed");
            assert!(leads_to(&mismatch, turn, seat), "turn {turn}, seat {seat}: {mismatch}");
            count += 1;
        }
    }
    assert!(count > 6500, "only {count} actions were changed");
}

#[test]
fn another_listed_action_is_found_right_after() {
    let mut count = 0;
    for record in golden() {
        for at in (0..record.steps.len() - 1).step_by(5) {
            let step = &record.steps[at];
            let (Some(input), Some(output)) = (&step.input, &step.output) else { continue };
            // Without the draw for it, a game may differ only later.
            if is_random(output) {
                continue;
            }
            // One of the last two may be the action that was played.
            let found = input.lines().rev().take(2).filter(|action| {
                let mut changed = record.clone();
                changed.steps[at].output = Some((*action).to_owned());
                let mismatch = verify(&changed, None).err();
                assert!(
                    mismatch.iter().all(|mismatch| leads_to(mismatch, step.turn, step.player)),
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
            assert!(verify(changed, None).is_err(), "change {change} of {} seed {}", record.game, record.seed.0);
        }
    }
}

fn arena_verify(files: &[&Path]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_arena")).arg("verify").args(files).output().unwrap();
    (out.status.code(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn the_program_says_file_line_turn_and_seat() {
    let files: Vec<PathBuf> = games::ALL.iter().map(|spec| path(spec)).collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let (code, stdout) = arena_verify(&files);
    assert_eq!((code, stdout.as_str()), (Some(0), "173 games verified, 0 mismatches\n"));

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.jsonl");
    let mut lines: Vec<String> = golden().map(|record| serde_json::to_string(&record).unwrap()).take(3).collect();
    lines[1] = lines[1].replacen("\"scores\":[1,-1]", "\"scores\":[1,0]", 1).replacen(
        "\"scores\":[-1,1]",
        "\"scores\":[0,1]",
        1,
    );
    lines[2] = lines[2].replacen(r"\nKGSBR\n", r"\nKGSBQ\n", 1);
    fs::write(&file, lines.join("\n")).unwrap();
    let (code, stdout) = arena_verify(&[&file]);
    assert_eq!(code, Some(1));
    let said = stdout.replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(said);

    fs::write(&file, format!("{}\n{{\"game\":\"minishogi\"\n", lines[0])).unwrap();
    let (code, stdout) = arena_verify(&[&file]);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("records.jsonl, line 2: expected a record"), "{stdout}");
    assert!(stdout.ends_with("2 games verified, 1 mismatches\n"), "{stdout}");
    assert_eq!(arena_verify(&[&folder.path().join("none")]).0, Some(3));
}
