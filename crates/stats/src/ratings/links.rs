//! Which bots are linked by results, and whether finite ratings exist at all.

use std::collections::BTreeSet;

use super::table::Table;

/// Groups of bots in which everybody took at least half a point from everybody else, directly or over others: the
/// strongly connected components. Each is sorted, and they are sorted by their first bots.
///
/// Finite ratings exist exactly when there is one group (L. Ford 1957).
pub(super) fn components(table: &Table) -> Vec<Vec<usize>> {
    // By two bots, whether the first took at least half a point from the second, directly or over others.
    let mut below: Vec<Vec<bool>> = (0..table.bots)
        .map(|bot| (0..table.bots).map(|other| bot == other).collect())
        .collect();
    for (winner, loser, _) in scored(table) {
        below[winner][loser] = true;
    }
    for via in 0..table.bots {
        let further = below[via].clone();
        for row in below.iter_mut().filter(|row| row[via]) {
            for (below, further) in row.iter_mut().zip(&further) {
                *below |= further;
            }
        }
    }
    let mut groups: BTreeSet<Vec<usize>> = BTreeSet::new();
    for (bot, row) in below.iter().enumerate() {
        let others = (0..table.bots).filter(|&other| row[other] && below[other][bot]);
        groups.insert(others.collect());
    }
    groups.into_iter().collect()
}

/// Whether the results set a limit to the advantage of moving first, in bots that are linked or held by virtual
/// games.
///
/// It has none if some shift of strengths together with ever more advantage (or ever less) contradicts no result.
/// Between linked bots that is a system of difference constraints: a point taken moving first lets the loser be at
/// most one step stronger than the winner, a point taken moving second demands it to be one step weaker, and the
/// system has a solution exactly when no cycle of such steps is negative. Virtual draws forbid any shift.
pub(super) fn first_advantage_is_finite(table: &Table) -> bool {
    if table.prior > 0.0 {
        scored(table).any(|(_, _, moved_first)| moved_first)
            && scored(table).any(|(_, _, moved_first)| !moved_first)
    } else {
        has_negative_cycle(table, 1) && has_negative_cycle(table, -1)
    }
}

/// Everybody who took at least half a point from somebody: the taker, the giver, and whether the taker moved first.
fn scored(table: &Table) -> impl Iterator<Item = (usize, usize, bool)> {
    table.totals.iter().flat_map(|pairing| {
        let first = (pairing.half_points > 0).then_some((pairing.first, pairing.second, true));
        let second =
            (pairing.half_points_against() > 0).then_some((pairing.second, pairing.first, false));
        first.into_iter().chain(second)
    })
}

/// Bellman and Ford: distances that still fall after as many rounds as there are bots fall for ever.
fn has_negative_cycle(table: &Table, step: i64) -> bool {
    let mut distance = vec![0_i64; table.bots];
    (0..table.bots).all(|_| {
        let mut fell = false;
        for (winner, loser, moved_first) in scored(table) {
            let reached = distance[winner] + if moved_first { step } else { -step };
            if reached < distance[loser] {
                distance[loser] = reached;
                fell = true;
            }
        }
        fell
    })
}
