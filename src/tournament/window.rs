//! Results come in any order and are written in the order of the fixtures: what lies between is bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::pool::{Finished, Fixtures};
use crate::record::Record;
use crate::schedule::Fixture;
use crate::store::GameRow;
use crate::study::{Director, Heard, Next};

/// Stands between the director and the workers: the numbers of the fixtures that were handed out and not yet written, in
/// order. Handing out waits while there are too many, so that one long game can neither fill the memory nor let units
/// finish far apart.
pub(super) struct Window<'a> {
    state: Mutex<State>,
    changed: Condvar,
    /// How many games may lie between the first that is not written yet and the last that was handed out.
    limit: &'a (dyn Fn() -> usize + Sync),
    /// Whether the run was told to stop.
    stop: &'a (dyn Fn() -> bool + Sync),
}

pub(super) struct State {
    pub(super) director: Box<dyn Director>,
    handed_out: VecDeque<u64>,
    /// Since when those are played that are not finished.
    under_way: BTreeMap<u64, Instant>,
    /// Finished games that wait for those before them.
    finished: BTreeMap<u64, Finished>,
    closed: bool,
}

impl<'a> Window<'a> {
    pub(super) fn new(
        director: Box<dyn Director>,
        limit: &'a (dyn Fn() -> usize + Sync),
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Window<'a> {
        let (handed_out, under_way, finished) = (VecDeque::new(), BTreeMap::new(), BTreeMap::new());
        let state = State {
            director,
            handed_out,
            under_way,
            finished,
            closed: false,
        };
        Window {
            state: Mutex::new(state),
            changed: Condvar::new(),
            limit,
            stop,
        }
    }

    /// The state, for as long as the guard lives: workers wait meanwhile.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a game in.
    pub(super) fn insert(&self, finished: Finished) {
        let mut state = self.lock();
        state.under_way.remove(&finished.fixture.number);
        state.finished.insert(finished.fixture.number, finished);
    }

    /// How many games are played, and the longest for how long.
    pub(super) fn under_way(&self) -> (usize, Duration) {
        let state = self.lock();
        let begun = state.under_way.values().min();
        (
            state.under_way.len(),
            begun.map(Instant::elapsed).unwrap_or_default(),
        )
    }

    /// The next game in order, if it is there.
    pub(super) fn next_in_order(&self) -> Option<Finished> {
        let mut state = self.lock();
        let front = *state.handed_out.front()?;
        let finished = state.finished.remove(&front)?;
        state.handed_out.pop_front();
        self.changed.notify_all();
        Some(finished)
    }

    /// Tells the director of a game that was played, every game before it having been told.
    pub(super) fn tell(&self, row: &GameRow, record: &Record) -> Heard {
        let heard = self.lock().director.tell(row, record);
        self.changed.notify_all();
        heard
    }

    /// Whether a fixture would still count.
    pub(super) fn wants(&self, fixture: &Fixture) -> bool {
        self.lock().director.wants(fixture)
    }

    /// The director, when all is over.
    pub(super) fn into_director(self) -> Box<dyn Director> {
        self.state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .director
    }
}

impl Fixtures for Window<'_> {
    /// A waiting worker learns of a stop when the next game is written, which a stop does not prevent.
    fn next(&self) -> Option<Fixture> {
        let mut state = self.lock();
        loop {
            if state.closed || (self.stop)() {
                return None;
            }
            if state.handed_out.len() < (self.limit)() {
                match state.director.next() {
                    Next::Play(fixture) => {
                        state.handed_out.push_back(fixture.number);
                        state.under_way.insert(fixture.number, Instant::now());
                        return Some(fixture);
                    }
                    Next::Done => return None,
                    Next::Wait => {}
                }
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_wanted(&self, fixture: &Fixture) -> bool {
        let state = self.lock();
        !state.closed && !(self.stop)() && state.director.wants(fixture)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// Closes a window when the thread that writes panics: the workers that wait for it would wait for ever.
pub(super) struct CloseOnPanic<'w, 'a>(pub(super) &'w Window<'a>);

impl Drop for CloseOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}
