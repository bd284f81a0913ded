//! User namespaces, one for each bot that plays.
//!
//! The kernel counts processes, queued signals and timers for each user, and refuses more than the
//! user's limit. In a namespace of its own a bot has limits of its own, so it can't use up what
//! others need. Root's processes have no limit.
//!
//! Making a namespace takes milliseconds, and entering one a few microseconds. So namespaces are
//! kept for the next bot, once nothing can be left in them.

use std::mem;
use std::os::fd::OwnedFd;
use std::sync::Mutex;

use crate::lock::lock;

/// Namespaces in which nothing runs.
static FREE: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());
/// Namespaces of bots that have ended, but may have left processes.
static LEFT: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Returns a namespace in which nothing runs, if there is one.
pub(crate) fn take() -> Option<OwnedFd> {
    lock(&FREE).pop()
}

/// Keeps a new namespace for the next bot.
pub(crate) fn keep(namespace: OwnedFd) {
    lock(&FREE).push(namespace);
}

/// Takes back the namespace of a bot that has ended.
pub(crate) fn give_back(namespace: OwnedFd) {
    lock(&LEFT).push(namespace);
}

/// Frees the namespaces of bots that have ended if `find` finds nothing that they left. Returns what
/// it found.
pub(crate) fn free_unless_left<T>(find: impl FnOnce() -> Vec<T>) -> Vec<T> {
    let mut left = mem::take(&mut *lock(&LEFT));
    let found = find();
    let list = if found.is_empty() { &FREE } else { &LEFT };
    lock(list).append(&mut left);
    found
}
