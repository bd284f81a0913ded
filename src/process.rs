//! Programs as players: start one, ask it for lines before a deadline, and end it with everything it started.
//!
//! Modules import each other in one direction only; the list below is in that order.

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
pub(crate) mod guard;

mod companion;
mod delay;
mod sums;

mod exit;
mod launch;
mod spawn;
mod timer;

mod sandbox;

mod jail;

mod bot;

pub(crate) use self::answer::{AskError, Failure};
pub(crate) use self::bot::Bot;
pub(crate) use self::bot::inspect::Heard;
pub(crate) use self::command::run_command;
pub(crate) use self::companion::Companion;
pub(crate) use self::delay::Spent;
pub(crate) use self::exit::Exit;
pub(crate) use self::guard::Supervision;
pub(crate) use self::interrupt::Interrupt;
pub(crate) use self::jail::{Jail, StartError};
pub(crate) use self::launch::{Launch, fill};
#[cfg(any(test, fuzzing))]
pub(crate) use self::lines::{LINE_MAX, Lines};
pub(crate) use self::lock::lock;
pub(crate) use self::orphans::reap_strays;
#[cfg(feature = "workers")]
pub(crate) use self::program::LOGIN;
pub(crate) use self::program::{find_program, first_line, line_ends, shim_of};
pub(crate) use self::sandbox::files::is_too_wide;
pub(crate) use self::sandbox::{Mode, Relaxed, Sandbox};
pub(crate) use self::stderr::Stderr;
pub(crate) use self::tail::complaint;

#[cfg(test)]
mod tests;
