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

use std::fmt::{self, Display};

use sha2::{Digest as _, Sha256};

pub(crate) use check::{Difference, check};
pub(crate) use random::{check_moves, hidden_move};
pub(crate) use read::{Found, Problem, read};

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
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// A battle in a list of last battles: who met, without a seed or answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) id: Option<String>,
    pub(crate) players: Vec<ListedPlayer>,
}

/// A player in a list of last battles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListedPlayer {
    pub(crate) agent: Option<i64>,
    pub(crate) name: Option<String>,
    /// The place from 0; equal places are a draw.
    pub(crate) position: i64,
}

/// Digests that tell battles apart. Tools drop parts of a battle, so each part has its own digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// Seed, seats, answers and scores, which every battle has.
    core: [u8; 32],
    parts: [Option<[u8; 32]>; 4],
}

impl Fingerprint {
    /// Whether two battles are the same in everything that both of them have.
    pub(crate) fn agrees(&self, other: &Fingerprint) -> bool {
        let mut parts = self.parts.iter().zip(&other.parts);
        self.core == other.core
            && parts.all(|(one, two)| one.is_none() || two.is_none() || one == two)
    }
}

impl Battle {
    /// Returns the digests of the battle.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let frames = || self.frames.iter();
        let answers: Vec<_> = frames().map(|frame| (frame.seat, &frame.stdout)).collect();
        let keys: Vec<_> = frames().filter_map(|frame| frame.is_key).collect();
        let summaries: Vec<_> = frames()
            .enumerate()
            .filter_map(|(at, frame)| Some((at, frame.summary.as_ref()?)))
            .collect();
        Fingerprint {
            core: digest(&(self.seed, answers, &self.scores)),
            parts: [
                (!keys.is_empty()).then(|| digest(&keys)),
                (!summaries.is_empty()).then(|| digest(&summaries)),
                self.ranks.as_ref().map(digest),
                self.tooltips.as_ref().map(digest),
            ],
        }
    }

    /// Returns the place of a seat from 0; equal scores share the better place.
    pub(crate) fn place(&self, seat: Seat) -> usize {
        let own = self.scores[seat];
        self.scores.iter().filter(|&&score| score > own).count()
    }
}

/// Returns the digest of a value as it is shown to programmers, which quotes all texts.
fn digest(value: &impl fmt::Debug) -> [u8; 32] {
    Sha256::digest(format!("{value:?}")).into()
}

/// The place of a battle: its file, and where it is in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The path as it was given, or `-`.
    pub(crate) file: String,
    /// The place in the file, such as `[3].gameResult`; empty if the file is the battle.
    pub(crate) within: String,
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.within.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.within)
    }
}
