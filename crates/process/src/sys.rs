//! What each system does in its own way: bots, launchers, the sandbox, compilers and the guard.

#[cfg(not(target_os = "linux"))]
mod flag;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(any(target_os = "linux", windows)))]
mod none;
#[cfg(not(target_os = "linux"))]
mod single;
#[cfg(any(target_os = "linux", windows))]
mod starts;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use self::linux::*;
#[cfg(not(any(target_os = "linux", windows)))]
pub use self::none::*;
#[cfg(windows)]
pub use self::windows::*;
