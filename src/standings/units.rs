//! Games of units that aren't complete yet.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The games of incomplete units, by unit.
#[derive(Clone, Debug)]
pub(crate) struct Units<G, K = u64>(FxHashMap<K, Vec<G>>);

impl<G, K> Default for Units<G, K> {
    fn default() -> Units<G, K> {
        Units(FxHashMap::default())
    }
}

impl<G, K: Copy + Eq + Hash> Units<G, K> {
    /// Adds a game. Returns all games of its unit once the unit is complete.
    pub(crate) fn add(
        &mut self,
        unit: K,
        game: G,
        games_per_unit: impl Into<u64>,
    ) -> Option<Vec<G>> {
        let games = self.0.entry(unit).or_default();
        games.push(game);
        if (games.len() as u64) < games_per_unit.into() {
            return None;
        }
        self.0.remove(&unit)
    }

    /// The games of a unit so far.
    pub(crate) fn games(&self, unit: &K) -> &[G] {
        self.0.get(unit).map_or(&[], Vec::as_slice)
    }

    /// The number of incomplete units.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes all incomplete units, in no particular order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (K, Vec<G>)> {
        self.0.drain()
    }
}
