//! The expected actions of the other explorers: they avoid wanderers, else they look for company.

use arena_games::Seat;
use arena_games::kutulu::{Action, COMPANY_RANGE, Cell, Direction, MinionKind, SEATS, World};

use super::{is_stuck, others, turns_to_spawn};

/// The cost of a wanderer, by the number of turns before it can arrive.
const FEAR: [i32; 5] = [60, 40, 20, 8, 4];
/// The cost of being out of reach of all others, and of every step to the nearest.
const ALONE: i32 = 10;
const STEP: i32 = 2;

/// The maximum number of wanderers that an explorer considers. More are very rare.
const MOST_NEAR: usize = 12;

/// Returns the expected actions of the explorers; the one at `seat` waits.
pub(super) fn expected(world: &World, seat: Seat) -> [Action; SEATS] {
    let mut actions = [Action::Wait; SEATS];
    for other in world.living().iter().filter(|&other| other != seat) {
        actions[other] = most_comfortable(world, other);
    }
    actions
}

/// Returns the step to the best cell within reach of an explorer.
pub(super) fn most_comfortable(world: &World, seat: Seat) -> Action {
    if is_stuck(world, seat) {
        return Action::Wait;
    }
    let here = world.explorers[seat].cell;
    let mut threats = [(here, 0); MOST_NEAR];
    let count = threats_near(world, here, &mut threats);
    let comfort = |cell| comfort(world, seat, cell, &threats[..count]);
    let mut best = (comfort(here), Action::Wait);
    for direction in Direction::ALL {
        if let Some(cell) = world.maze().neighbour(here, direction) {
            let comfort = comfort(cell);
            if comfort > best.0 {
                best = (comfort, Action::Step(direction));
            }
        }
    }
    best.1
}

/// Fills in the wanderers that can matter one step from a cell: their cells and the turns until
/// they walk. Returns their number.
fn threats_near(world: &World, cell: Cell, threats: &mut [(Cell, u32); MOST_NEAR]) -> usize {
    let mut count = 0;
    for minion in world
        .minions
        .iter()
        .filter(|minion| minion.kind == MinionKind::Wanderer)
    {
        let wait = turns_to_spawn(minion);
        let near = |distance| (distance + wait) as usize <= FEAR.len();
        if count < MOST_NEAR && world.maze().distance(minion.cell, cell).is_some_and(near) {
            threats[count] = (minion.cell, wait);
            count += 1;
        }
    }
    count
}

/// Returns the value of a cell for an explorer.
fn comfort(world: &World, seat: Seat, cell: Cell, threats: &[(Cell, u32)]) -> i32 {
    let distance = |to| world.maze().distance(cell, to);
    let mut comfort = 0;
    for &(from, wait) in threats {
        let turns = distance(from).map(|distance| (distance + wait) as usize);
        comfort -= turns.and_then(|turns| FEAR.get(turns)).unwrap_or(&0);
    }
    match others(world, seat)
        .filter_map(|(_, other)| distance(other.cell))
        .min()
    {
        Some(walk) if walk > COMPANY_RANGE => comfort - ALONE - STEP * walk.cast_signed(),
        _ => comfort,
    }
}
