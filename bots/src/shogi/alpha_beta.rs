//! The search for Mini Shogi: alpha-beta with quiescence, a transposition table and move ordering.

use std::cmp::Reverse;

use super::Turn;
use super::evaluation::Weights;
use crate::search::{Clock, INFINITE, Lookahead};
use crate::table::Table;
use arena_games::shogi::{Color, Key, Move, Position, Role, Square};

/// The maximum number of captures and answers to checks beyond the depth.
const QUIESCENCE: u32 = 4;

/// The order of moves: captures, then promotions, then others.
const CAPTURE: i32 = 1 << 24;
const PROMOTION: i32 = 1 << 23;

/// Alpha-beta search for Mini Shogi.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    weights: Weights,
    /// The positions of the game so far.
    once: Vec<Key>,
    /// The positions that occurred twice: the game ends if one occurs again.
    twice: Vec<Key>,
    /// The transposition table of this turn.
    table: Table<Key, Move>,
    /// The number of cutoffs by each move, by role and target, weighted by depth.
    history: [[i32; Square::COUNT]; 14],
}

impl AlphaBeta {
    /// Returns a search with these weights.
    pub fn new(weights: Weights) -> AlphaBeta {
        AlphaBeta {
            weights,
            once: vec![Position::start().key()],
            twice: Vec::new(),
            table: Table::default(),
            history: [[0; Square::COUNT]; 14],
        }
    }

    /// Records a position of the game after the starting position.
    pub fn occurred(&mut self, position: &Position) {
        let key = position.key();
        if self.once.contains(&key) {
            self.twice.push(key);
        }
        self.once.push(key);
        // Earlier results that depend on repetition no longer hold.
        self.table.clear();
        self.history = [[0; Square::COUNT]; 14];
    }

    /// Returns the value at the end of the search, because pieces can't be counted in the middle of
    /// an exchange. It follows only captures, or all moves out of check, for at most `left` moves.
    fn quiesce(
        &self,
        position: &Position,
        left: u32,
        alpha: i32,
        beta: i32,
        clock: &mut Clock,
    ) -> Option<i32> {
        clock.tick()?;
        let in_check = left > 0 && position.in_check();
        // Without a check, not capturing is always possible.
        let mut best = if in_check {
            -AlphaBeta::WIN
        } else {
            self.weights.evaluate(position)
        };
        if left == 0 || best >= beta {
            return Some(best);
        }
        for action in self.moves(position, !in_check, None) {
            let score = -self.quiesce(
                &position.after(action),
                left - 1,
                -beta,
                -alpha.max(best),
                clock,
            )?;
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        Some(best)
    }

    /// Returns the legal moves, or only the captures, in the order of the search.
    fn moves(&self, position: &Position, captures: bool, first: Option<Move>) -> Vec<Move> {
        let enemies = position.board().color(position.side().opponent());
        let mut moves = Vec::new();
        position.for_each_batch(|mut batch| {
            if captures {
                batch.targets &= enemies;
            }
            if !captures || batch.from.is_some() {
                batch.for_each(|action| moves.push(action));
            }
        });
        moves.sort_by_cached_key(|&action| {
            (
                Some(action) != first,
                Reverse(self.promise(position, action)),
            )
        });
        moves
    }

    /// Returns the priority of a move in the search: higher ones come first.
    fn promise(&self, position: &Position, action: Move) -> i32 {
        let promotion = if matches!(action, Move::Board { promote: true, .. }) {
            PROMOTION
        } else {
            0
        };
        let role = mover(position, action);
        match position.board().piece_at(action.to()) {
            // Prefer the most valuable victim, taken by the least valuable piece.
            Some(victim) => {
                CAPTURE + promotion + 16 * self.weights.capture(victim.role)
                    - self.weights.piece(role)
            }
            None => promotion + self.history[role as usize][action.to().index()],
        }
    }

    fn learn(&mut self, position: &Position, action: Move, depth: u32) {
        let history = &mut self.history[mover(position, action) as usize][action.to().index()];
        *history = (*history + (depth * depth).cast_signed()).min(PROMOTION - 1);
    }
}

/// Returns the role that moves or is dropped.
fn mover(position: &Position, action: Move) -> Role {
    match action {
        Move::Drop { piece, .. } => piece.role,
        Move::Board { from, .. } => position
            .board()
            .piece_at(from)
            .map_or(Role::King, |piece| piece.role),
    }
}

impl Lookahead for AlphaBeta {
    type Turn = Turn;

    const WIN: i32 = 100_000;

    fn value(
        &mut self,
        position: &Position,
        depth: u32,
        alpha: i32,
        beta: i32,
        clock: &mut Clock,
    ) -> Option<i32> {
        let win = AlphaBeta::WIN + depth.cast_signed();
        let key = position.key();
        if self.twice.contains(&key) {
            // At the third occurrence, the side in check wins, else the second player.
            let wins = position.in_check() || position.side() == Color::White;
            return Some(if wins { win } else { -win });
        }
        if depth == 0 {
            return self.quiesce(position, QUIESCENCE, alpha, beta, clock);
        }
        clock.tick()?;
        if let Some(known) = self.table.value(&key, depth, &(alpha..beta)) {
            return Some(known);
        }
        let (mut best, mut best_move) = (-INFINITE, None);
        for action in self.moves(position, false, self.table.best(&key)) {
            let score = -self.value(
                &position.after(action),
                depth - 1,
                -beta,
                -alpha.max(best),
                clock,
            )?;
            if score > best {
                (best, best_move) = (score, Some(action));
            }
            if best >= beta {
                self.learn(position, action, depth);
                break;
            }
        }
        let Some(action) = best_move else {
            return Some(-win);
        };
        self.table.store(key, depth, &(alpha..beta), best, action);
        Some(best)
    }

    fn begin(&mut self, turn: &Turn) {
        if turn.last.is_some() {
            self.occurred(&turn.position);
        }
    }

    fn end(&mut self, position: &Position) {
        self.occurred(position);
    }
}
