//! Plans, lights, yells and shelters.

use serde::Serialize;
use strum::Display;

use crate::Seat;

use super::explorer::Explorers;
use super::ground::Ground;
use super::maze::Cell;

/// The turns that a plan lasts, including the turn of the cast.
pub const PLAN_TURNS: u32 = 4;
/// The turns that a light lasts.
pub const LIGHT_TURNS: u32 = 2;
/// The turns that a yell lasts.
pub const YELL_TURNS: u32 = 2;
/// The reach of a plan, in steps.
pub const PLAN_RADIUS: u32 = 2;
/// The sanity that a plan gives to each explorer in reach, and to the caster once more for each.
pub const PLAN_HEAL: u32 = 3;
/// The energy of a fresh shelter.
pub const SHELTER_ENERGY: u32 = 10;
/// The sanity that a shelter gives to every explorer on it.
pub const SHELTER_HEAL: u32 = 5;

/// The kind of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EffectKind {
    /// Heals the caster and the explorers near it.
    Plan,
    /// Makes the cells around the caster expensive for minions.
    Light,
    /// Keeps the receiver from acting.
    Yell,
    /// Heals the explorers on its cell.
    Shelter,
}

/// Something that lasts for some turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The kind.
    pub kind: EffectKind,
    /// The turns left. For a shelter, the number of times that it can still heal an explorer.
    pub left: u32,
    /// The explorer that cast it. `None` for a shelter.
    pub caster: Option<Seat>,
    /// The explorer that a yell hit; it may have left the game since.
    pub receiver: Option<Seat>,
    /// The cell of a shelter. Plans and lights follow their caster.
    pub shelter: Option<Cell>,
}

impl Effect {
    /// A plan or light that an explorer casts.
    pub(super) const fn cast(kind: EffectKind, caster: Seat, left: u32) -> Effect {
        Effect {
            kind,
            left,
            caster: Some(caster),
            receiver: None,
            shelter: None,
        }
    }

    /// A yell of one explorer at another.
    pub(super) const fn yell(caster: Seat, receiver: Seat, left: u32) -> Effect {
        Effect {
            receiver: Some(receiver),
            ..Effect::cast(EffectKind::Yell, caster, left)
        }
    }

    /// A shelter.
    pub(super) const fn shelter(cell: Cell, left: u32) -> Effect {
        Effect {
            kind: EffectKind::Shelter,
            left,
            caster: None,
            receiver: None,
            shelter: Some(cell),
        }
    }

    /// Returns the cell of the effect. A yell has none.
    pub(super) fn cell(self, explorers: &Explorers) -> Option<Cell> {
        match self.kind {
            EffectKind::Plan | EffectKind::Light => self.caster.map(|seat| explorers[seat].cell),
            EffectKind::Yell | EffectKind::Shelter => self.shelter,
        }
    }

    /// Applies the effect for one turn.
    pub(super) fn act(&mut self, explorers: &mut Explorers, ground: &mut Ground) {
        match (self.kind, self.caster) {
            (EffectKind::Plan, Some(caster)) => heal_in_reach(caster, explorers, ground),
            (EffectKind::Light, Some(caster)) => ground.light_up(explorers[caster].cell),
            (EffectKind::Shelter, _) => return self.heal_visitors(explorers),
            _ => {}
        }
        self.left = self.left.saturating_sub(1);
    }

    /// Heals every explorer on a shelter. Each of them uses one unit of energy, even with full
    /// sanity, and all of them are healed even if too little is left.
    fn heal_visitors(&mut self, explorers: &mut Explorers) {
        for explorer in explorers {
            if explorer.living && Some(explorer.cell) == self.shelter {
                explorer.heal(SHELTER_HEAL);
                self.left = self.left.saturating_sub(1);
            }
        }
    }
}

fn heal_in_reach(caster: Seat, explorers: &mut Explorers, ground: &Ground) {
    let origin = explorers[caster].cell;
    let mut company = 0;
    for (seat, explorer) in explorers.iter_mut().enumerate() {
        let distance = ground.maze.distance(explorer.cell, origin);
        let is_near = matches!(distance, Some(..=PLAN_RADIUS));
        if seat != caster && explorer.living && is_near {
            explorer.heal(PLAN_HEAL);
            company += 1;
        }
    }
    explorers[caster].heal(PLAN_HEAL * (1 + company));
}

/// Yells at every explorer next to the caster that isn't immune to it.
pub(super) fn yell(caster: Seat, explorers: &mut Explorers, effects: &mut Vec<Effect>) {
    let origin = explorers[caster].cell.point();
    for (receiver, explorer) in explorers.iter_mut().enumerate() {
        let near = explorer.living && explorer.cell.point().manhattan(origin) <= 1;
        if receiver != caster && near && !explorer.yelled_at_by.contains(caster) {
            explorer.yelled_at_by = explorer.yelled_at_by.with(caster);
            effects.push(Effect::yell(caster, receiver, YELL_TURNS));
        }
    }
}
