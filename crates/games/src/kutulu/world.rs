//! The state of a game and the course of a turn.

use std::sync::Arc;

use serde::Serialize;

use crate::rng::{Generator as _, JavaRandom};
use crate::{Seat, SeatSet};

use super::SEATS;
use super::action::Action;
use super::effect::{self, Effect, EffectKind, LIGHT_TURNS, PLAN_TURNS, SHELTER_ENERGY};
use super::explorer::{Explorer, isolated, living};
use super::ground::Ground;
use super::maze::{Cell, Maze};
use super::minion::{Minion, MinionKind, MinionState, SLASHER_SANITY, SLASHER_SPAWN_TURNS};

/// The last turn; the first is 0.
pub const LAST_TURN: u32 = 200;
/// The number of turns between waves of wanderers.
pub const WANDERER_PERIOD: u32 = 5;
/// The number of turns between renewals of shelters, which come at the end of a turn.
pub const SHELTER_PERIOD: u32 = 50;
/// The sanity that the last explorer loses per turn.
pub const LAST_LOSS: u32 = 50;

/// The id of the first minion, after those of the explorers.
const FIRST_MINION: u32 = 4;

/// The constants of a game, drawn in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Constants {
    /// The sanity that an explorer without company loses per turn: 3 to 6.
    pub lonely_loss: u32,
    /// The sanity that an explorer in company loses per turn: 1 to 3.
    pub group_loss: u32,
    /// The turns before a wanderer can act: 3 to 6.
    pub wanderer_spawn_turns: u32,
    /// The turns that a wanderer walks: 30 to 40.
    pub wanderer_life: u32,
}

impl Constants {
    /// Draws the constants. These are the first draws of a game.
    pub fn draw(rng: &mut JavaRandom) -> Constants {
        Constants {
            lonely_loss: 3 + rng.next_int(4),
            group_loss: 1 + rng.next_int(3),
            wanderer_spawn_turns: 3 + rng.next_int(4),
            wanderer_life: 30 + rng.next_int(11),
        }
    }
}

/// The state of a game before a turn.
#[derive(Clone, Debug)]
pub struct World {
    /// The constants.
    pub constants: Constants,
    /// The number of the next turn, from 0.
    pub turn: u32,
    /// The explorers by seat, including those that have left the game.
    pub explorers: [Explorer; SEATS],
    /// The minions, oldest first.
    pub minions: Vec<Minion>,
    /// The effects, oldest first.
    pub effects: Vec<Effect>,
    pub(super) next_id: u32,
    pub(super) ground: Ground,
    pub(super) rng: JavaRandom,
}

impl World {
    /// Returns the state before the first turn. `rng` has made the draws that come before it. If
    /// the map shows no starts, all explorers begin on the first cell.
    pub fn new(maze: Arc<Maze>, constants: Constants, rng: JavaRandom) -> World {
        // The maximum number of waves of wanderers at a time, see `World::play`.
        let waves = (constants.wanderer_spawn_turns + constants.wanderer_life)
            .div_ceil(WANDERER_PERIOD) as usize;
        World {
            constants,
            turn: 0,
            explorers: std::array::from_fn(|seat| Explorer::new(maze.start(seat))),
            minions: Vec::with_capacity(waves * maze.spawns.len() + SEATS),
            // One plan or light per explorer, all possible yells, and the shelters.
            effects: Vec::with_capacity(SEATS + SEATS * (SEATS - 1) + maze.shelters.len()),
            next_id: FIRST_MINION,
            ground: Ground::new(maze),
            rng,
        }
    }

    /// Returns the map.
    pub fn maze(&self) -> &Maze {
        &self.ground.maze
    }

    /// Returns the seats that are still in the game.
    pub fn living(&self) -> SeatSet {
        living(&self.explorers).map(|(seat, _)| seat).collect()
    }

    /// Returns true if the last turn was played or no explorer is left.
    pub fn is_over(&self) -> bool {
        self.turn > LAST_TURN || self.living().is_empty()
    }

    /// Removes an explorer from the game. Its yells and those at it stay, and so does its slasher.
    pub fn remove(&mut self, seat: Seat) {
        let explorer = &mut self.explorers[seat];
        explorer.sanity = 0;
        explorer.living = false;
        // Yells outlast their caster.
        self.effects
            .retain(|effect| effect.caster != Some(seat) || effect.receiver.is_some());
    }

    /// Plays a turn, ignoring the actions of removed explorers. Returns the seats that lost their
    /// last sanity.
    pub fn play(&mut self, actions: &[Action; SEATS]) -> SeatSet {
        let steps = std::array::from_fn(|seat| self.step_towards(seat, actions[seat]));
        self.ground.darken();
        self.spawn_slashers();
        if self.turn.is_multiple_of(WANDERER_PERIOD) {
            self.spawn_wanderers();
        }
        self.act(steps);
        for effect in &mut self.effects {
            effect.act(&mut self.explorers, &mut self.ground);
        }
        self.effects.retain(|effect| effect.left > 0);
        let mut minions = std::mem::take(&mut self.minions);
        minions.retain_mut(|minion| minion.act(self));
        self.minions = minions;
        self.lose_sanity();
        let fallen: SeatSet = living(&self.explorers)
            .filter(|(_, explorer)| explorer.sanity == 0)
            .map(|(seat, _)| seat)
            .collect();
        fallen.iter().for_each(|seat| self.remove(seat));
        if self.turn != 0 && self.turn.is_multiple_of(SHELTER_PERIOD) {
            self.effects.retain(|effect| effect.shelter.is_none());
            for &cell in &self.ground.maze.shelters {
                self.effects.push(Effect::shelter(cell, SHELTER_ENERGY));
            }
        }
        self.turn += 1;
        fallen
    }

    /// Resolves a `MOVE` to one step, decided before any explorer has moved, or to nothing.
    fn step_towards(&self, seat: Seat, action: Action) -> Action {
        let Action::Move { x, y } = action else {
            return action;
        };
        let (maze, from) = (self.maze(), self.explorers[seat].cell);
        if let Some(target) = maze.cell(x, y)
            && let Some(direction) = maze.step(from, target, 0)
        {
            return Action::Step(direction);
        }
        Action::Wait
    }

    fn spawn_slashers(&mut self) {
        for seat in 0..SEATS {
            let explorer = &mut self.explorers[seat];
            if explorer.living && explorer.sanity < SLASHER_SANITY && !explorer.has_slasher {
                explorer.has_slasher = true;
                let cell = explorer.cell;
                self.spawn(MinionKind::Slasher, cell, SLASHER_SPAWN_TURNS, Some(seat));
            }
        }
    }

    /// Spawns a wanderer on every spawn with the largest distance from the nearest explorer.
    fn spawn_wanderers(&mut self) {
        let maze = self.ground.maze.clone();
        let farthest = maze
            .spawns
            .iter()
            .map(|&cell| self.distance_to_nearest(cell))
            .max();
        let turns = self.constants.wanderer_spawn_turns;
        for &cell in &maze.spawns {
            if Some(self.distance_to_nearest(cell)) == farthest {
                self.spawn(MinionKind::Wanderer, cell, turns, None);
            }
        }
    }

    /// Returns the distance of a cell from the nearest explorer in columns plus rows.
    fn distance_to_nearest(&self, cell: Cell) -> u32 {
        living(&self.explorers)
            .map(|(_, explorer)| explorer.cell.point().manhattan(cell.point()))
            .min()
            .unwrap_or(u32::MAX)
    }

    /// Adds a minion. A slasher remembers its target's cell.
    fn spawn(&mut self, kind: MinionKind, cell: Cell, countdown: u32, target: Option<Seat>) {
        self.minions.push(Minion {
            id: self.next_id,
            kind,
            cell,
            state: MinionState::Spawning,
            countdown,
            target,
            memory: target.map(|_| cell),
        });
        self.next_id += 1;
        // The original draws a number here that it doesn't use.
        self.rng.next_int(4);
    }

    fn act(&mut self, mut actions: [Action; SEATS]) {
        self.stop_receivers(&mut actions);
        for (seat, action) in actions.iter().enumerate() {
            if *action == Action::Yell && self.explorers[seat].living {
                effect::yell(seat, &mut self.explorers, &mut self.effects);
            }
        }
        self.stop_receivers(&mut actions);
        for (seat, action) in actions.into_iter().enumerate() {
            if self.explorers[seat].living {
                self.act_alone(seat, action);
            }
        }
    }

    /// Makes the explorers wait whom a yell keeps from acting.
    fn stop_receivers(&self, actions: &mut [Action; SEATS]) {
        for effect in &self.effects {
            if let Some(seat) = effect.receiver {
                actions[seat] = Action::Wait;
            }
        }
    }

    fn act_alone(&mut self, caster: Seat, action: Action) {
        let explorer = &mut self.explorers[caster];
        let (charges, kind, turns) = match action {
            Action::Step(direction) => {
                let next = self.ground.maze.neighbour(explorer.cell, direction);
                explorer.cell = next.unwrap_or(explorer.cell);
                return;
            }
            Action::Plan => (&mut explorer.plans, EffectKind::Plan, PLAN_TURNS),
            Action::Light => (&mut explorer.lights, EffectKind::Light, LIGHT_TURNS),
            Action::Wait | Action::Yell | Action::Move { .. } => return,
        };
        let mut effects = self.effects.iter();
        let is_busy = effects.any(|effect| effect.caster == Some(caster));
        if !is_busy && *charges > 0 {
            *charges -= 1;
            self.effects.push(Effect::cast(kind, caster, turns));
        }
    }

    fn lose_sanity(&mut self) {
        let alone = isolated(&self.explorers);
        let only_one = living(&self.explorers).count() == 1;
        for seat in self.living().iter() {
            self.explorers[seat].lose(match (only_one, alone.contains(seat)) {
                (true, _) => LAST_LOSS,
                (false, true) => self.constants.lonely_loss,
                (false, false) => self.constants.group_loss,
            });
        }
    }
}
