//! Which games of a run are worth a look.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Tag;
use crate::store::{GameRow, SeatRow};
use crate::summary::GameSummary;
use arena_games::Fate;

/// An upset is a win over a bot that is rated at least so much higher, in Elo.
const UPSET: f64 = 100.0;

/// The most games with each tag, the best reasons first.
const MOST: [(Tag, usize); 4] = [(Tag::Fault, 30), (Tag::Upset, 20), (Tag::Loss, 30), (Tag::Sample, 60)];

/// So many things to see (a way in which a bot fails, a pairing, ..) are kept apart for each tag. What comes after them is
/// not looked at, so that memory stays bounded.
const KEYS: usize = 1000;

/// A game that is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Its number in the run.
    pub(crate) number: u64,
    /// Why it is shown, the best reason first.
    pub(crate) tags: Vec<Tag>,
}

/// Games that somebody asked for, each once.
pub(crate) fn asked(numbers: &[u64]) -> Vec<Choice> {
    let numbers: BTreeSet<u64> = numbers.iter().copied().collect();
    numbers.into_iter().map(|number| Choice { number, tags: vec![Tag::Asked] }).collect()
}

/// Looks at the rows of a run, one by one, and chooses games to be shown: how each bot failed, wins over much higher
/// rated bots, every bot's worst loss, and one ordinary game of each pairing. The same rows give the same choice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chooser {
    ratings: HashMap<String, HashMap<String, f64>>,
    /// What is to be seen under a tag: its game, and what keeps it apart there. The best games first.
    kept: BTreeMap<Tag, BTreeMap<(String, String), Vec<Candidate>>>,
}

/// How little a game is worth, and its number.
type Candidate = ((i64, u32), u64);

impl Chooser {
    /// Nothing chosen yet. The ratings of the bots tell which results are upsets.
    pub(crate) fn new(games: &[GameSummary]) -> Chooser {
        let ratings = |game: &GameSummary| {
            let rated = game.bots.iter().filter_map(|bot| Some((bot.name.clone(), bot.elo?)));
            (game.game.clone(), rated.collect())
        };
        Chooser { ratings: games.iter().map(ratings).collect(), ..Chooser::default() }
    }

    /// Looks at one game.
    pub(crate) fn add(&mut self, row: &GameRow) {
        for seat in row.seats.iter().filter(|seat| seat.fate != Fate::Ok) {
            self.keep(Tag::Fault, row, format!("{} {}", seat.fate, seat.bot), (0, 0), 3);
        }
        if row.seats.iter().any(|seat| seat.fate != Fate::Ok) {
            return;
        }
        if let Some(gap) = self.upset(row) {
            self.keep(Tag::Upset, row, String::new(), (-gap, 0), 6);
        }
        let last = row.seats.iter().map(|seat| seat.place).max().filter(|place| *place > 1);
        for seat in row.seats.iter().filter(|seat| Some(seat.place) == last) {
            self.keep(Tag::Loss, row, seat.bot.clone(), (seat.score.into(), row.turns), 1);
        }
        let mut bots: Vec<&str> = row.seats.iter().map(|seat| seat.bot.as_str()).collect();
        bots.sort_unstable();
        self.keep(Tag::Sample, row, bots.join("\n"), (0, 0), 1);
    }

    fn keep(&mut self, tag: Tag, row: &GameRow, what: String, value: (i64, u32), most: usize) {
        let things = self.kept.entry(tag).or_default();
        let key = (row.game.clone(), what);
        if things.len() == KEYS && !things.contains_key(&key) {
            return;
        }
        let kept = things.entry(key).or_default();
        // A bot with two seats may have failed in both; that is one game to see.
        if let Err(place) = kept.binary_search(&(value, row.number)) {
            kept.insert(place, (value, row.number));
            kept.truncate(most);
        }
    }

    /// How much higher than the winner, in Elo, the best of those behind it is rated, if that makes an upset.
    fn upset(&self, row: &GameRow) -> Option<i64> {
        let ratings = self.ratings.get(&row.game)?;
        let elo = |seat: &SeatRow| ratings.get(&seat.bot).copied();
        let winner = row.seats.iter().filter(|seat| seat.place == 1).filter_map(elo).min_by(f64::total_cmp)?;
        let best = row.seats.iter().filter(|seat| seat.place > 1).filter_map(elo).max_by(f64::total_cmp)?;
        #[expect(clippy::cast_possible_truncation, reason = "Elo differences are far below 2^63")]
        (best - winner >= UPSET).then_some((best - winner) as i64)
    }

    /// The chosen games, those first that should be shown if there is room for a few only. One ordinary game of every
    /// game comes before all others.
    pub(crate) fn finish(self) -> Vec<Choice> {
        let mut chosen: Vec<(u64, Tag)> = self.first_of_each_game().map(|number| (number, Tag::Sample)).collect();
        for (tag, most) in MOST {
            chosen.extend(self.by_rank(tag).into_iter().take(most).map(|number| (number, tag)));
        }
        let mut choices: Vec<Choice> = Vec::new();
        for (number, tag) in chosen {
            match choices.iter_mut().find(|choice| choice.number == number) {
                Some(choice) => choice.tags.push(tag),
                None => choices.push(Choice { number, tags: vec![tag] }),
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
            let numbers = kept.iter().map(|(_, number)| *number).chain(first.get(game.as_str()).copied());
            first.extend(numbers.min().map(|number| (game.as_str(), number)));
        }
        first.into_values()
    }

    /// The games with a tag, each once: the best of everything to be seen, then the second best, and so on.
    fn by_rank(&self, tag: Tag) -> Vec<u64> {
        let lists = self.kept.get(&tag).into_iter().flat_map(BTreeMap::values);
        let mut ranked: Vec<(usize, u64)> =
            lists.flat_map(|list| (0..).zip(list.iter().map(|(_, number)| *number))).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut seen = HashSet::new();
        ranked.into_iter().map(|(_, number)| number).filter(|number| seen.insert(*number)).collect()
    }
}
