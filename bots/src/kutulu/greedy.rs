//! A bot that looks for company and keeps away from minions.

use arena_games::Seat;
use arena_games::kutulu::{
    Action, COMPANY_RANGE, Cell, Effect, MAX_SANITY, Minion, MinionKind, MinionState, PLAN_HEAL,
    PLAN_RADIUS, PLAN_TURNS, World,
};
use arena_games::rng::{SplitMix64, shuffle};

use super::{Turn, others, turns_to_spawn};
use crate::bot::Bot;

/// The cost of a cell that a wanderer can reach, by the number of turns, and of a cell that a
/// slasher sees.
const WANDERER: [i32; 5] = [60, 40, 20, 8, 4];
const SLASHER: i32 = 15;
/// The cost of being alone, and of every step to the nearest explorer.
const ALONE: i32 = 10;
const STEP: i32 = 2;
/// The maximum distance in steps of a shelter that attracts.
const SHELTER_REACH: u32 = 5;

/// Goes to the best neighbouring cell for the current state, and makes plans in company without a
/// threat.
#[derive(Clone, Debug)]
pub struct Greedy {
    rng: SplitMix64,
}

impl Greedy {
    /// Returns a bot whose seed decides between equal cells.
    pub fn new(seed: u64) -> Greedy {
        Greedy {
            rng: SplitMix64::new(seed),
        }
    }
}

impl Bot<Turn> for Greedy {
    fn choose(&mut self, turn: &Turn) -> Action {
        let (world, seat) = (&turn.position.world, turn.position.seat);
        if turn.actions.contains(&Action::Plan) && should_plan(world, seat) {
            return Action::Plan;
        }
        let mut steps: Vec<(Action, Cell)> = super::steps(world, seat)
            .filter_map(|step| target(world, seat, step))
            .collect();
        shuffle(&mut steps, &mut self.rng);
        let best = steps
            .into_iter()
            .max_by_key(|&(_, cell)| comfort(world, seat, cell));
        best.map_or(Action::Wait, |(action, _)| action)
    }
}

/// Returns a step with its target.
fn target(world: &World, seat: Seat, step: Action) -> Option<(Action, Cell)> {
    let Action::Move { x, y } = step else {
        return Some((step, world.explorers[seat].cell));
    };
    let cell = world.maze().cell(x, y)?;
    Some((step, cell))
}

/// Returns true if a plan would heal enough and its caster could stay for it.
fn should_plan(world: &World, seat: Seat) -> bool {
    let explorer = &world.explorers[seat];
    let near = |cell| {
        world
            .maze()
            .distance(explorer.cell, cell)
            .is_some_and(|steps| steps <= PLAN_RADIUS)
    };
    others(world, seat).any(|(_, other)| near(other.cell))
        && danger(world, explorer.cell) == 0
        && explorer.sanity + 3 * PLAN_TURNS * PLAN_HEAL < MAX_SANITY
}

/// Returns the value of a cell for an explorer.
fn comfort(world: &World, seat: Seat, cell: Cell) -> i32 {
    let shelter = |effect: &Effect| world.maze().distance(cell, effect.shelter?);
    let hurt = world.explorers[seat].sanity < MAX_SANITY;
    let shelters = world.effects.iter().filter_map(shelter).filter(|_| hurt);
    let attraction: u32 = shelters
        .map(|steps| SHELTER_REACH.saturating_sub(steps))
        .sum();
    attraction.cast_signed() - danger(world, cell) - loneliness(world, seat, cell)
}

fn loneliness(world: &World, seat: Seat, cell: Cell) -> i32 {
    let maze = world.maze();
    let mut company =
        others(world, seat).map(|(_, other)| cell.point().manhattan(other.cell.point()));
    if company.any(|apart| apart <= COMPANY_RANGE) {
        return 0;
    }
    let walk = others(world, seat)
        .filter_map(|(_, other)| maze.distance(cell, other.cell))
        .min();
    walk.map_or(0, |walk| ALONE + STEP * walk.cast_signed())
}

/// Returns the expected cost of minions for an explorer on a cell.
fn danger(world: &World, cell: Cell) -> i32 {
    let wanderer = |minion: &Minion| {
        let turns = world.maze().distance(cell, minion.cell)? + turns_to_spawn(minion);
        WANDERER.get(turns as usize).copied()
    };
    let slasher = |minion: &Minion| match minion.state {
        MinionState::Spawning if minion.countdown > 2 => None,
        MinionState::Stunned => None,
        _ => world.maze().sight(minion.cell, cell).map(|_| SLASHER),
    };
    let danger = |minion: &Minion| match minion.kind {
        MinionKind::Wanderer => wanderer(minion),
        MinionKind::Slasher => slasher(minion),
    };
    world.minions.iter().filter_map(danger).sum()
}
