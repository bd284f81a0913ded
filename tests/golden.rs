//! Games recorded from the original referees, replayed: every prompt byte for byte, scores, reason and length.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use arena::games::{self, Fault, Game, GameSpec, Options, Replies};
use flate2::read::GzDecoder;
use serde_json::Value;

#[test]
fn minishogi() {
    assert_eq!(replay_all(&games::minishogi::SPEC), 43);
}

#[test]
fn dice_shogi() {
    assert_eq!(replay_all(&games::dice_shogi::SPEC), 40);
}

#[test]
fn every_game_has_golden_records() {
    for spec in games::ALL {
        assert!(path(spec).exists(), "no golden records of {}", spec.id);
    }
}

fn path(spec: &GameSpec) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(spec.id).with_extension("jsonl.gz")
}

/// Replays every record of a game and returns how many there are.
fn replay_all(spec: &GameSpec) -> usize {
    let file = BufReader::new(GzDecoder::new(File::open(path(spec)).unwrap()));
    let records = file.lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    records.map(|record| replay(spec, &record)).count()
}

fn replay(spec: &GameSpec, record: &Value) {
    let label = format!("{} seed {} {}", spec.id, record["seed"], record["scenario"]);
    let mut game = (spec.start)(record["seed"].as_i64().unwrap(), &Options::default()).unwrap();
    let mut steps = record["steps"].as_array().unwrap().iter().peekable();
    while !game.due().is_empty() {
        let mut replies: Replies<'_> = [None; games::MAX_SEATS];
        for seat in game.due().iter() {
            let step = steps.next().unwrap_or_else(|| panic!("{label}: the game goes on after the last step"));
            assert_eq!(step["turn"], game.turn(), "{label}");
            assert_eq!(step["player"], seat, "{label}, turn {}", game.turn());
            compare(spec, game.as_ref(), seat, step["input"].as_str().unwrap(), &label);
            replies[seat] = Some(step["output"].as_str().ok_or(Fault::Timeout));
        }
        game.advance(&replies);
    }
    assert!(steps.next().is_none(), "{label}: the game ended early, at turn {}", game.turn());
    let scores: Vec<i64> = game.standings().iter().map(|standing| standing.score.into()).collect();
    assert_eq!(record["scores"], Value::from(scores), "{label}");
    assert_eq!(record["reason"], game.reason().unwrap().to_string(), "{label}");
}

fn compare(spec: &GameSpec, game: &dyn Game, seat: games::Seat, expected: &str, label: &str) {
    let mut prompt = String::new();
    game.prompt(seat, &mut prompt);
    if spec.actions_unordered {
        assert_eq!(sort_actions(&prompt), sort_actions(expected), "{label}, turn {}", game.turn());
        assert!(prompt.ends_with('\n'));
    } else {
        assert_eq!(prompt, expected, "{label}, turn {}", game.turn());
    }
}

/// The lines of a prompt with those after the last line that is their count sorted.
fn sort_actions(prompt: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = prompt.lines().collect();
    let actions = (1..=lines.len()).find(|&count| lines[lines.len() - count - 1] == count.to_string()).unwrap();
    let first = lines.len() - actions;
    lines[first..].sort_unstable();
    lines
}
