//! Which games of a run are worth a look.

use std::collections::{BTreeMap, BTreeSet};

use super::Tag;
use super::list::is_soon_over;
use crate::standings::Game;
use crate::store::GameRow;
use arena_games::Fate;

/// An upset is a win over a bot that is rated at least so much higher, in Elo.
const UPSET: f64 = 100.0;

/// The most games with each tag, the best reasons first.
const MOST: [(Tag, usize); 4] = [
    (Tag::Fault, 30),
    (Tag::Upset, 20),
    (Tag::Loss, 30),
    (Tag::Sample, 60),
];

/// So many things to see (a way in which a bot fails, a pairing, ..) are kept apart for each tag, the first by name, so that memory
/// stays bounded.
const KEYS: usize = 1000;
/// So many pairs of bots of which one was placed above the other, likewise.
const PAIRS: usize = 100_000;
/// So many upsets of a game are chosen from.
const UPSETS: usize = 6;

/// A game that is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Its number in the run.
    pub(crate) number: u64,
    /// Why it is shown, the best reason first.
    pub(crate) tags: Vec<Tag>,
}

/// Looks at the rows of a run, one by one, and chooses games to be shown: how each bot failed, wins over much higher
/// rated bots, every bot's worst loss, and one ordinary game of each pairing. The same rows give the same choice, in whatever order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chooser {
    /// What is to be seen under a tag: its game, and what keeps it apart there. The best games first.
    kept: BTreeMap<Tag, BTreeMap<(String, String), Vec<Candidate>>>,
    /// By game, and in it by the winner and one behind it, the numbers of the first games without a fault. Which are upsets is
    /// known at the end.
    won: BTreeMap<(String, String, String), Vec<u64>>,
}

/// How little a game is worth: whether its opening may have decided it, then by its kind.
type Worth = (bool, i64, u32);
/// The same with the number of the game.
type Candidate = (Worth, u64);

impl Chooser {
    /// Looks at one game, with so many plies of a random opening.
    pub(crate) fn add(&mut self, row: &GameRow, opening: usize) {
        let nothing = (false, 0, 0);
        for seat in row.seats.iter().filter(|seat| seat.fate != Fate::Ok) {
            self.keep(
                Tag::Fault,
                row,
                format!("{} {}", seat.fate, seat.bot),
                nothing,
                3,
            );
        }
        if row.seats.iter().any(|seat| seat.fate != Fate::Ok) {
            return;
        }
        for winner in row.seats.iter().filter(|seat| seat.place == 1) {
            for loser in row.seats.iter().filter(|seat| seat.place > 1) {
                let pair = (row.game.clone(), winner.bot.clone(), loser.bot.clone());
                keep_best(&mut self.won, pair, row.number, UPSETS, PAIRS);
            }
        }
        let last = row
            .seats
            .iter()
            .map(|seat| seat.place)
            .max()
            .filter(|place| *place > 1);
        for seat in row.seats.iter().filter(|seat| Some(seat.place) == last) {
            let worth = (
                is_soon_over(row.turns, opening),
                seat.score.into(),
                row.turns,
            );
            self.keep(Tag::Loss, row, seat.bot.clone(), worth, 1);
        }
        let mut bots: Vec<&str> = row.seats.iter().map(|seat| seat.bot.as_str()).collect();
        bots.sort_unstable();
        self.keep(Tag::Sample, row, bots.join("\n"), nothing, 1);
    }

    fn keep(&mut self, tag: Tag, row: &GameRow, what: String, value: Worth, most: usize) {
        keep_best(
            self.kept.entry(tag).or_default(),
            (row.game.clone(), what),
            (value, row.number),
            most,
            KEYS,
        );
    }

    /// The games in which a bot came first and another that is rated much higher did not, by these ratings: the largest
    /// differences of each game first.
    fn upsets(&self, games: &[Game]) -> BTreeMap<(String, String), Vec<Candidate>> {
        let mut ratings: BTreeMap<(&String, &String), f64> = BTreeMap::new();
        for game in games {
            for bot in &game.bots {
                ratings.extend(bot.elo.map(|elo| ((&game.game, &bot.name), elo)));
            }
        }
        let mut gaps: BTreeMap<(&str, u64), i64> = BTreeMap::new();
        for ((game, winner, loser), numbers) in &self.won {
            let [winner, loser] = [winner, loser].map(|bot| ratings.get(&(game, bot)));
            let (Some(winner), Some(loser)) = (winner, loser) else {
                continue;
            };
            let gap = loser - winner;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "Elo differences are far below 2^63"
            )]
            for &number in numbers.iter().filter(|_| gap >= UPSET) {
                let largest = gaps.entry((game, number)).or_default();
                *largest = (*largest).max(gap as i64);
            }
        }
        let mut upsets = BTreeMap::new();
        for ((game, number), gap) in gaps {
            keep_best(
                &mut upsets,
                (game.to_owned(), String::new()),
                ((false, -gap, 0), number),
                UPSETS,
                KEYS,
            );
        }
        upsets
    }

    /// The chosen games, those first that should be shown if there is room for a few only. One ordinary game of every
    /// game comes before all others.
    pub(crate) fn finish(&self, games: &[Game]) -> Vec<Choice> {
        let upsets = self.upsets(games);
        let mut chosen: Vec<(u64, Tag)> = self
            .first_of_each_game()
            .map(|number| (number, Tag::Sample))
            .collect();
        for (tag, most) in MOST {
            let lists = if tag == Tag::Upset {
                Some(&upsets)
            } else {
                self.kept.get(&tag)
            };
            chosen.extend(
                by_rank(lists)
                    .into_iter()
                    .take(most)
                    .map(|number| (number, tag)),
            );
        }
        let mut choices: Vec<Choice> = Vec::new();
        for (number, tag) in chosen {
            match choices.iter_mut().find(|choice| choice.number == number) {
                Some(choice) => choice.tags.push(tag),
                None => choices.push(Choice {
                    number,
                    tags: vec![tag],
                }),
            }
        }
        for choice in &mut choices {
            choice.tags.sort_unstable();
            choice.tags.dedup();
        }
        choices
    }

    fn first_of_each_game(&self) -> impl Iterator<Item = u64> {
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        for ((game, _), kept) in self.kept.get(&Tag::Sample).into_iter().flatten() {
            let numbers = kept
                .iter()
                .map(|(_, number)| *number)
                .chain(first.get(game.as_str()).copied());
            first.extend(numbers.min().map(|number| (game.as_str(), number)));
        }
        first.into_values()
    }
}

/// The games under a tag, each once: the best of everything to be seen, then the second best, and so on.
fn by_rank(lists: Option<&BTreeMap<(String, String), Vec<Candidate>>>) -> Vec<u64> {
    let lists = lists.into_iter().flat_map(BTreeMap::values);
    let mut ranked: Vec<(usize, u64)> = lists
        .flat_map(|list| (0..).zip(list.iter().map(|(_, number)| *number)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut seen = BTreeSet::new();
    ranked
        .into_iter()
        .map(|(_, number)| number)
        .filter(|number| seen.insert(*number))
        .collect()
}

/// Keeps `most` values of a key, the lowest, each once: a bot with two seats may have failed in both, and that is one game to see. Of
/// the keys so many are kept, the first: one that goes is never among them again, so that the order of the games decides nothing.
fn keep_best<K: Ord, V: Ord>(
    lists: &mut BTreeMap<K, Vec<V>>,
    key: K,
    value: V,
    most: usize,
    keys: usize,
) {
    let list = lists.entry(key).or_default();
    if let Err(place) = list.binary_search(&value) {
        list.insert(place, value);
        list.truncate(most);
    }
    if lists.len() > keys {
        lists.pop_last();
    }
}
