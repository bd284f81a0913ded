//! What an alpha-beta search remembers about positions, which are often reached in several ways.

use std::hash::Hash;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::search::INFINITE;

/// The most positions to know something about. They take some 60 bytes each.
const TABLE_LEN: usize = 1 << 20;

/// What is known about positions, told apart by `K`, in which one does an `A`.
#[derive(Clone, Debug)]
pub struct Table<K, A> {
    entries: FxHashMap<K, Entry<A>>,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug)]
struct Entry<A> {
    depth: u32,
    /// The lowest that the value can be.
    low: i32,
    /// The highest that the value can be.
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

    /// The value found by a search of this depth, if it is exact or lies outside of the window from alpha to beta.
    pub fn value(&self, key: &K, depth: u32, window: &Range<i32>) -> Option<i32> {
        let Entry { low, high, .. } =
            *self.entries.get(key).filter(|entry| entry.depth == depth)?;
        match (low >= window.end, high <= window.start || low == high) {
            (true, _) => Some(low),
            (false, true) => Some(high),
            (false, false) => None,
        }
    }

    /// The best action as of the last search.
    pub fn best(&self, key: &K) -> Option<A> {
        self.entries.get(key).map(|entry| entry.best)
    }

    /// Takes note of what a search in this window found.
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
