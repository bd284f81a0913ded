//! The games that `arena` referees: what a game is, what is fixed about it ([`GameSpec`]), and the list of them
//! ([`Games`]).
//!
//! A game is a value. The same seed, options and replies always give the same game, so every game that was
//! played can be played again from its record. Games know nothing of processes, files, clocks or threads.

mod bitboard;
pub mod dice_shogi;
pub mod drawing;
mod frame;
pub mod kutulu;
pub mod minishogi;
pub mod onitama;
pub mod referee;
pub mod rng;
pub mod shogi;

mod options;
mod spec;

pub use drawing::Drawing;
pub use frame::{Frame, Picture, Setting, Shown};
pub use options::{File, Folder, OptionError, OptionInfo, Options, ReadFolder, Wanted};
pub use spec::{Configured, GameSpec, Games, Listing, OwnRules, Rules};

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The most seats that any game may have: as many as a [`SeatSet`] holds.
pub const MAX_SEATS: usize = 8;

/// A place at the table, counted from 0.
pub type Seat = usize;

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat at all.
    pub const EMPTY: SeatSet = SeatSet(0);

    /// The set that holds `seat` alone.
    pub const fn of(seat: Seat) -> SeatSet {
        SeatSet(1 << seat)
    }

    /// This set with `seat` added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | 1 << seat)
    }

    /// Whether `seat` belongs to the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat) != 0
    }

    /// Whether the set holds no seat.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats of the set, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..MAX_SEATS).filter(move |&seat| self.contains(seat))
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> SeatSet {
        seats.into_iter().fold(SeatSet::EMPTY, SeatSet::with)
    }
}

/// Why a seat gave no answer: the bot's own failure, which is a result of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display)]
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

/// What a seat answered: one line without its terminator, or as many as were wanted with an LF between them; or why there
/// is no answer.
pub type Reply<'a> = Result<&'a str, Fault>;

/// The replies of one turn: one slot per seat, filled for the seats that were due. Slots beyond the last seat mean nothing.
pub type Replies<'a> = [Option<Reply<'a>>];

/// How a seat fared over a whole game, apart from its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Fate {
    /// Every reply was a legal action in time.
    Ok,
    /// A reply was no legal action.
    InvalidAction,
    /// See [`Fault::Timeout`].
    Timeout,
    /// See [`Fault::Crashed`].
    Crashed,
    /// See [`Fault::TooLong`].
    TooLong,
    /// See [`Fault::OutOfMemory`].
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
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// A position occurred for the third time, without a check.
    Repetition,
    /// A position occurred for the third time, with the side to move in check.
    PerpetualCheck,
    /// The round limit was reached.
    MaxRounds,
    /// A master was captured, be it on a shrine.
    MasterCaptured,
    /// A master reached the other player's shrine.
    ShrineReached,
    /// The turn limit was reached.
    MaxTurns,
    /// A reply was no legal action, in a game that ends with it.
    InvalidAction,
    /// A seat gave no reply, in a game that ends with it.
    Timeout,
    /// One seat outlasted all others.
    LastSurvivor,
    /// The seats that lasted longest fell in the same turn.
    LastDiedTogether,
    /// Every seat fell by a reply that was no legal action or none at all, in a game that goes on without it.
    AllInvalid,
}

/// How one seat stands: final once the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// The referee's score; a higher one is better.
    pub score: i32,
    /// What became of the seat.
    pub fate: Fate,
}

/// What is wanted of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The lines of its answer. With none it only reads, and nobody waits for it.
    pub lines: usize,
    /// How long it may take by the rules of the game; `None` where the limits of its [`GameSpec`] hold.
    pub limit: Option<Duration>,
    /// Answers that are legal, as a referee that is a program of its own lists them beside the prompt; so that anybody can
    /// play.
    pub actions: Vec<String>,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            lines: 1,
            limit: None,
            actions: Vec::new(),
        }
    }
}

/// A running game. Concrete games are `Clone`, and a clone plays on identically.
pub trait Game: Send {
    /// The seats that must reply now; empty once the game is over.
    fn due(&self) -> SeatSet;

    /// The number of the turn now to be played, from 1; once the game is over, of the last turn played.
    fn turn(&self) -> u32;

    /// Appends to `out`, byte for byte, what `seat` reads this turn. The same text at every call.
    fn prompt(&self, seat: Seat, out: &mut String);

    /// Takes the replies of the due seats and plays the turn. A reply that is no legal action is an event of
    /// the game, not an error.
    fn advance(&mut self, replies: &Replies<'_>);

    /// One standing per seat.
    fn standings(&self) -> &[Standing];

    /// Why the game ended, for instance the name of a [`Reason`]; `None` while it runs.
    fn reason(&self) -> Option<&str>;

    /// What is wanted of a due seat.
    fn question(&self, _seat: Seat) -> Question {
        Question::default()
    }

    /// Hears, before [`Game::advance`], how long a due seat took. Few games care.
    fn took(&mut self, _seat: Seat, _time: Duration) {}

    /// Whether its referee is a program of its own, so that what it asks has to be proved as well.
    fn is_foreign(&self) -> bool {
        false
    }

    /// Why the game cannot go on through no fault of a seat: its referee is a program of its own, and failed. Such a game has
    /// no result.
    fn broken(&self) -> Option<String> {
        None
    }

    /// Whether the process of such a referee had played another game before.
    fn is_reused(&self) -> bool {
        false
    }

    /// What a referee that is a program of its own showed since the last call. Other games show nothing here: they can be played
    /// again at any time.
    fn shown(&mut self) -> Shown {
        Shown::default()
    }

    /// What is to be seen of the position, beside what [`Game::setting`] tells. The same at every call.
    fn picture(&self) -> Picture;

    /// The position for those who draw it.
    fn frame(&self) -> Frame {
        Frame {
            turn: self.turn(),
            due: self.due().iter().collect(),
            scores: self
                .standings()
                .iter()
                .map(|standing| standing.score)
                .collect(),
            reason: self.reason().map(str::to_owned),
            picture: self.picture(),
        }
    }

    /// What pictures leave out because it stays as it is for the whole game.
    fn setting(&self) -> Setting {
        Setting::None {}
    }

    /// The turns that were played before the bots started, see [`Opening`].
    fn opening(&self) -> &[String] {
        &[]
    }
}

/// The turns played before the bots start, so that deterministic bots do not repeat one game.
/// They count as ordinary turns of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// This many turns, drawn from the seed.
    Plies(u32),
    /// These actions, as a record tells them.
    Moves(Vec<String>),
}

impl Default for Opening {
    fn default() -> Opening {
        Opening::Plies(0)
    }
}

/// Why a game cannot start, as the end of a sentence that begins with "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// What is wrong with a text, and where, as the end of a sentence that begins with "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TextError(pub(crate) String);
