//! The summary of a run of any kind.

use super::faults::FaultCause;
use super::{Game, Tally};
use crate::results::Stop;
use crate::store::Header;

/// The summary of a run of any kind.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// Why bots failed, the most frequent cause first.
    pub(crate) fault_causes: Vec<FaultCause>,
    /// Each game's standings.
    pub(crate) games: Vec<Game>,
}

impl Summary {
    /// Sums up these games, which stopped for this reason.
    pub(crate) fn new(header: Header, tally: &Tally, stop: &Stop) -> Summary {
        Summary {
            run: header,
            games_played: tally.games_played(),
            fault_causes: Vec::new(),
            games: tally.standings(stop),
        }
    }
}
