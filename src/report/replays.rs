//! Games for the replay viewer: a list of them, and a game, played again from its record, as one JSON object that holds
//! every position and everything that was said. A game whose referee is a program of its own is not played again: its record holds what the
//! referee showed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use serde::Serialize;

use crate::play::record::{self, Mismatch, Record};
use crate::play::{Played, Step};
use crate::store::{self, StoreError, StoredGames};
use arena_games::{Drawing, Frame, GameSpec, Games, Picture, Setting, Shown, Standing};

mod choose;
mod list;

pub(crate) use choose::{Choice, Chooser};

pub(crate) use list::{GameList, Listed};

/// So many bytes of base64 are embedded in a page, unless something else is asked for.
pub(crate) const BUDGET: usize = 3_000_000;
/// The same where all games are asked for.
pub(crate) const LARGE_BUDGET: usize = 20_000_000;

/// No game that was not asked for takes more than this part of the budget.
const LARGEST_SHARE: usize = 4;
/// A game takes about so many bytes at least: no more records are read than could fit.
const LEAST_SIZE: usize = 1_500;
/// So many games of a kind may have no room until no more are tried.
const MOST_MISSED: usize = 8;

/// Why a game is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tag {
    /// Somebody asked for it.
    Asked,
    /// A bot failed in it.
    Fault,
    /// The winner is rated far below one that it beat.
    Upset,
    /// The worst game that a bot lost.
    Loss,
    /// An ordinary game.
    Sample,
    /// It was over soon after a random opening, which may have decided it.
    Opening,
}

/// Which games are embedded in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// As many as fit into [`BUDGET`], those that are worth a look first.
    Fitting,
    /// As many as fit into [`LARGE_BUDGET`].
    All,
    /// These, whatever they take, and others as far as they fit beside them.
    Numbers(Vec<u64>),
    /// None: whoever shows the page has them.
    None,
}

/// The games of a page: all are listed, as many as fit can be watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Embedded {
    /// The games of the run, in the order of its records.
    pub(crate) listed: Vec<Listed>,
    /// So many games of the run are not in the list, because it has an end.
    pub(crate) unlisted: u64,
    /// By number, what the viewer gets of the games that can be watched: JSON, gzip, base64. The object is described in
    /// `src/report/html/viewer.js`.
    pub(crate) data: BTreeMap<u64, String>,
    /// The game to be seen first.
    pub(crate) first: Option<u64>,
    /// The numbers of games that are worth a look but cannot be shown, each with the reason as a sentence.
    pub(crate) left_out: Vec<(u64, String)>,
}

/// What is to be seen at one time of a game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Position {
    #[serde(flatten)]
    pub(crate) frame: Frame,
    /// What a referee that is a program of its own said of what led here, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// A recorded game with everything to be seen.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    /// What stays as it is.
    pub(crate) setting: Setting,
    /// The position before the first question.
    pub(crate) start: Position,
    /// The positions after every turn.
    after: Vec<Position>,
    /// The game, with every prompt that can be had in its steps.
    pub(crate) played: Played,
}

impl Playback {
    /// Plays a recorded game again; or reads it, where its referee is a program of its own.
    pub(crate) fn stored(
        record: &Record,
        games: &mut StoredGames<'_>,
    ) -> Result<Playback, Mismatch> {
        let is_foreign = record.steps.iter().any(|step| step.hash.is_some());
        if is_foreign {
            Playback::read(record)
        } else {
            Playback::of(record, &*games.of(record)?)
        }
    }

    /// Plays a recorded game again; `spec` is the game under its options.
    pub(crate) fn of(record: &Record, spec: &GameSpec) -> Result<Playback, Mismatch> {
        let mut start = None;
        let mut after = Vec::new();
        let played = record::watch(record, spec, true, |game| {
            let position = Position {
                frame: game.frame(),
                notes: Vec::new(),
            };
            match start {
                None => start = Some((game.setting(), position)),
                Some(_) => after.push(position),
            }
        })?;
        let (setting, start) =
            start.ok_or_else(|| Mismatch("nothing is to be seen of it".to_owned()))?;
        Ok(Playback {
            setting,
            start,
            after,
            played,
        })
    }

    /// Takes a game from its record.
    fn read(record: &Record) -> Result<Playback, Mismatch> {
        let mut positions = positions(record);
        let start = positions.remove(0);
        let played = read_back(record).map_err(Mismatch)?;
        Ok(Playback {
            setting: Setting::None {},
            start,
            after: positions,
            played,
        })
    }

    /// The turns that bots played: the steps of each, with the place of the first in the game, and the position after it.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (usize, &[Step], &Position)> {
        let mut place = 0;
        turns(&self.played.steps)
            .zip(&self.after)
            .map(move |(steps, position)| {
                let first = place;
                place += steps.len();
                (first, steps, position)
            })
    }
}

/// The steps of every turn. A referee that shows a position before a question begins a turn with it.
fn turns(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunk_by(|one, next| one.turn == next.turn && next.frame().is_none())
}

/// The positions of a game of another referee, as it showed them: before the first turn and after every one. Where it showed
/// none, the last one stands.
fn positions(record: &Record) -> Vec<Position> {
    let turns: Vec<&[Step]> = turns(&record.steps).collect();
    let mut drawing = Drawing::default();
    let mut positions = Vec::with_capacity(turns.len() + 1);
    for at in 0..=turns.len() {
        let next = turns.get(at).copied().unwrap_or_default();
        let shown = match next.first() {
            Some(step) => step.shown.as_deref(),
            None => Some(&record.shown),
        };
        if let Some(frame) = shown.and_then(|shown| shown.frame.as_ref()) {
            drawing.clone_from(frame);
        }
        let said = at
            .checked_sub(1)
            .map_or(&[][..], |before| &turns[before][1..]);
        let is_end = next.is_empty();
        let frame = Frame {
            turn: next.first().map_or(record.turns(), |step| step.turn),
            due: next.iter().map(|step| step.player).collect(),
            scores: if is_end {
                record.scores.clone()
            } else {
                Vec::new()
            },
            reason: is_end.then(|| record.reason.clone()),
            picture: Picture::Drawing(drawing.clone()),
        };
        let notes = said
            .iter()
            .filter_map(|step| step.shown.as_deref())
            .chain(shown)
            .flat_map(|shown| shown.notes.clone())
            .collect();
        positions.push(Position { frame, notes });
    }
    positions
}

/// A recorded game as it was played.
fn read_back(record: &Record) -> Result<Played, String> {
    let mut steps = record.steps.clone();
    let seats = record.scores.len();
    for step in &mut steps {
        if step.player >= seats {
            return Err(format!(
                "in turn {} seat {} answers, but it has scores of {seats} seats",
                step.turn, step.player
            ));
        }
        step.fault = step.reply().err();
    }
    let mut standings = Vec::new();
    for (seat, &score) in record.scores.iter().enumerate() {
        let fate = record.fate(seat);
        standings.push(Standing { score, fate });
    }
    Ok(Played {
        opening: Vec::new(),
        steps,
        ms: record.ms.clone(),
        host_late: record.host_late.clone(),
        standings,
        reason: record.reason.clone(),
        shown: Shown::default(),
        turns: record.turns(),
    })
}

/// What the viewer gets of a game: its record with every prompt, and what there is to be drawn.
#[derive(Serialize)]
struct Content<'a> {
    #[serde(flatten)]
    record: Record,
    /// The places, by seat, as 1-2-2-4.
    places: Vec<usize>,
    /// What became of every seat.
    fates: Vec<String>,
    /// The number of turns, opening included.
    turns: u32,
    setting: &'a Setting,
    /// How many steps each turn has.
    steps_by_turn: Vec<usize>,
    /// The position before the first question, and after every turn.
    frames: Vec<&'a Position>,
}

/// A recorded game as JSON for the viewer.
pub(crate) fn game_json(record: &Record, games: &mut StoredGames<'_>) -> Result<Vec<u8>, String> {
    let playback = Playback::stored(record, games).map_err(|mismatch| mismatch.to_string())?;
    content(record, &playback).map_err(|error| format!("it cannot be written as JSON: {error}"))
}

/// Packed for a page.
pub(crate) fn pack(json: &[u8]) -> Result<String, String> {
    gzip(json)
        .map(|data| STANDARD.encode(data))
        .map_err(|error| format!("it cannot be packed: {error}"))
}

fn content(record: &Record, playback: &Playback) -> serde_json::Result<Vec<u8>> {
    let mut record = record.clone();
    for (recorded, step) in record.steps.iter_mut().zip(&playback.played.steps) {
        // The record's own prompts come first: where the original lists actions in any order, those of the replay differ.
        recorded.input = recorded.input.take().or_else(|| step.input.clone());
        recorded.fault = step.fault;
        // It stands in the positions, and nobody looks at digests here.
        (recorded.shown, recorded.hash) = (None, None);
    }
    record.shown = Shown::default();
    let Played {
        standings,
        turns: count,
        ..
    } = &playback.played;
    serde_json::to_vec(&Content {
        places: (0..standings.len())
            .filter_map(|seat| record.place(seat))
            .collect(),
        fates: standings
            .iter()
            .map(|standing| standing.fate.to_string())
            .collect(),
        turns: *count,
        record,
        setting: &playback.setting,
        steps_by_turn: turns(&playback.played.steps).map(<[Step]>::len).collect(),
        frames: [&playback.start]
            .into_iter()
            .chain(&playback.after)
            .collect(),
    })
}

/// The same bytes for the same text: no time and no name goes in.
fn gzip(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzBuilder::new()
        .mtime(0)
        .write(Vec::new(), Compression::best());
    packed.write_all(text)?;
    packed.finish()
}

/// Reads games from a file of records and packs as many as fit. Those `asked` for come first, whatever they take; then those
/// `chosen`, the best first; then all in the list, so that every game of the run (its id) gets as many bytes as any other.
pub(crate) fn embed(
    records: &Path,
    (asked, chosen): (&Asked, &[Choice]),
    list: &GameList,
    games: &Games,
) -> Result<Embedded, StoreError> {
    let numbers = match asked {
        Asked::Numbers(numbers) => &numbers[..],
        _ => &[],
    };
    let mut embedded = Embedded {
        listed: list.tagged(numbers, chosen),
        unlisted: list.unlisted(),
        ..Embedded::default()
    };
    let budget = match asked {
        Asked::None => 0,
        Asked::All => LARGE_BUDGET,
        Asked::Fitting | Asked::Numbers(_) => BUDGET,
    };
    let best: BTreeSet<u64> = chosen.iter().map(|choice| choice.number).collect();
    let mut order: Vec<u64> = chosen.iter().map(|choice| choice.number).collect();
    for game in &embedded.listed {
        if !best.contains(&game.number) {
            order.push(game.number);
        }
    }
    order.truncate(budget / LEAST_SIZE);
    order.retain(|number| !numbers.contains(number));
    let all: BTreeSet<u64> = numbers.iter().chain(&order).copied().collect();
    let picked = store::pick_records(records, &all)?.into_iter();
    let records = picked
        .filter_map(|record| Some((record.number?, record)))
        .collect();
    let mut packer = Packer {
        records,
        games: StoredGames::new(games),
        embedded: &mut embedded,
    };
    for &number in numbers {
        packer.pack(number, usize::MAX);
    }
    packer.fill(&order, budget, &best);
    embedded.first = embedded.first_of(numbers, chosen);
    Ok(embedded)
}

/// Puts games into a page.
struct Packer<'a, 'g> {
    records: BTreeMap<u64, Record>,
    games: StoredGames<'g>,
    embedded: &'a mut Embedded,
}

impl Packer<'_, '_> {
    /// Packs a game if it takes no more than `room`, and says how much it takes. Why one cannot be shown is told.
    fn pack(&mut self, number: u64, room: usize) -> Option<usize> {
        let Some(record) = self.records.remove(&number) else {
            self.embedded
                .left_out
                .push((number, "its record is missing".to_owned()));
            return None;
        };
        match game_json(&record, &mut self.games).and_then(|json| pack(&json)) {
            Ok(data) if data.len() <= room => {
                let size = data.len();
                self.embedded.data.insert(number, data);
                Some(size)
            }
            Ok(_) => None,
            Err(why) => {
                self.embedded.left_out.push((number, why));
                None
            }
        }
    }

    /// Packs games until the budget is full: next comes one of the game that has the fewest bytes, in the order of the numbers.
    /// Only of the `best` it is told that they have no room.
    fn fill(&mut self, order: &[u64], budget: usize, best: &BTreeSet<u64>) {
        let mut waiting: BTreeMap<String, Waiting> = BTreeMap::new();
        for &number in order {
            // One that is missing is told of like one that cannot be shown.
            let game = self
                .records
                .get(&number)
                .map_or_else(String::new, |record| record.game.clone());
            waiting.entry(game).or_default().numbers.push_back(number);
        }
        let mut free = budget;
        while let Some(game) = waiting
            .values_mut()
            .filter(|game| !game.numbers.is_empty())
            .min_by_key(|game| game.used)
        {
            let Some(number) = game.numbers.pop_front() else {
                return;
            };
            let known = self.embedded.left_out.len();
            match self.pack(number, free.min(budget / LARGEST_SHARE)) {
                Some(size) => {
                    game.used += size;
                    free = free.saturating_sub(size);
                }
                None if self.embedded.left_out.len() > known => {}
                None if best.contains(&number) => {
                    let why = "there is no more room for it in the page".to_owned();
                    self.embedded.left_out.push((number, why));
                }
                None => game.miss(),
            }
        }
    }
}

/// The games of one kind that are still to be packed.
#[derive(Default)]
struct Waiting {
    numbers: VecDeque<u64>,
    /// The bytes of those that are packed.
    used: usize,
    /// How many had no room.
    missed: usize,
}

impl Waiting {
    /// One had no room: soon the others are not tried any more.
    fn miss(&mut self) {
        self.missed += 1;
        if self.missed == MOST_MISSED {
            self.numbers.clear();
        }
    }
}

impl Embedded {
    /// The game to be seen first: one that was asked for, or the best of those that were chosen; no short one if there is another.
    fn first_of(&self, asked: &[u64], chosen: &[Choice]) -> Option<u64> {
        let mut chosen: Vec<&Choice> = chosen.iter().collect();
        chosen.sort_by_cached_key(|choice| {
            let mut same = self
                .listed
                .iter()
                .filter(|game| game.number == choice.number);
            let is_short = same.any(|game| game.tags.contains(&Tag::Opening));
            (is_short, choice.tags.first().copied(), choice.number)
        });
        let chosen = chosen.iter().map(|choice| choice.number);
        let mut candidates = asked.iter().copied().chain(chosen);
        candidates
            .find(|number| self.data.contains_key(number))
            .or_else(|| self.data.keys().next().copied())
    }
}

#[cfg(test)]
mod tests;
