//! The trait of bots, and the loop that runs them.

use std::io::{self, BufRead, ErrorKind, Write};
use std::process::ExitCode;

use crate::protocol::{PromptError, Protocol, Reader, Turn};

/// A player that chooses an action in turns of this type.
pub trait Bot<T: Turn> {
    /// Chooses one of the offered actions.
    fn choose(&mut self, turn: &T) -> T::Action;
}

/// Plays one game over standard input and output.
///
/// The end of the input ends the game with success. An invalid prompt is reported on standard
/// error, with exit status 1.
pub fn run<P: Protocol>(protocol: P, bot: &mut dyn Bot<P::Turn>) -> ExitCode {
    match talk(protocol, bot, io::stdin().lock(), io::stdout().lock()) {
        PromptError::End => ExitCode::SUCCESS,
        error => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers prompts until an error or the end of the game.
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
        // Flush the pipe, or the referee would never see the answer.
        match writeln!(output, "{choice}").and_then(|()| output.flush()) {
            Ok(()) => {}
            // The referee has ended, and so has the game.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return PromptError::End,
            Err(error) => return PromptError::Output(error),
        }
    }
}
