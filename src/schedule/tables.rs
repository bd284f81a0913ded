//! Which bots sit at one table, in games of four seats.
//!
//! Tables are developed from a few, as in a cyclic block design (R. C. Bose 1939): the bots stand in a circle, with
//! or without one in its centre, and a table is turned round the circle step by step. All bots on the circle then play
//! equally often, and how often two of them meet depends on their distance alone: a few numbers to balance
//! instead of one for every two bots.

/// The bots at a table, as places in the list of bots, in ascending order.
pub(super) type Table = [usize; 4];

/// So many tables are weighed in each step; where there are more, these are spread over all of them.
const CANDIDATES: usize = 2000;
/// Turns round the circle, for each bot on it, after which no better balance is looked for.
const PATIENCE: usize = 3;

/// Tables, and how often two bots that are to meet do so at them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tables {
    /// Who sits there.
    pub(super) list: Vec<Table>,
    /// A run plays a whole number of blocks of this many tables, beginning anew after the last.
    pub(super) block: usize,
    /// How often two bots meet in a block, at least.
    pub(super) meetings: u64,
}

/// The table of four bots.
fn only_table() -> Tables {
    Tables { list: vec![[0, 1, 2, 3]], block: 1, meetings: 1 }
}

/// Tables at which every two of `bots` bots, four at least, meet equally often. Where no such are found (for some
/// numbers above 22), every bot sits down equally often, and two bots meet `wanted` times or a little more.
pub(super) fn all_meet(bots: usize, wanted: u64) -> Tables {
    if bots == 4 {
        return only_table();
    }
    let rim = || Circle::new(bots, on_rim(bots));
    let rim_and_centre = Circle::new(bots - 1, [on_rim(bots - 1), with_centre(bots - 1)].concat());
    let balanced =
        |mut circle: Circle| circle.develop(|met| met.iter().all(|&times| times == met[0])).then_some(circle);
    let balanced = [rim(), rim_and_centre].into_iter().filter_map(balanced);
    let circle = balanced.min_by_key(|circle| circle.tables.len()).unwrap_or_else(|| {
        let mut circle = rim();
        circle.develop(|met| met.iter().all(|&times| times >= wanted));
        circle
    });
    let meetings = circle.meetings().iter().copied().min().unwrap_or(1);
    Tables { block: circle.tables.len(), meetings, list: circle.tables }
}

/// Tables at which bot 0 meets every other of `bots` bots, four at least, equally often, and these meet each other about
/// equally often.
pub(super) fn one_meets_all(bots: usize) -> Tables {
    if bots == 4 {
        return only_table();
    }
    let mut circle = Circle::new(bots - 1, with_centre(bots - 1));
    circle.develop(|met| met[1..].iter().all(|&times| times == met[1]));
    let numbered = |table: Table| sorted(table.map(|place| (place + 1) % bots));
    Tables { list: circle.tables.into_iter().map(numbered).collect(), block: bots - 1, meetings: 3 }
}

/// Every table of bots on a circle of `size`; of those that are each other turned round it, one at least.
fn on_rim(size: usize) -> Vec<Table> {
    let all = (1..size).flat_map(|a| (a + 1..size).flat_map(move |b| (b + 1..size).map(move |c| [0, a, b, c])));
    spread(all.collect())
}

/// The same for tables at which the bot in the centre sits; it has the last place.
fn with_centre(size: usize) -> Vec<Table> {
    spread((1..size).flat_map(|a| (a + 1..size).map(move |b| [0, a, b, size])).collect())
}

fn spread(tables: Vec<Table>) -> Vec<Table> {
    let step = tables.len().div_ceil(CANDIDATES).max(1);
    tables.into_iter().step_by(step).collect()
}

fn sorted(mut table: Table) -> Table {
    table.sort_unstable();
    table
}

/// Bots on a circle, one perhaps in its centre, and the tables at which they met.
struct Circle {
    size: usize,
    has_centre: bool,
    /// The tables to choose from, each with the number of times it was turned round the circle.
    starts: Vec<(u32, Table)>,
    /// How often two bots met: at 0 the one in the centre with each other, then any two by their distance on the circle,
    /// counted both ways round.
    met: Vec<u64>,
    tables: Vec<Table>,
}

impl Circle {
    fn new(size: usize, starts: Vec<Table>) -> Circle {
        let has_centre = starts.iter().any(|table| table.contains(&size));
        let starts = starts.into_iter().map(|table| (0, table)).collect();
        Circle { size, has_centre, starts, met: vec![0; size], tables: Vec::new() }
    }

    /// How often two bots met, by their places to each other.
    fn meetings(&self) -> &[u64] {
        &self.met[usize::from(!self.has_centre)..]
    }

    /// Turns one table after the other round the circle until the meetings are as wanted; whether that came about.
    fn develop(&mut self, is_done: impl Fn(&[u64]) -> bool) -> bool {
        (0..PATIENCE * self.size).any(|_| {
            self.turn();
            is_done(self.meetings())
        })
    }

    /// Turns the table round the circle whose bots have met least.
    fn turn(&mut self) {
        let (size, starts) = (self.size, &mut self.starts);
        let mut met = self.met.clone();
        let cost = |&index: &usize| (unevenness(&mut met, size, starts[index].1), starts[index].0);
        let Some(best) = (0..starts.len()).min_by_key(cost) else { return };
        let (used, table) = &mut starts[best];
        *used += 1;
        distances(size, *table).for_each(|distance| self.met[distance] += 1);
        let turned = |by: usize| sorted(table.map(|place| if place == size { place } else { (place + by) % size }));
        self.tables.extend((0..size).map(turned));
    }
}

/// How much the sum of the squares of all meetings, over any two bots, grows with the table.
fn unevenness(met: &mut [u64], size: usize, table: Table) -> u64 {
    let mut growth = 0;
    for distance in distances(size, table) {
        // A distance on the circle is counted from both sides, the one to the centre once.
        growth += (2 * met[distance] + 1) * if distance == 0 { 2 } else { 1 };
        met[distance] += 1;
    }
    distances(size, table).for_each(|distance| met[distance] -= 1);
    growth
}

/// Between any two at the table: 0 from the bot in the centre to another, else the steps round the circle, both ways.
fn distances(size: usize, table: Table) -> impl Iterator<Item = usize> {
    let pairs = table.into_iter().flat_map(move |from| table.into_iter().map(move |to| (from, to)));
    pairs
        .filter(move |&(from, to)| from != to && to != size)
        .map(move |(from, to)| if from == size { 0 } else { (to + size - from) % size })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// How often each bot sits down, and how often any two meet.
    fn counted(tables: &[Table]) -> (BTreeMap<usize, u64>, BTreeMap<(usize, usize), u64>) {
        let (mut sits, mut meets) = (BTreeMap::new(), BTreeMap::new());
        for table in tables {
            assert!(table.is_sorted_by(|a, b| a < b), "four bots in order: {table:?}");
            for (index, &bot) in table.iter().enumerate() {
                *sits.entry(bot).or_default() += 1;
                table[..index].iter().for_each(|&other| *meets.entry((other, bot)).or_default() += 1);
            }
        }
        (sits, meets)
    }

    /// The numbers of tables are those of known block designs: n = 7 has 7, n = 13 has 13 (the projective plane of order
    /// 3), n = 8 has 14, n = 9 has 18.
    #[test]
    fn every_two_bots_meet_equally_often() {
        let mut sizes = BTreeMap::new();
        for bots in 4..=22 {
            let Tables { list: tables, block, meetings } = all_meet(bots, 1);
            let (_, meets) = counted(&tables);
            assert_eq!(meets.len(), bots * (bots - 1) / 2);
            assert!(meets.values().all(|&times| times == meetings), "{bots} bots: {meets:?}");
            assert_eq!(block, tables.len());
            sizes.insert(bots, block);
        }
        let known = [(4, 1), (5, 5), (6, 15), (7, 7), (8, 14), (9, 18), (12, 33), (13, 13)];
        assert!(known.iter().all(|(bots, size)| sizes[bots] == *size), "{sizes:?}");
    }

    #[test]
    fn many_bots_sit_down_equally_often_and_meet_often_enough() {
        for (bots, wanted) in [(23, 3), (50, 10), (100, 1)] {
            let Tables { list: tables, meetings, .. } = all_meet(bots, wanted);
            let (sits, meets) = counted(&tables);
            assert_eq!(meets.len(), bots * (bots - 1) / 2);
            assert!(sits.values().all(|&times| times == sits[&0]));
            assert_eq!(meets.values().min(), Some(&meetings));
            assert!(meetings >= wanted && meets.values().all(|&times| times <= meetings + 3), "{bots} bots");
        }
    }

    #[test]
    fn the_challenger_meets_everybody_equally_often() {
        for bots in 4..=30 {
            let Tables { list: tables, block, meetings } = one_meets_all(bots);
            assert!(tables.iter().all(|table| table[0] == 0));
            for block in tables.chunks(block) {
                let (_, meets) = counted(block);
                assert!((1..bots).all(|other| meets[&(0, other)] == meetings));
            }
            let (_, meets) = counted(&tables);
            let others: Vec<u64> = meets.into_iter().filter(|((one, _), _)| *one > 0).map(|(_, times)| times).collect();
            let (least, most) = (others.iter().min().unwrap(), others.iter().max().unwrap());
            assert_eq!(others.len(), (bots - 1) * (bots - 2) / 2);
            assert!(most - least <= 2, "{bots} bots: {least} to {most}");
        }
    }
}
