//! Looking ahead in Code of Kutulu, turn by turn.
//!
//! An explorer can reach few cells in a number of turns, by many paths each. The search follows
//! only the best path to each cell, so another turn costs a few more cells, not several times as
//! much.

use arena_games::kutulu::{Action, LAST_TURN, SEATS};

use super::evaluation::{MOST, Weights};
use super::{Position, Turn, others};
use crate::search::{Clock, INFINITE, Lookahead};

/// The value of being eliminated, worse than anything else, and the value of each turn before it.
const GONE: i32 = -MOST - 100_000;
const TURN: i32 = 1000;
/// The value of each other explorer that is eliminated in the same turn or before.
const FELLOW: i32 = 100;

/// A search that follows the best path to each cell.
#[derive(Clone, Debug)]
pub struct Layers {
    weights: Weights,
    /// The expected actions of the others in this turn.
    expected: [Action; SEATS],
}

/// The best path found to a cell.
#[derive(Debug)]
struct Path {
    position: Position,
    worth: i32,
    /// The sum of the values of the positions on the path.
    sum: i32,
}

impl Layers {
    /// Returns a search with these weights.
    pub fn new(weights: Weights) -> Layers {
        Layers {
            weights,
            expected: [Action::Wait; SEATS],
        }
    }

    /// Returns the best actions of the others if they look one turn ahead and all the rest take
    /// their most comfortable steps.
    fn expect(&self, position: &Position) -> [Action; SEATS] {
        let (world, own) = (&position.world, position.seat);
        let mut usual = others::expected(world, own);
        usual[own] = others::most_comfortable(world, own);
        let mut expected = usual;
        for (seat, _) in super::others(world, own) {
            let position = Position {
                world: world.clone(),
                seat,
            };
            let worth = |action| {
                let after = position.after_all(action, usual);
                if is_living(&after) {
                    self.weights.evaluate(&after)
                } else {
                    gone(&after, 0)
                }
            };
            let mut best = -INFINITE;
            // Casts are rare, and searching them would take long.
            for action in super::steps(world, seat) {
                let worth = worth(action);
                if worth > best {
                    (best, expected[seat]) = (worth, action);
                }
            }
        }
        expected
    }

    /// Returns the best path to each cell after one more turn, the `ply`-th. `None` if the time is
    /// up.
    fn next(&self, paths: &[Path], ply: i32, clock: &mut Clock) -> Option<Vec<Path>> {
        let mut next: Vec<Path> = Vec::new();
        for path in paths {
            // Casts are for this turn: keeping them for later is always possible.
            for action in super::steps(&path.position.world, path.position.seat) {
                clock.tick()?;
                let position = path.position.after(action);
                if !is_living(&position) {
                    continue;
                }
                let last = self.weights.evaluate(&position);
                let sum = path.sum.saturating_add(last);
                let worth = self.weights.blend(last, sum / (ply + 1));
                match next
                    .iter_mut()
                    .find(|other| is_same_cell(&other.position, &position))
                {
                    None => next.push(Path {
                        position,
                        worth,
                        sum,
                    }),
                    Some(other) if other.worth < worth => {
                        *other = Path {
                            position,
                            worth,
                            sum,
                        }
                    }
                    Some(_) => {}
                }
            }
        }
        Some(next)
    }

    /// Returns the value of a position for its player.
    fn worth(&self, position: &Position, depth: u32, clock: &mut Clock) -> Option<i32> {
        clock.tick()?;
        if !is_living(position) {
            return Some(gone(position, 0));
        }
        let worth = self.weights.evaluate(position);
        let mut paths = vec![Path {
            position: position.clone(),
            worth,
            sum: worth,
        }];
        let turns = depth.min((LAST_TURN + 1).saturating_sub(position.world.turn));
        for ply in 1..=turns.cast_signed() {
            let next = self.next(&paths, ply, clock)?;
            if next.is_empty() {
                return Some(gone(position, ply));
            }
            paths = next;
        }
        paths.iter().map(|path| path.worth).max()
    }
}

impl Lookahead for Layers {
    type Turn = Turn;

    // A win needs the elimination of all others, and then no choice matters.
    const WIN: i32 = MOST + 1;

    fn value(
        &mut self,
        position: &Position,
        depth: u32,
        _: i32,
        _: i32,
        clock: &mut Clock,
    ) -> Option<i32> {
        self.worth(position, depth, clock).map(|worth| -worth)
    }

    fn after(&mut self, turn: &Turn, action: Action) -> Position {
        turn.position.after_all(action, self.expected)
    }

    fn begin(&mut self, turn: &Turn) {
        self.expected = self.expect(&turn.position);
    }
}

fn is_living(position: &Position) -> bool {
    position.world.explorers[position.seat].living
}

fn is_same_cell(one: &Position, other: &Position) -> bool {
    let cell = |position: &Position| position.world.explorers[position.seat].cell;
    cell(one) == cell(other)
}

/// Returns the value of being eliminated after `ply` turns.
fn gone(position: &Position, ply: i32) -> i32 {
    let rivals = super::others(&position.world, position.seat)
        .map(|_| FELLOW)
        .sum::<i32>();
    GONE + TURN * ply - rivals
}
