//! How fast a core of this machine is, by a fixed piece of work.

use std::time::Instant;

use arena_games::shogi::{Position, perft};

/// The plies of the work, which takes about ten milliseconds.
const DEPTH: u32 = 5;
/// How often it is done. The fastest counts, when nothing else was on the core.
const TIMES: u32 = 20;

/// How often a second a core does the work.
pub(super) fn speed() -> f64 {
    let position = Position::start();
    let once = |_| {
        let start = Instant::now();
        std::hint::black_box(perft(std::hint::black_box(&position), DEPTH));
        1.0 / start.elapsed().as_secs_f64()
    };
    (0..TIMES).map(once).fold(0.0, f64::max)
}
