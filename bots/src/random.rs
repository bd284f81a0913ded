//! A bot that plays random actions, in any game.

use arena_games::rng::{Generator as _, SplitMix64};

use crate::bot::Bot;
use crate::protocol::Turn;

/// Plays each of the offered actions with the same probability.
#[derive(Clone, Debug)]
pub struct Random {
    rng: SplitMix64,
}

impl Random {
    /// Returns a bot that draws from this seed.
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

/// Draws one of the actions uniformly. There must be at least one.
pub fn draw<A: Copy>(actions: &[A], rng: &mut SplitMix64) -> A {
    let count = u32::try_from(actions.len()).unwrap_or(u32::MAX);
    actions[rng.next_int(count) as usize]
}
