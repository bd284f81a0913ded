//! Code of Kutulu: four explorers in a maze lose their sanity, and the last one wins. They all act
//! at the same time.
//!
//! ```
//! use arena_games::kutulu::{Action, World};
//!
//! // The input of a bot: the map, then the lines of its first turn.
//! let mut lines = "5\n3\n#####\n#...#\n#####\n5 1 4 35\n\
//!                  2\nEXPLORER 1 1 1 250 2 3\nEXPLORER 0 3 1 250 2 3\n".lines();
//! let mut world = World::from_first_lines(&mut lines)?;
//! world.read(0, &mut lines)?;
//! let [other, own] = [0, 1].map(|seat| world.explorers[seat].cell);
//! assert_eq!(world.maze().distance(own, other), Some(2));
//!
//! // The result of an action.
//! let mut after = world.clone();
//! after.play(&[Action::Wait, Action::Move { x: 3, y: 1 }, Action::Wait, Action::Wait]);
//! assert_eq!(after.maze().distance(after.explorers[1].cell, other), Some(1));
//! assert_eq!(after.explorers[1].sanity, 249);
//! # Ok::<(), arena_games::kutulu::ReadError>(())
//! ```
//!
//! This file has the referee: replies, scores and the end. The modules, in reading order: `maze` (a
//! map), `maps` (the maps of a game), `action` (the players' answers), `explorer`, `effect`,
//! `minion`, `ground` (the paths of minions), `world` (the course of a turn), `text` (the lines
//! that players read), `picture` (positions for viewers).

mod action;
mod effect;
mod explorer;
mod ground;
mod maps;
mod maze;
mod minion;
mod picture;
mod text;
mod world;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::rng::JavaRandom;
use super::{Fate, Game, GameSpec, Listing, OptionInfo, Reason, Replies, Seat, SeatSet, Standing};

pub use action::Action;
pub use effect::{
    Effect, EffectKind, LIGHT_TURNS, PLAN_HEAL, PLAN_RADIUS, PLAN_TURNS, SHELTER_ENERGY,
    SHELTER_HEAL, YELL_TURNS,
};
pub use explorer::{COMPANY_RANGE, Explorer, LIGHTS, MAX_SANITY, PLANS, SPOOK};
pub use maps::{Maps, read_map};
pub use maze::{Cell, Direction, MAX_SIDE, Maze, Point};
pub use minion::{
    Minion, MinionKind, MinionState, SLASHER_SANITY, SLASHER_SPAWN_TURNS, STALK_TURNS, STUN_TURNS,
};
pub use picture::{EffectPicture, Picture};
pub use text::ReadError;
pub use world::{Constants, LAST_LOSS, LAST_TURN, SHELTER_PERIOD, WANDERER_PERIOD, World};

/// The number of players.
pub const SEATS: usize = 4;

/// The score of a player after an illegal or missing answer.
const FAULT_SCORE: i64 = -1;

/// Returns the spec of Code of Kutulu.
pub fn spec() -> GameSpec {
    let meaning = format!("other maps than its own {}", maps::OWN.len());
    GameSpec {
        id: "kutulu".to_owned(),
        title: "Code of Kutulu".to_owned(),
        seats: SEATS..=SEATS,
        first_turn: Duration::from_secs(1),
        turn: Duration::from_millis(50),
        has_opening: false,
        seed_decides: true,
        lower_is_better: false,
        listing: Listing::None,
        options: vec![OptionInfo {
            key: maps::MAPS,
            example: "\"FOLDER\"",
            meaning,
        }],
        rules: Arc::new(Maps::own()),
    }
}

/// A running game of Code of Kutulu.
#[derive(Clone, Debug)]
pub struct Kutulu {
    world: World,
    turn_lines: text::TurnLines,
    standings: [Standing; SEATS],
    reason: Option<Reason>,
}

impl Kutulu {
    /// Starts a game.
    pub fn start(seed: i64, maps: &Maps) -> Kutulu {
        let mut rng = JavaRandom::new(seed);
        let constants = Constants::draw(&mut rng);
        let maze = &maps.mazes[maps.pick(&mut rng)];
        let world = World::new(Arc::clone(maze), constants, rng);
        Kutulu {
            turn_lines: text::TurnLines::of(&world),
            world,
            standings: [Standing::default(); SEATS],
            reason: None,
        }
    }

    /// Returns the state of the game.
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// Returns the action in the reply of a seat. A fault eliminates the seat at once.
    fn take(&mut self, seat: Seat, replies: &Replies<'_>) -> Action {
        let fate = match replies.get(seat).copied().flatten() {
            Some(Ok(line)) => match Action::parse(line) {
                Some(action) => return action,
                None => Fate::InvalidAction,
            },
            Some(Err(fault)) => fault.into(),
            None => Fate::Timeout,
        };
        let score = FAULT_SCORE;
        self.standings[seat] = Standing { score, fate };
        self.world.remove(seat);
        Action::Wait
    }

    fn end(&mut self) {
        for seat in self.world.living().iter() {
            let sanity = self.world.explorers[seat].sanity;
            self.standings[seat].score = (LAST_TURN + sanity).into();
        }
        self.reason = Some(self.ending());
    }

    /// Returns the reason why a game with these scores has ended, the first that applies.
    fn ending(&self) -> Reason {
        let scores = self.standings.map(|standing| standing.score);
        let best = scores.into_iter().max().unwrap_or(FAULT_SCORE);
        if best == FAULT_SCORE {
            Reason::AllInvalid
        } else if best > LAST_TURN.into() {
            Reason::MaxTurns
        } else if scores.iter().filter(|&&score| score == best).count() > 1 {
            Reason::LastDiedTogether
        } else {
            Reason::LastSurvivor
        }
    }
}

impl Game for Kutulu {
    fn due(&self) -> SeatSet {
        match self.reason {
            None => self.world.living(),
            Some(_) => SeatSet::EMPTY,
        }
    }

    fn turn(&self) -> u32 {
        // The original counts turns from 0.
        self.world.turn + u32::from(self.reason.is_none())
    }

    /// Writes nothing for a seat that isn't due.
    fn prompt(&self, seat: Seat, out: &mut String) {
        if !self.due().contains(seat) {
            return;
        }
        if self.world.turn == 0 {
            out.push_str(self.world.maze().text());
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{}", self.world.constants);
        }
        self.turn_lines.write(seat, out);
    }

    /// Plays the turn. A due seat without a reply has timed out.
    fn advance(&mut self, replies: &Replies<'_>) {
        if self.reason.is_some() {
            return;
        }
        let turn = self.world.turn;
        let mut actions = [Action::Wait; SEATS];
        for seat in self.due().iter() {
            actions[seat] = self.take(seat, replies);
        }
        for seat in self.world.play(&actions).iter() {
            self.standings[seat].score = turn.into();
        }
        if self.world.is_over() {
            self.end();
        } else {
            self.turn_lines.fill(&self.world);
        }
    }

    fn standings(&self) -> &[Standing] {
        &self.standings
    }

    fn reason(&self) -> Option<&str> {
        self.reason.map(Into::into)
    }

    fn picture(&self) -> crate::Picture {
        crate::Picture::Kutulu(Picture::new(&self.world))
    }

    fn setting(&self) -> crate::Setting {
        crate::Setting::Kutulu {
            map: self.world.maze().rows().to_vec(),
            constants: self.world.constants,
            plan_radius: PLAN_RADIUS,
            light_radius: ground::LIGHT_RADIUS.into(),
        }
    }
}

#[cfg(test)]
mod tests;
