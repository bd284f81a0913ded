//! Plays a recorded game on from a turn, with bots in all seats.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use super::{Mismatch, Record, Script, ScriptPlayer};
use crate::play::{self, Abort, Answer, Clock, Kept, Player};
use arena_games::{GameSpec, Opening, Question};
use arena_process::{Bot, Interrupt, Launcher};

/// How often to play again because the machine was busy with something else.
const MOST_TRIES: u32 = 20;

/// The bots, and how they play on.
pub(crate) struct Onward<'a> {
    /// The bots by seat.
    pub(crate) launchers: &'a [Arc<Launcher>],
    pub(crate) interrupt: &'a Arc<Interrupt>,
    /// The first turn that the bots decide.
    pub(crate) from: u32,
    pub(crate) clock: Clock,
    /// The bots' own seed.
    pub(crate) seed: u64,
}

impl Onward<'_> {
    /// Plays the game. Before its first own turn, each bot gets the recorded prompts, and its answers
    /// don't count.
    pub(crate) fn play(&self, record: &Record, spec: &GameSpec) -> Result<Record, Mismatch> {
        let mut played = self.try_play(record, spec);
        for _ in 1..MOST_TRIES {
            if !matches!(played, Err(Abort::Busy)) {
                break;
            }
            played = self.try_play(record, spec);
        }
        played.map_err(|abort| Mismatch(abort.to_string()))
    }

    fn try_play(&self, record: &Record, spec: &GameSpec) -> Result<Record, Abort> {
        let failed = |error: String| Abort::Failed(error);
        let opening = Opening::Moves(record.options.opening.clone());
        let mut game = spec
            .start(record.seed.0, self.launchers.len(), &opening)
            .map_err(|error| failed(error.to_string()))?;
        let script = Script {
            record,
            listing: spec.listing,
            is_foreign: game.is_foreign(),
            next: Cell::new(0),
            mismatch: RefCell::default(),
        };
        let mut players = Vec::new();
        for (seat, launcher) in self.launchers.iter().enumerate() {
            let bot = Bot::start_in(launcher, self.seed, self.interrupt);
            players.push(LivePlayer {
                recorded: ScriptPlayer {
                    script: &script,
                    seat,
                    hear: None,
                },
                bot: bot.map_err(|error| failed(error.to_string()))?,
                from: self.from,
            });
        }
        let played = play::play(game.as_mut(), &mut players, self.clock, Kept::default());
        let mismatch = script.mismatch.take();
        if let Some(mismatch) = mismatch {
            return Err(failed(mismatch.to_string()));
        }
        let names = self.launchers.iter().map(|own| own.launch.name.clone());
        Ok(Record {
            number: record.number,
            bots: names.collect(),
            ..Record::new(spec, record.seed.0, played?)
        })
    }
}

/// A bot that plays after the recorded turns.
struct LivePlayer<'a> {
    recorded: ScriptPlayer<'a, 'a>,
    bot: Bot,
    from: u32,
}

impl Player for LivePlayer<'_> {
    fn ask(
        &mut self,
        prompt: &str,
        question: &Question,
        limit: Duration,
        thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, Abort> {
        let script = self.recorded.script;
        let step = script.record.steps.get(script.next.get());
        let is_recorded = step.is_some_and(|step| step.turn < self.from);
        let answer = Player::ask(&mut self.bot, prompt, question, limit, thinks);
        if is_recorded {
            answer?;
            return self.recorded.ask(prompt, question, limit, thinks);
        }
        answer
    }
}
