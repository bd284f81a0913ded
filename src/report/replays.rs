//! Games for the replay viewer: a game, played again from its record, as one JSON object that holds every position and
//! everything that was said.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::iter;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use serde::Serialize;

use crate::play::{Played, Step};
use crate::record::{self, Mismatch, Record};
use crate::store::{self, StoreError, StoredGames};
use arena_games::{Frame, GameSpec, Games, Setting};

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

/// A game that was played again, with everything to be seen.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    /// What stays as it is.
    setting: Setting,
    /// The position before the first question.
    pub(crate) start: Frame,
    /// The positions after every turn.
    after: Vec<Frame>,
    /// The game, with every prompt in its steps.
    pub(crate) played: Played,
}

impl Playback {
    /// Plays a recorded game again; `spec` is the game under its options.
    pub(crate) fn of(record: &Record, spec: &GameSpec) -> Result<Playback, Mismatch> {
        let mut start = None;
        let mut after = Vec::new();
        let played = record::watch(record, spec, true, |game| match start {
            None => start = Some((game.setting(), game.frame())),
            Some(_) => after.push(game.frame()),
        })?;
        let (setting, start) = start.ok_or_else(|| Mismatch("nothing is to be seen of it".to_owned()))?;
        Ok(Playback { setting, start, after, played })
    }

    /// The turns that bots played: the steps of each, with the place of the first in the game, and the position after it.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (usize, &[Step], &Frame)> {
        let mut place = 0;
        self.played.steps.chunk_by(|one, next| one.turn == next.turn).zip(&self.after).map(move |(steps, frame)| {
            let first = place;
            place += steps.len();
            (first, steps, frame)
        })
    }
}

/// What the viewer gets of a game beside its [`Replay`]: its record with every prompt, and what there is to be drawn.
#[derive(Serialize)]
struct Content<'a> {
    #[serde(flatten)]
    record: Record,
    setting: &'a Setting,
    /// The position before the first question, and after every turn.
    frames: Vec<&'a Frame>,
}

/// Plays a recorded game again and packs it. `number` is its number where the record does not tell.
pub(crate) fn pack(number: u64, record: &Record, spec: &GameSpec, tags: &[Tag]) -> Result<Replay, String> {
    let playback = Playback::of(record, spec).map_err(|mismatch| mismatch.to_string())?;
    let json = content(record, &playback).map_err(|error| format!("it cannot be written as JSON: {error}"))?;
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
        reason: reason.to_string(),
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
    }
    serde_json::to_vec(&Content {
        record,
        setting: &playback.setting,
        frames: iter::once(&playback.start).chain(&playback.after).collect(),
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
    let spec = games.of(record).map_err(|mismatch| mismatch.to_string())?;
    pack(choice.number, record, &spec, &choice.tags)
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
