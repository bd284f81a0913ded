//! The search for Dice Shogi: the mean over the die of the best move for each roll.

use arena_games::shogi::Position;

use super::Turn;
use super::evaluation::Weights;
use crate::search::{Clock, INFINITE, Lookahead};

/// Expectimax search for Dice Shogi.
#[derive(Clone, Debug)]
pub struct Expectimax {
    weights: Weights,
}

impl Expectimax {
    /// Returns a search with these weights.
    pub fn new(weights: Weights) -> Expectimax {
        Expectimax { weights }
    }

    /// Returns the value at the end of the search, including the side to move's best capture.
    fn horizon(&self, position: &Position) -> i32 {
        if position.in_check() && !position.has_legal_move() {
            return -Expectimax::WIN;
        }
        let board = position.board();
        let enemies = board.color(position.side().opponent());
        let mut best = [0; 5];
        position.for_each_batch(|batch| {
            // Drops are on empty squares.
            for to in batch.targets & enemies {
                let gain = board
                    .piece_at(to)
                    .map_or(0, |victim| self.weights.capture(victim.role));
                let file = usize::from(to.file()) - 1;
                best[file] = best[file].max(gain);
            }
        });
        let overall = best.into_iter().max().unwrap_or(0);
        self.weights.evaluate(position) + mean_over_faces(best, overall)
    }
}

impl Lookahead for Expectimax {
    type Turn = Turn;

    // The search averages over it, so it is in proportion to the value of all pieces together.
    const WIN: i32 = 8_000;

    fn value(
        &mut self,
        position: &Position,
        depth: u32,
        _alpha: i32,
        _beta: i32,
        clock: &mut Clock,
    ) -> Option<i32> {
        clock.tick()?;
        if depth == 0 {
            return Some(self.horizon(position));
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        // Each move is searched once, whichever rolls allow it, for the best score of each file to
        // move to.
        let mut best = [-INFINITE; 5];
        for action in moves {
            let score = -self.value(
                &position.after(action),
                depth - 1,
                -INFINITE,
                INFINITE,
                clock,
            )?;
            let file = usize::from(action.to().file()) - 1;
            best[file] = best[file].max(score);
        }
        Some(match best.into_iter().max() {
            Some(overall) if overall > -INFINITE => mean_over_faces(best, overall),
            _ => -Expectimax::WIN - depth.cast_signed(),
        })
    }
}

/// The rolls 1 to 5 allow moves to that file; a 6, or a file without moves, allows all.
fn mean_over_faces(best: [i32; 5], overall: i32) -> i32 {
    let files: i32 = best
        .into_iter()
        .map(|score| if score > -INFINITE { score } else { overall })
        .sum();
    (files + overall) / 6
}
