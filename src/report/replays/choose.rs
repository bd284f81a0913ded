//! The games of a run that are worth a look.

use std::collections::BTreeMap;

use super::Tag;
use crate::results::GameResult;
use arena_games::Fate;

/// The most games for each tag.
const MOST: usize = 40;
/// The most kinds of games to keep, the first by name, so that memory stays bounded.
const TOPICS: usize = 3000;

/// A game to show first, by number, and the reason.
pub(crate) type Tagged = (u64, Tag);

/// A tag, the game, and who failed how, who lost, or who met.
type GameKey = (Tag, String, String);

/// Chooses games from the rows of a run: one of each fault of every bot, every bot's worst loss,
/// and an ordinary game of each pairing. The order of the rows doesn't matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chooser {
    /// The best game of each kind: its score for the loser, its turns and its number.
    best: BTreeMap<GameKey, (i128, u32, u64)>,
}

impl Chooser {
    /// Looks at one game.
    pub(crate) fn add(&mut self, result: &GameResult) {
        let mut has_failed = false;
        for seat in result.seats.iter().filter(|seat| seat.fate != Fate::Ok) {
            has_failed = true;
            self.keep(
                Tag::Fault,
                result,
                format!("{} {}", seat.fate, seat.bot),
                (0, 0),
            );
        }
        if has_failed {
            return;
        }
        let last = result.seats.iter().map(|seat| seat.place).max();
        for (seat, value) in result.seats.iter().zip(result.values()) {
            if seat.place > 1 && Some(seat.place) == last {
                self.keep(Tag::Loss, result, seat.bot.clone(), (value, result.turns));
            }
        }
        let mut bots: Vec<&str> = result.seats.iter().map(|seat| seat.bot.as_str()).collect();
        bots.sort_unstable();
        self.keep(Tag::Sample, result, bots.join("\n"), (0, 0));
    }

    /// Keeps the game of a kind with the lowest values, then the first. A kind that is dropped
    /// never returns, so the order of the rows doesn't matter.
    fn keep(&mut self, tag: Tag, result: &GameResult, what: String, (score, turns): (i128, u32)) {
        let game = (score, turns, result.number);
        let best = self
            .best
            .entry((tag, result.game.clone(), what))
            .or_insert(game);
        *best = game.min(*best);
        if self.best.len() > TOPICS {
            self.best.pop_last();
        }
    }

    /// The chosen games, faults first and ordinary games last.
    pub(crate) fn chosen(&self) -> Vec<Tagged> {
        let mut counts: BTreeMap<Tag, usize> = BTreeMap::new();
        let mut chosen = Vec::new();
        for ((tag, ..), (.., number)) in &self.best {
            let count = counts.entry(*tag).or_default();
            *count += 1;
            if *count <= MOST {
                chosen.push((*number, *tag));
            }
        }
        chosen
    }
}
