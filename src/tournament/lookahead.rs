//! Results come in any order and are written in the order of the fixtures: what lies between is bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::execute::Finished;
use crate::schedule::Fixture;

/// The numbers of the fixtures that were handed out and not yet written, in order. Handing out waits while there
/// are too many, so that one long game can neither fill the memory nor let units finish far apart.
pub(super) struct Window<'a> {
    state: Mutex<State>,
    changed: Condvar,
    limit: usize,
    /// Whether the run was told to stop.
    stop: &'a (dyn Fn() -> bool + Sync),
}

#[derive(Default)]
struct State {
    handed_out: VecDeque<u64>,
    closed: bool,
}

impl<'a> Window<'a> {
    pub(super) fn new(limit: usize, stop: &'a (dyn Fn() -> bool + Sync)) -> Window<'a> {
        Window { state: Mutex::default(), changed: Condvar::new(), limit, stop }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out `fixture` once there is room; `None` when the window was closed or the run told to stop. A waiting
    /// worker learns of a stop when the next game is written, which a stop does not prevent.
    fn admit(&self, fixture: Fixture) -> Option<Fixture> {
        let full = |state: &mut State| !state.closed && state.handed_out.len() >= self.limit;
        let mut state = self.changed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        if state.closed || (self.stop)() {
            return None;
        }
        state.handed_out.push_back(fixture.number);
        Some(fixture)
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
        self.fixtures.next().and_then(|fixture| self.window.admit(fixture))
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
