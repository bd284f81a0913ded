//! One game, any players: the only game loop. Live games, replays and verification all run through it.

use std::time::Duration;

use crate::games::{Fault, Game, MAX_SEATS, Reason, Replies, Reply, Seat, Standing};

/// Somebody who answers for one seat: a bot process, a record that is read back, a test.
pub trait Player {
    /// Hands over `prompt` and waits for one line, at most for `limit`.
    ///
    /// # Errors
    /// [`Abort`] when the question could not be asked at all. A bot that fails to answer is no error: that is
    /// a [`Fault`] in the answer.
    fn ask(&mut self, prompt: &str, limit: Duration) -> Result<Answer<'_>, Abort>;
}

/// What a player answered, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The line, or why there is none.
    pub reply: Reply<'a>,
    /// The time from handing over the prompt to the full line.
    pub elapsed: Duration,
}

/// The game could not be played, through no fault of any bot. It has no result.
#[derive(Debug, thiserror::Error)]
pub enum Abort {
    /// The run was told to stop at once.
    #[error("play the game: interrupted")]
    Interrupted,
    /// A bot could not be started or talked to, or the referee failed.
    #[error("play the game: {0}")]
    Failed(String),
}

/// The time limits of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// For a seat's own first answer.
    pub first_turn: Duration,
    /// For every later answer.
    pub turn: Duration,
    /// Added to the first answer only: an interpreter's own start is not thinking.
    pub startup: Duration,
}

/// One answer of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The game's turn number, from 1.
    pub turn: u32,
    /// Who was asked.
    pub seat: Seat,
    /// What was asked, where the caller wanted it kept.
    pub input: Option<String>,
    /// The line that came back, or why none did.
    pub output: Result<String, Fault>,
    /// How long the answer took.
    pub elapsed: Duration,
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The turns played before the first question, see [`crate::games::Opening`].
    pub opening: Vec<String>,
    /// Every question and answer, in order.
    pub steps: Vec<Step>,
    /// One per seat.
    pub standings: Vec<Standing>,
    /// Why the game ended.
    pub reason: Reason,
    /// The number of turns of the game, opening included.
    pub turns: u32,
}

/// Plays `game` to its end. Due seats are asked one after another, as the original engine does. With `trace`
/// every prompt is kept in the steps.
///
/// # Errors
/// [`Abort`] when a player could not be asked, or when the game is over without a reason, which is a defect of
/// the referee.
pub fn play<P: Player>(game: &mut dyn Game, players: &mut [P], clock: Clock, trace: bool) -> Result<Played, Abort> {
    let opening = game.opening().to_vec();
    let mut steps = Vec::new();
    let mut prompt = String::new();
    let mut asked = [false; MAX_SEATS];
    loop {
        let due = game.due();
        if due.is_empty() {
            break;
        }
        let turn = game.turn();
        let mut replies: Replies<'_> = [None; MAX_SEATS];
        for (seat, player) in players.iter_mut().enumerate().filter(|(seat, _)| due.contains(*seat)) {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            let first = !std::mem::replace(&mut asked[seat], true);
            let limit = if first { clock.first_turn + clock.startup } else { clock.turn };
            let Answer { reply, elapsed } = player.ask(&prompt, limit)?;
            steps.push(Step {
                turn,
                seat,
                input: trace.then(|| prompt.clone()),
                output: reply.map(str::to_owned),
                elapsed,
            });
            replies[seat] = Some(reply);
        }
        game.advance(&replies);
    }
    let reason = game.reason().ok_or_else(|| Abort::Failed("the referee ended the game without a reason".into()))?;
    Ok(Played { opening, steps, standings: game.standings().to_vec(), reason, turns: game.turn() })
}
