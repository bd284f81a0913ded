//! The lines that players are sent, written and read.

use std::fmt::{self, Display};
use std::sync::Arc;

use crate::rng::JavaRandom;
use crate::{Seat, TextError};

use super::SEATS;
use super::effect::{Effect, EffectKind};
use super::explorer::Explorers;
use super::maze::{Cell, Maze};
use super::minion::{Kind, Minion, State};
use super::world::{Constants, World};

const EXPLORER: &str = "EXPLORER";
const PLAN: &str = "EFFECT_PLAN";
const LIGHT: &str = "EFFECT_LIGHT";
const YELL: &str = "EFFECT_YELL";
const SHELTER: &str = "EFFECT_SHELTER";

/// More than any constant of a game can be; memory is set aside by them.
const MAX_CONSTANT: u32 = 100;

/// The lines of a turn. They are the same for everybody but for the order of the explorers, so they are made once.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub(super) text: String,
    /// Where the line of each explorer ends; all else follows the last.
    ends: [usize; SEATS],
    count: u32,
}

impl Sheet {
    pub(super) fn of(world: &World) -> Sheet {
        // More than the longest of lines, for as many lines as there can be.
        const LINE: usize = 40;
        let lines = SEATS + world.minions.capacity() + world.effects.capacity();
        let mut sheet = Sheet {
            text: String::with_capacity(LINE * lines),
            ends: [0; SEATS],
            count: 0,
        };
        sheet.fill(world);
        sheet
    }

    /// Replaces the lines by those of this state.
    pub(super) fn fill(&mut self, world: &World) {
        self.text.clear();
        self.count = 0;
        for (seat, explorer) in world.explorers.iter().enumerate() {
            if explorer.living {
                let params = [explorer.sanity, explorer.plans, explorer.lights].map(Some);
                self.add(EXPLORER, number(seat), Some(explorer.cell), params);
            }
            self.ends[seat] = self.text.len();
        }
        for minion in &world.minions {
            self.add_minion(minion.sent(world));
        }
        for &effect in &world.effects {
            self.add_effect(effect, &world.explorers);
        }
    }

    /// Appends the lines as a seat reads them: itself first, then the seats that follow, and round.
    pub(super) fn write(&self, seat: Seat, out: &mut String) {
        let [.., explorers] = self.ends;
        let own = if seat == 0 { 0 } else { self.ends[seat - 1] };
        out.push_str(itoa::Buffer::new().format(self.count));
        out.push('\n');
        out.push_str(&self.text[own..explorers]);
        out.push_str(&self.text[..own]);
        out.push_str(&self.text[explorers..]);
    }

    fn add(&mut self, kind: &str, id: Option<u32>, at: Option<Cell>, params: [Option<u32>; 3]) {
        let x = at.map(|cell| cell.point().x.into());
        let y = at.map(|cell| cell.point().y.into());
        let mut digits = itoa::Buffer::new();
        self.text.push_str(kind);
        for field in [id, x, y, params[0], params[1], params[2]] {
            self.text.push(' ');
            self.text
                .push_str(field.map_or("-1", |number| digits.format(number)));
        }
        self.text.push('\n');
        self.count += 1;
    }

    fn add_minion(&mut self, minion: Minion) {
        let params = [
            Some(minion.countdown),
            Some(minion.state as u32),
            minion.target.and_then(number),
        ];
        self.add(
            minion.kind.into(),
            Some(minion.id),
            Some(minion.cell),
            params,
        );
    }

    fn add_effect(&mut self, effect: Effect, explorers: &Explorers) {
        if let Some(receiver) = effect.receiver
            && explorers[receiver].sanity == 0
        {
            return;
        }
        let name = [PLAN, LIGHT, YELL, SHELTER][effect.kind as usize];
        let params = [
            Some(effect.left),
            effect.caster.and_then(number),
            effect.receiver.and_then(number),
        ];
        self.add(name, None, effect.cell(explorers), params);
    }
}

impl Minion {
    /// The minion as players are told of it.
    pub(super) fn sent(self, world: &World) -> Minion {
        let countdown = match (self.kind, self.state) {
            // The original sends a number that it has never set otherwise.
            (Kind::Slasher, State::Wandering | State::Rushing) => world.constants.wanderer_life,
            _ => self.countdown,
        };
        let explorers = &world.explorers;
        Minion {
            countdown,
            target: self.target.filter(|&target| explorers[target].sanity > 0),
            ..self
        }
    }
}

fn number(seat: Seat) -> Option<u32> {
    u32::try_from(seat).ok()
}

/// As players are sent them, in one line.
impl Display for Constants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lonely, group) = (self.lonely_loss, self.group_loss);
        let (spawn_turns, life) = (self.wanderer_spawn_turns, self.wanderer_life);
        write!(f, "{lonely} {group} {spawn_turns} {life}")
    }
}

/// Why lines are not what a player is sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A line is something else.
    #[error("read the turn: expected {expected}, found `{found}`")]
    Line {
        /// What was expected.
        expected: &'static str,
        /// The line.
        found: String,
    },
    /// The map is none, or the lines end too soon.
    #[error(transparent)]
    Text(#[from] TextError),
}

const ENTITY: &str = "an entity: its type and six numbers that fit the map and the players";

/// For players: what they are sent, as a state of the game.
impl World {
    /// Reads what comes before the first turn.
    ///
    /// # Errors
    /// [`ReadError`] when the lines are not those of a map and its constants.
    pub fn introduced<S: AsRef<str>>(
        lines: &mut impl Iterator<Item = S>,
    ) -> Result<World, ReadError> {
        let [_] = read_numbers(lines, "the width of the map", u32::MAX)?;
        let [height] = read_numbers(lines, "the height of the map", u32::MAX)?;
        let rows = (0..height)
            .map(|_| next(lines, "a row of the map"))
            .collect::<Result<Vec<S>, ReadError>>()?;
        let maze = Arc::new(Maze::from_sent(&rows)?);
        let constants = read_numbers(lines, "the four constants of the game", MAX_CONSTANT)?;
        let [lonely_loss, group_loss, wanderer_spawn_turns, wanderer_life] = constants;
        let constants = Constants {
            lonely_loss,
            group_loss,
            wanderer_spawn_turns,
            wanderer_life,
        };
        Ok(World::new(maze, constants, JavaRandom::new(0)))
    }

    /// Reads what is sent in a turn; the first one is 0. What lines do not tell is kept from the turns before: who is
    /// immune to whose yells, who had a slasher, where slashers saw their targets. The draws of the real game stay
    /// hidden, and so do yells at those that are gone.
    ///
    /// # Errors
    /// [`ReadError`] when the lines are not those of a turn; then the state is as good as lost.
    pub fn read<S: AsRef<str>>(
        &mut self,
        turn: u32,
        lines: &mut impl Iterator<Item = S>,
    ) -> Result<(), ReadError> {
        let [count] = read_numbers(lines, "the number of entities", u32::MAX)?;
        let before = std::mem::take(&mut self.minions);
        self.turn = turn;
        self.effects.clear();
        for explorer in &mut self.explorers {
            (explorer.living, explorer.sanity) = (false, 0);
        }
        for _ in 0..count {
            let line = next(lines, ENTITY)?;
            self.read_entity(line.as_ref())
                .ok_or_else(|| wrong(&line, ENTITY))?;
        }
        self.next_id = self
            .minions
            .iter()
            .map(|minion| minion.id.saturating_add(1))
            .fold(self.next_id, u32::max);
        self.remember(&before);
        Ok(())
    }

    /// Appends the lines that a seat is sent this turn.
    pub fn write(&self, seat: Seat, out: &mut String) {
        Sheet::of(self).write(seat, out);
    }

    fn read_entity(&mut self, line: &str) -> Option<()> {
        let (name, numbers) = line.trim_end().split_once(' ')?;
        let [id, x, y, one, two, three] = parse_numbers::<i32, 6>(numbers)?;
        let cell = self.maze().cell(x, y);
        let count = u32::try_from(one).ok()?;
        let seat = |number: i32| usize::try_from(number).ok().filter(|&seat| seat < SEATS);
        match name {
            EXPLORER => {
                let explorer = &mut self.explorers[seat(id)?];
                (explorer.cell, explorer.sanity, explorer.living) = (cell?, count, true);
                (explorer.plans, explorer.lights) = (two.try_into().ok()?, three.try_into().ok()?);
            }
            PLAN => self
                .effects
                .push(Effect::cast(EffectKind::Plan, seat(two)?, count)),
            LIGHT => self
                .effects
                .push(Effect::cast(EffectKind::Light, seat(two)?, count)),
            YELL => {
                let (caster, receiver) = (seat(two)?, seat(three)?);
                let immune = &mut self.explorers[receiver].yelled_at_by;
                *immune = immune.with(caster);
                self.effects.push(Effect::yell(caster, receiver, count));
            }
            SHELTER => self.effects.push(Effect::shelter(cell?, count)),
            _ => {
                let kind = name.parse().ok()?;
                let state = State::from_repr(usize::try_from(two).ok()?)?;
                let (id, cell, target) = (id.try_into().ok()?, cell?, seat(three));
                self.minions.push(Minion {
                    id,
                    kind,
                    cell,
                    countdown: count,
                    state,
                    target,
                    memory: None,
                });
            }
        }
        Some(())
    }

    /// Fills in what the lines do not tell of slashers.
    fn remember(&mut self, before: &[Minion]) {
        let mut minions = std::mem::take(&mut self.minions);
        let slashers = minions.iter_mut();
        for slasher in slashers.filter(|minion| minion.kind == Kind::Slasher) {
            let old = before.iter().find(|minion| minion.id == slasher.id);
            let target = slasher.target.map(|target| self.explorers[target].cell);
            let seen = target.filter(|&cell| self.maze().sight(slasher.cell, cell).is_some());
            slasher.memory = match slasher.state {
                State::Spawning => Some(slasher.cell),
                State::Stunned => None,
                _ => seen.or(old.and_then(|old| old.memory)),
            };
            if let (State::Spawning, Some(owner)) = (slasher.state, slasher.target) {
                self.explorers[owner].has_slasher = true;
            }
        }
        self.minions = minions;
    }
}

fn next<S: AsRef<str>>(
    lines: &mut impl Iterator<Item = S>,
    expected: &'static str,
) -> Result<S, ReadError> {
    lines.next().ok_or_else(|| {
        TextError(format!(
            "read the turn: expected {expected}, found the end of the input"
        ))
        .into()
    })
}

/// Reads a line of numbers that are at most `most`.
fn read_numbers<S: AsRef<str>, const N: usize>(
    lines: &mut impl Iterator<Item = S>,
    expected: &'static str,
    most: u32,
) -> Result<[u32; N], ReadError> {
    let line = next(lines, expected)?;
    parse_numbers(line.as_ref().trim_end())
        .filter(|numbers: &[u32; N]| numbers.iter().all(|&number| number <= most))
        .ok_or_else(|| wrong(&line, expected))
}

fn wrong(line: &impl AsRef<str>, expected: &'static str) -> ReadError {
    ReadError::Line {
        expected,
        found: line.as_ref().to_owned(),
    }
}

fn parse_numbers<T: std::str::FromStr + Copy + Default, const N: usize>(
    text: &str,
) -> Option<[T; N]> {
    let mut numbers = [T::default(); N];
    let mut fields = text.split(' ');
    for number in &mut numbers {
        *number = fields.next()?.parse().ok()?;
    }
    fields.next().is_none().then_some(numbers)
}
