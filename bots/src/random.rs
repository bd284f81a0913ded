//! A bot that plays anything, in any game.

use arena_games::rng::{Generator as _, SplitMix64};

use crate::bot::Bot;
use crate::protocol::Turn;

/// Plays each of the offered actions with the same chance.
#[derive(Clone, Debug)]
pub struct Random {
    rng: SplitMix64,
}

impl Random {
    /// The same seed draws the same actions.
    pub fn new(seed: u64) -> Random {
        Random {
            rng: SplitMix64::new(seed),
        }
    }
}

impl<T: Turn> Bot<T> for Random {
    fn choose(&mut self, turn: &T) -> T::Action {
        draw(turn.actions(), &mut self.rng)
    }
}

/// One of the actions, of which there is at least one, each with the same chance.
pub fn draw<A: Copy>(actions: &[A], rng: &mut SplitMix64) -> A {
    let count = u32::try_from(actions.len()).unwrap_or(u32::MAX);
    actions[rng.next_int(count) as usize]
}
