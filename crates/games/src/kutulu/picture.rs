//! The state of a game as viewers show it.

use std::sync::Arc;

use serde::Serialize;

use super::SEATS;
use super::effect::{Effect, EffectKind};
use super::explorer::{Explorer, Explorers};
use super::maze::{Cell, Maze, Point};
use super::minion::{Minion, MinionKind, MinionState};
use super::world::World;
use crate::Seat;
use crate::frame::{beside, name};

/// The state of a game of Code of Kutulu.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The explorers by seat.
    pub explorers: [Explorer; SEATS],
    /// The minions as players see them, oldest first.
    pub minions: Vec<Minion>,
    /// The effects, oldest first.
    pub effects: Vec<EffectPicture>,
    /// The map; as JSON it is part of the [`Setting`](crate::Setting).
    #[serde(skip)]
    pub maze: Arc<Maze>,
}

/// An effect, with the fields of its kind.
#[derive(Clone, Debug, Serialize)]
pub struct EffectPicture {
    /// The kind: a plan or light around its owner, a shelter, or a yell of the owner at the target.
    pub kind: EffectKind,
    /// Its cell.
    #[serde(flatten)]
    pub at: Option<Cell>,
    /// The energy left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<u32>,
    /// The turns left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u32>,
    /// The explorer that cast it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Seat>,
    /// The explorer that it hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Seat>,
}

impl Picture {
    pub(super) fn new(world: &World) -> Picture {
        let explorers = &world.explorers;
        let (minions, effects) = (world.minions.iter(), world.effects.iter());
        let effects = effects.map(|&effect| EffectPicture::new(effect, explorers));
        Picture {
            explorers: explorers.clone(),
            minions: minions.map(|minion| minion.sent(world)).collect(),
            effects: effects.collect(),
            maze: world.ground.maze.clone(),
        }
    }

    /// Returns the map, with a list of its entities beside it.
    pub(crate) fn text(&self, names: &[String]) -> String {
        beside(&self.map(), &self.notes(names))
    }

    /// Returns the map, with explorers over minions over shelters and starts as plain floor.
    fn map(&self) -> Vec<String> {
        let mut drawn: Vec<(Cell, char)> = Vec::new();
        for effect in &self.effects {
            if let (EffectKind::Shelter, Some(at)) = (effect.kind, effect.at) {
                drawn.push((at, 'U'));
            }
        }
        for minion in &self.minions {
            drawn.push((minion.cell, letter(minion.kind)));
        }
        for (seat, explorer) in ('0'..).zip(&self.explorers) {
            if explorer.living {
                drawn.push((explorer.cell, seat));
            }
        }
        let floor = |row: &String| row.replace(['S', 'U'], ".").chars().collect();
        let mut map: Vec<Vec<char>> = self.maze.rows().iter().map(floor).collect();
        for (cell, symbol) in drawn {
            let Point { x, y } = cell.point();
            map[usize::from(y)][usize::from(x)] = symbol;
        }
        map.into_iter().map(String::from_iter).collect()
    }

    fn notes(&self, names: &[String]) -> Vec<String> {
        let mut width = 0;
        for name in names {
            width = width.max(name.chars().count());
        }
        let mut notes = Vec::new();
        for (seat, explorer) in self.explorers.iter().enumerate() {
            let state = if explorer.living {
                let (sanity, plans, lights) = (explorer.sanity, explorer.plans, explorer.lights);
                format!("sanity {sanity:3}  plans {plans}  lights {lights}")
            } else {
                "gone".to_owned()
            };
            notes.push(format!("{seat}  {:width$}  {state}", name(names, seat)));
        }
        notes.extend(self.minions.iter().map(note));
        notes.extend(self.effects.iter().map(EffectPicture::note));
        notes
    }
}

fn letter(kind: MinionKind) -> char {
    match kind {
        MinionKind::Wanderer => 'W',
        MinionKind::Slasher => 'L',
    }
}

fn note(minion: &Minion) -> String {
    let Point { x, y } = minion.cell.point();
    let (kind, state) = (letter(minion.kind), minion.state);
    let target = match minion.target {
        Some(target) => format!(", after {target}"),
        None => String::new(),
    };
    // The number is meaningless for a slasher in these states.
    let time = match (minion.kind, state) {
        (MinionKind::Slasher, MinionState::Wandering | MinionState::Rushing) => String::new(),
        _ => format!(" {}", minion.countdown),
    };
    format!("{kind}  {x},{y}  {state}{time}{target}")
}

impl EffectPicture {
    fn new(effect: Effect, explorers: &Explorers) -> EffectPicture {
        let (energy, time) = match effect.kind {
            EffectKind::Shelter => (Some(effect.left), None),
            _ => (None, Some(effect.left)),
        };
        EffectPicture {
            kind: effect.kind,
            at: effect.cell(explorers),
            energy,
            time,
            owner: effect.caster,
            target: effect.receiver,
        }
    }

    fn note(&self) -> String {
        if let (Some(Point { x, y }), Some(energy)) = (self.at.map(Cell::point), self.energy) {
            return format!("U  {x},{y}  energy {energy}");
        }
        let (kind, owner) = (self.kind, self.owner.unwrap_or_default());
        let target = self.target.map(|target| format!(" at {target}"));
        let (target, turns) = (target.unwrap_or_default(), self.time.unwrap_or_default());
        format!("-  {kind} of {owner}{target}, {turns} turns")
    }
}
