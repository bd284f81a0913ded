//! The protocol of Code of Kutulu: the maze once, then the explorers, minions and effects of every
//! turn.

pub mod evaluation;
pub mod greedy;
pub mod lookahead;
mod others;

use std::io::BufRead;
use std::time::Duration;

use arena_games::Seat;
use arena_games::kutulu::{
    self, Action, Cell, Direction, Explorer, Minion, MinionState, Point, ReadError, SEATS, World,
};

use crate::protocol::{self, Lines, PromptError, Protocol};

/// Code of Kutulu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kutulu;

/// The state of a game as one of the players sees it.
#[derive(Clone, Debug)]
pub struct Position {
    /// The state.
    pub world: World,
    /// The player.
    pub seat: Seat,
}

/// One turn, as it is put before a bot.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The position.
    pub position: Position,
    /// The actions that have an effect, after `WAIT`.
    pub actions: Vec<Action>,
}

impl Turn {
    /// Returns the turn of this position's player.
    pub fn new(position: Position) -> Turn {
        Turn {
            actions: actions(&position.world, position.seat),
            position,
        }
    }
}

impl protocol::Turn for Turn {
    type Position = Position;
    type Action = Action;

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn after(&self, action: Action) -> Position {
        self.position.after(action)
    }
}

impl Position {
    /// Returns the position after a turn with this action of the player and the expected actions of
    /// the others.
    #[must_use]
    pub fn after(&self, action: Action) -> Position {
        self.after_all(action, others::expected(&self.world, self.seat))
    }

    /// Returns the position after a turn with these actions.
    fn after_all(&self, action: Action, mut actions: [Action; SEATS]) -> Position {
        let mut after = self.clone();
        actions[self.seat] = action;
        after.world.play(&actions);
        after
    }
}

/// The knowledge from earlier prompts.
#[derive(Clone, Debug)]
pub struct Known {
    world: World,
    /// The number of the next turn, which prompts don't show.
    turn: u32,
}

impl Protocol for Kutulu {
    type Known = Known;
    type Turn = Turn;

    fn time_limit(&self) -> Duration {
        kutulu::spec().turn
    }

    /// Parses the maze and the constants of the game.
    fn greeting(&self, lines: &mut Lines<impl BufRead>) -> Result<Known, PromptError> {
        let world = read(lines, |mut lines| World::from_first_lines(&mut lines))?;
        Ok(Known { world, turn: 0 })
    }

    fn turn(
        &self,
        known: &mut Known,
        lines: &mut Lines<impl BufRead>,
    ) -> Result<Turn, PromptError> {
        let mut seat = None;
        read(lines, |lines| {
            // A player's own explorer comes first.
            let mut lines = lines.inspect(|line| seat = seat.or_else(|| explorer(line)));
            known.world.read(known.turn, &mut lines)
        })?;
        let seat = seat.ok_or_else(|| lines.no_position(NoExplorer))?;
        known.turn += 1;
        Ok(Turn::new(Position {
            world: known.world.clone(),
            seat,
        }))
    }
}

/// Returns the seat of an explorer's line.
fn explorer(line: &str) -> Option<Seat> {
    line.strip_prefix("EXPLORER ")?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

/// The turn has no explorer of the player.
#[derive(Debug, thiserror::Error)]
#[error("find the own explorer: there is none")]
struct NoExplorer;

/// Reads as many lines as `read` takes.
fn read<T>(
    lines: &mut Lines<impl BufRead>,
    read: impl FnOnce(&mut dyn Iterator<Item = String>) -> Result<T, ReadError>,
) -> Result<T, PromptError> {
    let mut end = None;
    let result = read(&mut std::iter::from_fn(|| {
        lines.line().map_err(|error| end = Some(error)).ok()
    }));
    result.map_err(|error| match (end, error) {
        (Some(end), _) => end,
        (None, ReadError::Line { expected, found }) => lines.unexpected(expected, found),
        (None, source) => lines.no_position(source),
    })
}

/// Returns `WAIT` and the actions that have an effect. The referee accepts any other action too.
fn actions(world: &World, seat: Seat) -> Vec<Action> {
    let mut actions = Vec::with_capacity(8);
    actions.extend(steps(world, seat));
    if is_stuck(world, seat) {
        return actions;
    }
    let explorer = &world.explorers[seat];
    if !world
        .effects
        .iter()
        .any(|effect| effect.caster == Some(seat))
    {
        actions.extend((explorer.plans > 0).then_some(Action::Plan));
        actions
            .extend((explorer.lights > 0 && light_matters(world, seat)).then_some(Action::Light));
    }
    actions.extend(can_yell(world, seat).then_some(Action::Yell));
    actions
}

/// Returns `WAIT`, and the possible steps of an explorer that isn't stuck.
fn steps(world: &World, seat: Seat) -> impl Iterator<Item = Action> {
    let maze = world.maze();
    let cell = world.explorers[seat].cell;
    let sides = if is_stuck(world, seat) {
        &[][..]
    } else {
        &Direction::ALL
    };
    let to = move |&side: &Direction| maze.neighbour(cell, side).map(Cell::point);
    let step = |point: Point| Action::Move {
        x: point.x.into(),
        y: point.y.into(),
    };
    [Action::Wait]
        .into_iter()
        .chain(sides.iter().filter_map(to).map(step))
}

fn is_stuck(world: &World, seat: Seat) -> bool {
    world
        .effects
        .iter()
        .any(|effect| effect.receiver == Some(seat))
}

/// Returns true if a yell would hit an explorer.
fn can_yell(world: &World, seat: Seat) -> bool {
    let origin = world.explorers[seat].cell.point();
    let near = |explorer: &Explorer| explorer.cell.point().manhattan(origin) <= 1;
    others(world, seat).any(|(_, explorer)| near(explorer) && !explorer.yelled_at_by.contains(seat))
}

/// The maximum distance of a minion for a useful light, which reaches five steps and lasts two
/// turns.
const LIGHT_REACH: u32 = 7;

/// Returns true if light would delay a walking minion.
fn light_matters(world: &World, seat: Seat) -> bool {
    let cell = world.explorers[seat].cell;
    let near = |minion: &Minion| {
        world
            .maze()
            .distance(minion.cell, cell)
            .is_some_and(|steps| steps <= LIGHT_REACH)
    };
    world
        .minions
        .iter()
        .any(|minion| minion.state == MinionState::Wandering && near(minion))
}

/// Iterates over the explorers in the game except one.
fn others(world: &World, seat: Seat) -> impl Iterator<Item = (Seat, &Explorer)> {
    world
        .explorers
        .iter()
        .enumerate()
        .filter(move |&(other, explorer)| other != seat && explorer.living)
}

/// The turns before a wanderer walks.
fn turns_to_spawn(wanderer: &Minion) -> u32 {
    if wanderer.state == MinionState::Spawning {
        wanderer.countdown
    } else {
        0
    }
}
