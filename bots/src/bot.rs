//! What a bot is, and how it is run.

use std::io::{self, BufRead, ErrorKind, Write};
use std::process::ExitCode;

use crate::protocol::{PromptError, Protocol, Reader, Turn};

/// Somebody who chooses what to do in turns of this type.
pub trait Bot<T: Turn> {
    /// One of the actions on offer.
    fn choose(&mut self, turn: &T) -> T::Action;
}

/// Plays one game over standard input and output.
///
/// The end of the input is the end of the game, and success. Anything that is no prompt is told on standard error
/// and makes the exit status 1.
pub fn run<P: Protocol>(protocol: P, bot: &mut dyn Bot<P::Turn>) -> ExitCode {
    match talk(protocol, bot, io::stdin().lock(), io::stdout().lock()) {
        PromptError::End => ExitCode::SUCCESS,
        error => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers prompts until something ends it.
pub fn talk<P: Protocol>(
    protocol: P,
    bot: &mut dyn Bot<P::Turn>,
    input: impl BufRead,
    mut output: impl Write,
) -> PromptError {
    let mut reader = Reader::new(protocol, input);
    loop {
        let turn = match reader.turn() {
            Ok(turn) => turn,
            Err(error) => return error,
        };
        let choice = bot.choose(&turn);
        // A pipe keeps what is written until it is flushed, and the referee would wait in vain.
        match writeln!(output, "{choice}").and_then(|()| output.flush()) {
            Ok(()) => {}
            // The referee is gone: the game is over.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return PromptError::End,
            Err(error) => return PromptError::Output(error),
        }
    }
}
