//! Games for the replay viewer: a game, played again from its record, as one JSON object that holds every position and
//! everything that was said.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use serde::Serialize;
use serde_json::value::RawValue;
use strum::Display;

use crate::play::{Played, Step};
use crate::record::{self, Mismatch, Record, RecordFault, Seed};
use crate::store::{self, StoreError, StoredGames};
use arena_games::{GameSpec, Games};

mod choose;

pub(crate) use choose::{Choice, Chooser, asked};

/// So many bytes of base64 are embedded in a page, unless something else is asked for.
pub(crate) const BUDGET: usize = 3_000_000;

/// No game that was not asked for takes more than this part of the budget.
const LARGEST_SHARE: usize = 4;

/// Why a game is shown.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
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
pub(crate) struct Film {
    /// What stays as it is, see [`arena_games::Game::setting`].
    pub(crate) setting: String,
    /// The position before the first question, and after every turn.
    pub(crate) frames: Vec<String>,
    /// The game, with every prompt in its steps.
    pub(crate) played: Played,
}

impl Film {
    /// Plays a recorded game again; `spec` is the game under its options.
    pub(crate) fn of(record: &Record, spec: &GameSpec) -> Result<Film, Mismatch> {
        let (mut setting, mut frames) = (String::new(), Vec::new());
        let played = record::watch(record, spec, true, |game| {
            if frames.is_empty() {
                game.setting(&mut setting);
            }
            let mut frame = String::new();
            game.frame(&mut frame);
            frames.push(frame);
        })?;
        Ok(Film { setting, frames, played })
    }

    /// The turns that bots played: the steps of each, with the place of the first in the game, and the position after it.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (usize, &[Step], &str)> {
        let mut place = 0;
        let after = self.frames.iter().skip(1).map(String::as_str);
        self.played.steps.chunk_by(|one, next| one.turn == next.turn).zip(after).map(move |(steps, frame)| {
            let first = place;
            place += steps.len();
            (first, steps, frame)
        })
    }
}

#[derive(Serialize)]
struct Content<'a> {
    number: u64,
    unit: Option<u64>,
    game: &'a str,
    seed: Seed,
    bots: &'a [String],
    scores: &'a [i32],
    places: &'a [usize],
    fates: &'a [String],
    reason: &'a str,
    opening: &'a [String],
    setting: &'a RawValue,
    start: &'a RawValue,
    turns: Vec<Exchange<'a>>,
    faults: &'a [RecordFault],
}

#[derive(Serialize)]
struct Exchange<'a> {
    turn: u32,
    moves: Vec<Move<'a>>,
    frame: &'a RawValue,
}

#[derive(Serialize)]
struct Move<'a> {
    seat: usize,
    input: &'a str,
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    ms: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    late: bool,
}

impl Move<'_> {
    fn of<'a>(record: &'a Record, place: usize, step: &'a Step) -> Move<'a> {
        // The record's own prompts come first: where the original lists actions in any order, those of the replay differ.
        let recorded = record.steps.get(place).and_then(|step| step.input.as_deref());
        Move {
            seat: step.seat,
            input: recorded.or(step.input.as_deref()).unwrap_or_default(),
            output: step.output.as_deref().ok(),
            fault: step.output.as_ref().err().map(ToString::to_string),
            ms: record.ms.get(place).copied(),
            late: record.host_late.contains(&place),
        }
    }
}

/// Plays a recorded game again and packs it. `number` is its number where the record does not tell.
pub(crate) fn pack(number: u64, record: &Record, spec: &GameSpec, tags: &[Tag]) -> Result<Replay, String> {
    let film = Film::of(record, spec).map_err(|mismatch| mismatch.to_string())?;
    let standings = &film.played.standings;
    let scores: Vec<i32> = standings.iter().map(|standing| standing.score).collect();
    let mut replay = Replay {
        number: record.number.unwrap_or(number),
        game: record.game.clone(),
        bots: (0..scores.len()).map(|seat| bot_name(record, seat)).collect(),
        places: scores.iter().map(|score| 1 + scores.iter().filter(|&other| other > score).count()).collect(),
        scores,
        fates: standings.iter().map(|standing| standing.fate.to_string()).collect(),
        reason: film.played.reason.to_string(),
        turns: film.played.turns,
        tags: tags.to_vec(),
        data: String::new(),
    };
    let json = content(record, &film, &replay).map_err(|error| format!("it cannot be written as JSON: {error}"))?;
    replay.data = STANDARD.encode(gzip(&json).map_err(|error| format!("it cannot be packed: {error}"))?);
    Ok(replay)
}

fn bot_name(record: &Record, seat: usize) -> String {
    record.bots.get(seat).cloned().unwrap_or_else(|| format!("seat {seat}"))
}

fn content(record: &Record, film: &Film, replay: &Replay) -> serde_json::Result<Vec<u8>> {
    let frame = |text| serde_json::from_str::<&RawValue>(text);
    let mut turns = Vec::new();
    for (first, steps, after) in film.turns() {
        let moves = (first..).zip(steps).map(|(place, step)| Move::of(record, place, step)).collect();
        turns.push(Exchange { turn: steps.first().map_or(0, |step| step.turn), moves, frame: frame(after)? });
    }
    serde_json::to_vec(&Content {
        number: replay.number,
        unit: record.unit,
        game: &replay.game,
        seed: record.seed,
        bots: &replay.bots,
        scores: &replay.scores,
        places: &replay.places,
        fates: &replay.fates,
        reason: &replay.reason,
        opening: &film.played.opening,
        setting: frame(&film.setting)?,
        start: frame(film.frames.first().map_or("null", String::as_str))?,
        turns,
        faults: &record.faults,
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
    let mut found: BTreeMap<u64, Record> = BTreeMap::new();
    for record in store::pick_records(records, &numbers)? {
        if let Some(number) = record.number {
            found.insert(number, record);
        }
    }
    let mut embedded = Embedded::default();
    let mut packed = Vec::new();
    let mut games = StoredGames::new(games);
    for choice in choices {
        match pack_choice(choice, found.get(&choice.number), &mut games) {
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
    let games: BTreeSet<String> = replays.iter().map(|replay| replay.game.clone()).collect();
    let mut free: BTreeMap<&str, usize> =
        games.iter().map(|game| (game.as_str(), budget / games.len().max(1))).collect();
    let (mut fitting, mut waiting, mut used) = (Vec::new(), Vec::new(), 0);
    for replay in replays {
        let size = replay.data.len();
        match free.get_mut(replay.game.as_str()) {
            Some(free) if size <= *free && size <= budget / LARGEST_SHARE => {
                *free -= size;
                used += size;
                fitting.push(replay);
            }
            _ => waiting.push(replay),
        }
    }
    let mut too_much = Vec::new();
    for replay in waiting {
        let size = replay.data.len();
        if size <= budget / LARGEST_SHARE && used + size <= budget {
            used += size;
            fitting.push(replay);
        } else {
            too_much.push(replay);
        }
    }
    (fitting, too_much)
}
