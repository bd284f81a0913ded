//! What a bot is, and how it is run.

use std::io::{self, BufRead, ErrorKind, Write};
use std::process::ExitCode;

use arena::games::shogi::Move;

use crate::protocol::{Game, PromptError, Reader, Turn};

/// Somebody who chooses moves.
pub trait Bot {
    /// One of `turn.moves`.
    fn choose(&mut self, turn: &Turn) -> Move;
}

/// Plays one game over standard input and output.
///
/// The end of the input is the end of the game, and success. Anything that is no prompt is told on standard error
/// and makes the exit status 1.
pub fn run(game: Game, bot: &mut dyn Bot) -> ExitCode {
    match talk(game, bot, io::stdin().lock(), io::stdout().lock()) {
        PromptError::End => ExitCode::SUCCESS,
        error => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers prompts until something ends it.
pub fn talk(game: Game, bot: &mut dyn Bot, input: impl BufRead, mut output: impl Write) -> PromptError {
    let mut reader = Reader::new(game, input);
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
