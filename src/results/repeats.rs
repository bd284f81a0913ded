//! How often games repeat others move for move. Memory doesn't grow with the games.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hash};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Compared;

/// The most different games to keep. Whenever there are more, only a random half of all possible
/// games is kept from then on (adaptive sampling: P. Flajolet 1990, after M. Wegman).
const MOST: usize = 1 << 15;
/// The largest error of an estimated number of different games, in standard errors.
const DEVIATIONS: f64 = 4.0;

/// The games so far, move for move. Up to [`MOST`] different games are all counted; of more, a
/// sample is. What is kept doesn't depend on the order of the games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    /// Everything that was added.
    all: u64,
    /// The repeats of digests that are kept.
    again: u64,
    /// How often each digest was repeated.
    kept: FxHashMap<u64, u64>,
    /// The number of zero bits at the end of each digest that is kept.
    level: u32,
}

impl Repeats {
    /// Counts games as a repeat if they were played before. Returns how many repeats these games
    /// stand for: 0 or 1, and more if only a sample is kept.
    pub(crate) fn add(&mut self, games: &[Compared]) -> u64 {
        match move_for_move(games) {
            Some(digest) => self.add_hash(digest),
            None => 0,
        }
    }

    fn add_hash(&mut self, hash: u64) -> u64 {
        self.all += 1;
        if hash.trailing_zeros() < self.level {
            return 0;
        }
        let known = self.kept.entry(hash);
        let repeats = *known.and_modify(|repeats| *repeats += 1).or_default();
        self.again += u64::from(repeats > 0);
        let stands_for = if repeats > 0 { 1 << self.level } else { 0 };
        while self.kept.len() > MOST {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|hash, _| hash.trailing_zeros() >= level);
            self.again = self.kept.values().sum();
        }
        stands_for
    }

    /// The number of repeats. It is exact up to [`MOST`] different games, and also if there are
    /// none. Otherwise the repeats in the sample give an estimate. One game may have more repeats
    /// than all others together, so the estimated number of different games, which doesn't depend
    /// on that, limits the result.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and a count"
    )]
    pub(crate) fn count(&self) -> u64 {
        let repeats = self.again;
        if self.level == 0 {
            return repeats;
        }
        let (all, share) = (self.all as f64, 2_f64.powi(-self.level.cast_signed()));
        let different = self.kept.len() as f64 / share;
        let margin = DEVIATIONS * different / (self.kept.len().max(1) as f64).sqrt();
        let [least, most] =
            [all - different - margin, all - different + margin].map(|count| count.clamp(0.0, all));
        (repeats as f64 / share).clamp(least, most).round() as u64
    }
}

/// A digest of games of bots with their moves, in any order; `None` if these say nothing. A bot
/// that fails the same way every time is evidence; two bots that play the same game again are not.
pub(super) fn move_for_move(games: &[Compared]) -> Option<u64> {
    let mut played = BTreeSet::new();
    for game in games {
        if !game.failed.is_empty() {
            return None;
        }
        played.insert(hash(&(&game.bots, game.moves?, game.seed)));
    }
    Some(hash(&played))
}

fn hash(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows: a number of games, the digest of each by its number, their repeats, and the tolerance.
    type Case<'a> = (u64, &'a dyn Fn(u64) -> u64, u64, u64);

    fn repeats(hashes: impl Iterator<Item = u64>) -> Repeats {
        let mut repeats = Repeats::default();
        for number in hashes {
            repeats.add_hash(hash(&number));
        }
        repeats
    }

    #[test]
    fn repeats_are_counted_exactly_or_by_a_sample_of_bounded_size() {
        const GAMES: u64 = 400_000;
        let often = |number| if number % 5 < 2 { 1 } else { number };
        let seldom = |number| if number % 100 == 2 { 1 } else { number };
        let cases: [Case<'_>; 7] = [
            (30_000, &|number| number, 0, 0),
            (30_000, &|number| number % 1000, 29_000, 0),
            (GAMES, &|number| number, 0, 0),
            (GAMES, &|number| number / 2, GAMES / 2, GAMES / 100),
            (GAMES, &|number| number % 100_000, 300_000, GAMES / 100),
            (GAMES, &often, 160_000, GAMES / 25),
            (GAMES, &seldom, 4_000, GAMES / 20),
        ];
        for (games, of, expected, error) in cases {
            let there = repeats((0..games).map(of));
            let found = there.count();
            assert!(
                found.abs_diff(expected) <= error,
                "{found} for {expected} of {games}"
            );
            assert!(there.kept.len() <= MOST);
            let back = repeats((0..games).rev().map(of));
            assert_eq!(
                (found, there.level),
                (back.count(), back.level),
                "whatever the order"
            );
        }
    }

    #[test]
    fn a_repeat_in_a_sample_stands_for_several() {
        let mut repeats = Repeats::default();
        let add = |number: u64| repeats.add_hash(hash(&(number / 2)));
        let sum: u64 = (0..400_000).map(add).sum();
        assert!(sum.abs_diff(200_000) < 10_000, "{sum}");
    }
}
