//! The state of a game as JSON, for those that draw it.

use serde::Serialize;

use super::SEATS;
use super::effect::{Effect, PLAN_RADIUS};
use super::explorer::Explorer;
use super::ground::LIGHT_RADIUS;
use super::maze::{Cell, Maze, Point};
use super::minion::{Kind, Minion, State};
use super::world::World;
use crate::Seat;

/// What is Kutulu's own in a frame, see [`Game::frame`](crate::Game::frame).
#[derive(Serialize)]
pub(super) struct Frame {
    explorers: [ExplorerFrame; SEATS],
    minions: Vec<MinionFrame>,
    effects: Vec<EffectFrame>,
}

#[derive(Serialize)]
struct ExplorerFrame {
    #[serde(flatten)]
    at: Place,
    sanity: u32,
    plans: u32,
    lights: u32,
    alive: bool,
}

#[derive(Serialize)]
struct MinionFrame {
    id: u32,
    kind: &'static str,
    #[serde(flatten)]
    at: Place,
    state: &'static str,
    time: u32,
    target: Option<Seat>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum EffectFrame {
    Plan {
        #[serde(flatten)]
        at: Place,
        time: u32,
        owner: Seat,
    },
    Light {
        #[serde(flatten)]
        at: Place,
        time: u32,
        owner: Seat,
    },
    Yell {
        time: u32,
        owner: Seat,
        target: Seat,
    },
    Shelter {
        #[serde(flatten)]
        at: Place,
        energy: u32,
    },
}

#[derive(Serialize)]
struct Place {
    x: u8,
    y: u8,
}

impl Place {
    fn of(cell: Cell, maze: &Maze) -> Place {
        let Point { x, y } = maze.point(cell);
        Place { x, y }
    }
}

impl Frame {
    pub(super) fn new(world: &World) -> Frame {
        Frame {
            explorers: world.explorers().each_ref().map(|explorer| ExplorerFrame::new(explorer, world.maze())),
            minions: world.minions().iter().map(|minion| MinionFrame::new(minion, world)).collect(),
            effects: world.effects().iter().map(|&effect| EffectFrame::new(effect, world)).collect(),
        }
    }
}

impl ExplorerFrame {
    fn new(explorer: &Explorer, maze: &Maze) -> ExplorerFrame {
        let &Explorer { cell, sanity, plans, lights, living, .. } = explorer;
        ExplorerFrame { at: Place::of(cell, maze), sanity, plans, lights, alive: living }
    }
}

impl MinionFrame {
    fn new(minion: &Minion, world: &World) -> MinionFrame {
        MinionFrame {
            id: minion.id,
            kind: match minion.kind {
                Kind::Wanderer => "wanderer",
                Kind::Slasher => "slasher",
            },
            at: Place::of(minion.cell, world.maze()),
            state: match minion.state {
                State::Spawning => "spawning",
                State::Wandering => "wandering",
                State::Stalking => "stalking",
                State::Rushing => "rushing",
                State::Stunned => "stunned",
            },
            time: minion.sent_countdown(world.constants()),
            target: minion.target.filter(|&target| world.explorers()[target].sanity > 0),
        }
    }
}

impl EffectFrame {
    fn new(effect: Effect, world: &World) -> EffectFrame {
        let at = |seat: Seat| Place::of(world.explorers()[seat].cell, world.maze());
        match effect {
            Effect::Plan { caster, timer } => EffectFrame::Plan { at: at(caster), time: timer, owner: caster },
            Effect::Light { caster, timer } => EffectFrame::Light { at: at(caster), time: timer, owner: caster },
            Effect::Yell { caster, receiver, timer } => {
                EffectFrame::Yell { time: timer, owner: caster, target: receiver }
            }
            Effect::Shelter { cell, energy } => EffectFrame::Shelter { at: Place::of(cell, world.maze()), energy },
        }
    }
}

/// What stays as it is for a whole game, see [`Game::setting`](crate::Game::setting).
#[derive(Serialize)]
pub(super) struct Setting<'a> {
    map: &'a [String],
    lonely_loss: u32,
    group_loss: u32,
    wanderer_spawn_turns: u32,
    wanderer_life: u32,
    plan_radius: u32,
    light_radius: u32,
}

impl Setting<'_> {
    pub(super) fn new(world: &World) -> Setting<'_> {
        let constants = world.constants();
        Setting {
            map: world.maze().rows(),
            lonely_loss: constants.lonely_loss,
            group_loss: constants.group_loss,
            wanderer_spawn_turns: constants.wanderer_spawn_turns,
            wanderer_life: constants.wanderer_life,
            plan_radius: PLAN_RADIUS,
            light_radius: LIGHT_RADIUS.into(),
        }
    }
}
