//! Plays a recorded game again with bots: beside the recorded answers, or on from a turn.

use std::cell::RefCell;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Mismatch, Record, ScriptPlayer, check_course, play_again, retry_while_busy};
use crate::play::{Abort, Answer, Ask, Clock, Kept, Played, Player, Step};
use arena_games::{Fault, GameSpec, Reply, Seat};
use arena_process::{Bot, Interrupt, Launcher};

/// An answer of a bot beside the recorded one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct OtherAnswer {
    /// Turn of the game, from 1.
    pub(crate) turn: u32,
    /// The recorded answer; null if there was none.
    pub(crate) recorded: Option<String>,
    /// Why there was no recorded answer; null if there was one.
    pub(crate) recorded_fault: Option<Fault>,
    /// Answer of the bot; null if there was none.
    pub(crate) output: Option<String>,
    /// Why there was no answer; null if there was one.
    pub(crate) fault: Option<Fault>,
    /// Milliseconds until the answer; null if they aren't recorded.
    pub(crate) ms: f64,
    /// Whether it differs from the recorded answer. Blanks at the ends of lines don't count, as for
    /// referees, and a failure is like any other: the site calls all of them timeouts.
    pub(crate) is_other: bool,
}

impl OtherAnswer {
    fn new(step: &Step, answer: &Answer<'_>) -> OtherAnswer {
        let (recorded, reply) = (step.reply(), answer.reply);
        OtherAnswer {
            turn: step.turn,
            recorded: recorded.ok().map(str::to_owned),
            recorded_fault: recorded.err(),
            output: reply.ok().map(str::to_owned),
            fault: reply.err(),
            ms: answer.elapsed.as_secs_f64() * 1000.0,
            is_other: is_other(recorded, reply),
        }
    }
}

/// Whether a bot answers otherwise than the record.
pub(super) fn is_other(recorded: Reply<'_>, reply: Reply<'_>) -> bool {
    match (recorded, reply) {
        (Ok(recorded), Ok(reply)) => {
            let [recorded, reply] = [recorded, reply].map(|text| text.lines().map(str::trim));
            recorded.ne(reply)
        }
        (recorded, reply) => recorded.is_ok() != reply.is_ok(),
    }
}

/// The bots' own seed.
const SEED: u64 = 1;

/// How the bots play.
pub(crate) struct Bots<'a> {
    pub(crate) interrupt: &'a Arc<Interrupt>,
    pub(crate) clock: Clock,
}

impl Bots<'_> {
    /// Asks a bot what it would answer in one seat of a recorded game, until its first fault.
    ///
    /// The game takes its recorded course. The bot gets every prompt of the seat within the game's
    /// limits, and its answers are only noted. After its first other answer, the prompts are of a
    /// game that the bot didn't play, so what follows shows nothing of its strength.
    pub(crate) fn answers(
        &self,
        launcher: &Arc<Launcher>,
        seat: Seat,
        record: &Record,
        spec: &GameSpec,
    ) -> Result<Vec<OtherAnswer>, Mismatch> {
        let in_seat = |other| (other == seat).then_some(launcher);
        let (played, answers) = self.play(record, spec, None, &in_seat)?;
        check_course(record, &played)?;
        Ok(answers)
    }

    /// Plays a recorded game on with these bots by seat, which decide all turns after the first
    /// ones. Before that, each bot gets the recorded prompts, and its answers don't count.
    pub(crate) fn play_on(
        &self,
        launchers: &[Arc<Launcher>],
        from: u32,
        record: &Record,
        spec: &GameSpec,
    ) -> Result<Record, Mismatch> {
        let in_seat = |seat: Seat| launchers.get(seat);
        let (played, _) = self.play(record, spec, Some(from), &in_seat)?;
        let names = launchers.iter().map(|own| own.launch.name.clone());
        Ok(Record {
            number: record.number,
            bots: names.collect(),
            ..Record::new(spec, record.seed.0, played)
        })
    }

    fn play<'r, 'l>(
        &self,
        record: &'r Record,
        spec: &GameSpec,
        from: Option<u32>,
        in_seat: &dyn Fn(Seat) -> Option<&'l Arc<Launcher>>,
    ) -> Result<(Played, Vec<OtherAnswer>), Mismatch> {
        retry_while_busy(|| {
            let answers = RefCell::new(Vec::new());
            let make = |recorded: ScriptPlayer<'r>| {
                let bot = in_seat(recorded.seat);
                let bot = bot.map(|own| Bot::start_in(own, SEED, self.interrupt));
                Ok(PlayerWithBot {
                    bot: bot.transpose()?,
                    from,
                    recorded,
                    answers: &answers,
                })
            };
            let played = play_again(record, spec, self.clock, Kept::default(), |_| {}, make)?;
            Ok((played, answers.take()))
        })
    }
}

/// A player that reads its answers from a record, perhaps with a bot that is asked the same.
struct PlayerWithBot<'a, 'r> {
    recorded: ScriptPlayer<'r>,
    bot: Option<Bot>,
    /// The first turn that the bot decides, if any.
    from: Option<u32>,
    /// The answers of the bot in other turns, up to its first fault.
    answers: &'a RefCell<Vec<OtherAnswer>>,
}

impl Player for PlayerWithBot<'_, '_> {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let Some(bot) = &mut self.bot else {
            return self.recorded.ask(ask, thinks);
        };
        let answer = Player::ask(bot, ask, thinks)?;
        let step = self.recorded.step();
        if let Some(from) = self.from
            && step.is_none_or(|step| step.turn >= from)
        {
            return Ok(answer);
        }
        let mut answers = self.answers.borrow_mut();
        if let Some(step) = step
            && answers.last().is_none_or(|last| last.fault.is_none())
        {
            answers.push(OtherAnswer::new(step, &answer));
        }
        drop(answers);
        self.recorded.ask(ask, thinks)
    }
}
