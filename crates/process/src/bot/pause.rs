//! Pausing a bot, so that it doesn't think while others are asked.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::Bot;
use crate::orphans::reap_orphans;

/// How often to look for processes that leave the group of a bot while it is paused.
const SEARCHES: usize = 20;

/// Whether a bot may be paused, and is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PauseState {
    /// It has not answered yet, and may not be paused.
    Starting,
    Running,
    Paused,
}

impl Bot {
    /// Stops the bot's processes until it is asked again.
    pub fn pause(&mut self) {
        if self.state == PauseState::Running && self.registration.is_some() {
            // The process isn't reaped, so its number, which is that of the group, is its own.
            let _ = kill_process_group(self.pid, Signal::STOP);
            self.stop_outside_group();
            self.state = PauseState::Paused;
        }
    }

    /// Stops the bot's descendants that aren't in its group, until no more are found. Processes
    /// without a parent can't be assigned to a bot, and are killed.
    fn stop_outside_group(&mut self) {
        reap_orphans();
        for _ in 0..SEARCHES {
            let mut found: Vec<Pid> = self.meter.processes.outside_group();
            found.retain(|pid| !self.outside.contains(pid));
            if found.is_empty() {
                break;
            }
            for pid in found {
                let _ = kill_process(pid, Signal::STOP);
                self.outside.push(pid);
            }
        }
    }

    /// Lets all its processes run again.
    pub(super) fn resume(&mut self) {
        if self.state == PauseState::Paused {
            self.state = PauseState::Running;
            let _ = kill_process_group(self.pid, Signal::CONT);
            // Stopped processes can't have ended, except by a signal from the bot itself.
            for pid in self.outside.drain(..) {
                let _ = kill_process(pid, Signal::CONT);
            }
        }
    }
}
