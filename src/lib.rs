//! `arena` plays tournaments of bots that speak the CodinGame protocols, referees the games, and
//! says how strong the bots are. ARCHITECTURE.md describes its modules. They are listed from the
//! ground up, with blank lines so that rustfmt keeps the order.

// The macros panic when the reader has gone away.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod play;

mod plan;

mod results;

mod check;

mod battle;

mod store;

mod worker;

mod standings;

mod study;

mod report;

mod tournament;

mod config;

mod pool;

mod cli;

#[cfg(any(test, fuzzing))]
#[path = "../fuzz/laws.rs"]
pub mod laws;

#[cfg(test)]
mod testing;

pub use cli::main;
