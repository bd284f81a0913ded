//! Programs as players: start one, ask it for lines before a deadline, and end it with everything it started.
//!
//! Modules are listed in layers: each imports only modules of earlier layers.

mod answer;
mod interrupt;
mod lock;
mod pipe;
mod proc;
mod program;
mod stderr;
mod tail;

mod alarm;
mod command;
mod lines;
mod orphans;
mod scratch;

mod family;
pub mod guard;

mod companion;
mod delay;
mod usage;

mod exit;
mod launch;
mod spawn;
mod timer;

mod sandbox;

mod jail;

mod bot;
pub mod languages;

pub use self::answer::{Answer, AskError, Failure};
pub use self::bot::Bot;
pub use self::bot::inspect::Heard;
pub use self::companion::Companion;
pub use self::delay::Spent;
pub use self::exit::Exit;
pub use self::guard::Supervision;
pub use self::interrupt::Interrupt;
pub use self::jail::{Jail, StartError};
pub use self::launch::Launch;
#[cfg(any(test, fuzzing))]
pub use self::lines::lines_of;
pub use self::lock::lock;
pub use self::orphans::reap_strays;
pub use self::program::{FindError, LOGIN, find_program, line_ends};
pub use self::sandbox::{Mode, Relaxed, Sandbox, Unavailable};
pub use self::stderr::Stderr;
pub use self::tail::complaint;

#[cfg(test)]
mod tests;
