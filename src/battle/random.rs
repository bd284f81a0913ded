//! Dice Shogi's `RANDOM`: the site's referee drew a move that no battle names.
//!
//! The offered moves are tried until the rest of the battle fits.

use super::check::{Difference, check, prompt_at};
use super::{Battle, Frame};
use crate::play::record::Record;
use arena_games::GameSpec;

/// Maximum number of moves to try in a battle.
const MOST_TRIES: u32 = 2000;

/// Plays a battle like [`check`]. If it differs after a `RANDOM`, tries moves in its place.
pub(crate) fn check_moves(battle: &Battle, spec: &GameSpec) -> Result<Record, Difference> {
    let mut tries = MOST_TRIES;
    search(battle, spec, &mut tries)
}

/// Returns the first answer `RANDOM` that may be behind a difference.
pub(crate) fn hidden_move(battle: &Battle, difference: &Difference) -> Option<usize> {
    let frames = battle.frames.iter().take(difference.frame + 1);
    let mut frames = frames.enumerate().skip(1);
    frames.find(|(_, frame)| is_random(frame)).map(|(at, _)| at)
}

fn is_random(frame: &Frame) -> bool {
    let word = frame
        .answer()
        .and_then(|answer| answer.split_whitespace().next());
    word.is_some_and(|word| word.eq_ignore_ascii_case("random"))
}

/// Tries moves in place of the first `RANDOM`, then of the next one.
fn search(battle: &Battle, spec: &GameSpec, tries: &mut u32) -> Result<Record, Difference> {
    let mut nearest = match check(battle, spec) {
        Ok(record) => return Ok(record),
        Err(difference) => difference,
    };
    let Some(at) = hidden_move(battle, &nearest) else {
        return Err(nearest);
    };
    let Some(prompt) = prompt_at(battle, spec, at) else {
        return Err(nearest);
    };
    let mut guess = battle.clone();
    for action in spec.listed_actions(&prompt) {
        let Some(left) = tries.checked_sub(1) else {
            break;
        };
        *tries = left;
        guess.frames[at].stdout = format!("{action}\n");
        match search(&guess, spec, tries) {
            Ok(record) => return Ok(record),
            Err(difference) if difference.reach() > nearest.reach() => nearest = difference,
            Err(_) => {}
        }
    }
    Err(nearest)
}
