//! Plans, lights, yells and shelters.

use strum::IntoStaticStr;

use crate::Seat;

use super::explorer::Explorers;
use super::ground::Ground;
use super::maze::Cell;

/// The turns that a plan works, the one of the cast included.
pub const PLAN_TURNS: u32 = 4;
/// The turns that a light works.
pub const LIGHT_TURNS: u32 = 2;
/// The turns that a yell works.
pub const YELL_TURNS: u32 = 2;
/// How far a plan reaches, in steps.
pub const PLAN_RADIUS: u32 = 2;
/// What a plan gives, per explorer, to that one and to the caster.
pub const PLAN_HEAL: u32 = 3;
/// The energy of a fresh shelter.
pub const SHELTER_ENERGY: u32 = 10;
/// What a shelter gives to everybody on it.
pub const SHELTER_HEAL: u32 = 5;

/// Something that lasts for some turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Effect {
    /// Heals the caster and those near it.
    Plan {
        /// Whose it is. It goes where the caster goes.
        caster: Seat,
        /// The turns left.
        timer: u32,
    },
    /// Makes the cells around the caster expensive for minions.
    Light {
        /// Whose it is. It goes where the caster goes.
        caster: Seat,
        /// The turns left.
        timer: u32,
    },
    /// Keeps the receiver from acting.
    Yell {
        /// Whose it is; perhaps gone since.
        caster: Seat,
        /// Who was hit; perhaps gone since.
        receiver: Seat,
        /// The turns left.
        timer: u32,
    },
    /// Heals those on its cell.
    Shelter {
        /// Where it stands.
        cell: Cell,
        /// How many explorers it can still heal, once each.
        energy: u32,
    },
}

impl Effect {
    /// Whose effect it is.
    pub const fn caster(self) -> Option<Seat> {
        match self {
            Effect::Plan { caster, .. }
            | Effect::Light { caster, .. }
            | Effect::Yell { caster, .. } => Some(caster),
            Effect::Shelter { .. } => None,
        }
    }

    /// The turns or the energy left.
    pub const fn left(self) -> u32 {
        match self {
            Effect::Plan { timer, .. }
            | Effect::Light { timer, .. }
            | Effect::Yell { timer, .. } => timer,
            Effect::Shelter { energy, .. } => energy,
        }
    }

    /// Who was hit by a yell.
    pub(super) const fn receiver(self) -> Option<Seat> {
        match self {
            Effect::Yell { receiver, .. } => Some(receiver),
            _ => None,
        }
    }

    /// Where the effect is, unless it is a yell.
    pub(super) fn cell(self, explorers: &Explorers) -> Option<Cell> {
        match self {
            Effect::Plan { caster, .. } | Effect::Light { caster, .. } => {
                Some(explorers[caster].cell)
            }
            Effect::Shelter { cell, .. } => Some(cell),
            Effect::Yell { .. } => None,
        }
    }

    /// Does what the effect does in a turn.
    pub(super) fn act(&mut self, explorers: &mut Explorers, ground: &mut Ground) {
        match self {
            Effect::Yell { .. } => {}
            Effect::Plan { caster, .. } => carry_out_plan(*caster, explorers, ground),
            Effect::Light { caster, .. } => ground.light_up(explorers[*caster].cell),
            Effect::Shelter { cell, energy } => {
                let there = explorers.iter_mut();
                for explorer in there.filter(|one| one.living && one.cell == *cell) {
                    explorer.heal(SHELTER_HEAL);
                    // Who has all his sanity takes of it too. The last ones are healed even if too little is left.
                    *energy = energy.saturating_sub(1);
                }
            }
        }
        if let Effect::Plan { timer, .. }
        | Effect::Light { timer, .. }
        | Effect::Yell { timer, .. } = self
        {
            *timer = timer.saturating_sub(1);
        }
    }
}

fn carry_out_plan(caster: Seat, explorers: &mut Explorers, ground: &Ground) {
    let origin = explorers[caster].cell;
    let mut company = 0;
    for (seat, explorer) in explorers.iter_mut().enumerate() {
        let distance = ground.maze().distance(explorer.cell, origin);
        let is_near = distance.is_some_and(|distance| distance <= PLAN_RADIUS);
        if seat != caster && explorer.living && is_near {
            explorer.heal(PLAN_HEAL);
            company += 1;
        }
    }
    explorers[caster].heal(PLAN_HEAL * (1 + company));
}

/// Yells at everybody next to the caster who is not immune to it.
pub(super) fn yell(caster: Seat, explorers: &mut Explorers, effects: &mut Vec<Effect>) {
    let origin = explorers[caster].cell.point();
    for receiver in (0..explorers.len()).filter(|&seat| seat != caster) {
        let explorer = &mut explorers[receiver];
        let near = explorer.living && explorer.cell.point().manhattan(origin) <= 1;
        if near && !explorer.yelled_at_by.contains(caster) {
            explorer.yelled_at_by = explorer.yelled_at_by.with(caster);
            effects.push(Effect::Yell {
                caster,
                receiver,
                timer: YELL_TURNS,
            });
        }
    }
}
