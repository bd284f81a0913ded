//! Seating: how the bots of a group fill the seats in the games of a unit.

use super::{BotId, index};

/// For each unit of a cycle, the games of the unit, and for each seat the place of its bot in the
/// group.
#[derive(Clone, Debug)]
pub(super) struct Seating(Vec<Vec<Vec<usize>>>);

impl Seating {
    /// Makes the seating for as many bots as seats. They rotate through the seats, in one order
    /// after the other.
    pub(super) fn rotations(seats: usize) -> Seating {
        let mut units = Vec::new();
        for order in orders(seats) {
            let rotated = (0..seats).map(|by| [&order[by..], &order[..by]].concat());
            units.push(rotated.collect());
        }
        Seating(units)
    }

    /// Makes the seating for two bots, which share the seats and swap them. An odd seat goes to
    /// either bot.
    pub(super) fn mirror(seats: usize) -> Seating {
        let mut units = Vec::new();
        for division in divisions(seats) {
            let swapped = division.iter().map(|side| 1 - side).collect();
            units.push(vec![division, swapped]);
        }
        Seating(units)
    }

    /// Makes the seating of games of one seat, one for each bot.
    pub(super) fn alone(bots: usize) -> Seating {
        Seating(vec![(0..bots).map(|place| vec![place]).collect()])
    }

    /// Makes the seating of single games whose bots have their seats from elsewhere.
    pub(super) fn elsewhere() -> Seating {
        Seating(vec![vec![Vec::new()]])
    }

    /// Returns the games of a unit.
    pub(super) fn games(&self) -> u64 {
        self.0[0].len() as u64
    }

    /// Returns the unit of a game and the place of the game in it, both from 0.
    pub(super) fn split(&self, game: u64) -> (u64, usize) {
        (game / self.games(), index(game % self.games()))
    }

    /// Returns the bots by seat in game `within` of a unit.
    pub(super) fn seats_of(&self, group: &[BotId], unit: u64, within: usize) -> Vec<BotId> {
        let unit = index(unit % self.0.len() as u64);
        self.0[unit][within]
            .iter()
            .map(|&place| group[place])
            .collect()
    }
}

/// Returns the orders of as many bots as seats, 2 to 8, around the circle of seats. Over all
/// orders, every bot follows every other at each distance equally often; over the first few about
/// equally often.
fn orders(seats: usize) -> Vec<Vec<usize>> {
    // A step of any length visits all of a prime number of places.
    if matches!(seats, 2 | 3 | 5 | 7) {
        return (1..seats)
            .map(|step| (0..seats).map(|seat| step * seat % seats).collect())
            .collect();
    }
    // Else one bot keeps its seat, and the others, a prime number of them, go round the rest.
    let others = seats - 1;
    let mut orders = Vec::new();
    for first in 0..others {
        for step in 1..others {
            let mut order = vec![0];
            order.extend((0..others).map(|seat| 1 + (first + step * (seat + seats / 2)) % others));
            orders.push(order);
        }
    }
    if seats == 4 {
        // Stored runs depend on this.
        orders.sort();
    }
    orders
}

/// Returns the divisions of the seats between two bots whose numbers of seats differ by at most
/// one. The first bot has the first seat.
fn divisions(seats: usize) -> Vec<Vec<usize>> {
    let mut divisions: Vec<usize> = (0..1 << (seats - 1)).collect();
    divisions.retain(|division| (2 * division.count_ones() as usize).abs_diff(seats) < 2);
    // Neighbours in the list are alike. There are 1, 3, 10 or 35 divisions: steps of 13 visit each
    // of them, and up to four seats change from one to the next.
    let mut visited = Vec::new();
    for unit in 0..divisions.len() {
        let division = divisions[13 * unit % divisions.len()];
        visited.push((0..seats).rev().map(|seat| division >> seat & 1).collect());
    }
    visited
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Whatever the number of units, every bot has had every other as its next neighbour about
    /// equally often; over all orders, at each distance exactly so.
    #[test]
    fn orders_balance_who_sits_next_to_whom() {
        for (seats, ways) in [(2, 1), (3, 2), (4, 6), (5, 4), (6, 20), (7, 6), (8, 42)] {
            let orders = orders(seats);
            assert_eq!(
                orders.iter().collect::<BTreeSet<_>>().len(),
                ways,
                "{seats} seats"
            );
            let mut behind = vec![BTreeMap::new(); seats];
            for order in &orders {
                assert_eq!(order[0], 0);
                for (seat, distance) in
                    (0..seats).flat_map(|seat| (1..seats).map(move |distance| (seat, distance)))
                {
                    let pair = (order[seat], order[(seat + distance) % seats]);
                    *behind[distance].entry(pair).or_insert(0) += 1;
                }
                let most = behind[1].values().max().unwrap();
                let least = behind[1]
                    .values()
                    .min()
                    .filter(|_| behind[1].len() == seats * (seats - 1))
                    .unwrap_or(&0);
                assert!(most - least <= 2, "{seats} seats: {behind:?}");
            }
            for pairs in &behind[1..] {
                assert_eq!(pairs.len(), seats * (seats - 1));
                assert!(
                    pairs.values().all(|&times| times == ways / (seats - 1)),
                    "{seats} seats: {pairs:?}"
                );
            }
        }
        let of_four = [
            [0, 1, 2, 3],
            [0, 1, 3, 2],
            [0, 2, 1, 3],
            [0, 2, 3, 1],
            [0, 3, 1, 2],
            [0, 3, 2, 1],
        ];
        assert_eq!(orders(4), of_four);
    }

    #[test]
    fn seats_are_divided_in_every_way() {
        for (seats, ways) in [
            (1, 1),
            (2, 1),
            (3, 3),
            (4, 3),
            (5, 10),
            (6, 10),
            (7, 35),
            (8, 35),
        ] {
            let divisions = divisions(seats);
            assert_eq!(
                (
                    divisions.len(),
                    divisions.iter().collect::<BTreeSet<_>>().len()
                ),
                (ways, ways)
            );
            for division in &divisions {
                assert_eq!((division.len(), division[0]), (seats, 0));
                let second = division.iter().sum::<usize>();
                assert!(second.abs_diff(seats - second) == seats % 2, "{division:?}");
            }
        }
        assert_eq!(divisions(2), [[0, 1]]);
        assert_eq!(divisions(3), [[0, 0, 1], [0, 1, 0], [0, 1, 1]]);
        assert_eq!(divisions(4), [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]);
    }
}
