//! How often games repeat others move for move, in memory that does not grow with the games.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::count::{CountedGame, hash};

/// So many different games are told apart. When there are more, a random half of those that are possible is kept from then on,
/// as often as that happens (adaptive sampling: P. Flajolet 1990, after M. Wegman).
const MOST: usize = 1 << 15;
/// An estimate of the number of different games is off by no more standard errors than this.
const DEVIATIONS: f64 = 4.0;

/// What was played before, move for move. Up to [`MOST`] different games all is counted; of more, a share of them is. What is kept is a
/// function of the games, whatever their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    /// Everything that may be a repeat.
    all: u64,
    /// By its hash, how often something was repeated.
    kept: FxHashMap<u64, u64>,
    /// So many bits at the end of each hash that is kept are zeros.
    level: u32,
}

impl Repeats {
    /// Counts these games as a repeat if they were played before. That a bot fails the same way every time is evidence; that
    /// two bots play the same game again is none.
    pub(crate) fn add(&mut self, games: &[CountedGame]) {
        if games.iter().all(|game| game.failed.is_empty()) {
            let moves: BTreeSet<u64> = games.iter().map(|game| game.moves).collect();
            self.add_hash(hash(&moves));
        }
    }

    fn add_hash(&mut self, hash: u64) {
        self.all += 1;
        if hash.trailing_zeros() < self.level {
            return;
        }
        self.kept
            .entry(hash)
            .and_modify(|repeats| *repeats += 1)
            .or_default();
        while self.kept.len() > MOST {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|hash, _| hash.trailing_zeros() >= level);
        }
    }

    /// How often something was repeated: exact up to [`MOST`] different games, and beyond that where none was. Otherwise it is
    /// estimated from the repeats of those that are kept. As one of them may have been repeated more often than all others
    /// together, the number of different games, which does not depend on that, sets limits to it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and a count"
    )]
    pub(crate) fn count(&self) -> u64 {
        let repeats: u64 = self.kept.values().sum();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// So many games, what each is by its number, their repeats, and how far the count may be off.
    type Case<'a> = (u64, &'a dyn Fn(u64) -> u64, u64, u64);

    fn repeats(hashes: impl Iterator<Item = u64>) -> Repeats {
        let mut repeats = Repeats::default();
        hashes.for_each(|number| repeats.add_hash(hash(&number)));
        repeats
    }

    #[test]
    fn repeats_are_counted_exactly_or_by_a_sample_of_bounded_size() {
        const GAMES: u64 = 400_000;
        let cases: [Case<'_>; 7] = [
            (30_000, &|number| number, 0, 0),
            (30_000, &|number| number % 1000, 29_000, 0),
            (GAMES, &|number| number, 0, 0),
            (GAMES, &|number| number / 2, GAMES / 2, GAMES / 100),
            (GAMES, &|number| number % 100_000, 300_000, GAMES / 100),
            (
                GAMES,
                &|number| if number % 5 < 2 { 1 } else { number },
                160_000,
                GAMES / 25,
            ),
            (
                GAMES,
                &|number| if number % 100 == 2 { 1 } else { number },
                4_000,
                GAMES / 20,
            ),
        ];
        for (games, of, expected, error) in cases {
            let counted = repeats((0..games).map(of));
            assert!(
                counted.count().abs_diff(expected) <= error,
                "{} for {expected} of {games}",
                counted.count()
            );
            assert!(counted.kept.len() <= MOST);
            let backwards = repeats((0..games).rev().map(of));
            assert_eq!(
                (counted.count(), counted.level),
                (backwards.count(), backwards.level),
                "whatever the order"
            );
        }
    }
}
