//! `arena` plays tournaments of bots that speak the CodinGame protocols, referees the games, and says how strong the
//! bots are. ARCHITECTURE.md tells how the parts fit together; they are listed here from the inside out, apart so that
//! they stay in that order.
//!
//! Bot authors may use [`games`] as a library: the rules, fast move generation, and the exact text of the protocols.

// The macros panic when the reader has gone away.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod games;

pub mod play;

pub mod record;

pub mod schedule;

pub mod stats;

pub mod sweep;

pub mod process;

pub mod execute;

pub mod check;

pub mod store;

pub mod rate;

pub mod summary;

pub mod report;

pub mod tournament;

pub mod config;

pub mod cli;

pub mod exit;
