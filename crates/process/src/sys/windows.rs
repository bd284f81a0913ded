//! Windows: bots in jobs, with limits and without walls.

mod bot;
mod command;
pub mod guard;
mod job;
mod launcher;
mod sandbox;
mod streams;

pub use self::bot::Bot;
pub use self::command::run_command;
pub(crate) use self::command::run_compiler;
pub use self::launcher::Launcher;
pub use self::sandbox::Sandbox;
pub use crate::sys::flag::Interrupt;

use crate::mode::Refused;

/// Finds nothing to reap: a job ends with all its processes.
pub fn reap_orphans() -> bool {
    false
}

/// Returns what the sandbox refused: nothing, as it has no walls.
pub fn refused(_: &Launcher, _: u64, _: &str, _: &str, _: &Interrupt) -> Option<Refused> {
    None
}
