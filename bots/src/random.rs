//! A bot that plays anything.

use arena::games::rng::{Generator as _, SplitMix64};
use arena::games::shogi::Move;

use crate::bot::Bot;
use crate::protocol::Turn;

/// Plays each of the offered moves with the same chance.
#[derive(Clone, Debug)]
pub struct Random {
    rng: SplitMix64,
}

impl Random {
    /// The same seed draws the same moves.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { rng: SplitMix64::new(seed) }
    }
}

impl Bot for Random {
    fn choose(&mut self, turn: &Turn) -> Move {
        draw(&turn.moves, &mut self.rng)
    }
}

/// One of the moves, of which there is at least one, each with the same chance.
pub fn draw(moves: &[Move], rng: &mut SplitMix64) -> Move {
    let count = u32::try_from(moves.len()).unwrap_or(u32::MAX);
    moves[rng.next_int(count) as usize]
}
