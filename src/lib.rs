//! `arena`: a tournament harness and bot arena.

pub mod games;
pub mod play;
pub mod record;
pub mod schedule;
pub mod tournament;
