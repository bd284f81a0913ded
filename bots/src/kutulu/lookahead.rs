//! Looking ahead in Code of Kutulu, turn by turn.
//!
//! Where one can get to in so many turns are few cells, and many ways lead to each. So of all ways that lead to a cell
//! only the best one is followed: a turn deeper costs a few more cells, not several times as much.

use arena_games::kutulu::{Action, LAST_TURN, SEATS};

use super::evaluation::{MOST, Weights};
use super::{Position, Turn, others};
use crate::search::{Clock, INFINITE, Lookahead};

/// To be gone is worse than anything else, and the later the better.
const GONE: i32 = -MOST - 100_000;
const TURN: i32 = 1000;
/// What it is worth that somebody else falls in the same turn, or before.
const FELLOW: i32 = 100;

/// A search that follows the best way to each cell.
#[derive(Clone, Debug)]
pub struct Layers {
    weights: Weights,
    /// What the others are expected to do this turn.
    expected: [Action; SEATS],
}

/// The best way found to a cell.
#[derive(Debug)]
struct Way {
    position: Position,
    worth: i32,
    /// What the positions on the way are worth together.
    sum: i32,
}

impl Layers {
    /// A search that values positions by these weights.
    pub fn new(weights: Weights) -> Layers {
        Layers {
            weights,
            expected: [Action::Wait; SEATS],
        }
    }

    /// What the others do best if they look one turn ahead, and everybody else does what is most comfortable.
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
            // Casts are rare, and would take much time.
            for action in super::steps(world, seat) {
                let worth = worth(action);
                if worth > best {
                    (best, expected[seat]) = (worth, action);
                }
            }
        }
        expected
    }

    /// The best way to each cell after one more turn, the `ply`-th. `None` when time is up.
    fn next(&self, ways: &[Way], ply: i32, clock: &mut Clock) -> Option<Vec<Way>> {
        let mut next: Vec<Way> = Vec::new();
        for way in ways {
            // Casts are for the turn at hand: to keep them for later is always a choice.
            for action in super::steps(&way.position.world, way.position.seat) {
                clock.tick()?;
                let position = way.position.after(action);
                if !is_living(&position) {
                    continue;
                }
                let last = self.weights.evaluate(&position);
                let sum = way.sum.saturating_add(last);
                let worth = self.weights.blend(last, sum / (ply + 1));
                match next
                    .iter_mut()
                    .find(|other| is_same_cell(&other.position, &position))
                {
                    None => next.push(Way {
                        position,
                        worth,
                        sum,
                    }),
                    Some(other) if other.worth < worth => {
                        *other = Way {
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

    /// What a position is worth for its player.
    fn worth(&self, position: &Position, depth: u32, clock: &mut Clock) -> Option<i32> {
        clock.tick()?;
        if !is_living(position) {
            return Some(gone(position, 0));
        }
        let worth = self.weights.evaluate(position);
        let mut ways = vec![Way {
            position: position.clone(),
            worth,
            sum: worth,
        }];
        let turns = depth.min((LAST_TURN + 1).saturating_sub(position.world.turn()));
        for ply in 1..=turns.cast_signed() {
            let next = self.next(&ways, ply, clock)?;
            if next.is_empty() {
                return Some(gone(position, ply));
            }
            ways = next;
        }
        ways.iter().map(|way| way.worth).max()
    }
}

impl Lookahead for Layers {
    type Turn = Turn;

    // Nobody has won before the others are gone, and then there is nothing left to choose.
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

/// What it is worth to be gone after so many turns.
fn gone(position: &Position, ply: i32) -> i32 {
    let rivals = super::others(&position.world, position.seat)
        .map(|_| FELLOW)
        .sum::<i32>();
    GONE + TURN * ply - rivals
}
