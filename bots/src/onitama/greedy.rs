//! A greedy bot for Onitama.

use std::cmp::Reverse;

use arena_games::onitama::{Action, Position};
use arena_games::rng::{SplitMix64, shuffle};

use super::{Turn, captures};
use crate::bot::Bot;

/// Looks one action ahead: wins if possible, avoids an immediate loss, captures, and avoids squares
/// where its piece can be captured.
#[derive(Clone, Debug)]
pub struct Greedy {
    rng: SplitMix64,
}

impl Greedy {
    /// Returns a bot whose seed decides between equal actions.
    pub fn new(seed: u64) -> Greedy {
        Greedy {
            rng: SplitMix64::new(seed),
        }
    }
}

impl Bot<Turn> for Greedy {
    fn choose(&mut self, turn: &Turn) -> Action {
        let mut actions = turn.actions.clone();
        shuffle(&mut actions, &mut self.rng);
        actions.sort_by_cached_key(|&action| Reverse(gain(&turn.position, action)));
        actions[0]
    }
}

/// Returns the students that an action wins, less the one that it may lose on its target.
fn gain(position: &Position, action: Action) -> i32 {
    let after = position.after(action);
    if after.ending().is_some() {
        return i32::MAX;
    }
    let mut replies = Vec::new();
    after.legal_actions(&mut replies);
    if replies
        .iter()
        .any(|&reply| after.after(reply).ending().is_some())
    {
        return i32::MIN;
    }
    let Action::Move { to, .. } = action else {
        return 0;
    };
    let in_danger = replies
        .iter()
        .any(|&reply| captures(&after, reply) == Some(to));
    i32::from(captures(position, action).is_some()) - i32::from(in_danger)
}
