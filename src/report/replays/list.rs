//! The games of a run as the page lists them.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::Serialize;

use super::{Choice, Tag};
use crate::play::record::Record;
use crate::store::GameRow;

/// So many games are listed, the first of the run: a page can hold them, and so can memory.
const MOST: usize = 20_000;
/// So many games wait for the one that is compared with them: units end close together.
const WAITING: usize = 1_000;
/// A game was over soon after a random opening if it had no more turns of the bots.
const SOON: usize = 8;

/// One game in the list of a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Listed {
    /// The number of the game in its run.
    pub(crate) number: u64,
    /// The id of the game.
    pub(crate) game: String,
    /// The name of its map, where the game has maps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) map: Option<String>,
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
    /// The first turn in which it differs from the game of the same unit with the seats swapped; 0 where none does, and `None`
    /// where there is no such game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) differs: Option<u32>,
    /// Why it is worth a look.
    pub(crate) tags: Vec<Tag>,
}

/// The turn of every answer, and what tells the answer from others.
type Moves = Vec<(u32, u64)>;

/// The first games of a run, as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameList {
    games: Vec<Listed>,
    /// All games of the run.
    count: u64,
    /// By game and unit, the place of the first of two games with seats swapped, and its moves.
    waiting: FxHashMap<(String, u64), (usize, Moves)>,
}

/// Whether a game of so many turns was over soon after an opening of so many plies.
pub(super) fn is_soon_over(turns: u32, opening: usize) -> bool {
    opening > 0 && turns as usize <= opening + SOON
}

impl GameList {
    /// Takes a game that was played on a map of this name.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record, map: Option<String>) {
        self.count += 1;
        if self.games.len() == MOST {
            return;
        }
        let differs = self.compared(row, record);
        let is_short = is_soon_over(row.turns, record.options.opening.len());
        self.games.push(Listed {
            number: row.number,
            game: row.game.clone(),
            map,
            bots: row.seats.iter().map(|seat| seat.bot.clone()).collect(),
            scores: row.seats.iter().map(|seat| seat.score).collect(),
            places: row.seats.iter().map(|seat| seat.place).collect(),
            fates: row.seats.iter().map(|seat| seat.fate.to_string()).collect(),
            reason: row.reason.clone(),
            turns: row.turns,
            differs,
            tags: is_short.then_some(Tag::Opening).into_iter().collect(),
        });
    }

    /// Compares a game with the other one of its unit, if that is there, and tells that one.
    fn compared(&mut self, row: &GameRow, record: &Record) -> Option<u32> {
        if row.seats.len() != 2 {
            return None;
        }
        let moves = moves(record);
        let key = (row.game.clone(), row.unit);
        if let Some((other, its)) = self.waiting.remove(&key) {
            let differs = first_difference(&its, &moves);
            self.games[other].differs = Some(differs);
            return Some(differs);
        }
        if self.waiting.len() < WAITING {
            self.waiting.insert(key, (self.games.len(), moves));
        }
        None
    }

    /// How many games are not listed.
    pub(super) fn unlisted(&self) -> u64 {
        self.count - self.games.len() as u64
    }

    /// The list, with what is said of games that were asked for or chosen.
    pub(super) fn tagged(&self, asked: &[u64], chosen: &[Choice]) -> Vec<Listed> {
        let mut tags: BTreeMap<u64, Vec<Tag>> = asked
            .iter()
            .map(|&number| (number, vec![Tag::Asked]))
            .collect();
        for choice in chosen {
            tags.entry(choice.number).or_default().extend(&choice.tags);
        }
        let mut listed = self.games.clone();
        for game in &mut listed {
            game.tags
                .extend(tags.remove(&game.number).unwrap_or_default());
            game.tags.sort_unstable();
        }
        listed
    }
}

fn moves(record: &Record) -> Moves {
    record
        .steps
        .iter()
        .map(|step| (step.turn, FxBuildHasher.hash_one(&step.output)))
        .collect()
}

/// The first turn in which two games differ; 0 where they are alike.
fn first_difference(one: &Moves, other: &Moves) -> u32 {
    let length = one.len().max(other.len());
    let differs = (0..length).find(|&at| one.get(at) != other.get(at));
    differs
        .and_then(|at| one.get(at).or(other.get(at)))
        .map_or(0, |(turn, _)| *turn)
}
