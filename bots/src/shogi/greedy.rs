//! A greedy bot for both shogi games.

use std::cmp::Reverse;

use arena_games::rng::{SplitMix64, shuffle};
use arena_games::shogi::{Move, Position};

use super::evaluation::Weights;
use super::{Game, Turn};
use crate::bot::Bot;

/// Looks one move ahead: mates if possible, else wins the most material, counting a piece that can
/// be recaptured as lost.
#[derive(Clone, Debug)]
pub struct Greedy {
    /// The number of rolls, out of six, that let the opponent capture on a given square.
    danger: i32,
    weights: Weights,
    rng: SplitMix64,
}

impl Greedy {
    /// Returns a bot whose seed decides between equal moves.
    pub fn new(game: Game, seed: u64) -> Greedy {
        let danger = match game {
            Game::MiniShogi => 6,
            // The roll must be the file of the square, or a 6.
            Game::DiceShogi => 2,
        };
        Greedy {
            danger,
            weights: Weights::default(),
            rng: SplitMix64::new(seed),
        }
    }

    /// Returns the material that a move wins.
    fn gain(&self, position: &Position, action: Move) -> i32 {
        let (side, to) = (position.side(), action.to());
        let after = position.after(action);
        let mut replies = Vec::new();
        after.legal_moves(&mut replies);
        if replies.is_empty() {
            return i32::MAX;
        }
        let in_danger = after
            .board()
            .piece_at(to)
            .filter(|_| replies.iter().any(|reply| reply.to() == to));
        let loss = in_danger.map_or(0, |piece| self.weights.capture(piece.role)) * self.danger / 6;
        self.weights.material(&after, side) - self.weights.material(position, side) - loss
    }
}

impl Bot<Turn> for Greedy {
    fn choose(&mut self, turn: &Turn) -> Move {
        let mut moves = turn.moves.clone();
        shuffle(&mut moves, &mut self.rng);
        moves.sort_by_cached_key(|&action| Reverse(self.gain(&turn.position, action)));
        moves[0]
    }
}
