//! User namespaces, one for each bot that plays.
//!
//! The kernel counts processes, queued signals and timers for each user, and refuses more than the
//! user's limit. In a namespace of its own a bot has limits of its own, so it can't use up what
//! others need. Root's processes have no limit.
//!
//! Making a namespace takes milliseconds, and entering one a few microseconds. So namespaces are
//! kept for the next bot, once nothing can be left in them.

use std::os::fd::OwnedFd;
use std::sync::Mutex;

/// Namespaces in which nothing runs.
pub(crate) static FREE: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());
/// Namespaces of bots that have ended, but may have left processes.
pub(crate) static LEFT: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());
