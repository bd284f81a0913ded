//! Programs as players.

use super::{Abort, Answer, Ask, Player};
use arena_games::Fault;
use arena_process::{AskError, Bot, Failure, StartError, Stderr};

impl Player for Bot {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let answer = Bot::ask(self, ask.prompt, ask.question.lines, ask.limit, thinks)?;
        Ok(Answer {
            reply: answer.reply.map_err(fault),
            elapsed: answer.elapsed,
            late: answer.late,
        })
    }

    fn take_stderr(&mut self) -> Stderr {
        Bot::take_stderr(self)
    }

    fn pause(&mut self) {
        Bot::pause(self);
    }
}

impl From<AskError> for Abort {
    fn from(error: AskError) -> Abort {
        match error {
            AskError::Interrupted => Abort::Interrupted,
            AskError::Busy => Abort::Busy,
            AskError::Failed(why) => Abort::Failed(why),
        }
    }
}

impl From<StartError> for Abort {
    fn from(error: StartError) -> Abort {
        Abort::Failed(error.to_string())
    }
}

/// Converts the failure of a program to the fault of its seat.
pub(super) fn fault(failure: Failure) -> Fault {
    match failure {
        Failure::Timeout => Fault::Timeout,
        Failure::Crashed => Fault::Crashed,
        Failure::TooLong => Fault::TooLong,
        Failure::OutOfMemory => Fault::OutOfMemory,
    }
}
