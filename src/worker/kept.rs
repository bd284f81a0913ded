//! Processes of bots that go on from game to game, between their games.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

use arena_process::{Bot, lock};

/// Those that rest, by the thread that played their last game and the number of the bot in the plan: a process stays on the core of its
/// thread. A thread has as many of a bot as once played in one game.
#[derive(Default)]
pub(super) struct Kept(Mutex<HashMap<(ThreadId, usize), Vec<Bot>>>);

impl Kept {
    /// A process of this bot that can play on.
    pub(super) fn take(&self, bot: usize) -> Option<Bot> {
        loop {
            let resting = lock(&self.0)
                .get_mut(&(thread::current().id(), bot))
                .and_then(Vec::pop)?;
            if let Some(rested) = resting.rested() {
                return Some(rested);
            }
        }
    }

    /// Takes a bot behind its game. One that cannot play on is ended.
    pub(super) fn keep(&self, number: usize, bot: Bot) {
        if let Some(resting) = bot.rest() {
            lock(&self.0)
                .entry((thread::current().id(), number))
                .or_default()
                .push(resting);
        }
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}
