//! The links between bots by results, and whether finite ratings exist.

use std::collections::BTreeSet;

use super::table::Table;

/// Returns the strongly connected components: in each group, every bot took at least half a point
/// from every other bot, directly or over others. Each is sorted, and they are sorted by their
/// first bots.
///
/// Finite ratings exist exactly if there is one group (L. Ford 1957).
pub(super) fn components(table: &Table) -> Vec<Vec<usize>> {
    // For every two bots, whether the first took at least half a point from the second, directly or
    // over others.
    let mut below: Vec<Vec<bool>> = (0..table.bots)
        .map(|bot| (0..table.bots).map(|other| bot == other).collect())
        .collect();
    for (winner, loser, _) in scored(table) {
        below[winner][loser] = true;
    }
    for via in 0..table.bots {
        let further = below[via].clone();
        for row in &mut below {
            if row[via] {
                for (below, further) in row.iter_mut().zip(&further) {
                    *below |= further;
                }
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

/// Returns true if the results limit the advantage of moving first, for bots that are linked or
/// have virtual games.
///
/// They don't if some shift of strengths together with ever more advantage (or ever less)
/// contradicts no result. Between linked bots that is a system of difference constraints: a point
/// taken moving first lets the loser be at most one step stronger than the winner, and a point
/// taken moving second demands it to be one step weaker. The system has a solution exactly if no
/// cycle of such steps is negative. Virtual draws forbid any shift, so all bots are one then.
pub(super) fn first_advantage_is_finite(table: &Table) -> bool {
    has_negative_cycle(table, 1) && has_negative_cycle(table, -1)
}

/// Lists every bot that took at least half a point from another: the taker, the giver, and whether
/// the taker moved first.
fn scored(table: &Table) -> Vec<(usize, usize, bool)> {
    let mut scored = Vec::new();
    for pairing in &table.totals {
        if pairing.half_points > 0 {
            scored.push((pairing.first, pairing.second, true));
        }
        if pairing.half_points_against() > 0 {
            scored.push((pairing.second, pairing.first, false));
        }
    }
    scored
}

/// Returns true if the distances of Bellman and Ford still fall after as many rounds as there are
/// bots.
fn has_negative_cycle(table: &Table, step: i64) -> bool {
    let mut scored = scored(table);
    if table.prior > 0.0 {
        scored = scored.iter().map(|&(_, _, first)| (0, 0, first)).collect();
    }
    let mut distance = vec![0_i64; table.bots];
    (0..table.bots).all(|_| {
        let mut fell = false;
        for &(winner, loser, moved_first) in &scored {
            let reached = distance[winner] + if moved_first { step } else { -step };
            if reached < distance[loser] {
                distance[loser] = reached;
                fell = true;
            }
        }
        fell
    })
}
