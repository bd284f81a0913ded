//! The search for Onitama: alpha-beta with quiescence, a transposition table and move ordering.

use std::cmp::Reverse;

use arena_games::onitama::{Action, MAX_ACTIONS, Position, Square};

use super::evaluation::Weights;
use super::{Turn, captures};
use crate::search::{Clock, INFINITE, Lookahead};
use crate::table::Table;

/// The maximum number of captures and winning actions beyond the depth.
const QUIESCENCE: u32 = 4;

/// The order of actions: those that win at once, then captures, then others.
const WINNING: i32 = 1 << 25;
const CAPTURE: i32 = 1 << 24;

/// Alpha-beta search for Onitama. It ignores the turn limit.
#[derive(Clone, Debug)]
pub struct AlphaBeta {
    weights: Weights,
    /// The transposition table of this turn.
    table: Table<Position, Action>,
    /// The number of cutoffs by each move, by both squares, weighted by depth.
    history: [[i32; Square::COUNT]; Square::COUNT],
}

impl AlphaBeta {
    /// Returns a search with these weights.
    pub fn new(weights: Weights) -> AlphaBeta {
        AlphaBeta {
            weights,
            table: Table::default(),
            history: [[0; Square::COUNT]; Square::COUNT],
        }
    }

    /// Returns the value at the end of the search, following only captures and wins, because pieces
    /// can't be counted in the middle of an exchange. `left` limits its length.
    fn quiesce(
        &self,
        position: &Position,
        left: u32,
        alpha: i32,
        beta: i32,
        clock: &mut Clock,
    ) -> Option<i32> {
        clock.tick()?;
        if position.ending().is_some() {
            return Some(-AlphaBeta::WIN);
        }
        // Not capturing is almost always possible.
        let mut best = self.weights.evaluate(position);
        if left == 0 || best >= beta {
            return Some(best);
        }
        for action in self.actions(position, CAPTURE, None) {
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

    /// Returns the legal actions with at least this priority, highest first.
    fn actions(&self, position: &Position, least: i32, first: Option<Action>) -> Vec<Action> {
        let mut promises = Vec::with_capacity(MAX_ACTIONS);
        position.for_each_action(|action| {
            let promise = self.promise(position, action);
            if promise >= least {
                promises.push((Some(action) != first, Reverse(promise), action));
            }
        });
        // A stable sort keeps the order of equal actions.
        promises.sort_by_key(|&(later, promise, _)| (later, promise));
        promises.into_iter().map(|(_, _, action)| action).collect()
    }

    /// Returns the priority of an action in the search.
    fn promise(&self, position: &Position, action: Action) -> i32 {
        let Action::Move { from, to, .. } = action else {
            return 0;
        };
        let (side, other) = (position.side, position.side.opponent());
        if position.master(other) == Some(to)
            || position.master(side) == Some(from) && to == other.shrine()
        {
            return WINNING;
        }
        match captures(position, action) {
            Some(_) => CAPTURE,
            None => self.history[from.index()][to.index()],
        }
    }

    fn learn(&mut self, action: Action, depth: u32) {
        if let Action::Move { from, to, .. } = action {
            let history = &mut self.history[from.index()][to.index()];
            *history = (*history + (depth * depth).cast_signed()).min(CAPTURE - 1);
        }
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
        if position.ending().is_some() {
            return Some(-AlphaBeta::WIN - depth.cast_signed());
        }
        if depth == 0 {
            return self.quiesce(position, QUIESCENCE, alpha, beta, clock);
        }
        clock.tick()?;
        if let Some(known) = self.table.value(position, depth, &(alpha..beta)) {
            return Some(known);
        }
        let (mut best, mut best_action) = (-INFINITE, None);
        for action in self.actions(position, 0, self.table.best(position)) {
            let score = -self.value(
                &position.after(action),
                depth - 1,
                -beta,
                -alpha.max(best),
                clock,
            )?;
            if score > best {
                (best, best_action) = (score, Some(action));
            }
            if best >= beta {
                self.learn(action, depth);
                break;
            }
        }
        if let Some(action) = best_action {
            self.table
                .store(*position, depth, &(alpha..beta), best, action);
        }
        Some(best)
    }

    fn begin(&mut self, _turn: &Turn) {
        self.table.clear();
        self.history = [[0; Square::COUNT]; Square::COUNT];
    }
}
