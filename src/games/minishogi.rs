//! Mini Shogi: shogi on five by five squares.
//!
//! The third occurrence of a position ends the game: the side to move wins if it is in check, else player 1 wins.

use std::time::Duration;

use super::rng::{Sha1Prng, shuffle};
use super::shogi::referee::{self, Referee, Variant};
use super::shogi::{Key, Move, Position};
use super::{GameSpec, Reason};

/// Mini Shogi.
pub static SPEC: GameSpec = GameSpec {
    id: "minishogi",
    title: "Mini Shogi",
    seats: 2,
    first_turn: Duration::from_secs(1),
    turn: Duration::from_millis(100),
    has_opening: true,
    actions_unordered: false,
    start: referee::start::<Rules>,
};

/// A running game of Mini Shogi.
pub type MiniShogi = Referee<Rules>;

/// What Mini Shogi adds to the common rules: shuffled lists and repetition.
#[derive(Clone, Debug)]
pub struct Rules {
    rng: Sha1Prng,
    /// Every position so far, the start included.
    seen: Vec<Key>,
}

impl Variant for Rules {
    fn new(seed: i64) -> Rules {
        Rules { rng: Sha1Prng::new(seed), seen: vec![Position::start().key()] }
    }

    fn offer(&mut self, moves: &mut Vec<Move>) {
        shuffle(moves, &mut self.rng);
    }

    /// The list that was sent is shuffled once more.
    fn choose(&mut self, offered: &mut [Move]) {
        shuffle(offered, &mut self.rng);
    }

    fn reached(&mut self, position: &Position) -> Option<Reason> {
        let key = position.key();
        self.seen.push(key);
        if self.seen.iter().filter(|&&seen| seen == key).count() < 3 {
            return None;
        }
        // Only the position reached counts, not whether every move of the cycle gave check.
        Some(if position.in_check() { Reason::PerpetualCheck } else { Reason::Repetition })
    }
}
