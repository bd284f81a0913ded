//! A sweep made by hand, for tests of what is said about it.

use arena_stats::estimate::{Estimate, Holds};
use arena_stats::race::End;

use super::finding;
use super::summary::{GapToLeader, OpponentResult, SweepSummary, VariantState, VariantSummary};
use crate::study::Finding;

/// An estimate among others.
pub(super) fn estimated([elo, lo95, hi95]: [f64; 3]) -> Estimate {
    Estimate::new(elo, [lo95, hi95], None, Holds::EveryLook)
}

/// What is said about the example.
pub(crate) fn found(outside: &str) -> Finding {
    finding(&example(outside))
}

/// What is said about the example if it isn't over.
pub(crate) fn found_so_far(outside: &str) -> Finding {
    finding(&SweepSummary {
        end: None,
        ..example(outside)
    })
}

/// Four variants of two parameters; one was dropped.
pub(super) fn example(outside: &str) -> SweepSummary {
    let parameters = [format!("{outside} depth"), format!("{outside} name")];
    let variant =
        |(rank, depth, elo, state, dropped_after): (usize, u32, f64, VariantState, Option<u64>)| {
            VariantSummary {
                name: format!("{outside} {rank}"),
                values: parameters
                    .iter()
                    .cloned()
                    .zip([depth.to_string(), format!("{outside} {rank}")])
                    .collect(),
                rank,
                units: dropped_after.unwrap_or(48),
                games: 2 * dropped_after.unwrap_or(48),
                score: Some(0.6),
                by: Some(estimated([elo, elo - 10.0, elo + 10.0])),
                state,
                dropped_after,
                behind: Some(GapToLeader {
                    leader: outside.to_owned(),
                    elo: -9.0,
                    lo: -19.0,
                    hi: 1.0,
                    interval: Holds::EveryLook,
                }),
            }
        };
    SweepSummary {
        bot: outside.to_owned(),
        parameters: parameters.to_vec(),
        against: vec![outside.to_owned()],
        alpha: 0.05,
        end: Some(End::Units),
        units: 48,
        max_units: 48,
        games: 320,
        games_of_block: 0,
        games_full: 384,
        living: [1, 2, 3].map(|rank| format!("{outside} {rank}")).to_vec(),
        leader: Some(format!("{outside} 1")),
        luck_of_the_best: 1.0,
        luck_elo: Some(5.0),
        leader_against: vec![OpponentResult {
            name: outside.to_owned(),
            by: estimated([8.0, -2.0, 18.0]),
        }],
        confirm: Some(format!("arena duel {outside}")),
        too_repetitive: false,
        variants: [
            (4, 1, -20.0, VariantState::Dropped, Some(16)),
            (1, 4, 20.0, VariantState::Survivor, None),
            (2, 2, 10.0, VariantState::Survivor, None),
            (3, 2, 0.0, VariantState::Survivor, None),
        ]
        .map(variant)
        .to_vec(),
    }
}
