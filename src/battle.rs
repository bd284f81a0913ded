//! Battles saved from `CodinGame`'s site: a seed and every answer, without what the bots were sent.
//!
//! [`read`] finds the battles in a text, [`check`] plays the answers through a referee and compares
//! what the battle says about the game. A battle that agrees becomes a record, so that arena knows
//! what the bots were sent. Nothing here touches files.

mod check;
mod random;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub(crate) use random::check_moves;
pub(crate) use read::read;

use crate::play::record::RecordBattle;
use arena_games::Seat;

/// The number of the IDE's own code.
const OWN_CODE: i64 = -1;
/// The number of the IDE's default opponent.
const DEFAULT_AI: i64 = -2;
/// The name of the user if nothing else names the user.
pub(crate) const ME: &str = "me";

/// Why a part of a file isn't a game of a referee.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("not a battle: {0}")]
    NoBattle(String),
    /// The referee failed or is missing, or a move is hidden.
    #[error("can't be checked: {0}")]
    Unchecked(String),
    /// Messages call the battle's value expected and the referee's got.
    #[error("differs at frame {frame}: {what}")]
    Differs { frame: usize, what: String },
}

impl Unfit {
    /// Returns the frame up to which the referee agrees.
    pub(crate) fn reach(&self) -> usize {
        match self {
            Unfit::Differs { frame, .. } => *frame,
            _ => 0,
        }
    }
}

/// A battle. Everything except seed, answers and scores may be missing in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Battle {
    /// The facts of the site that a record keeps.
    pub(crate) site: RecordBattle,
    /// The names of the players by seat, as many as there are scores.
    pub(crate) players: Vec<String>,
    /// The title of the game, if the file has one, without the league.
    pub(crate) title: Option<String>,
    /// The number of the league, if the title names it.
    pub(crate) league: Option<u64>,
    pub(crate) seed: i64,
    /// What the referee was told besides the seed, as `key=value`.
    pub(crate) options: Vec<(String, String)>,
    /// The setup, then one frame for each question of the referee.
    pub(crate) frames: Vec<Frame>,
    /// The scores by seat.
    pub(crate) scores: Vec<i64>,
    /// The places by seat from 0; equal scores share the better place.
    pub(crate) ranks: Option<Vec<usize>>,
    pub(crate) tooltips: Option<Vec<Tooltip>>,
}

impl Battle {
    /// Returns whether a player is the user, given by name or by the number of a submission.
    pub(crate) fn is_me(&self, seat: Seat, me: Option<&str>) -> bool {
        let id = self.site.agents.get(seat).and_then(|agent| agent.id);
        match (me, id) {
            (_, Some(OWN_CODE)) => true,
            (Some(me), Some(id)) if me.parse() == Ok(id) => true,
            (Some(me), _) => self.players[seat] == me,
            (None, _) => false,
        }
    }
}

/// A frame: the setup, or a question with its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The seat that was asked; `None` in the setup.
    pub(crate) seat: Option<Seat>,
    /// The output of the bot with its line ends; empty for a timeout.
    pub(crate) stdout: String,
    /// Whether a turn ended here.
    pub(crate) is_key: Option<bool>,
    /// What the referee said happened.
    pub(crate) summary: Option<String>,
}

impl Frame {
    /// Returns the lines of the answer without the last line end; `None` for a timeout.
    pub(crate) fn answer(&self) -> Option<&str> {
        match self.stdout.as_str() {
            "" => None,
            stdout => Some(stdout.strip_suffix('\n').unwrap_or(stdout)),
        }
    }
}

/// A note of the referee at a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tooltip {
    /// The index of the frame.
    pub(crate) frame: usize,
    pub(crate) text: String,
    /// The seat that it is about.
    pub(crate) seat: Seat,
}
