//! Programs as players: start a program, ask it for lines before a deadline, and stop it with everything it started.
//!
//! A [`Launch`] says how to start a program. A [`Jail`] is a launch in a [`Sandbox`], and a [`Bot`] is one running process of it.
//! Source files can be programs, too: [`languages::ready`] compiles them.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use arena_process::{Bot, Interrupt, Jail, Launch, Mode, Sandbox, Supervision};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Holds the folders that programs may write to.
//! let folder = tempfile::tempdir()?;
//! let memory = 256 << 20;
//! let sandbox = Sandbox::new(Mode::Auto, memory, Supervision::None, folder.path().into())?;
//! let jail = Jail::new(&Arc::new(sandbox), Launch::new("echo", ["cat"]));
//!
//! let interrupt = Arc::new(Interrupt::new()?);
//! let mut bot = Bot::start_in(&jail, 1, &interrupt)?;
//! let answer = bot.ask("hello\n", 1, Duration::from_secs(10), &mut || {})?;
//! assert_eq!(answer.reply, Ok("hello"));
//! assert_eq!(bot.stop().to_string(), "stopped by the arena");
//! # Ok(())
//! # }
//! ```
//!
//! Stopping a bot kills its process group. A process that left the group could survive. To end it as well, however this program
//! ends, let [`guard`] run the program as two processes, with one line at the beginning of `main`: see `examples/guarded.rs`.
//!
//! # Modules
//!
//! Modules are listed in layers: each imports only modules of earlier layers. A port to another system replaces `proc`, `orphans`,
//! `delay`, `usage`, `spawn`, `sandbox` and `guard`.

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
