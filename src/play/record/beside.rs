//! Asks a bot what it would answer in a recorded game, beside the recorded answers.
//!
//! The game takes its recorded course. The bot gets every prompt of one seat within the game's limits,
//! and its answers are only noted. After its first other answer, the prompts are of a game that the
//! bot didn't play, so what follows shows nothing of its strength.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use super::{Mismatch, Record, ScriptPlayer, check_course, play_again, retry_while_busy};
use crate::play::{Abort, Answer, Ask, Clock, Kept, Player};
use arena_games::{Fault, GameSpec, Seat};
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

impl Beside<'_> {
    /// Plays the recorded game again and asks the bot. The bot isn't asked any more after a fault.
    pub(crate) fn answers(
        &self,
        record: &Record,
        spec: &GameSpec,
    ) -> Result<Vec<OtherAnswer>, Mismatch> {
        retry_while_busy(|| {
            let answers = RefCell::new(Vec::new());
            let kept = Kept::default();
            let played = play_again(
                record,
                spec,
                self.clock,
                kept,
                |_| {},
                |recorded| {
                    let is_asked = recorded.seat == self.seat;
                    let bot =
                        is_asked.then(|| Bot::start_in(self.launcher, self.seed, self.interrupt));
                    Ok(BesidePlayer {
                        bot: bot.transpose()?,
                        recorded,
                        answers: &answers,
                    })
                },
            )?;
            check_course(record, &played)?;
            Ok(answers.take())
        })
    }
}

/// A player that reads its answers, perhaps with a bot that is asked the same.
struct BesidePlayer<'a, 'r> {
    recorded: ScriptPlayer<'r>,
    bot: Option<Bot>,
    answers: &'a RefCell<Vec<OtherAnswer>>,
}

impl Player for BesidePlayer<'_, '_> {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        if let (Some(bot), Some(step)) = (&mut self.bot, self.recorded.step()) {
            let answer = Player::ask(bot, ask, thinks)?;
            let other = OtherAnswer {
                turn: step.turn,
                recorded: step.reply().map(str::to_owned),
                reply: answer.reply.map(str::to_owned),
                elapsed: answer.elapsed,
            };
            if other.reply.is_err() {
                self.bot = None;
            }
            self.answers.borrow_mut().push(other);
        }
        self.recorded.ask(ask, thinks)
    }
}
