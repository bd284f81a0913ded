//! Tuning: finds better parameters for a bot by games against itself with slightly different
//! values.
//!
//! A *unit* here is what two sides play on one seed: a pair of games with swapped seats, or each
//! side against the same opponents. Every parameter has a coordinate: its value, or the logarithm
//! of it.

pub use parameter::{Parameter, Scale, rounded};
pub use spsa::Tuning;

mod parameter;
pub mod spsa;

/// The most parameters of a tuning.
pub const MOST_PARAMETERS: usize = 32;
/// The most units of a block. A centre that moves more rarely swings across a steep optimum.
pub const MOST_UNITS_IN_BLOCK: u64 = 64;
