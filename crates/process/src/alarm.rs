//! A timer that says when a bot begins to think, without being set for every question.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::read;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

/// A timer that keeps running if an answer comes before it goes off, and then serves the next
/// question.
///
/// A wait with a short timeout sets the machine's clock to it, and back again when the answer
/// comes. Under a hypervisor that costs more than the rest of a turn. This timer is set once in a
/// while, however many questions are answered.
pub(crate) struct Alarm {
    /// Readable once it has gone off.
    pub(crate) timer: OwnedFd,
    is_set: bool,
}

impl Alarm {
    /// Creates an alarm that isn't set.
    pub(crate) fn new() -> io::Result<Alarm> {
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        Ok(Alarm {
            timer,
            is_set: false,
        })
    }

    /// Makes it go off in `time`, or earlier if it is set already.
    pub(crate) fn set(&mut self, time: Duration) -> io::Result<()> {
        if !self.is_set {
            // A time of zero would turn it off.
            let time = time.max(Duration::from_nanos(1));
            let timer = Itimerspec {
                it_interval: Timespec::default(),
                it_value: Timespec::try_from(time).unwrap_or_default(),
            };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &timer)?;
            self.is_set = true;
        }
        Ok(())
    }

    /// Notes that it went off, so that it is set anew next time.
    pub(crate) fn acknowledge(&mut self) {
        // If there is nothing to read, it did not go off after all.
        self.is_set = read(&self.timer, &mut [0; 8]).is_err();
    }
}
