//! Wanderers and slashers.

use serde::Serialize;
use strum::{Display, EnumString, FromRepr, IntoStaticStr};

use crate::Seat;
use crate::rng::{Generator as _, JavaRandom};

use super::SEATS;
use super::explorer::{living, spook};
use super::maze::Cell;
use super::world::World;

/// An explorer with less sanity than this gets a slasher.
pub const SLASHER_SANITY: u32 = 200;
/// The turns before a slasher can act.
pub const SLASHER_SPAWN_TURNS: u32 = 6;
/// The turns that a slasher stalks its target before it rushes.
pub const STALK_TURNS: u32 = 2;
/// The turns that a slasher is stunned after a rush.
pub const STUN_TURNS: u32 = 6;

/// The kind of a minion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "UPPERCASE")]
pub enum MinionKind {
    /// Walks to the nearest explorer, spooks it and disappears.
    Wanderer,
    /// Rushes at explorers that it sees, until the end of the game.
    Slasher,
}

/// The state of a minion. Prompts have its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display, FromRepr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MinionState {
    /// It can't act yet.
    Spawning = 0,
    /// It walks.
    Wandering = 1,
    /// A slasher that has seen its target.
    Stalking = 2,
    /// A slasher that jumps at the end of the next turn.
    Rushing = 3,
    /// A slasher that has jumped.
    Stunned = 4,
}

/// A minion. As JSON, it has the fields for viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Minion {
    /// Its number; explorers have the first four.
    pub id: u32,
    /// Its kind.
    pub kind: MinionKind,
    /// Its cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Its state.
    pub state: MinionState,
    /// The turns until its state ends, or until a walking wanderer disappears. Meaningless for a
    /// slasher that wanders or rushes.
    #[serde(rename = "time")]
    pub countdown: u32,
    /// The explorer that it follows; it may have left the game since.
    pub target: Option<Seat>,
    /// The cell where a slasher last saw its target.
    #[serde(skip)]
    pub memory: Option<Cell>,
}

impl Minion {
    /// Acts for one turn. Returns false if the minion disappears.
    pub(super) fn act(&mut self, world: &mut World) -> bool {
        use MinionKind::{Slasher, Wanderer};
        use MinionState::{Rushing, Spawning, Stalking, Stunned, Wandering};
        match (self.kind, self.state) {
            (Wanderer, Spawning) => {
                if self.count_down() {
                    (self.state, self.countdown) = (Wandering, world.constants.wanderer_life);
                }
            }
            (Wanderer, _) => {
                self.chase(world);
                return !spook(&mut world.explorers, self.cell) && !self.count_down();
            }
            (Slasher, Wandering) if self.acquire(world) => {
                (self.state, self.countdown) = (Stalking, STALK_TURNS);
            }
            (Slasher, Wandering) => self.chase(world),
            (Slasher, Spawning) => self.count_down_to(Rushing),
            (Slasher, Stalking) => {
                self.acquire(world);
                self.count_down_to(Rushing);
            }
            (Slasher, Rushing) => self.rush(world),
            (Slasher, Stunned) => self.count_down_to(Wandering),
        }
        true
    }

    /// Returns true if the last turn has passed.
    fn count_down(&mut self) -> bool {
        self.countdown = self.countdown.saturating_sub(1);
        self.countdown == 0
    }

    fn count_down_to(&mut self, next: MinionState) {
        if self.count_down() {
            self.state = next;
        }
    }

    fn rush(&mut self, world: &mut World) {
        // A target that it finds now is where it jumps.
        self.acquire(world);
        self.cell = self.memory.unwrap_or(self.cell);
        spook(&mut world.explorers, self.cell);
        (self.target, self.memory) = (None, None);
        (self.state, self.countdown) = (MinionState::Stunned, STUN_TURNS);
    }

    /// Keeps the target in sight, or looks for another. Returns true if there is one.
    fn acquire(&mut self, world: &World) -> bool {
        let explorers = &world.explorers;
        if let Some(target) = self.target.take() {
            let explorer = &explorers[target];
            if explorer.sanity == 0 {
                self.memory = None;
            } else if world.maze().sight(self.cell, explorer.cell).is_some() {
                (self.target, self.memory) = (Some(target), Some(explorer.cell));
                return true;
            }
        }
        let mut nearest = u32::MAX;
        for (seat, explorer) in living(explorers) {
            match world.maze().sight(self.cell, explorer.cell) {
                Some(distance) if distance < nearest => {
                    nearest = distance;
                    (self.target, self.memory) = (Some(seat), Some(explorer.cell));
                }
                // It has no target if two are at the same distance.
                Some(distance) if distance == nearest => (self.target, self.memory) = (None, None),
                _ => {}
            }
        }
        self.target.is_some()
    }

    /// Takes one step towards the explorer with the cheapest path.
    fn chase(&mut self, world: &mut World) {
        let mut order = [0; SEATS];
        let mut cells = [self.cell; SEATS];
        let mut count = 0;
        for (seat, explorer) in living(&world.explorers) {
            (order[count], cells[count]) = (seat, explorer.cell);
            count += 1;
        }
        self.shuffle(&mut order[..count], &mut world.rng);
        let paths = world.ground.paths(self.cell, &cells[..count], world.turn);
        let costs = order[..count]
            .iter()
            .filter_map(|&seat| Some((paths.cost(world.explorers[seat].cell)?, seat)));
        // Ties go to the first one, which is the old target if it is among them.
        let Some((_, target)) = costs.min_by_key(|&(cost, _)| cost) else {
            return;
        };
        self.target = Some(target);
        let cell = world.explorers[target].cell;
        if cell != self.cell
            && let Some(direction) = paths.step(cell)
            && let Some(next) = world.maze().neighbour(self.cell, direction)
        {
            self.cell = next;
        }
    }

    /// Puts the explorers in the order of the original: the target first, the others shuffled.
    fn shuffle(&self, order: &mut [Seat], rng: &mut JavaRandom) {
        let target = order.iter().position(|&seat| Some(seat) == self.target);
        if let Some(target) = target {
            order.swap(0, target);
        }
        let shuffled = &mut order[usize::from(target.is_some())..];
        for at in 1..shuffled.len() {
            let bound = shuffled.len() + 1 - at;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "at most the number of seats"
            )]
            shuffled.swap(at - 1, at - 1 + rng.next_int(bound as u32) as usize);
        }
    }
}
