//! The evaluation of a position: the sanity of the explorers, gains and losses of sanity to expect,
//! and the casts left. All numbers are parameters that can be set by name, in hundredths of a point
//! of sanity unless stated otherwise.

use arena_games::Seat;
use arena_games::kutulu::{
    COMPANY_RANGE, Cell, Direction, EffectKind, Explorer, MAX_SANITY, Minion, MinionKind,
    MinionState, PLAN_HEAL, PLAN_RADIUS, SHELTER_ENERGY, SHELTER_HEAL, World,
};

use super::{Position, others, turns_to_spawn};
use crate::parameters::{Parameter, Parameters};

/// A point of sanity.
const SANITY: i64 = 100;
/// The maximum distance in steps of a shelter that attracts.
const SHELTER_REACH: u32 = 10;
/// The maximum expected sanity from a shelter.
const SHELTER_GAIN: u32 = 5 * SHELTER_HEAL;
/// The number of turns before a slasher appears during which its first rush counts.
const SLASHER_NOTICE: u32 = 2;
/// The maximum distance that counts on the way to the nearest company.
const FAR: u32 = 20;

/// Values for all parameters.
#[derive(Clone, Debug)]
pub struct Weights {
    rivals: i32,
    near_turns: i32,
    threat: i32,
    reach: i32,
    spared: i32,
    seen: i32,
    solitude: i32,
    distance: i32,
    plan: i32,
    light: i32,
    healing: i32,
    shelter: i32,
    exits: i32,
}

impl Parameters for Weights {
    const ALL: &'static [Parameter<Weights>] = &[
        parameter(
            "rivals",
            30,
            "what another's lot counts against one's own, in percent",
            |weights| &mut weights.rivals,
        ),
        parameter(
            "near_turns",
            60,
            "what the turns on the way count against the last one, in percent",
            |weights| &mut weights.near_turns,
        ),
        parameter(
            "threat",
            100,
            "a wanderer, for each turn that it arrives within reach",
            |weights| &mut weights.threat,
        ),
        parameter(
            "reach",
            8,
            "distance of a wanderer that is a threat, in turns",
            |weights| &mut weights.reach,
        ),
        parameter(
            "spared",
            30,
            "threat if another explorer is nearer, in percent",
            |weights| &mut weights.spared,
        ),
        parameter(
            "seen",
            300,
            "being seen by a slasher; three times that when it is about to rush",
            |weights| &mut weights.seen,
        ),
        parameter(
            "solitude",
            300,
            "having no company, for each point that it costs a turn",
            |weights| &mut weights.solitude,
        ),
        parameter(
            "distance",
            50,
            "having no company, for each step to the nearest",
            |weights| &mut weights.distance,
        ),
        parameter("plan", 1800, "a plan left", |weights| &mut weights.plan),
        parameter("light", 600, "a light left", |weights| &mut weights.light),
        parameter(
            "healing",
            80,
            "a point that a plan is yet to heal",
            |weights| &mut weights.healing,
        ),
        parameter(
            "shelter",
            20,
            "a point to be had from a shelter, for each step within ten",
            |weights| &mut weights.shelter,
        ),
        parameter("exits", 20, "a side to walk to", |weights| {
            &mut weights.exits
        }),
    ];
}

const fn parameter(
    name: &'static str,
    default: i32,
    meaning: &'static str,
    slot: fn(&mut Weights) -> &mut i32,
) -> Parameter<Weights> {
    Parameter {
        name,
        default,
        meaning,
        slot,
    }
}

impl Default for Weights {
    fn default() -> Weights {
        let mut weights = Weights {
            rivals: 0,
            near_turns: 0,
            threat: 0,
            reach: 0,
            spared: 0,
            seen: 0,
            solitude: 0,
            distance: 0,
            plan: 0,
            light: 0,
            healing: 0,
            shelter: 0,
            exits: 0,
        };
        weights.reset();
        weights
    }
}

/// The maximum absolute value of a position, whatever the parameters.
pub(super) const MOST: i32 = 300_000;

/// Limits a sum. Sums have enough bits that no parameters make them overflow.
fn bounded(worth: i64) -> i32 {
    i32::try_from(worth.clamp(-i64::from(MOST), i64::from(MOST))).unwrap_or_default()
}

fn percent(part: i32, of: i64) -> i64 {
    of * i64::from(part) / 100
}

impl Weights {
    /// Returns the value of a position for its living player.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let lot = |seat| self.lot(&position.world, seat);
        let rivals = others(&position.world, position.seat)
            .map(|(seat, _)| lot(seat))
            .sum();
        bounded(lot(position.seat) - percent(self.rivals, rivals))
    }

    /// Returns the value of a path whose last position has the value `last` and all have the value
    /// `mean` on average. The last position depends most on the others, so it isn't all that
    /// counts.
    pub fn blend(&self, last: i32, mean: i32) -> i32 {
        bounded(i64::from(last) + percent(self.near_turns, i64::from(mean) - i64::from(last)))
    }

    /// Returns the value of one explorer's situation.
    fn lot(&self, world: &World, seat: Seat) -> i64 {
        let explorer = &world.explorers[seat];
        let exit = |side: Direction| {
            world
                .maze()
                .neighbour(explorer.cell, side)
                .map_or(0, |_| i64::from(self.exits))
        };
        let dangers: i64 = world
            .minions
            .iter()
            .map(|minion| self.danger(world, seat, minion))
            .sum();
        SANITY * i64::from(explorer.sanity)
            + i64::from(self.plan) * i64::from(explorer.plans)
            + i64::from(self.light) * i64::from(explorer.lights)
            + Direction::ALL.into_iter().map(exit).sum::<i64>()
            + self.recovery(world, seat)
            - self.loneliness(world, seat)
            - dangers
    }

    /// Returns the value of plans and shelters.
    fn recovery(&self, world: &World, seat: Seat) -> i64 {
        let explorer = &world.explorers[seat];
        let (mut healing, mut shelters) = (0_u32, 0);
        for effect in &world.effects {
            match (effect.kind, effect.caster, effect.shelter) {
                (EffectKind::Plan, Some(caster), _) => {
                    healing = healing
                        .saturating_add(effect.left.saturating_mul(plan_heal(world, seat, caster)));
                }
                (_, _, Some(cell)) => shelters += self.shelter(world, explorer, cell, effect.left),
                _ => {}
            }
        }
        i64::from(self.healing) * i64::from(healing.min(missing(explorer))) + shelters
    }

    fn shelter(&self, world: &World, explorer: &Explorer, cell: Cell, energy: u32) -> i64 {
        let Some(distance) = world.maze().distance(cell, explorer.cell) else {
            return 0;
        };
        let gain = i64::from(missing(explorer).min(SHELTER_GAIN));
        let nearness = i64::from(SHELTER_REACH.saturating_sub(distance));
        i64::from(self.shelter) * nearness * gain * i64::from(energy)
            / i64::from(SHELTER_ENERGY * SHELTER_GAIN)
    }

    /// Returns the cost of having no company.
    fn loneliness(&self, world: &World, seat: Seat) -> i64 {
        let (maze, explorer) = (world.maze(), &world.explorers[seat]);
        let point = explorer.cell.point();
        let away = |other: &Explorer| other.cell.point().manhattan(point) > COMPANY_RANGE;
        if others(world, seat).next().is_none()
            || others(world, seat).any(|(_, other)| !away(other))
        {
            return 0;
        }
        let walk = others(world, seat)
            .filter_map(|(_, other)| maze.distance(explorer.cell, other.cell))
            .min();
        let constants = world.constants;
        let loss = constants.lonely_loss.saturating_sub(constants.group_loss);
        i64::from(self.solitude) * i64::from(loss)
            + i64::from(self.distance) * i64::from(walk.map_or(FAR, |walk| walk.min(FAR)))
    }

    /// Returns the cost of the threat by a minion.
    fn danger(&self, world: &World, seat: Seat, minion: &Minion) -> i64 {
        let sees = || {
            world
                .maze()
                .sight(minion.cell, world.explorers[seat].cell)
                .is_some()
        };
        match minion.kind {
            MinionKind::Wanderer => self.danger_of_wanderer(world, seat, minion),
            MinionKind::Slasher if !minds(minion, seat) || !sees() => 0,
            MinionKind::Slasher if minion.state == MinionState::Rushing => 3 * i64::from(self.seen),
            MinionKind::Slasher => self.seen.into(),
        }
    }

    fn danger_of_wanderer(&self, world: &World, seat: Seat, minion: &Minion) -> i64 {
        let maze = world.maze();
        let Some(distance) = maze.distance(minion.cell, world.explorers[seat].cell) else {
            return 0;
        };
        let early = i64::from(self.reach) - i64::from(distance) - i64::from(turns_to_spawn(minion));
        if early < 0 || minion.state == MinionState::Wandering && distance > minion.countdown {
            return 0;
        }
        let nearer = |other: &Explorer| {
            maze.distance(minion.cell, other.cell)
                .is_some_and(|other| other < distance)
        };
        let threat = i64::from(self.threat) * (early + 1);
        if others(world, seat).any(|(_, other)| nearer(other)) {
            percent(self.spared, threat)
        } else {
            threat
        }
    }
}

/// Returns the sanity that an explorer has lost.
fn missing(explorer: &Explorer) -> u32 {
    MAX_SANITY.saturating_sub(explorer.sanity)
}

/// Returns the sanity that a plan gives an explorer per turn.
fn plan_heal(world: &World, seat: Seat, caster: Seat) -> u32 {
    let origin = world.explorers[caster].cell;
    let near = |explorer: &Explorer| {
        world
            .maze()
            .distance(explorer.cell, origin)
            .is_some_and(|steps| steps <= PLAN_RADIUS)
    };
    if caster == seat {
        let company = others(world, caster).filter(|(_, other)| near(other));
        company.fold(PLAN_HEAL, |heal, _| heal + PLAN_HEAL)
    } else if near(&world.explorers[seat]) {
        PLAN_HEAL
    } else {
        0
    }
}

/// Returns true if a slasher can follow an explorer that it sees.
fn minds(slasher: &Minion, seat: Seat) -> bool {
    match slasher.state {
        MinionState::Spawning => {
            slasher.target == Some(seat) && slasher.countdown <= SLASHER_NOTICE
        }
        MinionState::Wandering | MinionState::Stalking | MinionState::Rushing => true,
        MinionState::Stunned => false,
    }
}
