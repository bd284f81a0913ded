//! The games of a run as the page lists them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Tag, Tagged};
use crate::play::record::Record;
use crate::results::StoredGame;
use arena_games::{Fate, exact_scores};

/// The most games to list, the first of the run.
const MOST: usize = 20_000;

/// One game of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ListedGame {
    /// The number of the game in its run.
    pub(crate) number: u64,
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    pub(crate) game: String,
    /// Name of the map; null in a game without several maps.
    pub(crate) map: Option<String>,
    /// The names of the bots, by seat; empty if the record has no names.
    pub(crate) bots: Vec<String>,
    /// The final scores, by seat.
    #[serde(serialize_with = "exact_scores")]
    #[schemars(with = "Vec<Value>")]
    pub(crate) scores: Vec<i64>,
    /// Whether the lower score is the better one.
    #[serde(skip)]
    pub(crate) lower_is_better: bool,
    /// The places, by seat, from 1; equal scores share the better place: 1, 2, 2, 4.
    pub(crate) places: Vec<usize>,
    /// The fates, by seat.
    pub(crate) fates: Vec<Fate>,
    /// Why the game ended.
    pub(crate) reason: String,
    /// The number of turns, opening included.
    pub(crate) turns: u32,
}

/// One game in the list of a page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PageGame<'a> {
    #[serde(flatten)]
    pub(super) listed: &'a ListedGame,
    /// Why it is worth a look.
    pub(super) tags: Vec<Tag>,
}

impl ListedGame {
    /// The game of a record, with the name of its map.
    pub(crate) fn of(record: &Record, number: u64, map: Option<String>) -> ListedGame {
        let seats = 0..record.scores.len();
        let places = seats.clone().filter_map(|seat| record.place(seat));
        ListedGame {
            number,
            game: record.game.clone(),
            map,
            bots: record.bots.clone(),
            scores: record.scores.clone(),
            lower_is_better: record.lower_is_better,
            places: places.collect(),
            fates: seats.map(|seat| record.fate(seat)).collect(),
            reason: record.reason.clone(),
            turns: record.turns(),
        }
    }
}

/// The first games of a run, as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameList {
    games: Vec<ListedGame>,
    /// All games of the run.
    count: u64,
}

impl GameList {
    /// Adds a game, with the name of its map.
    pub(crate) fn add(&mut self, game: &StoredGame, map: Option<String>) {
        self.count += 1;
        if self.games.len() == MOST {
            return;
        }
        let listed = ListedGame::of(&game.record, game.result.number, map);
        self.games.push(listed);
    }

    /// The games of the list.
    pub(super) fn games(&self) -> &[ListedGame] {
        &self.games
    }

    /// The number of games beyond the end of the list.
    pub(super) fn unlisted(&self) -> u64 {
        self.count - self.games.len() as u64
    }

    /// The list, with the tags of games that were asked for or chosen.
    pub(super) fn tagged(&self, asked: &[u64], chosen: &[Tagged]) -> Vec<PageGame<'_>> {
        let mut tags: BTreeMap<u64, Vec<Tag>> = BTreeMap::new();
        for number in asked {
            tags.insert(*number, vec![Tag::Asked]);
        }
        for (number, tag) in chosen {
            tags.entry(*number).or_default().push(*tag);
        }
        let listed = self.games.iter();
        let tagged = listed.map(|listed| PageGame {
            tags: tags.remove(&listed.number).unwrap_or_default(),
            listed,
        });
        tagged.collect()
    }
}
