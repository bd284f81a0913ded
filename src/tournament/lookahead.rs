//! Results come in any order and are written in the order of the fixtures: what lies between is bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::judge::{Call, Judge};
use crate::execute::Finished;
use crate::schedule::Fixture;
use crate::store::GameRow;
use crate::summary::Tally;

/// The numbers of the fixtures that were handed out and not yet written, in order. Handing out waits while there
/// are too many, so that one long game can neither fill the memory nor let units finish far apart.
pub(super) struct Window<'a> {
    state: Mutex<State>,
    changed: Condvar,
    limit: usize,
    /// Whether the run was told to stop.
    stop: &'a (dyn Fn() -> bool + Sync),
}

struct State {
    handed_out: VecDeque<u64>,
    closed: bool,
    judge: Box<dyn Judge>,
}

/// What became of a fixture that a worker asked for.
enum Admission {
    Admitted(Fixture),
    Skipped,
    /// There are no more.
    Ended,
}

impl<'a> Window<'a> {
    pub(super) fn new(limit: usize, stop: &'a (dyn Fn() -> bool + Sync), judge: Box<dyn Judge>) -> Window<'a> {
        let state = State { handed_out: VecDeque::new(), closed: false, judge };
        Window { state: Mutex::new(state), changed: Condvar::new(), limit, stop }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out `fixture` once there is room and it is known whether it is to be played; none after the window was closed
    /// or the run told to stop. A waiting worker learns of a stop when the next game is written, which a stop does not prevent.
    fn admit(&self, fixture: Fixture) -> Admission {
        let mut state = self.lock();
        loop {
            if state.closed || (self.stop)() {
                return Admission::Ended;
            }
            match state.judge.call(&fixture) {
                Call::Stop => return Admission::Ended,
                Call::Skip => return Admission::Skipped,
                Call::Play | Call::Maybe if state.handed_out.len() < self.limit => {
                    state.handed_out.push_back(fixture.number);
                    return Admission::Admitted(fixture);
                }
                Call::Play | Call::Maybe | Call::Wait => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Tells the judge of a game that was written.
    pub(super) fn hear(&self, row: &GameRow, tally: &Tally) {
        self.lock().judge.hear(row, tally);
        self.changed.notify_all();
    }

    /// Whether a game is to be written, every game before it having been heard.
    pub(super) fn counts(&self, fixture: &Fixture) -> bool {
        self.lock().judge.call(fixture) == Call::Play
    }

    /// Whether nothing is left to be played, although the schedule has more fixtures.
    pub(super) fn has_ended(&self) -> bool {
        self.lock().judge.has_ended()
    }

    /// Hands out no more.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The number that is to be written next.
    fn front(&self) -> Option<u64> {
        self.lock().handed_out.front().copied()
    }

    fn advance(&self) {
        self.lock().handed_out.pop_front();
        self.changed.notify_all();
    }
}

/// Closes a window when the thread that writes panics: the workers that wait for it would wait for ever.
pub(super) struct CloseOnPanic<'a>(pub(super) &'a Window<'a>);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// Fixtures as the workers get them.
pub(super) struct Admitted<'a, I> {
    pub(super) fixtures: I,
    pub(super) window: &'a Window<'a>,
}

impl<I: Iterator<Item = Fixture>> Iterator for Admitted<'_, I> {
    type Item = Fixture;

    fn next(&mut self) -> Option<Fixture> {
        loop {
            match self.window.admit(self.fixtures.next()?) {
                Admission::Admitted(fixture) => return Some(fixture),
                Admission::Skipped => {}
                Admission::Ended => return None,
            }
        }
    }
}

/// Finished games that wait for those before them.
#[derive(Default)]
pub(super) struct Waiting(BTreeMap<u64, Finished>);

impl Waiting {
    pub(super) fn insert(&mut self, finished: Finished) {
        self.0.insert(finished.fixture.number, finished);
    }

    /// The next game in order, if it is there.
    pub(super) fn next(&mut self, window: &Window<'_>) -> Option<Finished> {
        let finished = self.0.remove(&window.front()?)?;
        window.advance();
        Some(finished)
    }
}
