//! Dice Shogi's `RANDOM`: the site's referee drew a move that no battle names.
//!
//! The offered moves are tried until the rest of the battle fits.

use super::check::check;
use super::{Battle, Frame, Unfit};
use crate::play::record::Record;
use arena_games::{Fault, GameSpec, MAX_SEATS, Opening};

/// Maximum number of moves to try in a battle.
const MOST_TRIES: u32 = 2000;

/// Plays a battle like [`check`]. If one of Dice Shogi differs after a `RANDOM`, tries moves in its
/// place.
pub(crate) fn check_moves(battle: &Battle, spec: &GameSpec) -> Result<Record, Unfit> {
    let checked = check(battle, spec);
    let hidden = match &checked {
        Err(unfit) if spec.id == "dice_shogi" => hidden_move(battle, unfit),
        _ => None,
    };
    let Some(at) = hidden else {
        return checked;
    };
    let mut left = MOST_TRIES;
    search(&mut battle.clone(), spec, &mut left).map_err(|unfit| {
        let tried = match left {
            0 => format!("{MOST_TRIES} tries found no moves that fit"),
            _ => "no offered move fits".to_owned(),
        };
        Unfit::Unchecked(format!(
            "the referee drew the move of frame {at}, and {tried}: the rest {unfit}"
        ))
    })
}

/// Returns the first answer `RANDOM` that may be behind a difference.
fn hidden_move(battle: &Battle, unfit: &Unfit) -> Option<usize> {
    let end = battle.frames.len().min(unfit.reach() + 1);
    (1..end).find(|&at| is_random(&battle.frames[at]))
}

/// Plays a game of one answer per turn up to a frame, and returns the prompt of its question.
fn prompt_at(battle: &Battle, spec: &GameSpec, frame: usize) -> Option<String> {
    let seats = battle.scores.len();
    let mut game = spec.start(battle.seed, seats, &Opening::default()).ok()?;
    for frame in &battle.frames[1..frame] {
        let mut replies = [None; MAX_SEATS];
        replies[frame.seat?] = Some(frame.answer().ok_or(Fault::Timeout));
        game.advance(&replies);
    }
    let mut prompt = String::new();
    game.prompt(battle.frames[frame].seat?, &mut prompt);
    Some(prompt)
}

fn is_random(frame: &Frame) -> bool {
    let answer = frame.answer().unwrap_or_default();
    let word = answer.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("random")
}

/// Tries moves in place of the first `RANDOM`, then of the next one. If none fits, leaves the
/// battle as it was and returns the difference that comes last.
fn search(battle: &mut Battle, spec: &GameSpec, tries: &mut u32) -> Result<Record, Unfit> {
    let mut furthest = match check(battle, spec) {
        Ok(record) => return Ok(record),
        Err(unfit) => unfit,
    };
    let Some(at) = hidden_move(battle, &furthest) else {
        return Err(furthest);
    };
    let prompt = prompt_at(battle, spec, at).unwrap_or_default();
    let random = battle.frames[at].stdout.clone();
    for action in spec.listed_actions(&prompt) {
        if *tries == 0 {
            break;
        }
        *tries -= 1;
        battle.frames[at].stdout = format!("{action}\n");
        match search(battle, spec, tries) {
            Err(other) if other.reach() > furthest.reach() => furthest = other,
            Err(_) => {}
            exact => return exact,
        }
    }
    battle.frames[at].stdout = random;
    Err(furthest)
}
