//! Games for the replay viewer: the list of a run's games, and each game as one JSON object with
//! every position and everything that was said. A game is played again from its record. If its
//! referee is an external program, the record itself holds what the referee showed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter};
use std::path::Path;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::play::foreign::with_names;
use crate::play::record::{self, Mismatch, Record};
use crate::play::{Played, Shown, Step};
use crate::store::{self, PickedLine, StoreError, StoredGames};
use arena_games::{Drawing, Fate, Frame, Games, Picture, Setting, Standing};
use arena_process::on_all_cores;

mod choose;
mod list;

pub(crate) use choose::{Chooser, Tagged};

pub(crate) use list::{GameList, ListedGame};

/// The bytes of base64 to embed in a page, unless something else is asked for.
pub(crate) const BUDGET: usize = 3_000_000;
/// The bytes to embed if all games are asked for.
pub(crate) const LARGE_BUDGET: usize = 20_000_000;

/// The level of gzip. A higher one takes twice the time to fit a third more games into a page.
const LEVEL: Compression = Compression::new(3);

/// About the least size of a game. No more records are read than could fit.
const LEAST_SIZE: usize = 1_500;
/// The most games without room to try before the others are given up.
const MOST_MISSED: usize = 8;
/// The games to read at the same time. The file is searched for each part.
const PART: usize = 256;
/// The games to pack at the same time. The last of them may be packed in vain.
const BATCH: usize = 32;

/// Why a game is worth a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tag {
    /// The user asked for it.
    Asked,
    /// A bot failed in it.
    Fault,
    /// A bot's worst loss: against the weakest rival.
    Loss,
    /// An ordinary game of a pairing.
    Sample,
}

/// Which games to embed in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// As many as fit into [`BUDGET`], those worth a look first.
    Fitting,
    /// As many as fit into [`LARGE_BUDGET`].
    All,
    /// These, whatever their size, and as many others as [`Selection::Fitting`].
    Numbers(Vec<u64>),
    /// None, for reports without a page.
    None,
}

/// The games of a page. All are listed, and as many as fit can be watched. In JSON it has what the
/// script of the page reads.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Embedded {
    /// The games that can be watched, by number: JSON, gzip, base64. `src/report/html/viewer.js`
    /// describes the JSON.
    pub(crate) data: BTreeMap<u64, String>,
    /// The number of the game to show first.
    pub(crate) first: Option<u64>,
    /// The first games of the run, in the order of its records, packed like `data`.
    pub(crate) list: String,
    /// The number of games in the list.
    #[serde(skip)]
    pub(crate) listed: usize,
    /// The number of games beyond its end.
    #[serde(skip)]
    pub(crate) unlisted: u64,
    /// The numbers of games that can't be shown, each with the reason as a sentence.
    #[serde(skip)]
    pub(crate) left_out: Vec<(u64, String)>,
}

/// A moment of a game, as the viewer shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Position {
    #[serde(flatten)]
    pub(crate) frame: Frame,
    /// The lines of an external referee about the turn before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// A recorded game with all its positions.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    /// Everything that never changes during the game.
    pub(crate) setting: Setting,
    /// The position before the first question, and after every turn.
    pub(crate) positions: Vec<Position>,
    /// The game. Its steps have their prompts, as far as these are known.
    pub(crate) played: Played,
}

impl Playback {
    /// Plays a recorded game again, or reads its positions if its referee is an external program.
    pub(crate) fn stored(record: &Record, games: &mut StoredGames<'_>) -> Result<Self, Mismatch> {
        let is_foreign = record.steps.iter().any(|step| step.hash.is_some());
        if is_foreign {
            return Ok(Playback {
                setting: Setting::None {},
                positions: positions(record),
                played: read_back(record)?,
            });
        }
        let (mut setting, mut positions) = (None, Vec::new());
        let played = record::watch(record, &*games.of(record)?, true, |game| {
            setting.get_or_insert_with(|| game.setting());
            positions.push(Position {
                frame: game.frame(),
                notes: Vec::new(),
            });
        })?;
        let setting = setting.ok_or_else(|| Mismatch("the game showed no position".to_owned()))?;
        Ok(Playback {
            setting,
            positions,
            played,
        })
    }

    /// The turns of the bots: the index of the first step, all steps, and the position after them.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (usize, &[Step], &Position)> {
        let mut place = 0;
        turns(&self.played.steps)
            .zip(&self.positions[1..])
            .map(move |(steps, position)| {
                let first = place;
                place += steps.len();
                (first, steps, position)
            })
    }
}

/// The steps of every turn. A referee that shows a position before a question begins a turn with
/// it.
fn turns(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunk_by(|one, next| one.turn == next.turn && next.frame().is_none())
}

/// The positions that an external referee showed: before the first turn and after every turn. If it
/// showed none, the previous position is repeated.
fn positions(record: &Record) -> Vec<Position> {
    let turns: Vec<&[Step]> = turns(&record.steps).collect();
    let mut drawing = Drawing::default();
    let mut positions = Vec::with_capacity(turns.len() + 1);
    for at in 0..=turns.len() {
        let next = turns.get(at).copied().unwrap_or_default();
        let (shown, turn) = match next.first() {
            Some(step) => (step.shown.as_deref(), step.turn),
            None => (Some(&record.shown), record.turns()),
        };
        if let Some(Shown {
            frame: Some(frame), ..
        }) = shown
        {
            drawing.clone_from(frame);
        }
        let said = match at {
            0 => &[],
            _ => &turns[at - 1][1..],
        };
        let is_end = next.is_empty();
        let scores = if is_end { &record.scores[..] } else { &[] };
        let frame = Frame {
            turn,
            due: next.iter().map(|step| step.player).collect(),
            scores: scores.to_vec(),
            reason: is_end.then(|| record.reason.clone()),
            picture: Picture::Drawing(drawing.clone()),
        };
        let notes = said
            .iter()
            .filter_map(|step| step.shown.as_deref())
            .chain(shown)
            .flat_map(|shown| &shown.notes)
            .map(|note| with_names(note, &record.bots))
            .collect();
        positions.push(Position { frame, notes });
    }
    positions
}

/// A game of an external referee, from its record.
fn read_back(record: &Record) -> Result<Played, Mismatch> {
    let mut steps = record.steps.clone();
    let seats = record.scores.len();
    for step in &mut steps {
        if step.player >= seats {
            return Err(Mismatch(format!(
                "in turn {} seat {} answers, but it has scores of {seats} seats",
                step.turn, step.player
            )));
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

/// A game for the viewer: its record with every prompt, and its positions.
#[derive(Serialize)]
struct Replay {
    #[serde(flatten)]
    record: Record,
    /// The places, by seat, as 1-2-2-4.
    places: Vec<usize>,
    /// The fates, by seat.
    fates: Vec<Fate>,
    /// The number of turns, opening included.
    turns: u32,
    setting: Setting,
    /// The number of steps of each turn.
    steps_by_turn: Vec<usize>,
    /// The position before the first question, and after every turn.
    frames: Vec<Position>,
}

/// A recorded game for the viewer.
fn replay(mut record: Record, games: &mut StoredGames<'_>) -> Result<Replay, Mismatch> {
    let playback = Playback::stored(&record, games)?;
    let played = playback.played;
    let steps_by_turn = turns(&played.steps).map(<[Step]>::len).collect();
    for (recorded, step) in record.steps.iter_mut().zip(played.steps) {
        // The prompts of the record come first: a replay may list actions in another order.
        recorded.input = recorded.input.take().or(step.input);
        recorded.fault = step.fault;
        // The positions have the drawings, and the viewer needs no digests.
        (recorded.shown, recorded.hash) = (None, None);
    }
    record.shown = Shown::default();
    let standings = &played.standings;
    Ok(Replay {
        places: (0..standings.len())
            .filter_map(|seat| record.place(seat))
            .collect(),
        fates: standings.iter().map(|standing| standing.fate).collect(),
        turns: played.turns,
        record,
        setting: playback.setting,
        steps_by_turn,
        frames: playback.positions,
    })
}

/// Packs data for a page: JSON, gzip, base64.
fn pack(data: &impl Serialize) -> io::Result<String> {
    // Without a time or name, the same text gives the same bytes.
    let packed = GzBuilder::new().mtime(0).write(Vec::new(), LEVEL);
    // JSON comes a few bytes at a time.
    let mut packed = BufWriter::with_capacity(1 << 15, packed);
    serde_json::to_writer(&mut packed, data)?;
    Ok(STANDARD.encode(packed.into_inner()?.finish()?))
}

/// Reads games from a file of records and packs as many as fit: those `asked` for, whatever their
/// size, then those `chosen`, then the others in the order of the list.
pub(crate) fn embed(
    records: &Path,
    (asked, chosen): (&Selection, &[Tagged]),
    list: &GameList,
    games: &Games,
) -> Result<Embedded, StoreError> {
    let mut embedded = Embedded {
        listed: list.games().len(),
        unlisted: list.unlisted(),
        ..Embedded::default()
    };
    let (numbers, budget) = match asked {
        Selection::None => return Ok(embedded),
        Selection::All => (&[][..], LARGE_BUDGET),
        Selection::Fitting => (&[][..], BUDGET),
        Selection::Numbers(numbers) => (&numbers[..], BUDGET),
    };
    embedded.list = pack(&list.tagged(numbers, chosen)).unwrap_or_default();
    let mut order: IndexSet<u64> = numbers.iter().copied().collect();
    order.extend(chosen.iter().map(|(number, _)| *number));
    order.extend(list.games().iter().map(|game| game.number));
    order.truncate(numbers.len() + budget / LEAST_SIZE);
    let order: Vec<u64> = order.into_iter().collect();
    let (asked, others) = order.split_at(numbers.len());
    let packer = Packer::new(records, list, games);
    let room = budget / packer.kinds().max(1);
    embedded.fill(asked, (asked.len(), usize::MAX), &packer)?;
    embedded.fill(others, (PART, room), &packer)?;
    Ok(embedded)
}

/// Packs games of a run for its page.
struct Packer<'a> {
    /// The file of records.
    records: &'a Path,
    /// The id of each listed game, by number.
    ids: FxHashMap<u64, &'a str>,
    games: &'a Games,
}

impl<'a> Packer<'a> {
    fn new(records: &'a Path, list: &'a GameList, games: &'a Games) -> Packer<'a> {
        let listed = list.games().iter();
        Packer {
            records,
            ids: listed.map(|it| (it.number, &*it.game)).collect(),
            games,
        }
    }

    /// The number of different games of the run.
    fn kinds(&self) -> usize {
        self.ids.values().collect::<BTreeSet<_>>().len()
    }

    /// Packs games on all cores. Returns the id and the data of each, or why it can't be shown.
    fn pack(
        &self,
        numbers: &[u64],
        lines: &BTreeMap<u64, PickedLine>,
    ) -> Vec<anyhow::Result<(String, String)>> {
        let stored = || StoredGames::new(self.games);
        on_all_cores(numbers, stored, |stored, number| {
            let line = lines.get(number).context("its record is missing")?;
            let record = line.parse(self.records)?;
            let id = record.game.clone();
            let data = pack(&replay(record, stored)?)?;
            Ok((id, data))
        })
    }
}

impl Embedded {
    /// Packs games in this order, and reads a `part` of them at the same time. Each id of a game
    /// gets at most `room` bytes.
    fn fill(
        &mut self,
        order: &[u64],
        (part, room): (usize, usize),
        packer: &Packer<'_>,
    ) -> Result<(), StoreError> {
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        for part in order.chunks(part.max(1)) {
            self.fill_part(part.to_vec(), room, &mut used, packer)?;
        }
        Ok(())
    }

    /// Packs a part of the games, given the bytes `used` so far by the id of a game.
    fn fill_part(
        &mut self,
        mut part: Vec<u64>,
        room: usize,
        used: &mut BTreeMap<String, usize>,
        packer: &Packer<'_>,
    ) -> Result<(), StoreError> {
        let has_room = |used: &BTreeMap<String, usize>, number: &u64| {
            let used = packer.ids.get(number).and_then(|id| used.get(*id));
            used.is_none_or(|used| *used < room)
        };
        part.retain(|number| has_room(used, number));
        let lines = store::pick_lines(packer.records, &part.iter().copied().collect())?;
        for batch in part.chunks(BATCH) {
            let mut batch = batch.to_vec();
            batch.retain(|number| has_room(used, number));
            if batch.is_empty() {
                continue;
            }
            for (number, packed) in batch.iter().zip(packer.pack(&batch, &lines)) {
                match packed {
                    Ok((id, data)) => {
                        let used = used.entry(id).or_default();
                        if *used + data.len() <= room {
                            *used += data.len();
                            self.first.get_or_insert(*number);
                            self.data.insert(*number, data);
                        } else {
                            *used += room / MOST_MISSED;
                        }
                    }
                    Err(why) => self.left_out.push((*number, why.to_string())),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
