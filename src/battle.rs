//! Battles saved from `CodinGame`'s site: a seed and every answer, without what the bots were sent.
//!
//! [`read`] finds the battles in a text, [`check`] plays the answers through a referee and compares
//! everything that the battle says about the game. A battle that agrees becomes a record, so that
//! arena knows what the bots were sent. Nothing here touches files.

mod check;
mod random;
mod read;
mod tell;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash, Hasher as _};

pub(crate) use check::{Difference, check, first_exact};
pub(crate) use random::{check_moves, drawn_moves};
pub(crate) use read::{Found, Taken, read};
pub(crate) use tell::has_actions_of;

use arena_games::Seat;

/// A battle. Everything except seed, answers and scores may be missing in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Battle {
    /// The number of the battle on the site, as it is written.
    pub(crate) id: Option<String>,
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
    pub(crate) scores: Vec<i32>,
    /// The places by seat from 0; equal scores share the better place.
    pub(crate) ranks: Option<Vec<i64>>,
    pub(crate) tooltips: Option<Vec<Tooltip>>,
    /// The players by seat, as many as there are scores.
    pub(crate) agents: Vec<Agent>,
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
        let stdout = self.stdout.as_str();
        (!stdout.is_empty()).then(|| stdout.strip_suffix('\n').unwrap_or(stdout))
    }
}

/// A note of the referee at a frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tooltip {
    /// The index of the frame.
    pub(crate) frame: i64,
    pub(crate) text: String,
    /// The seat that it is about.
    pub(crate) seat: i64,
}

/// A player on the site.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Agent {
    /// The number of the submission. The IDE's own code is -1, its default opponent -2.
    pub(crate) id: Option<i64>,
    /// The name of the player or the boss.
    pub(crate) name: Option<String>,
    pub(crate) is_boss: bool,
    /// The score on the ladder.
    pub(crate) score: Option<f64>,
}

/// The players of a battle in a list, with their places from 0. Equal places are a draw.
pub(crate) type Listed = Vec<(Agent, i64)>;

/// Digests that tell battles of the same number apart. Tools drop parts of a battle, so each part has
/// its own digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint([Option<u64>; 7]);

impl Fingerprint {
    /// Whether this battle has everything that another one has.
    pub(crate) fn has_all_of(&self, other: &Fingerprint) -> bool {
        let mut parts = self.0.iter().zip(&other.0);
        parts.all(|(own, other)| other.is_none() || own == other)
    }
}

impl Battle {
    /// Returns the digests of the battle.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let frames = || self.frames.iter();
        let answers: Vec<_> = frames().map(|frame| (frame.seat, &frame.stdout)).collect();
        let keys: Vec<_> = frames().map(|frame| frame.is_key).collect();
        let summaries: Vec<_> = frames().map(|frame| &frame.summary).collect();
        // Names and scores on the ladder change.
        let agents: Vec<_> = self.agents.iter().map(|agent| agent.id).collect();
        let has_summaries = summaries.iter().any(|own| own.is_some());
        Fingerprint([
            // Every battle has these.
            Some(digest((self.seed, answers, &self.scores))),
            (!self.options.is_empty()).then(|| digest(&self.options)),
            keys.iter().any(Option::is_some).then(|| digest(&keys)),
            has_summaries.then(|| digest(&summaries)),
            self.ranks.as_ref().map(digest),
            self.tooltips.as_ref().map(digest),
            agents.iter().any(Option::is_some).then(|| digest(&agents)),
        ])
    }

    /// Returns the place of a seat from 0; equal scores share the better place.
    pub(crate) fn place(&self, seat: Seat) -> usize {
        let own = self.scores[seat];
        self.scores.iter().filter(|&&score| score > own).count()
    }
}

fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
