//! Asks a bot what it would answer in a recorded game, beside the recorded answers.
//!
//! The game takes its recorded course. The bot gets every prompt of one seat within the game's limits,
//! and its answers are only noted. After its first other answer, the prompts are of a game that the
//! bot didn't play, so what follows shows nothing of its strength.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use super::{Mismatch, Record, Step, watch_beside};
use crate::play::{Abort, Clock, Player};
use arena_games::{Fault, GameSpec, Question, Seat};
use arena_process::{Bot, Interrupt, Launcher};

/// An answer of a bot beside the recorded one.
#[derive(Clone, Debug)]
pub(crate) struct OtherAnswer {
    pub(crate) turn: u32,
    /// The recorded answer, or the fault.
    pub(crate) recorded: Result<String, Fault>,
    /// The answer of the bot, or its fault.
    pub(crate) reply: Result<String, Fault>,
    pub(crate) elapsed: Duration,
}

impl OtherAnswer {
    /// Whether the bot answers otherwise than the record. Blanks at the ends of lines don't count, as
    /// for referees, and a failure is like any other: the site calls all of them timeouts.
    pub(crate) fn is_other(&self) -> bool {
        match (&self.recorded, &self.reply) {
            (Ok(recorded), Ok(reply)) => {
                let [recorded, reply] = [recorded, reply].map(|text| text.lines().map(str::trim));
                recorded.ne(reply)
            }
            (recorded, reply) => recorded.is_ok() != reply.is_ok(),
        }
    }
}

/// The bot to ask, and how.
pub(crate) struct Beside<'a> {
    pub(crate) launcher: &'a Arc<Launcher>,
    pub(crate) interrupt: &'a Arc<Interrupt>,
    pub(crate) seat: Seat,
    pub(crate) clock: Clock,
    /// The bot's own seed.
    pub(crate) seed: u64,
}

/// Hears the prompts of a seat.
pub(super) type Hear<'a> =
    dyn FnMut(Seat, &str, &Question, Duration, &Step) -> Result<(), Abort> + 'a;

/// How often to ask again in a game because the machine was busy with something else.
const MOST_TRIES: u32 = 20;

impl Beside<'_> {
    /// Plays the recorded game again and asks the bot. The bot isn't asked any more after a fault.
    pub(crate) fn answers(
        &self,
        record: &Record,
        spec: &GameSpec,
    ) -> Result<Vec<OtherAnswer>, Mismatch> {
        for _ in 1..MOST_TRIES {
            let mut is_busy = false;
            let answers = self.try_answers(record, spec, &mut is_busy);
            if !is_busy {
                return answers;
            }
        }
        self.try_answers(record, spec, &mut false)
    }

    fn try_answers(
        &self,
        record: &Record,
        spec: &GameSpec,
        is_busy: &mut bool,
    ) -> Result<Vec<OtherAnswer>, Mismatch> {
        let started = Bot::start_in(self.launcher, self.seed, self.interrupt);
        let mut bot = started.map_err(|error| Mismatch(error.to_string()))?;
        let mut answers: Vec<OtherAnswer> = Vec::new();
        let hear = |seat: Seat, prompt: &str, question: &Question, limit: Duration, step: &Step| {
            let has_failed = answers.last().is_some_and(|last| last.reply.is_err());
            if seat != self.seat || has_failed {
                return Ok(());
            }
            let answer = Player::ask(&mut bot, prompt, question, limit, &mut || {});
            *is_busy = matches!(answer, Err(Abort::Busy));
            let answer = answer?;
            answers.push(OtherAnswer {
                turn: step.turn,
                recorded: step.reply().map(str::to_owned),
                reply: answer.reply.map(str::to_owned),
                elapsed: answer.elapsed,
            });
            Ok(())
        };
        let hear: RefCell<Box<Hear<'_>>> = RefCell::new(Box::new(hear));
        let replayed = watch_beside(record, spec, false, self.clock, Some(&hear), |_| {});
        drop(hear);
        bot.stop();
        replayed.map(|_| answers)
    }
}
