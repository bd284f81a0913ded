//! The transposition table of an alpha-beta search.

use std::hash::Hash;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::search::INFINITE;

/// The maximum number of positions. Each takes about 60 bytes.
const TABLE_LEN: usize = 1 << 20;

/// A transposition table with the keys `K` and the best actions `A`.
#[derive(Clone, Debug)]
pub struct Table<K, A> {
    entries: FxHashMap<K, Entry<A>>,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug)]
struct Entry<A> {
    depth: u32,
    /// The lower bound of the value.
    low: i32,
    /// The upper bound of the value.
    high: i32,
    best: A,
}

impl<K, A> Default for Table<K, A> {
    fn default() -> Table<K, A> {
        Table {
            entries: FxHashMap::default(),
        }
    }
}

impl<K: Eq + Hash, A: Copy> Table<K, A> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Returns the value from a search of this depth, if it is exact or outside the window from
    /// alpha to beta.
    pub fn value(&self, key: &K, depth: u32, window: &Range<i32>) -> Option<i32> {
        let Entry { low, high, .. } =
            *self.entries.get(key).filter(|entry| entry.depth == depth)?;
        match (low >= window.end, high <= window.start || low == high) {
            (true, _) => Some(low),
            (false, true) => Some(high),
            (false, false) => None,
        }
    }

    /// Returns the best action of the last search.
    pub fn best(&self, key: &K) -> Option<A> {
        self.entries.get(key).map(|entry| entry.best)
    }

    /// Stores the result of a search in this window.
    pub fn store(&mut self, key: K, depth: u32, window: &Range<i32>, value: i32, best: A) {
        if self.entries.len() < TABLE_LEN {
            let low = if value > window.start {
                value
            } else {
                -INFINITE
            };
            let high = if value < window.end { value } else { INFINITE };
            self.entries.insert(
                key,
                Entry {
                    depth,
                    low,
                    high,
                    best,
                },
            );
        }
    }
}
