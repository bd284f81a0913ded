//! A timer that says when a bot begins to think, without being set for every question.

use std::cell::RefCell;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

/// A timer that keeps running if an answer comes before it goes off, and then serves the next
/// question. A thread has one for all its bots.
///
/// A wait with a short timeout sets the machine's clock to it, and back again when the answer
/// comes. Under a hypervisor that costs more than the rest of a turn. This timer is set once in a
/// while, however many questions are answered.
pub(crate) struct Alarm {
    /// Readable once it has gone off.
    timer: OwnedFd,
    is_set: bool,
}

impl Alarm {
    /// Waits until something can be read from a file, for `time` at most, and perhaps for less.
    /// Returns whether it can.
    pub(crate) fn wait_for(file: &impl AsFd, time: Duration) -> Result<bool, Errno> {
        thread_local! {
            static OWN: RefCell<Option<Alarm>> = const { RefCell::new(None) };
        }
        OWN.with_borrow_mut(|own| {
            let alarm = match own {
                Some(alarm) => alarm,
                None => own.insert(Alarm::new()?),
            };
            alarm.set(time)?;
            let mut set = [
                PollFd::new(file, PollFlags::IN),
                PollFd::new(&alarm.timer, PollFlags::IN),
            ];
            match poll(&mut set, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
            let [is_ready, has_rung] = set.map(|fd| !fd.revents().is_empty());
            if has_rung {
                // If there is nothing to read, it did not go off after all.
                alarm.is_set = read(&alarm.timer, &mut [0; 8]).is_err();
            }
            Ok(is_ready)
        })
    }

    fn new() -> Result<Alarm, Errno> {
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
    fn set(&mut self, time: Duration) -> Result<(), Errno> {
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
}
