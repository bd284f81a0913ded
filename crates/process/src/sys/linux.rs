//! Linux: bots in their own process groups and namespaces, under landlock and seccomp.
//!
//! Modules are listed in layers: each imports only modules of earlier layers.

pub(crate) mod alarm;
pub(crate) mod interrupt;
pub(crate) mod pipe;
pub(crate) mod proc;
pub(crate) mod scratch;

pub(crate) mod left;
pub(crate) mod orphans;

pub mod guard;
pub(crate) mod process_tree;

pub(crate) mod cpu_time;
pub(crate) mod usage;

pub(crate) mod spawn;
pub(crate) mod timer;

pub(crate) mod sandbox;

pub(crate) mod launcher;

pub(crate) mod bot;
pub(crate) mod command;

pub(crate) mod refused;

// What each system has. The modules above are for each other.
pub use self::bot::Bot;
pub use self::command::run_command;
pub(crate) use self::command::run_compiler;
pub use self::interrupt::Interrupt;
pub use self::launcher::Launcher;
pub use self::orphans::reap_orphans;
pub use self::refused::refused;
pub use self::sandbox::Sandbox;

#[cfg(test)]
pub(crate) mod tests;
