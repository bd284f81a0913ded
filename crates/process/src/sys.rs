//! What each system does in its own way: bots, launchers, the sandbox, compilers and the guard.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod none;

#[cfg(target_os = "linux")]
pub use self::linux::*;
#[cfg(not(target_os = "linux"))]
pub use self::none::*;
