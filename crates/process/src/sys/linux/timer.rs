//! The time of one question, and what a bot gets back of it.
//!
//! The wall clock runs for everyone. On a busy machine much of a bot's time passes while other
//! programs have the cores. Two rules keep that from costing a bot its game, and neither gives it
//! more of a core than its limit:
//!
//! * **An answer that has arrived counts**, however late it is noticed, unless the bot's own
//!   processes ran for more than the limit. A wait ends long after its deadline only if *we* were
//!   kept from the core or stopped. Then it is unknown when the answer came.
//! * **If there is no answer when the time is up**, the bot gets back the time that it lost: while
//!   its threads were in the queue for a core, until the prompt was sent, and while we overslept a
//!   deadline without being in the queue ourselves, as happens when the whole machine is suspended.
//!   It gets back no more than the time that passed less what its threads ran, because it can't
//!   blame others for time that it takes from itself, and no more than its limit once more.
//!
//! When a process ends and its parent doesn't wait for it, the system forgets how long it ran. With
//! many of these a bot could think while it seems to wait. So a bot that starts processes while it
//! thinks gets no time in the queue back, from then on. Besides the look when the time is up there
//! is one at a random moment before, so a bot can't hide what it starts.
//!
//! If that extra time runs out too, the machine is to blame, and the game is played again, a few
//! times at most. If the bot's threads together ran for its limit, the bot is to blame. A bot that
//! sleeps loses nothing to others, and a bot that computes keeps running: both time out as on an
//! idle machine. As soon as a bot gets time back, its rivals are paused, and orphans that a bot
//! left behind are killed, so neither can void a game.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use crate::sys::cpu_time::{CpuMeter, Delta, Sample};
use crate::sys::orphans::reap_orphans;
use crate::sys::proc::{TICK, since_boot};

/// A bot that hasn't answered after this long is thinking. Work that is only done for thinkers
/// costs instant bots nothing.
pub(crate) const THINKING: Duration = Duration::from_millis(1);
/// If we oversleep by this much without being in the queue for a core, we were stopped. Any wake-up
/// takes some time.
const OVERSLEPT: Duration = Duration::from_millis(1);
/// How long to wait at least for a thread that is in the queue when the time is up, or as long as
/// it has been seen there. Only when it gets a core does the kernel say how long it was really
/// there.
const STEP: Duration = Duration::from_millis(4);
/// How many times its limit a bot can get back in a game that isn't played again.
pub(crate) const PATIENCE: u32 = 20;
/// The most that this comes to, unless its limit is longer.
pub(crate) const PATIENCE_MAX: Duration = Duration::from_secs(10);
/// Samples older than this, or than half the limit if that is more, say little about a question. A
/// bot that answers at once has no younger ones, so they cost it nothing.
const STALE: Duration = Duration::from_millis(10);

/// The time of one question.
pub(crate) struct Timer<'a> {
    pub(crate) start: Instant,
    limit: Duration,
    /// Whether a timeout on a busy machine is [`AskError::Busy`](crate::AskError::Busy).
    excuses: bool,
    /// The most time that the bot can get back.
    most: Duration,
    /// Called with `false` once the bot thinks and when it is looked at, and with `true` when
    /// others have taken some of its time.
    thinks: &'a mut dyn FnMut(bool),
    /// Whether the last sample is less than [`THINKING`] older than the question.
    is_fresh: bool,
    /// Once the bot thinks, the sample from which its time counts, and at most what happened
    /// between the question and that sample.
    base: Option<(Sample, Delta)>,
    /// The random moment at which to look at the bot, as time since the start.
    look: Option<Duration>,
    /// When it was asked, as time since the machine was started.
    asked: Duration,
    /// Whether it has started processes while it thought.
    has_forked: bool,
    /// When the last wait should have ended, as time since the start.
    until: Option<Duration>,
    /// How long it took to send the prompt.
    sent: Option<Duration>,
    /// How late our waits ended, added up.
    overslept: Duration,
    /// How much of its time the bot is known to have lost to others.
    lost: Duration,
    /// How long the bot ran at most, as far as that is known.
    spent: Duration,
    /// How long all threads of the bot ran, added up, as far as that is known.
    used: Duration,
    /// How much longer than its limit the bot has.
    extra: Duration,
}

impl<'a> Timer<'a> {
    /// Starts the clock of a question. If the last sample is old, or the bot has thought since, it
    /// takes a new one first, because the times between two samples can't be separated.
    pub(crate) fn start(
        limit: Duration,
        excuses: bool,
        meter: &mut CpuMeter,
        thinks: &'a mut dyn FnMut(bool),
    ) -> Timer<'a> {
        let mut start = Instant::now();
        let mut age = start.saturating_duration_since(meter.last.moment);
        if meter.has_thought || age > STALE.max(limit / 2) {
            meter.search();
            meter.has_thought = false;
            start = Instant::now();
            age = Duration::ZERO;
        }
        Timer {
            start,
            limit,
            excuses,
            most: if excuses { limit } else { patience(limit) },
            thinks,
            is_fresh: age < THINKING,
            base: None,
            look: None,
            asked: since_boot(),
            has_forked: meter.has_forked,
            until: None,
            sent: None,
            overslept: Duration::ZERO,
            lost: Duration::ZERO,
            spent: Duration::ZERO,
            used: Duration::ZERO,
            extra: Duration::ZERO,
        }
    }

    /// Returns how long an answer still counts as instant.
    pub(crate) fn instant(&mut self) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        self.sent.get_or_insert(elapsed);
        time_left(self.limit.min(THINKING), elapsed)
    }

    /// Returns how long the next wait may take; `None` if the time is up.
    pub(crate) fn left(&mut self, meter: &mut CpuMeter) -> Option<Duration> {
        if self.base.is_none() {
            if let Some(left) = self.instant() {
                return Some(left);
            }
            self.begin_to_think(meter);
        }
        let elapsed = self.start.elapsed();
        self.overslept += elapsed.saturating_sub(self.until.unwrap_or(elapsed));
        // No bot can foresee this look for what it starts, and at paused rivals.
        if self.look.take_if(|look| *look <= elapsed).is_some() {
            reap_orphans();
            self.measure(meter);
            (self.thinks)(false);
        }
        if elapsed >= self.limit + self.extra {
            self.refund(elapsed, meter);
        }
        let until = self.look.unwrap_or(self.limit + self.extra);
        self.until = Some(until);
        time_left(until, elapsed)
    }

    fn begin_to_think(&mut self, meter: &mut CpuMeter) {
        meter.has_thought = true;
        (self.thinks)(false);
        let mut before = Delta::default();
        if !self.is_fresh {
            before = meter.search().at_most(self.start.elapsed());
        }
        self.base = Some((meter.last.clone(), before));
        // The bot can't foresee the keys of a hash map.
        let share = RandomState::new().hash_one(0) >> 32;
        let share = u32::try_from(share).unwrap_or_default();
        self.look = Some(self.limit.mul_f64(f64::from(share) / f64::from(u32::MAX)));
        // The clock is read after the sample, so that time lost between the two is in one of them.
        let thinking = self.limit.min(THINKING);
        self.overslept = self.start.elapsed().saturating_sub(thinking);
    }

    /// Counts the time that the bot has lost, when its time is up.
    fn refund(&mut self, elapsed: Duration, meter: &mut CpuMeter) {
        let mut since = self.measure(meter);
        if self.has_forked {
            since.waited = Duration::ZERO;
            since.queued = None;
        }
        let mut stopped = self.overslept.saturating_sub(since.own);
        if stopped < OVERSLEPT {
            stopped = Duration::ZERO;
        }
        let idle = elapsed.saturating_sub(self.spent.max(self.used));
        let lost = (self.sent.unwrap_or_default() + since.waited + stopped).min(idle);
        if self.excuses && lost >= self.most && reap_orphans() {
            // An orphan used this time, not another program. Its owner is unknown.
            self.excuses = false;
            self.most = patience(self.limit);
        }
        self.lost = lost.min(self.most);
        // Counted from now, not from the limit, because we may be late ourselves.
        let extra = match since.queued {
            Some(queued) if lost < self.most => {
                (elapsed + queued.max(STEP)).saturating_sub(self.limit)
            }
            _ => Duration::ZERO,
        };
        let extra = extra.max(self.lost).min(idle);
        if extra > self.extra {
            // If a rival kept the bot from the core, this pauses it.
            (self.thinks)(true);
        }
        self.extra = extra;
    }

    /// Measures how long the bot has run for this question, and returns what happened since its
    /// time is counted.
    fn measure(&mut self, meter: &mut CpuMeter) -> Delta {
        let (sample, before) = self
            .base
            .get_or_insert_with(|| (meter.last.clone(), Delta::default()));
        let since = before.plus(meter.since(sample));
        // The time of a process that is gone still counts.
        self.spent = self.spent.max(since.ran);
        self.used = self.used.max(since.used);
        if since.vanished || meter.last.youngest + TICK > self.asked {
            self.has_forked = true;
            // At first it may start what it consists of. In the tick of the question it is unknown
            // which came first.
            meter.has_forked |= !meter.is_starting && meter.last.youngest > self.asked;
        }
        since
    }

    /// Returns whether an answer counts that was found after `elapsed`.
    pub(crate) fn accepts(&mut self, elapsed: Duration, meter: &mut CpuMeter) -> bool {
        if elapsed > self.limit {
            self.measure(meter);
        }
        self.spent <= self.limit
    }

    /// Returns whether the machine and not the bot is to blame for a timeout.
    pub(crate) fn is_host_busy(&self) -> bool {
        // The whole refund was not enough: for more than half of the time, others had the cores. A
        // bot that used its limit nevertheless, on all cores together, was late itself.
        self.excuses && self.lost == self.most && self.used < self.limit
    }
}

/// Returns the most time that a bot gets back in a game that isn't played again.
fn patience(limit: Duration) -> Duration {
    limit.max(PATIENCE_MAX).min(limit.saturating_mul(PATIENCE))
}

/// Returns the time from `elapsed` until `end`; `None` if it is up.
fn time_left(end: Duration, elapsed: Duration) -> Option<Duration> {
    end.checked_sub(elapsed).filter(|left| !left.is_zero())
}

#[cfg(test)]
mod tests {
    use rustix::process::getpid;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    /// Two threads on two cores took half of the limit each, and others the rest of the time.
    #[test]
    fn a_bot_whose_threads_used_its_limit_together_was_late() {
        let (mut meter, mut thinks) = (CpuMeter::new(getpid()), |_| {});
        let mut timer = Timer::start(LIMIT, true, &mut meter, &mut thinks);
        timer.lost = LIMIT;
        timer.spent = LIMIT / 2;
        timer.used = LIMIT / 2;
        assert!(timer.is_host_busy());
        timer.used = LIMIT;
        assert!(!timer.is_host_busy());
    }

    #[test]
    fn the_last_replay_waits_for_seconds_not_minutes() {
        let limits = [50, 400, 3000, 30_000].map(Duration::from_millis);
        let waits = [1000, 8000, 10_000, 30_000].map(Duration::from_millis);
        assert_eq!(limits.map(patience), waits);
    }
}
