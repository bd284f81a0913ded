//! Games that several files of results have: copies, or games played again on the same seeds.
//!
//! This is decided for each pair of files, never for each game. If only games that agree were left
//! out, agreements would count once and disagreements twice, and ratings of bots that are random
//! would be too close to each other.

use std::collections::BTreeMap;

/// The games of all files in short, to find those on the same seed with the same bots in the same
/// seats.
#[derive(Debug, Default)]
pub(super) struct Copies {
    games: Vec<Mark>,
    /// Whether the unit of each game is complete in its file.
    in_units: Vec<bool>,
    /// The place of the first game of each file.
    starts: Vec<usize>,
}

/// A game in short. There may be millions.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// A digest of seed and seats.
    key: u64,
    /// The place among the games of all files.
    place: usize,
    /// A digest of result and turns.
    result: u32,
    /// A digest of the programs, or 0 if they aren't known.
    programs: u32,
}

/// What two files share. Both are the same if a file has games twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shared {
    /// The number of the file whose games count.
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// Games with the same seed and seats in both files, if the second one has copies.
    pub(crate) games: u64,
    /// Those with the same result and turns.
    pub(crate) agree: u64,
    /// Games of the second file that were left out.
    pub(crate) left_out: u64,
    /// Games that count in both files.
    pub(crate) again: u64,
}

impl Shared {
    /// Whether the second file has copies of games of the first, or the games of deterministic bots
    /// that played them again. Copies differ in a few games only, which were replayed. Of bots
    /// with randomness, so many games agree by chance only if one of them wins 19 games in 20 and
    /// all games have the same number of turns.
    fn is_copy(&self) -> bool {
        self.agree * 10 >= self.games * 9
    }
}

impl Mark {
    /// Whether both may be the same game. Unknown programs may be any.
    fn is_shared(&self, other: &Mark) -> bool {
        self.programs == other.programs || self.programs == 0 || other.programs == 0
    }
}

impl Copies {
    /// Says that the next games are those of another file.
    pub(super) fn begin_file(&mut self) {
        self.starts.push(self.games.len());
    }

    /// Adds a game of the last file. Returns its place among all games.
    pub(super) fn add(&mut self, key: u64, result: u32, programs: u32) -> usize {
        let place = self.games.len();
        self.games.push(Mark {
            key,
            place,
            result,
            programs,
        });
        self.in_units.push(false);
        place
    }

    /// Says that the games at these places are a complete unit.
    pub(super) fn complete(&mut self, unit: impl Iterator<Item = usize>) {
        for place in unit {
            self.in_units[place] = true;
        }
    }

    /// Returns whether each game is left out, and what the files share. `order` has the numbers of
    /// the files; the first ones keep their games. A game of a complete unit comes before one that
    /// lacks the rest of its unit.
    pub(super) fn find(mut self, order: &[usize]) -> (Vec<bool>, Vec<Shared>) {
        let mut ranks = vec![0; order.len()];
        for (rank, &file) in order.iter().enumerate() {
            ranks[file] = rank;
        }
        let starts = &self.starts;
        let rank = |mark: &Mark| ranks[starts.partition_point(|&start| start <= mark.place) - 1];
        let turn = |mark: &Mark| (!self.in_units[mark.place], rank(mark), mark.place);
        self.games.sort_unstable_by(|one, other| {
            let keys = one.key.cmp(&other.key);
            keys.then_with(|| turn(one).cmp(&turn(other)))
        });
        let mut pairs: BTreeMap<[Side; 2], Shared> = BTreeMap::new();
        each_shared(&self.games, rank, |later, earlier| {
            for game in earlier {
                let shared = pairs.entry(sides(game, later)).or_default();
                shared.games += 1;
                shared.agree += u64::from(game.mark.result == later.mark.result);
            }
        });
        let mut left_out = vec![false; self.games.len()];
        each_shared(&self.games, rank, |later, earlier| {
            let mut pairs_with = earlier.iter().map(|game| sides(game, later));
            if let Some(copied) = pairs_with.find(|sides| pairs[sides].is_copy()) {
                left_out[later.mark.place] = true;
                pairs.entry(copied).or_default().left_out += 1;
                return;
            }
            for game in earlier.iter().filter(|game| !left_out[game.mark.place]) {
                pairs.entry(sides(game, later)).or_default().again += 1;
            }
        });
        (left_out, by_file(pairs, order))
    }
}

/// A file by its rank, and which of its games with the same key: the first, the second and so on.
/// A file may be several runs on the same seeds, one after the other.
type Side = (usize, usize);

/// The most games with the same key in a file that all others are compared with. The next ones are
/// compared with those at the same place in other files, so the work for a game is bounded by the
/// number of files.
const MOST_SIDES: usize = 8;

/// A game that other games share a key with.
#[derive(Clone, Copy, Debug)]
struct Found {
    mark: Mark,
    side: Side,
}

fn sides(one: &Found, other: &Found) -> [Side; 2] {
    let mut sides = [one.side, other.side];
    sides.sort_unstable();
    sides
}

/// Calls `found` for each game that shares a key with games before it, with these games.
fn each_shared(
    sorted: &[Mark],
    rank: impl Fn(&Mark) -> usize,
    mut found: impl FnMut(&Found, &[Found]),
) {
    let mut shared: Vec<Found> = Vec::new();
    let groups = sorted.chunk_by(|one, other| one.key == other.key);
    for group in groups.filter(|group| group.len() > 1) {
        let mut files: BTreeMap<usize, Vec<Found>> = BTreeMap::new();
        for mark in group {
            let rank = rank(mark);
            let number = files.get(&rank).map_or(0, Vec::len);
            let game = Found {
                mark: *mark,
                side: (rank, number.min(MOST_SIDES)),
            };
            shared.clear();
            for games in files.values() {
                let first = games.iter().take(MOST_SIDES);
                let same_place = games.get(number).filter(|_| number >= MOST_SIDES);
                let earlier = first.chain(same_place).copied();
                shared.extend(earlier.filter(|game| game.mark.is_shared(mark)));
            }
            if !shared.is_empty() {
                found(&game, &shared);
            }
            files.entry(rank).or_default().push(game);
        }
    }
}

/// Adds up what every two files share.
fn by_file(pairs: BTreeMap<[Side; 2], Shared>, order: &[usize]) -> Vec<Shared> {
    let mut files: BTreeMap<[usize; 2], Shared> = BTreeMap::new();
    for ([(first, _), (second, _)], shared) in pairs {
        let sum = files.entry([first, second]).or_default();
        (sum.first, sum.second) = (order[first], order[second]);
        sum.left_out += shared.left_out;
        sum.again += shared.again;
        if shared.left_out > 0 {
            sum.games += shared.games;
            sum.agree += shared.agree;
        }
    }
    files.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_takes_24_bytes() {
        assert_eq!(size_of::<Mark>(), 24);
    }

    /// All games of a file that another program wrote may have the same seed.
    #[test]
    fn games_of_one_seed_are_compared_with_few_others() {
        let mut copies = Copies::default();
        for _ in 0..2 {
            copies.begin_file();
            for game in 0..10_000 {
                copies.add(1, game, 0);
            }
        }
        let mut most = 0;
        let rank = |mark: &Mark| mark.place / 10_000;
        each_shared(&copies.games, rank, |_, earlier| {
            most = most.max(earlier.len());
        });
        assert_eq!(most, 2 * MOST_SIDES + 1);
        let (left_out, _) = copies.find(&[0, 1]);
        let count = left_out.iter().filter(|&&is_out| is_out).count();
        assert!(count == 10_000 && left_out[10_000..].iter().all(|&is_out| is_out));
    }
}
