//! Why no more games are played, which decides what is known of two bots.

use arena_stats::elo::MatchElo;
use arena_stats::estimate::{Estimate, Holds};

/// Why no more games are played.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// They reached an end that was announced before the first game.
    Announced,
    /// They didn't, so a user may have stopped them because of the results.
    Watched,
    /// A sequential test stopped them. Its estimate allows for that.
    Test(Estimate),
}

impl Stop {
    /// How much stronger one of two bots is, in the interval that holds after such a stop.
    pub(crate) fn estimate(self, met: &MatchElo) -> Estimate {
        match self {
            Stop::Announced => Estimate::of_match(met, Holds::Once),
            Stop::Watched => Estimate::of_match(met, Holds::EveryLook),
            Stop::Test(estimate) => estimate,
        }
    }

    pub(crate) fn is_watched(self) -> bool {
        matches!(self, Stop::Watched)
    }
}
