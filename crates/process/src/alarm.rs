//! Tells that a bot thinks, without setting a timer for every question.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::read;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

/// A timer that is left running when an answer comes before it goes off, and serves the next question.
///
/// A wait with a short limit of its own sets the machine's clock to it, and back again when the answer comes: under a
/// hypervisor that costs more than the rest of a turn. This one is set once in a while, however many questions are answered.
#[derive(Debug)]
pub(super) struct Alarm {
    /// Readable once it has gone off.
    pub(super) timer: OwnedFd,
    set: bool,
}

impl Alarm {
    /// An alarm that is not set.
    pub(super) fn new() -> io::Result<Alarm> {
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        Ok(Alarm { timer, set: false })
    }

    /// Makes it go off in `time`, or earlier if it is set already.
    pub(super) fn set(&mut self, time: Duration) -> io::Result<()> {
        if !self.set {
            let zero = Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            // A time of zero would turn it off.
            let it_value = Timespec::try_from(time.max(Duration::from_nanos(1))).unwrap_or(zero);
            let timer = Itimerspec {
                it_interval: zero,
                it_value,
            };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &timer)?;
            self.set = true;
        }
        Ok(())
    }

    /// Takes note that it went off: it is not set any more.
    pub(super) fn heard(&mut self) {
        // Nothing there to be read means that it did not go off after all.
        self.set = read(&self.timer, &mut [0; 8]).is_err();
    }
}
