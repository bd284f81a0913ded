//! Plays a recorded game on from a turn, with bots in all seats.

use std::sync::Arc;

use super::{Mismatch, Record, ScriptPlayer, play_again, retry_while_busy};
use crate::play::{Abort, Answer, Ask, Clock, Kept, Player};
use arena_games::GameSpec;
use arena_process::{Bot, Interrupt, Launcher};

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
        let played = retry_while_busy(|| {
            let kept = Kept::default();
            play_again(
                record,
                spec,
                self.clock,
                kept,
                |_| {},
                |recorded| {
                    let launcher = &self.launchers[recorded.seat];
                    Ok(LivePlayer {
                        bot: Bot::start_in(launcher, self.seed, self.interrupt)?,
                        recorded,
                        from: self.from,
                    })
                },
            )
        })?;
        let names = self.launchers.iter().map(|own| own.launch.name.clone());
        Ok(Record {
            number: record.number,
            bots: names.collect(),
            ..Record::new(spec, record.seed.0, played)
        })
    }
}

/// A bot that plays after the recorded turns.
struct LivePlayer<'a> {
    recorded: ScriptPlayer<'a>,
    bot: Bot,
    from: u32,
}

impl Player for LivePlayer<'_> {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        let step = self.recorded.step();
        let is_recorded = step.is_some_and(|step| step.turn < self.from);
        let answer = Player::ask(&mut self.bot, ask, thinks);
        if is_recorded {
            answer?;
            return self.recorded.ask(ask, thinks);
        }
        answer
    }
}
