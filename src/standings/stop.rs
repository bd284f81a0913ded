//! Why no more games are played, which decides what is known of two bots.

use crate::plan::SprtPlan;
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::{Sprt, State, too_repetitive};

/// Why no more games are played.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// They reached an end that was announced before the first game.
    Announced,
    /// They didn't, so the results may have stopped them: through a user who watched them, or
    /// through a rule of the run that does.
    Watched,
    /// A sequential test ended, decided or at its maximum of units. Its estimate allows for that.
    Test(Estimate),
}

impl Stop {
    /// Why the games of a test stopped, or that they may still do so. Of its units, `distinct` repeat
    /// no other: a test of too many repeats promises nothing.
    pub(crate) fn of_test(plan: &SprtPlan, test: &Sprt, distinct: u64) -> Stop {
        let units = test.scores().units();
        let has_ended = test.state() != State::Running || units >= plan.max_units;
        let holds = has_ended && !too_repetitive(distinct, units);
        let estimate = test.estimate().filter(|_| holds);
        estimate.map_or(Stop::Watched, Stop::Test)
    }

    /// How much stronger one of two bots is, in the interval that holds after such a stop; `None`
    /// without units. So many units repeat no other.
    pub(crate) fn estimate(
        self,
        scores: &UnitScores,
        games_per_unit: u32,
        distinct: u64,
    ) -> Option<Estimate> {
        match self {
            Stop::Announced => Estimate::once(scores, games_per_unit, distinct),
            Stop::Watched => Estimate::at_every_look(scores, games_per_unit, distinct),
            Stop::Test(estimate) => Some(estimate),
        }
    }

    /// The looks that intervals are valid for.
    pub(crate) fn holds(self) -> Holds {
        match self {
            Stop::Announced => Holds::Once,
            Stop::Watched => Holds::EveryLook,
            Stop::Test(estimate) => estimate.holds,
        }
    }
}
