//! The state of a game for those who draw it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::SEATS;
use super::effect::{Effect, PLAN_RADIUS};
use super::ground::LIGHT_RADIUS;
use super::maze::{Maze, Point};
use super::minion::{Kind, Minion, State};
use super::world::World;
use crate::Seat;
use crate::frame::name;

/// The state of a game of Code of Kutulu.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// By seat.
    pub explorers: [ExplorerPicture; SEATS],
    /// In the order in which they appeared.
    pub minions: Vec<MinionPicture>,
    /// In the order in which they came about.
    pub effects: Vec<EffectPicture>,
    /// The map; as JSON it stands in the [`Setting`].
    #[serde(skip)]
    pub maze: Arc<Maze>,
}

/// An explorer.
#[derive(Clone, Debug, Serialize)]
pub struct ExplorerPicture {
    /// Where it stands, or fell.
    #[serde(flatten)]
    pub at: Point,
    /// Its sanity.
    pub sanity: u32,
    /// The plans it has left.
    pub plans: u32,
    /// The lights it has left.
    pub lights: u32,
    /// Whether it takes part.
    pub alive: bool,
}

/// A minion.
#[derive(Clone, Debug, Serialize)]
pub struct MinionPicture {
    /// Its number.
    pub id: u32,
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    #[serde(flatten)]
    pub at: Point,
    /// What it is about.
    pub state: State,
    /// Its countdown as bots read it.
    pub time: u32,
    /// Whom it is after.
    pub target: Option<Seat>,
}

/// An effect, with what its kind has.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EffectPicture {
    /// `plan` or `light`, round their owner; `shelter`; `yell`, of the owner at the target.
    pub kind: &'static str,
    /// Where it is.
    #[serde(flatten)]
    pub at: Option<Point>,
    /// The energy left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<u32>,
    /// The turns left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u32>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Seat>,
    /// Whom it hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Seat>,
}

/// What stays as it is for a game of Code of Kutulu.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// The rows of the map, as [`Maze::new`] reads them.
    pub map: Vec<String>,
    /// What follows from [`Constants`](super::Constants).
    pub lonely_loss: u32,
    /// As above.
    pub group_loss: u32,
    /// As above.
    pub wanderer_spawn_turns: u32,
    /// As above.
    pub wanderer_life: u32,
    /// How far plans reach, in steps.
    pub plan_radius: u32,
    /// How far lights reach, in steps.
    pub light_radius: u32,
}

impl Setting {
    pub(super) fn new(world: &World) -> Setting {
        let constants = world.constants();
        Setting {
            map: world.maze().rows().to_vec(),
            lonely_loss: constants.lonely_loss,
            group_loss: constants.group_loss,
            wanderer_spawn_turns: constants.wanderer_spawn_turns,
            wanderer_life: constants.wanderer_life,
            plan_radius: PLAN_RADIUS,
            light_radius: LIGHT_RADIUS.into(),
        }
    }
}

impl Picture {
    pub(super) fn new(world: &World) -> Picture {
        let maze = world.shared_maze();
        let explorers = world.explorers().each_ref().map(|explorer| ExplorerPicture {
            at: maze.point(explorer.cell),
            sanity: explorer.sanity,
            plans: explorer.plans,
            lights: explorer.lights,
            alive: explorer.living,
        });
        let minion = |minion: &Minion| MinionPicture {
            id: minion.id,
            kind: minion.kind,
            at: maze.point(minion.cell),
            state: minion.state,
            time: minion.sent_countdown(world.constants()),
            target: minion.target.filter(|&target| world.explorers()[target].sanity > 0),
        };
        Picture {
            explorers,
            minions: world.minions().iter().map(minion).collect(),
            effects: world.effects().iter().map(|&effect| EffectPicture::new(effect, world)).collect(),
            maze: maze.clone(),
        }
    }

    /// The map, with what stands on it listed beside.
    pub(crate) fn text(&self, names: &[String]) -> String {
        let map = self.map();
        let notes = self.notes(names);
        let width = self.maze.width();
        let mut text = String::new();
        for line in 0..map.len().max(notes.len()) {
            let row: String = map.get(line).into_iter().flatten().collect();
            let note = notes.get(line).map_or("", String::as_str);
            let _ = writeln!(text, "{}", format!("  {row:width$}   {note}").trim_end());
        }
        text
    }

    /// Explorers are drawn over minions over shelters. Starts are plain floor.
    fn map(&self) -> Vec<Vec<char>> {
        let plain = |symbol: char| if matches!(symbol, 'S' | 'U') { '.' } else { symbol };
        let mut map: Vec<Vec<char>> = self.maze.rows().iter().map(|row| row.chars().map(plain).collect()).collect();
        let mut put = |at: Point, symbol: char| map[usize::from(at.y)][usize::from(at.x)] = symbol;
        for shelter in self.effects.iter().filter(|effect| effect.energy.is_some()) {
            shelter.at.into_iter().for_each(|at| put(at, 'U'));
        }
        self.minions.iter().for_each(|minion| put(minion.at, minion.letter()));
        for (seat, explorer) in ('0'..).zip(&self.explorers).filter(|(_, explorer)| explorer.alive) {
            put(explorer.at, seat);
        }
        map
    }

    fn notes(&self, names: &[String]) -> Vec<String> {
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let mut notes = Vec::new();
        for (seat, explorer) in self.explorers.iter().enumerate() {
            let ExplorerPicture { sanity, plans, lights, .. } = explorer;
            let state = if explorer.alive {
                format!("sanity {sanity:3}  plans {plans}  lights {lights}")
            } else {
                "gone".to_owned()
            };
            notes.push(format!("{seat}  {:width$}  {state}", name(names, seat)));
        }
        notes.extend(self.minions.iter().map(MinionPicture::note));
        notes.extend(self.effects.iter().map(EffectPicture::note));
        notes
    }
}

impl MinionPicture {
    fn letter(&self) -> char {
        match self.kind {
            Kind::Wanderer => 'W',
            Kind::Slasher => 'L',
        }
    }

    fn note(&self) -> String {
        let MinionPicture { at: Point { x, y }, state, time, .. } = self;
        let target = self.target.map(|target| format!(", after {target}")).unwrap_or_default();
        // Players are sent a number without meaning for a slasher in these states.
        let time = match (self.kind, state) {
            (Kind::Slasher, State::Wandering | State::Rushing) => String::new(),
            _ => format!(" {time}"),
        };
        format!("{}  {x},{y}  {state}{time}{target}", self.letter())
    }
}

impl EffectPicture {
    fn new(effect: Effect, world: &World) -> EffectPicture {
        let maze = world.maze();
        let place = |seat: Seat| Some(maze.point(world.explorers()[seat].cell));
        let none = EffectPicture::default();
        match effect {
            Effect::Plan { caster, timer } => {
                EffectPicture { kind: "plan", at: place(caster), time: Some(timer), owner: Some(caster), ..none }
            }
            Effect::Light { caster, timer } => {
                EffectPicture { kind: "light", at: place(caster), time: Some(timer), owner: Some(caster), ..none }
            }
            Effect::Yell { caster, receiver, timer } => {
                let (owner, target) = (Some(caster), Some(receiver));
                EffectPicture { kind: "yell", time: Some(timer), owner, target, ..none }
            }
            Effect::Shelter { cell, energy } => {
                EffectPicture { kind: "shelter", at: Some(maze.point(cell)), energy: Some(energy), ..none }
            }
        }
    }

    fn note(&self) -> String {
        let EffectPicture { kind, at, energy, time, owner, target } = *self;
        if let (Some(Point { x, y }), Some(energy)) = (at, energy) {
            return format!("U  {x},{y}  energy {energy}");
        }
        let owner = owner.unwrap_or_default();
        let target = target.map(|target| format!(" at {target}")).unwrap_or_default();
        format!("-  {kind} of {owner}{target}, {} turns", time.unwrap_or_default())
    }
}
