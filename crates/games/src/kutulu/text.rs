//! The lines that players read, written and parsed.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::Arc;

use crate::rng::JavaRandom;
use crate::{Seat, TextError};

use super::SEATS;
use super::effect::{Effect, EffectKind};
use super::explorer::Explorers;
use super::maze::{Cell, Maze};
use super::minion::{Minion, MinionKind, MinionState};
use super::world::{Constants, World};

const EXPLORER: &str = "EXPLORER";
const PLAN: &str = "EFFECT_PLAN";
const LIGHT: &str = "EFFECT_LIGHT";
const YELL: &str = "EFFECT_YELL";
const SHELTER: &str = "EFFECT_SHELTER";

/// The upper limit of constants. They decide the size of buffers.
const MAX_CONSTANT: u32 = 100;

/// The lines of a turn, made once, because only the order of explorers differs between players.
#[derive(Clone, Debug)]
pub(super) struct TurnLines {
    pub(super) text: String,
    /// The ends of the explorers' lines. All other lines follow the last.
    ends: [usize; SEATS],
    count: u32,
}

impl TurnLines {
    pub(super) fn of(world: &World) -> TurnLines {
        // More than the length of the longest line.
        const LINE: usize = 40;
        let lines = SEATS + world.minions.capacity() + world.effects.capacity();
        let mut turn_lines = TurnLines {
            text: String::with_capacity(LINE * lines),
            ends: [0; SEATS],
            count: 0,
        };
        turn_lines.fill(world);
        turn_lines
    }

    /// Replaces the lines with those of this state.
    pub(super) fn fill(&mut self, world: &World) {
        self.text.clear();
        self.count = 0;
        for (seat, explorer) in world.explorers.iter().enumerate() {
            if explorer.living {
                let params = [explorer.sanity, explorer.plans, explorer.lights].map(Some);
                self.add(EXPLORER, number(Some(seat)), Some(explorer.cell), params);
            }
            self.ends[seat] = self.text.len();
        }
        for minion in &world.minions {
            let sent = minion.sent(world);
            let params = [
                Some(sent.countdown),
                Some(sent.state as u32),
                number(sent.target),
            ];
            self.add(sent.kind.into(), Some(sent.id), Some(sent.cell), params);
        }
        for &effect in &world.effects {
            self.add_effect(effect, &world.explorers);
        }
    }

    /// Appends the lines as a seat reads them: its own explorer first, then the seats that follow,
    /// cyclically.
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

    fn add_effect(&mut self, effect: Effect, explorers: &Explorers) {
        if let Some(receiver) = effect.receiver
            && explorers[receiver].sanity == 0
        {
            return;
        }
        let name = [PLAN, LIGHT, YELL, SHELTER][effect.kind as usize];
        let seats = [effect.caster, effect.receiver].map(number);
        let params = [Some(effect.left), seats[0], seats[1]];
        self.add(name, None, effect.cell(explorers), params);
    }
}

impl Minion {
    /// Returns the minion as players see it.
    pub(super) fn sent(self, world: &World) -> Minion {
        let countdown = match (self.kind, self.state) {
            // The original sends a number that it never sets otherwise.
            (MinionKind::Slasher, MinionState::Wandering | MinionState::Rushing) => {
                world.constants.wanderer_life
            }
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

fn number(seat: Option<Seat>) -> Option<u32> {
    u32::try_from(seat?).ok()
}

/// The constants in one line, as players read them.
impl Display for Constants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lonely, group) = (self.lonely_loss, self.group_loss);
        let (spawn_turns, life) = (self.wanderer_spawn_turns, self.wanderer_life);
        write!(f, "{lonely} {group} {spawn_turns} {life}")
    }
}

/// A mistake in the lines of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// An unexpected line.
    #[error("can't read the turn: expected {expected}, found `{found}`")]
    Line {
        /// The expected content.
        expected: &'static str,
        /// The line.
        found: String,
    },
    /// An invalid map, or too few lines.
    #[error(transparent)]
    Text(#[from] TextError),
}

const ENTITY: &str = "an entity: its type and six numbers that fit the map and the players";

/// Parsing of prompts, for bots.
impl World {
    /// Parses the lines before the first turn.
    ///
    /// # Errors
    /// [`ReadError`] if the lines aren't a map and its constants.
    pub fn from_first_lines<S: AsRef<str>>(
        lines: &mut impl Iterator<Item = S>,
    ) -> Result<World, ReadError> {
        let [_] = read_numbers(lines, "the width of the map", u32::MAX)?;
        let [height] = read_numbers(lines, "the height of the map", u32::MAX)?;
        let rows = (0..height)
            .map(|_| next(lines, "a row of the map"))
            .collect::<Result<Vec<S>, ReadError>>()?;
        let maze = Arc::new(Maze::from_sent(&rows)?);
        let [lonely_loss, group_loss, wanderer_spawn_turns, wanderer_life] =
            read_numbers(lines, "the four constants of the game", MAX_CONSTANT)?;
        let constants = Constants {
            lonely_loss,
            group_loss,
            wanderer_spawn_turns,
            wanderer_life,
        };
        Ok(World::new(maze, constants, JavaRandom::new(0)))
    }

    /// Parses the lines of a turn; the first one is 0. It keeps what they don't show from earlier
    /// turns: who is immune to whose yells, who had a slasher, and where slashers saw their
    /// targets. The draws of the real game stay hidden, and so do yells at explorers that have left
    /// the game.
    ///
    /// # Errors
    /// [`ReadError`] if the lines aren't those of a turn. The state is then unusable.
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
        for minion in &self.minions {
            self.next_id = self.next_id.max(minion.id.saturating_add(1));
        }
        self.remember(&before);
        Ok(())
    }

    /// Appends the lines that a seat reads this turn.
    pub fn write(&self, seat: Seat, out: &mut String) {
        TurnLines::of(self).write(seat, out);
    }

    fn read_entity(&mut self, line: &str) -> Option<()> {
        let (name, numbers) = line.trim_end().split_once(' ')?;
        let [id, x, y, one, two, three] = parse_numbers::<i32, 6>(numbers)?;
        let cell = self.maze().cell(x, y);
        let count = u32::try_from(one).ok()?;
        let seat = |number: i32| usize::try_from(number).ok().filter(|&seat| seat < SEATS);
        let effects = &mut self.effects;
        match name {
            EXPLORER => {
                let explorer = &mut self.explorers[seat(id)?];
                (explorer.cell, explorer.sanity, explorer.living) = (cell?, count, true);
                (explorer.plans, explorer.lights) = (two.try_into().ok()?, three.try_into().ok()?);
            }
            PLAN => effects.push(Effect::cast(EffectKind::Plan, seat(two)?, count)),
            LIGHT => effects.push(Effect::cast(EffectKind::Light, seat(two)?, count)),
            YELL => {
                let (caster, receiver) = (seat(two)?, seat(three)?);
                let immune = &mut self.explorers[receiver].yelled_at_by;
                *immune = immune.with(caster);
                effects.push(Effect::yell(caster, receiver, count));
            }
            SHELTER => effects.push(Effect::shelter(cell?, count)),
            _ => self.minions.push(Minion {
                id: id.try_into().ok()?,
                kind: name.parse().ok()?,
                cell: cell?,
                countdown: count,
                state: MinionState::from_repr(usize::try_from(two).ok()?)?,
                target: seat(three),
                memory: None,
            }),
        }
        Some(())
    }

    /// Fills in the hidden state of slashers.
    fn remember(&mut self, before: &[Minion]) {
        let mut minions = std::mem::take(&mut self.minions);
        for slasher in &mut minions {
            if slasher.kind != MinionKind::Slasher {
                continue;
            }
            let target = slasher.target.map(|target| self.explorers[target].cell);
            slasher.memory = match (slasher.state, target) {
                (MinionState::Spawning, _) => Some(slasher.cell),
                (MinionState::Stunned, _) => None,
                (_, Some(cell)) if self.maze().sight(slasher.cell, cell).is_some() => target,
                _ => before
                    .iter()
                    .find(|old| old.id == slasher.id)
                    .and_then(|old| old.memory),
            };
            if let (MinionState::Spawning, Some(owner)) = (slasher.state, slasher.target) {
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
    let short = || format!("read the turn: expected {expected}, found the end of the input");
    lines.next().ok_or_else(|| TextError(short()).into())
}

/// Parses a line of numbers that are at most `most`.
fn read_numbers<S: AsRef<str>, const N: usize>(
    lines: &mut impl Iterator<Item = S>,
    expected: &'static str,
    most: u32,
) -> Result<[u32; N], ReadError> {
    let line = next(lines, expected)?;
    match parse_numbers(line.as_ref().trim_end()) {
        Some(numbers) if numbers.iter().all(|&number| number <= most) => Ok(numbers),
        _ => Err(wrong(&line, expected)),
    }
}

fn wrong(line: &impl AsRef<str>, expected: &'static str) -> ReadError {
    ReadError::Line {
        expected,
        found: line.as_ref().to_owned(),
    }
}

fn parse_numbers<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let fields: Option<Vec<T>> = text.split(' ').map(|field| field.parse().ok()).collect();
    fields?.try_into().ok()
}
