//! Pausing a bot, so that it doesn't think while others are asked.
//!
//! A stop can be lifted: a timer, a pipe or the end of a child may send the signal that continues a
//! process. So the time that a bot runs while it is paused is added up, and costs it the game.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::Bot;
use crate::answer::Failure;
use crate::lack;
use crate::limits::ExceededLimit;
use crate::sys::orphans::reap_orphans;
use crate::sys::proc::since_boot;
use crate::sys::usage::PONDERED;

/// How often to look for processes that leave the group of a bot while it is paused.
const SEARCHES: usize = 20;

/// How long a bot may run in each pause: on a busy machine it takes a while until all its threads
/// have stopped.
pub(crate) const ARRIVAL: Duration = Duration::from_millis(10);
/// Divisor of the time that a bot was paused: it may run for a twentieth of it, if that is more
/// than [`PONDERED`]. With a dozen threads on a busy machine, innocent bots ran for up to 45 ms in
/// a pause, and for 2.6% of all pauses of a game.
pub(crate) const PONDERED_SHARE: u32 = 20;
/// The least time to count if a process of a bot started or ended while it was paused: a stopped
/// one does neither, and the system forgets how long those ran that have ended.
const STARTED: Duration = Duration::from_millis(20);

/// Whether a bot may be paused, and is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PauseState {
    /// It has not answered yet, and may not be paused.
    Starting,
    Running,
    /// Since this time, counted from the start of the machine, and how long it may still run in
    /// this pause.
    Paused(Duration, Duration),
}

impl Bot {
    /// Stops the bot's processes until it is asked again. If it is paused, counts how long it ran
    /// nevertheless, and stops it again.
    pub fn pause(&mut self) {
        if self.state == PauseState::Starting || self.registration.is_none() {
            return;
        }
        self.count_pause();
        if self.failure.is_some() {
            return;
        }
        // Those that let themselves be continued are stopped again.
        self.outside.clear();
        // The process isn't reaped, so its number, which is that of the group, is its own.
        let _ = kill_process_group(self.pid, Signal::STOP);
        self.stop_outside_group();
        if self.state == PauseState::Running {
            self.meter.sample();
            self.state = PauseState::Paused(since_boot(), ARRIVAL);
        }
    }

    /// Adds the time that the bot ran since the last look, if it is paused. Ends it if that was too
    /// long, so that it harms its rivals no more.
    pub(super) fn count_pause(&mut self) {
        let PauseState::Paused(since, left) = self.state else {
            return;
        };
        let delta = self.meter.search();
        self.meter.has_thought = false;
        let mut ran = delta.used;
        if delta.vanished || self.meter.last.youngest > since + ARRIVAL {
            ran = ran.max(left + STARTED);
        }
        self.pondered += ran.saturating_sub(left);
        self.state = PauseState::Paused(since, left.saturating_sub(ran));
        let paused = self.paused + since_boot().saturating_sub(since);
        // Without open files we can't see how long it ran.
        if self.pondered > PONDERED.max(paused / PONDERED_SHARE)
            && lack::noted(self.started).is_none()
        {
            self.exceeded = Some(ExceededLimit::Pauses);
            self.fail(Failure::Crashed);
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
        if let PauseState::Paused(since, _) = self.state {
            self.paused += since_boot().saturating_sub(since);
            self.state = PauseState::Running;
            let _ = kill_process_group(self.pid, Signal::CONT);
            // Stopped processes can't have ended, except by a signal from the bot itself.
            for pid in self.outside.drain(..) {
                let _ = kill_process(pid, Signal::CONT);
            }
        }
    }
}
