//! The time of one question, and what a bot gets back of it.
//!
//! The clock on the wall runs for everybody, and on a busy machine much of it passes while others have the cores. Two
//! rules keep that from costing a bot its game, and neither gives it more of a core than its limit:
//!
//! * **An answer that is there counts**, however late it is noticed, unless the bot's own processes ran for more than the
//!   limit. No wait ends long after its deadline but when *we* were kept from the core, or stopped; nobody knows then when
//!   the answer came.
//! * **Where there is none when the time is up**, the bot gets back what it lost: the times that its threads stood in the
//!   queue for a core, the time until the prompt was sent, and those in which we slept on beyond a deadline without being in
//!   the queue ourselves, as all do on a machine that stands still. But never more than the time in which none of its own
//!   processes ran: what it takes from itself is no excuse. That is at most its limit once more.
//!
//! Where the time runs out that it was given back, the machine was to blame, and the game is played again, some times at
//! most. A bot that sleeps loses nothing to others, and one that computes runs: both time out as on an idle machine. Rivals
//! are paused as soon as anything is given back, and orphans that a bot left behind are killed: neither voids a game.

use std::time::{Duration, Instant};

use crate::answer::AskError;
use crate::delay::{Account, Counts, Since};
use crate::orphans::reap_strays;

/// A bot that has not answered after this long is thinking. Whatever is done for thinkers costs instant bots nothing.
const THINKING: Duration = Duration::from_millis(1);
/// Who sleeps so much too long, and was not in the queue for a core, was stopped. Any wake-up takes some time.
const OVERSLEPT: Duration = Duration::from_millis(1);
/// Who stands in the queue when the time is up is waited for so long, or as long again as it has been seen there:
/// how long it has really been there is known when it gets its core.
const STEP: Duration = Duration::from_millis(4);
/// How many times its limit a bot can get back in a game that is not played again.
const PATIENCE: u32 = 20;
/// Counts that are older than this, or than half a limit where that is more, tell little of a question. Of a bot that
/// answers at once there are none younger than that: they cost it nothing.
const STALE: Duration = Duration::from_millis(10);

/// The time of one question.
pub(super) struct Timer<'a> {
    pub(super) start: Instant,
    limit: Duration,
    /// Whether a time-out on a busy machine is [`AskError::Busy`].
    excuses: bool,
    /// How much a bot can get back.
    most: Duration,
    /// To be called once the bot thinks, and again when others have taken from its time.
    thinks: &'a mut dyn FnMut(),
    /// Whether it does.
    is_thinking: bool,
    /// From when on its time is counted; at the latest from when it began to think.
    base: Option<Base>,
    /// When the last wait was to end, from the start on.
    until: Option<Duration>,
    /// How long it took to send the prompt.
    sent: Option<Duration>,
    /// By how much our waits ended late.
    overslept: Duration,
    /// What is known to be lost of its time, through no doing of its own.
    lost: Duration,
    /// How long it is known to have run, at most.
    spent: Duration,
    /// By how much it is waited for longer.
    extra: Duration,
}

/// From when on the time of a bot is counted.
struct Base {
    counts: Counts,
    /// What had happened by then since it was asked, at most.
    before: Since,
}

impl<'a> Timer<'a> {
    /// Starts the clock of a question. The counts are taken anew before it where they are old, or the bot has thought since
    /// then: what happened between two looks cannot be told apart.
    pub(super) fn start(
        limit: Duration,
        excuses: bool,
        account: &mut Account,
        thinks: &'a mut dyn FnMut(),
    ) -> Timer<'a> {
        let mut start = Instant::now();
        let mut base = None;
        if account.has_thought
            || start.saturating_duration_since(account.moment()) > STALE.max(limit / 2)
        {
            account.look_around();
            account.has_thought = false;
            start = Instant::now();
            base = Some(Base {
                counts: account.counts(),
                before: Since::default(),
            });
        }
        Timer {
            start,
            limit,
            excuses,
            most: if excuses {
                limit
            } else {
                limit.saturating_mul(PATIENCE)
            },
            thinks,
            is_thinking: false,
            base,
            until: None,
            sent: None,
            overslept: Duration::ZERO,
            lost: Duration::ZERO,
            spent: Duration::ZERO,
            extra: Duration::ZERO,
        }
    }

    /// What is left of the time in which an answer counts as instant.
    pub(super) fn instant(&mut self) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        self.sent.get_or_insert(elapsed);
        self.limit
            .min(THINKING)
            .checked_sub(elapsed)
            .filter(|left| !left.is_zero())
    }

    /// How long the next wait may take; `None` when the time is up.
    pub(super) fn left(&mut self, account: &mut Account) -> Option<Duration> {
        if !self.is_thinking {
            if let Some(left) = self.instant() {
                return Some(left);
            }
            self.begin_to_think(account);
        }
        let elapsed = self.start.elapsed();
        if elapsed >= self.limit + self.extra {
            self.refund(elapsed, account);
        }
        let end = self.limit + self.extra;
        self.until = Some(end);
        end.checked_sub(elapsed).filter(|left| !left.is_zero())
    }

    fn begin_to_think(&mut self, account: &mut Account) {
        self.is_thinking = true;
        account.has_thought = true;
        (self.thinks)();
        if self.base.is_none() {
            let before = account.look();
            self.base = Some(Base {
                counts: account.counts(),
                before: before.at_most(self.start.elapsed()),
            });
        }
        // The clock is read behind the counts: what is lost between the two is in one of them.
        self.overslept = self
            .start
            .elapsed()
            .saturating_sub(self.limit.min(THINKING));
    }

    /// Counts what is lost of the bot's time when it is up.
    fn refund(&mut self, elapsed: Duration, account: &mut Account) {
        self.overslept += self
            .until
            .map_or(Duration::ZERO, |until| elapsed.saturating_sub(until));
        let Since {
            waited,
            own,
            queued,
            ..
        } = self.look(account);
        let stopped = self
            .overslept
            .checked_sub(own)
            .filter(|&stopped| stopped >= OVERSLEPT)
            .unwrap_or_default();
        let idle = elapsed.saturating_sub(self.spent);
        let lost = (self.sent.unwrap_or_default() + waited + stopped).min(idle);
        if self.excuses && lost >= self.most && reap_strays() {
            // It was no other program, but what one of the bots had left behind: whose it was, nobody knows.
            self.excuses = false;
            self.most = self.limit.saturating_mul(PATIENCE);
        }
        self.lost = lost.min(self.most);
        // From now on, not from the limit: we may be late ourselves.
        let waits = queued
            .filter(|_| lost < self.most)
            .map(|queued| elapsed + queued.max(STEP));
        let extra = waits
            .map_or(self.lost, |end| {
                end.saturating_sub(self.limit).max(self.lost)
            })
            .min(idle);
        if extra > self.extra {
            // If it is a rival that keeps it from the core, it will do so no longer.
            (self.thinks)();
        }
        self.extra = extra;
    }

    /// Sees how long the bot has run for this question, and what else happened since its time is counted.
    fn look(&mut self, account: &mut Account) -> Since {
        let Base { counts, before } = match &self.base {
            Some(base) => base,
            None => &Base {
                counts: account.counts(),
                before: Since::default(),
            },
        };
        let since = *before + account.since(counts);
        self.spent = since.ran;
        since
    }

    /// Whether an answer counts that was found after so long.
    pub(super) fn takes(&mut self, elapsed: Duration, account: &mut Account) -> bool {
        if elapsed > self.limit {
            self.look(account);
        }
        self.spent <= self.limit
    }

    /// Whether a time-out tells anything of the bot.
    pub(super) fn check(&self) -> Result<(), AskError> {
        // The whole refund was not enough: for more than half of the time, others had the cores.
        let busy = self.excuses
            && self.lost == self.most
            && self.spent <= self.limit
            && !self.limit.is_zero();
        if busy { Err(AskError::Busy) } else { Ok(()) }
    }
}
