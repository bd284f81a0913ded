//! Which games are still to be played, where that depends on the games before them.

use super::swept::{self, WhileIn};
use crate::schedule::{Fixture, Schedule};
use crate::store::{GameRow, PlanText};
use crate::summary::Tally;
use crate::sweep::Mode;

/// Who decides which games of a plan are played.
pub(super) fn judge(plan: &PlanText, schedule: &Schedule) -> Box<dyn Judge> {
    if let Some(sprt) = &plan.sprt {
        return Box::new(UntilDecided {
            check_from: schedule.units_before_check(),
            has_check: sprt.check_1v3 > 0,
            is_decided: false,
            is_complete: false,
        });
    }
    match swept::contest(plan, schedule) {
        Some(contest) if contest.sweep().mode == Mode::Race => Box::new(WhileIn { contest }),
        _ => Box::new(PlayAll),
    }
}

/// What is to become of a fixture, going by the games heard so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// It is to be played, as far as is known.
    Play,
    /// It is to be played if games that have been started let it. A worker has nothing better to do than to start it, too.
    Maybe,
    /// It is not to be played, but one after it may be.
    Skip,
    /// That is only known once games are heard that have been started.
    Wait,
    /// Neither it nor any after it is to be played.
    Stop,
}

/// Decides which fixtures are played.
///
/// It hears of every game that is written, in the order of the schedule. Of a fixture it is asked twice: before the game is
/// started, by a worker, and before it is written, when every game before it was heard. Only the second answer
/// counts, so that what is written does not depend on how many games were under way: a game that was started
/// too soon is thrown away.
pub(super) trait Judge: Send {
    /// Takes note of a game that is written. `tally` has counted it.
    fn hear(&mut self, row: &GameRow, tally: &Tally);

    /// What is to become of a fixture.
    fn call(&self, fixture: &Fixture) -> Call;

    /// Whether nothing is left to be played, although the schedule has more fixtures.
    fn has_ended(&self) -> bool;

    /// Whether calls depend on the games before. Then few are started ahead, and none is written behind one that is
    /// missing.
    fn needs_all_before(&self) -> bool {
        true
    }
}

/// Every fixture of the schedule is played.
struct PlayAll;

impl Judge for PlayAll {
    fn hear(&mut self, _: &GameRow, _: &Tally) {}

    fn call(&self, _: &Fixture) -> Call {
        Call::Play
    }

    fn has_ended(&self) -> bool {
        false
    }

    fn needs_all_before(&self) -> bool {
        false
    }
}

/// Fixtures are played until a sequential test is decided, then those of its check.
struct UntilDecided {
    /// The first unit of the check.
    check_from: u64,
    /// Whether there is one.
    has_check: bool,
    /// Whether the test has ended.
    is_decided: bool,
    /// Whether the check was played as well.
    is_complete: bool,
}

impl Judge for UntilDecided {
    fn hear(&mut self, _: &GameRow, tally: &Tally) {
        if let Some(test) = tally.the_test() {
            (self.is_decided, self.is_complete) = (test.has_ended(), test.is_complete());
        }
    }

    fn call(&self, fixture: &Fixture) -> Call {
        match (fixture.unit >= self.check_from, self.is_decided) {
            (false, false) | (true, true) => Call::Play,
            (true, false) => Call::Wait,
            (false, true) if self.has_check => Call::Skip,
            (false, true) => Call::Stop,
        }
    }

    fn has_ended(&self) -> bool {
        self.is_complete
    }
}
