//! The games that `arena` referees: the [`Game`] trait, the fixed properties of a game
//! ([`GameSpec`]), and the list of games ([`Games`]).
//!
//! A game is a value. It follows from its seed, its options and the replies, so arena can replay
//! every game of this crate from its record. Games use no processes, files, clocks or threads.
//!
//! The program adds games of its own, refereed by other programs. What they need beyond [`Game`] is
//! theirs. Here is only what anyone who shows or lists a game reads: [`GameSpec::lower_is_better`],
//! limits of zero, and [`Picture::Drawing`].

pub mod dice_shogi;
pub mod drawing;
mod frame;
pub mod kutulu;
pub mod minishogi;
pub mod onitama;
pub mod referee;
pub mod rng;
pub mod shogi;
pub mod squares;

mod options;
mod spec;

pub use drawing::{Drawing, DrawingError};
pub use frame::{Frame, Picture, Setting, exact_scores};
pub use options::{File, Folder, OptionError, OptionInfo, Options, ReadFolder, Wanted};
pub use spec::{ConfigureResult, GameSpec, Games, Listing, Rules};

use std::any::Any;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The maximum number of seats of a game, which is the capacity of a [`SeatSet`].
pub const MAX_SEATS: usize = 8;

/// A place at the table, counted from 0.
pub type Seat = usize;

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatSet(u8);

impl SeatSet {
    /// The empty set.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// Returns the set with `seat` added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | 1 << seat)
    }

    /// Returns true if `seat` belongs to the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat) != 0
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the seats of the set, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..MAX_SEATS).filter(move |&seat| self.contains(seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}

/// A failure of the bot to answer, which is a result of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Fault {
    /// No full line before the time limit.
    Timeout,
    /// The process ended or closed its output without a full line.
    Crashed,
    /// More than the longest accepted line without an end of line.
    TooLong,
    /// The process ended because it used more memory than it was given.
    OutOfMemory,
}

/// The answer of a seat: its lines, joined by LF and without a final terminator, or the reason why
/// there is none.
pub type Reply<'a> = Result<&'a str, Fault>;

/// The replies of one turn. Slots are indexed by seat and filled for the seats that were due.
pub type Replies<'a> = [Option<Reply<'a>>];

/// The outcome of a game for one seat, apart from its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Default, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Fate {
    /// Every reply was a legal action in time.
    #[default]
    Ok,
    /// A reply wasn't a legal action.
    InvalidAction,
    /// No full line before the time limit.
    Timeout,
    /// The process ended or closed its output without a full line.
    Crashed,
    /// More than the longest accepted line without an end of line.
    TooLong,
    /// The process ended because it used more memory than it was given.
    OutOfMemory,
}

impl From<Fault> for Fate {
    fn from(fault: Fault) -> Fate {
        match fault {
            Fault::Timeout => Fate::Timeout,
            Fault::Crashed => Fate::Crashed,
            Fault::TooLong => Fate::TooLong,
            Fault::OutOfMemory => Fate::OutOfMemory,
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move isn't in check and has no legal move.
    Stalemate,
    /// A position occurred for the third time, without a check.
    Repetition,
    /// A position occurred for the third time, with the side to move in check.
    PerpetualCheck,
    /// The round limit was reached.
    MaxRounds,
    /// A master was captured.
    MasterCaptured,
    /// A master reached the other player's shrine.
    ShrineReached,
    /// The turn limit was reached.
    MaxTurns,
    /// A reply wasn't a legal action, in a game that ends there.
    InvalidAction,
    /// A seat gave no reply, in a game that ends there.
    Timeout,
    /// One seat outlasted all others.
    LastSurvivor,
    /// The seats that lasted longest fell in the same turn.
    LastDiedTogether,
    /// Every seat was eliminated by an illegal reply or a missing one.
    AllInvalid,
}

/// The result of a seat, final once the game is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The score as the referee gave it. The [`GameSpec`] says which one is better.
    pub score: i64,
    /// The outcome for the seat.
    pub fate: Fate,
}

/// A running game. The games of this crate are `Clone`, and a clone plays on identically. `Any`
/// lets a program recognize the games that it added itself.
pub trait Game: Any + Send {
    /// Returns the seats that must reply now; none once the game is over.
    fn due(&self) -> SeatSet;

    /// Returns the number of the current turn, from 1. Once the game is over, this is the last turn
    /// played.
    fn turn(&self) -> u32;

    /// Appends the prompt of `seat` for this turn to `out`. Every call appends the same text.
    fn prompt(&self, seat: Seat, out: &mut String);

    /// Plays the turn with the replies of the due seats. An illegal reply is an event of the game,
    /// not an error.
    fn advance(&mut self, replies: &Replies<'_>);

    /// Returns the results by seat.
    fn standings(&self) -> &[Standing];

    /// Returns the reason why the game ended, such as the name of a [`Reason`]; `None` while it
    /// runs.
    fn reason(&self) -> Option<&str>;

    /// Returns the visible position, without the parts in [`Game::setting`]. Every call returns the
    /// same.
    fn picture(&self) -> Picture;

    /// Returns the position as viewers show it.
    fn frame(&self) -> Frame {
        Frame {
            turn: self.turn(),
            due: self.due().iter().collect(),
            scores: self.standings().iter().map(|own| own.score).collect(),
            reason: self.reason().map(str::to_owned),
            picture: self.picture(),
        }
    }

    /// Returns the parts of the position that stay the same for the whole game.
    fn setting(&self) -> Setting {
        Setting::None {}
    }

    /// Returns the turns that were played before the bots started, see [`Opening`].
    fn opening(&self) -> &[String] {
        &[]
    }
}

/// The turns played before the bots start, so that deterministic bots don't repeat one game. They
/// count as ordinary turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// A number of turns, drawn from the seed, that don't decide the game.
    Plies(u32),
    /// The actions, from a record.
    Moves(Vec<String>),
}

impl Default for Opening {
    fn default() -> Opening {
        Opening::Plies(0)
    }
}

/// The reason why a game can't start, phrased to follow "can't".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("can't {0}")]
pub struct StartError(pub String);

/// A running game, or why it can't start.
pub type StartResult = Result<Box<dyn Game>, StartError>;

/// A mistake in a text or a folder of texts, and its place, phrased to follow "can't".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("can't {0}")]
pub struct TextError(pub String);
