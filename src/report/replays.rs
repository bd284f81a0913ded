//! Games for the replay viewer: a game, played again from its record, as one JSON object that holds every position and
//! everything that was said. A game whose referee is a program of its own is not played again: its record holds what the
//! referee showed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use serde::Serialize;

use crate::play::{Played, Step};
use crate::record::{self, Mismatch, Record};
use crate::store::{self, StoreError, StoredGames};
use arena_games::{Drawing, Frame, Game, GameSpec, Games, Picture, Setting, Shown, Standing};

mod choose;

pub(crate) use choose::{Choice, Chooser, asked};

/// So many bytes of base64 are embedded in a page, unless something else is asked for.
pub(crate) const BUDGET: usize = 3_000_000;

/// No game that was not asked for takes more than this part of the budget.
const LARGEST_SHARE: usize = 4;

/// Why a game is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
}

/// One game for the viewer. The page hands an array of these to `ArenaReplay.mount`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Replay {
    /// The number of the game in its run.
    pub(crate) number: u64,
    /// The id of the game.
    pub(crate) game: String,
    /// The names of the bots, by seat.
    pub(crate) bots: Vec<String>,
    /// The final scores, by seat.
    pub(crate) scores: Vec<i32>,
    /// The places, by seat, as 1-2-2-4.
    pub(crate) places: Vec<usize>,
    /// What became of every seat.
    pub(crate) fates: Vec<String>,
    /// Why the game ended.
    pub(crate) reason: String,
    /// The number of turns, opening included.
    pub(crate) turns: u32,
    /// Why the game is shown.
    pub(crate) tags: Vec<Tag>,
    /// The whole game: JSON, gzip, base64. The object is described in `src/report/html/replay.js`.
    pub(crate) data: String,
}

/// Games that are embedded, and those that are not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Embedded {
    /// In the order of their numbers, those of one tag together.
    pub(crate) replays: Vec<Replay>,
    /// The numbers of games that were chosen but are not embedded, each with the reason as a sentence.
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
    setting: Setting,
    /// The position before the first question.
    pub(crate) start: Position,
    /// The positions after every turn.
    after: Vec<Position>,
    /// The game, with every prompt that can be had in its steps.
    pub(crate) played: Played,
}

impl Playback {
    /// Plays a recorded game again; or reads it, where its referee is a program of its own.
    pub(crate) fn stored(record: &Record, games: &mut StoredGames<'_>) -> Result<Playback, Mismatch> {
        let is_foreign = record.steps.iter().any(|step| step.hash.is_some());
        if is_foreign { Playback::read(record) } else { Playback::of(record, &*games.of(record)?) }
    }

    /// Plays a recorded game again; `spec` is the game under its options.
    pub(crate) fn of(record: &Record, spec: &GameSpec) -> Result<Playback, Mismatch> {
        let mut start = None;
        let mut after = Vec::new();
        let position = |game: &dyn Game| Position { frame: game.frame(), notes: Vec::new() };
        let played = record::watch(record, spec, true, |game| match start {
            None => start = Some((game.setting(), position(game))),
            Some(_) => after.push(position(game)),
        })?;
        let (setting, start) = start.ok_or_else(|| Mismatch("nothing is to be seen of it".to_owned()))?;
        Ok(Playback { setting, start, after, played })
    }

    /// Takes a game from its record.
    fn read(record: &Record) -> Result<Playback, Mismatch> {
        let mut positions = positions(record);
        let start = positions.remove(0);
        let played = read_back(record).map_err(Mismatch)?;
        Ok(Playback { setting: Setting::None {}, start, after: positions, played })
    }

    /// The turns that bots played: the steps of each, with the place of the first in the game, and the position after it.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (usize, &[Step], &Position)> {
        let mut place = 0;
        turns(&self.played.steps).zip(&self.after).map(move |(steps, position)| {
            let first = place;
            place += steps.len();
            (first, steps, position)
        })
    }
}

/// The steps of every turn. A referee that shows a position before a question begins a turn with it.
fn turns(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunk_by(|one, next| one.turn == next.turn && next.shown.frame.is_none())
}

/// The positions of a game of another referee, as it showed them: before the first turn and after every one. Where it showed
/// none, the last one stands.
fn positions(record: &Record) -> Vec<Position> {
    let turns: Vec<&[Step]> = turns(&record.steps).collect();
    let mut drawing = Drawing::default();
    let mut positions = Vec::with_capacity(turns.len() + 1);
    for at in 0..=turns.len() {
        let next = turns.get(at).copied().unwrap_or_default();
        let shown = next.first().map_or(&record.shown, |step| &step.shown);
        if let Some(frame) = &shown.frame {
            drawing.clone_from(frame);
        }
        let said = at.checked_sub(1).map_or(&[][..], |before| &turns[before][1..]);
        let is_end = next.is_empty();
        let frame = Frame {
            turn: next.first().map_or(record.turns(), |step| step.turn),
            due: next.iter().map(|step| step.player).collect(),
            scores: if is_end { record.scores.clone() } else { Vec::new() },
            reason: is_end.then(|| record.reason.clone()),
            picture: Picture::Drawing(drawing.clone()),
        };
        let notes = said.iter().map(|step| &step.shown).chain([shown]).flat_map(|shown| shown.notes.clone()).collect();
        positions.push(Position { frame, notes });
    }
    positions
}

/// A recorded game as it was played.
fn read_back(record: &Record) -> Result<Played, String> {
    let mut steps = record.steps.clone();
    for step in &mut steps {
        step.fault = step.reply()?.err().map(|fault| fault.to_string());
    }
    let standing = |(seat, &score)| Ok(Standing { score, fate: record.fate(seat)? });
    Ok(Played {
        opening: Vec::new(),
        steps,
        ms: record.ms.clone(),
        host_late: record.host_late.clone(),
        standings: record.scores.iter().enumerate().map(standing).collect::<Result<_, String>>()?,
        reason: record.reason.clone(),
        shown: Shown::default(),
        turns: record.turns(),
    })
}

/// What the viewer gets of a game beside its [`Replay`]: its record with every prompt, and what there is to be drawn.
#[derive(Serialize)]
struct Content<'a> {
    #[serde(flatten)]
    record: Record,
    setting: &'a Setting,
    /// How many steps each turn has.
    steps_by_turn: Vec<usize>,
    /// The position before the first question, and after every turn.
    frames: Vec<&'a Position>,
}

/// Packs a recorded game. `number` is its number where the record does not tell.
pub(crate) fn pack(number: u64, record: &Record, playback: &Playback, tags: &[Tag]) -> Result<Replay, String> {
    let json = content(record, playback).map_err(|error| format!("it cannot be written as JSON: {error}"))?;
    let data = gzip(&json).map_err(|error| format!("it cannot be packed: {error}"))?;
    let Played { standings, reason, turns, .. } = &playback.played;
    let scores: Vec<i32> = standings.iter().map(|standing| standing.score).collect();
    let name = |seat: usize| record.bots.get(seat).cloned().unwrap_or_else(|| format!("seat {seat}"));
    Ok(Replay {
        number: record.number.unwrap_or(number),
        game: record.game.clone(),
        bots: (0..scores.len()).map(name).collect(),
        places: (0..scores.len()).filter_map(|seat| record.place(seat)).collect(),
        scores,
        fates: standings.iter().map(|standing| standing.fate.to_string()).collect(),
        reason: reason.clone(),
        turns: *turns,
        tags: tags.to_vec(),
        data: STANDARD.encode(data),
    })
}

fn content(record: &Record, playback: &Playback) -> serde_json::Result<Vec<u8>> {
    let mut record = record.clone();
    for (recorded, step) in record.steps.iter_mut().zip(&playback.played.steps) {
        // The record's own prompts come first: where the original lists actions in any order, those of the replay differ.
        recorded.input = recorded.input.take().or_else(|| step.input.clone());
        recorded.fault.clone_from(&step.fault);
        // It stands in the positions, and nobody looks at digests here.
        (recorded.shown, recorded.hash) = (Shown::default(), None);
    }
    record.shown = Shown::default();
    serde_json::to_vec(&Content {
        record,
        setting: &playback.setting,
        steps_by_turn: turns(&playback.played.steps).map(<[Step]>::len).collect(),
        frames: [&playback.start].into_iter().chain(&playback.after).collect(),
    })
}

/// The same bytes for the same text: no time and no name goes in.
fn gzip(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    packed.write_all(text)?;
    packed.finish()
}

/// Reads the chosen games from a file of records and packs as many as `budget` bytes of base64 hold; `None` sets no
/// limit. In the first round the games of the run (its ids) share the budget evenly, in the second the rest goes to
/// whoever comes first, both in the order of `choices`.
pub(crate) fn embed(
    records: &Path,
    choices: &[Choice],
    budget: Option<usize>,
    games: &Games,
) -> Result<Embedded, StoreError> {
    let numbers: BTreeSet<u64> = choices.iter().map(|choice| choice.number).collect();
    let records = store::pick_records(records, &numbers)?;
    let found: BTreeMap<Option<u64>, Record> = records.into_iter().map(|record| (record.number, record)).collect();
    let mut embedded = Embedded::default();
    let mut packed = Vec::new();
    let mut games = StoredGames::new(games);
    for choice in choices {
        match pack_choice(choice, found.get(&Some(choice.number)), &mut games) {
            Ok(replay) => packed.push(replay),
            Err(why) => embedded.left_out.push((choice.number, why)),
        }
    }
    let (fitting, too_much) = fit(packed, budget);
    let no_room = |replay: Replay| (replay.number, "there is no more room for it in the page".to_owned());
    embedded.left_out.extend(too_much.into_iter().map(no_room));
    embedded.replays = fitting;
    embedded.replays.sort_by_key(|replay| (replay.tags.first().copied(), replay.number));
    Ok(embedded)
}

fn pack_choice(choice: &Choice, record: Option<&Record>, games: &mut StoredGames<'_>) -> Result<Replay, String> {
    let record = record.ok_or("its record is missing")?;
    let playback = Playback::stored(record, games).map_err(|mismatch| mismatch.to_string())?;
    pack(choice.number, record, &playback, &choice.tags)
}

/// Those that fit into the budget, and the others.
fn fit(replays: Vec<Replay>, budget: Option<usize>) -> (Vec<Replay>, Vec<Replay>) {
    let Some(budget) = budget else { return (replays, Vec::new()) };
    let games: BTreeSet<&String> = replays.iter().map(|replay| &replay.game).collect();
    let share = budget / games.len().max(1);
    let mut shares: BTreeMap<String, usize> = games.into_iter().map(|game| (game.clone(), share)).collect();
    let mut free = budget;
    let mut fitting = Vec::new();
    let mut waiting = replays;
    for is_shared in [true, false] {
        fitting.extend(waiting.extract_if(.., |replay| {
            let size = replay.data.len();
            let share = shares.entry(replay.game.clone()).or_default();
            let fits = size <= budget / LARGEST_SHARE && size <= if is_shared { *share } else { free };
            if fits {
                *share = share.saturating_sub(size);
                free -= size;
            }
            fits
        }));
    }
    (fitting, waiting)
}

#[cfg(test)]
mod tests;
