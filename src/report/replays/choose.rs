//! The games of a run that are worth a look.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Tag;
use crate::results::{GameResult, StoredGame};
use crate::standings::Game;
use arena_games::Fate;

/// The most games for each tag.
const MOST: usize = 40;
/// The most kinds of games to keep, the first by name, so that memory stays bounded.
const TOPICS: usize = 3000;

/// A game to show first, by number, and the reason.
pub(crate) type Tagged = (u64, Tag);

/// A tag, the game, and the failed bot with its fault, the loser and winner, or the players.
type GameKey = (Tag, String, Vec<String>);

/// Chooses games of a run: one of each fault of every bot, every bot's worst loss, and an ordinary
/// game of each pairing. The order of the games doesn't matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chooser {
    /// The best game of each kind: its score for the loser, its turns and its number.
    best: BTreeMap<GameKey, ((i128, u32), u64)>,
}

impl Chooser {
    /// Looks at one game.
    pub(crate) fn add(&mut self, StoredGame { result, record }: &StoredGame) {
        let mut has_failed = false;
        for seat in result.seats.iter().filter(|seat| seat.fate != Fate::Ok) {
            has_failed = true;
            let who = vec![seat.fate.to_string(), seat.bot.clone()];
            self.keep(Tag::Fault, result, who, (0, 0));
        }
        if has_failed {
            return;
        }
        let last = result.seats.iter().map(|seat| seat.place).max();
        for (at, (seat, value)) in result.seats.iter().zip(result.values()).enumerate() {
            let mut steps = record.steps.iter();
            // A bot that never answered shows nothing.
            if Some(seat.place) != last || !steps.any(|step| step.player == at) {
                continue;
            }
            for rival in result.seats.iter().filter(|rival| rival.place < seat.place) {
                let who = vec![seat.bot.clone(), rival.bot.clone()];
                self.keep(Tag::Loss, result, who, (value, result.turns));
            }
        }
        let mut bots: Vec<String> = result.seats.iter().map(|seat| seat.bot.clone()).collect();
        bots.sort_unstable();
        self.keep(Tag::Sample, result, bots, (0, 0));
    }

    /// Keeps the game of a kind with the lowest values, then the first. A kind that is dropped
    /// never returns, so the order of the games doesn't matter.
    fn keep(&mut self, tag: Tag, result: &GameResult, who: Vec<String>, values: (i128, u32)) {
        let game = (values, result.number);
        let best = self.best.entry((tag, result.game.clone(), who));
        let best = best.or_insert(game);
        *best = game.min(*best);
        if self.best.len() > TOPICS {
            self.best.pop_last();
        }
    }

    /// The chosen games: faults first, then each bot's loss against the weakest rival in the
    /// `standings`, the greatest surprise first, and ordinary games last.
    pub(crate) fn chosen(&self, standings: &[Game]) -> Vec<Tagged> {
        let mut best: Vec<_> = self.best.iter().collect();
        best.sort_by_cached_key(|((tag, game, who), _)| {
            let mut rival = None;
            for own in standings {
                if *tag == Tag::Loss && own.game == *game {
                    rival = own.bots.iter().position(|bot| bot.name == who[1]);
                }
            }
            (*tag, Reverse(rival))
        });
        let mut losers = BTreeSet::new();
        let mut counts: BTreeMap<Tag, usize> = BTreeMap::new();
        let mut chosen = Vec::new();
        for ((tag, game, who), (_, number)) in best {
            if *tag == Tag::Loss && !losers.insert((game, &who[0])) {
                continue;
            }
            let count = counts.entry(*tag).or_default();
            *count += 1;
            if *count <= MOST {
                chosen.push((*number, *tag));
            }
        }
        chosen
    }
}
